"""Kernels of checker play: first moves, whole plays, and moving a checker.

All work on a board ``int8[2, 32]`` with the mover in row 0, and on the same memory
as ``words`` ``uint64[2, 4]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import highest_bit, kernel, lowest_bit
from bg_env.rules._bits import (
    BAR_BIT,
    blocked_points,
    occupied_after,
    occupied_points,
    sources_of,
)
from bg_env.rules.state import Board, Boards, PlayArrays, Words

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
def copy_board(source: Words, target: Words) -> None:
    """Copy ``words`` uint64[2, 4]. In place."""
    for row in range(2):
        for i in range(4):
            target[row, i] = source[row, i]


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

    Two such places, and no checker on the bar: whichever checker moves first, one
    of them still has its move.
    """
    if occupied & BAR_BIT == 0 and for_other & (for_other - 1):
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


# --- whole plays ---------------------------------------------------------------


@kernel
def is_hit(board: Board, target: int) -> bool:
    """True when a single opposing checker stands on the mover's point `target`."""
    return target > 0 and board[1, 25 - target] == 1


@kernel
def follows(
    board: Board,
    occupied: int,
    blocked: int,
    first_sources_: int,
    first: int,
    die: int,
    second: int,
    other: int,
) -> bool:
    """True when `first` may move `die` now and after it `second` may move `other`."""
    if first < 1 or first_sources_ >> first & 1 == 0:
        return False
    after = occupied_after(occupied, int(board[0, first]), first, die)
    return sources_of(after, blocked, other) >> second & 1 == 1


@kernel
def is_same_run(
    board: Board, occupied: int, blocked: int, for_a: int, a: int, b: int, runner: int
) -> bool:
    """True when one checker running b then a ends as if it ran a then b.

    So it is when the other order is possible too and neither hits on the way.
    """
    middle = runner - a
    if middle < 1 or is_hit(board, middle) or is_hit(board, runner - b):
        return False
    return follows(board, occupied, blocked, for_a, runner, a, middle, b)


@kernel
def is_repeated(
    board: Board,
    occupied: int,
    blocked: int,
    for_a: int,
    a: int,
    b: int,
    by_a: int,
    by_b: int,
) -> bool:
    """True when the play (by_a moves a, by_b moves b), b first, is made a first too.

    Besides the very same two moves that can be another pair with the same result:
    the same two checkers borne off by the other die each.
    """
    if follows(board, occupied, blocked, for_a, by_a, a, by_b, b):
        return True
    if by_a <= a and by_b <= b and by_b <= a and by_a <= b:
        return follows(board, occupied, blocked, for_a, by_b, a, by_a, b)
    return False


@kernel
def move_code_of(source: int, die: int, step: int) -> Any:
    """The decision code of a move, at its place among the four codes of a play."""
    return np.uint64((source - 1) * 6 + die) << np.uint64(16 * step)


@kernel
def write_singles(
    words: Words, sources: int, die: int, plays: PlayArrays, number: int
) -> int:
    """Write the plays of one die only. Returns the new number of plays, −1 if full."""
    boards, board_words, codes = plays
    while sources:
        source = highest_bit(sources)
        sources ^= 1 << source
        if number >= boards.shape[0]:
            return -1
        copy_board(words, board_words[number])
        move_checker(boards[number], source, die)
        codes[number] = move_code_of(source, die, 0)
        number += 1
    return number


@kernel
def write_pairs(
    words: Words,
    first: int,
    a: int,
    second: int,
    b: int,
    plays: PlayArrays,
    number: int,
) -> int:
    """Write the plays of `first` moving a, then each of `second` moving b."""
    boards, board_words, codes = plays
    code = move_code_of(first, a, 0)
    while second:
        source = highest_bit(second)
        second ^= 1 << source
        if number >= boards.shape[0]:
            return -1
        copy_board(words, board_words[number])
        move_checker(boards[number], first, a)
        move_checker(boards[number], source, b)
        codes[number] = code | move_code_of(source, b, 1)
        number += 1
    return number


@kernel
def cheap_enough(second: int, die: int, limit: int) -> int:
    """Those of `second` whose move wastes no more than `limit` (R16)."""
    if limit >= NO_WASTE_LIMIT:
        return second
    kept = 0
    while second:
        source = lowest_bit(second)
        second &= second - 1
        if wasted(source, die) <= limit:
            kept |= 1 << source
    return kept


