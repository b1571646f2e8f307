"""Beavers and raccoons: who answers what, and what it costs (R24)."""

from __future__ import annotations

from typing import Any

import pytest
from played_games import bytes_of, play, start_game

from bg_env.errors import InvalidOptionError
from bg_env.rules.decisions import BEAVER, DOUBLE, DROP, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules


def doubled_with(beavers: int, **details: Any) -> GameState:
    """Player 0 has doubled from 1 under `beavers`."""
    return play(start_game(rules=Rules(beavers=beavers), **details), DOUBLE)


def test_a_beaver_turns_the_cube_again_and_keeps_it() -> None:
    """R24, case 40: A doubles to 2, B beavers to 4 and owns it; A takes at 4."""
    state = doubled_with(3)
    assert state.legal_decisions() == [TAKE, DROP, BEAVER]
    play(state, BEAVER)
    assert (state.to_act, state.on_roll, state.beavers_made) == (0, 0, 1)
    play(state, TAKE)
    assert (state.cube, state.cube_owner, state.beavers_made) == (4, 1, 0)
    assert state.legal_decisions() == [ROLL], "A must not be offered a redouble"


@pytest.mark.parametrize(
    ("turns", "taken", "dropped"), [(0, 2, 1), (1, 4, 2), (2, 8, 4), (3, 16, 8)]
)
def test_beavers_and_raccoons_pay_the_value_before_the_last_turn(
    turns: int, taken: int, dropped: int
) -> None:
    """R24: dropping costs the cube before its last turn; it ends with B always."""
    state = doubled_with(3)
    play(state, *[BEAVER] * turns)
    asked = 1 if turns % 2 == 0 else 0
    assert state.to_act == asked
    assert state.cube == dropped
    refusing, taking = state.clone(), state.clone()
    refusing.apply(DROP)
    assert (refusing.winner, refusing.points) == (1 - asked, dropped)
    taking.apply(TAKE)
    assert (taking.cube, taking.cube_owner, taking.to_act) == (taken, 1, 0)


@pytest.mark.parametrize("beavers", [0, 1, 2, 3, 5])
def test_one_double_brings_as_many_beavers_as_the_option_allows(beavers: int) -> None:
    """R24: n beavers and raccoons together, 0 = off."""
    state = doubled_with(beavers)
    made = 0
    while state.is_legal(BEAVER):
        state.apply(BEAVER)
        made += 1
    assert made == beavers
    assert state.legal_decisions() == [TAKE, DROP]


def test_the_count_of_beavers_starts_anew_with_each_double() -> None:
    """R24: the option speaks of one double."""
    state = play(doubled_with(1), BEAVER, TAKE)
    state.set_dice(6, 5)
    play(state, (24, 6), (18, 5), DOUBLE)
    assert state.cube == 4
    assert state.is_legal(BEAVER)
    play(state, BEAVER, DROP)
    assert (state.winner, state.points) == (0, 8)


@pytest.mark.parametrize(
    ("max_cube", "turns"), [(64, 3), (16, 3), (8, 2), (4, 1), (2, 0), (None, 3)]
)
def test_no_beaver_above_the_highest_cube(max_cube: int | None, turns: int) -> None:
    """R18, R24: a beaver too stays at or below max_cube."""
    state = play(start_game(rules=Rules(beavers=3, max_cube=max_cube)), DOUBLE)
    made = 0
    while state.is_legal(BEAVER):
        state.apply(BEAVER)
        made += 1
    assert made == turns


@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_state_in_the_middle_of_beavers_can_be_built(made: int) -> None:
    """R24: from_position gives what playing gives."""
    played = play(doubled_with(3), *[BEAVER] * made)
    built = start_game(
        rules=Rules(beavers=3), cube=2**made, doubled=True, beavers_made=made
    )
    assert bytes_of(built) == bytes_of(played)


def test_no_beaver_in_a_match() -> None:
    """R24, R27, case 40: money play only."""
    state = play(start_game(rules=Rules(match_length=7)), DOUBLE)
    assert state.legal_decisions() == [TAKE, DROP]
    with pytest.raises(InvalidOptionError, match="beavers=3"):
        Rules(match_length=7, beavers=3)
    state.record["beavers"] = 3  # what no rules can say
    assert state.legal_decisions() == [TAKE, DROP]


@pytest.mark.parametrize(("made", "points"), [(0, 1), (1, 4), (2, 8)])
def test_who_beavers_has_taken_the_double(made: int, points: int) -> None:
    """R22, R24, R29: a claim while a beaver is pending: the double counts as taken.

    The cube stands as before the last turn of it, and the Jacoby rule no longer
    applies (as in GNU Backgammon, where a beaver gives the cube an owner).
    """
    rules = Rules(beavers=3, jacoby=True, clock=Clock())
    state = play(start_game(rules=rules), DOUBLE, *[BEAVER] * made)
    loser = state.to_act
    state.pass_time(200)
    state.claim(1 - loser)
    assert (state.winner, state.level, state.points) == (1 - loser, 2, points)


@pytest.mark.parametrize(
    ("details", "named"),
    [
        ({"beavers_made": 1}, "beavers_made=1"),
        ({"beavers_made": 1, "doubled": True}, "not 1"),
        ({"beavers_made": 2, "doubled": True, "cube": 2}, "not 2"),
        ({"beavers_made": 4, "doubled": True, "cube": 16}, "not 4"),
        ({"beavers_made": -1, "doubled": True}, "-1"),
        ({"beavers_made": 1.5, "doubled": True, "cube": 2}, "1.5"),
        ({"doubled": True, "cube": 64}, "cube 64"),
        ({"doubled": True, "cube": 2, "cube_owner": 1}, "owner 1"),
        ({"doubled": True, "dice": (6, 5)}, r"dice=\(6, 5\)"),
    ],
)
def test_impossible_pending_doubles_are_refused(
    details: dict[str, Any], named: str
) -> None:
    """R18, R19, R24: a state that no play can bring about."""
    with pytest.raises(InvalidOptionError, match=named):
        start_game(rules=Rules(beavers=3), **details)
