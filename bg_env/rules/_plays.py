"""Kernels of whole plays: every distinct result of a roll, written once.

A result is written by adding words: moving a checker adds the same four numbers to the
words of the mover's row, whatever stands there (`MOVED`), and so does a hit to those of
the other row (`HIT`). Counts are small, so no byte carries into its neighbour.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import highest_bit, kernel, lowest_bit
from bg_env.rules._bits import (
    BAR_BIT,
    OUTSIDE_HOME,
    blocked_points,
    blots_of_other,
    occupied_after,
    occupied_points,
    sources_of,
)
from bg_env.rules._moves import first_sources, sources_now
from bg_env.rules.state import Board, Boards, PlayArrays, Scratch, Words


def _added(*changes: tuple[int, int]) -> NDArray[np.uint64]:
    """What (place, change of count) pairs add to the four words of a row."""
    words = [0, 0, 0, 0]
    for place, change in changes:
        words[place >> 3] += change << (8 * (place & 7))
    return np.array([word % 2**64 for word in words], np.uint64)


def _moved() -> NDArray[np.uint64]:
    table = np.zeros((26, 7, 4), np.uint64)
    for source in range(1, 26):
        for die in range(1, 7):
            table[source, die] = _added((source, -1), (max(source - die, 0), 1))
    return table


def _hit() -> NDArray[np.uint64]:
    table = np.zeros((25, 4), np.uint64)
    for target in range(1, 25):
        table[target] = _added((25 - target, -1), (25, 1))
    return table


MOVED = _moved()  # [source, die]: to the mover's row
HIT = _hit()  # [the mover's target]: to the other row


@kernel
def write_moved(
    words: Words, k: int, blots: int, source: int, die: int, out: Words, n: int
) -> None:
    """Write board `k` of ``words`` after one move as board `n` of ``out`` (R10, R14).

    ``blots`` is the mask of the mover's points with a single opposing checker. Both
    arrays are uint64[..., 2, 4], indexed here: handing over a row of them costs more
    than the work.
    """
    for i in range(4):
        out[n, 0, i] = words[k, 0, i] + MOVED[source, die, i]
    target = source - die
    if target > 0 and blots >> target & 1:
        for i in range(4):
            out[n, 1, i] = words[k, 1, i] + HIT[target, i]
    else:
        for i in range(4):
            out[n, 1, i] = words[k, 1, i]


@kernel
def begin(words: Words, begun: Words) -> None:
    """Copy the unmoved board uint64[2, 4] to ``begun[0]``. In place."""
    for row in range(2):
        for i in range(4):
            begun[0, row, i] = words[row, i]


@kernel
def blots_after(blots: int, source: int, die: int) -> int:
    """The blots that are left after a move."""
    return blots & ~(1 << max(source - die, 0))


@kernel
def is_hit(blots: int, target: int) -> bool:
    """True when a move to this point of the mover's hits."""
    return target > 0 and blots >> target & 1 == 1


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
    board: Board,
    occupied: int,
    blocked: int,
    blots: int,
    for_a: int,
    a: int,
    b: int,
    runner: int,
) -> bool:
    """True when one checker running b then a ends as if it ran a then b.

    So it is when the other order is possible too and neither hits on the way.
    """
    middle = runner - a
    if middle < 1 or is_hit(blots, middle) or is_hit(blots, runner - b):
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
    words: Words,
    sources: int,
    die: int,
    plays: PlayArrays,
    scratch: Scratch,
    number: int,
) -> int:
    """Write the plays of one die only. Returns the new number of plays, −1 if full."""
    _, out, codes = plays
    begun = scratch[1]
    begin(words, begun)
    blots = blots_of_other(words, 1)
    while sources:
        source = highest_bit(sources)
        sources ^= 1 << source
        if number >= codes.shape[0]:
            return -1
        write_moved(begun, 0, blots, source, die, out, number)
        codes[number] = move_code_of(source, die, 0)
        number += 1
    return number


