"""Hypothesis strategies: positions, rolls and both."""

import random

import random_positions
from hypothesis import strategies as st

from bg_env.rules.position import Position
from bg_env.rules.state import BAR

rolls = st.sampled_from(random_positions.ROLLS)
any_rolls = st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def sides_without_contest(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Places of up to 15 checkers a side, no point held by both."""
    places = st.lists(st.integers(1, BAR), max_size=15)
    mover = draw(places)
    held = {25 - place for place in mover if place != BAR}
    opponent = draw(places)
    return mover, [place for place in opponent if place not in held]


@st.composite
def any_positions(draw: st.DrawFn) -> Position:
    """Positions without any plan; either side may have borne off all, not both."""
    mover, opponent = draw(sides_without_contest())
    if not mover and not opponent:
        mover = [1]
    return Position.from_points(
        {place: mover.count(place) for place in mover},
        {place: opponent.count(place) for place in opponent},
    )


@st.composite
def positions(draw: st.DrawFn, *kinds: str) -> Position:
    """Positions in play, of the kinds of `random_positions` (all unless told)."""
    kind = draw(st.sampled_from(kinds or tuple(random_positions.MAKERS)))
    rng: random.Random = draw(st.randoms(use_true_random=False))
    return random_positions.MAKERS[kind](rng)
