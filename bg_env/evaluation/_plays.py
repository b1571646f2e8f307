"""What every play of many rolls is worth, by an evaluator, cube and score included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, plays_of_states
from bg_env.equity import MatchEquityTable
from bg_env.rules.batch import States
from bg_env.search._cube import DEAD, Cubes
from bg_env.search._cube_search import Results, rated_results, search_worths
from bg_env.search._cube_worths import (
    Worths,
    best_worths,
    cubes_of_states,
    other_cubes,
    other_worths,
    rate_worths,
    worth_of_points,
)
from bg_env.search.filters import default_filters, promising
from bg_env.search.lookahead import lookahead_chances
from bg_env.search.rolls import other_view

_CARE: Final = 0.01  # how much of the worth with a dead cube tells equal plays apart


@dataclass(frozen=True, eq=False)
class RatedPlays:
    """The distinct results of B rolls, P in all, and what they are worth to the mover.

    Attributes:
        boards: int8[P, 2, 32] after the play, the mover in row 0.
        codes: int16[P, 4], decision codes of the play, 0 = no more moves.
        offsets: int64[B + 1]: results of roll i are offsets[i] .. offsets[i + 1] − 1.
            One at least; the position as it stands when nothing can be played.
        chances: float32[P, 5] of the mover.
        worths: float64[P], points or chance to win the match, the other on roll.
        equities: float64[P], the same in units of the cube (EMG in a match).
        ranks: float64[P], by which plays are compared; of plays that are worth the same
            because the other would end the game with the cube, the better is higher.
        plies: int64[P], how deep each was looked at.
        kept: bool[P], those looked at to the end.
    """

    boards: NDArray[np.int8]
    codes: NDArray[np.int16]
    offsets: NDArray[np.int64]
    chances: NDArray[np.float32]
    worths: Worths
    equities: Worths
    ranks: Worths
    plies: NDArray[np.int64]
    kept: NDArray[np.bool_]


def rate_plays(
    evaluator: Evaluator,
    states: States,
    plies: int,
    table: MatchEquityTable,
    asked: NDArray[np.int8] | None = None,
) -> RatedPlays:
    """Rate the plays of the dice left of many games.

    All by the evaluator; those that pass the filters deeper and deeper.

    Args:
        evaluator: Rates positions.
        states: ``STATE_DTYPE[B]``, all in phase MOVING.
        plies: How deep the best plays are looked at.
        table: Match equities.
        asked: int8[B, 2, 32], a result of each roll that is looked at to the end
            whatever it is worth; None = no such.
    """
    boards, codes, offsets = every_play(states)
    counts = np.diff(offsets)
    cubes = np.repeat(cubes_of_states(states), counts)
    rating = _Rating(evaluator, rated_results(evaluator, boards), cubes, table)
    if asked is None:
        always = np.zeros(len(boards), np.bool_)
    else:
        same = boards == np.repeat(asked, counts, axis=0)
        always = same.all(axis=(1, 2))
    kept = np.ones(len(boards), np.bool_)
    for depth, sieve in enumerate(default_filters(plies), start=1):
        kept = promising(rating.ranks, kept, offsets, sieve) | always
        rating.deepen(kept, depth)
    return RatedPlays(
        boards=boards,
        codes=codes,
        offsets=offsets,
        chances=other_view(rating.chances),
        worths=rating.worths,
        equities=rating.equities,
        ranks=rating.ranks,
        plies=rating.plies,
        kept=kept,
    )


def every_play(
    states: States,
) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int64]]:
    """As `plays_of_states`, with one result where nothing can be played: no move."""
    boards, codes, offsets = plays_of_states(states)
    none = np.diff(offsets) == 0
    stuck = np.flatnonzero(none)
    if len(stuck):
        boards = np.insert(boards, offsets[stuck], states["board"][stuck], axis=0)
        codes = np.insert(codes, offsets[stuck], 0, axis=0)
        offsets = offsets + np.concatenate([[0], np.cumsum(none)])
    return np.ascontiguousarray(boards), codes, offsets


class _Rating:
    """Plays under way from shallow to deep; arrays of P, in the eyes of the mover.

    But `chances` are those of the other player, who is on roll.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        results: Results,
        cubes: Cubes,
        table: MatchEquityTable,
    ) -> None:
        self.evaluator, self.table = evaluator, table
        self.boards, self.chances = results.boards, results.chances
        self.cubes, self.seen = cubes, other_cubes(cubes)
        worths = results.worths(self.seen, table)
        self.worths = other_worths(cubes, best_worths(worths, self.seen), table)
        self.dead = other_worths(cubes, worths[:, DEAD], table)
        self.plies = np.zeros(len(cubes), np.int64)
        self.middle, self.half = units(cubes, table)

    @property
    def equities(self) -> Worths:
        return (self.worths - self.middle) / self.half

    @property
    def ranks(self) -> Worths:
        mixed = (1 - _CARE) * self.worths + _CARE * self.dead
        return (mixed - self.middle) / self.half

    def deepen(self, kept: NDArray[np.bool_], plies: int) -> None:
        """Look at some plays so many rolls ahead; games that are over stay as known."""
        going = self.boards[:, 1, 1:26].any(axis=1)
        rows = np.flatnonzero(kept & going)
        self.plies[kept] = plies
        if not len(rows):
            return
        boards, seen = self.boards[rows], self.seen[rows]
        self.chances[rows] = lookahead_chances(self.evaluator, boards, plies)
        worths = rate_worths(boards, self.chances[rows], seen, self.table)
        self.dead[rows] = other_worths(self.cubes[rows], worths[:, DEAD], self.table)
        turned = np.flatnonzero(seen["in_use"] > 0)
        if len(turned):
            worths[turned] = search_worths(
                self.evaluator, boards[turned], seen[turned], plies, self.table
            )
        best = best_worths(worths, seen)
        self.worths[rows] = other_worths(self.cubes[rows], best, self.table)


def units(cubes: Cubes, table: MatchEquityTable) -> tuple[Worths, Worths]:
    """The worth of equity 0, and how much more equity 1 is worth: float64[B] each.

    Equity 1 is a single game won with the cube as it is, −1 one that is lost.
    """
    value = cubes["value"]
    high = worth_of_points(cubes, value, table)
    low = worth_of_points(cubes, -value, table)
    half = (high - low) / 2
    return (high + low) / 2, np.where(half == 0, 1.0, half)
