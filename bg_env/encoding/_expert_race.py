"""Sums over the checkers of one side, for the features of ``expert``.

The sums are of small whole numbers, exact in float32 in any order: that is why
`fast_kernel` may reorder them, and all places are added up at once.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import fast_kernel, kernel

# What `write_sums` writes, in this order.
CHECKERS: Final = 0  # on the board and the bar
PIPS: Final = 1
CROSSOVERS: Final = 2  # quadrants to cross until all are home
SQUARES: Final = 3  # sum of squared counts of the points
TIMING: Final = 4
BACK: Final = 5  # checkers on 19 to 24 and the bar
LIVE: Final = 6  # checkers above the 2-point
CONTACT: Final = 7
SUMS: Final = 8

_PLACES: Final = 32  # of a row, with the padding
PLACE: Final = np.arange(_PLACES, dtype=np.float32)


def _weights(places: range, values: list[int]) -> NDArray[np.float32]:
    """float32[32]: what a checker counts on each of the places, elsewhere 0."""
    weights = np.zeros(_PLACES, np.float32)
    weights[places] = values
    return weights


ON_BOARD: Final = _weights(range(1, 26), [1] * 25)
ON_POINT: Final = _weights(range(1, 25), [1] * 24)
IN_BACK: Final = _weights(range(19, 26), [1] * 7)
ABOVE_2: Final = _weights(range(3, 26), [1] * 23)
QUADRANTS: Final = _weights(range(7, 26), [(place - 1) // 6 for place in range(7, 26)])
OUTFIELD: Final = _weights(range(7, 19), [place - 6 for place in range(7, 19)])
SPARES: Final = _weights(range(2, 7), [1, 2, 3, 4, 5])


RECIPROCALS: Final = np.float32(1) / np.maximum(np.arange(16, dtype=np.float32), 1)
"""float32[16]: 1 / n for n checkers; 1 for none."""


@fast_kernel
def sums_of(counts: Any, front: Any) -> Any:
    """The sums of one side: a tuple of `SUMS` float32.

    Args:
        counts: int8[32], its row of the board.
        front: float32, the opponent's rearmost place in this side's numbering;
            `CONTACT` are the pips by which checkers stand behind it.
    """
    checkers = pips = quadrants = squares = np.float32(0)
    timing = back = above = contact = np.float32(0)
    for place in range(_PLACES):
        count = np.float32(counts[place])
        checkers += count * ON_BOARD[place]
        pips += count * PLACE[place]
        quadrants += count * QUADRANTS[place]
        squares += count * count * ON_POINT[place]
        spare = max(count - np.float32(2), np.float32(0))
        timing += count * OUTFIELD[place] + spare * SPARES[place]
        back += count * IN_BACK[place]
        above += count * ABOVE_2[place]
        contact += count * max(PLACE[place] - front, np.float32(0))
    return checkers, pips, quadrants, squares, timing, back, above, contact


@fast_kernel
def spread_of(counts: Any, checkers: Any, pips: Any) -> Any:
    """Sum of squared pips behind the average place, times ``checkers``²; float32."""
    total = np.float32(0)
    for place in range(_PLACES):
        behind = max(PLACE[place] * checkers - pips, np.float32(0))
        total += behind * behind * np.float32(counts[place])
    return total


@kernel
def wastage_of(counts: Any) -> int:
    """Pips that a bear-off will waste, by Keith's count."""
    waste = 2 * max(int(counts[1]) - 1, 0)
    waste += max(int(counts[2]) - 1, 0) + max(int(counts[3]) - 3, 0)
    return waste + int(counts[4] == 0) + int(counts[5] == 0) + int(counts[6] == 0)
