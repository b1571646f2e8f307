"""Worths of positions with the cube, some rolls ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.equity import MatchEquityTable
from bg_env.rules.movegen import ROLLS
from bg_env.search._cube import DEAD, DOUBLE_TAKE, NO_DOUBLE, Cubes
from bg_env.search._cube_worths import (
    Worths,
    best_worths,
    other_cubes,
    other_worths,
    rate_worths,
    turned_cubes,
)
from bg_env.search.learnt_cube import learnt_equities
from bg_env.search.rolls import (
    ROLL_WEIGHTS,
    best_of_each,
    other_view,
    plays_of_rolls,
    rate_results,
    write_finished,
)

_AT_ONCE: Final = 128  # positions whose rolls are played together
_KEPT: Final = 5  # plays of a roll that are looked at some rolls ahead
_CARE: Final = 0.01  # how often an opponent is expected to leave the cube alone


@dataclass(frozen=True, eq=False)
class Results:
    """Positions after plays, seen by the player who is on roll next."""

    boards: NDArray[np.int8]  # int8[P, 2, 32]
    chances: NDArray[np.float32]  # float32[P, 5]
    learnt: NDArray[np.float32] | None  # float32[P, 4], as of `learnt_equities`

    def some(self, rows: NDArray[np.int64]) -> Results:
        """Those of the given rows."""
        learnt = None if self.learnt is None else self.learnt[rows]
        return Results(self.boards[rows], self.chances[rows], learnt)

    def worths(self, cubes: Cubes, table: MatchEquityTable) -> Worths:
        """`rate_worths` of them, cubes as seen by the player on roll."""
        return rate_worths(self.boards, self.chances, cubes, table, self.learnt)


def rated_results(evaluator: Evaluator, boards: NDArray[np.int8]) -> Results:
    """Rate the positions int8[P, 2, 32] after plays, the mover in row 0."""
    chances = other_view(rate_results(evaluator, boards))
    seen = np.ascontiguousarray(boards[:, ::-1])
    return Results(seen, chances, learnt_equities(evaluator, seen))


def result_worths(results: Results, cubes: Cubes, table: MatchEquityTable) -> Worths:
    """What the results are worth to the mover: float64[P].

    The other player is on roll and does what is best about the cube. Where he would end
    the game with it all results are worth the same; so a small part of what they are
    worth with a dead cube counts as well.

    Args:
        results: P positions.
        cubes: CUBE_DTYPE[P], seen by the mover.
        table: Match equities.
    """
    seen = other_cubes(cubes)
    worths = results.worths(seen, table)
    best = (1 - _CARE) * best_worths(worths, seen) + _CARE * worths[:, DEAD]
    return other_worths(cubes, best, table)


def deeper_worths(
    evaluator: Evaluator,
    results: Results,
    cubes: Cubes,
    offsets: NDArray[np.int64],
    plies: int,
    table: MatchEquityTable,
) -> Worths:
    """As `result_worths`, with the best few of each group looked at some rolls ahead.

    The others, of which none can be chosen, become −inf.
    """
    worths = result_worths(results, cubes, table)
    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((-worths, group))
    rank = np.arange(len(order)) - offsets[group]
    kept = np.sort(order[rank < _KEPT])
    some = results.some(kept)
    seen = other_cubes(cubes[kept])
    deep = other_worths(seen, _optimal(evaluator, some, seen, plies, table), table)
    found = np.full(len(worths), -np.inf)
    found[kept] = (1 - _CARE) * deep + _CARE * worths[kept]
    return found


def search_worths(
    evaluator: Evaluator,
    boards: NDArray[np.int8],
    cubes: Cubes,
    plies: int,
    table: MatchEquityTable,
) -> Worths:
    """Worths float64[B, 5], as of `rate_worths`, so many rolls ahead.

    Every roll is played as is best at 0 plies with the cube in question; then the other
    player doubles and takes as is best as deep as is left.

    Args:
        evaluator: Rates positions.
        boards: int8[B, 2, 32], row 0 on roll.
        cubes: CUBE_DTYPE[B].
        plies: 0 or more.
        table: Match equities.
    """
    chances = np.array(evaluator.evaluate(boards), np.float32)
    write_finished(boards, chances)
    learnt = learnt_equities(evaluator, boards)
    worths = rate_worths(boards, chances, cubes, table, learnt)
    if not plies:
        return worths
    for start in range(0, len(boards), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        results, offsets = _all_results(evaluator, boards[part])
        for column, chosen in (
            (NO_DOUBLE, cubes[part]),
            (DOUBLE_TAKE, turned_cubes(cubes[part])),
        ):
            rolled = np.repeat(chosen, len(ROLLS))
            best = _best_results(results, offsets, rolled, table)
            left = plies - 1
            after = _optimal(evaluator, best, other_cubes(rolled), left, table)
            mine = other_worths(rolled, after, table).reshape(-1, len(ROLLS))
            worths[part, column] = mine @ ROLL_WEIGHTS
    return worths


def _all_results(
    evaluator: Evaluator, boards: NDArray[np.int8]
) -> tuple[Results, NDArray[np.int64]]:
    """The results of all plays of all rolls, one at least of each: (P, offsets)."""
    plays, offsets = plays_of_rolls(boards)
    return rated_results(evaluator, plays), offsets


def _best_results(
    results: Results,
    offsets: NDArray[np.int64],
    cubes: Cubes,
    table: MatchEquityTable,
) -> Results:
    """The best result of each group; `cubes` has one row for each group."""
    each = np.repeat(cubes, np.diff(offsets))
    best = best_of_each(result_worths(results, each, table), offsets)
    return results.some(best)


def _optimal(
    evaluator: Evaluator,
    positions: Results,
    cubes: Cubes,
    plies: int,
    table: MatchEquityTable,
) -> Worths:
    """What positions are worth to the player on roll, some rolls ahead: float64[B].

    Games that are over, which row 1 has won, are worth what their chances say.
    """
    worths = positions.worths(cubes, table)
    if plies:
        on = np.flatnonzero(positions.boards[:, 1, 1:26].any(axis=1))
        if len(on):
            worths[on] = search_worths(
                evaluator, positions.boards[on], cubes[on], plies, table
            )
    return best_worths(worths, cubes)
