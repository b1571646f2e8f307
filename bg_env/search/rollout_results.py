"""What rollouts result in: means, standard errors, differences between plays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.rules.movegen import Play
from bg_env.search._rollout_dice import mean_and_error
from bg_env.search.rolls import equity, other_view

_95_PERCENT: Final = NormalDist().inv_cdf(0.975)
_CUBEFUL: Final = 5  # column of the cubeful equity, after the five chances


@dataclass(frozen=True, slots=True)
class RolledOut:
    """What a position is worth by a rollout.

    Attributes:
        chances: The five chances of the side rated. Where luck is taken off, one near 0
            or 1 may come out a little beyond.
        chance_errors: Their standard errors.
        equity: Cubeless money equity. If the cube is played: cubeful equity, 1 being
            what a single game won with the cube as it is at the start is worth.
        standard_error: Of the equity.
        trials: How many were played.
    """

    chances: tuple[float, ...]
    chance_errors: tuple[float, ...]
    equity: float
    standard_error: float
    trials: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the equity."""
        reach = _95_PERCENT * self.standard_error
        return self.equity - reach, self.equity + reach

    @property
    def cubeless(self) -> float:
        """Money equity of the chances, without the cube."""
        return float(equity(np.array(self.chances)))

    def __str__(self) -> str:
        return (
            f"{self.equity:+.4f}, standard error {self.standard_error:.4f} "
            f"({self.trials:,} trials)"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rollout:
    """The result of a rollout.

    Attributes:
        positions: What each position is worth, in the order given.
        equities: float64[trials] of each position, trial by trial.
        paired: Whether trials of the same number had the same dice in all of them.
        ended: What ended it: "trials", "standard error", "seconds", "confidence" or
            "interrupt".
        seconds: How long it took.
    """

    positions: tuple[RolledOut, ...]
    equities: tuple[NDArray[np.float64], ...]
    paired: bool
    ended: str
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.ended == "interrupt"

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """Equity of position `one` less that of `other`, and its standard error.

        Of paired trials those count that both have played.
        """
        a, b = self.equities[one], self.equities[other]
        if self.paired:
            common = min(len(a), len(b))
            mean, error = mean_and_error((a[:common] - b[:common])[:, None])
            return float(mean[0]), float(error[0])
        mine, its = self.positions[one], self.positions[other]
        apart = mine.equity - its.equity
        return apart, math.hypot(mine.standard_error, its.standard_error)

    def __str__(self) -> str:
        return "\n".join(map(str, self.positions))


@dataclass(frozen=True, slots=True)
class RolledPlay:
    """A play and what it is worth by a rollout.

    Attributes:
        play: The play.
        worth: What it is worth to the side that has made it.
        behind: Equity less than that of the best play, from the trials that both have.
        behind_error: Standard error of `behind`.
        dropped: Whether it was given up before the others.
    """

    play: Play
    worth: RolledOut
    behind: float
    behind_error: float
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class PlaysRollout:
    """The result of `rollout_plays`.

    Attributes:
        plays: The best first, those dropped last.
        rollout: The rollout of the positions after them, seen by the side that has
            moved, in the order in which they were given.
    """

    plays: tuple[RolledPlay, ...]
    rollout: Rollout

    @property
    def best(self) -> Play:
        """The play of highest equity."""
        return self.plays[0].play

    def __str__(self) -> str:
        return "\n".join(map(_line, self.plays))


def _line(rolled: RolledPlay) -> str:
    moves = " ".join(f"{move.source}/{move.target}" for move in rolled.play.moves)
    behind = f", {rolled.behind:.4f} behind, standard error {rolled.behind_error:.4f}"
    dropped = ", dropped" if rolled.dropped else ""
    return f"{moves or 'no play'}: {rolled.worth}{behind}{dropped}"


def rolled_out(values: NDArray[np.float64]) -> RolledOut:
    """Sum up trials float64[trials, columns]."""
    mean, error = mean_and_error(np.column_stack([values[:, :5], compared(values)]))
    return RolledOut(
        chances=tuple(mean[:5].tolist()),
        chance_errors=tuple(error[:5].tolist()),
        equity=float(mean[5]),
        standard_error=float(error[5]),
        trials=len(values),
    )


def compared(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What trials are compared by, float64[trials]: cubeful equity, if they have it."""
    if values.shape[1] > _CUBEFUL:
        return values[:, _CUBEFUL]
    found: NDArray[np.float64] = equity(values)
    return found


def turned_round(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Trials float64[trials, columns] seen by the other side."""
    seen = values.copy()
    seen[:, :_CUBEFUL] = other_view(values[:, :_CUBEFUL])
    seen[:, _CUBEFUL:] *= -1
    return seen
