"""Kernels of the pip-race agent: what it counts, and the ranking made of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import highest_bit, kernel
from bg_env.rules._bits import occupied_points
from bg_env.rules.state import Board, Boards, Words

# Above every pip count (15 checkers on the bar: 375) and every count of crossovers
# (5 for each of 15 checkers): the places of one number hold the whole ranking.
_PIPS = 512
_CROSSOVERS = 128


@kernel
def exposed_blots(board: Board, words: Words) -> int:
    """Blots of row 0 that an opposing checker has yet to pass.

    The rearmost opposing checker, on his point q, stands on the mover's 25 − q and
    passes all points above; from the bar (q = 25) it passes every point.
    """
    theirs = occupied_points(words, 1)
    if theirs == 0:
        return 0
    blots = 0
    for point in range(26 - highest_bit(theirs), 25):
        if board[0, point] == 1:
            blots += 1
    return blots


@kernel
def pip_count(board: Board, row: int) -> int:
    """Pips a side has to go; a checker on the bar counts 25."""
    pips = 0
    for point in range(1, 26):
        pips += point * int(board[row, point])
    return pips


@kernel
def crossovers_to_go(board: Board) -> int:
    """Quarters that the checkers of row 0 have yet to leave, bearing off included.

    A checker in the home board has 1 to go, on points 19–24 it has 4, on the bar 5.
    """
    crossovers = 0
    for point in range(1, 26):
        crossovers += (point + 5) // 6 * int(board[0, point])
    return crossovers


@kernel
def rank_of(board: Board, words: Words) -> int:
    """The place of a result in the agent's order, as one number: smaller is better.

    In this order: exposed blots, then pips of the opponent (the more the better),
    crossovers to go, own pips.
    """
    rank = exposed_blots(board, words)
    rank = rank * _PIPS + (_PIPS - 1 - pip_count(board, 1))
    rank = rank * _CROSSOVERS + crossovers_to_go(board)
    return rank * _PIPS + pip_count(board, 0)


@kernel
def choose_first_ranked(
    boards: Boards,
    words: Words,
    offsets: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> None:
    """Write the best ranked play of each game, the first of several equal ones.

    Args:
        boards: int8[P, 2, 32], the mover in row 0.
        words: The same memory as uint64[P, 2, 4].
        offsets: int64[B + 1]; plays of game i are offsets[i] .. offsets[i + 1] − 1,
            at least one each.
        chosen: int64[B], written.
    """
    for i in range(chosen.shape[0]):
        best = offsets[i]
        best_rank = rank_of(boards[best], words[best])
        for play in range(offsets[i] + 1, offsets[i + 1]):
            rank = rank_of(boards[play], words[play])
            if rank < best_rank:
                best = play
                best_rank = rank
        chosen[i] = best
