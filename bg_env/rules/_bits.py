"""Bit sets of points: bit p of a mask stands for the mover's point p, bit 25 his bar.

Eight points are read at a time from a board row seen as ``uint64[4]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bg_env._jit import highest_bit, kernel
from bg_env.rules.state import Words

_TOP_BITS = np.uint64(0x8080808080808080)
_AT_LEAST_1 = np.uint64(0x7F7F7F7F7F7F7F7F)  # added to a count, sets bit 7 from 1 up
_AT_LEAST_2 = np.uint64(0x7E7E7E7E7E7E7E7E)
_GATHER = np.uint64(0x0002040810204081)  # bit 7 of byte i -> bit 56 + i
_GATHER_REVERSED = np.uint64(0x8040201008040201)  # bit 0 of byte i -> bit 63 - i
_56 = np.uint64(56)
_7 = np.uint64(7)

BAR_BIT = 1 << 25
POINTS_AND_BAR = (1 << 26) - 2
OUTSIDE_HOME = POINTS_AND_BAR & ~127


@kernel
def occupied_points(words: Words, row: int) -> Any:
    """Mask of the points and bar where a side has a checker. ``words`` uint64[2, 4]."""
    bits: Any = np.uint64(0)
    for i in range(4):
        found = (words[row, i] + _AT_LEAST_1) & _TOP_BITS
        bits |= ((found * _GATHER) >> _56) << np.uint64(8 * i)
    return np.int64(bits) & POINTS_AND_BAR


@kernel
def points_of_other(words: Words, row: int, added: Any) -> Any:
    """Mask of the points of `row` in the *other* side's numbering.

    Point p of `row` is the other side's 25 − p: the 32 bits are read reversed, byte 31
    first, and shifted into place. ``added`` sets bit 7 of the counts that are meant.
    """
    bits: Any = np.uint64(0)
    for i in range(4):
        found = ((words[row, i] + added) & _TOP_BITS) >> _7
        bits |= ((found * _GATHER_REVERSED) >> _56) << np.uint64(8 * (3 - i))
    # byte k of `row` is now at bit 31 - k; point p = 25 - k belongs at bit 25 - k
    return (np.int64(bits) >> 6) & (BAR_BIT - 2)


@kernel
def blocked_points(words: Words, row: int) -> Any:
    """Mask, in the other side's numbering, of the points `row` blocks (R9).

    A point is blocked by two or more checkers.
    """
    return points_of_other(words, row, _AT_LEAST_2)


@kernel
def blots_of_other(words: Words, row: int) -> Any:
    """Mask, in the other side's numbering, of the points with one checker of `row`."""
    some = points_of_other(words, row, _AT_LEAST_1)
    return some & ~points_of_other(words, row, _AT_LEAST_2)


@kernel
def has_all_home(occupied: int) -> bool:
    """True when no checker is outside the home board or on the bar (R14)."""
    return occupied & OUTSIDE_HOME == 0


@kernel
def bear_off_sources(occupied: int, die: int) -> int:
    """Mask of the point a die bears off from, 0 if none (R15).

    The die's own point; or the highest occupied one, if all are below it.
    """
    exact = occupied & (1 << die)
    if exact == 0 and occupied != 0 and occupied < 1 << die:
        return 1 << highest_bit(occupied)
    return exact


@kernel
def sources_of(occupied: int, blocked: int, die: int) -> int:
    """Mask of the places from which a checker may move `die` now (R9, R12, R14, R15).

    Not checked here: whether that move begins a complete legal turn.
    """
    mine = occupied
    if occupied & BAR_BIT:  # R12: first the checkers on the bar
        mine = BAR_BIT
    on_board = ~((2 << die) - 1)  # the target is point 1 or higher
    sources = mine & on_board & ~(blocked << die)
    if has_all_home(occupied):
        sources |= bear_off_sources(occupied, die)
    return sources


@kernel
def occupied_after(occupied: int, count: int, source: int, die: int) -> int:
    """The mask after one of `count` checkers on `source` has moved `die`."""
    if count == 1:
        occupied &= ~(1 << source)
    if source > die:
        occupied |= 1 << (source - die)
    return occupied
