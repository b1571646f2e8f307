"""Kernels of bear-offs: the number of a home position, and the chances of a pair.

A home position is six counts, of at most 15 checkers in all. Its number is that of a
combination: with s(k) checkers on the k highest points of the home board, it is the sum
over k = 1..6 of C(s(k) + k − 1, k). So 0 is "all off", positions with fewer checkers
come first whatever the most is that a table covers, and every move makes the number
smaller.

A board is ``boards[p]`` of ``int8[P, 2, 32]``, also handed over as ``words``, the same
memory as ``uint64[P, 2, 4]``. Tables are handed over one by one: `rolls` and `first` of
`bg_env.equity.bearoff.OneSided`, `win` of `TwoSided`.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules.state import Boards, Words

HOME: Final = 6
MOST: Final = 15
WAYS_TO_STAND: Final = np.array(
    [[math.comb(s + k - 1, k) if k else 0 for s in range(MOST + 1)] for k in range(7)]
)  # int64[7, 16]

Floats = NDArray[np.float32]

_NOTHING: Final = 1e-12
_ONE: Final = np.float32(1)
_HIGH_BYTE: Final = np.uint64(56)


@kernel
def home_number(boards: Boards, p: int, side: int) -> int:
    """The number of the home position of one side; −1 with more than 15 checkers.

    What stands outside the home board is not looked at.
    """
    checkers = 0
    number = 0
    for k in range(1, HOME + 1):
        checkers += int(boards[p, side, HOME + 1 - k])
        if checkers > MOST:
            return -1
        number += int(WAYS_TO_STAND[k, checkers])
    return number


@kernel
def write_home(number: int, boards: Boards, p: int, side: int) -> int:
    """Write the home position with this number. Returns how many checkers it has."""
    rest = number
    checkers = 0
    above = 0
    for k in range(HOME, 0, -1):
        found = MOST
        while int(WAYS_TO_STAND[k, found]) > rest:
            found -= 1
        rest -= int(WAYS_TO_STAND[k, found])
        if k == HOME:
            checkers = found
        else:
            boards[p, side, HOME - k] = above - found
        above = found
    boards[p, side, HOME] = above
    return checkers


@kernel
def are_all_home(words: Words, p: int) -> bool:
    """True when neither side has a checker outside its home board."""
    outside = np.uint64(0)
    for side in range(2):
        outside |= words[p, side, 0] >> _HIGH_BYTE
        outside |= words[p, side, 1] | words[p, side, 2] | words[p, side, 3]
    return bool(outside == np.uint64(0))


@kernel
def chance_to_be_first(
    mine: Floats, i: int, theirs: Floats, j: int, behind: int
) -> float:
    """Chance that I need no more rolls than they do, rolling first or second.

    Args:
        mine: Chances float32[N, K] of needing 0, 1, 2 … rolls, a row per position.
        i: My row.
        theirs: The same of the other side; its K may differ.
        j: Their row.
        behind: 0 when I roll first, 1 when they do.
    """
    left = 1.0  # that they have needed more rolls than they have had
    had = 0
    if behind == 1:
        left -= float(theirs[j, 0])
        had = 1
    total = 0.0
    for k in range(mine.shape[1]):
        if left <= _NOTHING:
            break
        total += float(mine[i, k]) * left
        if had < theirs.shape[1]:
            left -= float(theirs[j, had])
            had += 1
    return min(total, 1.0)


@kernel
def write_pair(
    i: int,
    j: int,
    has_off: bool,
    other_has_off: bool,
    rolls: Floats,
    first: Floats,
    win: Floats,
    out: Floats,
) -> None:
    """The five chances float32[5] of the player on roll at `i` against `j`.

    Exact where both sides have borne off a checker and `win` has the pair.

    Args:
        i: Number of the home position of the player on roll.
        j: That of the other side.
        has_off: He has borne off a checker.
        other_has_off: The other has.
        rolls: float32[54264, 32].
        first: float32[54264, 12].
        win: float32[N, N].
        out: Written.
    """
    covered = win.shape[0]
    if has_off and other_has_off and i < covered and j < covered:
        chance = float(win[i, j])
    else:
        chance = chance_to_be_first(rolls, i, rolls, j, 0)
    out[0] = chance
    out[1] = 0
    out[2] = 0
    out[3] = 0
    out[4] = 0
    if not other_has_off:
        out[1] = min(chance_to_be_first(rolls, i, first, j, 0), chance)
    if not has_off:
        out[3] = min(chance_to_be_first(rolls, j, first, i, 1), float(_ONE - out[0]))


@kernel
def rate_on_roll(
    boards: Boards,
    words: Words,
    p: int,
    rolls: Floats,
    first: Floats,
    win: Floats,
    out: Floats,
) -> bool:
    """The five chances float32[5] of row 0, which is on roll.

    A finished game, too, is rated, if the loser is at home. To hand over so many arrays
    takes longer than to see that a board is none of these: in a loop ask `are_all_home`
    first.

    Returns:
        False when a side has a checker outside its home board: `out` is left alone.
    """
    if not are_all_home(words, p):
        return False
    i, j = home_number(boards, p, 0), home_number(boards, p, 1)
    if i < 0 or j < 0:
        return False
    has_off, other_has_off = boards[p, 0, 0] > 0, boards[p, 1, 0] > 0
    write_pair(i, j, has_off, other_has_off, rolls, first, win, out)
    return True


@kernel
def rate_after_play(
    boards: Boards,
    words: Words,
    p: int,
    rolls: Floats,
    first: Floats,
    win: Floats,
    out: Floats,
) -> bool:
    """The five chances float32[5] of row 0, which has just moved; row 1 is on roll.

    Otherwise as `rate_on_roll`.
    """
    if not are_all_home(words, p):
        return False
    i, j = home_number(boards, p, 1), home_number(boards, p, 0)
    if i < 0 or j < 0:
        return False
    has_off, other_has_off = boards[p, 1, 0] > 0, boards[p, 0, 0] > 0
    write_pair(i, j, has_off, other_has_off, rolls, first, win, out)
    out[0] = _ONE - out[0]
    gammon, out[1] = out[1], out[3]
    out[3] = min(gammon, _ONE - out[0])
    return True


@kernel
def rate_many(
    boards: Boards,
    words: Words,
    has_moved: bool,
    rolls: Floats,
    first: Floats,
    win: Floats,
    known: NDArray[np.bool_],
    rows: Floats,
) -> int:
    """`rate_on_roll` or `rate_after_play` of many boards.

    Args:
        boards: int8[B, 2, 32].
        words: The same memory as uint64[B, 2, 4].
        has_moved: Row 0 has moved, row 1 is on roll.
        rolls: A table.
        first: A table.
        win: A table.
        known: bool[B], written: which are rated.
        rows: float32[B, 5], written; zeros where not known.

    Returns:
        How many are known.
    """
    number = 0
    for p in range(boards.shape[0]):
        out = rows[p]
        known[p] = False
        if are_all_home(words, p):
            if has_moved:
                known[p] = rate_after_play(boards, words, p, rolls, first, win, out)
            else:
                known[p] = rate_on_roll(boards, words, p, rolls, first, win, out)
        if known[p]:
            number += 1
        else:
            for k in range(out.shape[0]):
                out[k] = 0
    return number


@kernel
def find_pairs(boards: Boards, words: Words, covered: int, pairs: NDArray[Any]) -> int:
    """Numbers of both home positions, int64[B, 2]; −1 where a table lacks the pair.

    A table of `covered` positions has the boards on which both sides are all home and
    have borne off a checker. Returns how many it has.
    """
    number = 0
    for p in range(boards.shape[0]):
        pairs[p, 0] = -1
        pairs[p, 1] = -1
        if not are_all_home(words, p) or boards[p, 0, 0] < 1 or boards[p, 1, 0] < 1:
            continue
        i, j = home_number(boards, p, 0), home_number(boards, p, 1)
        if 0 <= i < covered and 0 <= j < covered:
            pairs[p, 0] = i
            pairs[p, 1] = j
            number += 1
    return number


@kernel
def number_homes(boards: Boards, side: int, numbers: NDArray[Any]) -> int:
    """`home_number` of one side of many boards, into int64[B]. Returns B."""
    for p in range(boards.shape[0]):
        numbers[p] = home_number(boards, p, side)
    return int(boards.shape[0])
