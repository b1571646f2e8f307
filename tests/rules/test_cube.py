"""The doubling cube: who may turn it, what taking and dropping cost."""

from __future__ import annotations

from typing import Any

import pytest
from played_games import (
    HOME_ALONE,
    bear_off_last,
    bytes_of,
    game_at,
    play,
    start_game,
)
from support import data_rows, oracle_rows, position_of_row

from bg_env.errors import IllegalActionError
from bg_env.notation import parse_xgid
from bg_env.rules.decisions import BEAVER, DOUBLE, DROP, PASS, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, DROPPED, MOVING

BOTH = pytest.mark.parametrize("player", [0, 1])
EVEN_MATCHES = pytest.mark.filterwarnings("ignore:A match to")  # R25


def after_turns(turns: int, **options: Any) -> GameState:
    """A new game of which so many turns are played; a turn later, it is to roll."""
    state = GameState.new(Rules(**options), seed=17)
    state.apply(ROLL)
    while state.turn <= turns:
        code = state.legal_decisions()[0]
        state.apply(ROLL if state.phase == BEFORE_ROLL else code)
    return state


# --- when a double is possible ------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_no_double_before_or_during_the_first_turn(seed: int) -> None:
    """R19, case 31: first is checker play with two different dice, no double bit."""
    state = GameState.new(seed=seed)
    assert not state.is_legal(DOUBLE)
    state.apply(ROLL)
    assert state.phase == MOVING
    assert len(set(state.dice_left)) == 2
    first = state.on_roll
    while state.turn == 1:
        assert not state.is_legal(DOUBLE)
        state.apply(state.legal_decisions()[-1])
    assert state.on_roll != first
    assert state.is_legal(DOUBLE), "the second player is the first who may double"


def test_no_double_in_the_first_turn_of_every_game_of_a_match() -> None:
    """R19, case 31: this holds for every game of a match."""
    state = GameState.new(Rules(match_length=7), seed=2)
    for _ in range(3):
        assert state.legal_decisions() == [ROLL]
        state.apply(ROLL)
        while state.turn == 1:
            assert not state.is_legal(DOUBLE)
            state.apply(state.legal_decisions()[-1])
        play(state, DOUBLE, DROP)
        if max(state.score) == 6:
            break
        state.next_game()
    assert sum(state.score) == 3


@BOTH
def test_a_double_comes_before_the_roll_only(player: int) -> None:
    """R19: legal before he rolls, not with dice on the table, not between moves."""
    state = start_game(on_roll=player)
    assert state.legal_decisions() == [ROLL, DOUBLE]
    state.set_dice(6, 5)
    assert not state.is_legal(DOUBLE)
    play(state, (24, 6))
    assert not state.is_legal(DOUBLE)
    play(state, (18, 5))
    assert state.legal_decisions() == [ROLL, DOUBLE]
    assert state.on_roll == 1 - player


def test_with_the_cube_in_the_middle_either_player_may_double() -> None:
    """R19: each on his own turn."""
    for turns in (1, 2, 3, 4):
        state = after_turns(turns)
        assert state.is_legal(DOUBLE)
        assert state.to_act == state.on_roll


@BOTH
def test_after_a_take_only_the_owner_may_turn_the_cube(player: int) -> None:
    """R19, R20, case 33: the taker owns it; the other side's mask has no double."""
    state = start_game(on_roll=player)
    play(state, DOUBLE, TAKE)
    assert (state.cube, state.cube_owner) == (2, 1 - player)
    assert state.legal_decisions() == [ROLL], "the offerer rolls"
    state.set_dice(6, 5)
    play(state, (24, 6), (18, 5))
    assert state.legal_decisions() == [ROLL, DOUBLE]
    play(state, DOUBLE, TAKE)
    assert (state.cube, state.cube_owner) == (4, player)
    assert state.legal_decisions() == [ROLL]


def test_the_owner_on_roll_of_an_xgid_may_redouble_and_the_other_not() -> None:
    """R19, case 33: cube 2, owner on roll; the same with the cube on the other side."""
    for owner, sign in ((1, True), (-1, False)):
        xgid = f"XGID=--CBCBC------B--b--cabbcb-:1:{owner}:1:00:0:0:0:0:8"
        state = parse_xgid(xgid)
        assert (state.cube, state.cube_owner) == (2, 0 if owner == 1 else 1)
        assert state.is_legal(DOUBLE) is sign
    rolled = parse_xgid("XGID=--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8")
    assert (rolled.cube, rolled.cube_owner, rolled.on_roll) == (2, 0, 0)
    assert not rolled.is_legal(DOUBLE)