@kernel
def write_larger_first(
    board: Board,
    words: Words,
    sources: int,
    a: int,
    b: int,
    limit: int,
    plays: PlayArrays,
    number: int,
) -> int:
    """Write all plays that move a first, then b, each result once.

    Of two checkers' moves on one line (z runs b, another stands on z − b and moves a)
    the same result is made by z running a, then b: only that is written.
    """
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    for_a = sources
    while sources:
        first = highest_bit(sources)
        sources ^= 1 << first
        after = occupied_after(occupied, int(board[0, first]), first, a)
        second = sources_of(after, blocked, b)
        second = cheap_enough(second, b, limit - wasted(first, a))
        runner = first + b
        joins = runner <= 25 and second >> runner & 1 == 1
        if joins and is_same_run(board, occupied, blocked, for_a, a, b, runner):
            second ^= 1 << runner
        number = write_pairs(words, first, a, second, b, plays, number)
        if number < 0:
            return -1
    return number


@kernel
def new_results(
    board: Board,
    occupied: int,
    blocked: int,
    for_a: int,
    a: int,
    b: int,
    by_b: int,
    by_a: int,
) -> int:
    """Those of `by_a` moving a after `by_b` moved b that are new results."""
    kept = 0
    while by_a:
        source = lowest_bit(by_a)
        by_a &= by_a - 1
        repeated = is_repeated(board, occupied, blocked, for_a, a, b, source, by_b)
        if not repeated and source == by_b - b:
            repeated = is_same_run(board, occupied, blocked, for_a, a, b, by_b)
        if not repeated:
            kept |= 1 << source
    return kept


@kernel
def write_smaller_first(
    board: Board,
    words: Words,
    for_a: int,
    sources: int,
    a: int,
    b: int,
    limit: int,
    plays: PlayArrays,
    number: int,
) -> int:
    """Write the plays that move b first, then a, and are not made a first."""
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    while sources:
        first = highest_bit(sources)
        sources ^= 1 << first
        after = occupied_after(occupied, int(board[0, first]), first, b)
        second = sources_of(after, blocked, a)
        second = cheap_enough(second, a, limit - wasted(first, b))
        second = new_results(board, occupied, blocked, for_a, a, b, first, second)
        number = write_pairs(words, first, b, second, a, plays, number)
        if number < 0:
            return -1
    return number


@kernel
def write_both(
    board: Board, words: Words, a: int, b: int, least_waste: bool, plays: PlayArrays
) -> int:
    """Write all plays of two different dice. Returns their number, −1 if full."""
    by_a, by_b, both = first_sources(board, words, a, b, least_waste)
    if not both:
        number = write_singles(words, by_a, a, plays, 0)
        return number if number < 0 else write_singles(words, by_b, b, plays, number)
    limit = NO_WASTE_LIMIT * 2
    if least_waste:
        occupied = occupied_points(words, 0)
        blocked = blocked_points(words, 1)
        limit = min(
            least_waste_of(board, occupied, blocked, by_a, a, b),
            least_waste_of(board, occupied, blocked, by_b, b, a),
        )
    number = write_larger_first(board, words, by_a, a, b, limit, plays, 0)
    if number < 0:
        return -1
    return write_smaller_first(board, words, by_a, by_b, a, b, limit, plays, number)


@kernel
def count_now(
    board: Board, path: NDArray[np.int64], depth: int, source: int, die: int
) -> int:
    """Checkers on `source` after the first `depth` moves of `path`."""
    count = int(board[0, source])
    for i in range(depth):
        if path[i] == source:
            count -= 1
        if path[i] - die == source:
            count += 1
    return count


@kernel
def longest_double(
    board: Board, words: Words, die: int, most: int, path: NDArray[np.int64]
) -> int:
    """How many moves of a double can be made, up to `most` (R8, R11).

    Always the rearmost checker first: with a double no move spoils a later one.
    """
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    for length in range(most):
        sources = sources_of(occupied, blocked, die)
        if sources == 0:
            return length
        source = highest_bit(sources)
        path[length] = source
        count = count_now(board, path, length, source, die)
        occupied = occupied_after(occupied, count, source, die)
    return most


@kernel
def write_path(
    words: Words,
    path: NDArray[np.int64],
    length: int,
    die: int,
    plays: PlayArrays,
    number: int,
) -> bool:
    """Write the play of moving `die` from each place of a path. False if full."""
    boards, board_words, codes = plays
    if number >= boards.shape[0]:
        return False
    copy_board(words, board_words[number])
    code = np.uint64(0)
    for i in range(length):
        source = int(path[i])
        move_checker(boards[number], source, die)
        code |= move_code_of(source, die, i)
    codes[number] = code
    return True


