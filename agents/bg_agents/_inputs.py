"""Kernels of the inputs of the networks: which units a position feeds, how strongly.

The first layer is sparse. A position is a list of (unit, factor), and so is the
difference of two positions: a network that rates one play after another only adds what
has changed since the last one. An empty board feeds nothing.

Arrays are handed over one by one: to unpack a tuple of arrays for each position costs
as much as a third of the rating.

Units 0 to 207 are Tesauro's, (side, place 0..25, unit 0..3): side * 104 + place * 4 +
unit. The hand-made features of `bg_env.encoding.expert_features` follow.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import fast_kernel, lowest_bit
from bg_env.encoding._expert_features import (
    FEATURES,
    RACE,
    SIDE,
    THREE_BACK,
)
from bg_env.rules.state import Boards, Words

RAW: Final = 208
EXPERT: Final = RAW + FEATURES
LONGEST: Final = 64 + EXPERT  # more entries than any list has

RACING: Final = 0
CONTACT: Final = 1
BACK: Final = 2

_SIDE: Final = 104
_OTHER_THREE_BACK: Final = SIDE + THREE_BACK

Floats = NDArray[np.float32]
Units = NDArray[np.int64]

_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_OFF_UNIT = np.float32(1 / 15)


@fast_kernel
def unit_factor(place: int, count: int) -> np.float32:
    """How strongly checker number `count` of a place feeds its unit (Tesauro)."""
    if place == 0:
        return _OFF_UNIT
    if place == 25 or count > 3:
        return _HALF
    return _ONE


@fast_kernel
def unit_of(side: int, place: int, count: int) -> int:
    """The input unit that checker number `count` (1..15) of a place feeds.

    On a point the first three checkers have a unit each, all others share one; on the
    bar and off the board all share one.
    """
    unit = side * _SIDE + place * 4
    if place == 0 or place == 25:
        return unit
    return unit + min(count, 4) - 1


@fast_kernel
def list_place(
    side: int,
    place: int,
    before: int,
    after: int,
    units: Units,
    factors: Floats,
    number: int,
) -> int:
    """Append what changes when the count of a place changes. Returns the new number."""
    sign = _ONE
    low, high = before, after
    if after < before:
        sign, low, high = -_ONE, after, before
    start = number
    for count in range(low + 1, high + 1):
        unit = unit_of(side, place, count)
        factor = sign * unit_factor(place, count)
        if number > start and units[number - 1] == unit:
            factors[number - 1] += factor
        else:
            units[number] = unit
            factors[number] = factor
            number += 1
    return number


@fast_kernel
def list_changes(
    before: Boards,
    before_words: Words,
    c: int,
    boards: Boards,
    words: Words,
    p: int,
    units: Units,
    factors: Floats,
) -> int:
    """Write the raw units that differ between ``before[c]`` and ``boards[p]``.

    Returns:
        How many.
    """
    number = 0
    for side in range(2):
        for i in range(4):
            changed = before_words[c, side, i] ^ words[p, side, i]
            while changed:
                byte = lowest_bit(int(np.int64(changed))) >> 3
                changed &= ~(np.uint64(255) << np.uint64(8 * byte))
                place = 8 * i + byte
                old, new = int(before[c, side, place]), int(boards[p, side, place])
                number = list_place(side, place, old, new, units, factors, number)
    return number


@fast_kernel
def list_features(
    old: Floats, c: int, new: Floats, units: Units, factors: Floats, number: int
) -> int:
    """Append the features in which `new` differs from ``old[c]``, and copy them there.

    Returns:
        How many entries there are now.
    """
    for i in range(FEATURES):
        step = new[i] - old[c, i]
        units[number] = RAW + i
        factors[number] = step
        number += step != 0
        old[c, i] = new[i]
    return number


@fast_kernel
def class_of(features: Floats, classes: int) -> int:
    """The class of a position: which of the networks rates it.

    One network rates everything; of two, the first rates races; of three, the last
    rates contact with three or more checkers of one side on the other's home or bar.

    Args:
        features: float32[FEATURES] of the position.
        classes: How many networks there are, 1 to 3.
    """
    if classes == 1 or features[RACE] > 0:
        return RACING
    if classes == 3 and features[THREE_BACK] + features[_OTHER_THREE_BACK] > 0:
        return BACK
    return CONTACT


@fast_kernel
def copy_board(source: Words, p: int, target: Words, q: int) -> None:
    """``target[q] = source[p]``, boards as uint64[., 2, 4]. In place.

    Word by word: a row handed over as an array of its own costs more than the copy.
    """
    for side in range(2):
        for i in range(4):
            target[q, side, i] = source[p, side, i]
