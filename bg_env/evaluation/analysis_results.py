"""What an analysis found, as a value, as JSON and as a table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bg_env.errors import InvalidNotationError
from bg_env.evaluation.results import package_version
from bg_env.notation import format_xgid
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Play

ANALYSIS_SCHEMA: Final = "bg_env.analysis/1"
_CHANCES: Final = ("win", "gam", "bg", "-gam", "-bg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Who judges, and what the equities are.

    Attributes:
        agent: Agent string or name of the judge.
        plies: Rolls that were looked ahead, besides what the agent does itself.
        is_match: Equities are normalised to the chance to win the match (EMG).
        is_cubeful: Cube or score are in them; else they are cubeless.
        table: Name of the match equity table, None for money.
        truncate: Turns after which the trials of a rollout were cut short, or None.
    """

    agent: str
    plies: int
    is_match: bool
    is_cubeful: bool
    table: str | None
    truncate: int | None = None

    @property
    def unit(self) -> str:
        """What an equity of 1 is worth, in words."""
        if self.is_match:
            return f"EMG, match equities of {self.table}"
        return "cubeful money, in cubes" if self.is_cubeful else "cubeless money"

    @property
    def judge(self) -> str:
        """Agent and depth, as text."""
        ahead = f", looking {self.plies} ahead" if self.plies else ""
        cut = f", trials of {self.truncate} turns" if self.truncate is not None else ""
        return self.agent + ahead + cut

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "agent": self.agent,
            "plies": self.plies,
            "unit": "emg" if self.is_match else "points per cube",
            "cubeful": self.is_cubeful,
            "match_equities": self.table,
            "truncate": self.truncate,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPlay:
    """A play and what it is worth to the player who makes it.

    Attributes:
        play: The play.
        text: It in words, "8/5 6/5".
        chances: The five chances after it.
        cubeless: Their money equity without a cube.
        equity: With the cube and at the score, as far as the game has them.
        mwc: The chance to win the match, None for money.
        behind: Equity less than that of the best play.
        plies: How deep it was looked at; in a rollout, how deep the plays of trials.
        standard_error: Of `equity`; None without a rollout.
        behind_error: Of `behind`.
        trials: How many were played.
    """

    play: Play
    text: str
    chances: tuple[float, ...]
    cubeless: float
    equity: float
    mwc: float | None
    behind: float
    plies: int
    standard_error: float | None = None
    behind_error: float | None = None
    trials: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "play": self.text,
            "result": self.play.result.id,
            "chances": list(self.chances),
            "cubeless": self.cubeless,
            "equity": self.equity,
            "mwc": self.mwc,
            "behind": self.behind,
            "plies": self.plies,
            "standard_error": self.standard_error,
            "behind_error": self.behind_error,
            "trials": self.trials,
        }

    def __str__(self) -> str:
        behind = f", {self.behind:.3f} behind" if self.behind else ""
        return f"{self.text}: {self.equity:+.3f}{behind}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlayAnalysis:
    """The best plays of a roll.

    Attributes:
        state: The game before the play.
        terms: Who judges, and what the equities are.
        legal: How many distinct plays there are.
        plays: The best of them, those first.
        interrupted: Whether Ctrl-C ended the rollout early.
    """

    state: GameState
    terms: Terms
    legal: int
    plays: tuple[RatedPlay, ...]
    interrupted: bool = False

    @property
    def best(self) -> RatedPlay:
        """The best play."""
        return self.plays[0]

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON values, with ``"schema"`` naming their version."""
        return {
            **_head("plays", self.state, self.terms, self.interrupted),
            "dice": list(self.state.dice_left),
            "legal": self.legal,
            "plays": [play.to_dict() for play in self.plays],
        }

    def table(self) -> RenderableType:
        """The plays, one a line, without colour, at most 80 columns wide."""
        rolled = self.best.trials is not None
        mixed = len({play.plies for play in self.plays}) > 1
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
        table.add_column("play", max_width=26 if rolled or mixed else 30)
        for heading in ("equity", "behind"):
            table.add_column(heading, justify="right", no_wrap=True)
        if rolled or mixed:
            table.add_column("±" if rolled else "plies", justify="right", no_wrap=True)
        for heading in _CHANCES:
            table.add_column(heading, justify="right", no_wrap=True)
        for play in self.plays:
            extra = [f"{play.standard_error:.3f}"] if rolled else [str(play.plies)]
            table.add_row(*_cells(play, extra if rolled or mixed else []))
        return Group(table, Text("\n".join(self._notes())))

    def _notes(self) -> list[str]:
        shown = "" if len(self.plays) == self.legal else f"best {len(self.plays)} of "
        plays = "the only play" if self.legal == 1 else f"{shown}{self.legal} plays"
        notes = [f"Equity: {self.terms.unit}; {plays}", f"Judge: {self.terms.judge}"]
        best = self.best
        if best.mwc is not None:
            notes.append(f"Match won after the best play: {100 * best.mwc:.2f} %")
        if best.trials is not None:
            notes[1] += f"; rollout, {best.trials:,} trials; ±: one standard error"
        return notes

    def __str__(self) -> str:
        return "\n".join(map(str, self.plays))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CubeAnalysis:
    """What to do about the cube, and what each choice is worth to the player on roll.

    Attributes:
        state: The game; a double may be pending.
        terms: Who judges, and what the equities are.
        chances: The five chances of the player on roll, before his roll.
        cubeless: Their money equity without a cube.
        available: He may double, or has.
        advice: What is best, in words: "Double, take".
        no_double: Equity of playing on with the cube as it is.
        double_take: Of a double that is taken; None where there can be none.
        double_pass: Of a double that is passed, always 1; or None.
        no_double_mwc: The chance to win the match, None for money.
        double_take_mwc: ...
        double_pass_mwc: ...
        no_double_error: Standard error of `no_double`; None without a rollout.
        double_take_error: ...
        gain: `double_take` less `no_double` by the same dice; None without a rollout.
        gain_error: Its standard error.
        trials: How many were played.
        interrupted: Whether Ctrl-C ended the rollout early.
    """

    state: GameState
    terms: Terms
    chances: tuple[float, ...]
    cubeless: float
    available: bool
    advice: str
    no_double: float
    double_take: float | None
    double_pass: float | None
    no_double_mwc: float | None
    double_take_mwc: float | None
    double_pass_mwc: float | None
    no_double_error: float | None = None
    double_take_error: float | None = None
    gain: float | None = None
    gain_error: float | None = None
    trials: int | None = None
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON values, with ``"schema"`` naming their version."""
        fields = (
            "available", "advice", "chances", "cubeless", "no_double", "double_take",
            "double_pass", "no_double_mwc", "double_take_mwc", "double_pass_mwc",
            "no_double_error", "double_take_error", "gain", "gain_error", "trials",
        )  # fmt: skip
        found = {name: getattr(self, name) for name in fields}
        found["chances"] = list(self.chances)
        return {**_head("cube", self.state, self.terms, self.interrupted), **found}

    def table(self) -> RenderableType:
        """The choices and the advice, without colour, at most 80 columns wide."""
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("choice")
        headings = ["equity"]
        if self.trials is not None:
            headings.append("±")
        if self.terms.is_match:
            headings.append("match won")
        for heading in headings:
            table.add_column(heading, justify="right", no_wrap=True)
        for name, value, error, mwc in self._choices():
            cells = [f"{value:+.3f}"]
            if self.trials is not None:
                cells.append("" if error is None else f"{error:.3f}")
            if mwc is not None:
                cells.append(f"{100 * mwc:.2f} %")
            table.add_row(name, *cells)
        return Group(table, Text("\n".join(self._notes())))

    def _choices(self) -> list[tuple[str, float, float | None, float | None]]:
        """Name, equity, standard error and match chance of each choice there is."""
        word = "Double" if self.state.cube_owner is None else "Redouble"
        found = (
            (f"No {word.lower()}", self.no_double, self.no_double_error,
             self.no_double_mwc),
            (f"{word}, take", self.double_take, self.double_take_error,
             self.double_take_mwc),
            (f"{word}, pass", self.double_pass, None, self.double_pass_mwc),
        )  # fmt: skip
        return [
            (name, value, error, mwc)
            for name, value, error, mwc in found
            if value is not None
        ]

    def _notes(self) -> list[str]:
        named = zip(_CHANCES, self.chances, strict=True)
        notes = [
            f"{self.advice}",
            "Chances: " + ", ".join(f"{name} {100 * c:.1f}" for name, c in named)
            + f"; cubeless {self.cubeless:+.3f}",
            f"Equity: {self.terms.unit}",
            f"Judge: {self.terms.judge}",
        ]  # fmt: skip
        if self.trials is not None:
            notes[-1] += f"; rollout, {self.trials:,} trials; ±: one standard error"
        return notes

    def __str__(self) -> str:
        choices = ", ".join(
            f"{name.lower()} {value:+.3f}" for name, value, _, _ in self._choices()
        )
        return f"{self.advice} ({choices})"


def _head(
    kind: str, state: GameState, terms: Terms, interrupted: bool
) -> dict[str, Any]:
    """The first fields of an analysis as JSON values."""
    return {
        "schema": ANALYSIS_SCHEMA,
        "bg_env_version": package_version(),
        "kind": kind,
        "xgid": xgid_of(state),
        "position": state.position.id,
        **terms.to_dict(),
        "interrupted": interrupted,
    }


def xgid_of(state: GameState) -> str | None:
    """The XGID of a game, None for one that an XGID cannot say."""
    try:
        return format_xgid(state)
    except InvalidNotationError:
        return None


def _cells(play: RatedPlay, extra: list[str]) -> list[Text]:
    behind = f"{play.behind:.3f}" if play.behind else ""
    chances = [f"{100 * chance:.1f}" for chance in play.chances]
    return [
        Text(cell)
        for cell in (play.text, f"{play.equity:+.3f}", behind, *extra, *chances)
    ]
