"""The games of rollouts: many trials played on together, with the luck taken out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.equity import bearoff
from bg_env.search._distinct import distinct_boards
from bg_env.search._rollout_dice import TrialDice, rolls_of
from bg_env.search._tree import Tree, mean_of_rolls
from bg_env.search.filters import default_filters
from bg_env.search.rolls import other_view, result_chances, roll_results

LONGEST: Final = 1000  # turns after which any trial is cut short
_FEW: Final = 6  # checkers of a side that the two-sided tables know
_HOME: Final = 6

Tick = Callable[[int], None]
"""Called with how many trials are over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """How trials are played.

    Attributes:
        evaluator: Rates plays, luck, and positions where trials are cut short.
        plies: How deep plays are looked at, and such positions.
        truncate: Turns after which a trial is cut short.
        luck: Whether the luck of each roll is taken off.
        bearoff: Whether a trial ends where the bear-off tables are exact.
        seed: Of the dice.
    """

    evaluator: Evaluator
    plies: int
    truncate: int
    luck: bool
    bearoff: bool
    seed: int

    @property
    def tree(self) -> Tree:
        """What chooses plays and rates the positions at the horizon."""
        return Tree(self.evaluator, default_filters(self.plies))


def play_trials(trials: Trials, tick: Tick) -> NDArray[np.float64]:
    """Play trials to their ends.

    A trial is worth what it ends with, less the luck of its rolls. That of a roll is
    what it is worth after the best play of it, by the evaluator, less the mean over
    the 21; so it is zero on average, whatever the evaluator says.

    Args:
        trials: Fresh ones.
        tick: Called once a turn.

    Returns:
        float64[B, count, columns]: of row 0 of each position, the five chances first.
    """
    turn = 0
    while len(trials.live):
        trials.end(turn)
        if len(trials.live):
            trials.turn()
        turn += 1
        tick(len(trials.values) - len(trials.live))
    columns = trials.values.shape[1]
    return trials.values.reshape(-1, trials.count, columns)


class Trials:
    """Trials under way: at each turn first `end`, then `turn`.

    Attributes:
        count: Trials of each position.
        values: float64[N, columns], what each trial has brought so far to the side
            rated, the five chances first.
        live: int64[M], numbers of the trials that go on; and of those:
        boards: int8[M, 2, 32], row 0 on roll.
        rated: Whether row 0 is the side rated: all or none, for turns alternate.
    """

    columns: ClassVar[int] = 5

    def __init__(
        self,
        plan: TrialPlan,
        boards: NDArray[np.int8],
        lanes: NDArray[np.int64],
        first: int,
        count: int,
    ) -> None:
        """Set up trials `first` to `first` + `count` − 1 of each position.

        Args:
            plan: How they are played.
            boards: int8[B, 2, 32], row 0 on roll; games may be over.
            lanes: int64[B], positions with the same lane get the same dice.
            first: Number of the first trial.
            count: How many of each position.
        """
        self.plan = plan
        self.tree = plan.tree
        self.count = count
        self.values: NDArray[np.float64] = np.zeros((len(boards) * count, self.columns))
        self.live = np.arange(len(self.values))
        self.boards = np.repeat(boards, count, axis=0)
        self.rated = True
        kinds, self._kind = np.unique(lanes, return_inverse=True)
        self._dice = [
            TrialDice(plan.seed, lane, first, count) for lane in kinds.tolist()
        ]

    def end(self, turn: int) -> None:
        """Take out the trials that are over, or are cut short here."""
        boards = self.boards
        ended, chances = finished(boards)
        if turn >= self.plan.truncate:
            chances[~ended] = self.tree.values(boards[~ended], self.plan.plies)
            ended[:] = True
        elif self.plan.bearoff:
            known, exact = known_bearoffs(boards, ~ended)
            chances[known] = exact
            ended[known] = True
        self._add(chances[ended], self.live[ended])
        if ended.any():
            self.live, self.boards = self.live[~ended], boards[~ended]

    def roll(self) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """The next rolls: (int8[M, 2], their places in `ROLLS`)."""
        throws = np.stack([dice.throw() for dice in self._dice])[self._kind]
        return rolls_of(throws.reshape(-1)[self.live])

    def turn(self) -> None:
        """Roll and play in every trial."""
        dice, place = self.roll()
        quick = self.plan.luck and not self.plan.plies
        if self.plan.luck:
            results = self._take_luck(place)
        if not quick:
            results = self.tree.play(self.boards, dice, self.plan.plies)
        self.boards = np.ascontiguousarray(results[:, ::-1])
        self.rated = not self.rated

    def _take_luck(self, place: NDArray[np.int64]) -> NDArray[np.int8]:
        """Take off the luck of the rolls; returns the evaluator's plays of them."""
        first, kind = distinct_boards(self.boards)
        chances, results = roll_results(self.plan.evaluator, self.boards[first])
        luck = chances.astype(np.float64)
        luck -= mean_of_rolls(luck)[:, None]
        self._add(-luck[kind, place], self.live, is_difference=True)
        played: NDArray[np.int8] = results[kind, place]
        return played

    def _add(
        self,
        chances: NDArray[np.floating],
        numbers: NDArray[np.int64],
        *,
        is_difference: bool = False,
    ) -> None:
        """Add chances of row 0 to what trials have brought the side rated."""
        if not self.rated:
            chances = other_view(chances)
            if is_difference:
                chances[:, 0] -= 1  # of two chances of winning, 1 falls out
        self.values[numbers, :5] += chances


def finished(
    boards: NDArray[np.int8],
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which games are over: (bool[M], float32[M, 5] chances of row 0, others zero)."""
    left: NDArray[np.bool_] = (boards[:, :, 1:26] != 0).any(axis=2)
    won, lost = ~left[:, 0], left[:, 0] & ~left[:, 1]
    chances = np.zeros((len(boards), 5), np.float32)
    chances[won] = result_chances(boards[won])
    chances[lost] = other_view(result_chances(boards[lost][:, ::-1]))
    return won | lost, chances


def known_bearoffs(
    boards: NDArray[np.int8], open_games: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Races that the tables know exactly: (numbers int64[K], chances float32[K, 5])."""
    outside = boards[:, :, _HOME + 1 : 26].any(axis=(1, 2))
    many = boards[:, :, 1 : _HOME + 1].sum(axis=2).max(axis=1) > _FEW
    numbers = np.flatnonzero(open_games & ~outside & ~many)
    if not len(numbers):
        return numbers, np.zeros((0, 5), np.float32)
    known, _ = bearoff.bearoff_equities(boards[numbers])
    _, chances = bearoff.bearoff_chances(boards[numbers][known])
    return numbers[known], chances
