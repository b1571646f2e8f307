"""Evaluators that have learnt the cube: where their equities are used."""

from __future__ import annotations

import numpy as np
import pytest
from cube_positions import FixedChances

from bg_env.agent import make_agent
from bg_env.equity import load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, plays_of_boards
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.search._cube_search import search_worths
from bg_env.search.cube import cube_decision, make_cubes, place_equities
from bg_env.search.cube_agent import CubePlayer
from bg_env.search.learnt_cube import LearntCube, learnt_equities

LEARNT = (0.3, 0.5, 0.1, 0.2)  # in the middle, own, the other's, by the Jacoby rule


class Told(FixedChances):
    """The same equities with the cube in every position."""

    def __init__(self, equities=LEARNT):
        super().__init__(0.6, 0.2, 0, 0.1, 0)
        self.equities = np.array(equities, np.float32)

    def cube_equities(self, boards):
        return np.repeat(self.equities[None], len(boards), axis=0)


class Counted(Told):
    """Equities that differ from position to position."""

    def cube_equities(self, boards):
        pips = (boards[:, 1, 1:26] - boards[:, 0, 1:26]) @ np.arange(1, 26)
        rated = pips[:, None] / 60 + np.array([0.02, 0.15, -0.15, 0.0])
        return rated.astype(np.float32)


@pytest.fixture(scope="module")
def board():
    return Position.start().to_board()[None].copy()


def worths(evaluator, board, plies=0, **cube):
    cubes = make_cubes(1, **cube)
    return search_worths(evaluator, board, cubes, plies, load_table())[0]


@pytest.mark.parametrize(
    ("cube", "kept"),
    [
        ({}, 0.3),
        ({"owner": 1}, 0.5),
        ({"owner": -1}, 0.1),
        ({"jacoby": True}, 0.2),
        ({"value": 4, "owner": 1}, 2.0),
    ],
)
def test_the_place_of_the_cube_says_which_equity_holds(board, cube, kept):
    found = worths(Told(), board, **cube)
    value = cube.get("value", 1)
    assert found[:3] == pytest.approx([kept, 2 * value * 0.1, value])


@pytest.mark.parametrize(
    "cube", [{"away": (3, 5)}, {"max_cube": 1}, {"value": 8, "max_cube": 16}]
)
def test_in_matches_and_at_the_ceiling_the_formulas_hold(board, cube):
    plain = FixedChances(0.6, 0.2, 0, 0.1, 0)
    np.testing.assert_array_equal(
        worths(Told(), board, **cube), worths(plain, board, **cube)
    )


def test_a_double_follows_from_the_learnt_equities(board):
    state = GameState.from_position(Position.start(), rules=Rules()).record
    doubles = cube_decision(Told((0.3, 0.5, 0.4, 0.3)), state)
    assert doubles.double[0]
    assert doubles.take[0]
    waits = cube_decision(Told((0.3, 0.5, 0.1, 0.3)), state)
    assert not waits.double[0]
    drops = cube_decision(Told((0.9, 0.95, 0.6, 0.9)), state)
    assert drops.double[0]
    assert not drops.take[0]
    played_on = cube_decision(Told((1.2, 1.3, 0.9, 1.2)), state)
    assert played_on.too_good[0]


def slow_mean(rater, board, owner):
    """One roll ahead, by the definition."""
    own = {0: 0, 1: 1, -1: 2}[-owner]
    total = 0.0
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        plays, _, _ = plays_of_boards(board, np.array([roll], np.int8))
        other = rater.cube_equities(np.ascontiguousarray(plays[:, ::-1]))
        kept, taken = other[:, own], 2 * other[:, 2]
        doubled = np.minimum(taken, 1)
        best = np.maximum(kept, doubled) if owner <= 0 else kept
        dead = 2 * 0.6 - 1 + 0.2 - 0.1  # what the chances say, the same everywhere
        chosen = np.argmin(0.99 * best + 0.01 * dead)
        total -= ways / 36 * best[chosen]
    return total


@pytest.mark.parametrize("owner", [0, 1, -1])
def test_one_roll_ahead_they_are_the_leaves(board, owner):
    found = worths(Counted(), board, 1, owner=owner)
    assert found[0] == pytest.approx(slow_mean(Counted(), board, owner), abs=1e-5)
    assert found[1] == pytest.approx(2 * slow_mean(Counted(), board, -1), abs=1e-5)


def test_an_agent_can_be_given_the_cube_of_another(board):
    td = make_agent("td")
    given = LearntCube(td, Told())
    assert given.name == "td"
    np.testing.assert_array_equal(given.evaluate(board), td.evaluate(board))
    np.testing.assert_array_equal(given.roll_chances(board), td.roll_chances(board))
    np.testing.assert_allclose(learnt_equities(given, board)[0], LEARNT)
    assert learnt_equities(td, board) is None
    assert CubePlayer(given).best_play(Position.start(), (3, 1)) is not None


@pytest.mark.parametrize("name", ["td-small", "td-cube"])
def test_finished_games_are_worth_their_points_whoever_has_won(name):
    won = np.zeros((3, 2, 32), np.int8)
    won[:, 0, 0] = 15
    won[0, 1, 1], won[0, 1, 0] = 14, 1
    won[1, 1, 1] = won[2, 1, 24] = 15
    boards = np.concatenate([won, won[:, ::-1]])
    points = np.array([1, 2, 3, -1, -2, -3])
    found = place_equities(make_agent(name), boards)
    np.testing.assert_array_equal(found[:, :3], points[:, None].repeat(3, axis=1))
    np.testing.assert_array_equal(found[:, 3], np.sign(points))


def test_equities_that_are_no_numbers_are_refused_in_one_sentence(board):
    with pytest.raises(InvalidOptionError, match="not finite"):
        learnt_equities(Told((0.1, np.nan, 0.3, 0)), board)


def test_a_cube_decision_takes_one_game_and_refuses_what_cannot_rate():
    game = GameState.new()
    found = cube_decision(Told(), game)
    assert found.double.tolist() == cube_decision(Told(), game.record).double.tolist()
    for nobody in ("td-cube", make_agent("pubeval")):
        with pytest.raises(InvalidOptionError, match="needs an evaluator"):
            cube_decision(nobody, game)


def test_equities_of_another_shape_are_refused_in_one_sentence(board):
    told = Told((0.1, 0.2, 0.3))
    with pytest.raises(InvalidOptionError, match=r"\[1, 4\], not \[1, 3\]"):
        learnt_equities(told, board)
