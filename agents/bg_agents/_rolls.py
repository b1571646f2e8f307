"""Kernels that play all 21 rolls of a position with a network."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._choose import best_play
from bg_agents._inputs import Floats, copy_board
from bg_agents._net import Scratch, Weights, forget
from bg_agents._sieve import Sieve, least_worth
from bg_env._jit import fast_kernel
from bg_env.rules._plays import write_plays
from bg_env.rules.movegen import ROLL_WAYS, ROLLS
from bg_env.rules.state import Boards, PlayArrays, Record, Words
from bg_env.rules.state import Scratch as PlayScratch

WEIGHTS: Final = np.array(ROLL_WAYS, np.float32) / np.float32(36)
"""float32[21]: the chance of each of `ROLLS`."""

_ROLLS: Final = np.array(ROLLS, np.int8)
_DICE: Final = np.array([[4, 0] if a == b else [1, 1] for a, b in ROLLS], np.int8)


@fast_kernel
def number_of_roll(state: Record) -> int:
    """Which of `ROLLS` has been rolled."""
    high = int(max(state.roll[0], state.roll[1]))
    return high * (high - 1) // 2 + int(min(state.roll[0], state.roll[1])) - 1


@fast_kernel
def write_roll(
    boards: Boards,
    words: Words,
    i: int,
    r: int,
    plays: PlayArrays,
    play_scratch: PlayScratch,
) -> int:
    """Write the plays of a roll; where there are none the position, without a move.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.
        words: The same memory as uint64[B, 2, 4].
        i: Which.
        r: Which of `ROLLS`.
        plays: Play buffers, written.
        play_scratch: As for `write_plays`.

    Returns:
        How many there are, at least 1.
    """
    number = write_plays(
        boards[i], words[i], _ROLLS[r], _DICE[r], False, plays, play_scratch
    )
    if number > 0:
        return int(number)
    _, after_words, after_codes = plays
    after_codes[0] = 0
    copy_board(words, i, after_words, 0)
    return 1


@fast_kernel
def rate_rolls(
    boards: Boards,
    words: Words,
    i: int,
    weights: Weights,
    scratch: Scratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    out: Floats,
    row: int,
    rows: Floats,
    results: Words,
    codes: NDArray[np.uint64],
) -> None:
    """The five chances after the best play of each of the 21 rolls of board `i`.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.
        words: The same memory as uint64[B, 2, 4].
        i: Which.
        weights: Of the networks.
        scratch: What `rating_scratch` makes, overwritten.
        sieve: What `new_sieve` makes, overwritten.
        keep: Plays that the sieve rates lower than its best by more are not looked
            at; 0 = all are.
        plays: Play buffers.
        play_scratch: As for `write_plays`.
        out: float32[5], overwritten.
        row: The first of the 21 rows to write; and what is written:
        rows: float32[R, 5], for the player on roll; what a roll that cannot be played
            leaves is the position itself.
        results: uint64[R, 2, 4], the boards after these plays.
        codes: uint64[R], the moves of these plays, 0 when there is none.
    """
    b1 = weights[1]
    _, last_words, last_features, totals, _, _, _, _ = scratch
    after, after_words, after_codes = plays
    forget(b1, last_words, last_features, totals)
    for r in range(21):
        number = write_roll(boards, words, i, r, plays, play_scratch)
        least = np.float32(-9)
        if keep > 0 and number > 1:
            least = least_worth(after_words, 0, number, sieve, keep)
        best = best_play(
            after, after_words, 0, number, weights, scratch, sieve[2], least, out,
            row + r, rows,
        )  # fmt: skip
        codes[row + r] = after_codes[best]
        copy_board(after_words, best, results, row + r)


@fast_kernel
def rate_all_rolls(
    boards: Boards,
    words: Words,
    weights: Weights,
    scratch: Scratch,
    sieve: Sieve,
    keep: float,
    plays: PlayArrays,
    play_scratch: PlayScratch,
    out: Floats,
    rows: Floats,
    results: Words,
    codes: NDArray[np.uint64],
) -> None:
    """`rate_rolls` of every board: ``rows`` float32[21 * B, 5] is kept.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.
        words: The same memory as uint64[B, 2, 4].
        weights: Of the networks.
        scratch: What `rating_scratch` makes, overwritten.
        sieve: What `new_sieve` makes, overwritten.
        keep: Plays that the sieve rates lower than its best by more are not looked
            at; 0 = all are.
        plays: Play buffers.
        play_scratch: As for `write_plays`.
        out: float32[5], overwritten.
        rows: float32[21 * B, 5], written.
        results: uint64[21 * B, 2, 4], written: the boards after the best plays.
        codes: uint64[21 * B], written: their moves.
    """
    for i in range(boards.shape[0]):
        rate_rolls(
            boards, words, i, weights, scratch, sieve, keep, plays, play_scratch,
            out, 21 * i, rows, results, codes,
        )  # fmt: skip
