"""The luck of rolls: what each was worth beyond the mean of all it could have been.

Luck is kept in whole numbers of 1 / `LUCK_SCALE` points. So the luck of a position
sums to exactly zero over its rolls, and sums over games depend on no order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, Evaluator, make_agent
from bg_env.errors import InvalidOptionError
from bg_env.evaluation._luck_kernels import play_all_forced_to_roll
from bg_env.rules.batch import States, take_states
from bg_env.rules.movegen import ROLL_WAYS, ROLLS
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL
from bg_env.search.rolls import equity, roll_chances

_STEPS: Final = 2**24  # steps of one point to which values are rounded
_SHARES: Final = 360  # a whole number of times the 36, 30 and 2 outcomes of a roll
LUCK_SCALE: Final = _SHARES * _STEPS
"""How many units of luck are one point."""

_WAYS: Final = np.array(ROLL_WAYS, np.int64)
_DIFFERENT: Final = _WAYS == 2  # the rolls that open a game


def evaluator_of(spec: str | Evaluator, purpose: str) -> Evaluator:
    """The evaluator meant: an agent string or an object.

    Args:
        spec: An agent string, or anything with `name` and `evaluate(boards)`.
        purpose: What it is wanted for, for the error.

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: It rates no positions.
    """
    found: Any = make_agent(spec) if isinstance(spec, str) else spec
    if not callable(getattr(found, "evaluate", None)) or not hasattr(found, "name"):
        what = f"Agent {spec!r}" if isinstance(spec, str | Agent) else repr(spec)
        raise InvalidOptionError(
            f"{what} cannot {purpose}: that takes a name and evaluate(boards) with "
            f"the five chances of positions, as agent 'td' has them."
        )
    evaluator: Evaluator = found
    return evaluator


def roll_luck(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Luck of each of the 21 rolls of a position: int64[B, 21].

    Args:
        values: int64[B, 21], what each roll is worth, in steps.
    """
    mean = values @ _WAYS  # times 36
    luck: NDArray[np.int64] = _SHARES * values - _SHARES // 36 * mean[:, None]
    return luck


