"""``bg-env bench``: how fast this machine is."""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the figures as JSON; - is stdout."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions, rougher figures.")
    ] = False,
) -> None:
    """Measure the speed of rules, environments and arena on this machine."""
    from bg_env.cli._output import JsonTarget
    from bg_env.evaluation.bench import run

    with JsonTarget(json) as target:

        def report(line: str) -> None:
            typer.echo(line, err=target.is_stdout)

        target.write(run(quick, report))
