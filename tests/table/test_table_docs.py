"""docs/table.md: its snippets run, its methods and its words exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bg_env.table import Game
from bg_env.table.speech import read_saying

PAGE = Path(__file__).parents[2] / "docs" / "table.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line[:3] == "| `"]


def test_the_snippets_run_and_print_what_they_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(snippet, names)
    printed = capsys.readouterr().out
    for line in re.findall(r"print\(.*\)  # (.*)", TEXT):
        if "…" not in line and "the board" not in line:
            assert line in printed, line


def test_every_method_of_the_table_of_decisions_exists() -> None:
    methods = [name for row in ROWS for name in re.findall(r"`(\w+)\(", row[0])]
    assert len(methods) > 15
    for name in methods:
        assert callable(getattr(Game, name)), name


def test_every_text_of_the_table_of_decisions_is_read() -> None:
    texts = [text.strip() for row in ROWS for text in row[1].split(",")]
    for text in filter(None, texts):
        if text != "the same text":
            method = read_saying(text).method
            assert method, text
            assert any(f"`{method}(" in row[0] for row in ROWS), text
