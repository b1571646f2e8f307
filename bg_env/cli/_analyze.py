"""``bg-env analyze``: the best plays of a position, or what to do about the cube."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bg_env.rules.game import GameState


def analyze(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="An XGID, a position id, or POSITIONID:MATCHID."
        ),
    ],
    agent: Annotated[
        str, typer.Option(help="Who judges: td, td:FILE, gnubg@2ply …")
    ] = "td",
    plies: Annotated[
        int, typer.Option(help="Rolls looked ahead, besides what the agent does.")
    ] = 0,
    rollout: Annotated[
        int | None,
        typer.Option(
            metavar="TRIALS", help="Play each choice on, so often (1296, say)."
        ),
    ] = None,
    truncate: Annotated[
        int | None,
        typer.Option(
            metavar="TURNS",
            help="Cut the trials of a rollout short.",
            show_default="to the end",
        ),
    ] = None,
    plays: Annotated[int, typer.Option(help="How many of the best plays.")] = 5,
    seed: Annotated[int, typer.Option(help="Fixes the dice of a rollout.")] = 0,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the result as JSON; - is stdout, all else on stderr.",
        ),
    ] = None,
) -> None:
    """Find the best plays of a roll or, before the roll, what to do about the cube.

    Cube and score count as far as the game has them. Ctrl-C ends a rollout early.
    """
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import analyze as study
    from bg_env.evaluation.progress import ProgressBar
    from bg_env.notation.reading import parse_state

    state = parse_state(text)
    options: dict[str, Any] = {
        "plies": plies,
        "rollout": rollout,
        "truncate": truncate,
        "plays": plays,
        "seed": seed,
    }
    with JsonTarget(json) as target:
        with ProgressBar() as bar:
            result = study(state, agent, progress=bar.task("Trials"), **options)
        try:
            target.write(result.to_dict())
        finally:
            _draw(state, to_stderr=target.is_stdout)
            show(result.table(), stderr=target.is_stdout)
    if result.interrupted:
        raise KeyboardInterrupt


def _draw(state: GameState, *, to_stderr: bool) -> None:
    """Draw the position, seen by the player on roll: his numbers are those of plays."""
    from rich.console import Console

    from bg_env.rendering import ansi

    console = Console(stderr=to_stderr)
    drawing = ansi.render(
        state,
        viewer=state.on_roll,
        unicode=console.encoding.startswith("utf"),
        color=console.is_terminal and console.color_system is not None,
    )
    typer.echo(drawing, err=to_stderr, color=True)
