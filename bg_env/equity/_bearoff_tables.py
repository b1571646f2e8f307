"""The tables of bear-offs: building them, and what is in them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._files import Arrays, Layout, kept_arrays
from bg_env.equity._bearoff import HOME, MOST
from bg_env.equity._bearoff_build import (
    fill_one_sided,
    fill_two_sided,
    list_results,
    write_moves,
)
from bg_env.rules.movegen import ROLL_WAYS, ROLLS

FEW: Final = 6  # the most checkers of a side in the two-sided table
ROLLS_AT_MOST: Final = 32  # the longest bear-off takes 30
FIRST_AT_MOST: Final = 12  # a longer wait for the first checker: below 1e-10

# Any change of the numbers makes new names.
ONE_SIDED_NAME: Final = "bearoff-one-sided-v1"
TWO_SIDED_NAME: Final = "bearoff-two-sided-v1"

_LONGEST_LIST: Final = 128


def home_positions(checkers: int) -> int:
    """How many home positions have at most so many checkers: 54,264 with 15."""
    return math.comb(checkers + HOME, HOME)


@dataclass(frozen=True, eq=False)
class OneSided:
    """How many rolls one side needs, for every home position. Read-only arrays.

    N = 54,264 positions by number (`home_numbers`).

    Attributes:
        rolls: float32[N, 32]: chance that the last checker goes off with roll 0, 1,
            2 …, if every play leaves the smallest mean number of rolls.
        first: float32[N, 12]: the same of the next checker, if every play leaves the
            smallest mean until then: what saves a gammon.
        mean_rolls: float32[N]: the mean of `rolls`.
        mean_first: float32[N]: the mean of `first`.
    """

    rolls: NDArray[np.float32]
    first: NDArray[np.float32]
    mean_rolls: NDArray[np.float32]
    mean_first: NDArray[np.float32]

    def __post_init__(self) -> None:
        _freeze(self.rolls, self.first, self.mean_rolls, self.mean_first)

    def __reduce__(self) -> tuple[Any, ...]:
        return one_sided, ()


@dataclass(frozen=True, eq=False)
class TwoSided:
    """Exact values of all pairs with at most 6 checkers a side. Read-only arrays.

    N = 924 positions by number; the player on roll first, then the other. Both have
    borne off a checker, so that no gammon can be lost.

    Attributes:
        win: float32[N, N]: chance to win with best play, no cube.
        equities: float32[N, N, 3]: for money, the cube at 1, beavers barred, when it is
            not turned now but by both as is best later: cube in the middle, owned by
            the player on roll, owned by the other.
    """

    win: NDArray[np.float32]
    equities: NDArray[np.float32]

    def __post_init__(self) -> None:
        _freeze(self.win, self.equities)

    def __reduce__(self) -> tuple[Any, ...]:
        return two_sided, ()


def _freeze(*arrays: NDArray[Any]) -> None:
    for array in arrays:
        array.setflags(write=False)


@functools.cache
def one_sided() -> OneSided:
    """Rolls that one side needs, of all home positions; built at the first use."""
    arrays = kept_arrays(ONE_SIDED_NAME, one_sided_layout(), build_one_sided)
    return OneSided(**arrays)


@functools.cache
def two_sided() -> TwoSided:
    """Exact values of pairs with at most 6 checkers a side; built at the first use."""
    arrays = kept_arrays(TWO_SIDED_NAME, two_sided_layout(), build_two_sided)
    return TwoSided(**arrays)


def one_sided_layout() -> Layout:
    """Shapes and dtypes of the arrays of `OneSided`."""
    size = home_positions(MOST)
    return {
        "rolls": ((size, ROLLS_AT_MOST), "float32"),
        "first": ((size, FIRST_AT_MOST), "float32"),
        "mean_rolls": ((size,), "float32"),
        "mean_first": ((size,), "float32"),
    }


def two_sided_layout() -> Layout:
    """Shapes and dtypes of the arrays of `TwoSided`."""
    size = home_positions(FEW)
    return {
        "win": ((size, size), "float32"),
        "equities": ((size, size, 3), "float32"),
    }


def build_one_sided(checkers: int = MOST) -> Arrays:
    """The arrays of `OneSided`, of positions with at most so many checkers."""
    moves, sizes = _moves(checkers)
    size = len(moves)
    rolls = np.zeros((size, ROLLS_AT_MOST))
    first = np.zeros((size, FIRST_AT_MOST))
    means = np.zeros((2, size))
    fill_one_sided(moves, sizes, _dice(), _weights(), rolls, first, means)
    return _in_float32(
        rolls=rolls, first=first, mean_rolls=means[0], mean_first=means[1]
    )


def build_two_sided(checkers: int = FEW) -> Arrays:
    """The arrays of `TwoSided`, of positions with at most so many checkers a side."""
    moves, _ = _moves(checkers)
    size = len(moves)
    starts = np.empty(size * len(ROLLS) + 1, np.int64)
    results = np.empty(size * len(ROLLS) * _LONGEST_LIST, np.int64)
    list_results(moves, _dice(), starts, results)
    values = np.empty((size, size, 4))
    fill_two_sided(starts, results, _weights(), values)
    return _in_float32(win=values[..., 0], equities=values[..., 1:])


def _moves(checkers: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    size = home_positions(checkers)
    moves = np.empty((size, HOME, HOME), np.int32)
    sizes = np.empty(size, np.int64)
    write_moves(np.zeros((1, 2, 32), np.int8), moves, sizes)
    return moves, sizes


def _dice() -> NDArray[np.int64]:
    return np.array(ROLLS, np.int64)


def _weights() -> NDArray[np.float64]:
    return np.array(ROLL_WAYS) / 36


def _in_float32(**arrays: NDArray[np.float64]) -> Arrays:
    return {
        name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()
    }
