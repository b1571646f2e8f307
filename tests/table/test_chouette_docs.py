"""docs/chouette.md says what the code does."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from bg_env import backgammon_v0, chouette_v0
from bg_env.table.chouette import STAGES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "chouette.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_snippets_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for snippet in re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL):
        exec(compile(snippet, PAGE.name, "exec"), names)
    printed = capsys.readouterr().out
    assert "Bob ['Cat', 'Ann', 'Dan']" in printed
    assert ") 0\n" in printed
    assert "total" in printed
    assert names["env"].agents == []


def test_the_stages_are_those_of_the_code() -> None:
    table = re.findall(r"^\| `(\w+)` \|", TEXT, flags=re.MULTILINE)
    assert tuple(table) == STAGES


@pytest.mark.parametrize("module", [backgammon_v0, chouette_v0])
def test_every_argument_is_named(module: Any) -> None:
    for name in inspect.signature(module.env).parameters:
        assert f"`{name}`" in TEXT or f"{name}=" in TEXT or name == "render_mode", name


def test_the_seats_have_as_many_numbers_as_the_page_says() -> None:
    """4 + (n − 1) + 5 + 1 + 9 for each place of the line."""
    for players in (3, 7):
        env = chouette_v0.raw_env(players=players)
        sizes = [stop - start for start, stop, _ in env.layout]
        seats = 4 + (players - 1) + 5 + 1 + 9 * (players - 1)
        assert sum(sizes) == 237 + seats
