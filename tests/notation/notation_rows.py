"""Rows of the ident corpus, positions of the others, and the slow rule book."""

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from bg_env.rules.position import Position

_TESTS = Path(__file__).parents[1]
_ORACLE = _TESTS.parents[1] / "shared" / "oracle"


def sample_rows(kind: str) -> list[dict]:
    """The rows of one kind, "xgid" or "matchid", that the tests carry."""
    text = (_TESTS / "data" / "ident_sample.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    return [row for row in rows if row["kind"] == kind]


def oracle_rows(name: str) -> list[dict]:
    """All rows of an oracle corpus; skips the test where it is not there."""
    path = _ORACLE / f"{name}_public.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the oracle corpus {path.name} is not here")
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def ident_rows(kind: str) -> list[dict]:
    """All ident rows of one kind; skips the test where the corpus is not there."""
    return [row for row in oracle_rows("ident") if row["kind"] == kind]


def position_of_row(row: dict) -> Position:
    """The position of a row's `x` (mover) and `o` (opponent)."""
    sides = [(15 - sum(row[side]), *row[side]) for side in "xo"]
    return Position(*sides)


def load_reference() -> ModuleType:
    """The slow rule book, tests/reference.py."""
    spec = importlib.util.spec_from_file_location("_rule_book", _TESTS / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
