"""The features of ``expert`` once more: slow, from their sentences, to compare with.

Shares nothing with the package. A side is a list of 26 counts in its own numbering:
0 = off, 1 to 24 the points, 25 the bar. `me` owns the features, `they` are the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

Side = tuple[int, ...]

BAR = 25
THROWS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def places_of(side: Side) -> list[int]:
    """The place of every checker that is not off, the rearmost first."""
    return [p for p in range(BAR, 0, -1) for _ in range(side[p])]


def made_points(side: Side) -> set[int]:
    return {p for p in range(1, BAR) if side[p] >= 2}


def blots_of(side: Side) -> set[int]:
    return {p for p in range(1, BAR) if side[p] == 1}


def blocked_for(they: Side) -> set[int]:
    """The points that `they` block, in the numbering of their opponent."""
    return {BAR - p for p in made_points(they)}


# --- shots: every sequence of moves -----------------------------------------------


def after_move(
    hitter: Side, victim: Side, source: int, die: int
) -> tuple[Side, Side, int] | None:
    """Hitter, victim and the victim's point that was hit (0: none), if it may be."""
    target = source - die
    if hitter[source] == 0 or target < 1 or (hitter[BAR] and source != BAR):
        return None
    there = victim[BAR - target]
    if there >= 2:
        return None
    mine, theirs = list(hitter), list(victim)
    mine[source] -= 1
    mine[target] += 1
    if there == 1:
        theirs[BAR - target] = 0
        theirs[BAR] += 1
    return tuple(mine), tuple(theirs), BAR - target if there == 1 else 0


def sets_hit(hitter: Side, victim: Side, dice: tuple[int, ...]) -> set[frozenset[int]]:
    """What the sequences of moves with these dice, in this order, have hit by then."""
    now = {(hitter, victim, frozenset[int]())}
    seen = set(now)
    for die in dice:
        coming = set()
        for mine, theirs, hits in now:
            for source in range(1, BAR + 1):
                moved = after_move(mine, theirs, source, die)
                if moved is not None:
                    point = moved[2]
                    coming.add(
                        (moved[0], moved[1], hits | ({point} if point else set()))
                    )
        now = coming
        seen |= now
    return {hits for _, _, hits in seen}


def shots(me: Side, they: Side) -> tuple[list[int], int, int, int]:
    """Throws that hit each point of mine 0 to 24, any, pips lost, throws for two."""
    at, any_hit, loss, two = [0] * 25, 0, 0, 0
    if not blots_of(me):
        return at, any_hit, loss, two
    for a, b in THROWS:
        if a > b:
            continue
        orders = [(a,) * 4] if a == b else [(a, b), (b, a)]
        found = set().union(*(sets_hit(they, me, order) for order in orders))
        weight = 1 if a == b else 2
        hit = set().union(*found)
        for point in hit:
            at[point] += weight
        any_hit += weight * bool(hit)
        loss += weight * max((BAR - point for point in hit), default=0)
        two += weight * any(len(hits) > 1 for hits in found)
    return at, any_hit, loss, two


# --- a checker running ------------------------------------------------------------


def stops(place: int, dice: tuple[int, int], blocked: set[int]) -> Iterator[list[int]]:
    """The ways of one checker with a throw: every place it steps on, move by move."""
    near = {p for p in blocked if place - p <= 12}
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    for order in orders:
        way = []
        at = place
        for die in order:
            at -= die
            if at in near:
                break
            way.append(at)
        yield way


def running_throws(place: int, blocked: set[int]) -> int:
    """Both dice, of a double two."""
    return sum(
        any(len(way) >= 2 for way in stops(place, throw, blocked)) for throw in THROWS
    )


def escaping_throws(place: int, blocked: set[int]) -> int:
    """Past all that blocks within 6 pips."""
    block = [p for p in blocked if 1 <= place - p <= 6]
    last = min(block, default=place)
    return sum(
        any(at < last for way in stops(place, throw, blocked) for at in way)
        for throw in THROWS
    )


# --- all features of one side -----------------------------------------------------


def wastage(side: Side) -> int:
    waste = 2 * max(side[1] - 1, 0) + max(side[2] - 1, 0) + max(side[3] - 3, 0)
    return waste + sum(side[p] == 0 for p in (4, 5, 6))