@kernel
def write_pairs(
    blots: int,
    first: int,
    a: int,
    second: int,
    b: int,
    plays: PlayArrays,
    scratch: Scratch,
    number: int,
) -> int:
    """Write the plays of `first` moving a, then each of `second` moving b.

    The unmoved board is ``begun[0]``, with the first move it becomes ``begun[1]``.
    """
    if second == 0:
        return number
    _, out, codes = plays
    begun = scratch[1]
    write_moved(begun, 0, blots, first, a, begun, 1)
    left = blots_after(blots, first, a)
    code = move_code_of(first, a, 0)
    while second:
        source = highest_bit(second)
        second ^= 1 << source
        if number >= codes.shape[0]:
            return -1
        write_moved(begun, 1, left, source, b, out, number)
        codes[number] = code | move_code_of(source, b, 1)
        number += 1
    return number


@kernel
def write_larger_first(
    board: Board,
    words: Words,
    sources: int,
    a: int,
    b: int,
    plays: PlayArrays,
    scratch: Scratch,
) -> int:
    """Write all plays that move a first, then b, each result once.

    Of two checkers' moves on one line (z runs b, another stands on z − b and moves a)
    the same result is made by z running a, then b: only that is written.
    """
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    blots = blots_of_other(words, 1)
    for_a = sources
    number = 0
    while sources:
        first = highest_bit(sources)
        sources ^= 1 << first
        after = occupied_after(occupied, int(board[0, first]), first, a)
        second = sources_of(after, blocked, b)
        runner = first + b
        joins = runner <= 25 and second >> runner & 1 == 1
        if joins and is_same_run(board, occupied, blocked, blots, for_a, a, b, runner):
            second ^= 1 << runner
        number = write_pairs(blots, first, a, second, b, plays, scratch, number)
        if number < 0:
            return -1
    return number


