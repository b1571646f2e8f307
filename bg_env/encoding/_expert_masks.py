"""Bit sets and look-up tables for the features of ``expert``.

Bit p of a mask stands for point p, bit 25 for the bar. *Own* masks use the numbering
of the side that the checkers belong to, *other* masks that of its opponent, in which
the same place is 25 − p.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules.state import Words

POINTS: Final = (1 << 25) - 2
HOME: Final = 126
BAR_BIT: Final = 1 << 25

_ONES = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)
_GATHER = np.uint64(0x0002040810204081)  # bit 7 of byte i -> bit 56 + i
_GATHER_REVERSED = np.uint64(0x8040201008040201)  # bit 0 of byte i -> bit 63 - i
_56 = np.uint64(56)
_7 = np.uint64(7)


@kernel
def at_least(words: Words, row: int, count: int) -> Any:
    """Own mask of the points and the bar where a side has `count` checkers or more."""
    limit = np.uint64(128 - count) * _ONES  # added to a count, sets bit 7 from there up
    bits: Any = np.uint64(0)
    for i in range(4):
        found = (words[row, i] + limit) & _TOP_BITS
        bits |= ((found * _GATHER) >> _56) << np.uint64(8 * i)
    return np.int64(bits) & (POINTS | BAR_BIT)


@kernel
def at_least_other(words: Words, row: int, count: int) -> Any:
    """Other mask of the points, without the bar, with `count` checkers or more."""
    limit = np.uint64(128 - count) * _ONES
    bits: Any = np.uint64(0)
    for i in range(4):
        found = ((words[row, i] + limit) & _TOP_BITS) >> _7
        bits |= ((found * _GATHER_REVERSED) >> _56) << np.uint64(8 * (3 - i))
    # byte k of the row is now at bit 31 - k; point k belongs at bit 25 - k
    return (np.int64(bits) >> 6) & POINTS


THIRTY_SIXTHS: Final = np.arange(37, dtype=np.float32) / np.float32(36)
"""float32[37]: so many of 36 throws as a share."""


# --- one checker running past blocked points --------------------------------------

AHEAD: Final = 12  # how many points in front of a checker the tables look at
_AHEAD_MASK: Final = (1 << AHEAD) - 1


@kernel
def ahead_of(blocked: int, place: int) -> int:
    """The 12 points in front of `place` as an index: bit 12 − d is d pips away.

    Args:
        blocked: Mask of blocked points in the runner's numbering.
        place: Where he stands, 1..25. What lies beyond the ace point is open.
    """
    return ((blocked << AHEAD) >> place) & _AHEAD_MASK


def _is_open(distance: int) -> NDArray[np.bool_]:
    """bool[4096]: the point so far ahead is not blocked, for each index."""
    if distance > AHEAD:
        return np.ones(1 << AHEAD, np.bool_)
    bit = np.arange(1 << AHEAD) >> (AHEAD - distance) & 1
    is_open: NDArray[np.bool_] = bit == 0
    return is_open


def _runs() -> NDArray[np.uint8]:
    """Of 36 throws, those with which one checker can move both dice."""
    throws = np.zeros(1 << AHEAD, np.uint8)
    for a in range(1, 7):
        for b in range(1, 7):
            throws += _is_open(a + b) & (_is_open(a) | _is_open(b))
    return throws


def _is_past(distance: int) -> NDArray[np.bool_]:
    """bool[4096]: no blocked point within 6 pips lies at this distance or beyond."""
    beyond = [~_is_open(d) for d in range(distance, 7)]
    return ~np.any(beyond, axis=0) if beyond else _is_open(AHEAD + 1)


def _escapes() -> NDArray[np.uint8]:
    """Of 36 throws, those that take one checker past the block within 6 pips."""
    throws = np.zeros(1 << AHEAD, np.uint8)
    for a in range(1, 7):
        for b in range(1, 7):
            if a == b:
                throws += _escapes_by_double(a)
                continue
            both = _is_open(a + b) & (_is_open(a) | _is_open(b)) & _is_past(a + b)
            throws += both | _stops_past(a) | _stops_past(b)
    return throws


def _stops_past(distance: int) -> NDArray[np.bool_]:
    return _is_open(distance) & _is_past(distance)


def _escapes_by_double(die: int) -> NDArray[np.bool_]:
    """bool[4096]: one to four steps of `die`, each to an open point, come past."""
    running = np.ones(1 << AHEAD, np.bool_)
    escaped = np.zeros(1 << AHEAD, np.bool_)
    for step in range(1, 5):
        running = running & _is_open(step * die)
        escaped |= running & _is_past(step * die)
    return escaped


RUNS: Final = _runs()
ESCAPES: Final = _escapes()
