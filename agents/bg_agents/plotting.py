"""The curve of a training as a picture (extra [plot])."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bg_agents.files import write_whole
from bg_env.errors import MissingExtraError


def plot_curve(
    curve: Sequence[dict[str, float]],
    path: str | Path,
    title: str,
    drawn: str = "pubeval",
    label: str = "points per game against pubeval",
) -> None:
    """Draw what has been measured over games, with ± 2 standard errors if known.

    Args:
        curve: The points.
        path: The picture, PNG.
        title: Above it.
        drawn: What of the points is drawn.
        label: What that is.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InvalidOptionError: The file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError.of("matplotlib", "plot") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes: Any = figure.subplots()
    games = [point["games"] / 1000 for point in curve]
    points = [point[drawn] for point in curve]
    errors = [2 * point.get("standard_error", 0.0) for point in curve]
    axes.errorbar(games, points, yerr=errors, marker="o", capsize=3)
    axes.axhline(0.0, color="grey", linewidth=1)
    axes.set_xlabel("self-play games (thousands)")
    axes.set_ylabel(label)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    write_whole(path, lambda file: figure.savefig(file, format="png", dpi=120))
