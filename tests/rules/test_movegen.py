"""Legal moves and plays against the reference, the cases and the mask (R7–R15)."""

import pytest
import random_positions
import reference
from hypothesis import HealthCheck, given, settings
from play_checks import (
    check_masks_along_all_turns,
    check_plays,
    results_of,
    sequences_are_few,
)
from section_a import BY_NUMBER, CASES
from strategies import any_positions, any_rolls, positions, rolls
from support import (
    CUBELESS,
    as_reference,
    data_rows,
    dice_of_row,
    grouped,
    ids_of_boards,
    played,
    position_of_row,
    states_of_rows,
    turn_ends,
)

from bg_env.errors import BgEnvError, InvalidOptionError
from bg_env.rules.decisions import DOUBLE, PASS, ROLL, move_code
from bg_env.rules.game import GameState
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, Move, Play, legal_moves, legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import BEFORE_ROLL, OVER

ids_of_cases = [f"case-{case.number}" for case in CASES]
slow_is_fine = settings(
    deadline=None, max_examples=100, suppress_health_check=list(HealthCheck)
)


# --- against the reference ------------------------------------------------------------


@settings(slow_is_fine, max_examples=50)
@given(positions())
def test_all_rolls_have_the_plays_of_the_reference_in_every_kind_of_position(position):
    for dice in random_positions.ROLLS:
        check_plays(position, dice)


@slow_is_fine
@given(any_positions().filter(lambda position: any(position.opponent[1:])), rolls)
def test_positions_without_any_plan_have_the_plays_of_the_reference(position, dice):
    check_plays(position, dice)


def test_three_thousand_positions_of_all_kinds_have_the_plays_of_the_reference():
    for position, dice in random_positions.many_with_rolls(3000, seed=1):
        check_plays(position, dice)


@pytest.mark.heavy
def test_a_hundred_thousand_positions_have_the_plays_of_the_reference():
    for position, dice in random_positions.many_with_rolls(100_000, seed=2):
        check_plays(position, dice)


@pytest.mark.parametrize("kind", sorted({r["kind"] for r in data_rows("move_kinds")}))
def test_the_plays_of_every_kind_of_hard_position_are_right(kind):
    for row in data_rows("move_kinds"):
        if row["kind"] == kind:
            position = Position.from_id(row["id"], row["checkers"])
            dice = tuple(row["dice"])
            plays = legal_plays(position, dice)
            assert sorted(play.result.id for play in plays) == row["after"], row
            assert {len(play.moves) for play in plays} == {row["used"]}, row
            first = [Move(*move) for move in row["first"]]
            assert legal_moves(position, dice) == first, row


# --- the cases ------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=ids_of_cases)
def test_the_plays_of_a_case_are_the_listed_ones(case):
    found = results_of(case.position, case.dice)
    if case.plays:
        assert found == {
            as_reference(played(case.position, moves)) for moves in case.plays
        }
        assert len(legal_plays(case.position, case.dice)) == len(case.plays)
    if case.first is not None:
        assert legal_moves(case.position, case.dice) == [Move(*m) for m in case.first]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=ids_of_cases)
def test_the_mask_of_a_case_is_its_first_moves_and_its_turn_ends_right(case, player):
    state = GameState.from_position(
        case.position, rules=CUBELESS, on_roll=player, dice=case.dice
    )
    first = [move_code(source, die) for source, die in case.first]
    assert state.legal_decisions() == (sorted(first) or [PASS])
    _, boards = turn_ends(state.record)
    expected = {play.result.id for play in legal_plays(case.position, case.dice)}
    assert sorted(ids_of_boards(boards)) == sorted(expected)


def test_case_6_the_turn_ends_when_only_the_smaller_die_has_a_move():
    state = GameState.from_position(
        BY_NUMBER[6].position, rules=CUBELESS, on_roll=0, dice=(6, 3)
    )
    state.apply(move_code(4, 3))
    assert (state.on_roll, state.phase) == (1, BEFORE_ROLL)


def test_case_10_no_move_is_asked_after_the_last_checker_is_off():
    state = GameState.from_position(BY_NUMBER[10].position, rules=CUBELESS, dice=(6, 2))
    state.apply(move_code(4, 2))
    assert state.legal_decisions() == [move_code(2, 6)]
    state.apply(move_code(2, 6))
    assert (state.phase, state.winner) == (OVER, 0)
    assert state.legal_decisions() == [PASS]


def test_with_the_last_checker_on_the_2_and_5_3_the_larger_die_takes_it_off():
    # R11: either die ends the game, so the larger
    position = Position.from_points({2: 1}, {1: 1})
    assert legal_moves(position, (3, 5)) == [Move(2, 5)]


