"""The ``tesauro`` observation, entry by entry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from encoding_states import board_of, played_states, states_of

from bg_env.encoding import make_encoder

ENCODER = make_encoder("tesauro")
CLOCKED = 1 | 4 | 128


def _index(words: str) -> int:
    return next(start for start, _, what in ENCODER.layout if words in what)


def _units(count: int) -> list[float]:
    return [count >= 1, count >= 2, count >= 3, max(count - 3, 0) / 2]


def _side(counts: np.ndarray) -> list[float]:
    units = [unit for point in range(1, 25) for unit in _units(int(counts[point]))]
    return [*units, counts[25] / 2, counts[0] / 15]


def test_it_has_237_entries() -> None:
    """A change of the size is a change of the version."""
    assert (ENCODER.id, ENCODER.size) == ("tesauro-v1", 237)
    assert ENCODER.dtype == np.float32


@pytest.mark.parametrize("count", range(16))
def test_a_point_has_four_units(count: int) -> None:
    """Tesauro: one, two, three or more, and half of what is beyond three."""
    board = board_of({5: count, 1: 1} if count < 15 else {5: 15}, {6: 15})
    seen = ENCODER.observe(states_of({"board": board}))[0]
    assert seen[16:20].tolist() == _units(count)


def test_boards_of_played_games_are_written_as_the_table_says() -> None:
    """Viewer first, each side in its own numbering."""
    states = played_states(games=5)
    for viewer in (0, 1):
        seen = ENCODER.observe(states, np.full(len(states), viewer))
        for state, row in zip(states, seen, strict=True):
            mine = 0 if state["on_roll"] == viewer else 1
            board = state["board"]
            expected = [*_side(board[mine]), *_side(board[1 - mine])]
            assert row[:196].tolist() == np.float32(expected).tolist()


@pytest.mark.parametrize(
    ("roll", "left", "expected"),
    [
        ((3, 1), (1, 1), [0.25, 0, 0.25, 0, 0, 0]),
        ((3, 1), (0, 1), [0.25, 0, 0, 0, 0, 0]),
        ((6, 4), (1, 0), [0, 0, 0, 0, 0, 0.25]),
        ((5, 5), (4, 0), [0, 0, 0, 0, 1, 0]),
        ((5, 5), (3, 0), [0, 0, 0, 0, 0.75, 0]),
        ((5, 5), (1, 0), [0, 0, 0, 0, 0.25, 0]),
    ],
)
def test_dice_left_are_counted_by_face(
    roll: tuple[int, int], left: tuple[int, int], expected: list[float]
) -> None:
    """CASES 68: 6-1 and 6-2, one and two fives left differ; order-free."""
    seen = ENCODER.observe(states_of({"roll": roll, "left": left}))[0]
    assert seen[196:202].tolist() == expected


@pytest.mark.parametrize("phase", range(5))
def test_exactly_one_phase_is_set(phase: int) -> None:
    """Phases are one of five."""
    seen = ENCODER.observe(states_of({"phase": phase}))[0]
    assert seen[202:207].tolist() == [float(phase == k) for k in range(5)]


# What stands where: (words of the layout, state, expected entries for player 0).
ENTRIES: tuple[tuple[str, dict[str, Any], list[float]], ...] = (
    ("I am on roll", {"on_roll": 0}, [1]),
    ("I am on roll", {"on_roll": 1}, [0]),
    ("I am to act", {"to_act": 0}, [1]),
    ("I am to act", {"to_act": 1}, [0]),
    ("level of the pending", {"offer": 2}, [2 / 3]),
    ("resignation refused", {"refused": 1}, [1 / 3]),
    ("first roll", {"phase": 1, "turn": 1}, [1]),
    ("first roll", {"phase": 2, "turn": 1}, [0]),
    ("first roll", {"phase": 1, "turn": 2}, [0]),
    ("log2 of the cube", {"cube": 1}, [0]),
    ("log2 of the cube", {"cube": 8}, [0.3]),
    ("I own the cube", {"cube": 2, "cube_owner": 0}, [1, 0, 1, 0]),
    ("I own the cube", {"cube": 2, "cube_owner": 1}, [0, 1, 0, 1]),
    ("I own the cube", {}, [0, 0, 1, 1]),
    ("I may turn", {"options": 0}, [0, 0]),
    ("I may turn", {"cube": 64}, [0, 0]),
    ("I may turn", {"cube": 64, "cube_owner": 0, "max_cube": 128}, [1, 0]),
    ("I may turn", {"match_length": 1}, [0, 0]),
    ("I may turn", {"match_length": 7, "crawford": 1}, [0, 0]),
    ("I may turn", {"match_length": 7, "crawford": 2}, [1, 1]),
    ("I may turn", {"phase": 3}, [1, 1]),
    ("beavers", {"phase": 3, "beavers_made": 2}, [2 / 3]),
    ("double was taken", {"cube_turned": 1}, [1]),
    ("count single", {}, [0]),
    ("count single", {"options": 1 | 2}, [1]),
    ("count single", {"options": 1 | 2, "cube_turned": 1}, [0]),
    ("match play", {"match_length": 7}, [1, 7 / 25, 0, 7 / 25, 0, 7 / 25, 0]),
    ("match play", {}, [0] * 9),
    ("points I still", {"match_length": 7, "score": (5, 3)}, [2 / 25, 0, 4 / 25, 0]),
    ("points I still", {"match_length": 7, "score": (9, 3)}, [0, 0, 4 / 25, 0]),
    ("length", {"match_length": 25}, [1, 0]),
    ("length", {"match_length": 50}, [1, 1 / math.log2(32768 / 25)]),
    ("this is the Crawford", {"match_length": 7, "crawford": 1}, [1, 0]),
    ("this is the Crawford", {"match_length": 7, "crawford": 2}, [0, 1]),
    ("this is the Crawford", {"match_length": 7, "crawford": 0}, [0, 0]),
    ("there is a clock", {}, [0] * 8),
    ("there is a clock", {"options": CLOCKED}, [1, 1, 1, 1, 1, 0, 0, 0]),
    ("reserve left", {"options": CLOCKED, "reserve": (45_000, 0)}, [0.5, 0]),
    ("turn time left", {"options": CLOCKED, "turn_time": (0, 5500)}, [0, 0.5]),
    (
        "once he is answered",
        {"options": CLOCKED, "phase": 3, "paused_time": 2200},
        [0.2],
    ),
    (
        "once he is answered",
        {"options": CLOCKED, "offer": 1, "paused_time": 2200},
        [0.2],
    ),
    ("once he is answered", {"options": CLOCKED, "paused_time": 2200}, [0]),
    ("no reserve left", {"options": CLOCKED, "reserve": (0, 1)}, [1, 0]),
)


@pytest.mark.parametrize(
    ("words", "state", "expected"),
    ENTRIES,
    ids=[f"{words} {state}" for words, state, _ in ENTRIES],
)
def test_entries_stand_where_the_layout_says(
    words: str, state: dict[str, Any], expected: list[float]
) -> None:
    """The index table is compared with the code by probing."""
    start = _index(words)
    seen = ENCODER.observe(states_of(state), [0])[0]
    assert seen[start : start + len(expected)] == pytest.approx(expected, abs=1e-7)


def test_every_entry_beyond_the_board_is_probed() -> None:
    """No part of the index table is left untested."""
    probed = set(range(207))
    for words, _, expected in ENTRIES:
        probed |= set(range(_index(words), _index(words) + len(expected)))
    assert probed == set(range(ENCODER.size))


def test_both_views_of_one_state_are_mirrored() -> None:
    """Mine and theirs change places with the viewer."""
    state = states_of(
        {"match_length": 7, "score": (5, 3), "cube": 2, "cube_owner": 0}
        | {"options": CLOCKED, "reserve": (9000, 0), "turn_time": (1100, 0)}
    )
    mine, theirs = ENCODER.observe(np.repeat(state, 2), [0, 1])
    pairs = [(0, 98), (98, 0), *((k + 1, k) for k in (213, 215, 230, 232, 235))]
    for start, other in pairs:
        width = 98 if start < 196 else 1
        assert np.array_equal(
            mine[start : start + width], theirs[other : other + width]
        )
    assert np.array_equal(mine[223:225], theirs[225:227])
