"""The ``raw`` observation, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from encoding_states import board_of, played_states, states_of

from bg_env.encoding import make_encoder

ENCODER = make_encoder("raw")
CLOCKED = 1 | 4 | 128


def _index(words: str) -> int:
    return next(start for start, _, what in ENCODER.layout if words in what)


def test_it_has_89_entries() -> None:
    """A change of the size is a change of the version."""
    assert (ENCODER.id, ENCODER.size) == ("raw-v1", 89)
    assert ENCODER.dtype == np.int8


def test_boards_of_played_games_are_copied() -> None:
    """Viewer first, each side in its own numbering, off in front."""
    states = played_states(games=5)
    for viewer in (0, 1):
        seen = ENCODER.observe(states, np.full(len(states), viewer))
        mine = np.where(states["on_roll"] == viewer, 0, 1)
        games = np.arange(len(states))
        assert np.array_equal(seen[:, :26], states["board"][games, mine, :26])
        assert np.array_equal(seen[:, 26:52], states["board"][games, 1 - mine, :26])


# What stands where: (words of the layout, state, expected entries for player 0).
ENTRIES: tuple[tuple[str, dict[str, Any], list[int]], ...] = (
    ("my checkers", {"board": board_of({25: 2, 1: 3}, {6: 15})}, [10, 3]),
    ("dice left", {"roll": (3, 1), "left": (1, 1)}, [1, 0, 1, 0, 0, 0]),
    ("dice left", {"roll": (3, 1), "left": (1, 0)}, [0, 0, 1, 0, 0, 0]),
    ("dice left", {"roll": (5, 5), "left": (3, 0)}, [0, 0, 0, 0, 3, 0]),
    ("phase", {"phase": 3}, [3]),
    ("I am on roll", {"on_roll": 0}, [1]),
    ("I am on roll", {"on_roll": 1}, [0]),
    ("I am to act", {"to_act": 1}, [0]),
    ("level of the pending", {"offer": 2}, [2]),
    ("resignation refused", {"refused": 1}, [1]),
    ("first roll", {"phase": 1, "turn": 1}, [1]),
    ("log2 of the cube", {"cube": 64}, [6]),
    ("owner of the cube", {"cube": 2, "cube_owner": 0}, [1, 1, 0]),
    ("owner of the cube", {"cube": 2, "cube_owner": 1}, [-1, 0, 1]),
    ("owner of the cube", {}, [0, 1, 1]),
    ("I may turn", {"match_length": 7, "crawford": 1}, [0, 0]),
    ("beavers", {"phase": 3, "beavers_made": 2}, [2]),
    ("double was taken", {"cube_turned": 1}, [1]),
    ("count single", {"options": 1 | 2}, [1]),
    ("length", {}, [0] * 7),
    ("length", {"match_length": 7, "score": (5, 3)}, [0, 7, 0, 2, 0, 4]),
    ("length", {"match_length": 127}, [0, 127]),
    ("length", {"match_length": 128}, [0, -128]),
    ("length", {"match_length": 255}, [0, -1]),
    ("length", {"match_length": 257}, [1, 1]),
    ("length", {"match_length": 32767}, [127, -1]),
    ("Crawford", {"match_length": 7, "crawford": 2}, [2]),
    ("there is a clock", {}, [0] * 11),
    ("there is a clock", {"options": CLOCKED}, [1, *[127] * 8, 0, 0]),
    ("my reserve", {"options": CLOCKED, "reserve": (45_000, 1)}, [64, 0, 0, 1]),
    ("my reserve", {"options": CLOCKED, "reserve": (0, 90_000)}, [0, 0, 127, 127]),
    ("my turn time", {"options": CLOCKED, "turn_time": (5500, 0)}, [64, 0, 0, 0]),
    (
        "once he is answered",
        {"options": CLOCKED, "phase": 3, "paused_time": 5500},
        [64, 0],
    ),
)


@pytest.mark.parametrize(
    ("words", "state", "expected"),
    ENTRIES,
    ids=[f"{words} {state}" for words, state, _ in ENTRIES],
)
def test_entries_stand_where_the_layout_says(
    words: str, state: dict[str, Any], expected: list[int]
) -> None:
    """The index table is compared with the code by probing."""
    start = _index(words)
    seen = ENCODER.observe(states_of(state), [0])[0]
    assert seen[start : start + len(expected)].tolist() == expected


def test_every_entry_beyond_the_board_is_probed() -> None:
    """No part of the index table is left untested."""
    probed = set(range(52))
    for words, _, expected in ENTRIES:
        probed |= set(range(_index(words), _index(words) + len(expected)))
    assert probed == set(range(ENCODER.size))


def test_a_share_is_zero_only_when_nothing_is_left() -> None:
    """The clock: 1 millisecond of a long reserve is not a fallen flag."""
    states = states_of(
        *({"options": CLOCKED, "reserve": (left, 5)} for left in range(400))
    )
    states["reserve_limit"] = 10**9
    start = _index("my reserve")
    seen = ENCODER.observe(states, np.zeros(len(states), int))[:, start : start + 2]
    assert seen.any(axis=1).tolist() == [left > 0 for left in range(400)]
