"""Each game's own random numbers: splitmix64, and the dice drawn from it.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def scrambled(number: Any) -> Any:
    """The output of splitmix64 for one state. uint64 to uint64."""
    z = (number ^ (number >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@kernel
def next_number(streams: NDArray[np.uint64], i: int) -> Any:
    """Advance ``streams`` uint64[B] at `i` in place; return 64 random bits."""
    streams[i] += _GOLDEN
    return scrambled(streams[i])


@kernel
def below(streams: NDArray[np.uint64], i: int, limit: int) -> Any:
    """A random int of 0 .. limit − 1 (limit < 2**32; bias below limit / 2**32)."""
    high = next_number(streams, i) >> _32
    return np.int64((high * np.uint64(limit)) >> _32)


@kernel
def two_dice(number: Any) -> tuple[Any, Any]:
    """Two dice from 64 random bits (bias below 6 / 2**32)."""
    first = ((number >> _32) * np.uint64(6)) >> _32
    second = ((number & _LOW) * np.uint64(6)) >> _32
    return np.int64(first) + 1, np.int64(second) + 1


@kernel
def seed_streams(
    seed: Any, first_index: int, dice: NDArray[np.uint64], choices: NDArray[np.uint64]
) -> None:
    """Derive both streams of game `first_index` + i from (seed, index) alone.

    Args:
        seed: uint64.
        first_index: Index of the first game.
        dice: uint64[B], written in place.
        choices: uint64[B], written in place.
    """
    for i in range(dice.shape[0]):
        index = np.uint64(first_index + i)
        root = scrambled(np.uint64(seed) + scrambled(index * _GOLDEN + _GOLDEN))
        dice[i] = scrambled(root + _GOLDEN)
        choices[i] = scrambled(root + _GOLDEN + _GOLDEN)
