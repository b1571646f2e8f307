"""What holds for every encoder: bounds, views, differences, registry."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from encoding_states import (
    DIFFERENCES,
    PLAYED_RULES,
    board_of,
    interpreted_result,
    played_states,
    states_of,
    with_players_swapped,
    with_sides_swapped,
)

from bg_env._jit import DISABLED
from bg_env.encoding import (
    Encoder,
    Part,
    encoder_names,
    make_encoder,
    register_encoder,
)
from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.rules.decisions import DOUBLE
from bg_env.rules.game import GameState
from bg_env.rules.state import BEFORE_ROLL, OVER, STATE_DTYPE

NAMES = ("raw", "tesauro", "expert")
every_encoder = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def played() -> np.ndarray:
    """States of random games."""
    return played_states()


@every_encoder
def test_the_layout_covers_the_observation_without_gaps(name: str) -> None:
    """The index table names every entry once."""
    encoder = make_encoder(name)
    indices = [i for start, stop, _ in encoder.layout for i in range(start, stop)]
    assert indices == list(range(encoder.size))
    assert all(meaning for _, _, meaning in encoder.layout)


@every_encoder
def test_observations_of_played_games_keep_their_bounds(
    name: str, played: np.ndarray
) -> None:
    """An observation lies in its space, whoever looks."""
    encoder = make_encoder(name)
    for viewer in (None, np.zeros(len(played), int), np.ones(len(played), int)):
        seen = encoder.observe(played, viewer)
        assert np.isfinite(seen).all()
        assert (seen >= encoder.low).all()
        assert (seen <= encoder.high).all()


@every_encoder
@pytest.mark.parametrize(
    "extreme",
    [
        {"board": board_of({25: 15}, {25: 15})},
        {"board": board_of({1: 15}, {1: 15})},
        {"cube": 2**40, "beavers_made": 30, "offer": 3, "refused": 3, "cube_owner": 1},
        {"match_length": 32767},
        {"match_length": 32767, "score": (32766, 0), "crawford": 2},
        {"match_length": 7, "score": (31, 0), "phase": 4},
        {"options": 128, "turn_limit": 0, "turn_time": 0, "reserve": 10**9},
        {"options": 128, "turn_time": 0, "reserve": 0, "paused_time": 11_000},
        {"roll": (6, 6), "left": (4, 0)},
    ],
)
def test_extreme_states_keep_the_bounds(name: str, extreme: dict[str, Any]) -> None:
    """Bounds are finite and hold at the ends of every option."""
    encoder = make_encoder(name)
    for viewer in (0, 1):
        seen = encoder.observe(states_of(extreme), [viewer])
        assert (seen >= encoder.low).all()
        assert (seen <= encoder.high).all()


@every_encoder
@pytest.mark.parametrize(
    ("before", "after"),
    [(before, after) for _, before, after in DIFFERENCES],
    ids=[what for what, _, _ in DIFFERENCES],
)
def test_states_that_differ_in_what_matters_look_different(
    name: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """CASES 33, 68: dice left, cube, score and all else is in the observation."""
    first, second = make_encoder(name).observe(states_of(before, after))
    assert not np.array_equal(first, second)


@every_encoder
def test_every_score_of_every_match_looks_different(name: str) -> None:
    """Match lengths up to 32767 and every away score are told apart."""
    lengths = np.arange(1, 32768, 500 if DISABLED else 1)
    states = np.repeat(states_of({}), 2 * len(lengths))
    states["match_length"] = np.repeat(lengths, 2)
    states["score"][1::2, 0] = states["match_length"][1::2] - 1
    seen = make_encoder(name).observe(states)
    rows = seen.view(np.dtype((np.void, seen.shape[1] * seen.itemsize)))
    assert len(np.unique(rows)) == len(states) - 1  # to 1, 0–0 is there twice


@every_encoder
def test_the_order_of_the_dice_does_not_matter(name: str) -> None:
    """CASES 68: dice left are order-free."""
    states = states_of(
        {"roll": (6, 1), "left": (1, 1)},
        {"roll": (1, 6), "left": (1, 1)},
        {"roll": (6, 1), "left": (0, 1)},
        {"roll": (1, 6), "left": (1, 0)},
        {"roll": (4, 1), "left": (0, 1)},
    )
    seen = make_encoder(name).observe(states)
    assert np.array_equal(seen[0], seen[1])
    assert np.array_equal(seen[2], seen[3])
    assert np.array_equal(seen[2], seen[4])  # a die that is played is gone


@every_encoder
def test_dice_are_zero_before_a_roll(name: str) -> None:
    """CASES 68: dice slots are zero before a roll, whatever the last roll was."""
    encoder = make_encoder(name)
    start, stop = next(
        (start, stop) for start, stop, what in encoder.layout if "dice" in what
    )
    rolls = [{"phase": phase, "roll": (5, 2), "left": (1, 1)} for phase in (0, 1, 3, 4)]
    assert not encoder.observe(states_of(*rolls))[:, start:stop].any()


@every_encoder
def test_money_play_does_not_show_the_score(name: str) -> None:
    """Points won in earlier money games do not matter."""
    first, second = make_encoder(name).observe(states_of({}, {"score": (8, 3)}))
    assert np.array_equal(first, second)


@every_encoder
def test_no_clock_means_no_times(name: str) -> None:
    """Without the clock option the time fields are not shown."""
    first, second = make_encoder(name).observe(states_of({}, {"reserve": (8, 3)}))
    assert np.array_equal(first, second)


@every_encoder
def test_the_view_does_not_depend_on_the_names_of_players(
    name: str, played: np.ndarray
) -> None:
    """Exchanging players 0 and 1 everywhere leaves every observation as it is."""
    encoder = make_encoder(name)
    swapped = with_players_swapped(played)
    assert np.array_equal(encoder.observe(played), encoder.observe(swapped))
    zeros = np.zeros(len(played), np.int8)
    assert np.array_equal(
        encoder.observe(played, zeros), encoder.observe(swapped, zeros + 1)
    )


@every_encoder
def test_who_answers_sees_his_own_side_first(name: str) -> None:
    """Rows are swapped where `to_act` is not on roll."""
    board = board_of({8: 10, 3: 2}, {6: 15})
    asked = states_of({"board": board, "phase": 3, "to_act": 1})
    turned = with_sides_swapped(asked)
    turned["on_roll"] = 1
    encoder = make_encoder(name)
    sides = 52 if name == "raw" else 196
    assert np.array_equal(
        encoder.observe(asked)[:, :sides], encoder.observe(turned)[:, :sides]
    )


@every_encoder
def test_viewers_are_taken_game_by_game(name: str, played: np.ndarray) -> None:
    """None and −1 mean the player to act."""
    encoder = make_encoder(name)
    to_act = encoder.observe(played)
    assert np.array_equal(to_act, encoder.observe(played, played["to_act"]))
    assert np.array_equal(to_act, encoder.observe(played, np.full(len(played), -1)))
    other = encoder.observe(played, 1 - played["to_act"])
    mixed = np.where(np.arange(len(played)) % 2, -1, 1 - played["to_act"])
    seen = encoder.observe(played, mixed)
    assert np.array_equal(seen[1::2], to_act[1::2])
    assert np.array_equal(seen[::2], other[::2])


@every_encoder
def test_the_batch_equals_single_games(name: str, played: np.ndarray) -> None:
    """A game looks the same at any place of any batch, in a used buffer too."""
    encoder = make_encoder(name)
    batch = encoder.observe(played)
    row = np.full((1, encoder.size), 77, encoder.dtype)
    for index in range(0, len(played), 97):
        encoder.encode(played[index : index + 1], row)
        assert np.array_equal(row[0], batch[index])


@every_encoder
def test_interpreted_and_compiled_observations_are_equal(
    name: str, played: np.ndarray, tmp_path: Path
) -> None:
    """The kernels as plain Python write the same numbers."""
    others = states_of(*(after for _, _, after in DIFFERENCES))
    sample = np.concatenate([played[::51], others], dtype=STATE_DTYPE)
    slow = interpreted_result(
        tmp_path, sample, f"make_encoder({name!r}).observe(states)"
    )
    assert np.allclose(slow, make_encoder(name).observe(sample), rtol=1e-6, atol=0)


@every_encoder
def test_the_cube_may_be_turned_exactly_where_the_rules_allow_it(
    name: str, played: np.ndarray
) -> None:
    """CASES 33, R18, R26: agrees with the legal decisions before a roll."""
    encoder = make_encoder(name)
    index = next(
        start for start, _, what in encoder.layout if what.startswith("I may turn")
    )
    first = next(start for start, _, what in encoder.layout if "first roll" in what)
    seen = encoder.observe(played)
    asked = np.flatnonzero((played["phase"] == BEFORE_ROLL) & (played["offer"] == 0))
    assert len(asked) > (10 if DISABLED else 200)
    may_double = 0
    for game in asked:
        state = GameState(played[game : game + 1].copy(), PLAYED_RULES[0])
        expected = state.is_legal(DOUBLE)
        may_double += expected
        assert expected == bool(seen[game, index] and not seen[game, first])
    assert may_double > (5 if DISABLED else 50)


@every_encoder
def test_after_a_take_only_the_taker_may_turn_the_cube(name: str) -> None:
    """CASES 33: cube 2, owned by the player on roll, and the view of the other."""
    encoder = make_encoder(name)
    state = states_of({"cube": 2, "cube_owner": 0, "cube_turned": 1})
    mine, theirs = (encoder.observe(state, [viewer])[0] for viewer in (0, 1))
    place = {what: start for start, _, what in encoder.layout}
    i_may = next(
        start for what, start in place.items() if what.startswith("I may turn")
    )
    they_may = i_may + 1
    assert (mine[i_may], mine[they_may]) == (1, 0)
    assert (theirs[i_may], theirs[they_may]) == (0, 1)


@every_encoder
def test_finished_games_show_the_view_that_is_asked_for(name: str) -> None:
    """At an end it is the learner's view: both can be had."""
    state = states_of({"phase": OVER, "board": board_of({}, {6: 15}), "winner": 0})
    encoder = make_encoder(name)
    winner, loser = (encoder.observe(state, [viewer])[0] for viewer in (0, 1))
    side = encoder.layout[0][1] if name == "raw" else 98
    assert np.array_equal(winner[:side], loser[side : 2 * side])
    assert not np.array_equal(winner, loser)


