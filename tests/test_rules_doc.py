"""docs/rules.md says what the code does, and every rule has its tests."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections import defaultdict
from pathlib import Path

import pytest

from bg_env.rules.decisions import CODES_VERSION, DECISIONS, decision_name, is_move
from bg_env.rules.options import PRESETS, Clock, Rules

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "rules.md"
PLAYED = range(1, 39)  # the game of two, R30-R35 the chouette, R36-R38 the table
LISTED = range(39, 40)  # R39, named and not played
NOT_PLAYED = ("not part of this version", "not applicable")

Row = list[str]


@functools.cache
def page() -> str:
    """The page as text."""
    return PAGE.read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under a heading."""
    return page().split(f"\n## {title}\n")[1].split("\n## ")[0]


def tables(text: str) -> list[list[Row]]:
    """The rows of each table, without its head."""
    found = re.findall(r"((?:^\|.*\|\n)+)", text, re.MULTILINE)
    split = [[cells(line) for line in table.splitlines()] for table in found]
    return [rows[2:] for rows in split]


def cells(line: str) -> Row:
    """The cells of one line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def quoted(text: str) -> list[str]:
    """Everything between backticks."""
    return re.findall(r"`([^`]+)`", text)


@functools.cache
def rules_of_tests() -> dict[str, set[int]]:
    """Rule numbers in name or docstring of each test, by ``file::name``."""
    numbers = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{path.relative_to(TESTS).as_posix()}::{node.name}"
                numbers[name] = numbers_in(node)
    return numbers


def numbers_in(test: ast.FunctionDef) -> set[int]:
    """Rules that a test names one by one; a range such as R4-R29 proves none."""
    words = f"{test.name.replace('_', ' ')} {ast.get_docstring(test) or ''}"
    words = re.sub(r"R\d+\s*[-–]\s*R?\d+", "", words)
    return {int(number) for number in re.findall(r"\b[Rr](\d+)\b", words)}


@pytest.fixture(scope="module")
def rows() -> dict[int, Row]:
    """The rows of the first table by rule number."""
    table, _ = tables(section("Rule by rule"))
    return {int(row[0].removeprefix("R")): row for row in table}


# --- every rule ---------------------------------------------------------------------


def test_every_rule_that_is_played_is_in_the_table_once() -> None:
    """In order, four filled cells each."""
    table, _ = tables(section("Rule by rule"))
    assert [row[0] for row in table] == [f"R{number}" for number in PLAYED]
    for row in table:
        assert len(row) == 4
        assert all(row), row[0]


def test_the_other_rules_are_listed_as_not_played() -> None:
    """Each says honestly that it is not part or not applicable."""
    _, table = tables(section("Rule by rule"))
    assert [row[0] for row in table] == [f"R{number}" for number in LISTED]
    for _, _, here in table:
        assert any(words in here for words in NOT_PLAYED)


@pytest.mark.parametrize("number", PLAYED)
def test_every_rule_has_tests_that_carry_its_number(number: int) -> None:
    """In name or docstring."""
    tests = [name for name, rules in rules_of_tests().items() if number in rules]
    assert tests, f"no test names R{number}"


@pytest.mark.parametrize("number", PLAYED)
def test_the_named_tests_exist_and_carry_the_number(
    number: int, rows: dict[int, Row]
) -> None:
    """Each file::name of the last column."""
    named = quoted(rows[number][3])
    assert named
    assert len(named) == len(set(named))
    for name in named:
        assert name in rules_of_tests(), f"{name} does not exist"
        assert number in rules_of_tests()[name], f"{name} does not name R{number}"


@pytest.mark.parametrize("number", PLAYED)
def test_the_named_options_and_functions_exist(
    number: int, rows: dict[int, Row]
) -> None:
    """A field of `Rules` or `Clock`, or a file followed by names that it defines."""
    text = ""
    for name in quoted(rows[number][2]):
        if name.endswith(".py"):
            source = TESTS.parent / "bg_env" / name
            assert source.exists(), name
            text = source.read_text(encoding="utf-8")
        elif text:
            last = name.split("(")[0].split(".")[-1]
            assert re.search(rf"\b(def|class) {last}\b", text), name
        else:
            assert name in options(), name


def options() -> set[str]:
    """All fields of `Rules` and `Clock`."""
    return {f.name for kind in (Rules, Clock) for f in dataclasses.fields(kind)}


def test_every_option_belongs_to_a_rule(rows: dict[int, Row]) -> None:
    """No field of `Rules` or `Clock` is missing from the table."""
    named = {name for row in rows.values() for name in quoted(row[2])}
    assert options() <= named


def test_tests_name_no_rule_that_does_not_exist() -> None:
    """R1 to R39."""
    strangers = defaultdict(list)
    for name, rules in rules_of_tests().items():
        for number in rules - set(PLAYED) - set(LISTED):
            strangers[number].append(name)
    assert not strangers


# --- presets ------------------------------------------------------------------------


def clock_text(clock: Clock | None) -> str:
    """A clock in the words of the table."""
    if clock is None:
        return "None"
    times = f"{clock.turn_seconds:g} + {clock.reserve_seconds:g} s a {clock.renewed}"
    return f"{times}, {clock.flag} {clock.award}"


def test_the_table_of_presets_is_that_of_the_code() -> None:
    """Every preset, every option, every value."""
    text = section("Presets")
    (table,) = tables(text)
    head = cells(next(line for line in text.splitlines() if line.startswith("|")))
    names = [cell.strip("`") for cell in head[1:]]
    assert set(names) == set(PRESETS)
    assert [row[0] for row in table] == [
        f"`{f.name}`" for f in dataclasses.fields(Rules)
    ]
    for row in table:
        option = row[0].strip("`")
        for name, cell in zip(names, row[1:], strict=True):
            value = getattr(Rules.preset(name), option)
            assert cell == (clock_text(value) if option == "clock" else repr(value))


# --- decisions ----------------------------------------------------------------------


def test_the_table_of_decisions_is_that_of_the_code() -> None:
    """Every code once, in its words."""
    text = section("Decisions")
    (table,) = tables(text)
    moves = [row for row in table if "–" in row[0]]
    assert [row[0] for row in moves] == ["1–150"]
    assert all(is_move(code) for code in range(1, 151))
    others = {int(code): name for code, name in table if "–" not in code}
    said = {code: decision_name(code) for code in range(DECISIONS) if not is_move(code)}
    assert others == said
    assert f"Version {CODES_VERSION}." in text


# --- the rest of the page -----------------------------------------------------------


def test_the_readings_speak_of_options_that_exist() -> None:
    """Words in backticks: fields, values and functions."""
    known = options() | {"timed", "Rules.resign", "GameState.from_position", "roll",
                         "claim", "apply(code, elapsed=…)"}  # fmt: skip
    for name in quoted(section("How the rules are read")):
        assert name in known or name.split("=")[0] in known, name


def test_the_snippets_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    """They print what the text says."""
    for snippet in re.findall(r"```python\n(.*?)```", page(), re.DOTALL):
        exec(snippet, {})
    assert capsys.readouterr().out.startswith("[")
