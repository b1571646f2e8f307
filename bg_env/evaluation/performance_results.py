"""What recorded games were worth as play, as a value, as JSON and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bg_env.evaluation.analysis_results import xgid_of
from bg_env.evaluation.error_rate import PR_FACTOR, UNFORCED, Rate, plain
from bg_env.evaluation.results import package_version
from bg_env.rules.game import GameState

PERFORMANCE_SCHEMA: Final = "bg_env.performance/1"
_MILLI: Final = 1000
_MOVES: Final = "moves of both sides"


@dataclass(frozen=True, slots=True, eq=False)
class CostlyDecision:
    """A decision that was not the best one.

    Attributes:
        game: Number of the game.
        state: The game before it.
        dice: The roll; None for a decision about the cube.
        played: What was decided, as text.
        best: What would have been best.
        error: What it cost, in units of the cube (EMG in a match).
    """

    game: int
    state: GameState
    dice: tuple[int, int] | None
    played: str
    best: str
    error: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "game": self.game,
            "xgid": xgid_of(self.state),
            "position": self.state.position.id,
            "dice": None if self.dice is None else list(self.dice),
            "played": self.played,
            "best": self.best,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRating:
    """What one player's decisions cost in one game.

    Attributes:
        game: Its number.
        decisions: All that were judged, forced plays included.
        unforced: Those that count.
        total_error: Sum of their errors, in units of the cube.
    """

    game: int
    decisions: int
    unforced: int
    total_error: float

    @property
    def pr(self) -> float | None:
        """500 times the mean error; None without a decision that counts."""
        return PR_FACTOR * self.total_error / self.unforced if self.unforced else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "game": self.game,
            "decisions": self.decisions,
            "unforced": self.unforced,
            "total_error": self.total_error,
            "pr": self.pr,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlayerRating:
    """What one player's decisions cost. Errors are in units of the cube.

    Attributes:
        name: His name.
        decisions: All that were judged, forced plays included.
        plays: Rolls that he played, forced ones and lost rolls included.
        unforced_plays: Those with two plays or more.
        counted_cubes: Decisions about the cube that count: doubles, answers to doubles,
            and rolls where a double would have been close or right.
        play_error: Sum of the errors of plays.
        cube_error: Sum of the errors of the cube.
        mean_error_error: Standard error of the mean error; None for fewer than two.
        moves_of_both: Plays of both players.
        worst: What cost most, that first.
        by_game: The same game by game.
    """

    name: str
    decisions: int
    plays: int
    unforced_plays: int
    counted_cubes: int
    play_error: float
    cube_error: float
    mean_error_error: float | None
    moves_of_both: int
    worst: tuple[CostlyDecision, ...]
    by_game: tuple[GameRating, ...] = ()

    @property
    def unforced(self) -> int:
        """All decisions that count."""
        return self.unforced_plays + self.counted_cubes

    @property
    def total_error(self) -> float:
        """Of plays and cube."""
        return self.play_error + self.cube_error

    @property
    def pr(self) -> float | None:
        """500 times the mean error; None without a decision that counts."""
        return self.rates[0].value

    @property
    def standard_error(self) -> float | None:
        """Of the PR: that of a mean of independent decisions."""
        error = self.mean_error_error
        return None if error is None else PR_FACTOR * error

    @property
    def rates(self) -> tuple[Rate, Rate, Rate]:
        """PR, GNU Backgammon's rate and Snowie's, with divisors and factors."""
        total = self.total_error
        return (
            Rate("PR", total, UNFORCED, self.unforced, PR_FACTOR),
            Rate("GNU rate", total, UNFORCED, self.unforced, _MILLI),
            Rate("Snowie rate", total, _MOVES, self.moves_of_both, _MILLI),
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "name": self.name,
            "decisions": self.decisions,
            "plays": self.plays,
            "unforced_plays": self.unforced_plays,
            "counted_cubes": self.counted_cubes,
            "play_error": self.play_error,
            "cube_error": self.cube_error,
            "total_error": self.total_error,
            "pr": self.pr,
            "standard_error": self.standard_error,
            "rates": [
                {
                    "name": rate.name,
                    "value": rate.value,
                    "divisor": rate.divisor,
                    "count": rate.count,
                    "factor": rate.factor,
                }
                for rate in self.rates
            ],
            "worst": [costly.to_dict() for costly in self.worst],
            "by_game": [game.to_dict() for game in self.by_game],
        }

    def __str__(self) -> str:
        return f"{self.name}: {self.rates[0]}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PerformanceRating:
    """How well recorded games were played, as a judge sees it.

    Attributes:
        judge: Agent string or name.
        plies: How deep it looked.
        close: Where a roll without a double counts as a decision.
        match_equities: Name of the match equity table.
        games: How many.
        players: Player 0 and player 1.
    """

    judge: str
    plies: int
    close: float
    match_equities: str
    games: int
    players: tuple[PlayerRating, PlayerRating]

    def to_dict(self) -> dict[str, Any]:
        """The rating as JSON values, with ``"schema"`` naming their version."""
        return {
            "schema": PERFORMANCE_SCHEMA,
            "bg_env_version": package_version(),
            "judge": self.judge,
            "plies": self.plies,
            "close": self.close,
            "match_equities": self.match_equities,
            "games": self.games,
            "players": [player.to_dict() for player in self.players],
        }

    def table(self) -> RenderableType:
        """Figures, how they come about, games, worst decisions, without colour."""
        more = [_games_table(self.players)] if self.games > 1 else []
        more += [_worst_table(player) for player in self.players if player.worst]
        return Group(_figures(self.players), Text("\n".join(self._notes())), *more)

    def _notes(self) -> list[str]:
        depth = f", looking {self.plies} ahead" if self.plies else ""
        return [
            *(f"{rate.name}: {rate.factor} × error / {rate.divisor}"
              for rate in self.players[0].rates),
            f"Unforced: two plays or more; doubles, answers, and rolls where a double "
            f"costs less than {self.close:g}",
            f"Errors are in units of the cube (in matches EMG, match equities of "
            f"{self.match_equities})",
            f"Games: {self.games:,}; judge: {self.judge}{depth}",
        ]  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(map(str, self.players))


def _figures(players: tuple[PlayerRating, PlayerRating]) -> Table:
    """The figures, a column for each player."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
    table.add_column("")
    for player in players:
        table.add_column(Text(player.name), justify="right", max_width=24)
    for mine, theirs in zip(*(player.rates for player in players), strict=True):
        table.add_row(mine.name, plain(mine.value), plain(theirs.value))
    for name, figures in (
        ("Standard error of PR", [plain(p.standard_error) for p in players]),
        ("Unforced plays", [f"{p.unforced_plays:,}" for p in players]),
        ("Cube decisions that count", [f"{p.counted_cubes:,}" for p in players]),
        ("Moves of both sides", [f"{p.moves_of_both:,}" for p in players]),
        ("Error of plays", [f"{p.play_error:.3f}" for p in players]),
        ("Error of the cube", [f"{p.cube_error:.3f}" for p in players]),
    ):
        table.add_row(name, *figures)
    return table