def race_features(me: Side, they: Side) -> dict[str, float]:
    places = places_of(me)
    pips = sum(places)
    mean = pips / len(places) if places else 0
    quadrants = sum(4 if p == BAR else (p - 1) // 6 for p in places)
    behind = [max(p - mean, 0) ** 2 for p in places]
    home_spare = sum(max(me[p] - 2, 0) * (p - 1) for p in range(2, 7))
    front = BAR - max(places_of(they), default=0)
    return {
        "pips": pips / 128,
        "late pips": min(pips, 64) / 64,
        "average": pips / len(places) / 32 if places else 0,
        "crossovers": quadrants / 32,
        "wastage": wastage(me) / 16,
        "stacking": sum(me[p] ** 2 for p in range(1, BAR)) / 256,
        "spread": sum(behind) / len(places) / 64 if places else 0,
        "timing": (sum(p - 6 for p in places if 7 <= p <= 18) + home_spare) / 128,
        "contact pips": sum(max(p - front, 0) for p in places) / 128,
    }


def behind_features(me: Side, they: Side) -> dict[str, float]:
    places = places_of(me)
    made = made_points(me)
    rear = max(places, default=0)
    back = sum(p >= 19 for p in places)
    anchors = [p for p in made if p >= 19]
    advanced = [p for p in made if p >= 18]
    stations = sorted({rear, *(p for p in made if 6 < p < rear), 6})
    has_contact = rear + max(places_of(they), default=0) > BAR
    return {
        "rear": rear / 32,
        "second rear": places[1] / 32 if len(places) > 1 else 0,
        "back": back / 8,
        "three back": back >= 3,
        "anchors": len(anchors) / 4,
        "best anchor": (BAR - min(advanced)) / 8 if advanced else 0,
        "rear anchor": max(made, default=0) / 32,
        "deep anchor": bool(made & {23, 24}) and not made & {18, 19, 20, 21, 22},
        "back game": back / 8 if len(anchors) >= 2 else 0,
        "largest gap": max(
            (high - low for low, high in pairwise(stations) if rear > 6), default=0
        )
        / 16,
        "crashed": has_contact and sum(p >= 3 for p in places) <= 6,
    }


def prime_starts(made: set[int], length: int) -> list[int]:
    return [p for p in range(1, BAR) if all(p + k in made for k in range(length))]


def makes_new_point(me: Side, they: Side, throw: tuple[int, int]) -> bool:
    if me[BAR]:
        return False
    blocked = blocked_for(they)
    made = made_points(me)

    def is_free(p: int) -> bool:
        return p <= 24 and (me[p] == 1 or me[p] >= 3)

    for target in set(range(2, 8)) - made - blocked:
        first, second = (target + die for die in throw)
        is_blot = me[target] == 1
        if is_blot and (is_free(first) or is_free(second)):
            return True
        if throw[0] == throw[1] and first in made:
            return True
        if throw[0] != throw[1] and is_free(first) and is_free(second):
            return True
    return False


def blockade_features(me: Side, they: Side) -> dict[str, float]:
    made = made_points(me)
    theirs = places_of(they)
    front = BAR - max(theirs, default=0)
    fours = prime_starts(made, 4)
    blocked = blocked_for(me)
    free = [p for p in range(7) if p not in made]  # my numbering, 0 = their bar
    throws = [escaping_throws(BAR - p, blocked) for p in free]
    home = len(made & set(range(1, 7)))
    return {
        "home points": home / 6,
        "home strength": (home / 6) ** 2,
        "home blots": len(blots_of(me) & set(range(1, 7))) / 6,
        **{f"prime {n}": bool(prime_starts(made, n)) for n in (3, 4, 5, 6)},
        "best six": max(len(made & set(range(p, p + 6))) for p in range(1, 20)) / 6,
        "block of 6": len(made & set(range(front + 1, front + 7))) / 6,
        "block of 12": len(made & set(range(front + 1, front + 13))) / 8,
        "trapped": sum(BAR - p < max(fours) for p in theirs) / 8 if fours else 0,
        "containment": 1 - min(throws) / 36,
        "new point": sum(makes_new_point(me, they, throw) for throw in THROWS) / 36,
    }


def freedom_features(me: Side, they: Side) -> dict[str, float]:
    blocked = blocked_for(they)
    rear = max(places_of(me), default=1)
    their_home = len(made_points(they) & set(range(1, 7)))
    outside = [p for p in places_of(me) if p > 6]
    return {
        "rear moves": sum(
            any(rear - die not in blocked for die in throw) for throw in THROWS
        )
        / 36,
        "rear runs": running_throws(rear, blocked) / 36,
        "rear escapes": escaping_throws(rear, blocked) / 36,
        "mobility": sum(running_throws(p, blocked) for p in outside) / 512,
        "stuck": (their_home / 6) ** 2 if me[BAR] else 0,
    }


def side_features(me: Side, they: Side) -> dict[str, float]:
    """All features of one side by name, in the order of the block."""
    at, any_hit, loss, two = shots(me, they)
    strength = (len(made_points(they) & set(range(1, 7))) / 6) ** 2
    return {
        **race_features(me, they),
        **behind_features(me, they),
        **blockade_features(me, they),
        **freedom_features(me, they),
        "hit and stuck": any_hit / 36 * strength,
        **{f"hit at {p}": at[p] / 36 for p in range(1, BAR)},
        "hit": any_hit / 36,
        "pip loss": loss / 36 / 16,
        "double hit": two / 36,
    }


def shared_features(me: Side, they: Side) -> dict[str, float]:
    mine, theirs = sum(places_of(me)), sum(places_of(they))
    root = math.sqrt(max(mine + theirs, 16))
    lead = theirs - mine
    rears = max(places_of(me), default=0) + max(places_of(they), default=0)
    with_wastage = lead + wastage(they) - wastage(me)
    return {
        "race": rears <= BAR,
        "lead": max(-2, min(2, lead / root)),
        "lead with wastage": max(-2, min(2, with_wastage / root)),
        "worth of a roll": 4 / root,
    }


def all_features(me: Side, they: Side) -> dict[str, float]:
    """Everything, by "my …", "their …" and the name alone."""
    return {
        **{f"my {name}": value for name, value in side_features(me, they).items()},
        **{f"their {name}": value for name, value in side_features(they, me).items()},
        **shared_features(me, they),
    }
