"""Bear-offs as slow, exact fractions, on the plays of the slow rule book.

A home is six counts, of points 1 to 6.
"""

import functools
from fractions import Fraction
from itertools import product

import reference

DICE = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
DONE = (0,) * 6
_OTHER = (14, 1, *(0,) * 24)


def weight(dice):
    """Chance of a roll."""
    return Fraction(1 if dice[0] == dice[1] else 2, 36)


@functools.cache
def homes(checkers):
    """All homes of at most so many checkers, in the order of their numbers."""
    all_of_them = [
        home for home in product(range(checkers + 1), repeat=6) if sum(home) <= checkers
    ]
    return sorted(all_of_them, key=lambda home: [sum(home[k:]) for k in range(6)])


@functools.cache
def results(home, dice):
    """All homes that a roll can leave."""
    if home == DONE:
        return [home]
    side = (15 - sum(home), *home, *(0,) * 19)
    found = reference.legal_results((side, _OTHER), dice)
    return sorted({mover[1:7] for mover, _ in found})


@functools.cache
def rolls(home):
    """(mean, chances of 0, 1, 2 … rolls) until all is off, played for the mean."""
    if home == DONE:
        return Fraction(0), (Fraction(1),)
    return _later([(weight(dice), _shortest(home, dice, rolls)) for dice in DICE])


@functools.cache
def first(home):
    """The same until one more checker is off."""
    parts = []
    for dice in DICE:
        if any(sum(left) < sum(home) for left in results(home, dice)):
            parts.append((weight(dice), (Fraction(0), (Fraction(1),))))
        else:
            parts.append((weight(dice), _shortest(home, dice, first)))
    return _later(parts)


def _shortest(home, dice, measure):
    """The measure of the best result; of equally good ones the lowest number."""
    options = results(home, dice)
    number = {left: [sum(left[k:]) for k in range(6)] for left in options}
    return measure(min(options, key=lambda left: (measure(left)[0], number[left])))


def _later(parts):
    chances = [Fraction(0)] * (1 + max(len(later) for _, (_, later) in parts))
    for share, (_, later) in parts:
        for k, chance in enumerate(later):
            chances[k + 1] += share * chance
    return 1 + sum(share * mean for share, (mean, _) in parts), tuple(chances)


@functools.cache
def win(home, other):
    """Chance to win of the player on roll, who has `home`; both have checkers left."""
    return _average(home, lambda left: 1 - win(other, left))


@functools.cache
def equity(home, other, owner):
    """Money equity if he does not double now; `owner` is None, "me" or "them"."""
    seen_by_other = {None: None, "me": "them", "them": "me"}[owner]
    return _average(home, lambda left: -_may_double(other, left, seen_by_other))


def _may_double(home, other, owner):
    holds = equity(home, other, owner)
    if owner == "them":
        return holds
    return max(holds, min(2 * equity(home, other, "them"), Fraction(1)))


def _average(home, value):
    total = Fraction(0)
    for dice in DICE:
        options = results(home, dice)
        best = 1 if DONE in options else max(value(left) for left in options)
        total += weight(dice) * best
    return total
