"""Pairs of states that differ in one thing that matters for a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.rules.batch import States
from bg_env.rules.options import Rules
from bg_env.rules.state import (
    BAR,
    BEFORE_ROLL,
    CRAWFORD_GAME,
    CRAWFORD_OVER,
    DOUBLED,
    MOVING,
    NOBODY,
)

Mask = NDArray[np.bool_]
Change = Callable[[States, Rules], Mask]
"""Changes states in place and returns where it did."""


def _other_die(states: States, rules: Rules) -> Mask:
    rolled: Mask = (states["phase"] == MOVING) & (states["left"][:, 0] > 0)
    first, second = states["roll"][:, 0].copy(), states["roll"][:, 1].copy()
    doubles = rolled & (first == second)
    face = first % 6 + 1
    face = np.where((face == second) & ~doubles, face % 6 + 1, face)
    states["roll"][rolled, 0] = face[rolled]
    states["roll"][doubles, 1] = face[doubles]
    return rolled


def _die_played(states: States, rules: Rules) -> Mask:
    both: Mask = (states["phase"] == MOVING) & (states["left"] == 1).all(axis=1)
    states["left"][both, 0] = 0
    return both


def _one_less_of_a_double(states: States, rules: Rules) -> Mask:
    several: Mask = (states["phase"] == MOVING) & (states["left"][:, 0] >= 2)
    states["left"][several, 0] -= 1
    return several


def _not_rolled(states: States, rules: Rules) -> Mask:
    rolled: Mask = (states["phase"] == MOVING) & (states["turn"] > 1)
    states["phase"][rolled] = BEFORE_ROLL
    states["roll"][rolled] = 0
    states["left"][rolled] = 0
    return rolled


def _turn_instead_of_answer(states: States, rules: Rules) -> Mask:
    """The same checkers and cube, but it is the turn of the player to act."""
    asked: Mask = (states["phase"] == DOUBLED) & (states["on_roll"] != states["to_act"])
    states["phase"][asked] = BEFORE_ROLL
    states["on_roll"][asked] = states["to_act"][asked]
    states["board"][asked] = states["board"][asked][:, ::-1]
    return asked


def _no_resignation(states: States, rules: Rules) -> Mask:
    offered: Mask = states["offer"] > 0
    states["offer"][offered] = 0
    return offered


def _higher_resignation(states: States, rules: Rules) -> Mask:
    offered: Mask = (states["offer"] > 0) & (states["offer"] < 3)
    states["offer"][offered] += 1
    return offered


def _other_cube(states: States, rules: Rules) -> Mask:
    turned: Mask = (states["cube"] > 1) & (states["cube"] < 32)
    states["cube"][turned] *= 2
    return turned


def _other_owner(states: States, rules: Rules) -> Mask:
    owned: Mask = states["cube_owner"] != NOBODY
    states["cube_owner"][owned] = 1 - states["cube_owner"][owned]
    return owned


def _one_point_more(states: States, player: NDArray[np.int8]) -> Mask:
    games = np.arange(len(states))
    short: Mask = states["score"][games, player] < states["match_length"] - 2
    states["score"][games[short], player[short]] += 1
    return short


def _my_score(states: States, rules: Rules) -> Mask:
    return _one_point_more(states, states["to_act"].copy())


def _their_score(states: States, rules: Rules) -> Mask:
    return _one_point_more(states, 1 - states["to_act"])


def _after_crawford(states: States, rules: Rules) -> Mask:
    crawford: Mask = states["crawford"] == CRAWFORD_GAME
    states["crawford"][crawford] = CRAWFORD_OVER
    return crawford


# --- checkers -------------------------------------------------------------------------


def _move_a_checker(states: States, mine: bool, start: int, end: int) -> Mask:
    """Move one checker of a side from a place to another that is free for it."""
    row = (states["to_act"] != states["on_roll"]).astype(np.int64)
    row = row if mine else 1 - row
    games = np.arange(len(states))
    there = states["board"][games, row, start] > 0
    if 1 <= end < BAR:
        there &= states["board"][games, 1 - row, BAR - end] == 0
    games, row = games[there], row[there]
    states["board"][games, row, start] -= 1
    states["board"][games, row, end] += 1
    return np.asarray(there)


def _checkers(mine: bool) -> tuple[tuple[str, Change], ...]:
    """A checker of one side on each point, the bar, or off, and beside it."""

    def change(start: int) -> Change:
        return lambda states, rules: _move_a_checker(states, mine, start, start - 1)

    whose = "his own" if mine else "the opponent's"
    names = {1: "the 1-point or off", BAR: "the bar or the 24-point"}
    return tuple(
        (
            f"whether one of {whose} checkers is on "
            f"{names.get(start, f'the {start}- or the {start - 1}-point')}",
            change(start),
        )
        for start in range(1, BAR + 1)
    )


TWINS: Final[tuple[tuple[str, Change], ...]] = (
    *_checkers(mine=True),
    *_checkers(mine=False),
    ("which dice are left", _other_die),
    ("whether a die has been played", _die_played),
    ("how many dice of a double are left", _one_less_of_a_double),
    ("whether the dice are rolled", _not_rolled),
    ("whether a double awaits an answer", _turn_instead_of_answer),
    ("whether a resignation awaits an answer", _no_resignation),
    ("the level of a resignation", _higher_resignation),
    ("the value of the cube", _other_cube),
    ("who owns the cube", _other_owner),
    ("the score of the player to act", _my_score),
    ("the score of his opponent", _their_score),
    ("whether this is the Crawford game", _after_crawford),
)
"""(what differs, how to make it differ)."""
