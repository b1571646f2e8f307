"""What a player of the cube decides where no checker is to be moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, plays_of_states
from bg_env.equity import MatchEquityTable
from bg_env.equity.bearoff import bearoff_chances
from bg_env.rules import state as fields
from bg_env.rules.batch import States, take_states
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    CLAIM,
    DOUBLE,
    DROP,
    REFUSE,
    RESIGN_SINGLE,
    TAKE,
)
from bg_env.search._cube import DOUBLE_PASS, DOUBLE_TAKE, LOSS, Cubes
from bg_env.search._cube_search import rated_results, result_worths, search_worths
from bg_env.search._cube_worths import (
    Worths,
    best_worths,
    cubes_of_states,
    other_cubes,
    other_worths,
    worth_of_points,
)
from bg_env.search.cube import decide_cube

_SLACK: Final = 1e-9

Games = NDArray[np.int64]  # indices of games


@dataclass(frozen=True, eq=False)
class Answers:
    """Decides about the cube, resignations and claims by what positions are worth."""

    evaluator: Evaluator
    plies: int
    table: MatchEquityTable

    def write(self, states: States, codes: NDArray[np.int64]) -> None:
        """Write the decisions that differ from the simple ones into ``codes``.

        Args:
            states: ``STATE_DTYPE[B]``.
            codes: int64[B], in place.
        """
        phase, asked = states["phase"], states["offer"] == 0
        before = (phase == fields.BEFORE_ROLL) & asked & _may_double(states)
        doubled = (phase == fields.DOUBLED) & asked
        _each(states, codes, before, self._before_roll)
        _each(states, codes, doubled, self._doubled)
        _each(states, codes, states["offer"] > 0, self._offered)
        _each(states, codes, _may_resign(states), _resign_lost)
        _each(states, codes, _may_claim(states), self._claim)

    def _worths(self, states: States, cubes: Cubes) -> Worths:
        boards = np.ascontiguousarray(states["board"])
        return search_worths(self.evaluator, boards, cubes, self.plies, self.table)

    def _before_roll(self, states: States, codes: NDArray[np.int64]) -> None:
        cubes = cubes_of_states(states)
        decision = decide_cube(self._worths(states, cubes), cubes)
        codes[decision.double] = DOUBLE

    def _doubled(self, states: States, codes: NDArray[np.int64]) -> None:
        """Take, drop or beaver: the cube will be the other player's, at twice."""
        cubes = cubes_of_states(states)
        worths = self._worths(states, cubes)
        mine = states["to_act"] == states["on_roll"]  # he may raccoon
        taken, dropped = self._seen(cubes, worths, mine)
        beaver = (
            (states["match_length"] == 0)
            & (states["beavers_made"] < states["beavers"])
            & (4 * states["cube"] <= states["max_cube"])
            & (taken > _SLACK)
        )
        codes[:] = np.where(taken >= dropped - _SLACK, TAKE, DROP)
        codes[beaver] = BEAVER

    def _seen(
        self, cubes: Cubes, worths: Worths, mine: NDArray[np.bool_]
    ) -> tuple[Worths, Worths]:
        """What taking and dropping are worth to the player who is asked."""
        taken = worths[:, DOUBLE_TAKE]
        other = other_worths(cubes, taken, self.table)
        lost = other_worths(cubes, worths[:, DOUBLE_PASS], self.table)
        return np.where(mine, taken, other), np.where(mine, worths[:, LOSS], lost)

    def _offered(self, states: States, codes: NDArray[np.int64]) -> None:
        """Accept a resignation that is worth as much as playing on."""
        cubes = cubes_of_states(states)
        level = states["offer"].astype(np.int64)
        factor = np.where(level == 3, cubes["backgammon"], level)
        lost = worth_of_points(cubes, -factor * cubes["value"], self.table)
        accept = lost <= self._on_roll_worths(states, cubes) + _SLACK
        codes[:] = np.where(accept, ACCEPT, REFUSE)

    def _claim(self, states: States, codes: NDArray[np.int64]) -> None:
        """Claim the game on time unless it is worth more than the claim."""
        cubes = cubes_of_states(states)
        on_roll = self._on_roll_worths(states, cubes)
        mine = states["to_act"] == states["on_roll"]
        seen = cubes.copy()
        seen[~mine] = other_cubes(cubes)[~mine]
        now = np.where(mine, on_roll, other_worths(cubes, on_roll, self.table))
        options = states["options"]
        single = options & (fields.CLAIM_SINGLE | fields.CLAIM_MATCH) > 0
        single |= cubes["jacoby"] > 0
        points = cubes["value"] * np.where(single, 1, 2)
        claimed = worth_of_points(seen, points, self.table)
        claimed[(options & fields.CLAIM_MATCH > 0) & (cubes["is_match"] > 0)] = np.inf
        codes[claimed >= now - _SLACK] = CLAIM

    def _on_roll_worths(self, states: States, cubes: Cubes) -> Worths:
        """What the game is worth to the player on roll: float64[B]."""
        found = np.empty(len(states))
        moving = states["phase"] == fields.MOVING
        for which, rate in ((moving, self._moving_worths), (~moving, self._now_worths)):
            games = np.flatnonzero(which)
            if len(games):
                found[games] = rate(take_states(states, games), cubes[games])
        return found

    def _moving_worths(self, states: States, cubes: Cubes) -> Worths:
        """By the best play of the dice that are left."""
        boards, _, offsets = plays_of_states(states)
        stuck = np.flatnonzero(np.diff(offsets) == 0)
        boards = np.insert(boards, offsets[stuck], states["board"][stuck], axis=0)
        offsets = offsets + np.concatenate([[0], np.cumsum(np.diff(offsets) == 0)])
        each = np.repeat(cubes, np.diff(offsets))
        results = rated_results(self.evaluator, np.ascontiguousarray(boards))
        worths = result_worths(results, each, self.table)
        best: Worths = np.maximum.reduceat(worths, offsets[:-1])
        return best

    def _now_worths(self, states: States, cubes: Cubes) -> Worths:
        """Before the roll, with the best to be done about the cube."""
        worths = self._worths(states, cubes)
        best = best_worths(worths, cubes)
        doubled = states["phase"] == fields.DOUBLED
        answered = np.minimum(worths[:, DOUBLE_TAKE], worths[:, DOUBLE_PASS])
        return np.where(doubled, answered, best)


