"""The ``raw`` observation: whole numbers in int8, its index table and kernels."""

from __future__ import annotations

from typing import Any, Final

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
from bg_env.rules.state import MOVING, NOBODY

# Where each part of the row begins; `LAYOUT` says what it is.
PLACES: Final = 26  # off, points 1..24, bar
DICE: Final = 2 * PLACES
PHASE: Final = DICE + 6
ON_ROLL: Final = PHASE + 1
TO_ACT: Final = PHASE + 2
OFFER: Final = PHASE + 3
REFUSED: Final = PHASE + 4
FIRST_ROLL: Final = PHASE + 5
CUBE: Final = PHASE + 6
CUBE_OWNER: Final = CUBE + 1
MAY_TURN_MINE: Final = CUBE + 2
MAY_TURN_THEIRS: Final = CUBE + 3
BEAVERS: Final = CUBE + 4
CUBE_TURNED: Final = CUBE + 5
SINGLE_ONLY: Final = CUBE + 6
LENGTH: Final = CUBE + 7
AWAY_MINE: Final = LENGTH + 2
AWAY_THEIRS: Final = LENGTH + 4
CRAWFORD: Final = LENGTH + 6
WITH_CLOCK: Final = CRAWFORD + 1
RESERVE_MINE: Final = WITH_CLOCK + 1
RESERVE_THEIRS: Final = WITH_CLOCK + 3
TURN_MINE: Final = WITH_CLOCK + 5
TURN_THEIRS: Final = WITH_CLOCK + 7
PAUSED: Final = WITH_CLOCK + 9
SIZE: Final = WITH_CLOCK + 11

STEPS: Final = 128 * 128 - 1  # how finely a share of time is told


@kernel
def write_counts(board: Any, row: int, out: Any, start: int) -> None:
    """Write the 26 counts of one row of the board to ``out`` from `start` on."""
    for place in range(PLACES):
        out[start + place] = board[row, place]


@record_kernel
def write_decision(state: Any, viewer: int, out: Any) -> None:
    """Write what is asked of whom: dice left, phase, seats, resignations."""
    phase = int(state["phase"])
    if phase == MOVING:
        for die in range(2):
            out[DICE - 1 + max(int(state["roll"][die]), 1)] += state["left"][die]
    out[PHASE] = phase
    out[ON_ROLL] = int(state["on_roll"]) == viewer
    out[TO_ACT] = int(state["to_act"]) == viewer
    out[OFFER] = state["offer"]
    out[REFUSED] = state["refused"]
    out[FIRST_ROLL] = is_first_roll(state)


@record_kernel
def write_cube(state: Any, viewer: int, out: Any) -> None:
    """Write the cube: doublings, owner, who may turn it, beavers, Jacoby."""
    owner = int(state["cube_owner"])
    out[CUBE] = lowest_bit(max(int(state["cube"]), 1))
    if owner != NOBODY:
        out[CUBE_OWNER] = 1 if owner == viewer else -1
    out[MAY_TURN_MINE] = may_turn_cube(state, viewer)
    out[MAY_TURN_THEIRS] = may_turn_cube(state, 1 - viewer)
    out[BEAVERS] = state["beavers_made"]
    out[CUBE_TURNED] = int(state["cube_turned"]) != 0
    out[SINGLE_ONLY] = is_single_only(state)


@kernel
def write_points(points: int, out: Any, start: int) -> None:
    """Write a number of match points as two bytes: 256s, and the rest as int8."""
    rest = points & 255
    out[start] = points >> 8
    out[start + 1] = rest - 256 if rest > 127 else rest


@record_kernel
def write_match(state: Any, viewer: int, out: Any) -> None:
    """Write length, score and Crawford state of a match."""
    write_points(int(state["match_length"]), out, LENGTH)
    write_points(away(state, viewer), out, AWAY_MINE)
    write_points(away(state, 1 - viewer), out, AWAY_THEIRS)
    out[CRAWFORD] = state["crawford"]


@kernel
def write_share(part: int, whole: int, out: Any, start: int) -> None:
    """Write `part` of `whole` as two digits of 128; both 0 only if nothing is left."""
    steps = 0
    if whole > 0 and part > 0:
        steps = min((part * STEPS + whole - 1) // whole, STEPS)
    out[start] = steps >> 7
    out[start + 1] = steps & 127


@record_kernel
def write_clock(state: Any, viewer: int, out: Any) -> None:
    """Write the clocks: reserves and turn times."""
    other = 1 - viewer
    reserve, turn = state["reserve"], state["turn_time"]
    reserve_limit, turn_limit = int(state["reserve_limit"]), int(state["turn_limit"])
    out[WITH_CLOCK] = 1
    write_share(int(reserve[viewer]), reserve_limit, out, RESERVE_MINE)
    write_share(int(reserve[other]), reserve_limit, out, RESERVE_THEIRS)
    write_share(int(turn[viewer]), turn_limit, out, TURN_MINE)
    write_share(int(turn[other]), turn_limit, out, TURN_THEIRS)
    if is_asked(state):
        write_share(int(state["paused_time"]), turn_limit, out, PAUSED)


@record_kernel
def write_raw(state: Any, viewer: int, out: Any) -> None:
    """Write the whole observation of one record for one player.

    Args:
        state: A record of `STATE_DTYPE`.
        viewer: 0 or 1, whose view it is.
        out: ``int8[SIZE]``, written in place, all of it.
    """
    row = 0 if int(state["on_roll"]) == viewer else 1
    write_counts(state["board"], row, out, 0)
    write_counts(state["board"], 1 - row, out, PLACES)
    for index in range(DICE, SIZE):
        out[index] = 0
    write_decision(state, viewer, out)
    write_cube(state, viewer, out)
    if int(state["match_length"]) > 0:
        write_match(state, viewer, out)
    if has_clock(state):
        write_clock(state, viewer, out)


@kernel
def encode_raw(states: Any, viewers: Any, out: Any) -> int:
    """`write_raw` of every game.

    Args:
        states: ``STATE_DTYPE[B]``.
        viewers: ``int8[B]`` players; below 0, or an empty array: the player to act.
        out: ``int8[B, SIZE]``, written in place.
    """
    for index in range(states.shape[0]):
        state = states[index]
        write_raw(state, viewer_of(state, viewers, index), out[index])
    return int(states.shape[0])
