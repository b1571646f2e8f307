"""How far an agent's plays are from the best ones, by what a judge says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bg_env.agent import Agent, make_agent
from bg_env.errors import InvalidOptionError
from bg_env.evaluation._wave import ask
from bg_env.evaluation.arena import check_whole
from bg_env.evaluation.judged import JudgedPosition, JudgedPositions
from bg_env.evaluation.results import package_version, percent
from bg_env.notation import format_play
from bg_env.rules.batch import States, seed_states
from bg_env.rules.game import GameState
from bg_env.rules.movegen import legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING, STATE_DTYPE

ERROR_SCHEMA: Final = "bg_env.error_rate/1"
UNFORCED: Final = "unforced decisions"
PR_FACTOR: Final = 500
_MILLI: Final = 1000
_WORST: Final = 10
_CUBELESS: Final = Rules(cube=False)


@dataclass(frozen=True, slots=True)
class Rate:
    """An error rate, with all that it takes to compare it with another one.

    Error rates of the same plays differ by what the total is divided by and by a
    factor, and sources disagree on both, so neither is left out.

    Attributes:
        name: What it is called.
        total_error: Sum of all errors, in points.
        divisor: What is counted: "unforced decisions", say.
        count: How many of them there are.
        factor: What the quotient is multiplied by.

    >>> print(Rate("PR", 0.4, "unforced decisions", 10, 500))
    PR 20.0 (500 × 0.400 points / 10 unforced decisions)
    """

    name: str
    total_error: float
    divisor: str
    count: int
    factor: int

    @property
    def value(self) -> float | None:
        """The figure; None when there is nothing to divide by."""
        return self.factor * self.total_error / self.count if self.count else None

    def __str__(self) -> str:
        return f"{self.name} {plain(self.value)} ({self.formula})"

    @property
    def formula(self) -> str:
        """How it comes about."""
        points = f"{self.total_error:,.3f} points"
        return f"{self.factor} × {points} / {self.count:,} {self.divisor}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A decision that was not the best one.

    Attributes:
        position: Seen by the agent, who has rolled.
        dice: The roll.
        played: His play, as text.
        best: The best one.
        error: What it cost, in millipoints.
    """

    position: Position
    dice: tuple[int, int]
    played: str
    best: str
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How well an agent plays rolls that somebody has judged.

    Attributes:
        agent: Name of the agent.
        judge: Who said what the plays are worth.
        seed: Of the agent's choices.
        decisions: Rolls judged, those with one play or none included.
        unforced: Rolls with two or more plays. All other figures are of these.
        total_error: Sum of the errors, in points.
        mean_error: Mean error in millipoints, None without an unforced decision.
        standard_error: Of `mean_error`, None for fewer than two.
        pr: 500 times the mean error in points, or None.
        best_share: Share of decisions that were the best, or None.
        worst: The ten worst, those first.
    """

    agent: str
    judge: str
    seed: int
    decisions: int
    unforced: int
    total_error: float
    mean_error: float | None
    standard_error: float | None
    pr: float | None
    best_share: float | None
    worst: tuple[Mistake, ...]

    @property
    def rates(self) -> tuple[Rate, Rate]:
        """The PR and the mean error in millipoints, with divisor and factor."""
        return (
            Rate("PR", self.total_error, UNFORCED, self.unforced, PR_FACTOR),
            Rate("Millipoints", self.total_error, UNFORCED, self.unforced, _MILLI),
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values, with ``"schema"`` naming their version."""
        return {
            "schema": ERROR_SCHEMA,
            "bg_env_version": package_version(),
            "agent": self.agent,
            "judge": self.judge,
            "seed": self.seed,
            "decisions": self.decisions,
            "unforced": self.unforced,
            "total_error": self.total_error,
            "mean_error": self.mean_error,
            "standard_error": self.standard_error,
            "pr": self.pr,
            "divisor": UNFORCED,
            "factor": PR_FACTOR,
            "best_share": self.best_share,
            "worst": [
                {
                    "position": mistake.position.id,
                    "dice": list(mistake.dice),
                    "played": mistake.played,
                    "best": mistake.best,
                    "error": mistake.error,
                }
                for mistake in self.worst
            ],
        }

    def table(self) -> RenderableType:
        """The figures, and under them the worst decisions, without colour."""
        figures = _figures(self)
        return Group(figures, _worst_table(self.worst)) if self.worst else figures

    def __str__(self) -> str:
        return (
            f"{self.agent}: {self.rates[0]}, mean error {plain(self.mean_error)} "
            f"millipoints, standard error {plain(self.standard_error)}, "
            f"{percent(self.best_share)} best plays, judge {self.judge}"
        )