@pytest.mark.parametrize(
    "board",
    [
        pytest.param(({25: 1, 6: 5}, dict.fromkeys(range(1, 7), 2)), id="closed out"),
        pytest.param(({24: 2}, dict.fromkeys(range(2, 8), 2)), id="behind a prime"),
    ],
)
def test_a_player_who_cannot_move_is_asked_all_the_same(board: Any) -> None:
    """R19: closed out or blocked in any way, he still may double."""
    state = game_at(*board)
    assert state.legal_decisions() == [ROLL, DOUBLE]
    play(state, DOUBLE, TAKE)
    assert state.legal_decisions() == [ROLL]
    state.set_dice(6, 5)
    assert state.legal_decisions() == [PASS]


@pytest.mark.parametrize(
    ("score", "cube"), [((4, 0), 2), ((0, 4), 2), ((3, 3), 2), ((3, 2), 4)]
)
def test_a_dead_cube_may_be_turned(score: tuple[int, int], cube: int) -> None:
    """R19: in a match pointless, but legal: a cube that already reaches the goal."""
    state = start_game(
        rules=Rules(match_length=5), score=score, crawford=False, cube=cube,
        cube_owner=0,
    )  # fmt: skip
    assert state.is_legal(DOUBLE)
    play(state, DOUBLE, TAKE)
    assert state.cube == 2 * cube


@pytest.mark.parametrize("name", ["timed", "household", "cubeless"])
def test_without_the_cube_nobody_doubles(name: str) -> None:
    """R18: presets without a cube; `household` may have it."""
    state = start_game(rules=Rules.preset(name))
    assert not state.is_legal(DOUBLE)
    assert not Rules.preset(name).cube
    if name == "household":
        with_cube = start_game(rules=Rules.preset(name, cube=True))
        assert with_cube.is_legal(DOUBLE)


# --- the values of the cube ---------------------------------------------------------


def test_the_stake_starts_at_one_with_the_cube_in_the_middle() -> None:
    """R18: value 1, nobody's, ceiling 64 unless told."""
    state = GameState.new()
    assert (state.cube, state.cube_owner) == (1, None)
    assert Rules().max_cube == 64


