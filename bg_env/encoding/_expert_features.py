"""The hand-made features of ``expert``: kernels. `expert_features` says what they are.

Everything is computed for each side in its owner's own numbering, by the same code.
Shares are of 36 throws or of powers of two: exact, without a division.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from bg_env._jit import count_bits, kernel, lowest_bit
from bg_env.encoding import _expert_race as race
from bg_env.encoding._expert_blocks import (
    best_window,
    containment,
    count_behind,
    largest_gap,
    mobility,
    new_point_throws,
    rear_of,
)
from bg_env.encoding._expert_masks import (
    BAR_BIT,
    ESCAPES,
    HOME,
    POINTS,
    RUNS,
    THIRTY_SIXTHS,
    ahead_of,
    at_least,
    at_least_other,
)
from bg_env.encoding._expert_race import (
    RECIPROCALS,
    spread_of,
    sums_of,
    wastage_of,
)
from bg_env.encoding._expert_shots import HIT, SHOTS, write_shots
from bg_env.rules.state import BAR, Board, Words

# Where each feature of one side stands in its block.
PIPS: Final = 0
LATE_PIPS: Final = 1
AVERAGE: Final = 2
CROSSOVERS: Final = 3
WASTAGE: Final = 4
STACKING: Final = 5
SPREAD: Final = 6
TIMING: Final = 7
CONTACT_PIPS: Final = 8
REAR: Final = 9
SECOND_REAR: Final = 10
BACK: Final = 11
THREE_BACK: Final = 12
ANCHORS: Final = 13
BEST_ANCHOR: Final = 14
REAR_ANCHOR: Final = 15
DEEP_ANCHOR: Final = 16
BACK_GAME: Final = 17
LARGEST_GAP: Final = 18
CRASHED: Final = 19
HOME_POINTS: Final = 20
HOME_STRENGTH: Final = 21
HOME_BLOTS: Final = 22
PRIMES: Final = 23  # flags of primes of 3, 4, 5 and 6
WINDOW: Final = 27
BLOCK_6: Final = 28
BLOCK_12: Final = 29
TRAPPED: Final = 30
CONTAINMENT: Final = 31
NEW_POINT: Final = 32
REAR_MOVES: Final = 33
REAR_RUNS: Final = 34
REAR_ESCAPES: Final = 35
MOBILITY: Final = 36
STUCK: Final = 37
HIT_AND_STUCK: Final = 38
SHOTS_AT: Final = 39  # 24 chances by point, then the three of `write_shots`
SIDE: Final = SHOTS_AT + SHOTS

# Behind the blocks of both sides.
RACE: Final = 2 * SIDE
LEAD: Final = RACE + 1
WASTAGE_LEAD: Final = RACE + 2
ROLL_WORTH: Final = RACE + 3
FEATURES: Final = RACE + 4

_BACK: Final = 63 << 19  # points 19 to 24
_ADVANCED: Final = 31 << 18  # points 18 to 22
_DEEP: Final = 3 << 23  # points 23 and 24

Masks = tuple[int, int, int, int, int]
"""Places with ≥ 1 checker, with ≥ 2, with ≥ 3, the bar among them; and in the
opponent's numbering points with ≥ 2, and blots."""


@kernel
def masks_of(words: Words, row: int) -> Masks:
    """Where one side has how many checkers. ``words`` uint64[2, 4]."""
    two = at_least_other(words, row, 2)
    return (
        at_least(words, row, 1),
        at_least(words, row, 2),
        at_least(words, row, 3),
        two,
        at_least_other(words, row, 1) & ~two,
    )


@kernel
def eighths(count: int) -> Any:
    """`count` / 8 in float32."""
    return np.float32(count) * np.float32(0.125)


@kernel
def thirty_seconds(count: int) -> Any:
    """`count` / 32 in float32."""
    return np.float32(count) * np.float32(0.03125)


# --- the race and what is behind --------------------------------------------------


