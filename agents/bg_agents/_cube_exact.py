"""Kernels of the cube learnt by self-play: games, and exact targets from them.

What a position is worth if the player on roll does not double is the mean over the 21
rolls of the best play of each, which is worth what the other player's best decision
about the cube leaves: to double or not, and the answer to it, by the network's own
equities. So doubles, takes and drops are actions with bootstrapped values, as in
Q-learning (Watkins 1989), and all four places of the cube are learnt at every position:

    target(t) = −(mean(t) + λ · (target(t + 1) − value(t + 1)))

The correction is that of `bg_agents._exact`. It is cut where the play made is not the
best one for that place of the cube; after a double that would be taken it counts twice,
as the cube does; after one that would be dropped it is nothing.

In every other game a drop does not end it: it goes on as if nothing had been said, so
that the network also learns what lies behind, and when to play on for a gammon.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._cube_net import (
    MIRRORED,
    CubeScratch,
    CubeWeights,
    learn_places,
    rate_places,
    settle,
)
from bg_agents._inputs import Floats, copy_board
from bg_agents._memory import apart
from bg_agents._net import forget, has_won
from bg_agents._rolls import WEIGHTS, number_of_roll, write_roll
from bg_agents._sieve import Sieve, least_worth
from bg_agents._td import LONGEST_GAME, apply_codes
from bg_env._jit import fast_kernel
from bg_env.rules._game import apply_decision
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import OVER, Boards, PlayArrays, Record, Records, Words
from bg_env.rules.state import Scratch as PlayScratch
from bg_env.search.learnt_cube import CENTRED, JACOBY, OTHER, OWN, PLACES

CubeGame = tuple[Boards, Words, Floats, Floats, NDArray[np.bool_]]
"""Boards int8[T, 2, 32] after each play, the same memory as uint64[T, 2, 4]; by the
network, and by looking at the rolls that follow, what they are worth without a double,
float32[T, 4] each; whether the play was best for each place, bool[T, 4]."""
CubeRolls = tuple[Floats, Floats, NDArray[np.bool_], Words, NDArray[np.uint64]]
"""Of 21 rolls: the worths of the best plays float32[21, 4]; of the play to be made the
equities float32[21, 4], whether it is best bool[21, 4], board uint64[21, 2, 4] and
moves uint64[21]."""
CubeSamples = tuple[Boards, Words, Floats]
"""Boards int8[N, 2, 32], the same memory as uint64[N, 2, 4], targets float32[N, 4]."""

MOST: Final = np.float32(3)  # points for a cube of 1

_CARE: Final = np.float32(0.01)  # how often nobody is expected to turn the cube
_ONE = np.float32(1)
_TWO = np.float32(2)


def new_cube_samples(number: int) -> CubeSamples:
    """Room for so many samples."""
    boards = np.zeros((number, 2, 32), np.int8)
    return boards, boards.view(np.uint64), np.zeros((number, PLACES), np.float32)


def new_cube_buffers() -> tuple[CubeGame, CubeRolls]:
    """Room for the longest game and for the rolls of one position."""
    boards, words, values = new_cube_samples(LONGEST_GAME)
    best = np.zeros((LONGEST_GAME, PLACES), np.bool_)
    game = boards, words, values, np.zeros_like(values), best
    rolls = (
        apart(21, PLACES),
        apart(21, PLACES),
        np.zeros((21, PLACES), np.bool_),
        np.zeros((21, 2, 4), np.uint64),
        np.zeros(21, np.uint64),
    )
    return game, rolls


@fast_kernel
def best_cube_plays(
    boards: Boards,
    words: Words,
    number: int,
    least: Any,
    place: int,
    weights: CubeWeights,
    scratch: CubeScratch,
    sieve: Sieve,
    row: int,
    worths: Floats,
    equities: Floats,
    chosen: NDArray[np.int64],
) -> None:
    """The best of the plays of a roll for each place of the cube.

    Where the other player would end the game whatever is played, that is all the same;
    so a small part of what he would leave to a cube turned counts as well.

    Args:
        boards: int8[P, 2, 32] after each play.
        words: The same memory as uint64[P, 2, 4].
        number: How many plays there are.
        least: Plays that the sieve rates lower are not looked at; −9 = all are.
        place: Where the cube lies in the game.
        weights: Of the network.
        scratch: What `cube_scratch` makes.
        sieve: With what `least_worth` has written.
        row: Of ``worths`` and ``equities``.
        worths: float32[R, 4], written: of the best play for each place.
        equities: float32[R, 4], written: of the best play for `place`, without a
            double.
        chosen: int64[4], written: the best plays.
    """
    rates = np.empty(PLACES, np.float32)
    settled = np.empty(PLACES, np.float32)
    highest = np.full(PLACES, np.float32(-9))
    for i in range(number):
        if least > -9 and sieve[2][i] < least:
            continue
        rate_places(boards, words, i, weights, scratch, rates)
        settle(rates, has_won(words, i), settled)
        for k in range(PLACES):
            worth = settled[k] + _CARE * rates[OWN]
            if worth > highest[k]:
                highest[k] = worth
                chosen[k] = i
                worths[row, k] = settled[k]
                if k == place:
                    equities[row] = rates


@fast_kernel
def rate_cube_rolls(
    boards: Boards,
    words: Words,
    place: int,
    weights: CubeWeights,
    scratch: CubeScratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    rolls: CubeRolls,
) -> None:
    """Look at all plays of the 21 rolls of a position.

    Args:
        boards: int8[1, 2, 32], row 0 on roll.
        words: The same memory as uint64[1, 2, 4].
        place: Where the cube lies in the game, for the player on roll.
        weights: Of the network.
        scratch: What `cube_scratch` makes.
        sieve: As for `bg_agents._rolls.rate_rolls`.
        keep: As there.
        plays: Play buffers.
        play_scratch: As for `write_plays`.
        rolls: Written.
    """
    worths, equities, is_best, results, codes = rolls
    after, after_words, after_codes = plays
    _, last_words, last_features, totals, _, _, _, _ = scratch[0]
    chosen = np.empty(PLACES, np.int64)
    forget(weights[1], last_words, last_features, totals)
    for r in range(21):
        number = write_roll(boards, words, 0, r, plays, play_scratch)
        least = np.float32(-9)
        if keep > 0 and number > 1:
            least = least_worth(after_words, 0, number, sieve, keep)
        best_cube_plays(
            after, after_words, number, least, place, weights, scratch, sieve,
            r, worths, equities, chosen,
        )  # fmt: skip
        for k in range(PLACES):
            is_best[r, k] = chosen[k] == chosen[place]
        codes[r] = after_codes[chosen[place]]
        copy_board(after_words, chosen[place], results, r)


@fast_kernel
def write_cube_mean(worths: Floats, looked: Floats, t: int) -> None:
    """Row `t` of ``looked``: the mean of 21 rolls, seen by the other player."""
    for k in range(PLACES):
        total = np.float32(0)
        for r in range(21):
            total += WEIGHTS[r] * worths[r, MIRRORED[k]]
        looked[t, k] = -total


@fast_kernel
def place_after_double(place: int, values: Floats, t: int) -> int:
    """Where the cube lies for the player on roll, after his choice before the roll.

    Args:
        place: Where it lies for the player who made play `t`.
        values: float32[T, 4]: what the play is worth, without a double.
        t: Number of the turn.

    Returns:
        The place; −1 if he doubles and the other drops.
    """
    taken = _TWO * values[t, OWN]
    if place == OWN or max(taken, -_ONE) >= values[t, place]:
        return int(MIRRORED[place])
    return OTHER if taken >= -_ONE else -1


@fast_kernel
def play_cube_game(
    state: Record,
    place: int,
    drops: bool,
    weights: CubeWeights,
    scratch: CubeScratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    game: CubeGame,
    rolls: CubeRolls,
) -> int:
    """Play one game, looking at all rolls of each position.

    Args:
        state: Before its opening roll.
        place: Where the cube lies at first.
        drops: Whether a drop ends it.
        weights: Of the network; it and the rest as for `rate_cube_rolls`.
        scratch: ...
        sieve: ...
        keep: ...
        plays: ...
        play_scratch: ...
        game: Written.
        rolls: Overwritten.

    Returns:
        Its turns, 0 if it became too long. The last one has no target: it ended the
        game, or was not looked beyond.
    """
    _, seen_words, values, looked, best = game
    worths, equities, is_best, results, codes = rolls
    boards = np.empty((1, 2, 32), np.int8)
    words = boards.view(np.uint64)
    t = 0
    while state.phase != OVER:
        if t == LONGEST_GAME:
            return 0
        if t > 0:
            kept = int(MIRRORED[place])
            place = place_after_double(place, values, t - 1)
            if place < 0 and drops:
                return t
            place = kept if place < 0 else place
        apply_decision(state, ROLL)
        for side in range(2):
            for i in range(4):
                words[0, side, i] = state.words[side, i]
        rate_cube_rolls(
            boards, words, place, weights, scratch, sieve, keep, plays, play_scratch,
            rolls,
        )  # fmt: skip
        if t > 0:
            write_cube_mean(worths, looked, t - 1)
        r = number_of_roll(state)
        copy_board(results, r, seen_words, t)
        for k in range(PLACES):
            values[t, k] = equities[r, k]
            best[t, k] = is_best[r, k]
        if codes[r]:
            apply_codes(state, codes[r])
        else:
            apply_decision(state, PASS)
        t += 1
    return t


@fast_kernel
def write_changes(
    values: Floats, t: int, is_over: bool, changes: Floats, worths: Floats
) -> None:
    """By how much the worth of play `t` changes, for the player who made it.

    Args:
        values: float32[T, 4]: equities without a double.
        t: Number of the turn.
        is_over: It ended the game.
        changes: float32[4]: by how much the equities change.
        worths: float32[4], written: by how much what they are worth before the other
            player's decision about the cube does.
    """
    taken = _TWO * values[t, OWN]
    for k in range(PLACES):
        worths[k] = changes[k]
        if k != OWN and not is_over and max(taken, -_ONE) < values[t, k]:
            worths[k] = _TWO * changes[OWN] if taken >= -_ONE else np.float32(0)


@fast_kernel
def write_cube_targets(
    game: CubeGame, turns: int, trace: float, samples: CubeSamples, number: int
) -> int:
    """Append the positions of a game and their targets to `samples`.

    Args:
        game: From nothing that follows its last turn anything is learnt.
        turns: How many there are.
        trace: λ.
        samples: Room for `turns` more is needed, else nothing is written.
        number: How many there are.

    Returns:
        How many there are now.
    """
    _, words, values, looked, best = game
    _, to_words, targets = samples
    if number + turns > targets.shape[0]:
        return number
    changes = np.zeros(PLACES, np.float32)
    worths = np.zeros(PLACES, np.float32)
    for t in range(turns - 2, -1, -1):
        write_changes(values, t + 1, t == turns - 2, changes, worths)
        copy_board(words, t, to_words, number)
        for k in range(PLACES):
            target = looked[t, k]
            if best[t + 1, MIRRORED[k]]:
                target -= np.float32(trace) * worths[MIRRORED[k]]
            target = min(max(target, -MOST), MOST)
            targets[number, k] = target
        for k in range(PLACES):
            changes[k] = targets[number, k] - values[t, k]
        number += 1
    return number


@fast_kernel
def exact_cube_games(
    states: Records,
    weights: CubeWeights,
    scratch: CubeScratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    game: CubeGame,
    rolls: CubeRolls,
    trace: float,
    samples: CubeSamples,
) -> int:
    """Play games and write their positions with exact targets.

    Every other game is played by the Jacoby rule, every other pair to its end whatever
    is dropped.

    Args:
        states: ``STATE_DTYPE[B]`` before their opening roll, streams set.
        weights: Of the network; it and the rest as for `rate_cube_rolls`.
        scratch: ...
        sieve: ...
        keep: ...
        plays: ...
        play_scratch: ...
        game: With `rolls`, what `new_cube_buffers` makes.
        rolls: See there.
        trace: λ.
        samples: What `new_cube_samples` makes, written in place.

    Returns:
        How many samples there are.
    """
    number = 0
    for i in range(states.shape[0]):
        turns = play_cube_game(
            states[i],
            JACOBY if i % 2 else CENTRED,
            i % 4 < 2,
            weights,
            scratch,
            sieve,
            keep,
            plays,
            play_scratch,
            game,
            rolls,
        )
        number = write_cube_targets(game, turns, trace, samples, number)
    return number


@fast_kernel
def add_cube_gradient(
    samples: CubeSamples,
    picks: NDArray[np.int64],
    weights: CubeWeights,
    gradients: CubeWeights,
    scratch: CubeScratch,
    back: Floats,
) -> float:
    """Add the downhill gradient of some samples to `gradients`. In place.

    Returns:
        Sum over them of the mean squared error of the equities.
    """
    boards, words, targets = samples
    error = 0.0
    for i in range(picks.shape[0]):
        error += learn_places(
            boards, words, picks[i], targets, weights, gradients, scratch, back
        )
    return error
