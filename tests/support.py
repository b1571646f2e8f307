"""Helpers that several test modules share: corpora, ids, states, fresh interpreters.

The oracle corpora are not part of the project; a test that wants one of them is
skipped where they are missing. Small samples of them in ``tests/data`` always run.
"""

import base64
import functools
import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference

from bg_env.rules.batch import apply_decisions, legal_masks
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING, OVER, STATE_DTYPE

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
ORACLE = ROOT.parent / "shared" / "oracle"

CUBELESS = Rules(cube=False)

Row = dict[str, Any]


# --- corpora -------------------------------------------------------------------------


def oracle_rows(name: str) -> list[Row]:
    """All rows of ``<name>_public.jsonl.gz`` (or ``<name>.jsonl``) of the oracle.

    Skips the test where it is missing.
    """
    path = ORACLE / f"{name}_public.jsonl.gz"
    if not path.exists():
        path = ORACLE / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"the oracle corpus {path.name} is not beside this checkout")
    return _rows_of(path)


def data_rows(name: str) -> list[Row]:
    """All rows of ``tests/data/<name>.jsonl``, which belongs to the project."""
    return _rows_of(DATA / f"{name}.jsonl")


@functools.cache
def _rows_of(path: Path) -> list[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def position_of_row(row: Row) -> Position:
    """The position that the counts ``x`` (mover) and ``o`` (opponent) of a row say."""
    return Position(
        (15 - sum(row["x"]), *row["x"]),
        (15 - sum(row["o"]), *row["o"]),
    )


def dice_of_row(row: Row) -> tuple[int, int]:
    """The roll of a row."""
    first, second = row["dice"]
    return first, second


def boards_of(positions: list[Position]) -> np.ndarray:
    """The boards int8[B, 2, 32] of many positions."""
    return np.stack([position.to_board() for position in positions])


def rolls_of(rows: list[Row]) -> np.ndarray:
    """The rolls int8[B, 2] of many rows."""
    return np.array([row["dice"] for row in rows], np.int8)


# --- position ids and hashes ---------------------------------------------------------


def ids_of_boards(boards: np.ndarray) -> list[str]:
    """The position ids of boards int8[P, 2, 32], not by `Position`.

    Each of the 50 counts, the opponent's first, is that many ones and a zero.
    """
    counts = boards[:, ::-1, 1:26].reshape(len(boards), 50).astype(np.int64)
    zeros = np.cumsum(counts + 1, axis=1) - 1
    bits = (np.arange(80) < zeros[:, -1:]).astype(np.uint8)
    np.put_along_axis(bits, zeros, np.uint8(0), axis=1)
    packed = np.packbits(bits, axis=1, bitorder="little")
    return [base64.b64encode(row.tobytes()).decode()[:14] for row in packed]


def sha_of(ids: list[str]) -> str:
    """What the corpora say of a set of positions: the hash of their sorted ids."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


# --- the reference -------------------------------------------------------------------


def as_reference(position: Position) -> reference.Position:
    """A position as `reference` has it: the pair of rows, which are numbered alike."""
    return position.mover, position.opponent


def from_reference(position: reference.Position) -> Position:
    """A position of `reference` as `Position`."""
    return Position(*position)


def results_by_reference(
    position: Position, dice: tuple[int, int], *, least_waste: bool = False
) -> set[reference.Position]:
    """The positions a roll can lead to; the same position when nothing is playable."""
    return set(reference.legal_results(as_reference(position), dice, least_waste))


def first_moves_by_reference(
    position: Position, dice: tuple[int, int], *, least_waste: bool = False
) -> list[Move]:
    """The moves a legal turn may begin with, sorted as `legal_moves` sorts them."""
    moves = reference.first_moves(as_reference(position), dice, least_waste)
    return sorted(Move(*move) for move in moves)


def played(position: Position, moves: Any) -> Position:
    """The position after (source, die) moves made by the reference, sides kept."""
    after = as_reference(position)
    for source, die in moves:
        after = reference.make_move(after, source, die)
    return Position(*after)


# --- states --------------------------------------------------------------------------


def states_of_rows(
    rows: list[Row], *, on_roll: int = 0, rules: Rules = CUBELESS
) -> np.ndarray:
    """One state per row, its dice rolled, without cube unless `rules` has one."""
    states = [
        GameState.from_position(
            position_of_row(row), rules=rules, on_roll=on_roll, dice=dice_of_row(row)
        )
        for row in rows
    ]
    # a plain concatenate would give the fields a new layout
    return np.concatenate([state.record for state in states], dtype=STATE_DTYPE)


def turn_ends(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the turns of states in phase MOVING can end, by all decisions there are.

    Returns:
        (int64[P] number of the state, int8[P, 2, 32] board with the player whose turn
        it was in row 0), each distinct board of a state once.
    """
    ends: list[tuple[np.ndarray, np.ndarray]] = []
    active, owners = states.copy(), np.arange(len(states))
    while len(active):
        which, codes = np.nonzero(legal_masks(active))
        active, owners = active[which], owners[which]
        assert apply_decisions(active, codes).all(), "the mask showed an illegal code"
        done = active["phase"] != MOVING
        ends.append((owners[done], boards_of_last_mover(active[done])))
        keys = np.concatenate(
            [_bytes_of(active["board"]), _bytes_of(active["left"])], axis=1
        )
        keep = np.flatnonzero(~done)
        keep = keep[_first_of_each(owners[keep], keys[keep])]
        active, owners = active[keep], owners[keep]
    numbers = np.concatenate([number for number, _ in ends])
    boards = np.concatenate([board for _, board in ends])
    keep = np.sort(_first_of_each(numbers, _bytes_of(boards)))
    return numbers[keep], boards[keep]


def boards_of_last_mover(states: np.ndarray) -> np.ndarray:
    """Boards seen by whoever has just finished his turn: swapped, unless it is over."""
    boards = states["board"].copy()
    passed = states["phase"] != OVER
    boards[passed] = boards[passed][:, ::-1]
    return boards


def _bytes_of(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(len(values), -1).view(np.uint8)


def _first_of_each(owners: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Indices of the first of each distinct (owner, key)."""
    if not len(owners):
        return np.zeros(0, np.int64)
    whole = np.concatenate([_bytes_of(owners.astype(np.int64)), keys], axis=1)
    row = np.dtype((np.void, whole.shape[1]))
    _, first = np.unique(np.ascontiguousarray(whole).view(row), return_index=True)
    return first


def grouped(numbers: np.ndarray, values: list[str], count: int) -> list[list[str]]:
    """Values by the number of the state they belong to."""
    groups: list[list[str]] = [[] for _ in range(count)]
    for number, value in zip(numbers.tolist(), values, strict=True):
        groups[number].append(value)
    return groups


# --- fresh interpreters --------------------------------------------------------------


def run_python(
    *arguments: str, timeout: float = 300, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter in the project's root and return its output.

    Args:
        *arguments: As on the command line: ``"-c", "print(1)"``.
        timeout: Seconds.
        **environment: Variables set for it.
    """
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**clean_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def clean_environment() -> dict[str, str]:
    """This process's environment without what tells numba how to compile."""
    numba_keys = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR")
    kept = {key: value for key, value in os.environ.items() if key not in numba_keys}
    return {**kept, "PYTHONPATH": str(ROOT / "tests")}
