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
def add_to(source: Floats, k: int, rows: Floats, i: int, factor: np.float32) -> None:
    """``source[k + 1] = source[k] + factor * rows[i]``: float32[., H]. In place."""
    for j in range(source.shape[1]):
        source[k + 1, j] = source[k, j] + factor * rows[i, j]


@fast_kernel
def follow_move(
    trail: Boards, totals: Floats, k: int, source: int, die: int, w1: Floats
) -> None:
    """Make move number `k` of a play: ``trail[k + 1]`` and ``totals[k + 1]``.

    Args:
        trail: int8[5, 2, 32], boards before each move, the mover in row 0.
        totals: float32[5, H], sums of the hidden layer for each of them.
        k: 0 for the first move.
        source: Where the checker stands.
        die: How far it moves.
        w1: Weights of the first layer.
    """
    target = max(source - die, 0)
    for row in range(2):
        for place in range(32):
            trail[k + 1, row, place] = trail[k, row, place]
    count = int(trail[k, 0, source])
    left = unit_of(0, source, count)
    add_to(totals, k, w1, left, -unit_factor(source, count))
    trail[k + 1, 0, source] = count - 1
    count = int(trail[k, 0, target]) + 1
    come = unit_of(0, target, count)
    add_row(totals[k + 1], w1, come, unit_factor(target, count))
    trail[k + 1, 0, target] = count
    if target > 0 and trail[k, 1, 25 - target] == 1:
        blot = unit_of(1, 25 - target, 1)
        add_row(totals[k + 1], w1, blot, -unit_factor(25 - target, 1))
        trail[k + 1, 1, 25 - target] = 0
        count = int(trail[k, 1, 25]) + 1
        add_row(totals[k + 1], w1, unit_of(1, 25, count), unit_factor(25, count))
        trail[k + 1, 1, 25] = count


@fast_kernel
def first_new_move(codes: NDArray[np.uint64], p: int) -> int:
    """Number of the first move in which play `p` differs from the one before it."""
    if p == 0:
        return 0
    return lowest_bit(int(np.int64(codes[p] ^ codes[p - 1]))) >> 4


@fast_kernel
def follow_play(
    codes: NDArray[np.uint64], p: int, trail: Boards, totals: Floats, w1: Floats
) -> int:
    """Make the moves of play `p` that it does not share with the one before it.

    Plays come in an order in which neighbours begin alike, so that most need one move.

    Returns:
        Number of moves of the play: where its sums are.
    """
    k = first_new_move(codes, p)
    rest = codes[p] >> np.uint64(16 * k)
    while rest:
        code = int(np.int64(rest & np.uint64(0xFFFF))) - 1
        follow_move(trail, totals, k, code // 6 + 1, code % 6 + 1, w1)
        rest >>= np.uint64(16)
        k += 1
    return k


@fast_kernel
def best_of(
    base: Board,
    boards: Boards,
    codes: NDArray[np.uint64],
    number: int,
    weights: Weights,
    totals: Floats,
    trail: Boards,
    hidden: Floats,
    best_out: Floats,
) -> int:
    """Index of the play with the highest equity among the first `number`.

    Args:
        base: int8[2, 32] before the play.
        boards: int8[P, 2, 32] after each play.
        codes: uint64[P], the moves of each play as `write_plays` gives them.
        number: How many plays there are, at least 1.
        weights: Of the network.
        totals: float32[5, H], overwritten.
        trail: int8[5, 2, 32], overwritten.
        hidden: float32[H], overwritten.
        best_out: float32[5], written: the chances of the best play.
    """
    w1 = weights[0]
    trail[0] = base
    sum_inputs(base, weights, totals[0])
    out = np.empty(OUTPUTS, np.float32)
    best = 0
    best_equity = np.float32(-9)
    for p in range(number):
        k = follow_play(codes, p, trail, totals, w1)
        rate_board(boards[p], totals[k], weights, hidden, out)
        equity = equity_of(out)
        if equity > best_equity:
            best_equity = equity
            best = p
            for i in range(OUTPUTS):
                best_out[i] = out[i]
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
    """The play of highest equity of each of many games.

    Args:
        base: int8[B, 2, 32] before the plays.
        base_words: The same memory as uint64[B, 2, 4].
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        offsets: int64[B + 1], as for `PlayChooser.choose`.
        weights: Of the network.
        buffers: float32[H] three times, overwritten.
        chosen: int64[B], written: indices into `boards`.
    """
    base_total, total, hidden = buffers
    w1 = weights[0]
    out = np.empty(OUTPUTS, np.float32)
    for i in range(base.shape[0]):
        sum_inputs(base[i], weights, base_total)
        best_equity = np.float32(-9)
        for p in range(offsets[i], offsets[i + 1]):
            for j in range(total.shape[0]):
                total[j] = base_total[j]
            change_inputs(base[i], base_words[i], boards, words, p, w1, total)
            rate_board(boards[p], total, weights, hidden, out)
            equity = equity_of(out)
            if equity > best_equity:
                best_equity = equity
                chosen[i] = p


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