def _each(
    states: States,
    codes: NDArray[np.int64],
    which: NDArray[np.bool_],
    decide: Callable[[States, NDArray[np.int64]], None],
) -> None:
    games = np.flatnonzero(which)
    if len(games):
        part = codes[games]
        decide(take_states(states, games), part)
        codes[games] = part


def _may_double(states: States) -> NDArray[np.bool_]:
    """bool[B]: the player on roll may double before his roll (R18–R20, R26)."""
    in_use = states["options"] & fields.CUBE_IN_USE > 0
    owned = states["cube_owner"] == 1 - states["on_roll"]
    may: NDArray[np.bool_] = (
        in_use
        & ~owned
        & (states["turn"] > 1)
        & (states["match_length"] != 1)
        & (states["crawford"] != fields.CRAWFORD_GAME)
        & (states["cube"] * 2 <= states["max_cube"])
    )
    return may


def _may_claim(states: States) -> NDArray[np.bool_]:
    """bool[B]: the opponent of the player to act has run out of time (R29)."""
    games = np.arange(len(states))
    reserve = states["reserve"][games, 1 - states["to_act"]]
    going = (states["phase"] != fields.OPENING) & (states["phase"] != fields.OVER)
    may: NDArray[np.bool_] = (
        (states["options"] & fields.CLOCK > 0) & (reserve <= 0) & going
    )
    return may


def _may_resign(states: States) -> NDArray[np.bool_]:
    """bool[B]: the player to act may resign now (R28)."""
    options = states["options"]
    may = options & (fields.RESIGN_OFFER | fields.RESIGN_IMMEDIATE) > 0
    fresh = (states["roll"][:, 0] != states["roll"][:, 1]) & (
        states["left"].sum(axis=1) == 2
    )
    fresh |= states["left"][:, 0] == 4
    fresh &= states["phase"] == fields.MOVING
    found: NDArray[np.bool_] = (
        may & (states["offer"] == 0) & (fresh | (states["phase"] == fields.BEFORE_ROLL))
    )
    return found


def _resign_lost(states: States, codes: NDArray[np.int64]) -> None:
    """Resign a single game where it is lost for certain.

    For certain: before his roll, all checkers of both sides are at home, and the tables
    see no chance to win and none to lose a gammon. What was refused is not offered
    again.
    """
    boards = np.ascontiguousarray(states["board"])
    known, chances = bearoff_chances(boards)
    lost = known & ~chances.any(axis=1) & (states["phase"] == fields.BEFORE_ROLL)
    is_single = states["refused"] == 0
    at_once = states["options"] & fields.RESIGN_IMMEDIATE > 0
    is_single[at_once] = boards[at_once, 0, 0] > 0
    codes[lost & is_single] = RESIGN_SINGLE
