"""docs/observations.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bg_env.encoding import RewardSpec, make_encoder

NAMES = ("tesauro", "raw", "expert", "planes")
PAGE = Path(__file__).parents[2] / "docs" / "observations.md"


@pytest.fixture
def page() -> str:
    """The page as text."""
    if not PAGE.exists():
        pytest.skip(f"{PAGE} is not there; it is in the repository and the sdist")
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_index_table_of_the_page_is_that_of_the_encoder(
    page: str, name: str
) -> None:
    """Every row: index, meaning, lowest and highest value."""
    section = page.split(f"\n## `{name}`\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert "\n".join(rows) + "\n" == make_encoder(name).table()


@pytest.mark.parametrize("name", NAMES)
def test_size_dtype_and_version_of_the_page_are_those_of_the_encoder(
    page: str, name: str
) -> None:
    """The overview and the version history."""
    encoder = make_encoder(name)
    assert f"| `{name}` | {encoder.size} | {encoder.dtype.name} |" in page
    section = page.split(f"\n## `{name}`\n")[1].split("\n## ")[0]
    assert f"Version history: {encoder.version}," in section


def test_the_kinds_of_reward_of_the_page_exist(page: str) -> None:
    """Each row of the last table is a kind of `RewardSpec`."""
    kinds = re.findall(r"^\| `(\w+)` \|", page.split("\n## Rewards\n")[1], re.MULTILINE)
    assert kinds == ["points", "win", "match", "mwc"]
    for kind in kinds:
        assert RewardSpec(kind).kind == kind


def test_the_snippets_of_the_page_run(page: str) -> None:
    """They print and register what they say."""
    names: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(snippet.replace('"pips"', '"pips-of-the-page"'), names)
    assert make_encoder("pips-of-the-page").size == 1
