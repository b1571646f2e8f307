"""Kernels of the networks: one hidden sigmoid layer, five chances.

A network rates the position after a play for the player who has just moved (row 0).
Its first layer is sparse: one row of weights for each unit of `INPUTS`, added only
where checkers stand, and for a play only where they have moved.

Weights are a tuple ``(w1 float32[INPUTS, H], b1 float32[H], w2 float32[5, H],
b2 float32[5])``.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import fast_kernel, kernel, lowest_bit
from bg_env.rules.state import Board, Boards, Words

OUTPUTS: Final = 5  # win, win gammon, win backgammon, lose gammon, lose backgammon
INPUTS: Final = 208  # (side, place 0..25, unit 0..3): side * 104 + place * 4 + unit
_SIDE: Final = 104

Floats = NDArray[np.float32]
Weights = tuple[Floats, Floats, Floats, Floats]
Buffers = tuple[Floats, Floats, Floats]

_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_OFF_UNIT = np.float32(1 / 15)


@fast_kernel
def add_row(total: Floats, rows: Floats, i: int, factor: np.float32) -> None:
    """``total += factor * rows[i]``, float32[H]. In place.

    The row is not handed over as an array of its own: that costs more than the sum.
    """
    for j in range(total.shape[0]):
        total[j] += factor * rows[i, j]


@fast_kernel
def unit_factor(place: int, count: int) -> np.float32:
    """How strongly checker number `count` of a place feeds its unit (Tesauro)."""
    if place == 0:
        return _OFF_UNIT
    if place == 25 or count > 3:
        return _HALF
    return _ONE


@fast_kernel
def unit_of(side: int, place: int, count: int) -> int:
    """The input unit that checker number `count` (1..15) of a place feeds.

    On a point the first three checkers have a unit each, all others share one; on the
    bar and off the board all share one.
    """
    unit = side * _SIDE + place * 4
    if place == 0 or place == 25:
        return unit
    return unit + min(count, 4) - 1


@fast_kernel
def change_place(
    total: Floats, w1: Floats, side: int, place: int, before: int, after: int
) -> None:
    """Update the sums of the hidden layer for a place whose count changes."""
    for count in range(before + 1, after + 1):
        add_row(total, w1, unit_of(side, place, count), unit_factor(place, count))
    for count in range(after + 1, before + 1):
        add_row(total, w1, unit_of(side, place, count), -unit_factor(place, count))


@fast_kernel
def sum_inputs(board: Board, weights: Weights, total: Floats) -> None:
    """Write the sums of the hidden layer for a board to ``total`` float32[H]."""
    w1, b1 = weights[0], weights[1]
    for j in range(total.shape[0]):
        total[j] = b1[j]
    for side in range(2):
        for place in range(26):
            count = int(board[side, place])
            if count:
                change_place(total, w1, side, place, 0, count)


@fast_kernel
def change_inputs(
    before: Board,
    before_words: Words,
    boards: Boards,
    words: Words,
    p: int,
    w1: Floats,
    total: Floats,
) -> None:
    """Turn the sums of one board into those of board `p`, which differs a little."""
    for side in range(2):
        for i in range(4):
            changed = before_words[side, i] ^ words[p, side, i]
            while changed:
                byte = lowest_bit(int(np.int64(changed))) >> 3
                changed &= ~(np.uint64(255) << np.uint64(8 * byte))
                place = 8 * i + byte
                old, new = int(before[side, place]), int(boards[p, side, place])
                change_place(total, w1, side, place, old, new)


@fast_kernel
def activate(total: Floats, hidden: Floats) -> None:
    """Sigmoid of float32[H]: (1 + tanh(x / 2)) / 2, tanh by a Padé quotient."""
    limit = np.float32(4.97)
    for j in range(total.shape[0]):
        y = min(max(total[j] * _HALF, -limit), limit)
        s = y * y
        top = y * (
            np.float32(135135) + s * (np.float32(17325) + s * (np.float32(378) + s))
        )
        bottom = np.float32(135135) + s * (
            np.float32(62370) + s * (np.float32(3150) + s * np.float32(28))
        )
        hidden[j] = _HALF + _HALF * (top / bottom)


@fast_kernel
def write_outputs(board: Board, hidden: Floats, weights: Weights, out: Floats) -> None:
    """The five chances float32[5] from the hidden layer, impossible ones set to 0.

    A side that has borne off a checker cannot lose a gammon.
    """
    w2, b2 = weights[2], weights[3]
    for k in range(OUTPUTS):
        total = np.float32(0)
        for j in range(hidden.shape[0]):
            total += w2[k, j] * hidden[j]
        out[k] = _ONE / (_ONE + np.float32(math.exp(-(total + b2[k]))))
    if board[1, 0] > 0:
        out[1] = 0
        out[2] = 0
    if board[0, 0] > 0:
        out[3] = 0
        out[4] = 0


@fast_kernel
def equity_of(out: Floats) -> Any:
    """Cubeless money equity of five chances."""
    return np.float32(2) * out[0] - _ONE + out[1] + out[2] - out[3] - out[4]


@kernel
def write_result(board: Board, out: Floats) -> None:
    """The exact chances of a finished game that row 0 has won (R17)."""
    out[0] = 1
    out[3] = 0
    out[4] = 0
    far = 0
    for place in range(19, 26):
        far += int(board[1, place])
    out[1] = 0 if board[1, 0] else 1
    out[2] = 1 if far and board[1, 0] == 0 else 0


@fast_kernel
def has_won(board: Board) -> bool:
    """True when row 0 has no checker left on points or bar."""
    left = 0
    for place in range(1, 26):
        left += int(board[0, place])
    return left == 0


@fast_kernel
def rate_board(
    board: Board, total: Floats, weights: Weights, hidden: Floats, out: Floats
) -> None:
    """The five chances of a board whose hidden sums are known. In place."""
    if has_won(board):
        write_result(board, out)
        return
    activate(total, hidden)
    write_outputs(board, hidden, weights, out)


@fast_kernel
def best_of(
    base: Board,
    base_words: Words,
    boards: Boards,
    words: Words,
    number: int,
    weights: Weights,
    buffers: Buffers,
    best_out: Floats,
) -> int:
    """Index of the play with the highest equity among the first `number`.

    Args:
        base: int8[2, 32] before the play.
        base_words: The same memory as uint64[2, 4].
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        number: How many plays there are, at least 1.
        weights: Of the network.
        buffers: float32[H] three times: sums of the base, of a play, hidden layer.
        best_out: float32[5], written: the chances of the best play.
    """
    base_total, total, hidden = buffers
    w1 = weights[0]
    sum_inputs(base, weights, base_total)
    out = np.empty(OUTPUTS, np.float32)
    best = 0
    best_equity = np.float32(-9)
    for p in range(number):
        for j in range(total.shape[0]):
            total[j] = base_total[j]
        change_inputs(base, base_words, boards, words, p, w1, total)
        rate_board(boards[p], total, weights, hidden, out)
        equity = equity_of(out)
        if equity > best_equity:
            best_equity = equity
            best = p
            for k in range(OUTPUTS):
                best_out[k] = out[k]
    return best


@fast_kernel
def choose_all(
    base: Boards,
    base_words: Words,
    boards: Boards,
    words: Words,
    offsets: NDArray[np.int64],
    weights: Weights,
    buffers: Buffers,
    chosen: NDArray[np.int64],
) -> None:
    """`best_of` for many games: writes ``chosen`` int64[B], indices into `boards`."""
    best_out = np.empty(OUTPUTS, np.float32)
    for i in range(base.shape[0]):
        start, end = offsets[i], offsets[i + 1]
        chosen[i] = start + best_of(
            base[i],
            base_words[i],
            boards[start:end],
            words[start:end],
            end - start,
            weights,
            buffers,
            best_out,
        )


@fast_kernel
def rate_all(
    boards: Boards,
    weights: Weights,
    buffers: Buffers,
    out: Floats,
) -> None:
    """The five chances of boards of which row 0 has moved: ``out`` float32[P, 5]."""
    total, _, hidden = buffers
    for p in range(boards.shape[0]):
        sum_inputs(boards[p], weights, total)
        rate_board(boards[p], total, weights, hidden, out[p])
