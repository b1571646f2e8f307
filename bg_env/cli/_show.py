"""``bg-env show``: a position on the terminal."""

from __future__ import annotations

from typing import Annotated

import typer


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
    from bg_env.cli._output import look
    from bg_env.notation.reading import parse_state
    from bg_env.rendering import ansi

    seen = look()
    drawing = ansi.render(
        parse_state(text),
        viewer=viewer,
        home=home,  # type: ignore[arg-type]  # render names the choices in its refusal
        unicode=seen.unicode,
        color=seen.color,
    )
    typer.echo(drawing, color=True)
