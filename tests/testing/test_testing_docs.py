"""docs/testing.md says what the checks do."""

from __future__ import annotations

import re

import pytest
from support import ROOT

import bg_env.testing

PAGE = ROOT / "docs" / "testing.md"


@pytest.fixture
def page() -> str:
    """The page as text."""
    if not PAGE.exists():
        pytest.skip(f"{PAGE} is not there; it is in the repository and the sdist")
    return PAGE.read_text(encoding="utf-8")


def test_the_snippets_of_the_page_run_one_after_the_other(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(snippet, PAGE.name, "exec"), names)
    printed = capsys.readouterr().out
    assert printed.startswith("Agent 'cheater' decides ")
    assert "which is not legal in position" in printed


def test_the_page_has_a_section_for_each_check(page: str) -> None:
    sections = re.findall(r"^## `(\w+)`", page, re.MULTILINE)
    checks = [name for name in bg_env.testing.__all__ if name.startswith("check_")]
    assert sections == checks
