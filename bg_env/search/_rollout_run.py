"""Rollouts under way: waves of trials, and what ends them early."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError
from bg_env.search._cube import Cubes
from bg_env.search._rollout_cube import CubePlan, CubeTrials
from bg_env.search._rollout_dice import THROWS, mean_and_error
from bg_env.search._rollout_trials import TrialPlan, Trials, play_trials
from bg_env.search.rollout_results import Rollout, compared, rolled_out, turned_round

Progress = Callable[[int, int], None]
"""Called with (trials that are over, trials asked for)."""

_GAMES: Final = 8192  # most trials played together


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """When a rollout ends before all trials are played.

    Attributes:
        standard_error: A position is done when that of its equity is no larger.
        seconds: No more trials are begun after so many; the result then depends on
            the machine.
        confidence: Plays that are worse than the best, with at least this probability,
            are dropped; with one left the rollout is over. Plays only.
        least: Trials of each before the first and the last of these apply.

    Raises:
        InvalidOptionError: A number that cannot be.
    """

    standard_error: float | None = None
    seconds: float | None = None
    confidence: float | None = None
    least: int = 4 * THROWS

    def __post_init__(self) -> None:
        for name in ("standard_error", "seconds"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0):
                raise InvalidOptionError(
                    f"A rollout stops at a {name} above 0 or None, not {value!r}."
                )
        sure = self.confidence
        if sure is not None and not (_is_number(sure) and 0.5 < sure < 1):
            raise InvalidOptionError(
                f"The confidence at which plays are dropped is above 0.5 and below 1, "
                f"or None, not {sure!r}."
            )
        check_whole("least", self.least, THROWS)


class Run:
    """A rollout under way.

    Attributes:
        active: bool[B], the positions still played.
        dropped: bool[B], those given up as worse than the best.
    """

    def __init__(
        self,
        plan: TrialPlan,
        boards: NDArray[np.int8],
        trials: int,
        paired: bool,
        stop: Stop,
        *,
        moved: bool = False,
        cubes: Cubes | None = None,
    ) -> None:
        """Set it up.

        Args:
            plan: How trials are played; a `CubePlan` with `cubes`.
            boards: int8[B, 2, 32], row 0 on roll.
            trials: How many of each position.
            paired: Whether all positions get the same dice.
            stop: When to end early.
            moved: The side rated is row 1, which has moved.
            cubes: CUBE_DTYPE[B], seen by row 0; None = without a cube.
        """
        self.plan = plan
        self.boards = boards
        self.cubes = cubes
        self.trials = trials
        self.paired = paired
        self.stop = stop
        self.moved = moved
        count = len(boards)
        self.lanes = np.zeros(count, np.int64) if paired else np.arange(count)
        self.active = np.ones(count, np.bool_)
        self.dropped = np.zeros(count, np.bool_)
        columns = Trials.columns if cubes is None else CubeTrials.columns
        self.values: list[NDArray[np.float64]] = [np.zeros((0, columns))] * count
        self.done = 0
        self.started = time.perf_counter()

    def result(self, progress: Progress | None) -> Rollout:
        """Play all waves and sum up."""
        ended = self._waves(progress)
        if self.moved:
            self.values = list(map(turned_round, self.values))
        return Rollout(
            positions=tuple(map(rolled_out, self.values)),
            equities=tuple(map(compared, self.values)),
            paired=self.paired,
            ended=ended,
            seconds=time.perf_counter() - self.started,
        )

    def _waves(self, progress: Progress | None) -> str:
        """Play until something ends it; returns what."""
        size = THROWS
        try:
            while True:
                self._wave(min(size, self.trials - self.done), progress)
                ended = self._end()
                if ended:
                    return ended
                largest = _GAMES // int(self.active.sum()) // THROWS * THROWS
                size = max(min(2 * size, largest), THROWS)
        except KeyboardInterrupt:
            if not self.done:
                raise
            return "interrupt"

    def _wave(self, count: int, progress: Progress | None) -> None:
        which = np.flatnonzero(self.active)

        def tick(over: int) -> None:
            if progress is not None:
                progress(self.done + over // len(which), self.trials)

        values = play_trials(self._fresh(count), tick)
        together = list(self.values)
        for number, played in zip(which.tolist(), values, strict=True):
            together[number] = np.concatenate([self.values[number], played])
        self.values, self.done = together, self.done + count

    def _fresh(self, count: int) -> Trials:
        """The next `count` trials of the positions still played."""
        which = np.flatnonzero(self.active)
        start = self.boards[which], self.lanes[which], self.done, count
        if self.cubes is None or not isinstance(self.plan, CubePlan):
            return Trials(self.plan, *start)
        return CubeTrials(self.plan, self.cubes[which], *start)

    def _end(self) -> str | None:
        """What ends the rollout now, if anything does."""
        if self.done >= self.trials:
            return "trials"
        if self.done >= self.stop.least:
            if self.stop.confidence is not None and self._drop(self.stop.confidence):
                return "confidence"
            if self.stop.standard_error is not None:
                self._leave_sure(self.stop.standard_error)
                if not self.active.any():
                    return "standard error"
        seconds = self.stop.seconds
        if seconds is not None and time.perf_counter() - self.started >= seconds:
            return "seconds"
        return None

    def _leave_sure(self, wanted: float) -> None:
        """Play no further what is sure enough."""
        for number in np.flatnonzero(self.active).tolist():
            _, error = mean_and_error(compared(self.values[number])[:, None])
            self.active[number] = error[0] > wanted

    def _drop(self, confidence: float) -> bool:
        """Give up plays that are surely worse; returns whether one is left."""
        sign = -1 if self.moved else 1
        equities = [sign * compared(values) for values in self.values]
        running = np.flatnonzero(~self.dropped).tolist()
        best = max(running, key=lambda number: float(equities[number].mean()))
        reach = NormalDist().inv_cdf(confidence)
        for number in running:
            common = min(len(equities[best]), len(equities[number]))
            behind = equities[best][:common] - equities[number][:common]
            mean, error = mean_and_error(behind[:, None])
            if number != best and mean[0] > reach * error[0]:
                self.dropped[number], self.active[number] = True, False
        return int((~self.dropped).sum()) == 1


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number of `least` or more.

    Raises:
        InvalidOptionError: Names the argument.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidOptionError(
            f"Argument {name} is a whole number of {least} or more, not {value!r}."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
