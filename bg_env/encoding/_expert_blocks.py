"""Counts on masks of points, for the features of ``expert``: gaps, blocks, freedom."""

from __future__ import annotations

from typing import Any, Final

from bg_env._jit import highest_bit, kernel, lowest_bit
from bg_env.encoding._expert_masks import BAR_BIT, ESCAPES, HOME, RUNS, ahead_of
from bg_env.rules.state import BAR

_NEW_POINTS: Final = 63 << 2  # points 2 to 7
_CONTAINED: Final = 7  # places of the opponent that containment looks at


@kernel
def rear_of(occupied: int) -> int:
    """The rearmost place of a side, 0 if all its checkers are off."""
    return highest_bit(occupied | 1)


@kernel
def longest_run(bits: int) -> int:
    """Length of the longest run of set bits, at most 31."""
    two = bits & (bits >> 1)
    four = two & (two >> 2)
    eight = four & (four >> 4)
    sixteen = eight & (eight >> 8)
    left, length = -1, 0
    for runs, more in ((sixteen, 16), (eight, 8), (four, 4), (two, 2), (bits, 1)):
        longer = left & (runs >> length)
        left = longer if longer else left
        length += more if longer else 0
    return length


@kernel
def largest_gap(made: int, rear: int) -> int:
    """Longest way from the rear place home between made points or the 6-point."""
    way = max(rear - 6, 0)
    stations = made >> 6 | 1
    between = ((1 << way) - 1) & ~stations
    return longest_run(between) + 1 if way else 0


@kernel
def best_window(made: int) -> int:
    """Most points made of any 6 neighbouring ones.

    Bit p of three masks counts the points p to p + 5: two sums of three bits each.
    """
    a, b, c = made, made >> 1, made >> 2
    one, two = a ^ b ^ c, a & b | c & (a ^ b)
    ones, twos = one ^ (one >> 3), two ^ (two >> 3)
    carry = one & (one >> 3)
    fours = two & (two >> 3) | carry & twos
    twos ^= carry
    best = 0
    most = fours if fours else -1  # where the highest bit of the count is set
    if fours:
        best = 4
    if most & twos:
        most &= twos
        best += 2
    return best + (most & ones != 0)


@kernel
def containment(made: int, made_other: int) -> int:
    """Fewest of 36 throws that free a checker from a place of my home board or the bar.

    Args:
        made: My made points; no opposing checker can stand there.
        made_other: The same in the opponent's numbering.
    """
    fewest = 36
    for place in range(_CONTAINED):
        throws = int(ESCAPES[ahead_of(made_other, BAR - place)])
        if made >> place & 1 == 0:
            fewest = min(fewest, throws)
    return fewest


@kernel
def count_behind(theirs: Any, primes: int) -> int:
    """Opposing checkers behind the farthest of my primes of four.

    ``primes`` are the lowest points of all of them, ``theirs`` int8[32].
    """
    if primes == 0:
        return 0
    first = highest_bit(primes)
    count = 0
    for place in range(BAR + 1 - first, BAR + 1):
        count += int(theirs[place])
    return count


@kernel
def new_point_throws(
    occupied: int, single: int, made: int, three: int, blocked: int
) -> int:
    """Of 36 throws, those that make a new point of my 2 to 7.

    With two checkers that are not needed where they stand, or one and a blot there;
    by a double also with two from one point. None while I have a checker on the bar.
    """
    if occupied & BAR_BIT:
        return 0
    free = single | three
    wanted = _NEW_POINTS & ~made & ~blocked
    throws = 0
    for a in range(1, 7):
        by_a = free >> a
        throws += ((by_a & single) | (made >> a)) & wanted != 0
        for b in range(a + 1, 7):
            by_b = free >> b
            new = ((by_a & by_b) | ((by_a | by_b) & single)) & wanted
            throws += 2 * (new != 0)
    return throws


@kernel
def mobility(counts: Any, occupied: int, blocked: int) -> int:
    """Throws with which a checker outside home can run, summed over these checkers."""
    total = 0
    outside = occupied & ~(HOME | 1)
    while outside:
        place = lowest_bit(outside)
        outside &= outside - 1
        total += int(RUNS[ahead_of(blocked, place)]) * int(counts[place])
    return total