@kernel
def write_race(counts: Any, front: int, out: Any) -> tuple[Any, int]:
    """Write sums over one side's checkers. Returns its pips and wastage.

    Args:
        counts: int8[32].
        front: The opponent's rearmost place, in this side's numbering.
        out: float32[SIDE], written in part.
    """
    sums = sums_of(counts, np.float32(front))
    checkers, pips, back = sums[race.CHECKERS], sums[race.PIPS], sums[race.BACK]
    one = RECIPROCALS[int(checkers)]
    wastage = wastage_of(counts)
    spread = spread_of(counts, checkers, pips)
    out[PIPS] = pips * np.float32(1 / 128)
    out[LATE_PIPS] = min(pips, np.float32(64)) * np.float32(1 / 64)
    out[AVERAGE] = pips / (np.float32(32) * max(checkers, np.float32(1)))
    out[CROSSOVERS] = sums[race.CROSSOVERS] * np.float32(1 / 32)
    out[WASTAGE] = np.float32(wastage) * np.float32(1 / 16)
    out[STACKING] = sums[race.SQUARES] * np.float32(1 / 256)
    out[SPREAD] = spread * (one * one * one) * np.float32(1 / 64)
    out[TIMING] = sums[race.TIMING] * np.float32(1 / 128)
    out[CONTACT_PIPS] = sums[race.CONTACT] * np.float32(1 / 128)
    out[BACK] = back * np.float32(1 / 8)
    out[THREE_BACK] = back >= 3
    out[BACK_GAME] = back * np.float32(1 / 8)  # if there are two anchors
    out[CRASHED] = sums[race.LIVE] <= 6  # if there is contact
    return pips, wastage


@kernel
def write_behind(occupied: int, several: int, front: int, out: Any) -> None:
    """Write the rear checkers and anchors of one side, after `write_race`."""
    rear = rear_of(occupied)
    made = several & POINTS
    second = rear_of(occupied & ~(1 << rear & ~several))
    anchors = count_bits(made & _BACK)
    advanced = made & _ADVANCED
    out[REAR] = thirty_seconds(rear)
    out[SECOND_REAR] = thirty_seconds(second)
    out[ANCHORS] = np.float32(anchors) * np.float32(0.25)
    out[BEST_ANCHOR] = eighths(BAR - lowest_bit(advanced | made & _DEEP | BAR_BIT))
    out[REAR_ANCHOR] = thirty_seconds(rear_of(made))
    out[DEEP_ANCHOR] = made & _DEEP != 0 and advanced == 0
    out[LARGEST_GAP] = np.float32(largest_gap(made, rear)) * np.float32(1 / 16)
    if anchors < 2:
        out[BACK_GAME] = 0
    if rear <= front:
        out[CRASHED] = 0


# --- the blockade -----------------------------------------------------------------


@kernel
def write_blockade(
    theirs: Any, single: int, made: int, made_other: int, front: int, out: Any
) -> None:
    """Write the points that one side holds, and what they hold in."""
    home = count_bits(made & HOME)
    two = made & (made >> 1)
    four = two & (two >> 2)
    out[HOME_POINTS] = THIRTY_SIXTHS[6 * home]
    out[HOME_STRENGTH] = THIRTY_SIXTHS[home * home]
    out[HOME_BLOTS] = THIRTY_SIXTHS[6 * count_bits(single & HOME)]
    out[PRIMES] = two & (made >> 2) != 0
    out[PRIMES + 1] = four != 0
    out[PRIMES + 2] = four & (made >> 4) != 0
    out[PRIMES + 3] = four & (two >> 4) != 0
    out[WINDOW] = THIRTY_SIXTHS[6 * best_window(made)]
    out[BLOCK_6] = THIRTY_SIXTHS[6 * count_bits(made >> (front + 1) & 63)]
    out[BLOCK_12] = eighths(count_bits(made >> (front + 1) & 4095))
    out[TRAPPED] = eighths(count_behind(theirs, four))
    out[CONTAINMENT] = THIRTY_SIXTHS[36 - containment(made, made_other)]


# --- freedom ----------------------------------------------------------------------