@kernel
def write_double(
    board: Board,
    words: Words,
    die: int,
    most: int,
    plays: PlayArrays,
    scratch: NDArray[np.int64],
) -> int:
    """Write all plays of a double with up to `most` moves, rearmost source first.

    In that order each result is met once: the set of sources tells the result.
    ``scratch`` int64[3, 5] holds the path, the places still to try and the
    occupied points at each depth.
    """
    path, untried, occupied = scratch[0], scratch[1], scratch[2]
    length = longest_double(board, words, die, most, path)
    blocked = blocked_points(words, 1)
    occupied[0] = occupied_points(words, 0)
    untried[0] = sources_of(occupied[0], blocked, die)
    number = 0
    depth = 0 if length else -1
    while depth >= 0:
        if untried[depth] == 0:
            depth -= 1
            continue
        source = highest_bit(untried[depth])
        untried[depth] ^= 1 << source
        path[depth] = source
        if depth + 1 == length:
            if not write_path(words, path, length, die, plays, number):
                return -1
            number += 1
            continue
        count = count_now(board, path, depth, source, die)
        after = occupied_after(occupied[depth], count, source, die)
        occupied[depth + 1] = after
        untried[depth + 1] = sources_of(after, blocked, die) & ((2 << source) - 1)
        depth += 1
    return number


@kernel
def write_plays(
    board: Board,
    words: Words,
    roll: NDArray[np.int8],
    left: NDArray[np.int8],
    least_waste: bool,
    plays: PlayArrays,
    scratch: NDArray[np.int64],
) -> int:
    """Write all distinct results of the dice left, and one move sequence each.

    Args:
        board: int8[2, 32], the mover in row 0.
        words: The same memory as uint64[2, 4].
        roll: int8[2], the two dice.
        left: int8[2], how often each may still be played (a double: left[0]).
        least_waste: R16.
        plays: (boards int8[P, 2, 32], the same memory as uint64[P, 2, 4], decision
            codes uint64[P]: four of 16 bits, the first lowest, 0 = no move). Written
            in place.
        scratch: int64[3, 5].

    Returns:
        Number of plays, 0 when nothing can be played, −1 when P is too small.
    """
    a, b = int(roll[0]), int(roll[1])
    if a == b:
        return write_double(board, words, a, int(left[0]), plays, scratch)
    if left[0] and left[1]:
        if a > b:
            return write_both(board, words, a, b, least_waste, plays)
        return write_both(board, words, b, a, least_waste, plays)
    if left[0] + left[1] == 0:
        return 0
    die = a if left[0] else b
    return write_singles(words, sources_now(words, die), die, plays, 0)


@kernel
def write_all_plays(
    boards: Boards,
    words: Words,
    rolls: NDArray[np.int8],
    least_waste: bool,
    plays: PlayArrays,
    scratch: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> int:
    """Write the plays of many positions one after the other.

    Args:
        boards: int8[B, 2, 32].
        words: The same memory as uint64[B, 2, 4].
        rolls: int8[B, 2].
        least_waste: R16.
        plays: Buffers as for `write_plays`.
        scratch: int64[3, 5].
        offsets: int64[B + 1], written: plays of position i are
            offsets[i] .. offsets[i + 1] − 1.

    Returns:
        Total number of plays, −1 when the buffer is too small.
    """
    out_boards, out_words, out_codes = plays
    left = np.empty(2, np.int8)
    total = 0
    offsets[0] = 0
    for i in range(boards.shape[0]):
        left[0] = 4 if rolls[i, 0] == rolls[i, 1] else 1
        left[1] = 0 if rolls[i, 0] == rolls[i, 1] else 1
        rest = (out_boards[total:], out_words[total:], out_codes[total:])
        number = write_plays(
            boards[i], words[i], rolls[i], left, least_waste, rest, scratch
        )
        if number < 0:
            return -1
        total += number
        offsets[i + 1] = total
    return total


@kernel
def count_plays(
    boards: Boards,
    words: Words,
    rolls: NDArray[np.int8],
    plays: PlayArrays,
    scratch: NDArray[np.int64],
    repeat: int,
) -> int:
    """Number of plays of all positions, `repeat` times over: for benchmarks."""
    left = np.empty(2, np.int8)
    total = 0
    for _ in range(repeat):
        for i in range(boards.shape[0]):
            left[0] = 4 if rolls[i, 0] == rolls[i, 1] else 1
            left[1] = 0 if rolls[i, 0] == rolls[i, 1] else 1
            total += write_plays(
                boards[i], words[i], rolls[i], left, False, plays, scratch
            )
    return total
