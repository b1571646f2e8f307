"""Memory for kernels that is the same wherever it lies.

A compiled loop takes another way where the arrays it reads and writes lie within some
hundred bytes of one another, one number at a time for several at once, and that way
rounds differently. Small arrays often lie so close; with room around each of them the
same training gives the same weights, bit for bit, wherever memory was found.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

ROOM: Final = 256  # numbers before and behind: 1 KiB


def apart(*shape: int) -> NDArray[np.float32]:
    """Zeros of a shape, float32, with room around them."""
    size = prod(shape)
    return np.zeros(size + 2 * ROOM, np.float32)[ROOM : ROOM + size].reshape(shape)


def zeros_like(weights: Any) -> Any:
    """Zeros of the same shapes as some arrays, in a tuple, each with room around."""
    return tuple(apart(*array.shape) for array in weights)
