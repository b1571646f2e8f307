"""Kernels that teach a sieve the order in which a network puts the plays of a roll.

The network plays games with itself and rates all plays of each roll. The sieve learns
which of them are the best: for a roll the target is softmax(equities / T), what the
sieve says is softmax(worths / T), and the loss is the cross-entropy of the two. Only
differences within a roll count, and those among the plays that are near the best by
either's view. Source: Cao et al., "Learning to rank: from pairwise approach to listwise
approach" (2007).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._inputs import LONGEST, Floats, Units, copy_board, list_changes
from bg_agents._memory import apart
from bg_agents._net import (
    Scratch,
    Weights,
    equity_of,
    forget,
    has_won,
    rate_board,
)
from bg_agents._sieve import Sieve, least_worth, worth_of
from bg_agents._td import LONGEST_GAME, apply_codes
from bg_env._jit import fast_kernel
from bg_env.rules._game import apply_decision
from bg_env.rules._plays import write_plays
from bg_env.rules._random import below
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.movegen import MOST_PLAYS
from bg_env.rules.state import OVER, Boards, PlayArrays, Record, Records, Words
from bg_env.rules.state import Scratch as PlayScratch

PLAYS: Final = 1600  # of a game, in the mean, at most
ROLLS: Final = 90  # likewise

Rated = tuple[Boards, Words, Floats, NDArray[np.int64]]
"""Boards int8[P, 2, 32] after each play, row 0 has moved, the same memory as uint64[P,
2, 4], equities float32[P]; plays of roll i are offsets[i] .. offsets[i + 1] − 1,
int64[R + 1]."""
UnitScratch = tuple[Boards, Words, Units, Floats]
"""An empty board int8[1, 2, 32], the same memory as uint64[1, 2, 4]; units and factors
[LONGEST], overwritten."""
RawWeights = tuple[Floats, Floats, Floats]
"""Of a sieve, or its gradients: w1 float32[208, H], b1 float32[H], w2 float32[H]."""

_THOUSAND: Final = 1000
_ZERO = np.float32(0)
_NOTHING = np.float32(1e-5)  # steps below are not taken, to save time


def new_rated(games: int) -> Rated:
    """Room for the rolls of some games."""
    boards = np.zeros((PLAYS * games + MOST_PLAYS, 2, 32), np.int8)
    values = np.zeros(len(boards), np.float32)
    offsets = np.zeros(ROLLS * games + LONGEST_GAME, np.int64)
    return boards, boards.view(np.uint64), values, offsets


def learning_scratch(hidden: int) -> tuple[UnitScratch, Floats, Floats]:
    """New memory for `learn_rolls`."""
    empty = np.zeros((1, 2, 32), np.int8)
    units, factors = np.zeros(LONGEST, np.int64), apart(LONGEST)
    return (
        (empty, empty.view(np.uint64), units, factors),
        apart(MOST_PLAYS, hidden),
        apart(MOST_PLAYS),
    )


@fast_kernel
def rate_plays(
    boards: Boards,
    words: Words,
    number: int,
    weights: Weights,
    scratch: Scratch,
    out: Floats,
    values: Floats,
) -> int:
    """Write the equities of the plays of a roll. Returns the index of the best.

    Args:
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        number: How many plays there are, at least 1.
        weights: Of the networks.
        scratch: What `rating_scratch` makes.
        out: float32[5], overwritten.
        values: float32[P], written.
    """
    w1, b1, w2, b2 = weights
    last, last_words, last_features, totals, features, units, factors, hidden = scratch
    forget(b1, last_words, last_features, totals)
    best = 0
    for p in range(number):
        rate_board(
            boards, words, p, w1, w2, b2,
            last, last_words, last_features, totals,
            features, units, factors, hidden, out,
        )  # fmt: skip
        values[p] = equity_of(out)
        if values[p] > values[best]:
            best = p
    return best


@fast_kernel
def add_roll(
    words: Words, number: int, values: Floats, rated: Rated, rolls: int
) -> int:
    """Append the plays of a roll, where there is a choice and room.

    Rolls that can end the game are left out: its end is never ruled out.

    Returns:
        How many rolls there are now.
    """
    _, to_words, equities, offsets = rated
    start = offsets[rolls]
    if number < 2 or rolls + 1 >= offsets.shape[0]:
        return rolls
    if start + number > equities.shape[0]:
        return rolls
    for p in range(number):
        if has_won(words, p):
            return rolls
        copy_board(words, p, to_words, start + p)
        equities[start + p] = values[p]
    offsets[rolls + 1] = start + number
    return rolls + 1


@fast_kernel
def play_rated_game(
    state: Record,
    weights: Weights,
    scratch: Scratch,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    odd: float,
    rated: Rated,
    rolls: int,
) -> int:
    """Play one game and append its rolls. Returns how many there are now."""
    boards, words, codes = plays
    out = np.empty(5, np.float32)
    values = np.empty(MOST_PLAYS, np.float32)
    stream = np.full(1, state.choice_stream)
    for _ in range(LONGEST_GAME):
        if state.phase == OVER:
            break
        apply_decision(state, ROLL)
        number = write_plays(
            state.board, state.words, state.roll, state.left, False, plays, play_scratch
        )
        if number == 0:
            apply_decision(state, PASS)
            continue
        best = 0
        if number > 1:
            best = rate_plays(boards, words, number, weights, scratch, out, values)
        rolls = add_roll(words, number, values, rated, rolls)
        if below(stream, 0, _THOUSAND) < odd * _THOUSAND:
            best = below(stream, 0, number)
        apply_codes(state, codes[best])
    return rolls


@fast_kernel
def rated_games(
    states: Records,
    weights: Weights,
    scratch: Scratch,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    odd: float,
    rated: Rated,
) -> int:
    """Play games with a network and write all plays of their rolls.

    Args:
        states: ``STATE_DTYPE[B]`` before their opening roll, streams set.
        weights: Of the networks.
        scratch: What `rating_scratch` makes.
        plays: Play buffers.
        play_scratch: As for `write_plays`.
        odd: The share of the turns in which any play is made, not the best one, so
            that odd positions are met, too.
        rated: What `new_rated` makes, written in place.

    Returns:
        How many rolls there are.
    """
    rolls = 0
    for i in range(states.shape[0]):
        rolls = play_rated_game(
            states[i], weights, scratch, plays, play_scratch, odd, rated, rolls
        )
    return rolls


@fast_kernel
def list_units(boards: Boards, words: Words, p: int, scratch: UnitScratch) -> int:
    """Write the units that board `p` feeds, and how strongly. Returns how many."""
    empty, empty_words, units, factors = scratch
    return list_changes(empty, empty_words, 0, boards, words, p, units, factors)


@fast_kernel
def sum_units(
    count: int, weights: RawWeights, scratch: UnitScratch, sums: Floats, row: int
) -> None:
    """Write the sums of the hidden layer to ``sums[row]``, after `list_units`."""
    w1, b1, _ = weights
    _, _, units, factors = scratch
    for j in range(b1.shape[0]):
        sums[row, j] = b1[j]
    for k in range(count):
        unit, factor = units[k], factors[k]
        for j in range(b1.shape[0]):
            sums[row, j] += factor * w1[unit, j]


@fast_kernel
def add_back(
    count: int,
    step: Any,
    weights: RawWeights,
    gradients: RawWeights,
    scratch: UnitScratch,
    sums: Floats,
    row: int,
) -> None:
    """Add what would raise the worth of a board by a step.

    Args:
        count: What `list_units` has said of this board.
        step: How much its worth should rise.
        weights: Of the sieve.
        gradients: Of the same shapes, changed.
        scratch: As `list_units` has left it.
        sums: float32[P, H], overwritten.
        row: Where `sum_units` has written.
    """
    to_w1, to_b1, to_w2 = gradients
    w2 = weights[2]
    _, _, units, factors = scratch
    for j in range(w2.shape[0]):
        unit_sum = sums[row, j]
        to_w2[j] += step * max(unit_sum, _ZERO)
        sums[row, j] = step * w2[j] if unit_sum > 0 else _ZERO
        to_b1[j] += sums[row, j]
    for k in range(count):
        unit, factor = units[k], factors[k]
        for j in range(w2.shape[0]):
            to_w1[unit, j] += factor * sums[row, j]


@fast_kernel
def write_steps(values: Floats, temperature: Any, steps: Floats) -> Any:
    """Replace worths by the difference of the softmaxes: what each should rise by.

    Args:
        values: float32[P], the equities.
        temperature: T.
        steps: float32[≥ P], the worths; overwritten.

    Returns:
        Half the sum of the absolute differences.
    """
    number = values.shape[0]
    high, high_worth = values[0], steps[0]
    for p in range(1, number):
        high = max(high, values[p])
        high_worth = max(high_worth, steps[p])
    total, total_worth = _ZERO, _ZERO
    for p in range(number):
        total += np.float32(math.exp((values[p] - high) / temperature))
        steps[p] = np.float32(math.exp((steps[p] - high_worth) / temperature))
        total_worth += steps[p]
    error = _ZERO
    for p in range(number):
        share = np.float32(math.exp((values[p] - high) / temperature)) / total
        steps[p] = share - steps[p] / total_worth
        error += abs(steps[p])
    return error / np.float32(2)


@fast_kernel
def learn_rolls(
    rated: Rated,
    picks: NDArray[np.int64],
    weights: RawWeights,
    gradients: RawWeights,
    temperature: float,
    scratch: UnitScratch,
    sums: Floats,
    steps: Floats,
) -> Any:
    """Add the downhill gradients of some rolls to `gradients`. In place.

    Args:
        rated: Their plays.
        picks: int64[N], which rolls.
        weights: Of the sieve.
        gradients: Of the same shapes.
        temperature: T of the softmax.
        scratch: What `learning_scratch` makes, as the two that follow.
        sums: float32[P, H], overwritten.
        steps: float32[P], overwritten.

    Returns:
        The sum over the rolls of half the absolute differences of the two softmaxes.
    """
    boards, words, values, offsets = rated
    error: Any = 0.0
    for i in range(picks.shape[0]):
        start = offsets[picks[i]]
        number = offsets[picks[i] + 1] - start
        for p in range(number):
            count = list_units(boards, words, start + p, scratch)
            sum_units(count, weights, scratch, sums, p)
            steps[p] = worth_of(sums[p], weights[2])
        error += write_steps(
            values[start : start + number], np.float32(temperature), steps
        )
        for p in range(number):
            if abs(steps[p]) < _NOTHING:
                continue
            count = list_units(boards, words, start + p, scratch)
            add_back(count, steps[p], weights, gradients, scratch, sums, p)
    return error


@fast_kernel
def sift_rolls(
    rated: Rated,
    rolls: int,
    sieve: Sieve,
    keep: float,
    kept: NDArray[np.int64],
    lost: Floats,
) -> None:
    """What a sieve does to some rolls.

    Args:
        rated: Their plays.
        rolls: How many rolls.
        sieve: What `new_sieve` makes.
        keep: As for `least_worth`.
        kept: int64[R], written: how many plays the sieve leaves.
        lost: float32[R], written: how much the best of them is worse than the best.
    """
    _, words, values, offsets = rated
    worths = sieve[2]
    for i in range(rolls):
        start, end = offsets[i], offsets[i + 1]
        least = least_worth(words, start, end, sieve, keep)
        kept[i] = 0
        best, best_kept = values[start], np.float32(-9)
        for p in range(start, end):
            best = max(best, values[p])
            if worths[p - start] >= least:
                kept[i] += 1
                best_kept = max(best_kept, values[p])
        lost[i] = best - best_kept
