"""One wave: many games or matches at once, played to their ends, and their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent
from bg_env.evaluation._luck import LUCK_SCALE, LuckBook, LuckMeter
from bg_env.evaluation._timing import ClockBook, TimeSums, Timing, applied, asked
from bg_env.evaluation.statistics import ClusterSums
from bg_env.rules._drive import play_all_forced
from bg_env.rules._game import start_all
from bg_env.rules.batch import (
    States,
    find_match_ends,
    new_states,
    put_states,
    seed_states,
    take_states,
)
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL, CLAIMED, DROPPED, MOVING, OVER

# What one unit, a game or a whole match, came to; all for agent a.
_UNIT_DTYPE: Final = np.dtype(
    [
        ("net", "i8"),  # points won less points lost
        ("games", "i8"),
        ("turns", "i8"),
        ("first_wins", "i8"),  # games won by the player who had the first turn
        ("kinds", "i8", (2, 4)),  # won, lost × single, gammon, backgammon, drop
        ("endings", "i8", (4,)),  # borne off, dropped, resigned, claimed
        ("on_time", "i8", (2,)),  # games won, lost on time
        ("won", "i8"),  # 1 when the last game, so the match, was won
        ("truncated", "?"),
    ]
)
_DROP: Final = 3  # the place of a dropped cube among the kinds


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played: all that a game depends on but its index."""

    agents: tuple[Agent, Agent]
    rules: Rules
    seed: int
    paired: bool
    max_turns: int
    luck: LuckMeter | None = None  # takes the luck out; money games only
    timing: Timing | None = None  # agents are charged for their time


@dataclass(frozen=True, slots=True)
class Tally:
    """Exact sums over finished units; `adjusted` in units of `LUCK_SCALE`."""

    points: ClusterSums = field(default_factory=ClusterSums)
    adjusted: ClusterSums = field(default_factory=ClusterSums)
    matches: ClusterSums = field(default_factory=ClusterSums)
    turns: int = 0
    first_wins: int = 0
    kinds: tuple[int, ...] = (0,) * 8
    endings: tuple[int, ...] = (0,) * 4
    truncated: int = 0
    on_time: tuple[int, ...] = (0, 0)
    times: TimeSums = field(default_factory=TimeSums)

    @classmethod
    def of(
        cls,
        units: NDArray[Any],
        paired: bool,
        luck: list[int] | None = None,
        clock: ClockBook | None = None,
    ) -> Tally:
        """The sums of `units`; those that hit the turn cap count nowhere else.

        Args:
            units: ``_UNIT_DTYPE[B]``.
            paired: Whether units 2k and 2k + 1 make a cluster.
            luck: Of agent a, by unit, when it was measured.
            clock: What the agents used, when they played on the clock.
        """
        whole = units.copy()
        whole[units["truncated"]] = np.zeros((), _UNIT_DTYPE)
        completed = (~units["truncated"]).astype(np.int64)
        firsts = np.arange(0, len(units), 2 if paired else 1)

        def clusters(values: NDArray[Any]) -> NDArray[Any]:
            return np.add.reduceat(values, firsts)

        games = clusters(whole["games"])
        return cls(
            points=ClusterSums.of(clusters(whole["net"]), games),
            adjusted=ClusterSums()
            if luck is None
            else ClusterSums.of(clusters(_without(luck, whole)), games),
            matches=ClusterSums.of(clusters(whole["won"]), clusters(completed)),
            turns=int(whole["turns"].sum()),
            first_wins=int(whole["first_wins"].sum()),
            kinds=tuple(whole["kinds"].reshape(-1, 8).sum(axis=0).tolist()),
            endings=tuple(whole["endings"].sum(axis=0).tolist()),
            truncated=int(units["truncated"].sum()),
            on_time=tuple(whole["on_time"].sum(axis=0).tolist()),
            times=clock.sums(~units["truncated"]) if clock else TimeSums(),
        )

    def plus(self, other: Tally) -> Tally:
        """The sums over the units of both."""
        return Tally(
            self.points.plus(other.points),
            self.adjusted.plus(other.adjusted),
            self.matches.plus(other.matches),
            self.turns + other.turns,
            self.first_wins + other.first_wins,
            tuple(map(sum, zip(self.kinds, other.kinds, strict=True))),
            tuple(map(sum, zip(self.endings, other.endings, strict=True))),
            self.truncated + other.truncated,
            tuple(map(sum, zip(self.on_time, other.on_time, strict=True))),
            self.times.plus(other.times),
        )


def _without(luck: list[int], units: NDArray[Any]) -> NDArray[Any]:
    """Points without luck, object[B] of whole numbers; 0 for units without a game."""
    raw: NDArray[Any] = units["net"].astype(object) * LUCK_SCALE
    return np.where(units["games"] > 0, raw - np.array(luck, object), 0)


