"""Random numbers of games: how an agent written in Python draws from their streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bg_env._jit import kernel
from bg_env.errors import InvalidOptionError
from bg_env.rules._random import below

_MOST = 2**32 - 1


def draw_below(streams: NDArray[np.uint64], limits: ArrayLike) -> NDArray[np.int64]:
    """A whole number of 0 to limit − 1 for each game, all equally likely: int64[B].

    Args:
        streams: uint64[B], the random numbers of each game, advanced once in place.
        limits: One limit for all games, or int[B].

    Raises:
        InvalidOptionError: Streams of another dtype, limits below 1 or above 2**32 − 1,
            or another number of them.

    >>> streams = np.array([1, 2, 3], np.uint64)
    >>> draw_below(streams, 6).tolist()
    [3, 3, 0]
    """
    bounds = np.asarray(limits)
    good = streams.dtype == np.uint64 and bounds.shape in ((), streams.shape)
    if not good or bounds.dtype.kind not in "iu":
        raise InvalidOptionError(
            f"draw_below takes streams uint64[B] and whole limits, one or B, not "
            f"{streams.dtype.name}{list(streams.shape)} and {limits!r}."
        )
    if bounds.size and (bounds.min() < 1 or bounds.max() > _MOST):
        raise InvalidOptionError(f"Limits are 1 to {_MOST}, not {limits!r}.")
    drawn = np.empty(len(streams), np.int64)
    _draw(streams, np.broadcast_to(bounds, streams.shape).astype(np.int64), drawn)
    return drawn


@kernel
def _draw(
    streams: NDArray[np.uint64], limits: NDArray[np.int64], drawn: NDArray[np.int64]
) -> None:
    """`below` for every game: writes ``drawn`` int64[B]."""
    for i in range(streams.shape[0]):
        drawn[i] = below(streams, i, limits[i])
