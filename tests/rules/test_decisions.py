"""The decision codes, and which decisions a state allows (R7–R16 through a game)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from played_games import (
    CUBELESS,
    RandomGames,
    bytes_of,
    game_at,
    moves_of,
    needs_compiled,
    play,
    start_game,
    won_at_once,
)

from bg_env.errors import IllegalActionError
from bg_env.rules import decisions
from bg_env.rules.batch import legal_masks
from bg_env.rules.decisions import (
    CLAIM,
    DECISIONS,
    DOUBLE,
    PASS,
    ROLL,
    decision_name,
    is_move,
    move_code,
    move_of,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.state import OVER, STATE_DTYPE

Moves = list[tuple[int, int]]
Places = Mapping[int, int]
CLOSED = dict.fromkeys(range(1, 7), 2)
BOTH = pytest.mark.parametrize("player", [0, 1])


# --- the codes ----------------------------------------------------------------------

CODES = {
    0: "pass", 151: "roll", 152: "double", 153: "take", 154: "drop", 155: "beaver",
    156: "resign single", 157: "resign gammon", 158: "resign backgammon",
    159: "accept", 160: "refuse", 161: "claim",
}  # fmt: skip


def test_there_are_162_codes_in_version_1() -> None:
    """R6: the table of codes; any change of it is a new version."""
    assert (decisions.CODES_VERSION, DECISIONS) == (1, 162)
    names = {code: decision_name(code) for code in range(162) if not is_move(code)}
    assert names == CODES
    assert [code for code in range(162) if is_move(code)] == list(range(1, 151))


def test_the_codes_of_moves_are_source_and_die() -> None:
    """R7: 1 + (source − 1)·6 + (die − 1), source 25 = bar; each code once."""
    codes = [move_code(s, d) for s in range(1, 26) for d in range(1, 7)]
    assert codes == list(range(1, 151))
    assert [move_of(code) for code in codes] == [
        (s, d) for s in range(1, 26) for d in range(1, 7)
    ]


@pytest.mark.parametrize(
    ("move", "name"),
    [((24, 6), "24/18"), ((25, 3), "bar/22"), ((6, 6), "6/off"), ((1, 6), "1/off"),
     ((7, 6), "7/1")],
)  # fmt: skip
def test_moves_are_named_as_players_say_them(move: tuple[int, int], name: str) -> None:
    """R2: from 24 towards 1, then off."""
    assert decision_name(move_code(*move)) == name


@pytest.mark.parametrize("move", [(0, 1), (26, 1), (6, 0), (6, 7)])
def test_moves_that_cannot_be_have_no_code(move: tuple[int, int]) -> None:
    """R2, R7: the values are named."""
    with pytest.raises(ValueError, match=f"source={move[0]}, die={move[1]}"):
        move_code(*move)


@pytest.mark.parametrize("code", [0, 151, -1, 162])
def test_other_codes_are_no_moves_and_unknown_ones_have_no_name(code: int) -> None:
    """R6: the code is named."""
    with pytest.raises(ValueError, match=str(code)):
        move_of(code)
    if not 0 <= code < DECISIONS:
        with pytest.raises(ValueError, match=str(code)):
            decision_name(code)


# --- masks --------------------------------------------------------------------------


@needs_compiled
def test_a_mask_is_never_empty_and_agrees_with_the_list_of_decisions() -> None:
    """R13: int8[B, 162], where nothing can be done code 0 is set."""
    games = RandomGames(Rules(jacoby=True, beavers=2, resign="offer"), 200, seed=13)
    for _ in range(60):
        games.decide()
        masks = legal_masks(games.states)
        assert masks.dtype == np.int8
        assert masks.any(axis=1).all()
        assert set(np.unique(masks)) <= {0, 1}
        state = GameState(games.states[:1], games.rules)
        assert np.flatnonzero(masks[0]).tolist() == state.legal_decisions()
        passing = masks[:, PASS] == 1
        assert (masks[passing][:, 1:151] == 0).all(), "a pass beside a move"
        assert (masks[games.states["phase"] == OVER].sum(axis=1) == 1).all()


def test_the_record_has_nothing_about_display() -> None:
    """R3: no orientation, no side of the screen: display changes no rule."""
    words = ("left_", "right", "side", "seat", "viewer", "display", "orientation")
    assert STATE_DTYPE.names is not None
    assert not [name for name in STATE_DTYPE.names if name.startswith(words)]


# --- moving, by rule ----------------------------------------------------------------

# (rule and what it says, mover, opponent, dice, all legal first moves)
FIRST_MOVES: list[tuple[str, Places, Places, tuple[int, int], Moves]] = [
    ("R7: with one checker over the open point between",
     {13: 1}, {18: 2}, (6, 1), [(13, 1)]),
    ("R7: there is no move of the sum", {13: 1}, {18: 2, 13: 2}, (6, 1), []),
    ("R8: a double is one number", {20: 2, 1: 2}, {1: 1}, (3, 3), [(20, 3)]),
    ("R9: two block, one does not", {24: 1}, {4: 2, 6: 1}, (3, 2), [(24, 2)]),
    ("R9: not even in passing", {24: 1}, {4: 2, 3: 2}, (3, 2), []),
    ("R9: points in between are jumped over",
     {24: 1}, {2: 3, 3: 3, 4: 3}, (5, 4), [(24, 5), (24, 4)]),
    ("R10: hitting is never compulsory",
     {24: 1, 13: 1}, {5: 1, 13: 1}, (4, 1), [(24, 4), (24, 1), (13, 4), (13, 1)]),
    ("R11: a move that kills the other die is illegal",
     {11: 1, 4: 1}, {19: 2}, (4, 1), [(11, 4), (4, 1)]),
    ("R11: either die, not both: the larger", {20: 1}, {12: 2}, (4, 3), [(20, 4)]),
    ("R11: only the larger can be played",
     {20: 1}, {12: 2, 8: 2}, (4, 3), [(20, 4)]),
    ("R11: only the smaller can be played",
     {10: 1}, {21: 2, 24: 2}, (6, 3), [(10, 3)]),
    ("R11: last checker on 4, 6-2", {4: 1}, {1: 2}, (6, 2), [(4, 2)]),
    ("R11: last checker on 2, 5-3", {2: 1}, {1: 2}, (5, 3), [(2, 5)]),
    ("R12: first the bar", {25: 1, 13: 3}, {20: 2}, (3, 1), [(25, 3), (25, 1)]),
    ("R12: one entry is closed", {25: 2, 13: 3}, {6: 2}, (6, 3), [(25, 3)]),
    ("R12: never by the sum", {25: 1, 13: 3}, {1: 2, 2: 2}, (2, 1), []),
    ("R13: closed out", {25: 1, 6: 3}, CLOSED, (6, 5), []),
    ("R14: not while one is outside",
     {7: 1, 3: 2}, {1: 2}, (3, 2), [(7, 3), (7, 2), (3, 2)]),
    ("R14: nor while one is on the bar", {25: 1, 1: 3}, {6: 2}, (6, 2), [(25, 2)]),
    ("R15: exactly from the point, or another move",
     {5: 1, 2: 1, 1: 1}, {1: 2}, (2, 1), [(5, 2), (5, 1), (2, 2), (2, 1), (1, 1)]),
    ("R15: a checker on a higher point first",
     {5: 1, 2: 1}, {1: 2}, (4, 3), [(5, 4), (5, 3)]),
    ("R15: with the higher ones blocked the die is lost",
     {6: 2, 3: 2}, {23: 2, 24: 2}, (5, 4), []),
    ("R15: the highest is borne off by a larger die",
     {3: 2, 2: 2}, {1: 2}, (6, 5), [(3, 6), (3, 5)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("mover", "opponent", "dice", "first"),
    [pytest.param(*row[1:], id=row[0]) for row in FIRST_MOVES],
)
@BOTH
def test_the_mask_offers_exactly_the_first_moves_of_legal_plays(
    mover: Places, opponent: Places, dice: tuple[int, int], first: Moves, player: int
) -> None:
    """R7, R8, R9, R10, R11, R12, R13, R14, R15: a row per clause, for both players."""
    for roll in (dice, dice[::-1]):
        state = game_at(mover, opponent, dice=roll, on_roll=player, rules=CUBELESS)
        expected = sorted(move_code(*move) for move in first) or [PASS]
        assert state.legal_decisions() == expected


def test_moves_go_forward_by_the_pips_of_the_dice() -> None:
    """R2: 300 random games: each move costs its die, the way over the bar nothing."""
    state = GameState.new(CUBELESS, seed=2)
    rng = np.random.default_rng(2)
    while not state.is_over:
        code, pips = int(rng.choice(state.legal_decisions())), state.position.pips[0]
        player = state.on_roll
        state.apply(code)
        if is_move(code):
            source, die = move_of(code)
            after = state.position_of(player).pips[0]
            assert after == pips - min(source, die)


def test_the_way_from_13_to_12_is_one_pip() -> None:
    """R2: the bar between the outer boards is not a space."""
    state = game_at({13: 1, 6: 1}, {1: 2}, dice=(6, 1))
    play(state, (13, 1), (12, 6))
    assert state.position_of(0).mover[6] == 2


@pytest.mark.parametrize("moves", [
    [(24, 1)] * 2 + [(8, 1)] * 2, [(8, 1), (7, 1), (6, 1), (5, 1)], [(6, 1)] * 4,
])  # fmt: skip
def test_a_double_is_four_moves_in_any_distribution(moves: Moves) -> None:
    """R8: all with the same player to act; the dice left count down."""
    state = start_game(dice=(1, 1))
    for left, move in zip((4, 3, 2, 1), moves, strict=True):
        assert state.dice_left == (1,) * left
        assert state.to_act == 0
        play(state, move)
    assert state.on_roll == 1


def test_of_a_double_as_many_as_possible_are_played() -> None:
    """R8, R11, R13: three sixes; the fourth is lost and the turn passes by itself."""
    state = game_at({13: 3, 2: 12}, {24: 2}, dice=(6, 6))
    for _ in range(3):
        assert moves_of(state) == [(13, 6)]
        play(state, (13, 6))
    assert (state.on_roll, state.dice_left) == (1, ())


def test_a_blot_that_is_hit_goes_to_the_bar() -> None:
    """R10, R12: and enters before anything else, on the point a die gives."""
    state = game_at({13: 2}, {19: 1, 6: 14}, dice=(6, 1), on_roll=1)
    play(state, (13, 6), (7, 1))
    assert state.position_of(0).mover[25] == 1
    assert state.position_of(0).mover[19] == 0
    state.set_dice(4, 2)
    assert {source for source, _ in moves_of(state)} == {25}


def test_after_the_last_checker_has_entered_any_checker_moves() -> None:
    """R12: the one just entered included."""
    state = play(game_at({25: 1, 13: 1}, {1: 2}, dice=(5, 3)), (25, 5))
    assert moves_of(state) == [(20, 3), (13, 3)]


def test_with_two_on_the_bar_the_rest_of_the_roll_is_lost() -> None:
    """R12, R13: one enters, the other cannot: the turn is over."""
    state = play(game_at({25: 2, 13: 3}, {6: 2}, dice=(6, 3)), (25, 3))
    assert state.on_roll == 1
    assert state.position_of(0).mover[25] == 1


def test_a_checker_hit_in_the_bear_off_comes_home_first() -> None:
    """R14: those borne off stay off, nothing is borne off until it is home."""
    state = game_at({25: 1, 2: 4}, {1: 2}, dice=(5, 4))
    assert state.position.mover[0] == 10
    play(state, (25, 5))
    assert moves_of(state) == [(20, 4)]
    play(state, (20, 4))
    assert state.position_of(0).mover[0] == 10


def test_bearing_off_is_not_compulsory() -> None:
    """R15: 4/off with the 4 is one of two; 6/2 and 4/2 leave all on the board."""
    state = game_at({6: 1, 4: 1}, {1: 2}, dice=(4, 2))
    assert moves_of(state) == [(6, 4), (6, 2), (4, 4), (4, 2)]
    play(state, (6, 4), (4, 2))
    assert state.position_of(0).mover[0] == 13


# (what it says, mover, opponent, dice, first moves without and with least_waste)
WASTE: list[tuple[str, Places, Places, tuple[int, int], Moves, Moves]] = [
    ("6/2 3/off wastes nothing, 6/3 3/off one pip", {6: 1, 3: 1}, {1: 2}, (4, 3),
     [(6, 4), (6, 3), (3, 3)], [(6, 4), (3, 3)]),
    ("a double is never restricted", {6: 1, 3: 3}, {1: 2}, (4, 4),
     [(6, 4)], [(6, 4)]),
    ("nor is a roll of which one die can be played", {20: 1}, {12: 2}, (4, 3),
     [(20, 4)], [(20, 4)]),
    ("R11 wins: 4/2/off wastes four pips, 4/off alone would be no play",
     {4: 1}, {1: 2}, (6, 2), [(4, 2)], [(4, 2)]),
    ("no checker is near home", {24: 2, 13: 5}, {2: 2}, (6, 5),
     [(24, 6), (24, 5), (13, 6), (13, 5)], [(24, 6), (24, 5), (13, 6), (13, 5)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("mover", "opponent", "dice", "free", "least"),
    [pytest.param(*row[1:], id=row[0]) for row in WASTE],
)
def test_with_least_waste_only_the_plays_that_waste_least_remain(
    mover: Places, opponent: Places, dice: tuple[int, int], free: Moves, least: Moves
) -> None:
    """R16: an option, on in `timed`, off by default."""
    for least_waste, expected in ((False, free), (True, least)):
        rules = Rules(cube=False, least_waste=least_waste)
        state = game_at(mover, opponent, dice=dice, rules=rules)
        assert state.legal_decisions() == sorted(move_code(*m) for m in expected)
    assert Rules.preset("timed").least_waste
    assert not Rules().least_waste


def test_after_a_wasteful_first_move_is_refused_the_state_is_untouched() -> None:
    """R16: the mask and `apply` agree."""
    rules = Rules(cube=False, least_waste=True)
    state = game_at({6: 1, 3: 1}, {1: 2}, dice=(4, 3), rules=rules)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match="6/3"):
        play(state, (6, 3))
    assert bytes_of(state) == before
    play(state, (6, 4), (3, 3))
    assert state.position_of(0).mover[2] == 1


def test_a_play_ends_with_its_last_legal_move() -> None:
    """R13, R36: nothing is confirmed; the next player is on roll at once."""
    state = play(start_game(dice=(6, 5)), (24, 6), (18, 5))
    assert state.on_roll == 1
    assert state.legal_decisions() == [ROLL, DOUBLE]


def test_a_finished_game_and_a_lost_roll_have_the_pass_alone() -> None:
    """R13, R17: code 0."""
    assert won_at_once({1: 14}).legal_decisions() == [PASS]
    lost = game_at({25: 1, 6: 3}, CLOSED, dice=(6, 5))
    assert lost.legal_decisions() == [PASS]
    assert not lost.is_legal(CLAIM)


@pytest.mark.parametrize("first", range(1, 7))
@pytest.mark.parametrize("second", range(1, 7))
def test_closed_out_no_roll_can_be_played(first: int, second: int) -> None:
    """R12, R13, R19, case 17: pass alone for all 36 rolls; before them the cube."""
    state = game_at({25: 1, 13: 4, 8: 5, 6: 5}, {**CLOSED, 8: 3}, rules=Rules())
    assert state.legal_decisions() == [ROLL, DOUBLE]
    state.set_dice(first, second)
    assert state.legal_decisions() == [PASS]
    state.apply(PASS)
    assert state.on_roll == 1
