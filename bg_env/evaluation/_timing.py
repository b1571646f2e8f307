"""Agents on the clock: their calls are measured and charged to the games (R29)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, decide, refuse_illegal
from bg_env.errors import InvalidOptionError
from bg_env.evaluation._timing_kernels import charge_all, claim_all
from bg_env.rules._drive import apply_sequences
from bg_env.rules.batch import States, put_states, take_states
from bg_env.rules.state import MOVING, OVER

TimeSource = Callable[[], float]
"""Gives seconds that never fall; any zero."""

# What one unit took, by agent; all but `owed` is reported.
_TIME_DTYPE: Final = np.dtype(
    [
        ("seconds", "f8", (2,)),
        ("decisions", "i8", (2,)),
        ("longest", "f8", (2,)),
        ("falls", "i8", (2,)),
        ("owed", "f8", (2,)),  # milliseconds not yet charged, at most half a one
    ]
)


@dataclass(frozen=True, slots=True)
class Timing:
    """How the clock runs.

    Attributes:
        source: Where the time comes from.
        claims: Whether the arena claims for agent a and for agent b.
        most: Most games in one call of an agent.
    """

    source: TimeSource
    claims: tuple[bool, bool]
    most: int


@dataclass(frozen=True, slots=True)
class TimeSums:
    """Time used in finished units, by agent: (of a, of b)."""

    seconds: tuple[float, ...] = (0.0, 0.0)
    decisions: tuple[int, ...] = (0, 0)
    longest: tuple[float, ...] = (0.0, 0.0)
    falls: tuple[int, ...] = (0, 0)

    def plus(self, other: TimeSums) -> TimeSums:
        """The sums over the units of both."""
        return TimeSums(
            tuple(map(sum, zip(self.seconds, other.seconds, strict=True))),
            tuple(map(sum, zip(self.decisions, other.decisions, strict=True))),
            tuple(map(max, zip(self.longest, other.longest, strict=True))),
            tuple(map(sum, zip(self.falls, other.falls, strict=True))),
        )


class ClockBook:
    """Asks the agents of a wave on the clock and writes down what they used."""

    def __init__(self, timing: Timing, agents: tuple[Agent, Agent], count: int) -> None:
        """An empty book for `count` games or matches."""
        self._timing = timing
        self._agents = agents
        self._claims = np.array(timing.claims, np.bool_)
        self._used: NDArray[Any] = np.zeros(count, _TIME_DTYPE)

    def sums(self, kept: NDArray[np.bool_]) -> TimeSums:
        """What the units ``kept`` bool[count] took."""
        used = self._used[kept]
        return TimeSums(
            tuple(used["seconds"].sum(axis=0).tolist()),
            tuple(used["decisions"].sum(axis=0).tolist()),
            tuple(used["longest"].max(axis=0, initial=0.0).tolist()),
            tuple(used["falls"].sum(axis=0).tolist()),
        )

    def claim(self, states: States, seats: NDArray[np.int64]) -> None:
        """End the games in which a flag is down and the arena claims. In place.

        Args:
            states: ``STATE_DTYPE[B]``.
            seats: int64[B], the player who is agent a.
        """
        if self._claims.any():
            claim_all(states, seats, self._claims)

    def ask(
        self,
        which_agent: int,
        states: States,
        which: NDArray[np.int64],
        unit: NDArray[np.int64],
        seats: NDArray[np.int64],
    ) -> None:
        """Let an agent decide in the games `which`, charge his time. In place.

        Args:
            which_agent: 0 for agent a, 1 for agent b.
            states: ``STATE_DTYPE[B]``.
            which: int64[N], the games in which he is to act.
            unit: int64[B], the number of each game in the book.
            seats: int64[B], the player who is agent a.

        Raises:
            IllegalPlayError: An illegal decision.
            InvalidOptionError: The time source went back.
        """
        agent = self._agents[which_agent]
        for part in self._calls(agent, states, which):
            started = self._timing.source()
            codes, streams = asked(agent, states, part)
            seconds = _since(started, self._timing.source())
            applied(agent, states, part, codes, streams)  # legal, or it is refused
            games = take_states(states, part)
            games["choice_stream"] = streams
            self._charge(which_agent, games, unit[part], seconds / len(part))
            self.claim(games, seats[part])
            going = np.flatnonzero(games["phase"] != OVER)
            after = applied(agent, games, going, codes[going], streams[going])
            put_states(games, going, after)
            put_states(states, part, games)

    def _calls(
        self, agent: Agent, states: States, which: NDArray[np.int64]
    ) -> Iterator[NDArray[np.int64]]:
        """The games of each call: whole plays apart from all other decisions."""
        groups = [which]
        if hasattr(agent, "plays"):
            moving = (states["phase"] == MOVING) & (states["offer"] == 0)
            groups = [which[moving[which]], which[~moving[which]]]
        for group in groups:
            for start in range(0, len(group), self._timing.most):
                yield group[start : start + self._timing.most]

    def _charge(
        self, which_agent: int, games: States, unit: NDArray[np.int64], seconds: float
    ) -> None:
        """Charge the player to act in whole milliseconds; the rest is carried on."""
        used = self._used
        owed = used["owed"][unit, which_agent] + seconds * 1000
        milliseconds = np.maximum(np.rint(owed), 0).astype(np.int64)
        fell = np.zeros(len(games), np.bool_)
        charge_all(games, milliseconds, fell)
        used["owed"][unit, which_agent] = owed - milliseconds
        used["seconds"][unit, which_agent] += seconds
        used["decisions"][unit, which_agent] += 1
        longest = np.maximum(used["longest"][unit, which_agent], seconds)
        used["longest"][unit, which_agent] = longest
        used["falls"][unit, which_agent] += fell


def asked(
    agent: Agent, states: States, which: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """What an agent decides in the games `which`: (int64[N, 4] codes, his streams).

    He gets copies, so that he can change nothing but his random numbers.
    """
    streams: NDArray[np.uint64] = states["choice_stream"][which]
    return decide(agent, take_states(states, which), streams), streams


def applied(
    agent: Agent,
    states: States,
    which: NDArray[np.int64],
    codes: NDArray[np.int64],
    streams: NDArray[np.uint64],
) -> States:
    """Copies of the games `which` after an agent's decisions.

    Raises:
        IllegalPlayError: One was illegal.
    """
    after = take_states(states, which)
    after["choice_stream"] = streams
    illegal = np.zeros(len(which), np.int8)
    apply_sequences(after, codes, illegal)
    if (illegal >= 0).any():
        refuse_illegal(agent, take_states(states, which), codes, illegal)
    return after


def _since(started: float, now: float) -> float:
    """Seconds between two readings.

    Raises:
        InvalidOptionError: They are no times, or time went back.
    """
    seconds = now - started
    if not 0 <= seconds < math.inf:
        raise InvalidOptionError(
            f"A time source returns seconds that never fall, not {started!r} and "
            f"then {now!r}."
        )
    return seconds
