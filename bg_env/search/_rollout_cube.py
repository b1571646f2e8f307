"""The games of cubeful rollouts: both sides turn the cube as the evaluator thinks best.

A trial is worth points, or the chance to win the match; stakes that a double has raised
are in it. What it brings is given as an equity, in units of the cube at the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bg_env.equity import MatchEquityTable
from bg_env.search._cube import DEAD, NO_DOUBLE, Cubes
from bg_env.search._cube_search import (
    Results,
    deeper_worths,
    rated_results,
    result_worths,
    search_worths,
)
from bg_env.search._cube_worths import (
    Worths,
    best_worths,
    has_table,
    may_double,
    other_cubes,
    other_worths,
    rate_worths,
    turned_cubes,
    worth_of_points,
)
from bg_env.search._distinct import distinct_boards
from bg_env.search._rollout_trials import (
    TrialPlan,
    Trials,
    finished,
    known_bearoffs,
)
from bg_env.search._tree import mean_of_rolls
from bg_env.search.cube import decide_cube
from bg_env.search.learnt_cube import learnt_equities
from bg_env.search.rolls import (
    ROLL_WEIGHTS,
    best_of_each,
    other_view,
    plays_or_pass,
    roll_results,
)

_WORTH = 5  # column of the equity, after the five chances


@dataclass(frozen=True, slots=True, kw_only=True)
class CubePlan(TrialPlan):
    """How trials with the cube are played.

    Attributes:
        table: Match equities.
        root: The cube at the start, seen by row 0: CUBE_DTYPE[1]. Equities are in units
            of it.
        cube_first: Whether who is on roll at the start may double at once.
    """

    table: MatchEquityTable
    root: Cubes
    cube_first: bool

    @property
    def unit(self) -> tuple[float, float]:
        """The worth of equity 0, and how much more equity 1 is worth, to row 0."""
        value = self.root["value"]
        high, low = (
            float(worth_of_points(self.root, points, self.table)[0])
            for points in (value, -value)
        )
        return (high + low) / 2, (high - low) / 2 or 1.0


class CubeTrials(Trials):
    """Trials under way, each with a cube of its own.

    A double is made, taken, dropped or beavered as is best at 0 plies of the
    evaluator; deeper if the plan looks deeper. Plays are chosen by what they are worth
    with the cube and at the score.

    Attributes:
        cubes: CUBE_DTYPE[M], seen by row 0, of the trials that go on.
    """

    columns: ClassVar[int] = _WORTH + 1
    plan: CubePlan

    def __init__(
        self,
        plan: CubePlan,
        cubes: Cubes,
        boards: NDArray[np.int8],
        lanes: NDArray[np.int64],
        first: int,
        count: int,
    ) -> None:
        """Set up all; arguments as for `Trials`, and cubes CUBE_DTYPE[B]."""
        super().__init__(plan, boards, lanes, first, count)
        self.cubes = np.repeat(cubes, count)

        none = np.zeros(len(self.cubes))
        self._sums = other_worths(self.cubes, none, plan.table)  # of both sides' worths

    # --- ends and doubles ------------------------------------------------------------

    def end(self, turn: int) -> None:
        """Turn cubes, and take out the trials that are over, dropped or cut short."""
        ended, chances = finished(self.boards)
        worths = np.zeros(len(ended))
        over = np.flatnonzero(ended)
        worths[over] = self._worths(over, chances, 0)[:, DEAD]
        stops = np.full(len(ended), turn >= self.plan.truncate) & ~ended
        unrated = ~ended
        if self.plan.bearoff:
            known, exact = known_bearoffs(self.boards, ~ended)
            chances[known] = exact
            unrated[known] = False
            stops[known] |= self._has_exact_worths()[known]
        may = turn > 0 or self.plan.cube_first
        asked = stops | (~ended & may & may_double(self.cubes))
        self._rate(asked & unrated, turn, chances)
        doubled = self._value(np.flatnonzero(asked), may, stops, chances, worths)
        self._take_out(ended | stops | doubled, chances, worths)

    def _has_exact_worths(self) -> NDArray[np.bool_]:
        """bool[M]: with this cube the worth of a known bear-off is exact."""
        exact: NDArray[np.bool_] = has_table(self.cubes) | (self.cubes["in_use"] == 0)
        return exact

    def _rate(
        self, which: NDArray[np.bool_], turn: int, chances: NDArray[np.float32]
    ) -> None:
        """Write the chances of some trials into float32[M, 5]; deep where cut short."""
        if which.any():
            plies = self.plan.plies if turn >= self.plan.truncate else 0
            chances[which] = self.tree.values(self.boards[which], plies)

    def _worths(
        self, rows: NDArray[np.int64], chances: NDArray[np.float32], plies: int
    ) -> Worths:
        """Worths float64[K, 5] of some trials, by chances float32[M, 5] at 0 plies."""
        boards, cubes, table = self.boards[rows], self.cubes[rows], self.plan.table
        if plies and len(rows):
            return search_worths(self.plan.evaluator, boards, cubes, plies, table)
        learnt = learnt_equities(self.plan.evaluator, boards)
        return rate_worths(boards, chances[rows], cubes, table, learnt)

    def _value(
        self,
        rows: NDArray[np.int64],
        may: bool,
        stops: NDArray[np.bool_],
        chances: NDArray[np.float32],
        worths: Worths,
    ) -> NDArray[np.bool_]:
        """Write the worths of trials that end, and turn the cubes of those that go on.

        Args:
            rows: int64[K], the trials that end or in which a double is possible.
            may: Whether doubles are made.
            stops: bool[M], the trials that end in any case.
            chances: float32[M, 5].
            worths: float64[M], written.

        Returns:
            bool[M], the trials that a drop ends.
        """
        dropped = np.zeros(len(stops), np.bool_)
        if not len(rows):
            return dropped
        found = self._worths(rows, chances, self.plan.plies)
        cubes = self.cubes[rows]
        worths[rows] = best_worths(found, cubes) if may else found[:, NO_DOUBLE]
        decision = decide_cube(found, cubes)
        doubled = decision.double & may & ~stops[rows]
        taken = doubled & (decision.take | decision.beaver)
        dropped[rows[doubled & ~taken]] = True
        turned = turned_cubes(cubes)
        turned["value"] *= np.where(decision.beaver, 2, 1)
        self.cubes[rows[taken]] = turned[taken]
        return dropped

    def _take_out(
        self,
        ended: NDArray[np.bool_],
        chances: NDArray[np.float32],
        worths: Worths,
    ) -> None:
        """Count what the trials that have ended are worth, and go on with the others.

        Args:
            ended: bool[M].
            chances: float32[M, 5] of row 0.
            worths: float64[M] to row 0.
        """
        if not ended.any():
            return
        numbers = self.live[ended]
        self._add(chances[ended], numbers)
        final = worths[ended] if self.rated else self._sums[numbers] - worths[ended]
        self.values[numbers, _WORTH] += self._equities(final)
        going = ~ended
        self.live, self.boards = self.live[going], self.boards[going]
        self.cubes = self.cubes[going]

    # --- rolls -----------------------------------------------------------------------

    def turn(self) -> None:
        """Roll and play in every trial."""
        dice, place = self.roll()
        if self.plan.luck:
            self._take_off_luck(place)
        plays, offsets = plays_or_pass(self.boards, dice)
        results = rated_results(self.plan.evaluator, plays)
        cubes = np.repeat(self.cubes, np.diff(offsets))
        best = best_of_each(self._result_worths(results, cubes, offsets), offsets)
        self.boards = np.ascontiguousarray(results.boards[best])
        self.cubes = other_cubes(self.cubes)
        self.rated = not self.rated

    def _result_worths(
        self, results: Results, cubes: Cubes, offsets: NDArray[np.int64]
    ) -> Worths:
        """What plays are worth to the mover, as deep as the plan says: float64[P]."""
        plan = self.plan
        if not plan.plies:
            return result_worths(results, cubes, plan.table)
        return deeper_worths(
            plan.evaluator, results, cubes, offsets, plan.plies, plan.table
        )

    def _take_off_luck(self, place: NDArray[np.int64]) -> None:
        """Take off the luck of the rolls, of the chances and of the worth."""
        first, kind = distinct_boards(self.boards)
        rolled, after = roll_results(self.plan.evaluator, self.boards[first])
        luck = rolled.astype(np.float64)
        luck -= mean_of_rolls(luck)[:, None]
        self._add(-luck[kind, place], self.live, is_difference=True)
        rolls = rolled.shape[1]
        results = Results(
            np.ascontiguousarray(after[kind].reshape(-1, 2, 32)[:, ::-1]),
            other_view(rolled[kind].reshape(-1, 5)),
            None,  # luck may be rated in any way, and the formulas are quick
        )
        each = np.repeat(self.cubes, rolls)
        worths = result_worths(results, each, self.plan.table).reshape(-1, rolls)
        lucky = worths[np.arange(len(place)), place] - worths @ ROLL_WEIGHTS
        mine = lucky if self.rated else -lucky
        self.values[self.live, _WORTH] -= self._equities(mine, is_difference=True)

    def _equities(self, worths: Worths, *, is_difference: bool = False) -> Worths:
        """Worths to the side rated as equities, or differences of them."""
        middle, half = self.plan.unit
        return (worths if is_difference else worths - middle) / half
