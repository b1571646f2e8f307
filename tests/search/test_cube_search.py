"""Cube decisions of states, at once and some rolls ahead."""

import numpy as np
import pytest
from cube_positions import FixedChances, races

from bg_env.agent import make_agent
from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.search.cube import cube_decision

ANY = FixedChances(0.5, 0, 0, 0, 0)


def states_of(*pairs, rules=None, **options):
    """States before the roll of bear-offs ``(mover, other)``."""
    rules = Rules() if rules is None else rules
    records = []
    for board in races(*pairs):
        position = Position.from_board(board)
        game = GameState.from_position(position, rules=rules, **options)
        records.append(game.record)
    return np.concatenate(records, dtype=records[0].dtype)


def test_a_decision_has_one_row_for_each_state():
    states = states_of(((6,), (1,)), ((5,), (1,)), ((4, 4), (1,)))
    found = cube_decision(ANY, states)
    assert found.double.tolist() == [True, True, False]
    assert found.take.tolist() == [True, False, True]
    assert found.optimal[:2] == pytest.approx([1, 1], abs=1e-6)
    assert found.equities.worths.shape == (3, 5)


@pytest.mark.parametrize("plies", [1, 2])
def test_looking_ahead_finds_the_exact_worth_of_short_races(plies):
    pairs = (((6,), (1,)), ((5, 2), (4, 3)), ((2, 2), (6, 3)), ((6, 5, 4), (6, 2)))
    states = states_of(*pairs)
    now = cube_decision(ANY, states).equities
    ahead = cube_decision(ANY, states, plies).equities
    assert ahead.no_double == pytest.approx(now.no_double, abs=0.003)
    assert ahead.double_take == pytest.approx(now.double_take, abs=0.005)


@pytest.mark.parametrize("score", [(0, 0), (3, 1), (1, 4), (4, 2)])
def test_short_endings_of_a_match_are_what_looking_ahead_finds(score):
    states = states_of(
        ((6,), (1,)),
        ((1, 1, 1), (5, 3)),
        ((2, 2), (6, 3)),
        ((1,) * 4, (4, 4)),
        rules=Rules(match_length=5),
        score=score,
        crawford=False,
    )
    now = cube_decision(ANY, states).equities
    ahead = cube_decision(ANY, states, 2).equities
    assert ahead.worths[:, :2] == pytest.approx(now.worths[:, :2], abs=2e-3)


def test_no_market_is_lost_by_a_cube_that_cannot_be_turned():
    position = Position.start()
    rules = Rules(max_cube=2)
    owned = GameState.from_position(position, rules=rules, cube=2, cube_owner=0)
    found = cube_decision(FixedChances(0.7, 0.2, 0, 0.1, 0), owned.record, 1)
    assert not found.available[0]
    assert not found.double[0]
    assert found.optimal[0] == found.equities.no_double[0]


@pytest.mark.parametrize("plies", [0, 1])
def test_nobody_doubles_before_the_first_move_and_everybody_would_take(plies):
    state = GameState.from_position(Position.start()).record
    found = cube_decision(make_agent("td"), state, plies)
    assert not found.double[0]
    assert found.take[0]
    assert not found.too_good[0]
    assert -0.1 < found.optimal[0] < 0.3


def test_a_pending_double_is_decided_as_before_it():
    position = Position.from_points({6: 1}, {1: 1})
    before = GameState.from_position(position)
    pending = GameState.from_position(position, doubled=True)
    first, second = (cube_decision(ANY, game.record) for game in (before, pending))
    assert first.equities.worths.tolist() == second.equities.worths.tolist()


@pytest.mark.parametrize("plies", [-1, 0.5, True, "1"])
def test_other_depths_are_refused(plies):
    states = states_of(((6,), (1,)))
    with pytest.raises(InvalidOptionError, match="plies is a whole number, 0 or more"):
        cube_decision(ANY, states, plies)
