"""The time that agents used on the clock, as values and as rows for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bg_env.rules.options import Clock

_AWARDS: Final = {"gammon": "a gammon", "single": "a single game", "match": "the match"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTime:
    """What one agent used, and what it cost.

    Two are equal when all counts are, whatever the seconds.

    Attributes:
        seconds: Time of all decisions together, each with its share of a call.
        decisions: Decisions asked for; a whole play given at once is one.
        seconds_per_decision: Mean, None without a decision.
        longest_decision: The most seconds of one decision, None without one.
        flag_falls: How often its reserve ran out.
        won_on_time: Games won by a claim, or by a flag that loses by itself.
        lost_on_time: Games lost in that way.
        arena_claims: Whether the arena claimed for it as soon as that was possible.
    """

    seconds: float = field(compare=False)
    decisions: int
    seconds_per_decision: float | None = field(compare=False)
    longest_decision: float | None = field(compare=False)
    flag_falls: int
    won_on_time: int
    lost_on_time: int
    arena_claims: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUse:
    """The clocks of both agents, over the games that the figures rest on.

    Attributes:
        a: Of the agent that is measured.
        b: Of its opponent.
        batch_size: Most games that shared the time of one call.
    """

    a: AgentTime
    b: AgentTime
    batch_size: int


def clock_words(clock: Clock) -> str:
    """A clock in a few words.

    >>> clock_words(Clock())
    'clock of 11 s a turn and 90 s a game, then a gammon may be claimed'
    """
    may_claim = clock.flag == "claim"
    return (
        f"clock of {clock.turn_seconds:g} s a turn and {clock.reserve_seconds:g} s a "
        f"{clock.renewed}, then {_AWARDS[clock.award]} "
        f"{'may be claimed' if may_claim else 'is lost'}"
    )


def time_rows(use: TimeUse | None, a: str, b: str) -> list[tuple[str, str]]:
    """Rows of a table: the time of `a` and `b` and the games lost on time."""
    if use is None:
        return []
    shared = "1 game" if use.batch_size == 1 else f"up to {use.batch_size:,} games"
    return [
        (f"Clock of {a}", _used(use.a)),
        (f"Clock of {b}", _used(use.b)),
        (f"Lost on time by {a}", _lost(use.a)),
        (f"Lost on time by {b}", _lost(use.b)),
        ("Time measured", f"by call, for {shared} at once"),
    ]


def time_words(use: TimeUse) -> str:
    """Half a sentence, seen by agent a: "2 won and 3 lost on time"."""
    return f"{use.a.won_on_time:,} won and {use.a.lost_on_time:,} lost on time"


def _used(time: AgentTime) -> str:
    if time.seconds_per_decision is None or time.longest_decision is None:
        return "n/a"
    return (
        f"{_seconds(time.seconds)}; a decision "
        f"{_seconds(time.seconds_per_decision)}, at most "
        f"{_seconds(time.longest_decision)}"
    )


def _lost(time: AgentTime) -> str:
    games = "game" if time.lost_on_time == 1 else "games"
    falls = "fall" if time.flag_falls == 1 else "falls"
    return f"{time.lost_on_time:,} {games}, {time.flag_falls:,} flag {falls}"


def _seconds(value: float) -> str:
    """A time with its unit: "12.3 s", "4.50 ms"."""
    return f"{value:,.1f} s" if value >= 1 else f"{1000 * value:.3g} ms"
