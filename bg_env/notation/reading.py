"""Reading a position without being told its notation."""

from __future__ import annotations

from bg_env.errors import InvalidNotationError
from bg_env.notation.gnu_id import parse_gnu_id
from bg_env.notation.xgid import parse_xgid
from bg_env.rules.game import GameState
from bg_env.rules.position import Position


def parse_state(text: str) -> GameState:
    """The game that a text describes: an XGID, a position id, POSITIONID:MATCHID.

    With a position id alone player 0 is on roll, and has not rolled.

    Raises:
        InvalidNotationError: None of them, or damaged.
        InvalidPositionError: A board that cannot be, or a game that is over.

    >>> parse_state("4HPwATDgc/ABMA").on_roll
    0
    """
    plain = text.strip() if isinstance(text, str) else ""
    if not plain:
        raise InvalidNotationError(
            f"A position is an XGID, a position id or POSITIONID:MATCHID, not {text!r}."
        )
    if plain.upper().startswith("XGID=") or plain.count(":") > 1:
        return parse_xgid(plain)
    if ":" in plain:
        return parse_gnu_id(plain)
    return GameState.from_position(Position.from_id(plain))