def _games_table(players: tuple[PlayerRating, PlayerRating]) -> Table:
    """A line for each game and player."""
    table = Table(title="Game by game", box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
    table.add_column("game", justify="right")
    table.add_column("player", max_width=24)
    for heading in ("decisions", "unforced", "error", "PR"):
        table.add_column(heading, justify="right", no_wrap=True)
    for both in zip(*(player.by_game for player in players), strict=True):
        for player, rating in zip(players, both, strict=True):
            table.add_row(
                str(rating.game),
                Text(player.name),
                f"{rating.decisions:,}",
                f"{rating.unforced:,}",
                f"{rating.total_error:.3f}",
                plain(rating.pr),
            )
    return table


def _worst_table(player: PlayerRating) -> Table:
    """The decisions of one player that cost most, each with its position."""
    table = Table(
        title=Text(f"Worst decisions of {player.name}"),
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("game", justify="right")
    for heading in ("roll", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("decision", overflow="fold")
    for costly in player.worst:
        place = xgid_of(costly.state) or costly.state.position.id
        table.add_row(
            str(costly.game),
            "cube" if costly.dice is None else "{}-{}".format(*costly.dice),
            f"{costly.error:.3f}",
            Text(f"{costly.played}, best {costly.best}\n{place}"),
        )
    return table