def test_case_13_four_moves_of_a_double_are_one_turn_of_one_player():
    state = GameState.from_position(BY_NUMBER[13].position, rules=CUBELESS, dice=(1, 1))
    for left in (4, 3, 2, 1):
        assert (state.to_act, state.dice, state.dice_left) == (0, (1, 1), (1,) * left)
        state.apply(move_code(1, 1))
    assert (state.phase, state.winner) == (OVER, 0)


def test_case_14_one_checker_may_run_from_the_bar_and_hit():
    case = BY_NUMBER[14]
    plays = legal_plays(case.position, case.dice)
    assert len(plays) == 8
    run = ((25, 5), (20, 5), (15, 5))
    sequences = reference.legal_sequences(as_reference(case.position), case.dice)
    runs = {played(case.position, s) for s in sequences if s[:3] == run}
    hit = case.position.opponent[15] == 1
    assert hit, "the blot that is hit stands on the mover's 10-point"
    assert {played(case.position, (*run, last)) for last in ((8, 5), (13, 5))} == runs
    assert runs <= {play.result for play in plays}
    assert Move(10, 5) not in {move for play in plays for move in play.moves[3:]}


def test_case_16_the_fourth_six_is_lost_and_no_mask_is_empty():
    state = GameState.from_position(BY_NUMBER[16].position, rules=CUBELESS, dice=(6, 6))
    for _ in range(3):
        assert state.legal_decisions() == [move_code(13, 6)]
        state.apply(move_code(13, 6))
    assert (state.on_roll, state.legal_decisions()) == (1, [ROLL])


@pytest.mark.parametrize("dice", ROLLS)
def test_case_17_a_closed_out_player_can_only_pass(dice):
    position = BY_NUMBER[17].position
    assert legal_plays(position, dice) == [Play((), position)]
    assert legal_moves(position, dice) == []
    state = GameState.from_position(position, rules=CUBELESS, dice=dice)
    assert state.legal_decisions() == [PASS]
    state.apply(PASS)
    assert (state.on_roll, state.phase) == (1, BEFORE_ROLL)
    assert state.position_of(0) == position


def test_case_17_a_closed_out_player_may_still_double():
    state = GameState.from_position(BY_NUMBER[17].position, rules=Rules())
    assert state.legal_decisions() == [ROLL, DOUBLE]


def test_case_19_an_opening_3_1_has_sixteen_results():
    assert len(legal_plays(Position.start(), (3, 1))) == 16


# --- masks after part of a roll -------------------------------------------------------


@slow_is_fine
@given(positions(), rolls)
def test_masks_after_each_move_are_the_continuations_of_legal_turns(position, dice):
    if sequences_are_few(position, dice):
        check_masks_along_all_turns(position, dice)


@pytest.mark.parametrize("doubles", [False, True])
def test_no_mask_along_a_turn_needs_to_know_how_the_turn_began(doubles):
    wanted = tuple(roll for roll in ROLLS if (roll[0] == roll[1]) == doubles)
    count = 150 if doubles else 1000
    for position, dice in random_positions.many_with_rolls(count, 3, rolls=wanted):
        if sequences_are_few(position, dice):
            check_masks_along_all_turns(position, dice, on_roll=1)


@pytest.mark.parametrize("doubles", [False, True])
@pytest.mark.heavy
def test_no_mask_along_many_turns_needs_to_know_how_the_turn_began(doubles):
    wanted = tuple(roll for roll in ROLLS if (roll[0] == roll[1]) == doubles)
    for position, dice in random_positions.many_with_rolls(10_000, 4, rolls=wanted):
        if sequences_are_few(position, dice, limit=4000):
            check_masks_along_all_turns(position, dice)


def test_the_masks_along_every_kind_of_hard_turn_are_exact():
    for row in data_rows("move_kinds"):
        position = Position.from_id(row["id"], row["checkers"])
        dice = tuple(row["dice"])
        if any(position.opponent[1:]) and sequences_are_few(position, dice):
            check_masks_along_all_turns(position, dice)


def test_a_turn_of_the_state_ends_where_a_play_ends_whoever_is_on_roll():
    rows = data_rows("legal_sample")
    for on_roll in (0, 1):
        numbers, boards = turn_ends(states_of_rows(rows, on_roll=on_roll))
        ends = grouped(numbers, ids_of_boards(boards), len(rows))
        for row, found in zip(rows, ends, strict=True):
            plays = legal_plays(position_of_row(row), dice_of_row(row))
            assert sorted(found) == sorted(play.result.id for play in plays), row["id"]


