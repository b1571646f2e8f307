"""Kernels of TD(λ): self-play games and the sweep that learns from each.

Source: Tesauro, "Temporal difference learning and TD-Gammon" (1995); Sutton and Barto,
"Reinforcement Learning" (2018), chapter 12 (the λ-return, swept backward at the end of
the game instead of eligibility traces).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._choose import best_play
from bg_agents._inputs import Floats, copy_board
from bg_agents._memory import apart
from bg_agents._net import (
    OUTPUTS,
    Scratch,
    Weights,
    activate,
    forget,
    rating_scratch,
    sum_board,
    write_outputs,
    write_result,
)
from bg_env._jit import fast_kernel
from bg_env.rules._game import apply_decision
from bg_env.rules._plays import write_plays
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import OVER, Boards, PlayArrays, Record, Records, Words
from bg_env.rules.state import Scratch as PlayScratch

LONGEST_GAME: Final = 1000  # turns; a longer game is not learnt from

_16 = np.uint64(16)
_LOW_16 = np.uint64(0xFFFF)
_ONE = np.float32(1)

History = tuple[Boards, Words, Floats]
"""Boards int8[T, 2, 32] after each play, the mover in row 0, the same memory as
uint64[T, 2, 4], chances float32[T, 5] of them."""
Player = tuple[Weights, Scratch, Floats, Floats]
"""Weights and scratch of the network; out float32[5] and back float32[H], overwritten.
"""


def new_history() -> History:
    """Room for the longest game."""
    boards = np.zeros((LONGEST_GAME, 2, 32), np.int8)
    values = np.zeros((LONGEST_GAME, OUTPUTS), np.float32)
    return boards, boards.view(np.uint64), values


def new_player(weights: Weights) -> Player:
    """The weights with scratch memory for the kernels of this module."""
    classes, hidden = weights[1].shape
    return weights, rating_scratch(classes, hidden), apart(OUTPUTS), apart(hidden)


@fast_kernel
def apply_codes(state: Record, codes: Any) -> None:
    """Apply the moves of a play, four codes of 16 bits in a uint64. In place."""
    while codes:
        apply_decision(state, int(np.int64(codes & _LOW_16)))
        codes >>= _16


@fast_kernel
def best_of(
    boards: Boards,
    words: Words,
    number: int,
    player: Player,
    history: History,
    t: int,
) -> int:
    """Index of the play with the highest equity among the first `number`.

    Args:
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        number: How many plays there are, at least 1.
        player: What `new_player` makes.
        history: The chances of the best play are written to row `t`.
        t: Number of the turn.
    """
    weights, scratch, out, back = player
    _, last_words, last_features, totals, _, _, _, _ = scratch
    forget(weights[1], last_words, last_features, totals)
    return best_play(
        boards, words, 0, number, weights, scratch, back, -9.0, out, t, history[2]
    )


@fast_kernel
def play_turn(
    state: Record,
    player: Player,
    plays: PlayArrays,
    scratch: PlayScratch,
    history: History,
    t: int,
) -> None:
    """Roll and make the play the network rates highest. In place.

    Args:
        state: Before the roll.
        player: What `new_player` makes.
        plays: Play buffers.
        scratch: As for `write_plays`.
        history: Row `t` is written: the board after the play, and its chances.
        t: Number of the turn.
    """
    apply_decision(state, ROLL)
    boards, words, codes = plays
    seen, seen_words, _ = history
    number = write_plays(
        state.board, state.words, state.roll, state.left, False, plays, scratch
    )
    if number == 0:
        for side in range(2):
            for i in range(4):
                seen_words[t, side, i] = state.words[side, i]
        best_of(seen[t : t + 1], seen_words[t : t + 1], 1, player, history, t)
        apply_decision(state, PASS)
        return
    best = best_of(boards, words, number, player, history, t)
    copy_board(words, best, seen_words, t)
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
    boards: Boards,
    words: Words,
    p: int,
    target: Floats,
    weights: Weights,
    into: Weights,
    rate: np.float32,
    win_weight: np.float32,
    scratch: Scratch,
    back: Floats,
) -> Any:
    """One gradient step of cross-entropy for board `p`. In place.

    Args:
        boards: int8[P, 2, 32], row 0 has moved.
        words: The same memory as uint64[P, 2, 4].
        p: Which.
        target: float32[5].
        weights: Of the networks.
        into: Where the step is added, in the class of the board: the weights
            themselves, or an array that gathers gradients.
        rate: Learning rate.
        win_weight: How much the winning chance counts, the others counting 1.
        scratch: What `rating_scratch` makes.
        back: float32[H], overwritten.

    Returns:
        The squared error of the winning chance before the step.
    """
    w1, b1, w2, b2 = weights
    last, last_words, last_features, totals, features, units, factors, hidden = scratch
    forget(b1, last_words, last_features, totals)
    c, number = sum_board(
        boards, words, p, w1,
        last, last_words, last_features, totals, features, units, factors,
    )  # fmt: skip
    activate(totals, c, hidden)
    width = hidden.shape[0]
    out = np.empty(OUTPUTS, np.float32)
    write_outputs(boards, p, c, hidden, w2, b2, out)
    to1, to_b1, to2, to_b2 = into
    for j in range(width):
        back[j] = 0
    for k in range(OUTPUTS):
        if (k in (1, 2) and boards[p, 1, 0] > 0) or (k > 2 and boards[p, 0, 0] > 0):
            continue  # an impossible outcome, not the network's to learn
        step = target[k] - out[k]
        if k == 0:
            step *= win_weight
        scaled = rate * step
        for j in range(width):
            back[j] += step * w2[c, k, j]
            to2[c, k, j] += scaled * hidden[j]
        to_b2[c, k] += scaled
    for j in range(width):
        back[j] *= rate * hidden[j] * (_ONE - hidden[j])
        to_b1[c, j] += back[j]
    for i in range(number):
        unit, factor = units[i], factors[i]
        for j in range(width):
            to1[c, unit, j] += factor * back[j]
    error = target[0] - out[0]
    return error * error


@fast_kernel
def learn_from_game(
    history: History,
    turns: int,
    player: Player,
    rate: np.float32,
    win_weight: np.float32,
    trace: np.float32,
) -> Any:
    """Sweep a finished game backward, moving each position to its λ-return. In place.

    Args:
        history: Of the game; the last chances are the result itself.
        turns: How many there are.
        player: What `new_player` makes.
        rate: Learning rate.
        win_weight: As for `learn`.
        trace: λ.

    Returns:
        Mean squared error of the winning chance.
    """
    boards, words, values = history
    weights, scratch, _, back = player
    target = np.empty(OUTPUTS, np.float32)
    mixed = np.empty(OUTPUTS, np.float32)
    for k in range(OUTPUTS):
        target[k] = values[turns - 1, k]
    error = np.float32(0)
    for t in range(turns - 2, -1, -1):
        for k in range(OUTPUTS):
            mixed[k] = trace * target[k] + (_ONE - trace) * values[t + 1, k]
        flip_into(mixed, target)
        error += learn(
            boards,
            words,
            t,
            target,
            weights,
            weights,
            rate,
            win_weight,
            scratch,
            back,
        )
    return error / np.float32(max(turns - 1, 1))


@fast_kernel
def play_game(
    state: Record,
    player: Player,
    plays: PlayArrays,
    scratch: PlayScratch,
    history: History,
) -> int:
    """Play one game against oneself. Returns its turns, 0 if it became too long."""
    turns = 0
    while state.phase != OVER:
        if turns == LONGEST_GAME:
            return 0
        play_turn(state, player, plays, scratch, history, turns)
        turns += 1
    write_result(history[0], turns - 1, history[2][turns - 1])
    return turns


@fast_kernel
def train_games(
    states: Records,
    player: Player,
    rates: NDArray[np.float64],
    win_weight: float,
    trace: float,
    plays: PlayArrays,
    scratch: PlayScratch,
    history: History,
) -> Any:
    """Play and learn from every game in turn. Weights are changed in place.

    Args:
        states: ``STATE_DTYPE[B]`` before their opening roll, streams set.
        player: What `new_player` makes.
        rates: float64[B], the learning rate of each game.
        win_weight: As for `learn`.
        trace: λ.
        plays: Play buffers.
        scratch: As for `write_plays`.
        history: What `new_history` makes.

    Returns:
        Mean over the games of their mean squared error.
    """
    error: Any = 0.0
    for i in range(states.shape[0]):
        turns = play_game(states[i], player, plays, scratch, history)
        if turns > 1:
            error += learn_from_game(
                history,
                turns,
                player,
                np.float32(rates[i]),
                np.float32(win_weight),
                np.float32(trace),
            )
    return error / states.shape[0]
