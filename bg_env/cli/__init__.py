"""The command ``bg-env``. Each command imports what it needs when it is called."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Annotated

import typer

from bg_env.cli._agents import list_agents
from bg_env.cli._analyze import analyze
from bg_env.cli._bench import bench
from bg_env.cli._evaluate import evaluate
from bg_env.cli._group import CommandGroup
from bg_env.cli._play import play
from bg_env.cli._show import show
from bg_env.cli._warmup import warmup

__all__ = ["app", "main"]

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("bg-env"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Backgammon for reinforcement learning: evaluate agents, look at positions."""


app.command("evaluate")(evaluate)
app.command("play")(play)
app.command("show", context_settings={"ignore_unknown_options": True})(show)
app.command("analyze", context_settings={"ignore_unknown_options": True})(analyze)
app.command("agents")(list_agents)
app.command("warmup")(warmup)
app.command("bench")(bench)


def main() -> None:
    """Run the command line; the entry point of ``bg-env``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                stream.reconfigure(errors="backslashreplace")
    app(prog_name="bg-env")
