"""The option `least_waste`: of plays with all dice those that waste least (R16)."""

import numpy as np
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
from strategies import positions
from support import (
    as_reference,
    boards_of,
    data_rows,
    ids_of_boards,
)

from bg_env.rules.decisions import move_code
from bg_env.rules.game import GameState
from bg_env.rules.movegen import legal_moves, legal_plays, plays_of_boards
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

THRIFTY = Rules(cube=False, least_waste=True)
AWAY = {1: 5}  # an opponent who is in nobody's way


def check(position, dice):
    """Same results and first moves as the reference says."""
    check_plays(position, dice, least_waste=True)


# (name, mover, opponent, roll, the plays that stay legal)
EXAMPLES = [
    (
        "a die that bears off exactly is not wasted",
        {6: 1, 3: 1},
        AWAY,
        (4, 3),
        [((6, 4), (3, 3))],
    ),
    (
        "two checkers off wasting nothing",
        {4: 1, 3: 1, 1: 2},
        AWAY,
        (4, 3),
        [((4, 4), (3, 3))],
    ),
    (
        "nothing is borne off, nothing is wasted, nothing is forbidden",
        {13: 1, 8: 1},
        AWAY,
        (2, 1),
        [
            ((13, 2), (11, 1)),
            ((13, 2), (8, 1)),
            ((13, 1), (8, 2)),
            ((8, 2), (6, 1)),
        ],
    ),
    (
        "one pip wasted is less than two",
        {5: 1, 2: 1},
        AWAY,
        (6, 1),
        # 5/off wastes 1; then the 1 moves 2/1. 5/4 first: 4/off wastes 2
        [((5, 6), (2, 1))],
    ),
]


@pytest.mark.parametrize(
    ("mover", "opponent", "dice", "plays"),
    [example[1:] for example in EXAMPLES],
    ids=[example[0] for example in EXAMPLES],
)
def test_only_the_least_wasteful_plays_stay_legal(mover, opponent, dice, plays):
    position = Position.from_points(mover, opponent)
    found = results_of(position, dice, rules=THRIFTY)
    wanted = set()
    for moves in plays:
        pair = as_reference(position)
        for source, die in moves:
            pair = reference.make_move(pair, source, die)
        wanted.add(pair)
    assert found == wanted
    check(position, dice)


def test_the_wasteful_play_of_the_rule_book_is_legal_without_the_option():
    position = Position.from_points({6: 1, 3: 1}, AWAY)
    wasteful = Position.from_points({3: 1}, AWAY)  # 6/3 and 3/off with the 4
    assert wasteful in {play.result for play in legal_plays(position, (4, 3))}
    thrifty = legal_plays(position, (4, 3), rules=THRIFTY)
    assert [play.result for play in thrifty] == [Position.from_points({2: 1}, AWAY)]


def test_the_mask_offers_only_first_moves_of_plays_that_remain():
    position = Position.from_points({6: 1, 3: 1}, AWAY)
    state = GameState.from_position(position, rules=THRIFTY, dice=(4, 3))
    assert state.legal_decisions() == sorted([move_code(6, 4), move_code(3, 3)])
    state.apply(move_code(3, 3))
    assert state.legal_decisions() == [move_code(6, 4)]


def test_the_plays_left_are_those_that_leave_the_fewest_pips():
    # R16: dice - waste = pips moved
    for position, dice in random_positions.many_with_rolls(
        2000, 11, random_positions.ENDINGS, random_positions.NON_DOUBLES
    ):
        plays = legal_plays(position, dice)
        thrifty = legal_plays(position, dice, rules=THRIFTY)
        if len(plays[0].moves) == 2:
            fewest = min(play.result.pips[0] for play in plays)
            plays = [play for play in plays if play.result.pips[0] == fewest]
        assert {p.result for p in plays} == {p.result for p in thrifty}


def test_a_double_is_never_restricted():
    doubles = tuple((die, die) for die in range(1, 7))
    for position, dice in random_positions.many_with_rolls(
        1000, 12, random_positions.ENDINGS, doubles
    ):
        assert legal_plays(position, dice, rules=THRIFTY) == legal_plays(position, dice)
        moves = legal_moves(position, dice, rules=THRIFTY)
        assert moves == legal_moves(position, dice)


def test_a_roll_of_which_one_die_can_be_played_is_never_restricted():
    seen = 0
    for position, dice in random_positions.many_with_rolls(
        4000, 13, rolls=random_positions.NON_DOUBLES
    ):
        plays = legal_plays(position, dice)
        if len(plays[0].moves) == 1:
            seen += 1
            assert legal_plays(position, dice, rules=THRIFTY) == plays
    assert seen > 200


def test_no_play_is_legal_only_because_of_the_option():
    for position, dice in random_positions.many_with_rolls(1000, 14):
        plays = {play.result for play in legal_plays(position, dice)}
        thrifty = {play.result for play in legal_plays(position, dice, rules=THRIFTY)}
        assert thrifty <= plays


@pytest.mark.parametrize(
    "kind",
    [
        "least_waste_binds",
        "least_waste_yields_to_both_dice",
        "least_waste_keeps_the_larger_die",
    ],
)
def test_hard_positions_have_the_plays_of_least_waste(kind):
    rows = [row for row in data_rows("move_kinds") if row["kind"] == kind]
    assert len(rows) > 5
    for row in rows:
        position = Position.from_id(row["id"], row["checkers"])
        dice = tuple(row["dice"])
        plays = legal_plays(position, dice, rules=THRIFTY)
        ids = sorted(play.result.id for play in plays)
        assert ids == row["after_least_waste"], row
        assert (ids != row["after"]) == (kind == "least_waste_binds")


def test_all_hard_positions_have_the_plays_of_least_waste_in_a_batch():
    rows = [row for row in data_rows("move_kinds") if row["used"]]
    places = [Position.from_id(row["id"], row["checkers"]) for row in rows]
    rolls = np.array([row["dice"] for row in rows], np.int8)
    boards, _, offsets = plays_of_boards(boards_of(places), rolls, least_waste=True)
    ids = ids_of_boards(boards)
    for i, row in enumerate(rows):
        assert sorted(ids[offsets[i] : offsets[i + 1]]) == row["after_least_waste"]


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(positions(*(maker.__name__ for maker in random_positions.ENDINGS)))
def test_all_rolls_of_an_ending_have_the_plays_of_the_reference(position):
    for dice in random_positions.ROLLS:
        check(position, dice)


def test_masks_along_a_turn_are_exact_under_least_waste():
    for position, dice in random_positions.many_with_rolls(
        1000, 15, random_positions.ENDINGS, random_positions.NON_DOUBLES
    ):
        if sequences_are_few(position, dice):
            check_masks_along_all_turns(position, dice, least_waste=True)


def test_three_thousand_endings_have_the_plays_of_the_reference():
    for position, dice in random_positions.many_with_rolls(
        3000, 16, random_positions.ENDINGS
    ):
        check(position, dice)


@pytest.mark.heavy
def test_a_hundred_thousand_endings_have_the_plays_of_the_reference():
    # R16's own number: bear-in and bear-off positions, contact included
    for position, dice in random_positions.many_with_rolls(
        100_000, 17, random_positions.ENDINGS, random_positions.NON_DOUBLES
    ):
        check(position, dice)
