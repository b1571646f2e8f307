"""Kernels that choose the best of many plays with a network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_agents._inputs import Floats
from bg_agents._net import (
    OUTPUTS,
    Scratch,
    Weights,
    equity_of,
    forget,
    rate_board,
)
from bg_agents._sieve import Sieve, least_worth
from bg_env._jit import fast_kernel
from bg_env.rules.state import Boards, Words


@fast_kernel
def best_play(
    boards: Boards,
    words: Words,
    first: int,
    end: int,
    weights: Weights,
    scratch: Scratch,
    worths: Floats,
    least: Any,
    out: Floats,
    row: int,
    rows: Floats,
) -> int:
    """Index of the play with the highest equity among `first` .. `end` − 1.

    Args:
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        first: The first play.
        end: Behind the last, at least one further.
        weights: Of the networks.
        scratch: What `rating_scratch` makes; plays alike the last one are rated fast.
        worths: float32[end − first], by the sieve, where `least` is more than −9.
        least: Plays with a lower one are not looked at.
        out: float32[5], overwritten.
        row: Where in `rows` the chances of the best play are written.
        rows: float32[R, 5].
    """
    w1, _, w2, b2 = weights
    last, last_words, last_features, totals, features, units, factors, hidden = scratch
    best = first
    best_equity = np.float32(-9)
    for p in range(first, end):
        if least > -9 and worths[p - first] < least:
            continue
        rate_board(
            boards, words, p, w1, w2, b2,
            last, last_words, last_features, totals,
            features, units, factors, hidden, out,
        )  # fmt: skip
        equity = equity_of(out)
        if equity > best_equity:
            best_equity = equity
            best = p
            for k in range(OUTPUTS):
                rows[row, k] = out[k]
    return best


@fast_kernel
def choose_all(
    boards: Boards,
    words: Words,
    offsets: NDArray[np.int64],
    weights: Weights,
    scratch: Scratch,
    sieve: Sieve,
    keep: float,
    chosen: NDArray[np.int64],
) -> None:
    """The play of highest equity of each of many games.

    Args:
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        offsets: int64[B + 1], as for `PlayChooser.choose`.
        weights: Of the networks.
        scratch: What `rating_scratch` makes, overwritten.
        sieve: What `new_sieve` makes, overwritten.
        keep: Plays that the sieve rates lower than its best by more are not looked
            at; 0 = all are.
        chosen: int64[B], written: indices into `boards`.
    """
    rows = np.empty((1, OUTPUTS), np.float32)
    out = np.empty(OUTPUTS, np.float32)
    _, last_words, last_features, totals, _, _, _, _ = scratch
    for i in range(chosen.shape[0]):
        first, end = offsets[i], offsets[i + 1]
        least = np.float32(-9)
        if keep > 0 and end - first > 1:
            least = least_worth(words, first, end, sieve, keep)
        forget(weights[1], last_words, last_features, totals)
        chosen[i] = best_play(
            boards, words, first, end, weights, scratch, sieve[2], least, out, 0, rows
        )
