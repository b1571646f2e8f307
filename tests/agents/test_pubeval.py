"""Pubeval: its published numbers, when the race weights count, and its strength."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from bg_agents import PubevalAgent, RandomAgent
from bg_agents.pubeval import is_race, rate
from two_players import play_pairs, states_on_the_way

from bg_env._jit import DISABLED
from bg_env.agent import plays_of_states
from bg_env.errors import InvalidOptionError, InvalidPositionError
from bg_env.rules.position import STARTS, Position

DATA: dict[str, Any] = json.loads(
    files("bg_agents").joinpath("data", "pubeval.json").read_text("utf-8")
)
HALF_A_DIGIT = 0.000051  # ratings are given to four decimals


def inputs_of(board: np.ndarray) -> np.ndarray:
    """The 122 inputs, word for word as the data file describes them."""
    mine, theirs = board[0].tolist(), board[1].tolist()
    inputs = np.zeros(122)
    for i in range(24):
        point = 24 - i
        count = mine[point]
        inputs[5 * i] = theirs[25 - point] == 1
        inputs[5 * i + 1] = count == 1
        inputs[5 * i + 2] = count >= 2
        inputs[5 * i + 3] = count == 3
        inputs[5 * i + 4] = (count - 3) / 2 if count >= 4 else 0
    inputs[120] = theirs[25] / 2
    inputs[121] = mine[0] / 15
    return inputs


def rating_of(board: np.ndarray, race: bool) -> float:
    if not board[0, 1:26].any():
        return float("inf")
    return float(np.dot(DATA["race" if race else "contact"], inputs_of(board)))


def passed(board: np.ndarray) -> bool:
    """No checker of one side has yet to meet one of the other."""
    mine = [point for point in range(1, 26) if board[0, point]]
    theirs = [25 - point for point in range(1, 26) if board[1, point]]
    return all(a < b for a in mine for b in theirs)


# --- the published numbers ----------------------------------------------------


def test_the_ratings_of_gnu_backgammon_are_reproduced_to_four_decimals() -> None:
    rows = DATA["check"]
    boards = np.stack([Position.from_id(row["id"]).to_board() for row in rows])
    races = np.array([row["race"] for row in rows])
    expected = np.array([row["score"] for row in rows])
    assert len(rows) == 200
    assert is_race(boards).tolist() == races.tolist()
    np.testing.assert_allclose(rate(boards, races), expected, rtol=0, atol=HALF_A_DIGIT)


@pytest.mark.parametrize("phase", ["contact", "race"])
def test_there_are_122_weights_of_each_phase(phase: str) -> None:
    assert len(DATA[phase]) == 122


@pytest.mark.parametrize("start", STARTS)
def test_a_rating_is_the_sum_of_weights_times_inputs(start: str) -> None:
    boards, _, _ = plays_of_states(states_on_the_way(start, games=6))
    boards = boards[::7]
    for race in (False, True):
        expected = [rating_of(board, race) for board in boards]
        np.testing.assert_allclose(rate(boards, race), expected, rtol=0, atol=1e-9)


def test_a_race_begins_when_both_sides_have_passed_each_other() -> None:
    boards = states_on_the_way()["board"]
    expected = [passed(board) for board in boards]
    assert 0 < sum(expected) < len(expected)
    assert is_race(boards).tolist() == expected
    assert is_race(boards[:, ::-1]).tolist() == expected


def test_borne_off_checkers_count_by_fifteenths_in_every_variant() -> None:
    two_left = Position.from_points({1: 2}, {1: 3}, checkers=3).to_board()
    one_left = Position.from_points({1: 1}, {1: 3}, checkers=3).to_board()
    boards = np.stack([two_left, one_left])
    off, one, two = DATA["race"][121], DATA["race"][116], DATA["race"][117]
    expected = [two + off / 15, one + 2 * off / 15]
    np.testing.assert_allclose(rate(boards, True), expected)


# --- the choice ---------------------------------------------------------------


@pytest.mark.parametrize("start", STARTS)
def test_the_first_of_the_highest_rated_plays_is_chosen(start: str) -> None:
    states = states_on_the_way(start, games=12)
    boards, _, offsets = plays_of_states(states)
    chosen = PubevalAgent().choose(states, boards, offsets, states["choice_stream"])
    for i in range(len(states)):
        race = passed(states["board"][i])
        plays = range(offsets[i], offsets[i + 1])
        ratings = [rating_of(boards[play], race) for play in plays]
        assert ratings[chosen[i] - offsets[i]] == pytest.approx(max(ratings))


def test_the_position_before_the_play_says_whether_it_is_a_race() -> None:
    """Where some plays break contact and others do not, all are rated as contact."""
    states = states_on_the_way()
    boards, _, offsets = plays_of_states(states)
    chosen = PubevalAgent().choose(states, boards, offsets, states["choice_stream"])
    after = is_race(boards)
    other = 0
    for i in np.flatnonzero(~is_race(states["board"])):
        part = slice(offsets[i], offsets[i + 1])
        best = offsets[i] + int(np.argmax(rate(boards[part], False)))
        assert chosen[i] == best
        other += int(np.argmax(rate(boards[part], after[part]))) + offsets[i] != best
    assert other > 0, "the states never tell the two readings apart"


def test_bearing_off_the_last_checker_beats_every_other_play() -> None:
    position = Position.from_points({4: 1, 1: 1}, {2: 2})
    play = PubevalAgent().best_play(position, (4, 1))
    assert not any(play.result.mover[1:])
    assert rate(play.result.to_board()[None], True).tolist() == [np.inf]


def test_of_equally_good_plays_the_first_is_made() -> None:
    states = states_on_the_way(games=1, decisions=1)
    boards, _, offsets = plays_of_states(states)
    boards[:] = boards[0]
    chosen = PubevalAgent().choose(states, boards, offsets, states["choice_stream"])
    assert chosen.tolist() == [0]


@pytest.mark.skipif(DISABLED, reason="too long without compiled kernels")
def test_pubeval_beats_random_by_two_and_a_half_points_a_game() -> None:
    """2.505 ± 0.007 in another program's games; the error of these is 0.015."""
    points = play_pairs(PubevalAgent(), RandomAgent(), 1000)
    assert points.mean() == pytest.approx(2.505, abs=0.06)


# --- what is refused ------------------------------------------------------------

START = Position.start().to_board()[None]


@pytest.mark.parametrize(
    "boards", [START[0], START[:, :1], START[..., :26], START * 1.0]
)
def test_arrays_that_are_no_boards_are_refused(boards: np.ndarray) -> None:
    with pytest.raises(InvalidOptionError, match=r"int8\[P, 2, 32\]"):
        rate(boards, False)
    with pytest.raises(InvalidOptionError, match=r"int8\[P, 2, 32\]"):
        is_race(boards)


@pytest.mark.parametrize("race", [1, "race", np.zeros(2, bool), np.zeros(1, int)])
def test_a_race_flag_that_is_none_is_refused(race: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"bool\[1\]"):
        rate(START, race)


@pytest.mark.parametrize("count", [-1, 16])
def test_counts_that_no_place_can_hold_are_refused(count: int) -> None:
    board = START.copy()
    board[0, 0, 6] = count
    with pytest.raises(InvalidPositionError, match=f"not {count}"):
        rate(board, False)


def test_no_boards_have_no_ratings() -> None:
    assert rate(START[:0], True).shape == (0,)
    assert is_race(START[:0]).shape == (0,)
