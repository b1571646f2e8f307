"""The score sheet of a chouette: a row per game, totals, as a table and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from bg_env.errors import InvalidNotationError, InvalidOptionError

if TYPE_CHECKING:
    from rich.table import Table

FORMAT: Final = "bg-env chouette"
VERSION: Final = 1


@dataclass(frozen=True)
class GameRow:
    """What one game of a chouette came to. Players are numbers."""

    game: int
    box: int
    line: tuple[int, ...]
    """The line as the game began."""
    captain: int
    """Who was captain at the end."""
    winner: Literal["box", "team"]
    outcome: str
    """single, gammon, backgammon, or dropped: nobody was left to play on."""
    changes: tuple[int, ...]
    """Points won or lost in this game, by player; they add up to 0."""


@dataclass
class ScoreSheet:
    """The games of a session, and what everybody has won or lost.

    Attributes:
        names: The players.
        own_cubes: Whether they played with own cubes.
        games: One row for each finished game.
    """

    names: tuple[str, ...]
    own_cubes: bool = False
    games: list[GameRow] = field(default_factory=list)

    def add(self, row: GameRow) -> None:
        """Write down a finished game.

        Raises:
            InvalidOptionError: A row of another number of players, or one whose
                points do not add up to 0.
        """
        if len(row.changes) != len(self.names) or sum(row.changes) != 0:
            raise InvalidOptionError(
                f"A row has the points of {len(self.names)} players, which add up to "
                f"0, not {row.changes!r}."
            )
        self.games.append(row)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of every player over all games; they add up to 0."""
        return tuple(
            sum(row.changes[player] for row in self.games)
            for player in range(len(self.names))
        )

    def table(self) -> Table:
        """The sheet as a table of ``rich``."""
        from rich.table import Table

        cubes = "own cubes" if self.own_cubes else "one cube"
        sheet = Table(title=f"Chouette, {cubes}", show_footer=True)
        for title in ("game", "box", "captain"):
            sheet.add_column(title, footer="total" if title == "game" else "")
        sheet.add_column("won by")
        for name, total in zip(self.names, self.totals, strict=True):
            sheet.add_column(name, footer=_signed(total), justify="right")
        for row in self.games:
            sheet.add_row(
                str(row.game),
                self.names[row.box],
                self.names[row.captain],
                f"{row.winner}, {row.outcome}",
                *map(_signed, row.changes),
            )
        return sheet

    def to_json(self) -> str:
        """The sheet as JSON."""
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "players": self.names,
                "own_cubes": self.own_cubes,
                "games": [asdict(row) for row in self.games],
                "totals": self.totals,
            },
            indent=1,
        )

    @classmethod
    def from_json(cls, text: str) -> ScoreSheet:
        """Read a sheet that `to_json` has written.

        Raises:
            InvalidNotationError: Another text.
            InvalidOptionError: Games whose points do not add up to 0.
        """
        try:
            data = json.loads(text)
            known = data["format"] == FORMAT and data["version"] == VERSION
            sheet = cls(tuple(map(str, data["players"])), bool(data["own_cubes"]))
            rows = [_row_of(row) for row in data["games"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidNotationError(
                f"This is not the JSON of a chouette's score sheet: {error!r}."
            ) from None
        if not known:
            raise InvalidNotationError(
                f"A score sheet has format {FORMAT!r} and version {VERSION}, not "
                f"{data['format']!r} and {data['version']!r}."
            )
        for row in rows:
            sheet.add(row)
        return sheet


def _row_of(row: dict[str, Any]) -> GameRow:
    lists = {name: tuple(map(int, row[name])) for name in ("line", "changes")}
    return GameRow(**{**row, **lists})


def _signed(points: int) -> str:
    return f"{points:+d}" if points else "0"
