"""Kernels of the sieve: a quick ranker that rules plays out before a network looks.

One hidden layer of rectified units on the 208 raw inputs (`bg_agents._inputs`) and one
linear output: a worth that means nothing but the order of the plays of one roll.

What the checkers of one place add to the hidden layer is looked up, so that going from
one play to the next costs two rows of a table for each place that changes.

Weights of H units are a tuple ``(table float32[64, 16, H], b1 float32[H], w2
float32[H])``; ``table[side * 32 + place, count]`` is what so many checkers add.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._inputs import Floats, unit_factor, unit_of
from bg_agents._memory import apart
from bg_agents._net import has_won
from bg_env._jit import fast_kernel, lowest_bit
from bg_env.rules.movegen import MOST_PLAYS
from bg_env.rules.state import Words

ROWS: Final = 64  # two sides of 32 places, of which 26 have checkers
COUNTS: Final = 16  # 0 to 15 checkers

SieveWeights = tuple[Floats, Floats, Floats]
SieveScratch = tuple[NDArray[np.uint64], Floats, Floats]
"""The last board uint64[2, 4], the sums of its hidden layer float32[H], and the highest
worths of a roll float32[K], descending."""
Sieve = tuple[SieveWeights, SieveScratch, Floats]
"""Weights, scratch, and what is written: worths float32[P], one for each play."""

_HIGHEST = np.float32(1e9)  # the worth of a finished game
_LOWEST = np.float32(-1e9)
_ZERO = np.float32(0)
_SIDE: Final = 32


def new_sieve(weights: SieveWeights, most: int) -> Sieve:
    """The weights with memory of their own.

    Args:
        weights: What a `bg_agents.sieves.SieveNet` has.
        most: How many plays of a roll are kept at most, equal worths aside.
    """
    scratch = (
        np.zeros((2, 4), np.uint64),
        apart(weights[1].shape[0]),
        apart(most),
    )
    return weights, scratch, apart(MOST_PLAYS)


@fast_kernel
def write_table(w1: Floats, table: Floats) -> None:
    """Write what checkers add to the hidden layer.

    Args:
        w1: float32[208, H], a row for each raw input.
        table: float32[64, 16, H], written in part: for 26 places of each side.
    """
    for side in range(2):
        for place in range(26):
            row = side * _SIDE + place
            for j in range(w1.shape[1]):
                table[row, 0, j] = 0
            for count in range(1, COUNTS):
                unit = unit_of(side, place, count)
                factor = unit_factor(place, count)
                for j in range(w1.shape[1]):
                    table[row, count, j] = table[row, count - 1, j] + (
                        factor * w1[unit, j]
                    )


@fast_kernel
def go_to(
    words: Words, p: int, table: Floats, last: NDArray[np.uint64], totals: Floats
) -> None:
    """Change the sums float32[H] of the last board to those of board `p`. In place."""
    for side in range(2):
        for i in range(4):
            before, now = last[side, i], words[p, side, i]
            changed = before ^ now
            last[side, i] = now
            while changed:
                shift = np.uint64(lowest_bit(int(np.int64(changed))) & 56)
                changed &= ~(np.uint64(255) << shift)
                row = np.uint64(side * _SIDE + 8 * i) + (shift >> np.uint64(3))
                old = (before >> shift) & np.uint64(15)
                new = (now >> shift) & np.uint64(15)
                for j in range(totals.shape[0]):
                    totals[j] += table[row, new, j] - table[row, old, j]


@fast_kernel
def worth_of(totals: Floats, w2: Floats) -> Any:
    """The worth by the sums of the hidden layer, both float32[H]."""
    worth = _ZERO
    for j in range(totals.shape[0]):
        worth += w2[j] * max(totals[j], _ZERO)
    return worth


@fast_kernel
def enter(top: Floats, worth: Any) -> None:
    """Put a worth at its place among the highest, float32[K], descending. In place."""
    k = top.shape[0] - 1
    if worth <= top[k]:
        return
    while k > 0 and top[k - 1] < worth:
        top[k] = top[k - 1]
        k -= 1
    top[k] = worth


@fast_kernel
def least_worth(words: Words, first: int, end: int, sieve: Sieve, keep: float) -> Any:
    """Write the worths of the plays of a roll; what one must have to be looked at.

    A play that wins the game is worth more than any other and rules none out.

    Args:
        words: Boards after each play, uint64[P, 2, 4], row 0 has moved.
        first: The first play.
        end: Behind the last.
        sieve: What `new_sieve` makes; ``worths[p - first]`` is written for each play.
        keep: How far below the best worth one may be.
    """
    (table, b1, w2), (last, totals, top), worths = sieve
    for side in range(2):
        for i in range(4):
            last[side, i] = 0
    for j in range(totals.shape[0]):
        totals[j] = b1[j]
    for k in range(top.shape[0]):
        top[k] = _LOWEST
    for p in range(first, end):
        if has_won(words, p):
            worths[p - first] = _HIGHEST
            continue
        go_to(words, p, table, last, totals)
        worth = worth_of(totals, w2)
        worths[p - first] = worth
        enter(top, worth)
    return max(top[0] - np.float32(keep), top[top.shape[0] - 1])
