"""Kernels of pubeval: is it a race, what is a position worth, which play is best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import highest_bit, kernel, lowest_bit
from bg_env.rules._bits import occupied_points
from bg_env.rules.state import Board, Boards, Words

_OUT_OF_CONTACT = 25  # highest points of both sides: they have passed each other


@kernel
def has_passed(words: Words) -> bool:
    """True when no checker of one side has yet to pass one of the other: a race."""
    mine = occupied_points(words, 0)
    theirs = occupied_points(words, 1)
    if mine == 0 or theirs == 0:
        return True
    return highest_bit(mine) + highest_bit(theirs) <= _OUT_OF_CONTACT


@kernel
def rating_of(board: Board, words: Words, weights: NDArray[np.float64]) -> float:
    """How good a position is for row 0, who has just moved.

    Args:
        board: int8[2, 32].
        words: The same memory as uint64[2, 4].
        weights: float64[2, 26, 16] of one phase: what a count on a place of a row
            adds. Only places with checkers are looked at; none adds nothing.

    Returns:
        The sum of the weights; infinity when row 0 has borne off its last checker.
    """
    if occupied_points(words, 0) == 0:
        return np.inf
    rating: float = weights[0, 0, int(board[0, 0])]
    for row in range(2):
        places = occupied_points(words, row)
        while places:
            place = lowest_bit(places)
            places &= places - 1
            rating += weights[row, place, int(board[row, place])]
    return rating


@kernel
def write_races(words: Words, races: NDArray[np.bool_]) -> None:
    """Write `has_passed` of ``words`` uint64[P, 2, 4] to ``races`` bool[P]."""
    for i in range(races.shape[0]):
        races[i] = has_passed(words[i])


@kernel
def write_ratings(
    boards: Boards,
    words: Words,
    races: NDArray[np.bool_],
    weights: NDArray[np.float64],
    ratings: NDArray[np.float64],
) -> None:
    """Rate many positions.

    Args:
        boards: int8[P, 2, 32], the side that has just moved in row 0.
        words: The same memory as uint64[P, 2, 4].
        races: bool[P]: whether to rate by the weights of races.
        weights: float64[2, 2, 26, 16], those of contact, then those of races.
        ratings: float64[P], written.
    """
    for i in range(ratings.shape[0]):
        phase = 1 if races[i] else 0
        ratings[i] = rating_of(boards[i], words[i], weights[phase])


@kernel
def choose_best_rated(
    before: Words,
    boards: Boards,
    words: Words,
    offsets: NDArray[np.int64],
    weights: NDArray[np.float64],
    chosen: NDArray[np.int64],
) -> None:
    """Write the best rated play of each game, the first of several equal ones.

    Args:
        before: uint64[B, 2, 4], the boards before the play: they tell whether it is
            a race.
        boards: int8[P, 2, 32] after each play, the mover in row 0.
        words: The same memory as uint64[P, 2, 4].
        offsets: int64[B + 1]; plays of game i are offsets[i] .. offsets[i + 1] − 1,
            at least one each.
        weights: float64[2, 2, 26, 16], those of contact, then those of races.
        chosen: int64[B], written.
    """
    for i in range(chosen.shape[0]):
        phase = weights[1 if has_passed(before[i]) else 0]
        best = offsets[i]
        best_rating = rating_of(boards[best], words[best], phase)
        for play in range(offsets[i] + 1, offsets[i + 1]):
            rating = rating_of(boards[play], words[play], phase)
            if rating > best_rating:
                best = play
                best_rating = rating
        chosen[i] = best