def error_rate(
    agent: str | Agent, positions: JudgedPositions, *, seed: int = 0
) -> ErrorRate:
    """Let an agent play judged rolls, and sum up what its plays cost.

    The error of a play is the equity of the best play less its own, by the judge. The
    rolls are played as in a cubeless money game. Of a roll with one play or none
    nobody is asked.

    Args:
        agent: Agent string or agent.
        positions: What `load_judged` read or `judge` made.
        seed: 0 to 2**64 − 1, fixes the choices of an agent that plays at random.

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: An agent string with a path or depth the agent does not
            take, an impossible seed, or positions that nobody has judged.
        InvalidPositionError: A position in which neither side can ever move.
        IllegalPlayError: The agent made an illegal decision.
    """
    check_whole("seed", seed, 0, 2**64 - 1)
    player = make_agent(agent)
    if not isinstance(positions, JudgedPositions):
        raise InvalidOptionError(
            f"An error rate needs JudgedPositions, which load_judged(path) reads and "
            f"judge(evaluator, positions) makes, not {type(positions).__name__}."
        )
    unforced = [entry for entry in positions if len(entry.candidates) > 1]
    played = _played(player, unforced, seed) if unforced else []
    errors = np.array(
        [
            entry.best - entry.candidates[result]
            for entry, result in zip(unforced, played, strict=True)
        ]
    )
    return ErrorRate(
        agent=agent.strip() if isinstance(agent, str) else str(agent.name),
        judge=positions.judge,
        seed=int(seed),
        decisions=len(positions),
        unforced=len(unforced),
        worst=_worst(unforced, played, errors),
        **_means(errors),
    )


def _means(errors: NDArray[np.float64]) -> dict[str, Any]:
    """The figures of errors float64[N], given in points."""
    count = len(errors)
    mean = float(errors.mean()) if count else None
    spread = _MILLI * float(errors.std(ddof=1)) if count > 1 else None
    return {
        "total_error": float(errors.sum()),
        "mean_error": None if mean is None else _MILLI * mean,
        "standard_error": None if spread is None else spread / count**0.5,
        "pr": None if mean is None else PR_FACTOR * mean,
        "best_share": float((errors == 0).mean()) if count else None,
    }


def _played(
    agent: Agent, entries: Sequence[JudgedPosition], seed: int
) -> list[Position]:
    """What the agent's plays lead to, sides not swapped."""
    states: States = np.concatenate(
        [
            GameState.from_position(
                entry.position, rules=_CUBELESS, dice=entry.dice
            ).record
            for entry in entries
        ],
        dtype=STATE_DTYPE,
    )
    seed_states(states, seed)
    turn = states["turn"].copy()
    active = np.arange(len(states))
    while len(active):
        ask(agent, states, active)
        moving = (states["phase"] == MOVING) & (states["turn"] == turn)
        active = np.flatnonzero(moving)
    passed = states["turn"] != turn
    boards = states["board"].copy()
    boards[passed] = boards[passed][:, ::-1]
    return [Position.from_board(board) for board in boards]


def _worst(
    entries: Sequence[JudgedPosition],
    played: Sequence[Position],
    errors: NDArray[np.float64],
) -> tuple[Mistake, ...]:
    order = np.argsort(-errors, kind="stable")[:_WORST].tolist()
    return tuple(
        _mistake(entries[i], played[i], float(errors[i])) for i in order if errors[i]
    )


def _mistake(entry: JudgedPosition, played: Position, error: float) -> Mistake:
    plays = legal_plays(entry.position, entry.dice)
    texts = {play.result: format_play(entry.position, play.moves) for play in plays}
    best = max(entry.candidates, key=lambda result: entry.candidates[result])
    return Mistake(
        entry.position, entry.dice, texts[played], texts[best], _MILLI * error
    )


# --- for people -----------------------------------------------------------------------


def plain(value: float | None) -> str:
    """A figure with one decimal; "n/a" when unknown."""
    return "n/a" if value is None else f"{value:,.1f}"


def _figures(result: ErrorRate) -> Table:
    table = Table(
        title=Text(f"Errors of {result.agent}", style="bold"),
        box=box.SIMPLE,
        show_header=False,
    )
    table.add_column(style="dim")
    table.add_column()
    rating, mean = result.rates
    for name, value in (
        (rating.name, f"{plain(rating.value)} = {rating.formula}"),
        (mean.name, f"{plain(mean.value)} = {mean.formula}"),
        ("Their standard error", plain(result.standard_error)),
        ("Best plays", percent(result.best_share)),
        ("Decisions", f"{result.decisions:,}, unforced {result.unforced:,}"),
        ("Judge", result.judge),
        ("Seed", str(result.seed)),
    ):
        table.add_row(Text(name), Text(value))
    return table


def _worst_table(worst: Sequence[Mistake]) -> Table:
    table = Table(title="Worst decisions", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("position", "roll", "played", "best"):
        table.add_column(heading)
    table.add_column("milli-\npoints", justify="right")
    for mistake in worst:
        table.add_row(
            Text(mistake.position.id),
            Text("{}-{}".format(*mistake.dice)),
            Text(mistake.played),
            Text(mistake.best),
            plain(mistake.error),
        )
    return table
