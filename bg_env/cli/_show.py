"""``bg-env show``: a position on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bg_env.errors import InvalidNotationError

if TYPE_CHECKING:
    from bg_env.rules.game import GameState


def show(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="An XGID, a position id, or POSITIONID:MATCHID."
        ),
    ],
    viewer: Annotated[
        int, typer.Option(help="The player at the bottom, 0 (upper case) or 1.")
    ] = 0,
    home: Annotated[
        str, typer.Option(help="The side of his home board: right or left.")
    ] = "right",
) -> None:
    """Draw a position with its dice, cube and score.

    A position id alone is drawn with player 0 on roll.
    """
    from rich.console import Console

    from bg_env.rendering import ansi

    console = Console()
    drawing = ansi.render(
        state_of(text),
        viewer=viewer,
        home=home,  # type: ignore[arg-type]  # render names the choices in its refusal
        unicode=console.encoding.startswith("utf"),
        color=console.is_terminal and console.color_system is not None,
    )
    typer.echo(drawing, color=True)


def state_of(text: str) -> GameState:
    """The game that a text describes, whichever of the three notations it is in.

    Raises:
        InvalidNotationError: None of them, or damaged.
        InvalidPositionError: A board that cannot be, or a game that is over.
    """
    from bg_env.notation import parse_gnu_id, parse_xgid
    from bg_env.rules.game import GameState
    from bg_env.rules.position import Position

    plain = text.strip()
    if not plain:
        raise InvalidNotationError(
            f"A position is an XGID, a position id or POSITIONID:MATCHID, not {text!r}."
        )
    if plain.upper().startswith("XGID=") or plain.count(":") > 1:
        return parse_xgid(plain)
    if ":" in plain:
        return parse_gnu_id(plain)
    return GameState.from_position(Position.from_id(plain))