def test_doubles_go_through_all_faces_to_the_ceiling() -> None:
    """R18, case 41: 2, 4, 8, 16, 32, 64 and no further."""
    state = start_game()
    faces = []
    while state.is_legal(DOUBLE):
        play(state, DOUBLE, TAKE)
        faces.append(state.cube)
        state.set_dice(1, 1)
        while state.phase == MOVING:
            state.apply(state.legal_decisions()[-1])
    assert faces == [2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize(
    ("max_cube", "cube", "legal"),
    [(64, 64, False), (64, 32, True), (None, 64, True), (None, 4096, True),
     (4096, 2048, True), (4096, 4096, False), (2, 2, False), (2, 1, True),
     (1, 1, False)],
)  # fmt: skip
def test_no_double_above_the_highest_cube(
    max_cube: int | None, cube: int, legal: bool
) -> None:
    """R18, case 41: max_cube is a ceiling, None is none."""
    owner = 0 if cube > 1 else None
    state = start_game(rules=Rules(max_cube=max_cube), cube=cube, cube_owner=owner)
    assert state.is_legal(DOUBLE) is legal


@pytest.mark.parametrize("match_length", [0, 7])
def test_a_score_never_falls_however_high_the_cube(match_length: int) -> None:
    """R18, R21: without a ceiling a score stops at the largest number it can hold."""
    rules = Rules(max_cube=None, match_length=match_length)
    state = game_at({1: 2}, {8: 15}, rules=rules, cube=2**35, cube_owner=0)
    state.set_dice(2, 1)
    play(state, (1, 2), (1, 1))
    assert state.points == 2 * 2**35
    assert state.score == (2**31 - 1, 0)
    assert state.is_match_over


# --- taking and dropping ------------------------------------------------------------


@BOTH
def test_the_offered_player_takes_or_drops(player: int) -> None:
    """R20: nothing else; the board stays with the player on roll."""
    state = start_game(on_roll=player)
    board = state.position
    state.apply(DOUBLE)
    assert (state.phase, state.on_roll, state.to_act) == (DOUBLED, player, 1 - player)
    assert state.legal_decisions() == [TAKE, DROP]
    assert state.position == board
    assert state.cube == 1


@BOTH
@pytest.mark.parametrize("cube", [1, 2, 16])
def test_a_drop_costs_the_stake_before_the_offer(player: int, cube: int) -> None:
    """R20: and the game ends."""
    owner = player if cube > 1 else None
    state = start_game(on_roll=player, cube=cube, cube_owner=owner)
    play(state, DOUBLE, DROP)
    assert (state.winner, state.points, state.level) == (player, cube, 1)
    assert state.ending == DROPPED
    assert state.score == ((cube, 0) if player == 0 else (0, cube))
    assert state.legal_decisions() == [PASS]


def test_a_drop_has_no_gammon_multiplier() -> None:
    """R20, case 32: cube 2, redoubled to 4, dropped by a side sure of a gammon: 2."""
    state = game_at({1: 2}, {25: 2, 8: 13}, cube=2, cube_owner=0)
    play(state, DOUBLE, DROP)
    assert (state.points, state.score) == (2, (2, 0))


@BOTH
def test_a_take_doubles_the_stake_and_the_offerer_rolls(player: int) -> None:
    """R20, R21: a single game with the cube at 2 pays 2."""
    state = game_at({1: 1}, {1: 1}, on_roll=player)
    play(state, DOUBLE, TAKE)
    assert state.to_act == player
    bear_off_last(state)
    assert (state.winner, state.points) == (player, 2)


# --- what is illegal ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("decisions", "illegal"),
    [((), TAKE), ((), DROP), ((), BEAVER), ((DOUBLE,), DOUBLE), ((DOUBLE,), ROLL),
     ((DOUBLE, TAKE), DOUBLE), ((DOUBLE, TAKE), TAKE), ((DOUBLE, TAKE), BEAVER),
     ((DOUBLE, DROP), ROLL), ((DOUBLE, DROP), TAKE)],
)  # fmt: skip
def test_cube_decisions_out_of_turn_are_refused(
    decisions: tuple[int, ...], illegal: int
) -> None:
    """R19, R20, R24: and the state stays as it was."""
    state = play(start_game(rules=Rules(beavers=1)), *decisions)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match=str(illegal)):
        state.apply(illegal)
    assert bytes_of(state) == before


def test_the_last_checker_needs_no_cube() -> None:
    """R20: a double before a sure win is taken or dropped like any other."""
    for answer, points in ((TAKE, 4), (DROP, 2)):
        state = game_at(HOME_ALONE, {1: 1}, cube=2, cube_owner=0)
        play(state, DOUBLE, answer)
        if not state.is_over:
            bear_off_last(state)
        assert state.points == points


# --- positions of a corpus ----------------------------------------------------------


def check_availability(row: dict[str, Any], on_roll: int) -> None:
    """`available` of a row is the double bit, whoever of 0 and 1 the mover is."""
    owner = {None: None, "mover": on_roll, "opp": 1 - on_roll}[row["cube_owner"]]
    mover, opponent = row["score"]
    state = GameState.from_position(
        position_of_row(row),
        rules=Rules(match_length=row["match_length"], jacoby=bool(row["jacoby"])),
        on_roll=on_roll,
        cube=row["cube"],
        cube_owner=owner,
        score=(mover, opponent) if on_roll == 0 else (opponent, mover),
        crawford=row["crawford"],
    )
    assert state.is_legal(DOUBLE) is row["available"], row["id"]


@EVEN_MATCHES
@BOTH
def test_doubles_of_sample_positions_are_available_as_said(player: int) -> None:
    """R19, R26: the double bit of some positions under all kinds of scores."""
    for row in data_rows("cube_sample"):
        check_availability(row, player)


@EVEN_MATCHES
@BOTH
def test_doubles_of_all_corpus_positions_are_available_as_said(player: int) -> None:
    """R19, R26: every row of the corpus of cube decisions."""
    rows = oracle_rows("cube")
    assert len(rows) == 500
    for row in rows:
        check_availability(row, player)