@every_encoder
@pytest.mark.parametrize(
    ("shape", "dtype"), [((1, 5), None), ((2, None), None), ((1, None), np.float64)]
)
def test_buffers_that_do_not_fit_are_refused(
    name: str, shape: tuple[int, int | None], dtype: Any
) -> None:
    """The message says what was expected and what came."""
    encoder = make_encoder(name)
    size = shape[1] or encoder.size
    out = np.empty((shape[0], size), dtype or encoder.dtype)
    with pytest.raises(InvalidOptionError, match=f"Encoder '{name}' writes 1 games"):
        encoder.encode(states_of({}), out)


@pytest.mark.parametrize("viewer", [[0, 1], [2], [0.5], 0, "white"])
def test_viewers_that_are_no_players_are_refused(viewer: Any) -> None:
    """A viewer is 0, 1 or −1, one for each game."""
    with pytest.raises(InvalidOptionError, match="viewer holds 0, 1 or −1"):
        make_encoder("raw").observe(states_of({}), viewer)


def test_a_column_of_a_larger_buffer_is_refused() -> None:
    """Kernels write C-contiguous rows only."""
    encoder = make_encoder("raw")
    out = np.empty((encoder.size, 1), np.int8).T[:, ::-1]
    with pytest.raises(InvalidOptionError, match="C-contiguous"):
        encoder.encode(states_of({}), out)


