"""Kernels of TD(λ): self-play games and the sweep that learns from each.

Source: Tesauro, "Temporal difference learning and TD-Gammon" (1995); Sutton and Barto,
"Reinforcement Learning" (2018), chapter 12 (the λ-return, swept backward at the end of
the game instead of eligibility traces).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._net import (
    OUTPUTS,
    Floats,
    Weights,
    activate,
    best_of,
    sum_inputs,
    unit_factor,
    unit_of,
    write_outputs,
    write_result,
)
from bg_env._jit import fast_kernel
from bg_env.rules._game import apply_decision
from bg_env.rules._plays import write_plays
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import OVER, Board, Boards, PlayArrays, Record, Records, Scratch

LONGEST_GAME: Final = 1000  # turns; a longer game is not learnt from

_16 = np.uint64(16)
_LOW_16 = np.uint64(0xFFFF)
_ONE = np.float32(1)

History = tuple[Boards, Floats]
Buffers = tuple[Floats, Boards, Floats, Floats]  # totals, trail, hidden, back


def training_buffers(hidden: int) -> Buffers:
    """New scratch memory for the kernels of this module."""
    totals = np.zeros((5, hidden), np.float32)
    trail = np.zeros((5, 2, 32), np.int8)
    return totals, trail, np.zeros(hidden, np.float32), np.zeros(hidden, np.float32)


@fast_kernel
def apply_codes(state: Record, codes: Any) -> None:
    """Apply the moves of a play, four codes of 16 bits in a uint64. In place."""
    while codes:
        apply_decision(state, int(np.int64(codes & _LOW_16)))
        codes >>= _16


@fast_kernel
def play_turn(
    state: Record,
    weights: Weights,
    plays: PlayArrays,
    scratch: Scratch,
    buffers: Buffers,
    board: Board,
    out: Floats,
) -> None:
    """Roll and make the play the network rates highest. In place.

    Args:
        state: Before the roll.
        weights: Of the network.
        plays: Play buffers.
        scratch: As for `write_plays`.
        buffers: What `training_buffers` makes.
        board: int8[2, 32], written: the board after the play, the mover in row 0.
        out: float32[5], written: the network's chances of it for the mover.
    """
    apply_decision(state, ROLL)
    boards, _, codes = plays
    totals, trail, hidden, _ = buffers
    number = write_plays(
        state.board, state.words, state.roll, state.left, False, plays, scratch
    )
    if number == 0:
        board[:] = state.board
        sum_inputs(board, weights, totals[0])
        activate(totals[0], hidden)
        write_outputs(board, hidden, weights, out)
        apply_decision(state, PASS)
        return
    best = best_of(
        state.board, boards, codes, number, weights, totals, trail, hidden, out
    )
    board[:] = boards[best]
    apply_codes(state, codes[best])


@fast_kernel
def flip_into(values: Floats, flipped: Floats) -> None:
    """The five chances float32[5] seen by the other player."""
    flipped[0] = _ONE - values[0]
    flipped[1] = values[3]
    flipped[2] = values[4]
    flipped[3] = values[1]
    flipped[4] = values[2]


@fast_kernel
def learn(
    board: Board,
    target: Floats,
    weights: Weights,
    rate: np.float32,
    buffers: Buffers,
    out: Floats,
) -> Any:
    """One gradient step of cross-entropy towards `target` float32[5]. In place.

    Returns:
        The squared error of the winning chance before the step.
    """
    w1, b1, w2, b2 = weights
    totals, _, hidden, back = buffers
    sum_inputs(board, weights, totals[0])
    activate(totals[0], hidden)
    write_outputs(board, hidden, weights, out)
    for j in range(back.shape[0]):
        back[j] = 0
    for k in range(OUTPUTS):
        if (k in (1, 2) and board[1, 0] > 0) or (k > 2 and board[0, 0] > 0):
            continue  # an impossible outcome, not the network's to learn
        step = target[k] - out[k]
        scaled = rate * step
        for j in range(back.shape[0]):
            back[j] += step * w2[k, j]
            w2[k, j] += scaled * hidden[j]
        b2[k] += scaled
    for j in range(back.shape[0]):
        back[j] *= rate * hidden[j] * (_ONE - hidden[j])
        b1[j] += back[j]
    for side in range(2):
        for place in range(26):
            for count in range(1, int(board[side, place]) + 1):
                unit = unit_of(side, place, count)
                factor = unit_factor(place, count)
                for j in range(back.shape[0]):
                    w1[unit, j] += factor * back[j]
    error = target[0] - out[0]
    return error * error


@fast_kernel
def learn_from_game(
    history: History,
    turns: int,
    weights: Weights,
    rate: np.float32,
    trace: np.float32,
    buffers: Buffers,
) -> Any:
    """Sweep a finished game backward, moving each position to its λ-return. In place.

    Args:
        history: Boards int8[T, 2, 32] after each play, the mover in row 0, and the
            network's chances float32[T, 5] of them; the last is the result itself.
        turns: How many there are.
        weights: Of the network.
        rate: Learning rate.
        trace: λ.
        buffers: What `training_buffers` makes.

    Returns:
        Mean squared error of the winning chance.
    """
    boards, values = history
    target = np.empty(OUTPUTS, np.float32)
    mixed = np.empty(OUTPUTS, np.float32)
    out = np.empty(OUTPUTS, np.float32)
    for k in range(OUTPUTS):
        target[k] = values[turns - 1, k]
    error = np.float32(0)
    for t in range(turns - 2, -1, -1):
        for k in range(OUTPUTS):
            mixed[k] = trace * target[k] + (_ONE - trace) * values[t + 1, k]
        flip_into(mixed, target)
        error += learn(boards[t], target, weights, rate, buffers, out)
    return error / np.float32(max(turns - 1, 1))


@fast_kernel
def play_game(
    state: Record,
    weights: Weights,
    plays: PlayArrays,
    scratch: Scratch,
    buffers: Buffers,
    history: History,
) -> int:
    """Play one game against oneself. Returns its turns, 0 if it became too long."""
    boards, values = history
    turns = 0
    while state.phase != OVER:
        if turns == LONGEST_GAME:
            return 0
        play_turn(state, weights, plays, scratch, buffers, boards[turns], values[turns])
        turns += 1
    write_result(boards[turns - 1], values[turns - 1])
    return turns


@fast_kernel
def annealed(first: float, last: float, done: float) -> np.float32:
    """A rate that falls geometrically from `first` to `last` as `done` goes 0 to 1."""
    return np.float32(first * math.exp(math.log(last / first) * done))


@fast_kernel
def train_games(
    states: Records,
    weights: Weights,
    rates: NDArray[np.float64],
    trace: float,
    plays: PlayArrays,
    scratch: Scratch,
    buffers: Buffers,
    history: History,
) -> Any:
    """Play and learn from every game in turn. Weights are changed in place.

    Args:
        states: ``STATE_DTYPE[B]`` before their opening roll, streams set.
        weights: Of the network.
        rates: float64[B], the learning rate of each game.
        trace: λ.
        plays: Play buffers.
        scratch: As for `write_plays`.
        buffers: What `training_buffers` makes.
        history: Room for `LONGEST_GAME` turns: boards and values.

    Returns:
        Mean over the games of their mean squared error.
    """
    error: Any = 0.0
    for i in range(states.shape[0]):
        turns = play_game(states[i], weights, plays, scratch, buffers, history)
        if turns > 1:
            error += learn_from_game(
                history,
                turns,
                weights,
                np.float32(rates[i]),
                np.float32(trace),
                buffers,
            )
    return error / states.shape[0]
