"""Which rolls hit which blots, for the features of ``expert``.

All masks are in the numbering of the hitter, who moves towards point 0. A roll *can
hit* a blot when a sequence of its moves hits it, each move legal by itself: bar first,
not to a blocked point, a double four times. That a whole turn must be played as
completely as possible (R11) is not looked at; it forbids a hit very rarely.

With nobody on the bar the 15 rolls of two different dice are looked up for each blot,
as a set of bits in the order of `PAIRS`: by what stands 1 to 11 pips behind it and
where one can step on the way. Bit d − 1 of such a set of places is d pips away.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import count_bits, highest_bit, kernel, lowest_bit
from bg_env.encoding._expert_masks import BAR_BIT, THIRTY_SIXTHS

# What `write_shots` writes behind the chances of the 24 points.
HIT: Final = 24
PIP_LOSS: Final = 25
DOUBLE_HIT: Final = 26
SHOTS: Final = 27

PAIRS: Final = np.array([(a, b) for b in range(2, 7) for a in range(1, b)], np.int8)
"""int8[15, 2]: the rolls of two different dice."""

_NEAR: Final = 6  # places 1 to 6 pips away, and as many where one can step
_FAR: Final = 5  # places 7 to 11 pips away


def _table(first: int, places: int) -> NDArray[np.uint16]:
    """Rolls that hit from places so far away: uint16[64 << places].

    Args:
        first: The nearest of the places.
        places: How many; they are the low bits of the index, above them the six
            points next to the blot that are not blocked.
    """
    index = np.arange(64 << places)
    rolls = np.zeros(len(index), np.uint16)

    def stands(distance: int) -> NDArray[np.bool_]:
        if not first <= distance < first + places:
            return np.zeros(len(index), np.bool_)
        there: NDArray[np.bool_] = (index >> (distance - first) & 1) == 1
        return there

    for number, (a, b) in enumerate(PAIRS.tolist()):
        steps = (index >> (places + a - 1) | index >> (places + b - 1)) & 1 == 1
        hits = stands(a) | stands(b) | stands(a + b) & steps
        rolls |= (hits.astype(np.uint16) << number).astype(np.uint16)
    return rolls


FROM_NEAR: Final = _table(1, _NEAR)
FROM_FAR: Final = _table(_NEAR + 1, _FAR)


@kernel
def pairs_hitting(occupied: int, opened: int, blot: int) -> int:
    """The rolls of `PAIRS`, as bits, that hit the blot on a point; bar empty."""
    steps = opened >> (blot + 1) & 63
    near = FROM_NEAR[steps << _NEAR | occupied >> (blot + 1) & 63]
    return int(near | FROM_FAR[steps << _FAR | occupied >> (blot + 7) & 31])


@kernel
def pair_hits_two(occupied: int, single: int, blots: int, a: int, b: int) -> bool:
    """The roll a-b can hit two blots at once; bar empty.

    One checker hits with a and goes on to hit with b (or b, then a), or two checkers
    hit different blots; not the same single checker twice.
    """
    by_a = (occupied >> a) & blots
    by_b = (occupied >> b) & blots
    one_runs = ((by_a >> b) | (by_b >> a)) & blots
    pairs = count_bits(by_a) * count_bits(by_b) - count_bits(by_a & by_b)
    pairs -= count_bits((by_a << a) & (by_b << b) & single)
    return one_runs != 0 or pairs > 0


@kernel
def double_hits(occupied: int, opened: int, blots: int, die: int, moves: int) -> int:
    """Blots that so many moves of one die can hit; bar empty."""
    hits = 0
    at = occupied
    for _ in range(moves):
        at = (at >> die) & opened
        hits |= at & blots
    return hits


@kernel
def double_hits_two(
    occupied: int, opened: int, blots: int, die: int, moves: int
) -> bool:
    """So many moves of one die can hit two blots; bar empty.

    A checker that has hit comes to another blot, or two checkers need no more moves
    in sum than there are.
    """
    two = False
    hits = 0
    at = occupied
    runners = 0  # those that have hit on their way
    cheapest = moves  # moves that the first blot needs
    for move in range(1, moves + 1):
        at = (at >> die) & opened
        runners = (runners >> die) & opened
        two |= runners & blots != 0
        new = at & blots & ~hits
        two |= new & (new - 1) != 0 and 2 * move <= moves
        two |= new != 0 and cheapest + move <= moves
        runners |= at & blots
        hits |= new
        if new:
            cheapest = min(cheapest, move)
    return two


@kernel
def throws_hitting_two(
    occupied: int, single: int, opened: int, blots: int, pairs: int, doubles: int
) -> int:
    """Of 36 throws, those that can hit two blots at once; bar empty.

    ``pairs`` and ``doubles`` are the rolls that can hit more than one blot at all.
    """
    throws = 0
    while pairs:
        number = lowest_bit(pairs)
        pairs &= pairs - 1
        a, b = int(PAIRS[number, 0]), int(PAIRS[number, 1])
        throws += 2 * pair_hits_two(occupied, single, blots, a, b)
    while doubles:
        die = lowest_bit(doubles)
        doubles &= doubles - 1
        throws += double_hits_two(occupied, opened, blots, die, 4)
    return throws


@kernel
def write_shots_from_board(
    occupied: int, single: int, opened: int, blots: int, out: Any
) -> tuple[int, int, int]:
    """As `write_shots_from_bar`, with nobody on the bar."""
    one = double_hits(occupied, opened, blots, 1, 4)
    two = double_hits(occupied, opened, blots, 2, 4)
    three = double_hits(occupied, opened, blots, 3, 4)
    four = double_hits(occupied, opened, blots, 4, 4)
    five = double_hits(occupied, opened, blots, 5, 4)
    six = double_hits(occupied, opened, blots, 6, 4)
    rest = blots
    any_pair = any_double = more_pairs = more_doubles = loss = 0
    while rest:
        blot = highest_bit(rest)  # the one that loses most comes first
        rest ^= 1 << blot
        pairs = pairs_hitting(occupied, opened, blot)
        doubles = (one >> blot & 1) << 1 | (two >> blot & 1) << 2
        doubles |= (three >> blot & 1) << 3 | (four >> blot & 1) << 4
        doubles |= (five >> blot & 1) << 5 | (six >> blot & 1) << 6
        throws = 2 * count_bits(pairs) + count_bits(doubles)
        out[24 - blot] = THIRTY_SIXTHS[throws]
        more_pairs |= any_pair & pairs
        more_doubles |= any_double & doubles
        new = 2 * count_bits(pairs & ~any_pair) + count_bits(doubles & ~any_double)
        loss += new * blot
        any_pair |= pairs
        any_double |= doubles
    twice = 0
    if more_pairs | more_doubles:
        twice = throws_hitting_two(
            occupied, single, opened, blots, more_pairs, more_doubles
        )
    return 2 * count_bits(any_pair) + count_bits(any_double), loss, twice


# --- from the bar -----------------------------------------------------------------


@kernel
def pair_from_bar(
    occupied: int, bar: int, opened: int, blots: int, a: int, b: int
) -> tuple[int, bool]:
    """Blots that the roll a-b can hit, and whether two at once, from the bar first."""
    enter_a = (BAR_BIT >> a) & opened
    enter_b = (BAR_BIT >> b) & opened
    hits = (enter_a | enter_b) & blots
    if bar > 1:
        return hits, hits & (hits - 1) != 0
    others = occupied & ~BAR_BIT
    two = False
    if enter_a:
        then = ((others | enter_a) >> b) & blots & ~enter_a
        hits |= then
        two |= then != 0 and enter_a & blots != 0
    if enter_b:
        then = ((others | enter_b) >> a) & blots & ~enter_b
        hits |= then
        two |= then != 0 and enter_b & blots != 0
    return hits, two


@kernel
def double_from_bar(
    occupied: int, bar: int, opened: int, blots: int, die: int
) -> tuple[int, bool]:
    """Blots that a double can hit, and whether two at once, from the bar first."""
    entry = (BAR_BIT >> die) & opened
    if entry == 0:
        return 0, False
    entered = occupied & ~BAR_BIT | entry
    first, rest = entry & blots, blots & ~entry
    moves = max(4 - bar, 0)
    then = double_hits(entered, opened, rest, die, moves)
    if first:
        return first | then, then != 0
    return then, double_hits_two(entered, opened, rest, die, moves)


@kernel
def write_shots_from_bar(
    occupied: int, bar: int, opened: int, blots: int, out: Any
) -> tuple[int, int, int]:
    """Write the chance of each blot, at its owner's point, to ``out``.

    Returns:
        (throws that can hit, pips lost over the 36 throws by the most costly hit of
        each, throws that can hit two blots at once).
    """
    throws = loss = twice = 0
    for a in range(1, 7):
        for b in range(a, 7):
            weight = 1 if a == b else 2
            if a == b:
                hits, two = double_from_bar(occupied, bar, opened, blots, a)
            else:
                hits, two = pair_from_bar(occupied, bar, opened, blots, a, b)
            throws += weight * (hits != 0)
            loss += weight * highest_bit(hits | 1)
            twice += weight * two
            while hits:
                out[24 - lowest_bit(hits)] += np.float32(weight)
                hits &= hits - 1
    while blots:
        place = 24 - lowest_bit(blots)
        out[place] = THIRTY_SIXTHS[int(out[place])]
        blots &= blots - 1
    return throws, loss, twice


# --- both -------------------------------------------------------------------------


@kernel
def write_shots(
    occupied: int, single: int, bar: int, opened: int, blots: int, out: Any
) -> None:
    """Write the chances that blots are hit when the hitter rolls next.

    Args:
        occupied: The hitter's points, and bit 25 if he has checkers on the bar.
        single: Those of them with one checker only.
        bar: How many he has on the bar.
        opened: Points that are not blocked.
        blots: Points where a single opposing checker stands.
        out: float32[SHOTS], written in place: 24 chances by the point of the blots'
            owner, then `HIT`, `PIP_LOSS` / 16 and `DOUBLE_HIT`.
    """
    for k in range(SHOTS):
        out[k] = 0
    blots &= (1 << highest_bit(occupied | 1)) - 1  # those that somebody is behind
    if blots == 0:
        return
    if bar:
        throws, loss, twice = write_shots_from_bar(occupied, bar, opened, blots, out)
    else:
        throws, loss, twice = write_shots_from_board(
            occupied, single, opened, blots, out
        )
    out[HIT] = THIRTY_SIXTHS[throws]
    out[PIP_LOSS] = np.float32(loss) * np.float32(1 / 576)
    out[DOUBLE_HIT] = THIRTY_SIXTHS[twice]
