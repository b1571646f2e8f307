"""The README's snippets run in order, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from bg_env import agent
from bg_env.cli import app

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = sorted(set(re.findall(r"^bg-env (\S+)", TEXT, re.MULTILINE)))


def test_all_snippets_run_one_after_the_other(monkeypatch, tmp_path, capsys):
    pytest.importorskip("sb3_contrib", reason="the README's PPO snippet needs [sb3]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(agent, "_registered", dict(agent._registered))
    names: dict[str, object] = {}
    for number, snippet in enumerate(SNIPPETS):
        exec(compile(snippet, f"README snippet {number}", "exec"), names)
    printed = capsys.readouterr().out
    assert "202782" in printed
    assert "True" in printed  # the XGID of a Crawford game


def test_the_ppo_snippet_has_at_most_eight_lines():
    snippet = next(text for text in SNIPPETS if "MaskablePPO" in text)
    assert len([line for line in snippet.splitlines() if line.strip()]) <= 8


def test_there_are_snippets_and_commands():
    assert len(SNIPPETS) >= 5
    assert {"evaluate", "train", "show", "bench"} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_the_readme_exists(name):
    command = get_command(app)
    assert name in command.list_commands(None)  # type: ignore[attr-defined]


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w./-]+)\)", TEXT))
def test_a_link_of_the_readme_leads_to_a_file(link):
    assert (README.parent / link).is_file()
