"""Kernels of the networks: one hidden sigmoid layer, five chances.

A network rates the position after a play for the player who has just moved (row 0).
There can be several, one for each class of positions (`class_of`).

Weights of C networks of H units on I inputs (208 raw ones, or with the hand-made
features 344) are a tuple ``(w1 float32[C, I, H], b1 float32[C, H], w2 float32[C, 5, H],
b2 float32[C, 5])``.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from bg_agents._inputs import (
    LONGEST,
    RAW,
    Floats,
    Units,
    class_of,
    copy_board,
    list_changes,
    list_features,
)
from bg_agents._memory import apart
from bg_env._jit import fast_kernel
from bg_env.encoding._expert_features import FEATURES, write_features
from bg_env.rules.state import Boards, Words

OUTPUTS: Final = 5  # win, win gammon, win backgammon, lose gammon, lose backgammon

Weights = tuple[Floats, Floats, Floats, Floats]
Scratch = tuple[Boards, Words, Floats, Floats, Floats, Units, Floats, Floats]
"""The last board rated in each class, int8[C, 2, 32], the same memory as uint64[C, 2,
4], its features float32[C, FEATURES] and sums of the hidden layer float32[C, H];
overwritten: features float32[FEATURES], units and factors [LONGEST] of entries, hidden
float32[H]."""

_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


def rating_scratch(classes: int, hidden: int) -> Scratch:
    """New memory for the kernels that rate positions."""
    boards = np.zeros((classes, 2, 32), np.int8)
    return (
        boards,
        boards.view(np.uint64),
        apart(classes, FEATURES),
        apart(classes, hidden),
        apart(FEATURES),
        np.zeros(LONGEST, np.int64),
        apart(LONGEST),
        apart(hidden),
    )


@fast_kernel
def add_rows(
    totals: Floats, c: int, w1: Floats, units: Units, factors: Floats, number: int
) -> None:
    """``totals[c] += factors @ w1[c, units]``, float32[C, H]. In place.

    Four rows at a time; a row is not handed over as an array of its own: that costs
    more than the sum.
    """
    width = totals.shape[1]
    k = 0
    while k + 4 <= number:
        i0, i1, i2, i3 = units[k], units[k + 1], units[k + 2], units[k + 3]
        f0, f1, f2, f3 = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        for j in range(width):
            totals[c, j] += (
                f0 * w1[c, i0, j]
                + f1 * w1[c, i1, j]
                + f2 * w1[c, i2, j]
                + f3 * w1[c, i3, j]
            )
        k += 4
    while k < number:
        i0, f0 = units[k], factors[k]
        for j in range(width):
            totals[c, j] += f0 * w1[c, i0, j]
        k += 1


@fast_kernel
def activate(totals: Floats, c: int, hidden: Floats) -> None:
    """Sigmoid of float32[H]: (1 + tanh(x / 2)) / 2, tanh by a Padé quotient."""
    limit = np.float32(4.97)
    for j in range(hidden.shape[0]):
        y = min(max(totals[c, j] * _HALF, -limit), limit)
        s = y * y
        top = y * (
            np.float32(135135) + s * (np.float32(17325) + s * (np.float32(378) + s))
        )
        bottom = np.float32(135135) + s * (
            np.float32(62370) + s * (np.float32(3150) + s * np.float32(28))
        )
        hidden[j] = _HALF + _HALF * (top / bottom)


@fast_kernel
def write_outputs(
    boards: Boards,
    p: int,
    c: int,
    hidden: Floats,
    w2: Floats,
    b2: Floats,
    out: Floats,
) -> None:
    """The five chances float32[5] from the hidden layer, impossible ones set to 0.

    A side that has borne off a checker cannot lose a gammon.
    """
    for k in range(OUTPUTS):
        total = np.float32(0)
        for j in range(hidden.shape[0]):
            total += w2[c, k, j] * hidden[j]
        out[k] = _ONE / (_ONE + np.float32(math.exp(-(total + b2[c, k]))))
    if boards[p, 1, 0] > 0:
        out[1] = 0
        out[2] = 0
    if boards[p, 0, 0] > 0:
        out[3] = 0
        out[4] = 0


@fast_kernel
def equity_of(out: Floats) -> Any:
    """Cubeless money equity of five chances."""
    return np.float32(2) * out[0] - _ONE + out[1] + out[2] - out[3] - out[4]


@fast_kernel
def write_result(boards: Boards, p: int, out: Floats) -> None:
    """The exact chances of a finished game that row 0 has won (R17)."""
    out[0] = 1
    out[3] = 0
    out[4] = 0
    far = 0
    for place in range(19, 26):
        far += int(boards[p, 1, place])
    out[1] = 0 if boards[p, 1, 0] else 1
    out[2] = 1 if far and boards[p, 1, 0] == 0 else 0


@fast_kernel
def has_won(words: Words, p: int) -> bool:
    """True when row 0 has no checker left on points or bar."""
    rest = (words[p, 0, 0] >> np.uint64(8)) | words[p, 0, 1]
    return bool((rest | words[p, 0, 2] | words[p, 0, 3]) == 0)


@fast_kernel
def forget(
    b1: Floats, last_words: Words, last_features: Floats, totals: Floats
) -> None:
    """Make the last board of each class an empty one."""
    for c in range(totals.shape[0]):
        for side in range(2):
            for i in range(4):
                last_words[c, side, i] = 0
        for i in range(FEATURES):
            last_features[c, i] = 0
        for j in range(totals.shape[1]):
            totals[c, j] = b1[c, j]


@fast_kernel
def sum_board(
    boards: Boards,
    words: Words,
    p: int,
    w1: Floats,
    last: Boards,
    last_words: Words,
    last_features: Floats,
    totals: Floats,
    features: Floats,
    units: Units,
    factors: Floats,
) -> tuple[int, int]:
    """Write the sums of the hidden layer for board `p`, which becomes the last one.

    Args:
        boards: int8[P, 2, 32], row 0 has moved.
        words: The same memory as uint64[P, 2, 4].
        p: Which.
        w1: Weights of the first layer.
        last: Where `rating_scratch` and `forget` begin; this and what follows.
        last_words: ...
        last_features: ...
        totals: Row c is written.
        features: ...
        units: ...
        factors: ...

    Returns:
        (c, the class of the board; how many entries the sums differed in).
    """
    expert = w1.shape[1] > RAW
    c = 0
    if expert:
        write_features(boards[p], 0, features)
        c = class_of(features, w1.shape[0])
    number = list_changes(last, last_words, c, boards, words, p, units, factors)
    copy_board(words, p, last_words, c)
    if expert:
        number = list_features(last_features, c, features, units, factors, number)
    add_rows(totals, c, w1, units, factors, number)
    return c, number


@fast_kernel
def rate_board(
    boards: Boards,
    words: Words,
    p: int,
    w1: Floats,
    w2: Floats,
    b2: Floats,
    last: Boards,
    last_words: Words,
    last_features: Floats,
    totals: Floats,
    features: Floats,
    units: Units,
    factors: Floats,
    hidden: Floats,
    out: Floats,
) -> None:
    """The five chances ``out`` float32[5] of board `p`; the rest as `sum_board`."""
    if has_won(words, p):
        write_result(boards, p, out)
        return
    c, _ = sum_board(
        boards, words, p, w1,
        last, last_words, last_features, totals, features, units, factors,
    )  # fmt: skip
    activate(totals, c, hidden)
    write_outputs(boards, p, c, hidden, w2, b2, out)


@fast_kernel
def rate_all(
    boards: Boards,
    words: Words,
    weights: Weights,
    scratch: Scratch,
    out: Floats,
    rows: Floats,
) -> None:
    """The five chances of boards of which row 0 has moved.

    Args:
        boards: int8[P, 2, 32].
        words: The same memory as uint64[P, 2, 4].
        weights: Of the networks.
        scratch: What `rating_scratch` makes, overwritten.
        out: float32[5], overwritten.
        rows: float32[P, 5], written.
    """
    w1, b1, w2, b2 = weights
    last, last_words, last_features, totals, features, units, factors, hidden = scratch
    for p in range(boards.shape[0]):
        forget(b1, last_words, last_features, totals)
        rate_board(
            boards, words, p, w1, w2, b2,
            last, last_words, last_features, totals,
            features, units, factors, hidden, out,
        )  # fmt: skip
        for k in range(OUTPUTS):
            rows[p, k] = out[k]
