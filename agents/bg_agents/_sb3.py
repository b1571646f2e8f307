"""Kernels of the agent that asks models of Stable-Baselines3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules._random import below, next_number

_UNIT = 2.0**-53
_11 = np.uint64(11)


@kernel
def replace_illegal(
    masks: NDArray[np.int8], streams: NDArray[np.uint64], codes: NDArray[np.int64]
) -> int:
    """Draw a legal decision wherever the chosen one is not legal. In place.

    Args:
        masks: int8[B, K], the legal decisions, never all 0.
        streams: uint64[B], advanced once in each game where a decision is drawn.
        codes: int64[B], the chosen decisions.

    Returns:
        How many were replaced.
    """
    replaced = 0
    for i in range(codes.shape[0]):
        if masks[i, codes[i]]:
            continue
        legal = 0
        for code in range(masks.shape[1]):
            legal += int(masks[i, code])
        rank = below(streams, i, legal)
        for code in range(masks.shape[1]):
            if masks[i, code]:
                if rank == 0:
                    codes[i] = code
                    break
                rank -= 1
        replaced += 1
    return replaced


@kernel
def draw_all(
    weights: NDArray[np.float64],
    streams: NDArray[np.uint64],
    codes: NDArray[np.int64],
) -> None:
    """Draw a decision of each game in proportion to its weight.

    Args:
        weights: float64[B, K], 0 or more, in each row one above 0.
        streams: uint64[B], each advanced once.
        codes: int64[B], written.
    """
    for i in range(codes.shape[0]):
        total = 0.0
        for code in range(weights.shape[1]):
            total += weights[i, code]
        rest = total * (float(next_number(streams, i) >> _11) * _UNIT)
        for code in range(weights.shape[1]):
            if weights[i, code] > 0.0:
                codes[i] = code  # the last one where rounding leaves a rest
                rest -= weights[i, code]
                if rest < 0.0:
                    break
