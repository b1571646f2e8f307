"""Kernels of exact targets: every roll is looked at, and dice noise is gone.

The target of a position is the mean over the 21 rolls of what the network thinks after
the best play of each, corrected by what it learns later in the game:

    target(t) = mean(t) + λ · flip(target(t + 1) − value(t + 1))

`value` is what the network says itself, so a correction is free of the luck of the roll
that was made. With λ = 0 this is the exact form of TD(0), with λ = 1 a rollout whose
luck is taken out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_agents._inputs import Floats, copy_board
from bg_agents._memory import apart
from bg_agents._net import OUTPUTS, Scratch, Weights, rating_scratch
from bg_agents._rolls import WEIGHTS, number_of_roll, rate_rolls
from bg_agents._sieve import Sieve
from bg_agents._td import LONGEST_GAME, apply_codes, flip_into, learn
from bg_env._jit import fast_kernel
from bg_env.rules._game import apply_decision
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import OVER, Boards, PlayArrays, Record, Records, Words
from bg_env.rules.state import Scratch as PlayScratch

Game = tuple[Boards, Words, Floats, Floats]
"""Boards int8[T, 2, 32] after each play, the same memory as uint64[T, 2, 4], chances of
them by the network and by looking at the rolls that follow, float32[T, 5] each."""
Rolls = tuple[Floats, Words, NDArray[np.uint64], Floats]
"""Of 21 rolls: chances float32[21, 5], boards uint64[21, 2, 4], moves uint64[21]; and
out float32[5]."""
Samples = tuple[Boards, Words, Floats]
"""Boards int8[N, 2, 32], the same memory as uint64[N, 2, 4], targets float32[N, 5]."""

_ONE = np.float32(1)


def new_samples(number: int) -> Samples:
    """Room for so many samples."""
    boards = np.zeros((number, 2, 32), np.int8)
    targets = np.zeros((number, OUTPUTS), np.float32)
    return boards, boards.view(np.uint64), targets


def new_game_buffers() -> tuple[Game, Rolls]:
    """Room for the longest game and for the rolls of one position."""
    boards, words, values = new_samples(LONGEST_GAME)
    game = boards, words, values, np.zeros_like(values)
    rolls = (
        apart(21, OUTPUTS),
        np.zeros((21, 2, 4), np.uint64),
        np.zeros(21, np.uint64),
        apart(OUTPUTS),
    )
    return game, rolls


def gradient_scratch(weights: Weights) -> tuple[Scratch, Floats]:
    """Scratch memory for `add_gradient`."""
    classes, hidden = weights[1].shape
    return rating_scratch(classes, hidden), apart(hidden)


@fast_kernel
def write_mean(rows: Floats, out: Floats) -> None:
    """The mean of the chances of 21 rolls, seen by the other player: float32[5]."""
    mean = np.empty(OUTPUTS, np.float32)
    for k in range(OUTPUTS):
        mean[k] = 0
        for r in range(21):
            mean[k] += WEIGHTS[r] * rows[r, k]
    flip_into(mean, out)


@fast_kernel
def play_exact_game(
    state: Record,
    weights: Weights,
    scratch: Scratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    game: Game,
    rolls: Rolls,
) -> int:
    """Play one game, looking at all rolls of each position.

    Returns:
        Its turns, 0 if it became too long.
    """
    _, seen_words, values, looked = game
    rows, results, codes, out = rolls
    boards = np.empty((1, 2, 32), np.int8)
    words = boards.view(np.uint64)
    t = 0
    while state.phase != OVER:
        if t == LONGEST_GAME:
            return 0
        apply_decision(state, ROLL)
        for side in range(2):
            for i in range(4):
                words[0, side, i] = state.words[side, i]
        rate_rolls(
            boards, words, 0, weights, scratch, sieve, keep, plays, play_scratch,
            out, 0, rows, results, codes,
        )  # fmt: skip
        if t > 0:
            write_mean(rows, looked[t - 1])
        r = number_of_roll(state)
        copy_board(results, r, seen_words, t)
        for k in range(OUTPUTS):
            values[t, k] = rows[r, k]
        if codes[r]:
            apply_codes(state, codes[r])
        else:
            apply_decision(state, PASS)
        t += 1
    return t


@fast_kernel
def write_targets(
    game: Game, turns: int, trace: float, samples: Samples, number: int
) -> int:
    """Append the positions of a game and their targets to `samples`.

    Args:
        game: Its last chances are the result.
        turns: How many there are.
        trace: λ.
        samples: Room for `turns` more is needed, else nothing is written.
        number: How many there are.

    Returns:
        How many there are now.
    """
    _, words, values, looked = game
    _, to_words, targets = samples
    if number + turns > targets.shape[0]:
        return number
    change = np.zeros(OUTPUTS, np.float32)
    flipped = np.zeros(OUTPUTS, np.float32)
    for t in range(turns - 2, -1, -1):
        flip_into(change, flipped)
        flipped[0] -= _ONE  # a difference of chances, not a chance
        copy_board(words, t, to_words, number)
        for k in range(OUTPUTS):
            target = looked[t, k] + np.float32(trace) * flipped[k]
            targets[number, k] = min(max(target, np.float32(0)), _ONE)
            change[k] = targets[number, k] - values[t, k]
        number += 1
    return number


@fast_kernel
def exact_games(
    states: Records,
    weights: Weights,
    scratch: Scratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    game: Game,
    rolls: Rolls,
    trace: float,
    samples: Samples,
) -> int:
    """Play games and write all their positions with exact targets.

    Args:
        states: ``STATE_DTYPE[B]`` before their opening roll, streams set.
        weights: Of the networks.
        scratch: What `rating_scratch` makes.
        sieve: As for `rate_rolls`.
        keep: As for `rate_rolls`.
        plays: Play buffers.
        play_scratch: As for `write_plays`.
        game: With `rolls`, what `new_game_buffers` makes.
        rolls: See there.
        trace: λ.
        samples: What `new_samples` makes, written in place.

    Returns:
        How many samples there are.
    """
    number = 0
    for i in range(states.shape[0]):
        turns = play_exact_game(
            states[i],
            weights,
            scratch,
            sieve,
            keep,
            plays,
            play_scratch,
            game,
            rolls,
        )
        number = write_targets(game, turns, trace, samples, number)
    return number


@fast_kernel
def add_gradient(
    samples: Samples,
    picks: NDArray[np.int64],
    weights: Weights,
    gradients: Weights,
    win_weight: float,
    scratch: Scratch,
    back: Floats,
) -> Any:
    """Add the downhill gradient of some samples to `gradients`. In place.

    Returns:
        Sum of the squared errors of the winning chance.
    """
    boards, words, targets = samples
    target = np.empty(OUTPUTS, np.float32)
    error: Any = 0.0
    for i in range(picks.shape[0]):
        for k in range(OUTPUTS):
            target[k] = targets[picks[i], k]
        error += learn(
            boards, words, picks[i], target, weights, gradients, _ONE,
            np.float32(win_weight), scratch, back,
        )  # fmt: skip
    return error


@fast_kernel
def adam_step(
    weights: Floats,
    gradient: Floats,
    other: Floats,
    first: Floats,
    second: Floats,
    scale: float,
    rate: float,
    step: int,
) -> None:
    """One step of Adam uphill on ``scale * (gradient + other)``. All float32[N].

    `weights` and both moments are changed, both gradients set to zero. Source: Kingma
    and Ba, "Adam" (2015), β₁ = 0.9, β₂ = 0.999.
    """
    size = np.float32(rate * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step))
    factor = np.float32(scale)
    for i in range(weights.shape[0]):
        g = factor * (gradient[i] + other[i])
        gradient[i] = 0
        other[i] = 0
        first[i] += np.float32(0.1) * (g - first[i])
        second[i] += np.float32(0.001) * (g * g - second[i])
        weights[i] += size * first[i] / (np.sqrt(second[i]) + np.float32(1e-8))
