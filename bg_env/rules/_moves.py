"""Kernels of checker play: which moves may come first, and moving a checker.

All work on a board ``int8[2, 32]`` with the mover in row 0, and on the same memory
as ``words`` ``uint64[2, 4]``.
"""

from __future__ import annotations

from bg_env._jit import highest_bit, kernel, lowest_bit
from bg_env.rules._bits import (
    blocked_points,
    occupied_after,
    occupied_points,
    sources_of,
)
from bg_env.rules.state import Board, Words

NO_WASTE_LIMIT = 99


@kernel
def move_checker(board: Board, source: int, die: int) -> None:
    """Move a checker of row 0, hitting a blot where it lands (R10, R14). In place."""
    board[0, source] -= 1
    target = source - die
    if target <= 0:
        board[0, 0] += 1
        return
    board[0, target] += 1
    if board[1, 25 - target] == 1:
        board[1, 25 - target] = 0
        board[1, 25] += 1


@kernel
def wasted(source: int, die: int) -> int:
    """Pips of a die that bearing off from `source` does not use (R16)."""
    return max(die - source, 0)


# --- which moves may come first ------------------------------------------------


@kernel
def sources_leaving(
    board: Board, occupied: int, blocked: int, sources: int, die: int, other: int
) -> int:
    """Those of `sources` for `die` after which `other` can be played as well (R11)."""
    kept = 0
    rest = sources
    while rest:
        source = lowest_bit(rest)
        rest &= rest - 1
        after = occupied_after(occupied, int(board[0, source]), source, die)
        if sources_of(after, blocked, other):
            kept |= 1 << source
    return kept


@kernel
def sources_using_both(
    board: Board,
    occupied: int,
    blocked: int,
    sources: int,
    die: int,
    other: int,
    for_other: int,
) -> int:
    """As `sources_leaving`; `for_other` are the places `other` can be played from now.

    With two such places (so none on the bar), whichever checker moves first, one of
    them still has its move.
    """
    if for_other & (for_other - 1):
        return sources
    return sources_leaving(board, occupied, blocked, sources, die, other)


@kernel
def least_waste_from(
    board: Board, occupied: int, blocked: int, source: int, die: int, other: int
) -> int:
    """Waste of moving `source` by `die`, then playing `other` (R16); a limit if not.

    What the second die wastes is the same for each of its moves.
    """
    after = occupied_after(occupied, int(board[0, source]), source, die)
    second = sources_of(after, blocked, other)
    if second == 0:
        return NO_WASTE_LIMIT
    return wasted(source, die) + wasted(highest_bit(second), other)


@kernel
def least_waste_of(
    board: Board, occupied: int, blocked: int, sources: int, die: int, other: int
) -> int:
    """Smallest total waste of the plays that begin with `die` from `sources`."""
    least = NO_WASTE_LIMIT
    rest = sources
    while rest:
        source = lowest_bit(rest)
        rest &= rest - 1
        waste = least_waste_from(board, occupied, blocked, source, die, other)
        least = min(least, waste)
    return least


@kernel
def sources_wasting(
    board: Board,
    occupied: int,
    blocked: int,
    sources: int,
    die: int,
    other: int,
    limit: int,
) -> int:
    """Those of `sources` that begin a play wasting no more than `limit` (R16)."""
    kept = 0
    rest = sources
    while rest:
        source = lowest_bit(rest)
        rest &= rest - 1
        waste = least_waste_from(board, occupied, blocked, source, die, other)
        if waste <= limit:
            kept |= 1 << source
    return kept


@kernel
def first_sources(
    board: Board, words: Words, a: int, b: int, least_waste: bool
) -> tuple[int, int, bool]:
    """Places from which a legal turn with two different dice may begin (R11, R16).

    Returns:
        (sources for die a, sources for die b, whether both dice will be played).
        Both masks are 0 when nothing can be played.
    """
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    for_a = sources_of(occupied, blocked, a)
    for_b = sources_of(occupied, blocked, b)
    if for_a | for_b == 0:
        return 0, 0, False
    both_a = sources_using_both(board, occupied, blocked, for_a, a, b, for_b)
    both_b = sources_using_both(board, occupied, blocked, for_b, b, a, for_a)
    if both_a | both_b == 0:
        if for_a and for_b:  # either die, not both: the larger
            if a > b:
                for_b = 0
            else:
                for_a = 0
        return for_a, for_b, False
    if least_waste:
        limit = min(
            least_waste_of(board, occupied, blocked, both_a, a, b),
            least_waste_of(board, occupied, blocked, both_b, b, a),
        )
        both_a = sources_wasting(board, occupied, blocked, both_a, a, b, limit)
        both_b = sources_wasting(board, occupied, blocked, both_b, b, a, limit)
    return both_a, both_b, True


@kernel
def sources_now(words: Words, die: int) -> int:
    """Places from which one more `die` can be played, all others being used up."""
    return sources_of(occupied_points(words, 0), blocked_points(words, 1), die)