@kernel
def new_results(
    board: Board,
    occupied: int,
    blocked: int,
    blots: int,
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
            repeated = is_same_run(board, occupied, blocked, blots, for_a, a, b, by_b)
        if not repeated:
            kept |= 1 << source
    return kept


@kernel
def moves_commute(occupied: int) -> bool:
    """True when two checkers' moves can always be made in either order.

    So it is with no checker on the bar, and checkers on two points outside the home
    board: nothing is to be entered first, and nothing can be borne off.
    """
    outside = occupied & OUTSIDE_HOME
    return occupied & BAR_BIT == 0 and outside & (outside - 1) != 0


@kernel
def write_runs(
    board: Board,
    words: Words,
    for_a: int,
    sources: int,
    a: int,
    b: int,
    plays: PlayArrays,
    scratch: Scratch,
    number: int,
) -> int:
    """Write the plays of one checker running b, then a, where `moves_commute`.

    All others that move b first have been written with a first.
    """
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    blots = blots_of_other(words, 1)
    # the runner stops where no other checker could move a, and goes on to an open point
    runners = sources & ~(for_a << b) & ~(blocked << (a + b)) & ~((2 << (a + b)) - 1)
    while runners:
        runner = highest_bit(runners)
        runners ^= 1 << runner
        if is_same_run(board, occupied, blocked, blots, for_a, a, b, runner):
            continue
        middle = 1 << (runner - b)
        number = write_pairs(blots, runner, b, middle, a, plays, scratch, number)
        if number < 0:
            return -1
    return number


@kernel
def write_smaller_first(
    board: Board,
    words: Words,
    for_a: int,
    sources: int,
    a: int,
    b: int,
    plays: PlayArrays,
    scratch: Scratch,
    number: int,
) -> int:
    """Write the plays that move b first, then a, and are not made a first."""
    occupied = occupied_points(words, 0)
    blocked = blocked_points(words, 1)
    blots = blots_of_other(words, 1)
    while sources:
        first = highest_bit(sources)
        sources ^= 1 << first
        after = occupied_after(occupied, int(board[0, first]), first, b)
        second = sources_of(after, blocked, a)
        second = new_results(
            board, occupied, blocked, blots, for_a, a, b, first, second
        )
        number = write_pairs(blots, first, b, second, a, plays, scratch, number)
        if number < 0:
            return -1
    return number


@kernel
def write_both(
    board: Board,
    words: Words,
    a: int,
    b: int,
    least_waste: bool,
    plays: PlayArrays,
    scratch: Scratch,
) -> int:
    """Write all plays of two different dice. Returns their number, −1 if full.

    The places `first_sources` gives begin only plays that waste least (R16), whatever
    the second move: it always wastes the same.
    """
    by_a, by_b, both = first_sources(board, words, a, b, least_waste)
    if not both:
        number = write_singles(words, by_a, a, plays, scratch, 0)
        return (
            number
            if number < 0
            else write_singles(words, by_b, b, plays, scratch, number)
        )
    begin(words, scratch[1])
    number = write_larger_first(board, words, by_a, a, b, plays, scratch)
    if number < 0:
        return -1
    if moves_commute(occupied_points(words, 0)):
        return write_runs(board, words, by_a, by_b, a, b, plays, scratch, number)
    return write_smaller_first(board, words, by_a, by_b, a, b, plays, scratch, number)


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
def write_double(
    board: Board,
    words: Words,
    die: int,
    most: int,
    plays: PlayArrays,
    scratch: Scratch,
) -> int:
    """Write all plays of a double with up to `most` moves, rearmost source first.

    In that order each result is met once: the set of sources tells the result.
    """
    steps, begun = scratch
    _, out, codes = plays
    path, untried, occupied, blots = steps[0], steps[1], steps[2], steps[3]
    length = longest_double(board, words, die, most, path)
    if length == 0:
        return 0
    blocked = blocked_points(words, 1)
    occupied[0] = occupied_points(words, 0)
    blots[0] = blots_of_other(words, 1)
    untried[0] = sources_of(occupied[0], blocked, die)
    begin(words, begun)
    code = np.uint64(0)
    number = 0
    depth = 0
    while depth >= 0:
        if untried[depth] == 0:
            depth -= 1
            continue
        source = highest_bit(untried[depth])
        untried[depth] ^= 1 << source
        path[depth] = source
        lower = np.uint64(16 * depth)
        code &= (np.uint64(1) << lower) - np.uint64(1)
        code |= move_code_of(source, die, depth)
        if depth + 1 == length:
            if number >= codes.shape[0]:
                return -1
            write_moved(begun, depth, blots[depth], source, die, out, number)
            codes[number] = code
            number += 1
            continue
        write_moved(begun, depth, blots[depth], source, die, begun, depth + 1)
        blots[depth + 1] = blots_after(blots[depth], source, die)
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
    scratch: Scratch,
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
        scratch: (int64[4, 5], uint64[5, 2, 4]), overwritten.

    Returns:
        Number of plays, 0 when nothing can be played, −1 when P is too small.
    """
    a, b = int(roll[0]), int(roll[1])
    if a == b:
        return write_double(board, words, a, int(left[0]), plays, scratch)
    if left[0] and left[1]:
        if a > b:
            return write_both(board, words, a, b, least_waste, plays, scratch)
        return write_both(board, words, b, a, least_waste, plays, scratch)
    if left[0] + left[1] == 0:
        return 0
    die = a if left[0] else b
    return write_singles(words, sources_now(words, die), die, plays, scratch, 0)


@kernel
def write_all_plays(
    boards: Boards,
    words: Words,
    rolls: NDArray[np.int8],
    least_waste: bool,
    plays: PlayArrays,
    scratch: Scratch,
    offsets: NDArray[np.int64],
) -> int:
    """Write the plays of many positions one after the other.

    Args:
        boards: int8[B, 2, 32].
        words: The same memory as uint64[B, 2, 4].
        rolls: int8[B, 2].
        least_waste: R16.
        plays: Buffers as for `write_plays`.
        scratch: (int64[4, 5], uint64[5, 2, 4]), overwritten.
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
    scratch: Scratch,
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