def play_wave(plan: Plan, first: int, count: int, tick: Callable[[int], None]) -> Tally:
    """Play units `first` .. `first` + `count` − 1 to their ends, all at once.

    Args:
        plan: What is played. When paired, `first` is even.
        first: Index of the first unit.
        count: How many.
        tick: Called often with the number of units that are over.
    """
    start = plan.rules.start_position.to_board()
    units = np.zeros(count, _UNIT_DTYPE)
    unit = np.arange(count)
    states = _seeded_states(plan, first, count)
    seats = (first + unit) % 2  # the player who is agent a
    book = LuckBook(plan.luck, count) if plan.luck else None
    clock = ClockBook(plan.timing, plan.agents, count) if plan.timing else None
    while len(states):
        _play_forced(book, states, unit, seats, plan.max_turns)
        if clock:
            clock.claim(states, seats)
        stay = np.flatnonzero(_settle(units, unit, states, seats, plan.max_turns))
        if len(stay) < len(states):
            states, unit, seats = take_states(states, stay), unit[stay], seats[stay]
        tick(count - len(states))
        between_games = np.flatnonzero(states["phase"] == OVER)
        if len(between_games):
            following = take_states(states, between_games)
            start_all(following, start)
            put_states(states, between_games, following)
            continue
        could_roll = states["phase"] == BEFORE_ROLL
        _ask_both(plan, clock, states, unit, seats)
        if book:
            rolled = could_roll & (states["phase"] == MOVING)
            book.note(states, unit, seats, np.flatnonzero(rolled))
    return Tally.of(units, plan.paired, book.totals if book else None, clock)


def _ask_both(
    plan: Plan,
    clock: ClockBook | None,
    states: States,
    unit: NDArray[np.int64],
    seats: NDArray[np.int64],
) -> None:
    """Let each agent decide where it is to act, in place; perhaps on the clock."""
    acts = states["to_act"] == seats
    for i, which in enumerate((np.flatnonzero(acts), np.flatnonzero(~acts))):
        if clock:
            clock.ask(i, states, which, unit, seats)
        else:
            ask(plan.agents[i], states, which)


def _play_forced(
    book: LuckBook | None,
    states: States,
    unit: NDArray[np.int64],
    seats: NDArray[np.int64],
    max_turns: int,
) -> None:
    """Roll and pass while nothing else is legal, in place; perhaps noting luck."""
    if book:
        book.play_forced(states, unit, seats, max_turns)
    else:
        play_all_forced(states, max_turns, np.zeros(len(states), np.int64))


def _seeded_states(plan: Plan, first: int, count: int) -> States:
    """New games; the two of a pair share their dice, never their choices."""
    states = new_states(count, plan.rules)
    seed_states(states, plan.seed, first)
    if plan.paired:
        pairs = new_states((count + 1) // 2, plan.rules)
        seed_states(pairs, plan.seed, first // 2)
        states["dice_stream"] = np.repeat(pairs["dice_stream"], 2)[:count]
    return states


def _settle(
    units: NDArray[Any],
    unit: NDArray[np.int64],
    states: States,
    seats: NDArray[np.int64],
    max_turns: int,
) -> NDArray[np.bool_]:
    """Write down games that are over; True for units that go on: bool[B]."""
    over = states["phase"] == OVER
    ended = np.flatnonzero(over)
    if len(ended):
        _record(units, unit[ended], take_states(states, ended), seats[ended])
    capped = ~over & (states["turn"] > max_turns)
    units["truncated"][unit[capped]] = True
    stay: NDArray[np.bool_] = ~(capped | find_match_ends(states))
    return stay


def _record(
    units: NDArray[Any],
    unit: NDArray[np.int64],
    games: States,
    seats: NDArray[np.int64],
) -> None:
    """Add finished games to their units, in place; no unit occurs twice."""
    won = games["winner"] == seats
    turns = games["turn"].astype(np.int64)
    first_player = (games["on_roll"] + turns - 1) % 2  # turns alternate
    dropped = games["ending"] == DROPPED
    kind = np.where(dropped, _DROP, games["level"] - 1)
    units["net"][unit] += np.where(won, games["points"], -games["points"])
    units["games"][unit] += 1
    units["turns"][unit] += turns
    units["first_wins"][unit] += games["winner"] == first_player
    units["kinds"][unit, (~won).astype(np.int64), kind] += 1
    units["endings"][unit, games["ending"] - 1] += 1
    units["on_time"][unit, (~won).astype(np.int64)] += games["ending"] == CLAIMED
    units["won"][unit] = won


def ask(agent: Agent, states: States, which: NDArray[np.int64]) -> None:
    """Let an agent decide in the games `which`, in place.

    The agent gets copies, so that it can change nothing but its random numbers.
    """
    if not len(which):
        return
    codes, streams = asked(agent, states, which)
    put_states(states, which, applied(agent, states, which, codes, streams))
