"""Runs the command inside this process, stdout and stderr apart, 80 columns wide."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from bg_env.cli import app


def run(*arguments: str) -> Any:
    """The result of ``bg-env`` with these arguments."""
    try:
        runner = CliRunner(mix_stderr=False)
    except TypeError:  # click from 8.2 on always keeps them apart
        runner = CliRunner()
    return runner.invoke(app, arguments, env={"COLUMNS": "80"})
