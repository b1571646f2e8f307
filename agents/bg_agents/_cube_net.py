"""Kernels of a network that has learnt the cube: equities by where the cube lies.

It is a network as in `bg_agents._net` whose hidden and output units also see one more
input of four: where the cube lies, for the player who has just moved. Its five outputs
are chances as the cube makes them: what their equity says is points for a cube of 1,
with all doubles to come.

The network says what a position is worth if the player on roll, the other one, does not
double now. What it is worth before that choice follows (`settle`): he doubles if that
is worse for the one who has moved, who takes or drops as is better for himself.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bg_agents._inputs import Floats
from bg_agents._memory import apart
from bg_agents._net import (
    OUTPUTS,
    Scratch,
    activate,
    equity_of,
    forget,
    has_won,
    rating_scratch,
    sum_board,
    write_result,
)
from bg_env._jit import fast_kernel
from bg_env.rules.state import Boards, Words
from bg_env.search.learnt_cube import CENTRED, JACOBY, OTHER, OWN, PLACES

MIRRORED: Final = np.array([CENTRED, OTHER, OWN, JACOBY])
"""The same places seen by the other player."""

CubeWeights = tuple[Floats, Floats, Floats, Floats, Floats, Floats]
"""Those of the network, then the weights of the places to the hidden units, float32[C,
4, H], and to the outputs, float32[C, 4, 5]."""
CubeScratch = tuple[Scratch, Floats, Floats]
"""Scratch of the network; sums with a place float32[1, H]; outputs float32[4, 5]."""

_SIGNS: Final = np.array([2, 1, 1, -1, -1], np.float32)  # of an equity
_COUNTS: Final = np.array([1, 2, 1, 1], np.float32)  # every double hangs on one's own
_ONE = np.float32(1)
_TWO = np.float32(2)


def cube_scratch(classes: int, hidden: int) -> CubeScratch:
    """New memory for the kernels that rate positions with the cube."""
    return rating_scratch(classes, hidden), apart(1, hidden), apart(PLACES, OUTPUTS)


@fast_kernel
def write_place(
    boards: Boards,
    p: int,
    c: int,
    place: int,
    weights: CubeWeights,
    totals: Floats,
    sums: Floats,
    hidden: Floats,
    outputs: Floats,
) -> None:
    """Row ``place`` of ``outputs`` float32[4, 5] from the sums of the hidden layer.

    Args:
        boards: int8[P, 2, 32], row 0 has moved.
        p: Which.
        c: Its class.
        place: Where the cube lies.
        weights: Of the network.
        totals: float32[C, H], the sums without the cube.
        sums: float32[1, H], overwritten.
        hidden: float32[H], written: the hidden units.
        outputs: Written; impossible outcomes are 0.
    """
    _, _, w2, b2, to_hidden, to_outputs = weights
    for j in range(hidden.shape[0]):
        sums[0, j] = totals[c, j] + to_hidden[c, place, j]
    activate(sums, 0, hidden)
    for k in range(OUTPUTS):
        if is_impossible(boards, p, place, k):
            outputs[place, k] = 0
            continue
        total = b2[c, k] + to_outputs[c, place, k]
        for j in range(hidden.shape[0]):
            total += w2[c, k, j] * hidden[j]
        outputs[place, k] = _ONE / (_ONE + np.float32(math.exp(-total)))


@fast_kernel
def is_impossible(boards: Boards, p: int, place: int, k: int) -> bool:
    """Whether outcome `k` cannot be: a gammon that does not count or cannot happen."""
    if k == 0:
        return False
    loser = 1 if k <= 2 else 0
    return bool(place == JACOBY or boards[p, loser, 0] > 0)


@fast_kernel
def rate_places(
    boards: Boards,
    words: Words,
    p: int,
    weights: CubeWeights,
    scratch: CubeScratch,
    rates: Floats,
) -> None:
    """What board `p` is worth, without a double now, wherever the cube lies.

    Args:
        boards: int8[P, 2, 32], row 0 has moved.
        words: The same memory as uint64[P, 2, 4].
        p: Which.
        weights: Of the network.
        scratch: What `cube_scratch` makes; boards alike the last one are rated fast.
        rates: float32[4], written: points for a cube of 1; of finished games what
            they are worth.
    """
    net_scratch, sums, outputs = scratch
    last, last_words, last_features, totals, features, units, factors, hidden = (
        net_scratch
    )
    if has_won(words, p):
        write_result(boards, p, outputs[0])
        for place in range(PLACES):
            rates[place] = equity_of(outputs[0])
        rates[JACOBY] = _ONE
        return
    c, _ = sum_board(
        boards, words, p, weights[0],
        last, last_words, last_features, totals, features, units, factors,
    )  # fmt: skip
    for place in range(PLACES):
        write_place(boards, p, c, place, weights, totals, sums, hidden, outputs)
        rates[place] = equity_of(outputs[place])


@fast_kernel
def settle(rates: Floats, is_over: bool, worths: Floats) -> None:
    """What a position is worth before the other player decides whether to double.

    Args:
        rates: float32[4], what `rate_places` writes.
        is_over: Nobody doubles any more.
        worths: float32[4], written.
    """
    doubled = max(_TWO * rates[OWN], -_ONE)
    for place in range(PLACES):
        worths[place] = rates[place]
        if place != OWN and not is_over:
            worths[place] = min(rates[place], doubled)


@fast_kernel
def rate_all_places(
    boards: Boards,
    words: Words,
    weights: CubeWeights,
    scratch: CubeScratch,
    rows: Floats,
) -> None:
    """`rate_places` of many boards into ``rows`` float32[P, 4], each by itself."""
    _, last_words, last_features, totals, _, _, _, _ = scratch[0]
    for p in range(boards.shape[0]):
        forget(weights[1], last_words, last_features, totals)
        rate_places(boards, words, p, weights, scratch, rows[p])


@fast_kernel
def add_place_gradient(
    boards: Boards,
    p: int,
    c: int,
    place: int,
    error: np.float32,
    w2: Floats,
    into: CubeWeights,
    hidden: Floats,
    outputs: Floats,
    back: Floats,
) -> None:
    """Add the gradient of one place but for the first layer. In place.

    Args:
        boards: int8[P, 2, 32], row 0 has moved.
        p: Which.
        c: Its class.
        place: Where the cube lies.
        error: By how much its equity is too low.
        w2: Weights of the outputs.
        into: Where the gradient is added.
        hidden: float32[H] of this place.
        outputs: float32[4, 5].
        back: float32[2, H]: row 0 is overwritten, the gradient of the sums of the
            hidden units is added to row 1.
    """
    _, _, to2, to_b2, to_places, to_outputs = into
    width = hidden.shape[0]
    for j in range(width):
        back[0, j] = 0
    for k in range(OUTPUTS):
        if is_impossible(boards, p, place, k):
            continue
        out = outputs[place, k]
        step = _SIGNS[k] * error * out * (_ONE - out)
        for j in range(width):
            back[0, j] += step * w2[c, k, j]
            to2[c, k, j] += step * hidden[j]
        to_b2[c, k] += step
        to_outputs[c, place, k] += step
    for j in range(width):
        change = back[0, j] * hidden[j] * (_ONE - hidden[j])
        to_places[c, place, j] += change
        back[1, j] += change


@fast_kernel
def learn_places(
    boards: Boards,
    words: Words,
    p: int,
    targets: Floats,
    weights: CubeWeights,
    into: CubeWeights,
    scratch: CubeScratch,
    back: Floats,
) -> float:
    """Add the downhill gradient of half the squared errors of board `p`. In place.

    That of one's own cube counts twice: it is what a double that is taken leaves.

    Args:
        boards: int8[P, 2, 32], row 0 has moved; the game is not over.
        words: The same memory as uint64[P, 2, 4].
        p: Which.
        targets: float32[P, 4], of all boards.
        weights: Of the network.
        into: Where the gradient is added.
        scratch: What `cube_scratch` makes.
        back: float32[2, H], overwritten.

    Returns:
        Mean of the squared errors of the four equities.
    """
    net_scratch, sums, outputs = scratch
    last, last_words, last_features, totals, features, units, factors, hidden = (
        net_scratch
    )
    forget(weights[1], last_words, last_features, totals)
    c, number = sum_board(
        boards, words, p, weights[0],
        last, last_words, last_features, totals, features, units, factors,
    )  # fmt: skip
    to1, to_b1, _, _, _, _ = into
    width = hidden.shape[0]
    for j in range(width):
        back[1, j] = 0
    squares = np.float32(0)
    for place in range(PLACES):
        write_place(boards, p, c, place, weights, totals, sums, hidden, outputs)
        error = targets[p, place] - equity_of(outputs[place])
        squares += error * error
        error *= _COUNTS[place]
        add_place_gradient(
            boards, p, c, place, error, weights[2], into, hidden, outputs, back
        )
    for j in range(width):
        to_b1[c, j] += back[1, j]
    for i in range(number):
        unit, factor = units[i], factors[i]
        for j in range(width):
            to1[c, unit, j] += factor * back[1, j]
    return float(squares / np.float32(PLACES))
