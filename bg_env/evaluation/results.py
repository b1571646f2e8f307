"""What an evaluation measured, as a value, as JSON and as a table for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from bg_env.evaluation.time_results import (
    TimeUse,
    clock_words,
    time_rows,
    time_words,
)
from bg_env.rules.options import Rules

SCHEMA: Final = "bg_env.evaluation/1"


@dataclass(frozen=True, slots=True)
class Wins:
    """How many games one side won, by kind; each game is of one kind.

    Attributes:
        singles: Won single: on the board, by resignation or on time.
        gammons: Won with a gammon.
        backgammons: Won with a backgammon.
        drops: Won because the opponent dropped a double.
    """

    singles: int = 0
    gammons: int = 0
    backgammons: int = 0
    drops: int = 0

    @property
    def total(self) -> int:
        """All games that side won."""
        return self.singles + self.gammons + self.backgammons + self.drops


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The games agent a won and those it lost."""

    won: Wins
    lost: Wins


@dataclass(frozen=True, slots=True)
class Endings:
    """How many games ended in which way, whoever won."""

    borne_off: int = 0
    dropped: int = 0
    resigned: int = 0
    claimed: int = 0


@dataclass(frozen=True, slots=True)
class MatchWins:
    """Whole matches, for agent a.

    Attributes:
        won: Matches won.
        lost: Matches lost.
        share: won / (won + lost); None when no match was finished.
        standard_error: Of the share, from pair means when paired; None when unknown.
        interval: 95 % confidence interval of the share; None when unknown.
    """

    won: int
    lost: int
    share: float | None
    standard_error: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class LuckAdjusted:
    """The points of the same games without the luck of their rolls, for agent a.

    Attributes:
        evaluator: Name of the evaluator that said what each roll was worth.
        points_per_game: Mean of points won less luck had; None without a game.
        standard_error: Of that mean, from pair means when paired; None when unknown.
        interval: 95 % confidence interval of that mean; None when unknown.
        mean_luck: Mean luck of agent a in a game, in points; its expectation is 0.
    """

    evaluator: str
    points_per_game: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    mean_luck: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """What agent `a` achieved against agent `b`; all figures are a's.

    Two results are equal when all that was measured is equal, whatever time it took.

    Attributes:
        a: Name of the agent that is measured.
        b: Name of its opponent.
        games: Games asked for; with match rules, matches asked for.
        seed: Of the dice and of the agents' choices.
        paired: Games 2k and 2k + 1 had the same dice and swapped seats.
        rules: What was played.
        max_turns: The cap on the turns of one game.
        played: Games that the figures rest on.
        truncated: Units left out of all figures because a game hit the cap.
        points_per_game: Mean points of a game, None when none was finished.
        standard_error: Of `points_per_game`, from pair means when paired; None when
            there are too few games to tell.
        interval: 95 % confidence interval of `points_per_game`, or None.
        luck_adjusted: The same without luck; None when luck was not measured.
        matches: Matches won and lost; None when single games were played.
        outcomes: Games by winner and kind.
        endings: Games by the way they ended.
        time_use: Time used and games lost on time; None when not on the clock.
        turns_per_game: Mean number of turns of both players together, or None.
        first_mover_win_share: Share of games won by whoever had the first turn.
        interrupted: Stopped early; the figures rest on the waves that were finished.
        stopped_by: The error of an engine that stopped it early, or None.
        seconds: Wall-clock time.
    """

    a: str
    b: str
    games: int
    seed: int
    paired: bool
    rules: Rules
    max_turns: int
    played: int
    truncated: int
    points_per_game: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    luck_adjusted: LuckAdjusted | None = None
    matches: MatchWins | None
    outcomes: Outcomes
    endings: Endings
    time_use: TimeUse | None = None
    turns_per_game: float | None
    first_mover_win_share: float | None
    interrupted: bool
    stopped_by: str | None = None
    seconds: float = dataclasses.field(compare=False)

    @property
    def games_per_second(self) -> float | None:
        """Finished games per second of wall-clock time, None when none was."""
        return self.played / self.seconds if self.played and self.seconds > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values, with ``"schema"`` naming their version."""
        values = dataclasses.asdict(self)
        return {
            "schema": SCHEMA,
            "bg_env_version": package_version(),
            "unit": "match" if self.rules.match_length else "game",
            **values,
            "games_per_second": self.games_per_second,
        }

    def table(self) -> Table:
        """The result as a table of names and values, without colour."""
        table = Table(
            title=Text(f"{self.a} against {self.b}", style="bold"),
            box=box.SIMPLE,
            show_header=False,
        )
        table.add_column(style="dim")
        table.add_column()
        for name, value in _rows(self):
            table.add_row(Text(name), Text(value))
        return table

    def __str__(self) -> str:
        parts = []
        if self.matches:
            count = self.matches.won + self.matches.lost
            parts.append(
                f"{percent(self.matches.share)} of {count:,} matches won, standard "
                f"error {percent(self.matches.standard_error)}"
            )
        parts.append(
            f"{signed(self.points_per_game)} points per game, standard error "
            f"{number(self.standard_error)} ({self.played:,} games)"
        )
        if self.luck_adjusted:
            parts.append(
                f"without luck {signed(self.luck_adjusted.points_per_game)}, standard "
                f"error {number(self.luck_adjusted.standard_error)} (by "
                f"{self.luck_adjusted.evaluator})"
            )
        if self.time_use:
            parts.append(time_words(self.time_use))
        if self.truncated:
            parts.append(f"{self.truncated:,} truncated")
        if self.interrupted:
            parts.append("interrupted")
        if self.stopped_by:
            parts.append("stopped by an engine")
        return f"{self.a} against {self.b}: {'; '.join(parts)}"


def package_version() -> str | None:
    """The installed version, None in a source tree that is not installed."""
    try:
        return version("bg-env")
    except PackageNotFoundError:
        return None


# --- for people ---------------------------------------------------------------------


def summary_table(results: Sequence[EvaluationResult]) -> Table:
    """One line per evaluation, at most 80 columns wide for short names."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("agents")
    for heading in (
        "games", "points\nper game", "standard\nerror", "95 %\ninterval",
        "% won\ns / g / bg", "% lost\ns / g / bg",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    for result in results:
        low, high = result.interval or (None, None)
        table.add_row(
            Text(f"{result.a}\nagainst {result.b}"),
            f"{result.played:,}",
            signed(result.points_per_game),
            number(result.standard_error),
            f"{signed(low)}\n{signed(high)}" if result.interval else "n/a",
            _short_shares(result.outcomes.won, result.played),
            _short_shares(result.outcomes.lost, result.played),
        )
    return table


def signed(value: float | None) -> str:
    """A figure in points, with its sign; "n/a" when unknown."""
    return "n/a" if value is None else f"{value:+.3f}"


def number(value: float | None) -> str:
    """A figure without a sign; "n/a" when unknown."""
    return "n/a" if value is None else f"{value:.3f}"


def percent(value: float | None) -> str:
    """A share in per cent; "n/a" when unknown."""
    return "n/a" if value is None else f"{100 * value:.1f} %"


def describe_rules(rules: Rules) -> str:
    """What is played, in a few words: "cubeless money", "match to 7 with the cube"."""
    kind = f"match to {rules.match_length}" if rules.match_length else "money"
    if rules.match_length == 1:
        text = kind
    elif rules.match_length:
        text = f"{kind} with the cube" if rules.cube else f"{kind}, no cube"
    else:
        text = f"{kind} with the cube" if rules.cube else f"cubeless {kind}"
    plain = Rules(cube=rules.cube)
    others = [
        f"{option.name}={getattr(rules, option.name)}"
        for option in dataclasses.fields(rules)
        if option.name not in ("match_length", "clock")
        and getattr(rules, option.name) != getattr(plain, option.name)
    ]
    clock = [] if rules.clock is None else [clock_words(rules.clock)]
    return ", ".join([text, *others, *clock])


def _rows(result: EvaluationResult) -> list[tuple[str, str]]:
    rows = [
        *_match_rows(result.matches),
        *_point_rows(result),
        *_luck_rows(result.luck_adjusted),
    ]
    a, b = result.a, result.b
    if a == b:
        a, b = "first agent", "second agent"
    cube = result.rules.cube and result.rules.match_length != 1
    rows += [
        (f"Won by {a}", _shares(result.outcomes.won, result.played, cube)),
        (f"Won by {b}", _shares(result.outcomes.lost, result.played, cube)),
        *time_rows(result.time_use, a, b),
        ("Won by the first mover", percent(result.first_mover_win_share)),
        ("Turns per game", _plain(result.turns_per_game)),
        ("Games in the figures", f"{result.played:,}"),
    ]
    unit = "matches" if result.matches else "games"
    if result.truncated:
        what = "with a game of" if result.matches else "of"
        cap = f"{what} more than {result.max_turns:,} turns"
        rows.append(("Left out", f"{result.truncated:,} {unit} {cap}"))
    rows += [
        ("Rules", _rules_words(result)),
        ("Dice", f"{'paired' if result.paired else 'unpaired'}, seed {result.seed}"),
        ("Time", f"{result.seconds:.1f} s, {_plain(result.games_per_second)} games/s"),
    ]
    if result.interrupted or result.stopped_by:
        rows.append(("Stopped early", f"{result.games:,} {unit} were asked for"))
    return rows


def _rules_words(result: EvaluationResult) -> str:
    """What was played; a clock that did not run is named as such."""
    stood = result.rules.clock is not None and result.time_use is None
    return describe_rules(result.rules) + (" (the clock stood still)" if stood else "")


def _match_rows(matches: MatchWins | None) -> list[tuple[str, str]]:
    if matches is None:
        return []
    low, high = matches.interval or (None, None)
    return [
        ("Matches won", f"{matches.won:,} of {matches.won + matches.lost:,}"),
        ("Share of matches won", percent(matches.share)),
        ("Its standard error", percent(matches.standard_error)),
        (
            "Its 95 % interval",
            f"{percent(low)} to {percent(high)}" if matches.interval else "n/a",
        ),
    ]


def _point_rows(result: EvaluationResult) -> list[tuple[str, str]]:
    low, high = result.interval or (None, None)
    return [
        ("Points per game", signed(result.points_per_game)),
        ("Standard error", number(result.standard_error)),
        (
            "95 % interval",
            f"{signed(low)} to {signed(high)}" if result.interval else "n/a",
        ),
    ]


def _luck_rows(adjusted: LuckAdjusted | None) -> list[tuple[str, str]]:
    if adjusted is None:
        return []
    low, high = adjusted.interval or (None, None)
    interval = f"{signed(low)} to {signed(high)}" if adjusted.interval else "n/a"
    mean = signed(adjusted.points_per_game)
    error = number(adjusted.standard_error)
    return [
        ("Without luck", f"{mean}, standard error {error}, 95 % {interval}"),
        ("Luck per game", f"{signed(adjusted.mean_luck)} by {adjusted.evaluator}"),
    ]


def _plain(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.1f}"


def _shares(wins: Wins, games: int, cube: bool) -> str:
    """Shares of all games: "62.3 %: 40.1 single, 20.0 gammon, 2.2 backgammon"."""
    if not games:
        return "n/a"
    kinds = {
        "single": wins.singles,
        "gammon": wins.gammons,
        "backgammon": wins.backgammons,
    }
    if cube:
        kinds["by a drop"] = wins.drops
    parts = [f"{100 * count / games:.1f} {kind}" for kind, count in kinds.items()]
    return f"{100 * wins.total / games:.1f} %: {', '.join(parts)}"


def _short_shares(wins: Wins, games: int) -> str:
    if not games:
        return "n/a"
    counts = (wins.singles + wins.drops, wins.gammons, wins.backgammons)
    return " / ".join(f"{100 * count / games:.0f}" for count in counts)
