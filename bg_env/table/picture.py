"""The board as people see it, with the moves of a play that is not final."""

from __future__ import annotations

from typing import Literal

from bg_env.rendering.ansi import LETTERS, render
from bg_env.table.history import dice_text
from bg_env.table.turn import OpenTurn

Home = Literal["right", "left", "alternate"]


def draw(
    turn: OpenTurn,
    *,
    names: tuple[str, str],
    viewer: int,
    home: Home,
    unicode: bool,
    color: bool,
) -> str:
    """The board with open moves made; the last line says what is awaited.

    Raises:
        InvalidOptionError: No such viewer or home.
    """
    shown = turn.start.clone()
    if turn.codes:
        shown.record["board"] = turn.position.to_board()
    text = render(
        shown, viewer=viewer, home=home, names=names, unicode=unicode, color=color
    )
    if not turn.is_being_played:
        return text
    *lines, status = text.split("\n")
    indent = status[: len(status) - len(status.lstrip())]
    symbols = ("●", "○") if unicode else LETTERS
    return "\n".join([*lines, f"{indent}{_status(turn, symbols)}"])


def _status(turn: OpenTurn, symbols: tuple[str, str]) -> str:
    """Who plays which dice, which moves are open, what is left."""
    mover, dice = symbols[turn.start.on_roll], dice_text(turn.start.dice)
    if turn.is_complete:
        return f"{mover} has played {dice}: {turn.text}, to be confirmed"
    left = " ".join(map(str, turn.dice_left))
    if turn.codes:
        return f"{mover} plays {dice}: {turn.text}, left {left}"
    return f"{mover} to play {dice}"