# --- what holds of every play ---------------------------------------------------------


@slow_is_fine
@given(positions(), any_rolls)
def test_checkers_are_conserved_and_the_order_of_the_dice_does_not_matter(
    position, dice
):
    plays = legal_plays(position, dice)
    for play in plays:
        assert play.result.checkers == position.checkers
        assert Position(play.result.mover, play.result.opponent) == play.result
    swapped = legal_plays(position, dice[::-1])
    assert {p.result for p in swapped} == {p.result for p in plays}
    assert legal_moves(position, dice[::-1]) == legal_moves(position, dice)


@slow_is_fine
@given(positions(), any_rolls)
def test_all_plays_of_a_roll_use_equally_many_dice_and_begin_with_a_legal_move(
    position, dice
):
    plays = legal_plays(position, dice)
    assert len({len(play.moves) for play in plays}) == 1
    first = legal_moves(position, dice)
    for play in plays:
        assert not play.moves or play.moves[0] in first
        left = sorted(dice) * (2 if dice[0] == dice[1] else 1)
        for move in play.moves:
            left.remove(move.die)


@slow_is_fine
@given(any_positions(), any_rolls)
def test_a_player_who_has_borne_off_all_or_cannot_move_has_the_empty_play(
    position, dice
):
    plays = legal_plays(position, dice)
    if not any(position.mover[1:]):
        assert plays == [Play((), position)]
    assert (legal_moves(position, dice) == []) == (plays == [Play((), position)])


def test_an_empty_play_leaves_the_position_as_it_was():
    position = Position.from_points({25: 1, 6: 5}, dict.fromkeys(range(1, 7), 2))
    assert legal_plays(position, (6, 5)) == [Play((), position)]


def test_hitting_sends_the_blot_to_its_owners_bar():
    # R10: the mover's 5-point is the opponent's 20-point
    position = Position.from_points({6: 1}, {20: 1, 1: 1})
    results = {play.result for play in legal_plays(position, (1, 2))}
    bar_dance = Position.from_points({3: 1}, {25: 1, 1: 1})
    assert bar_dance in results


def test_a_checker_borne_off_may_be_any_of_a_stack_of_fifteen():
    position = Position.from_points({1: 15}, {1: 15})
    (play,) = legal_plays(position, (6, 6))
    assert play.moves == (Move(1, 6),) * 4
    assert play.result.mover[0] == 4


# --- what is asked of the arguments ---------------------------------------------------


@pytest.mark.parametrize(
    "dice",
    [(0, 1), (7, 1), (1,), (1, 2, 3), "ab", None, 6, (1.5, 2), ("x", 2), (-1, 3)],
)
def test_dice_that_are_none_are_refused_by_name(dice):
    for ask in (legal_plays, legal_moves):
        with pytest.raises(InvalidOptionError, match="two dice of 1 to 6"):
            ask(Position.start(), dice)


def test_a_move_knows_where_it_goes():
    assert Move(8, 6).target == 2
    assert Move(25, 3).target == 22
    assert Move(3, 6).target == 0
    assert Move(3, 3).target == 0


def test_a_play_is_a_frozen_hashable_value():
    (play,) = legal_plays(BY_NUMBER[1].position, (6, 2))
    assert hash(play) == hash(Play(play.moves, play.result))
    with pytest.raises(AttributeError):
        play.moves = ()


def test_the_21_rolls_stand_for_the_36_throws():
    throws = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        assert sum(tuple(sorted(t, reverse=True)) == roll for t in throws) == ways
    assert sum(ROLL_WAYS) == 36


@pytest.mark.parametrize("call", [legal_plays, legal_moves])
@pytest.mark.parametrize(
    ("position", "dice", "rules", "named"),
    [
        ("4HPwATDgc/ABMA", (3, 1), None, "'4HPwATDgc/ABMA'"),
        (None, (3, 1), None, "None"),
        (Position.start(), (True, 2), None, "(True, 2)"),
        (Position.start(), (3, 1), "poker", "'poker'"),
        (Position.start(), (3, 1), 5, "not 5"),
    ],
)
def test_what_is_no_position_roll_or_rules_is_named(call, position, dice, rules, named):
    with pytest.raises(BgEnvError) as caught:
        call(position, dice, rules=rules)
    assert named in str(caught.value)


def test_rules_may_be_the_name_of_a_preset_or_none():
    position = Position.from_points({6: 1, 3: 1}, {1: 2})
    assert len(legal_plays(position, (4, 3), rules="timed")) == 1
    assert len(legal_plays(position, (4, 3), rules=None)) == 2
