"""The ``planes`` observation: its shape, its axis, and all of tesauro inside."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from encoding_states import (
    DIFFERENCES,
    board_of,
    interpreted_result,
    played_states,
    states_of,
    with_players_swapped,
)

from bg_env.encoding import Encoder, Part, make_encoder
from bg_env.encoding.spaces import observation_space
from bg_env.errors import InvalidOptionError

ENCODER = make_encoder("planes")
TESAURO = make_encoder("tesauro")
SHAPE = (54, 24)


@pytest.fixture(scope="module")
def played() -> np.ndarray:
    """States of random games."""
    return played_states()


def tesauro_from(planes: np.ndarray) -> np.ndarray:
    """The row of ``tesauro`` that an observation float32[54, 24] was made of."""
    mine = planes[0:4].T.reshape(96)
    theirs = planes[4:8, ::-1].T.reshape(96)
    bars = planes[9:13, 0]
    return np.concatenate([mine, bars[:2], theirs, bars[2:], planes[13:, 0]])


def test_an_observation_has_54_planes_of_24_points() -> None:
    assert ENCODER.shape == SHAPE
    assert ENCODER.size == 54 * 24
    assert ENCODER.dtype == np.float32
    assert ENCODER.observe(states_of({}, {})).shape == (2, *SHAPE)


def test_planes_hold_all_of_tesauro_and_the_numbers_of_the_points(
    played: np.ndarray,
) -> None:
    """So states that differ in what matters look different here too."""
    for viewer in (None, np.zeros(len(played), int), np.ones(len(played), int)):
        seen = ENCODER.observe(played, viewer)
        rows = np.stack([tesauro_from(planes) for planes in seen])
        assert np.array_equal(rows, TESAURO.observe(played, viewer))
        points = np.arange(1, 25, dtype=np.float32) / np.float32(24)
        assert (seen[:, 8] == points).all()
        assert (seen[:, 9:] == seen[:, 9:, :1]).all(), "the rest is constant"


@pytest.mark.parametrize(
    ("before", "after"),
    [(before, after) for _, before, after in DIFFERENCES],
    ids=[what for what, _, _ in DIFFERENCES],
)
def test_states_that_differ_in_what_matters_look_different_in_planes(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    first, second = ENCODER.observe(states_of(before, after))
    assert not np.array_equal(first, second)


def test_both_sides_stand_on_the_points_of_the_viewer() -> None:
    """Place k is my point k + 1, their point 24 − k."""
    state = states_of({"board": board_of({22: 2, 6: 5}, {6: 4, 1: 1, 25: 3})})
    seen = ENCODER.observe(state, [0])[0]
    assert np.flatnonzero(seen[0]).tolist() == [5, 21]
    assert np.flatnonzero(seen[1]).tolist() == [5, 21]
    assert np.flatnonzero(seen[2]).tolist() == [5]
    assert seen[3, 5] == 1
    assert np.flatnonzero(seen[4]).tolist() == [18, 23]
    assert np.flatnonzero(seen[5]).tolist() == [18]
    assert seen[7, 18] == 0.5
    assert (seen[11] == 1.5).all(), "three of theirs on the bar"


def test_planes_keep_their_bounds(played: np.ndarray) -> None:
    low, high = ENCODER.low.reshape(SHAPE), ENCODER.high.reshape(SHAPE)
    extremes = states_of(
        {"board": board_of({25: 15}, {25: 15})},
        {"board": board_of({1: 15}, {1: 15})},
        {"cube": 2**40, "beavers_made": 30, "offer": 3, "refused": 3},
    )
    for states in (played, extremes):
        seen = ENCODER.observe(states)
        assert np.isfinite(seen).all()
        assert (seen >= low).all()
        assert (seen <= high).all()


def test_planes_do_not_depend_on_the_names_of_players(played: np.ndarray) -> None:
    swapped = with_players_swapped(played)
    assert np.array_equal(ENCODER.observe(played), ENCODER.observe(swapped))


def test_a_game_looks_the_same_at_any_place_of_any_batch(played: np.ndarray) -> None:
    """Rows are written over whatever the buffer held."""
    batch = ENCODER.observe(played)
    row = np.full((1, *SHAPE), 77, np.float32)
    for index in range(0, len(played), 97):
        ENCODER.encode(played[index : index + 1], row)
        assert np.array_equal(row[0], batch[index])


def test_a_flat_buffer_gets_the_same_numbers_in_the_same_order() -> None:
    states = states_of({}, {"cube": 4})
    flat = np.empty((2, 54 * 24), np.float32)
    ENCODER.encode(states, flat)
    assert np.array_equal(flat.reshape(2, *SHAPE), ENCODER.observe(states))


@pytest.mark.parametrize("shape", [(1, 24, 54), (2, 54, 24), (1, 54, 23), (54, 24)])
def test_buffers_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidOptionError, match=r"float32\[1, 54, 24\]"):
        ENCODER.encode(states_of({}), np.empty(shape, np.float32))


def test_interpreted_and_compiled_planes_are_equal(
    tmp_path: Any, played: np.ndarray
) -> None:
    states = played[::200]
    slow = interpreted_result(
        tmp_path, states, "make_encoder('planes').observe(states)"
    )
    assert np.allclose(slow, ENCODER.observe(states), rtol=1e-6, atol=0)


def test_the_table_counts_planes() -> None:
    lines = ENCODER.table().splitlines()
    assert lines[0].startswith("| plane |")
    assert lines[-1].startswith("| 52–53 |")


def test_planes_survive_pickling() -> None:
    copy = pickle.loads(pickle.dumps(ENCODER))
    assert copy.shape == SHAPE
    assert np.array_equal(copy.observe(states_of({})), ENCODER.observe(states_of({})))


# --- shapes of any encoder ------------------------------------------------------


def _square(shape: tuple[int, ...]) -> Encoder:
    def kernel(states: np.ndarray, viewers: np.ndarray, out: np.ndarray) -> None:
        out[:] = np.arange(6)

    parts = (Part(0, 6, "numbers", high=(5,)),)
    return Encoder.from_parts("square", 1, np.float32, parts, kernel, shape)


def test_an_encoder_without_a_shape_is_flat() -> None:
    assert _square(()).shape == (6,)
    assert make_encoder("tesauro").shape == (237,)


def test_an_encoder_of_ones_own_can_have_a_shape() -> None:
    seen = _square((2, 3)).observe(states_of({}))
    assert seen.tolist() == [[[0, 1, 2], [3, 4, 5]]]
    assert observation_space(_square((2, 3))).shape == (2, 3)


def test_a_shape_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="has 6 numbers"):
        _square((2, 4))


# --- in the environment ---------------------------------------------------------


def test_the_environment_shows_planes_in_their_shape() -> None:
    env = gymnasium.make("Backgammon-v0", observation="planes")
    assert env.observation_space.shape == SHAPE
    observation, info = env.reset(seed=2)
    for _ in range(50):
        assert observation.shape == SHAPE
        assert env.observation_space.contains(observation)
        action = int(np.flatnonzero(info["action_mask"])[0])
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            break


def test_a_function_opponent_sees_planes_in_their_shape() -> None:
    shapes = set()

    def lowest(observation: np.ndarray, mask: np.ndarray) -> int:
        shapes.add(observation.shape)
        return int(np.flatnonzero(mask)[0])

    env = gymnasium.make("Backgammon-v0", observation="planes", opponent=lowest)
    _, info = env.reset(seed=2)
    for _ in range(20):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, _, info = env.step(action)
        if terminated:
            break
    assert shapes == {SHAPE}
