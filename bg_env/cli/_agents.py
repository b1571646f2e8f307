"""``bg-env agents``: which agents there are."""

from __future__ import annotations

from importlib.metadata import entry_points

from bg_env.cli._plugins import description


def list_agents() -> None:
    """List the agents that are known by name, one line each."""
    from rich.table import Table
    from rich.text import Text

    from bg_env.agent import ENTRY_POINTS, agent_names
    from bg_env.cli._output import show

    points = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    table = Table.grid(padding=(0, 2))
    for name in agent_names():
        point = points.get(name)
        table.add_row(Text(name), Text(description(point) if point else ""))
    show(table)