def opening_luck(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Luck of player 0 in an opening roll: int64[2, 21], by who starts and his roll.

    The 30 outcomes are equally likely (R5): either player starts, with one of the 15
    rolls of two different dice. The luck of doubles, which never open, is 0.

    Args:
        values: int64[2, 21], what each roll is worth to player 0 and to player 1 when
            he starts, in steps.
    """
    worth = np.array([[1], [-1]]) * values * _DIFFERENT
    luck: NDArray[np.int64] = _SHARES * worth - _SHARES // 30 * worth.sum()
    luck *= _DIFFERENT
    return luck


def starting_luck(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Luck of player 0 where the opening only says who starts: int64[2], by starter.

    Args:
        values: As for `opening_luck`.
    """
    half = _SHARES // 72 * (values @ _WAYS).sum()
    return np.array([half, -half])


class LuckMeter:
    """Finds the luck of rolls by what an evaluator says of the plays that follow."""

    def __init__(self, spec: str | Evaluator, rules: Rules) -> None:
        """Value the opening rolls.

        Args:
            spec: Agent string or evaluator.
            rules: What is played: money games.

        Raises:
            UnknownNameError: No agent of that name.
            InvalidOptionError: It rates no positions, or matches are played.
        """
        if rules.match_length:
            raise InvalidOptionError(
                f"Luck is measured in points of money games and a match is won in "
                f"winning chances, so luck={spec!r} does not go with a match to "
                f"{rules.match_length}: leave it out, or play money games "
                f"(rules 'cubeless' or 'standard')."
            )
        self.evaluator = evaluator_of(spec, "measure luck")
        self.name = spec.strip() if isinstance(spec, str) else str(spec.name)
        self._rerolls = rules.opening_reroll
        start = rules.start_position
        both = np.stack([start.to_board(), start.swapped().to_board()])
        values = self.values(both)
        self._opening = opening_luck(values)
        self._starting = starting_luck(values)

    def values(self, boards: NDArray[np.int8]) -> NDArray[np.int64]:
        """Equity after the best play of each roll, in steps: int64[B, 21].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Raises:
            InvalidOptionError: The evaluator gave something else than chances.
        """
        chances = np.asarray(roll_chances(self.evaluator, boards))
        wanted = (len(boards), len(ROLLS), 5)
        if chances.shape != wanted or not np.isfinite(chances).all():
            raise InvalidOptionError(
                f"Evaluator {self.name!r} cannot measure luck: its chances are not "
                f"finite numbers of shape {list(wanted)}; try "
                f"bg_env.testing.check_evaluator on it."
            )
        points = equity(chances.astype(np.float64))
        steps: NDArray[np.int64] = np.rint(points * _STEPS).astype(np.int64)
        return steps

    def luck(self, states: States) -> NDArray[np.int64]:
        """Luck of player 0 in the last roll of games, cube at 1: int64[B].

        Args:
            states: ``STATE_DTYPE[B]``, just rolled. Not checked.
        """
        high, low = states["roll"].max(axis=1), states["roll"].min(axis=1)
        rolls = high.astype(np.int64) * (high - 1) // 2 + low - 1  # place in ROLLS
        starters = states["on_roll"].astype(np.int64)
        luck = np.zeros(len(states), np.int64)
        opening = self._are_openings(states)
        luck[opening] = (
            self._starting[starters[opening]]
            if self._rerolls
            else self._opening[starters[opening], rolls[opening]]
        )
        later = np.flatnonzero(~opening)
        if len(later):
            of_rolls = roll_luck(self.values(states["board"][later]))
            own = of_rolls[np.arange(len(later)), rolls[later]]
            luck[later] = np.where(starters[later] == 0, own, -own)
        return luck

    def _are_openings(self, states: States) -> NDArray[np.bool_]:
        """Games in which the opening has just been rolled: bool[B]."""
        if self._rerolls:  # the starter has yet to roll
            return np.asarray(states["phase"] == BEFORE_ROLL)
        return np.asarray(states["turn"] == 1)


class LuckBook:
    """Follows a wave of games and sums up the luck of agent a in each.

    Attributes:
        totals: Luck of agent a by game, cube included, in units of `LUCK_SCALE`.
            Python's integers: a cube may be 2**40.
    """

    def __init__(self, meter: LuckMeter, count: int) -> None:
        """An empty book for `count` games."""
        self.totals = [0] * count
        self._meter = meter

    def play_forced(
        self,
        states: States,
        unit: NDArray[np.int64],
        seats: NDArray[np.int64],
        max_turns: int,
    ) -> None:
        """`play_all_forced`, with the luck of every roll written down. In place.

        Args:
            states: ``STATE_DTYPE[B]``.
            unit: int64[B], the number of each game in the book.
            seats: int64[B], the player who is agent a.
            max_turns: The turn cap.
        """
        rolled = np.ones(len(states), np.bool_)
        while rolled.any():
            play_all_forced_to_roll(states, max_turns, rolled)
            self.note(states, unit, seats, np.flatnonzero(rolled))

    def note(
        self,
        states: States,
        unit: NDArray[np.int64],
        seats: NDArray[np.int64],
        which: NDArray[np.int64],
    ) -> None:
        """Write down the luck of the games `which`, in which dice were just rolled.

        Args:
            states: As for `play_forced`.
            unit: As for `play_forced`.
            seats: As for `play_forced`.
            which: int64[N], indices into the others.
        """
        if not len(which):
            return
        games = take_states(states, which)
        luck = self._meter.luck(games)
        signed = np.where(seats[which] == 0, luck, -luck)
        rows = zip(unit[which], signed.tolist(), games["cube"].tolist(), strict=True)
        for number, value, cube in rows:
            self.totals[number] += value * cube
