"""The kernel of the random agent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules._random import below


@kernel
def choose_any(
    offsets: NDArray[np.int64],
    streams: NDArray[np.uint64],
    chosen: NDArray[np.int64],
) -> None:
    """Draw one play of each game, all of a game equally likely.

    Args:
        offsets: int64[B + 1]; plays of game i are offsets[i] .. offsets[i + 1] − 1,
            at least one each.
        streams: uint64[B], advanced in place, once each.
        chosen: int64[B], written.
    """
    for i in range(chosen.shape[0]):
        first = offsets[i]
        chosen[i] = first + below(streams, i, offsets[i + 1] - first)
