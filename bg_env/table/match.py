"""`Match`: games until a player has the points (R25–R27)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.table.base import table_rules
from bg_env.table.series import Series


class Match(Series):
    """A match to a number of points, Crawford rule included.

    >>> match = Match(5, seed=3, names=("You", "Bea"))
    >>> match.length, match.score, match.is_crawford
    (5, (0, 0), False)
    """

    kind: ClassVar[str] = "match"

    def __init__(
        self,
        rules: Rules | str | int = "match",
        *,
        state: GameState | None = None,
        **options: Any,
    ) -> None:
        """Sit down to the first game.

        Args:
            rules: The length of the match, rules, or the name of a preset.
            state: A state of a match to begin from, copied; `rules` is ignored.
            **options: As for `Game`.

        Raises:
            InvalidOptionError: Rules of money play, or a value that cannot be.
        """
        chosen = state.rules if state is not None else _match_rules(rules)
        if not chosen.match_length:
            raise InvalidOptionError(
                "A match needs a match_length of 1 or more; for money play there is "
                "bg_env.table.Session."
            )
        super().__init__(chosen, state=state, **options)

    @property
    def length(self) -> int:
        """Points it is played to."""
        return self.rules.match_length

    @property
    def is_crawford(self) -> bool:
        """True while the Crawford game is played (R26)."""
        return self.game.state.crawford

    @property
    def is_over(self) -> bool:
        """True when the last game is over and a player has the points."""
        return self.game.is_over and self.game.state.is_match_over

    @property
    def winner(self) -> int | None:
        """The player who has won the match, None while it goes on."""
        return self.game.winner if self.is_over else None

    @classmethod
    def _resume(cls, state: GameState, **options: Any) -> Self:
        return cls(state=state, **options)


def _match_rules(rules: Rules | str | int) -> Rules:
    if not isinstance(rules, int):
        return table_rules(rules)
    return replace(table_rules("match"), match_length=rules)
