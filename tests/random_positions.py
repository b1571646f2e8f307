"""Random positions of named kinds, so chosen that the hard rules bind often.

Each maker takes a `random.Random` and returns a `Position` with at least one checker
of both sides on the board. `strategies.py` draws from the same makers.
"""

import random
from collections.abc import Callable, Iterable

from bg_env.rules.position import Position

BAR = 25
ROLLS = tuple((a, b) for a in range(1, 7) for b in range(1, a + 1))
NON_DOUBLES = tuple((a, b) for a, b in ROLLS if a != b)

Maker = Callable[[random.Random], Position]


def _position(
    mover: Iterable[int], opponent: Iterable[int], checkers: int = 15
) -> Position:
    """Build from a list of places for each side; the mover keeps contested points.

    Opposing checkers on a point of the mover are taken to be borne off; if then none
    is left, one is put on the bar.
    """
    mine = list(mover)[:checkers] or [1]
    held = {25 - point for point in mine}
    theirs = [point for point in opponent if point not in held][:checkers]
    theirs = theirs or [BAR]
    return Position.from_points(_counts(mine), _counts(theirs), checkers=checkers)


def _counts(places: list[int]) -> dict[int, int]:
    return {place: places.count(place) for place in set(places)}


def _places(rng: random.Random, count: int, low: int, high: int) -> list[int]:
    return [rng.randint(low, high) for _ in range(count)]


def _doubled_points(rng: random.Random, points: Iterable[int]) -> list[int]:
    """Two checkers, now and then three, on each of the points."""
    made: list[int] = []
    for point in points:
        made += [point] * rng.choice((2, 2, 2, 3))
    return made


def scattered(rng: random.Random) -> Position:
    """Checkers anywhere, the bars included."""
    mover = _places(rng, rng.randint(1, 15), 1, 25)
    return _position(mover, _places(rng, rng.randint(1, 15), 1, 25))


def stacked(rng: random.Random) -> Position:
    """Both sides on a handful of points each."""
    mover = rng.sample(range(1, 25), rng.randint(1, 5))
    opponent = rng.sample(range(1, 25), rng.randint(3, 7))
    return _position(rng.choices(mover, k=15), _doubled_points(rng, opponent))


def bearing_in(rng: random.Random) -> Position:
    """The mover's last few checkers come home, against checkers in his home board."""
    mover = _places(rng, rng.randint(1, 11), 1, 6)
    mover += _places(rng, rng.randint(1, 4), 7, 13)
    return _position(mover, _holding(rng))


def bearing_off_in_contact(rng: random.Random) -> Position:
    """All of the mover's checkers are home, and so are some of the opponent's."""
    return _position(_places(rng, rng.randint(1, 15), 1, 6), _holding(rng))


def bearing_off(rng: random.Random) -> Position:
    """A race: all of the mover's checkers home, nobody behind them."""
    mover = _places(rng, rng.randint(1, 10), 1, 6)
    return _position(mover, _places(rng, rng.randint(1, 15), 1, 18))


def _holding(rng: random.Random) -> list[int]:
    """Opposing checkers on points in the mover's home board, on the bar, elsewhere."""
    points = rng.sample(range(19, 25), rng.randint(0, 3))
    opponent = _doubled_points(rng, points)
    opponent += _places(rng, rng.randint(0, 2), 19, 25)
    return opponent + _places(rng, rng.randint(1, 6), 1, 18)


def on_the_bar(rng: random.Random) -> Position:
    """Checkers of the mover on the bar against points in the opponent's home."""
    home = rng.sample(range(1, 7), rng.randint(2, 5))
    opponent = _doubled_points(rng, home) + _places(rng, rng.randint(0, 5), 1, 24)
    mover = [BAR] * rng.randint(1, 4) + _places(rng, rng.randint(0, 11), 1, 24)
    return _position(mover, opponent)


def primed(rng: random.Random) -> Position:
    """Four to seven opposing points in a row, the mover mostly behind them."""
    length = rng.randint(4, 7)
    first = rng.randint(1, 25 - length)
    opponent = _doubled_points(rng, range(first, first + length))
    mover = _places(rng, rng.randint(1, 4), max(25 - first, 1), 25)
    return _position(mover + _places(rng, rng.randint(0, 5), 1, 24), opponent)


def nearly_over(rng: random.Random) -> Position:
    """One to three checkers of the mover low down, opposing points before them."""
    mover = _places(rng, rng.randint(1, 3), 1, 9)
    points = rng.sample(range(16, 25), rng.randint(0, 4))
    return _position(mover, _doubled_points(rng, points) or [rng.randint(1, 24)])


def three_checkers(rng: random.Random) -> Position:
    """Three checkers a side, as in hypergammon."""
    mover = _places(rng, rng.randint(1, 3), 1, 25)
    return _position(mover, _places(rng, rng.randint(1, 3), 1, 25), checkers=3)


def shut_out(rng: random.Random) -> Position:
    """The opponent's home board closed but for one point or none."""
    gap = rng.randint(1, 9)
    opponent = [point for point in range(1, 7) if point != gap for _ in range(2)]
    opponent += _places(rng, 3, 1, 12)
    mover = [BAR] * rng.randint(0, 2) + _places(rng, rng.randint(1, 6), 1, 24)
    return _position(mover, opponent)


MAKERS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        scattered,
        stacked,
        bearing_in,
        bearing_off_in_contact,
        bearing_off,
        on_the_bar,
        primed,
        nearly_over,
        three_checkers,
        shut_out,
    )
}
ENDINGS = (bearing_in, bearing_off_in_contact, bearing_off, nearly_over)


def many(count: int, seed: int, makers: Iterable[Maker] = ()) -> list[Position]:
    """`count` positions, the kinds in turn; all kinds unless told."""
    chosen = list(makers) or list(MAKERS.values())
    rng = random.Random(seed)
    return [chosen[i % len(chosen)](rng) for i in range(count)]


def many_with_rolls(
    count: int,
    seed: int,
    makers: Iterable[Maker] = (),
    rolls: tuple[tuple[int, int], ...] = ROLLS,
) -> list[tuple[Position, tuple[int, int]]]:
    """`count` positions with a random roll each."""
    rng = random.Random(seed + 1)
    return [(place, rng.choice(rolls)) for place in many(count, seed, makers)]
