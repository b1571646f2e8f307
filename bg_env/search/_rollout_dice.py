"""The dice of rollout trials: the first two throws spread evenly, the others random.

A throw is a number of 0 to 35, an ordered pair of dice. In every block of 36 trials the
first throw takes each value once, and so does the second; in every block of 1,296 each
pair of them comes once. The orders are drawn from the seed, so that the throws of one
trial, looked at alone, are as fair as any.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.rules._random import seed_streams
from bg_env.rules.chance import draw_below

THROWS: Final = 36
_LANE: Final = 2**32  # indices of streams that one lane has
_ORDERS: Final = 2**62  # where the indices of the orders begin
_SPREAD: Final = 2  # throws that are spread evenly
_ENOUGH: Final = 3  # whole blocks from which the variance within can be told


class TrialDice:
    """The throws of one lane of trials, turn by turn.

    Trials of the same seed, lane and number have the same dice, in whatever batch.
    """

    def __init__(self, seed: int, lane: int, first: int, count: int) -> None:
        """Seed them.

        Args:
            seed: 0 to 2**64 − 1.
            lane: Positions with the same lane get the same dice.
            first: Number of the first trial.
            count: How many trials.
        """
        self._streams = _streams(seed, lane * _LANE + first, count)
        places = _spread_places(first, count)
        self._spread = [
            order[place]
            for order, place in zip(_orders(seed, lane), places, strict=True)
        ]
        self._turn = 0

    def throw(self) -> NDArray[np.int64]:
        """The next throw of every trial: int64[count] of 0 to 35."""
        throws = draw_below(self._streams, THROWS)
        if self._turn < _SPREAD:
            throws = self._spread[self._turn]
        self._turn += 1
        return throws


def _spread_places(first: int, count: int) -> tuple[NDArray[np.int64], ...]:
    """Places of the first and the second throw of trials in their orders."""
    block, place = np.divmod(np.arange(first, first + count), THROWS)
    return place, (block + place) % THROWS


def _orders(seed: int, lane: int) -> NDArray[np.int64]:
    """Two random orders of the 36 throws: int64[2, 36]."""
    numbers = _streams(seed, _ORDERS + lane * _SPREAD * THROWS, _SPREAD * THROWS)
    return np.argsort(numbers.reshape(_SPREAD, THROWS), axis=1, kind="stable")


def _streams(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    dice, choices = np.zeros((2, count), np.uint64)
    seed_streams(np.uint64(seed), first, dice, choices)
    return dice


def rolls_of(throws: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The rolls of throws: (dice int8[N, 2], the higher first; places in `ROLLS`)."""
    one, other = throws // 6 + 1, throws % 6 + 1
    high, low = np.maximum(one, other), np.minimum(one, other)
    dice = np.stack([high, low], axis=1).astype(np.int8)
    place: NDArray[np.int64] = high * (high - 1) // 2 + low - 1
    return dice, place


def mean_and_error(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of trials 0 to T − 1 of one lane, and their standard errors.

    The errors know that the first two throws are spread evenly. From three whole blocks
    on, what the first and the second throw bring by themselves (rows and columns of a
    table of 36 × 36) counts only for the trials after the last whole block; what is
    left is the variance within. What the two bring together in whole blocks of 1,296
    is still counted: errors are a little too large rather than too small.

    Args:
        values: float64[T, K], trial by trial, two at least.

    Returns:
        (float64[K], float64[K]).
    """
    count = len(values)
    mean = values.mean(axis=0)
    blocks, rest = divmod(count, THROWS)
    total = values.var(axis=0, ddof=1)
    if blocks < _ENOUGH:
        return mean, np.sqrt(total / count)
    within = _variance_within(values[: blocks * THROWS])
    share = rest * (THROWS - rest) / (THROWS - 1)  # the rest are drawn without repeats
    variance = count * within + share * np.maximum(total - within, 0)
    return mean, np.sqrt(variance) / count


def _variance_within(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance about the sums of an effect of each first and of each second throw.

    Least squares: what is left of the squares, over the degrees of freedom.

    Args:
        values: float64[T, K], whole blocks.

    Returns:
        float64[K].
    """
    count = len(values)
    rows, columns = _spread_places(0, count)
    centred = values - values.mean(axis=0)
    sums = np.zeros((2 * THROWS, values.shape[1]))
    np.add.at(sums, rows, centred)
    np.add.at(sums, THROWS + columns, centred)
    effects = _least_squares(count // THROWS) @ sums
    left = (centred**2).sum(axis=0) - (effects * sums).sum(axis=0)
    within: NDArray[np.float64] = np.maximum(left, 0) / (count - 2 * THROWS + 1)
    return within


@lru_cache(maxsize=64)
def _least_squares(blocks: int) -> NDArray[np.float64]:
    """What makes effects of the sums over rows and columns: float64[72, 72]."""
    rows, columns = _spread_places(0, blocks * THROWS)
    normal = np.diag(np.full(2 * THROWS, float(blocks)))
    np.add.at(normal, (rows, THROWS + columns), 1)
    np.add.at(normal, (THROWS + columns, rows), 1)
    inverse: NDArray[np.float64] = np.linalg.pinv(normal, hermitian=True)
    inverse.flags.writeable = False
    return inverse
