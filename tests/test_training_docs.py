"""The snippets of docs/training.md run, and its defaults are those of the code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from bg_agents.training import Recipe

TEXT = (Path(__file__).parent.parent / "docs" / "training.md").read_text(
    encoding="utf-8"
)


def test_the_snippets_run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert snippets
    names: dict[str, object] = {}
    for snippet in snippets:
        exec(compile(snippet, "docs/training.md", "exec"), names)


def test_the_defaults_are_those_of_the_code():
    defaults = {field.name: field.default for field in fields(Recipe)}
    assert f"| `--hidden` | {defaults['hidden']} |" in TEXT
    assert f"| {defaults['rate']}, {defaults['last_rate']} |" in TEXT
    assert f"| `--trace` | {defaults['trace']} |" in TEXT
