"""A progress bar on stderr, only when that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from bg_env.evaluation.arena import Progress as Report


class _RateColumn(ProgressColumn):
    """Units done of all, and units per second."""

    def render(self, task: Task) -> Text:
        rate = f"  {task.speed:,.0f}/s" if task.speed else ""
        return Text(f"{task.completed:,.0f}/{task.total or 0:,.0f}{rate}")


class ProgressBar:
    """A context in which evaluations show a bar with rate and time left.

    >>> with ProgressBar() as bar:  # doctest: +SKIP
    ...     evaluate("pubeval", "random", progress=bar.task("pubeval"))
    """

    def __init__(self) -> None:
        self._is_shown = is_terminal()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            _RateColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not self._is_shown,
        )

    def task(self, description: str) -> Report:
        """Add a line; the function returned moves it."""
        task = self._progress.add_task(description, total=None)

        def report(done: int, total: int) -> None:
            self._progress.update(task, completed=done, total=total)

        return report

    def __enter__(self) -> ProgressBar:
        if self._is_shown:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_shown:
            self._progress.stop()


def is_terminal() -> bool:
    """True when stderr is a terminal; FORCE_COLOR and the like change nothing."""
    return sys.stderr is not None and sys.stderr.isatty()
