"""``bg-env bench``: how fast this machine is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table


def bench(
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the figures as JSON; - is stdout."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions, rougher figures.")
    ] = False,
    vector: Annotated[
        bool, typer.Option("--vector", help="The vector environment in all sizes.")
    ] = False,
    peers: Annotated[
        bool, typer.Option("--peers", help="OpenSpiel, pgx and gnubg-nn beside it.")
    ] = False,
) -> None:
    """Measure the speed of rules, environments and arena on this machine.

    With --vector or --peers only what they name is measured.
    """
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import bench, bench_peers, bench_vector

    with JsonTarget(json) as target:

        def report(line: str) -> None:
            typer.echo(line, err=target.is_stdout)

        if not (vector or peers):
            target.write(bench.run(quick, report))
            return
        report(bench.machine())
        figures: dict[str, Any] = {"machine": bench.machine(), "quick": quick}
        if vector:
            figures["vector"] = bench_vector.run(quick)
            show(_table(figures["vector"]["rows"]), stderr=target.is_stdout)
        if peers:
            figures["peers"] = bench_peers.run(quick, report)
        target.write(figures)


def _table(rows: list[dict[str, Any]]) -> Table:
    """The rows of `bench_vector.run` for the terminal."""
    from rich.table import Table

    table = Table("Environment", "Observation", title="Vector environment, one core")
    for name in ("Games", "Steps/s", "Turns/s", "Games/s"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row["id"].removeprefix("Backgammon-"),
            row["observation"],
            f"{row['games']:,}",
            f"{row['steps_per_second']:,.0f}",
            f"{row['turns_per_second']:,.0f}",
            f"{row['games_per_second']:,.0f}",
        )
    return table
