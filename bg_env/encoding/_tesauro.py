"""The ``tesauro`` observation: its index table and its kernels."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from bg_env._jit import kernel, lowest_bit, record_kernel
from bg_env.encoding._view import (
    away,
    has_clock,
    is_asked,
    is_first_roll,
    is_single_only,
    viewer_of,
)
from bg_env.rules._game import may_turn_cube
from bg_env.rules.state import CRAWFORD_GAME, CRAWFORD_OVER, MOVING

# Where each part of the row begins; `LAYOUT` says what it is.
SIDE: Final = 98  # units of one side: 24 points of 4, bar, off
BAR_UNIT: Final = 96
OFF_UNIT: Final = 97
DICE: Final = 2 * SIDE
PHASE: Final = DICE + 6
ON_ROLL: Final = PHASE + 5
TO_ACT: Final = ON_ROLL + 1
OFFER: Final = TO_ACT + 1
REFUSED: Final = OFFER + 1
FIRST_ROLL: Final = REFUSED + 1
CUBE: Final = FIRST_ROLL + 1
CUBE_MINE: Final = CUBE + 1
CUBE_THEIRS: Final = CUBE + 2
MAY_TURN_MINE: Final = CUBE + 3
MAY_TURN_THEIRS: Final = CUBE + 4
BEAVERS: Final = CUBE + 5
CUBE_TURNED: Final = CUBE + 6
SINGLE_ONLY: Final = CUBE + 7
MATCH: Final = CUBE + 8
LENGTH: Final = MATCH + 1
AWAY_MINE: Final = MATCH + 3
AWAY_THEIRS: Final = MATCH + 5
IN_CRAWFORD: Final = MATCH + 7
POST_CRAWFORD: Final = MATCH + 8
WITH_CLOCK: Final = MATCH + 9
RESERVE_MINE: Final = WITH_CLOCK + 1
RESERVE_THEIRS: Final = WITH_CLOCK + 2
TURN_MINE: Final = WITH_CLOCK + 3
TURN_THEIRS: Final = WITH_CLOCK + 4
PAUSED: Final = WITH_CLOCK + 5
FLAGGED_MINE: Final = WITH_CLOCK + 6
FLAGGED_THEIRS: Final = WITH_CLOCK + 7
SIZE: Final = WITH_CLOCK + 8

SHORT_MATCH: Final = 25  # up to here points are counted evenly
_LONG_SCALE: Final = 1.0 / math.log2(32768 / SHORT_MATCH)


@kernel
def write_side(counts: Any, out: Any) -> None:
    """Write the 98 units of one side's ``counts`` int8[32] to ``out`` float32[98].

    Computed, not looked up: 32-bit arithmetic on many points at once takes a fifth
    of the time of a table of units. It needs indices that cannot be negative, so
    rows come as arrays of their own.
    """
    for point in range(24):
        count = np.int32(counts[point + 1])
        out[4 * point] = count >= 1
        out[4 * point + 1] = count >= 2
        out[4 * point + 2] = count >= 3
        out[4 * point + 3] = max(np.float32(count - 3), np.float32(0)) * np.float32(0.5)
    out[BAR_UNIT] = np.float32(counts[25]) * np.float32(0.5)
    out[OFF_UNIT] = np.float32(counts[0]) / np.float32(15)


@record_kernel
def write_decision(state: Any, viewer: int, out: Any) -> None:
    """Write what is asked of whom: dice left, phase, seats, resignations."""
    phase = int(state["phase"])
    if phase == MOVING:
        for die in range(2):
            left = np.float32(state["left"][die]) * np.float32(0.25)
            out[DICE - 1 + max(int(state["roll"][die]), 1)] += left
    out[PHASE + phase] = 1
    out[ON_ROLL] = int(state["on_roll"]) == viewer
    out[TO_ACT] = int(state["to_act"]) == viewer
    out[OFFER] = np.float32(state["offer"]) / np.float32(3)
    out[REFUSED] = np.float32(state["refused"]) / np.float32(3)
    out[FIRST_ROLL] = is_first_roll(state)


@record_kernel
def write_cube(state: Any, viewer: int, out: Any) -> None:
    """Write the cube: value, owner, who may turn it, beavers, Jacoby."""
    owner = int(state["cube_owner"])
    doublings = lowest_bit(max(int(state["cube"]), 1))
    out[CUBE] = np.float32(doublings) / np.float32(10)
    out[CUBE_MINE] = owner == viewer
    out[CUBE_THEIRS] = owner == 1 - viewer
    out[MAY_TURN_MINE] = may_turn_cube(state, viewer)
    out[MAY_TURN_THEIRS] = may_turn_cube(state, 1 - viewer)
    out[BEAVERS] = np.float32(state["beavers_made"]) / np.float32(3)
    out[CUBE_TURNED] = int(state["cube_turned"]) != 0
    out[SINGLE_ONLY] = is_single_only(state)


@kernel
def write_points(points: int, out: Any, start: int) -> None:
    """Write a number of match points: evenly up to 25, then on a log scale."""
    out[start] = np.float32(min(points, SHORT_MATCH)) / np.float32(SHORT_MATCH)
    if points > SHORT_MATCH:
        out[start + 1] = math.log2(points / SHORT_MATCH) * _LONG_SCALE


@record_kernel
def write_match(state: Any, viewer: int, out: Any) -> None:
    """Write length, score and Crawford state of a match."""
    out[MATCH] = 1
    write_points(int(state["match_length"]), out, LENGTH)
    write_points(away(state, viewer), out, AWAY_MINE)
    write_points(away(state, 1 - viewer), out, AWAY_THEIRS)
    out[IN_CRAWFORD] = int(state["crawford"]) == CRAWFORD_GAME
    out[POST_CRAWFORD] = int(state["crawford"]) == CRAWFORD_OVER


@kernel
def share(part: int, whole: int) -> float:
    """`part` of `whole` as 0 to 1; 0 of nothing."""
    if whole <= 0:
        return 0.0
    return min(max(part / whole, 0.0), 1.0)


@record_kernel
def write_clock(state: Any, viewer: int, out: Any) -> None:
    """Write the clocks: reserves, turn times, flags."""
    other = 1 - viewer
    reserve, turn = state["reserve"], state["turn_time"]
    reserve_limit, turn_limit = int(state["reserve_limit"]), int(state["turn_limit"])
    out[WITH_CLOCK] = 1
    out[RESERVE_MINE] = share(int(reserve[viewer]), reserve_limit)
    out[RESERVE_THEIRS] = share(int(reserve[other]), reserve_limit)
    out[TURN_MINE] = share(int(turn[viewer]), turn_limit)
    out[TURN_THEIRS] = share(int(turn[other]), turn_limit)
    if is_asked(state):
        out[PAUSED] = share(int(state["paused_time"]), turn_limit)
    out[FLAGGED_MINE] = int(reserve[viewer]) <= 0
    out[FLAGGED_THEIRS] = int(reserve[other]) <= 0


@record_kernel
def write_tesauro(state: Any, viewer: int, out: Any) -> None:
    """Write the whole observation of one record for one player.

    Args:
        state: A record of `STATE_DTYPE`.
        viewer: 0 or 1, whose view it is.
        out: ``float32[SIZE]``, written in place, all of it.
    """
    row = 0 if int(state["on_roll"]) == viewer else 1
    board = state["board"]
    write_side(board[row], out[:SIDE])
    write_side(board[1 - row], out[SIDE:DICE])
    for index in range(DICE, SIZE):
        out[index] = 0
    write_decision(state, viewer, out)
    write_cube(state, viewer, out)
    if int(state["match_length"]) > 0:
        write_match(state, viewer, out)
    if has_clock(state):
        write_clock(state, viewer, out)


@kernel
def encode_tesauro(states: Any, viewers: Any, out: Any) -> int:
    """`write_tesauro` of every game.

    Args:
        states: ``STATE_DTYPE[B]``.
        viewers: ``int8[B]`` players; below 0, or an empty array: the player to act.
        out: ``float32[B, SIZE]``, written in place.
    """
    for index in range(states.shape[0]):
        state = states[index]
        write_tesauro(state, viewer_of(state, viewers, index), out[index])
    return int(states.shape[0])