def test_encoders_are_found_by_name_and_by_version() -> None:
    """A name means its newest version."""
    assert set(NAMES) <= set(encoder_names())
    assert make_encoder("tesauro") is make_encoder("tesauro-v1")
    with pytest.raises(UnknownNameError, match="Did you mean 'tesauro'"):
        make_encoder("tesaro")
    with pytest.raises(UnknownNameError, match="Unknown encoder 'raw-v0'"):
        make_encoder("raw-v0")


def _pips_only(version: int) -> Encoder:
    def kernel(states: np.ndarray, viewers: np.ndarray, out: np.ndarray) -> None:
        points = np.arange(26)
        out[:, 0] = (states["board"][:, 0, :26] * points).sum(axis=1)

    parts = (Part(0, 1, "pips of the player on roll", high=(375,)),)
    return Encoder.from_parts("pips-test", version, np.float32, parts, kernel)


def test_an_encoder_of_ones_own_can_be_registered() -> None:
    """The registry is an extension point; a newer version takes over the name."""
    for version in (1, 2):
        encoder = register_encoder(_pips_only(version))
        assert make_encoder("pips-test") is encoder
        assert register_encoder(encoder) is encoder
    assert "pips-test" in encoder_names()
    assert make_encoder("pips-test").observe(states_of({}))[0, 0] == 167
    with pytest.raises(InvalidOptionError, match="'pips-test-v2' is registered"):
        register_encoder(_pips_only(2))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((Part(0, 1, "a"), Part(2, 3, "b")), "a part 2–3 follows index 1"),
        ((Part(0, 0, "a"),), "a part 0–0 follows"),
        ((Part(0, 2, "a", high=(float("inf"),)),), "needs finite bounds"),
    ],
)
def test_layouts_that_do_not_fit_are_refused(
    parts: tuple[Part, ...], words: str
) -> None:
    """Parts lie one after the other, and their bounds are finite."""
    with pytest.raises(InvalidOptionError, match=words):
        Encoder.from_parts("odd", 1, np.float32, parts, print)


def test_a_layout_shorter_than_the_bounds_is_refused() -> None:
    """The layout ends where the observation ends."""
    bounds = np.zeros(3, np.float32)
    with pytest.raises(InvalidOptionError, match="ends at 1; its size is 3"):
        Encoder("odd", 1, bounds, bounds, ((0, 1, "a"),), print)


@every_encoder
def test_encoders_survive_pickling(name: str) -> None:
    """Workers of a vector env get their own copy."""
    encoder = make_encoder(name)
    copy = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(copy.observe(states_of({})), encoder.observe(states_of({})))