@kernel
def write_freedom(
    counts: Any, occupied: int, blocked: int, their_home: int, out: Any
) -> None:
    """Write how well one side can move. `their_home`: points the opponent has there."""
    ahead = ahead_of(blocked, max(rear_of(occupied), 1))
    shut = count_bits(ahead >> 6)
    out[REAR_MOVES] = THIRTY_SIXTHS[36 - shut * shut]
    out[REAR_RUNS] = THIRTY_SIXTHS[int(RUNS[ahead])]
    out[REAR_ESCAPES] = THIRTY_SIXTHS[int(ESCAPES[ahead])]
    total = mobility(counts, occupied, blocked)
    out[MOBILITY] = np.float32(total) * np.float32(1 / 512)
    stuck = their_home * their_home if counts[BAR] else 0
    out[STUCK] = THIRTY_SIXTHS[stuck]


# --- all of them ------------------------------------------------------------------


@kernel
def write_side_features(
    mine: Any, theirs: Any, masks: Masks, their_masks: Masks, out: Any
) -> tuple[Any, int]:
    """Write the block of one side. Returns its pips and wastage.

    Args:
        mine: int8[32], its row of the board.
        theirs: int8[32], the other row.
        masks: `masks_of` this side.
        their_masks: `masks_of` the other.
        out: float32[SIDE], written in place, all of it.
    """
    occupied, several, three, made_other, blots_other = masks
    they, they_several, _, blocked, _ = their_masks
    made, single = several & POINTS, occupied & ~several & POINTS
    front = BAR - rear_of(they)
    their_home = count_bits(blocked & _BACK)
    sums = write_race(mine, front, out)
    write_behind(occupied, several, front, out)
    write_blockade(theirs, single, made, made_other, front, out)
    throws = new_point_throws(occupied, single, made, three, blocked)
    out[NEW_POINT] = THIRTY_SIXTHS[throws]
    write_freedom(mine, occupied, blocked, their_home, out)
    shots = out[SHOTS_AT:]
    bar, opened = int(theirs[BAR]), POINTS & ~made_other
    write_shots(they, they & ~they_several, bar, opened, blots_other, shots)
    out[HIT_AND_STUCK] = shots[HIT] * THIRTY_SIXTHS[their_home * their_home]
    return sums


@kernel
def clipped(number: Any) -> Any:
    """`number`, at least −2 and at most 2; float32."""
    return min(max(number, np.float32(-2)), np.float32(2))


@kernel
def write_features(board: Board, row: int, out: Any) -> None:
    """Write all features of a position, seen by one side. Does not check the board.

    They do not say, nor need to know, whose turn it is: the chances to hit are those
    of a side if it rolls next.

    Args:
        board: int8[2, 32], each row in its owner's own numbering.
        row: Whose view: his block comes first.
        out: float32[FEATURES], written in place, all of it.
    """
    words = board.view(np.uint64)
    mine, theirs = board[row], board[1 - row]
    masks, other_masks = masks_of(words, row), masks_of(words, 1 - row)
    pips, wastage = write_side_features(mine, theirs, masks, other_masks, out[:SIDE])
    their_pips, their_wastage = write_side_features(
        theirs, mine, other_masks, masks, out[SIDE:RACE]
    )
    out[RACE] = rear_of(masks[0]) + rear_of(other_masks[0]) <= BAR
    total, lead = pips + their_pips, their_pips - pips
    root = np.float32(1) / math.sqrt(max(total, np.float32(16)))
    out[LEAD] = clipped(lead * root)
    out[WASTAGE_LEAD] = clipped((lead + np.float32(their_wastage - wastage)) * root)
    out[ROLL_WORTH] = np.float32(4) * root


@kernel
def write_all_features(boards: Any, row: int, out: Any) -> int:
    """`write_features` of every board.

    Args:
        boards: int8[B, 2, 32].
        row: Whose view.
        out: float32[B, FEATURES], written in place.
    """
    for index in range(boards.shape[0]):
        write_features(boards[index], row, out[index])
    return int(boards.shape[0])
