"""The ``expert`` observation: each hand-made feature against its slow definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import random_positions
import slow_features
from encoding_states import board_of, interpreted_result, played_states, states_of

from bg_env._jit import DISABLED
from bg_env.encoding import make_encoder
from bg_env.encoding._expert_features import write_all_features
from bg_env.encoding._expert_masks import ESCAPES, RUNS
from bg_env.encoding.expert_features import (
    FEATURES,
    SHARED_FEATURES,
    SIDE,
    SIDE_FEATURES,
    feature_parts,
    write_features,
)
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, legal_plays
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING, OVER

ENCODER = make_encoder("expert")
TESAURO = make_encoder("tesauro")

FEW = 2 if DISABLED else 25


def _names() -> list[str]:
    """The names of all features, those of several places numbered."""
    numbers = {4: (3, 4, 5, 6), 24: range(1, 25)}
    side = [
        f"{feature.name} {number}" if feature.width > 1 else feature.name
        for feature in SIDE_FEATURES
        for number in numbers.get(feature.width, (0,))
    ]
    shared = [feature.name for feature in SHARED_FEATURES]
    return [*(f"my {n}" for n in side), *(f"their {n}" for n in side), *shared]


NAMES = _names()
PLACES = {name: place for place, name in enumerate(NAMES)}


def features_of(boards: np.ndarray, row: int = 0) -> np.ndarray:
    """float32[B, FEATURES] of boards int8[B, 2, 32]."""
    out = np.full((len(boards), FEATURES), np.nan, np.float32)
    write_all_features(np.ascontiguousarray(boards), row, out)
    return out


def feature(name: str, mover: dict[int, int], opponent: dict[int, int]) -> float:
    """One feature of a position."""
    return float(features_of(board_of(mover, opponent)[None])[0, PLACES[name]])


def boards_of(positions: list[Position]) -> np.ndarray:
    """int8[B, 2, 32]."""
    return np.stack([position.to_board() for position in positions])


def compare_with_slow(boards: np.ndarray) -> None:
    """Every feature is what its sentence says."""
    for board, seen in zip(boards, features_of(boards), strict=True):
        mine, theirs = (tuple(row) for row in board[:, :26].tolist())
        expected = slow_features.all_features(mine, theirs)
        assert list(expected) == NAMES
        values = np.array([float(value) for value in expected.values()])
        wrong = [NAMES[place] for place in np.flatnonzero(np.abs(seen - values) > 2e-6)]
        assert wrong == [], Position.from_board(board).id


@pytest.fixture(scope="module")
def played() -> np.ndarray:
    """Boards of random games."""
    return np.ascontiguousarray(played_states()["board"])


# --- each feature ---------------------------------------------------------------


@pytest.mark.parametrize("kind", random_positions.MAKERS)
def test_every_feature_of_random_positions_is_what_its_sentence_says(kind: str) -> None:
    maker = random_positions.MAKERS[kind]
    compare_with_slow(boards_of(random_positions.many(FEW, 11, [maker])))


def test_every_feature_of_played_games_is_what_its_sentence_says(
    played: np.ndarray,
) -> None:
    compare_with_slow(played[:: len(played) // (3 * FEW)])


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(20))
def test_every_feature_of_thousands_of_positions_is_what_its_sentence_says(
    seed: int,
) -> None:
    compare_with_slow(boards_of(random_positions.many(500, 1000 + seed)))


def test_every_feature_is_seen_to_change() -> None:
    """No feature is the same in all random positions."""
    seen = features_of(boards_of(random_positions.many(3000, 5)))
    still = [name for name, column in zip(NAMES, seen.T, strict=True) if
             column.min() == column.max()]  # fmt: skip
    assert still == []


# Throws of 36 that hit a lone blot so many pips away, nothing in between: the table
# that players learn by heart.
SHOTS_BY_DISTANCE = {
    1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3,
    13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0,
}  # fmt: skip


@pytest.mark.parametrize(("distance", "throws"), SHOTS_BY_DISTANCE.items())
def test_a_single_shot_hits_as_often_as_the_table_of_shots_says(
    distance: int, throws: int
) -> None:
    # their checker on their 24-point; my blot in front of it
    blot = 1 + distance
    assert feature("my hit", {blot: 1}, {24: 1}) == pytest.approx(throws / 36)
    assert feature(f"my hit at {blot}", {blot: 1}, {24: 1}) == pytest.approx(
        throws / 36
    )
    assert feature("their hit", {24: 1}, {blot: 1}) == pytest.approx(throws / 36)
    loss = throws / 36 * (25 - blot) / 16
    assert feature("my pip loss", {blot: 1}, {24: 1}) == pytest.approx(loss)


# (name, my checkers, theirs, expected)
VALUES: tuple[tuple[str, dict[int, int], dict[int, int], float], ...] = (
    ("my pips", {24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5}, 167 / 128),
    # a shot of 6, blocked 1 and 3 pips on the way: any 6, 5-1, 4-2, 2-2, but not 3-3
    ("my hit", {7: 1, 4: 2, 2: 2}, {24: 1}, 16 / 36),
    # from the bar, one checker: my blot on my 3-point is hit by any 3, and by 2-1
    ("my hit", {3: 1}, {25: 1}, 14 / 36),
    # two on the bar: only the dice themselves hit, 1-1 after both have entered
    ("my hit", {3: 1}, {25: 2}, 12 / 36),
    # three on the bar: 1-1 enters three and goes one pip; 3s hit
    ("my hit", {3: 1}, {25: 3}, 11 / 36),
    # two checkers hit both blots with 2-1; one checker with 1-1
    ("my double hit", {2: 1, 3: 1}, {24: 2}, 3 / 36),
    ("my double hit", {2: 1, 3: 1}, {24: 1}, 1 / 36),
    # one checker hits 1 and 3 pips away with 2-1 and 1-1, not with 3-1
    ("my double hit", {2: 1, 4: 1}, {24: 1}, 3 / 36),
    ("my prime 6", {p: 2 for p in range(2, 8)}, {24: 1}, 1),
    ("my prime 6", {p: 2 for p in range(2, 7)}, {24: 1}, 0),
    ("my prime 5", {p: 2 for p in range(2, 7)}, {24: 1}, 1),
    ("their rear escapes", {p: 2 for p in range(2, 8)}, {24: 1}, 0),
    ("my containment", {p: 2 for p in range(1, 7)}, {12: 1}, 1),
    ("their stuck", {p: 2 for p in range(1, 7)}, {25: 1}, 1),
    ("their stuck", {p: 2 for p in (4, 5, 6)}, {25: 1}, 9 / 36),
    ("my trapped", {p: 2 for p in (4, 5, 6, 7)}, {24: 2, 22: 1, 16: 1}, 3 / 8),
    ("race", {6: 1}, {18: 1}, 1),
    ("race", {8: 1}, {18: 1}, 0),
    ("lead", {6: 1}, {16: 1, 3: 1}, 2),
    ("lead", {20: 2}, {23: 2}, 6 / 86**0.5),
    ("worth of a roll", {6: 1}, {3: 1}, 1),
    ("my largest gap", {24: 2, 13: 5, 8: 3, 6: 5}, {4: 1}, 11 / 16),
    ("my best anchor", {20: 2, 24: 2}, {4: 1}, 5 / 8),
    ("my deep anchor", {24: 2, 20: 1}, {4: 1}, 1),
    ("my deep anchor", {24: 2, 20: 2}, {4: 1}, 0),
)


@pytest.mark.parametrize(
    ("name", "mover", "opponent", "expected"),
    VALUES,
    ids=[f"{name} {mover} {opponent}" for name, mover, opponent, _ in VALUES],
)
def test_features_of_simple_positions_are_known(
    name: str, mover: dict[int, int], opponent: dict[int, int], expected: float
) -> None:
    assert feature(name, mover, opponent) == pytest.approx(expected, abs=1e-6)


def exact_hits(position: Position) -> float:
    """Chance that a legal play of the mover hits, by all legal plays."""
    hit = 0
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        bars = {play.result.opponent[25] for play in legal_plays(position, roll)}
        hit += ways * (max(bars) > position.opponent[25])
    return hit / 36


def test_the_chance_of_a_hit_is_that_of_the_legal_plays_but_for_rare_rolls(
    played: np.ndarray,
) -> None:
    """R11 now and then forbids a hit that moves alone allow, never the reverse."""
    sample = played[:: len(played) // (10 * FEW)]
    sample = sample[sample[:, :, 1:26].sum(axis=2).min(axis=1) > 0]
    seen = features_of(sample)[:, PLACES["their hit"]]
    exact = np.array([exact_hits(Position.from_board(board)) for board in sample])
    assert (seen > exact - 1e-6).all()
    assert (np.abs(seen - exact) < 1e-6).mean() > 0.97
    assert (exact > 0).mean() > 0.3


# --- the tables of a running checker --------------------------------------------


def test_the_tables_of_a_running_checker_hold_for_every_block() -> None:
    """All 4,096 ways to block 12 points; the runner stands on 13."""
    blocks = range(0, 4096, 17 if DISABLED else 1)
    for index in blocks:
        blocked = {13 - d for d in range(1, 13) if index >> (12 - d) & 1}
        assert RUNS[index] == slow_features.running_throws(13, blocked)
        assert ESCAPES[index] == slow_features.escaping_throws(13, blocked)


# --- the block of features ------------------------------------------------------


def test_the_other_row_sees_the_same_with_the_sides_exchanged(
    played: np.ndarray,
) -> None:
    boards = np.concatenate([played, boards_of(random_positions.many(500, 3))])
    assert np.array_equal(features_of(boards, 1), features_of(boards[:, ::-1], 0))


def test_mine_and_theirs_change_places_with_the_view(played: np.ndarray) -> None:
    mine, theirs = features_of(played, 0), features_of(played, 1)
    assert np.array_equal(mine[:, :SIDE], theirs[:, SIDE : 2 * SIDE])
    assert np.array_equal(mine[:, SIDE : 2 * SIDE], theirs[:, :SIDE])
    leads = [PLACES["lead"], PLACES["lead with wastage"]]
    assert np.array_equal(mine[:, leads], -theirs[:, leads])
    same = [PLACES["race"], PLACES["worth of a roll"]]
    assert np.array_equal(mine[:, same], theirs[:, same])


def test_the_single_board_is_written_as_in_the_batch(played: np.ndarray) -> None:
    row = np.full(FEATURES, 77, np.float32)
    batch = features_of(played)
    for index in range(0, len(played), 101):
        write_features(played[index], 0, row)
        assert np.array_equal(row, batch[index])


def test_the_table_of_features_has_every_place_once() -> None:
    places = [
        feature.place + offset
        for feature in SIDE_FEATURES
        for offset in range(feature.width)
    ]
    assert places == list(range(SIDE))
    shared = [feature.place for feature in SHARED_FEATURES]
    assert shared == list(range(2 * SIDE, FEATURES))
    parts = feature_parts(0)
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert parts[-1].stop == FEATURES == len(NAMES) == len(set(NAMES))
    assert all(feature.source for feature in (*SIDE_FEATURES, *SHARED_FEATURES))


# --- bounds ---------------------------------------------------------------------


EXTREMES: tuple[tuple[dict[int, int], dict[int, int]], ...] = (
    ({25: 15}, {25: 15}),
    ({1: 15}, {1: 15}),
    ({24: 15}, {25: 15}),
    ({18: 15}, {24: 15}),
    ({6: 15}, {}),
    ({}, {6: 15}),
    ({25: 5, 1: 10}, {1: 1}),
    ({19: 15}, {1: 15}),
    ({p: 2 for p in range(18, 25)} | {25: 1}, {25: 15}),
    ({p: 2 for p in range(1, 7)}, {25: 1}),
    ({p: 1 for p in range(1, 16)}, {25: 1}),
    ({p: 1 for p in range(1, 16)}, {9: 9}),
    ({p: 1 for p in range(1, 7)}, {}),
    ({p: 2 for p in range(1, 8)}, {25: 15}),
    ({19: 2, 20: 13}, {4: 1}),
)


@pytest.mark.parametrize(("mover", "opponent"), EXTREMES)
def test_features_of_extreme_positions_keep_their_bounds(
    mover: dict[int, int], opponent: dict[int, int]
) -> None:
    state = states_of({"board": board_of(mover, opponent)})
    for viewer in (0, 1):
        seen = ENCODER.observe(state, [viewer])[0]
        assert np.isfinite(seen).all()
        assert (seen >= ENCODER.low).all()
        assert (seen <= ENCODER.high).all()


def test_features_of_random_positions_keep_their_bounds() -> None:
    seen = features_of(boards_of(random_positions.many(3000, 17)))
    assert (seen >= ENCODER.low[-FEATURES:]).all()
    assert (seen <= ENCODER.high[-FEATURES:]).all()


def test_the_highest_values_are_reached() -> None:
    """The bounds are exact; some chances never become 1."""
    boards = [board_of(*sides) for sides in EXTREMES]
    boards += list(boards_of(random_positions.many(3000, 19)))
    highest = features_of(np.stack(boards))[:, :SIDE].max(axis=0)
    short = highest < ENCODER.high[-FEATURES : SIDE - FEATURES] - 0.01
    names = {name.removeprefix("my ") for name in np.array(NAMES[:SIDE])[short]}
    chances = {"spread", "pip loss", "new point", "hit and stuck", "double hit", "hit"}
    assert {name for name in names if not name.startswith("hit at")} <= chances


# --- the encoder ----------------------------------------------------------------


def test_the_observation_is_tesauros_and_then_the_features() -> None:
    states = played_states(10, 60)
    for viewer in (0, 1):
        viewers = np.full(len(states), viewer)
        seen = ENCODER.observe(states, viewers)
        assert np.array_equal(seen[:, :237], TESAURO.observe(states, viewers))
        boards = states["board"].copy()
        turned = states["on_roll"] != viewer
        boards[turned] = boards[turned][:, ::-1]
        assert np.array_equal(seen[:, 237:], features_of(boards))


def test_who_answers_a_double_sees_his_own_features_first() -> None:
    board = board_of({24: 2, 8: 3}, {6: 5, 4: 2})
    asked = states_of({"board": board, "phase": 3, "to_act": 1})
    assert np.array_equal(
        ENCODER.observe(asked)[0, 237:], features_of(board[None], 1)[0]
    )


@pytest.mark.parametrize("phase", [MOVING, OVER])
def test_features_do_not_depend_on_whose_turn_it_is(phase: int) -> None:
    board = board_of({6: 2, 20: 1}, {6: 3})
    state = states_of({"board": board, "phase": phase})
    turned = states_of({"board": board[::-1], "phase": phase, "on_roll": 1})
    first, second = (ENCODER.observe(s, [0])[0, 237:] for s in (state, turned))
    assert np.array_equal(first, second)


def test_interpreted_and_compiled_features_are_equal(
    tmp_path: Any, played: np.ndarray
) -> None:
    boards = np.concatenate([played[::60], boards_of(random_positions.many(60, 2))])
    states = states_of(*({"board": board} for board in boards))
    slow = interpreted_result(
        tmp_path, states, "make_encoder('expert').observe(states)"
    )
    assert np.allclose(slow, ENCODER.observe(states), rtol=1e-6, atol=0)


def test_a_features_kernel_can_be_called_from_other_kernels() -> None:
    """A network that rates positions writes the inputs inside its own loop."""
    if DISABLED:
        pytest.skip("needs compiled kernels")
    import numba

    write: Callable[..., None] = write_features

    @numba.njit
    def total(boards: Any, row: Any) -> Any:
        summed = 0.0
        for index in range(boards.shape[0]):
            write(boards[index], 0, row)
            summed += row.sum()
        return summed

    boards = boards_of(random_positions.many(20, 8))
    expected = features_of(boards).sum(dtype=np.float64)
    assert total(boards, np.zeros(FEATURES, np.float32)) == pytest.approx(
        expected, rel=1e-5
    )
