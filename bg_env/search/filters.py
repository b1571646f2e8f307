"""Which plays are worth a deeper look: `MoveFilter`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError
from bg_env.search.rolls import best_of_each, equity


@dataclass(frozen=True, slots=True)
class MoveFilter:
    """Which plays of a roll are worth a deeper look.

    Attributes:
        most: How many at most, the best ones first.
        within: How many points they may be worth less than the best.

    Raises:
        InvalidOptionError: Fewer than one play, or points below zero.
    """

    most: int = 8
    within: float = 0.16

    def __post_init__(self) -> None:
        whole = isinstance(self.most, int) and not isinstance(self.most, bool)
        if not whole or self.most < 1:
            raise InvalidOptionError(
                f"A move filter keeps 1 play or more, not {self.most!r}."
            )
        number = isinstance(self.within, int | float) and self.within >= 0
        if not number or isinstance(self.within, bool):
            raise InvalidOptionError(
                f"A move filter keeps plays within 0 points or more of the best, not "
                f"{self.within!r}."
            )


Filters = Sequence[MoveFilter | None]
"""Number k sifts plays rated k plies deep; None = not at that depth."""

FIRST_FILTER: Final = MoveFilter()
"""What is kept of all plays, rated by the evaluator itself."""
LATER_FILTER: Final = MoveFilter(most=4, within=0.08)
"""What is kept of those at each further depth short of the last."""


def default_filters(plies: int) -> tuple[MoveFilter, ...]:
    """The filters of a search `plies` deep: `FIRST_FILTER`, then `LATER_FILTER`.

    >>> default_filters(1)
    (MoveFilter(most=8, within=0.16),)
    """
    return (FIRST_FILTER, *[LATER_FILTER] * (plies - 1))[:plies]


def check_filters(filters: Any, plies: int) -> tuple[MoveFilter | None, ...]:
    """The filters as a tuple.

    Raises:
        InvalidOptionError: Other things, or fewer than one for each ply.
    """
    known = tuple(filters) if isinstance(filters, Sequence) else (filters,)
    for one in known:
        if one is not None and not isinstance(one, MoveFilter):
            raise InvalidOptionError(
                f"Filters are a sequence of MoveFilter or None, unlike {one!r}."
            )
    if len(known) < plies:
        raise InvalidOptionError(
            f"Choosing plays at depth {plies} takes {plies} filters, one for each "
            f"depth before it, not {len(known)}."
        )
    return known


def promising(
    equities: NDArray[Any],
    kept: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    sieve: MoveFilter,
) -> NDArray[np.bool_]:
    """Which plays pass a filter: bool[P].

    Args:
        equities: [P].
        kept: bool[P], those still in the running.
        offsets: int64[B + 1], as for `best_of_each`.
        sieve: The filter.
    """
    counts = np.diff(offsets)
    values = np.where(kept, equities, -np.inf)
    order = np.lexsort((-values, np.repeat(np.arange(len(counts)), counts)))
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values)) - np.repeat(offsets[:-1], counts)
    best = np.repeat(np.maximum.reduceat(values, offsets[:-1]), counts)
    passed: NDArray[np.bool_] = (rank < sieve.most) & (values >= best - sieve.within)
    return passed & kept


def best_kept(
    chances: NDArray[np.float32], kept: NDArray[np.bool_], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The first of the highest equity of those kept of each roll: int64[B]."""
    return best_of_each(np.where(kept, equity(chances), -np.inf), offsets)


def is_alone(kept: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[P]: plays of rolls of which one play is left."""
    left = np.add.reduceat(kept.astype(np.int64), offsets[:-1])
    alone: NDArray[np.bool_] = np.repeat(left == 1, np.diff(offsets))
    return alone
