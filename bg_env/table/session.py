"""`Session`: money games one after the other, with a score sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.table.base import table_rules
from bg_env.table.history import LEVELS
from bg_env.table.series import Series


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One finished game on the score sheet."""

    game: int
    """Its number, from 1."""
    winner: int
    """Player 0 or 1."""
    level: int
    """1 single, 2 gammon, 3 backgammon."""
    cube: int
    """Value of the cube at the end."""
    points: int
    """What the winner got."""
    totals: tuple[int, int]
    """Points of player 0 and player 1 after it, from all games."""


class Session(Series):
    """Money games, as many as the players like.

    >>> session = Session(seed=3, names=("You", "Bea"))
    >>> session.sheet
    []
    """

    kind: ClassVar[str] = "session"

    def __init__(
        self,
        rules: Rules | str | None = None,
        *,
        state: GameState | None = None,
        **options: Any,
    ) -> None:
        """Sit down to the first game.

        Args:
            rules: Rules of money play or the name of a preset.
            state: A state of money play to begin from, copied; `rules` is ignored.
            **options: As for `Game`.

        Raises:
            InvalidOptionError: Rules of a match, or a value that cannot be.
        """
        chosen = state.rules if state is not None else table_rules(rules)
        if chosen.match_length:
            raise InvalidOptionError(
                f"A session is money play, not a match to {chosen.match_length}; for "
                f"that there is bg_env.table.Match."
            )
        super().__init__(chosen, state=state, **options)

    @property
    def is_over(self) -> bool:
        """False: there is always another game."""
        return False

    @property
    def sheet(self) -> list[SheetRow]:
        """The score sheet: a row for each finished game."""
        rows = []
        for number, game in enumerate(self.games, start=1):
            state = game.state
            if state.winner is not None:
                rows.append(
                    SheetRow(
                        number,
                        state.winner,
                        state.level,
                        state.cube,
                        state.points,
                        state.score,
                    )
                )
        return rows

    @property
    def balance(self) -> int:
        """What player 0 is ahead of player 1, in points."""
        first, second = self.score
        return first - second

    def sheet_text(self) -> str:
        """The score sheet as text: a line for each finished game and the totals."""
        first, second = self.names
        lines = [f"{'game':>4}  {'winner':<16} {'points':>6}  {first}, {second}"]
        for row in self.sheet:
            a, b = row.totals
            lines.append(
                f"{row.game:>4}  {self.names[row.winner]:<16} {row.points:>6}  "
                f"{a}, {b}  ({LEVELS[row.level]}, cube {row.cube})"
            )
        return "\n".join(lines)

    @classmethod
    def _resume(cls, state: GameState, **options: Any) -> Self:
        return cls(state=state, **options)
