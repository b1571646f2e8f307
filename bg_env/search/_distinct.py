"""Equal positions of a batch found, so that each is looked at once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

# Odd multipliers: the fractional parts of the square roots of the first primes.
_FACTORS: Final = np.array(
    [
        0x6A09E667F3BCC909,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_HALF: Final = np.uint64(32)


def distinct_boards(boards: NDArray[np.int8]) -> tuple[NDArray[np.int64], ...]:
    """The first of each kind of board, and which kind each board is.

    Args:
        boards: int8[B, 2, 32], C-contiguous.

    Returns:
        (int64[D], int64[B]): ``boards[first][kind]`` equals ``boards``.
    """
    words = boards.reshape(len(boards), 64).view(np.uint64)
    mixed = (words ^ (words >> _HALF)) * _FACTORS
    keys = (mixed ^ (mixed >> _HALF)).sum(axis=1, dtype=np.uint64)
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(words[first[kind]], words):  # two boards with one key
        rows = words.view(np.dtype((np.void, 64))).ravel()
        _, first, kind = np.unique(rows, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)
