"""Kernels that fill the tables of bear-offs, from fewer pips to more.

Numbers of home positions are those of `bg_env.equity._bearoff.home_number`: every move
makes them smaller, so a table is filled in their order. With all checkers at home and
no contact every die can be played while a checker is left: a play is two moves in
either order, or four with doubles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.equity._bearoff import HOME, home_number, write_home
from bg_env.rules.state import Boards

Numbers = NDArray[Any]
Doubles = NDArray[np.float64]


@kernel
def write_moves(board: Boards, moves: Numbers, sizes: Numbers) -> int:
    """Where each single move leads.

    Args:
        board: int8[1, 2, 32] of zeros, overwritten.
        moves: int32[N, 6, 6], written: the number after a move by die d + 1 from point
            s + 1; −1 where there is none.
        sizes: int64[N], written: checkers left.

    Returns:
        N.
    """
    for number in range(moves.shape[0]):
        sizes[number] = write_home(number, board, 0, 0)
        highest = 0
        for source in range(1, HOME + 1):
            if board[0, 0, source] > 0:
                highest = source
        for die in range(1, HOME + 1):
            for source in range(1, HOME + 1):
                moves[number, die - 1, source - 1] = number_after(
                    board, source, die, highest
                )
    return int(moves.shape[0])


@kernel
def number_after(board: Boards, source: int, die: int, highest: int) -> int:
    """The number after one move of row 0; −1 if it is not legal. `board` is restored.

    A die higher than the point bears off only from the highest point (R14).
    """
    if board[0, 0, source] == 0 or (source < die and source < highest):
        return -1
    target = source - die
    board[0, 0, source] -= 1
    if target > 0:
        board[0, 0, target] += 1
    number = home_number(board, 0, 0)
    board[0, 0, source] += 1
    if target > 0:
        board[0, 0, target] -= 1
    return number


@kernel
def add_new(results: Numbers, count: int, number: int) -> int:
    """Append a number to a list that lacks it. Returns the new length."""
    for k in range(count):
        if results[k] == number:
            return count
    results[count] = number
    return count + 1


@kernel
def write_two_moves(
    moves: Numbers, number: int, a: int, b: int, results: Numbers, count: int
) -> int:
    """Append the results of die a, then b. Returns the new length of the list."""
    for source in range(HOME):
        between = int(moves[number, a - 1, source])
        if between == 0:
            count = add_new(results, count, 0)
        if between <= 0:
            continue
        for other in range(HOME):
            after = int(moves[between, b - 1, other])
            if after >= 0:
                count = add_new(results, count, after)
    return count


@kernel
def write_four_moves(
    moves: Numbers, number: int, die: int, results: Numbers, lists: Numbers
) -> int:
    """The results of doubles: sources in descending order give each of them once.

    Args:
        moves: From `write_moves`.
        number: Of the position.
        die: Of the doubles.
        results: int64[128], written.
        lists: int64[3, 128], overwritten: sources, and the results after one move less
            with theirs.

    Returns:
        How many.
    """
    results[0] = number
    lists[0, 0] = HOME - 1
    count = 1
    for _ in range(4):
        before = count
        for k in range(before):
            lists[1, k] = results[k]
            lists[2, k] = lists[0, k]
        count = 0
        for k in range(before):
            if lists[1, k] == 0:  # all off: the rest of the roll is not played
                results[count] = 0
                count += 1
                continue
            for source in range(lists[2, k], -1, -1):
                after = int(moves[lists[1, k], die - 1, source])
                if after >= 0:
                    results[count] = after
                    lists[0, count] = source
                    count += 1
    return count


@kernel
def write_results(
    moves: Numbers, number: int, a: int, b: int, results: Numbers, lists: Numbers
) -> int:
    """All results of a roll; arguments as for `write_four_moves`. Returns how many."""
    if a == b:
        return write_four_moves(moves, number, a, results, lists)
    count = write_two_moves(moves, number, a, b, results, 0)
    return write_two_moves(moves, number, b, a, results, count)


# --- one side alone ---------------------------------------------------------------


@kernel
def least(results: Numbers, count: int, means: Doubles) -> int:
    """The result with the smallest mean; of equal ones the smallest number."""
    best = int(results[0])
    for k in range(1, count):
        number = int(results[k])
        if means[number] < means[best] or (
            means[number] == means[best] and number < best
        ):
            best = number
    return best


@kernel
def soonest(
    results: Numbers, count: int, size: int, sizes: Numbers, means: Doubles
) -> int:
    """The result with the smallest mean, −1 if one has less than `size` checkers."""
    for k in range(count):
        if sizes[results[k]] < size:
            return -1
    return least(results, count, means)


@kernel
def add_later(chances: Doubles, number: int, after: int, weight: float) -> float:
    """Add the chances of a position one roll later, weighted, to those of another.

    Returns:
        The weighted mean number of rolls from `after` on.
    """
    mean = 0.0
    for k in range(chances.shape[1] - 1):
        chance = weight * chances[after, k]
        chances[number, k + 1] += chance
        mean += chance * k
    return mean


@kernel
def fill_one_sided(
    moves: Numbers,
    sizes: Numbers,
    dice: Numbers,
    weights: Doubles,
    rolls: Doubles,
    first: Doubles,
    means: Doubles,
) -> int:
    """Chances of the number of rolls until all, and until the first checker, is off.

    Args:
        moves: From `write_moves`.
        sizes: From `write_moves`.
        dice: int64[21, 2].
        weights: float64[21], their chances.
        rolls: float64[N, K] of zeros, written.
        first: float64[N, F] of zeros, written.
        means: float64[2, N] of zeros, written: the means of both.

    Returns:
        N.
    """
    results = np.empty(128, np.int64)
    lists = np.empty((3, 128), np.int64)
    rolls[0, 0] = 1
    first[0, 0] = 1
    for number in range(1, moves.shape[0]):
        means[0, number] = 1
        means[1, number] = 1
        for r in range(dice.shape[0]):
            a, b = int(dice[r, 0]), int(dice[r, 1])
            count = write_results(moves, number, a, b, results, lists)
            after = least(results, count, means[0])
            means[0, number] += add_later(rolls, number, after, weights[r])
            after = soonest(results, count, int(sizes[number]), sizes, means[1])
            if after < 0:
                first[number, 1] += weights[r]
            else:
                means[1, number] += add_later(first, number, after, weights[r])
    return int(moves.shape[0])


# --- both sides ---------------------------------------------------------------------


@kernel
def list_results(
    moves: Numbers, dice: Numbers, starts: Numbers, results: Numbers
) -> int:
    """All results of each roll from each position.

    Args:
        moves: From `write_moves`.
        dice: int64[21, 2].
        starts: int64[N * 21 + 1], written: where those of position n and roll r begin
            in `results`, at n * 21 + r.
        results: int64[P], written.

    Returns:
        How many; −1 if there is no room.
    """
    found = np.empty(128, np.int64)
    lists = np.empty((3, 128), np.int64)
    total = 0
    rolls = dice.shape[0]
    for number in range(moves.shape[0]):
        for r in range(rolls):
            starts[number * rolls + r] = total
            if number == 0:
                continue
            a, b = int(dice[r, 0]), int(dice[r, 1])
            count = write_results(moves, number, a, b, found, lists)
            if total + count > results.shape[0]:
                return -1
            for k in range(count):
                results[total] = found[k]
                total += 1
    starts[moves.shape[0] * rolls] = total
    return total


@kernel
def turn_cube(holds: float, doubled: float) -> float:
    """What he has who may double: he does if it brings more, and is answered well.

    Args:
        holds: His equity without a double.
        doubled: His equity with the other owning the cube, at the cube's value before.
    """
    return max(holds, min(2 * doubled, 1.0))


@kernel
def fill_pair(
    i: int,
    j: int,
    starts: Numbers,
    results: Numbers,
    weights: Doubles,
    values: Doubles,
) -> None:
    """Write ``values[i, j]``; every ``values[j, k]`` with k < i is there.

    Each of the four is played for by itself: the best play may differ.

    Args:
        i: The player on roll.
        j: The other.
        starts: From `list_results`.
        results: From `list_results`.
        weights: float64[21].
        values: float64[N, N, 4], in place; see `fill_two_sided`.
    """
    rolls = weights.shape[0]
    win, centred, owned, theirs = 0.0, 0.0, 0.0, 0.0
    for r in range(rolls):
        best_win, best_centred, best_owned, best_theirs = 0.0, -1.0, -1.0, -1.0
        for at in range(starts[i * rolls + r], starts[i * rolls + r + 1]):
            k = results[at]
            lost, other_owned = values[j, k, 0], values[j, k, 2]
            doubled = values[j, k, 3]
            best_win = max(best_win, 1 - lost)
            best_centred = max(best_centred, -turn_cube(values[j, k, 1], doubled))
            best_owned = max(best_owned, -doubled)
            best_theirs = max(best_theirs, -turn_cube(other_owned, doubled))
        win += weights[r] * best_win
        centred += weights[r] * best_centred
        owned += weights[r] * best_owned
        theirs += weights[r] * best_theirs
    values[i, j, 0] = win
    values[i, j, 1] = centred
    values[i, j, 2] = owned
    values[i, j, 3] = theirs


@kernel
def fill_two_sided(
    starts: Numbers, results: Numbers, weights: Doubles, values: Doubles
) -> int:
    """Exact values of every pair, the player on roll first.

    Args:
        starts: From `list_results`.
        results: From `list_results`.
        weights: float64[21].
        values: float64[N, N, 4], written: chance to win; equity with the cube centred,
            if he does not double now; with his own cube, if he does not; with the cube
            the other's. Equities for money, the cube at 1.

    Returns:
        N.
    """
    size = int(values.shape[0])
    for k in range(size):
        for v in range(4):
            values[0, k, v] = 1
            values[k, 0, v] = 0 if v == 0 else -1
    for most in range(1, size):
        for k in range(1, most):
            fill_pair(most, k, starts, results, weights, values)
        for k in range(1, most + 1):
            fill_pair(k, most, starts, results, weights, values)
    return size
