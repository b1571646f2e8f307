"""What holds for every baseline agent: batches, mid-turn, variants, no side effects."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from two_players import states_on_the_way

from bg_env.agent import PlayChooser, make_agent
from bg_env.rules._drive import apply_sequences
from bg_env.rules.batch import States, apply_decisions, seed_states
from bg_env.rules.decisions import ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.movegen import legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import STARTS, Position
from bg_env.rules.state import OVER, STATE_DTYPE

AGENTS = ("random", "pip-race", "pubeval")
every_agent = pytest.mark.parametrize("name", AGENTS)
every_start = pytest.mark.parametrize("start", STARTS)
both_ways = pytest.mark.parametrize("way", ["act", "plays"])


def agent_of(name: str) -> PlayChooser:
    agent = make_agent(name)
    assert isinstance(agent, PlayChooser)
    return agent


@cache
def states_of(start: str) -> States:
    states = states_on_the_way(start)
    seed_states(states, 77)
    return states


def decided(agent: PlayChooser, way: str, states: States, streams: np.ndarray) -> list:
    return getattr(agent, way)(states, streams).tolist()


def in_mid_turn(states: States) -> np.ndarray:
    """bool[B]: part of the roll has been played."""
    left = states["left"].sum(axis=1)
    whole = np.where(states["roll"][:, 0] == states["roll"][:, 1], 4, 2)
    return left < whole


def test_the_states_of_these_tests_include_the_middle_of_turns() -> None:
    middle = in_mid_turn(states_of("standard"))
    assert 0.2 < middle.mean() < 0.8


@every_agent
@both_ways
@every_start
def test_a_game_alone_gets_the_same_decision_as_in_a_batch(
    name: str, way: str, start: str
) -> None:
    agent = agent_of(name)
    states = states_of(start)[::5]
    streams = states["choice_stream"].copy()
    together = decided(agent, way, states, streams)
    for i in range(len(states)):
        own = states["choice_stream"][i : i + 1].copy()
        assert decided(agent, way, states[i : i + 1].copy(), own) == [together[i]]
        assert own[0] == streams[i]


@every_agent
@both_ways
def test_the_order_of_games_in_a_batch_changes_no_decision(name: str, way: str) -> None:
    agent = agent_of(name)
    states = np.tile(states_of("standard"), 4)[:1100]  # more than are handled at once
    seed_states(states, 5)
    order = np.random.default_rng(3).permutation(len(states))
    streams = states["choice_stream"].copy()
    shuffled = streams[order]
    together = decided(agent, way, states, streams)
    assert len(states) == 1100
    assert decided(agent, way, states[order], shuffled) == [together[i] for i in order]
    assert shuffled.tolist() == streams[order].tolist()


@every_agent
@both_ways
def test_an_agent_changes_nothing_of_the_states(name: str, way: str) -> None:
    states = states_of("standard").copy()
    before = states.tobytes()
    decided(agent_of(name), way, states, states["choice_stream"].copy())
    assert states.tobytes() == before


@every_agent
@every_start
def test_every_decision_is_legal_also_in_the_middle_of_a_turn(
    name: str, start: str
) -> None:
    states = states_of(start).copy()
    codes = agent_of(name).act(states, states["choice_stream"].copy())
    assert apply_decisions(states, codes).all()


@every_agent
@every_start
def test_a_whole_play_is_legal_and_ends_the_turn(name: str, start: str) -> None:
    states = states_of(start).copy()
    mover, turn = states["on_roll"].copy(), states["turn"].copy()
    codes = agent_of(name).plays(states, states["choice_stream"].copy())
    illegal = np.zeros(len(states), np.int8)
    apply_sequences(states, codes.astype(np.int64), illegal)
    assert (illegal == -1).all()
    passed = (states["on_roll"] == 1 - mover) & (states["turn"] == turn + 1)
    assert (passed | (states["phase"] == OVER)).all()


@every_agent
@every_start
def test_best_play_is_one_of_the_legal_plays(name: str, start: str) -> None:
    agent = agent_of(name)
    for dice in ((3, 1), (6, 5), (4, 4)):
        position = Position.start(start)
        play = agent.best_play(position, dice)
        results = {legal.result for legal in legal_plays(position, dice)}
        assert play.result in results
        assert play == agent.best_play(position, dice)


@every_agent
def test_best_play_of_a_roll_that_cannot_be_played_has_no_moves(name: str) -> None:
    closed = Position.from_points({25: 1, 6: 14}, dict.fromkeys(range(1, 7), 2))
    play = agent_of(name).best_play(closed, (6, 6))
    assert play.moves == ()
    assert play.result == closed


@every_agent
def test_off_the_board_every_agent_rolls_and_takes(name: str) -> None:
    position = Position.start()
    rolling = GameState.from_position(position, rules=Rules())
    doubled = GameState.from_position(position, rules=Rules(), doubled=True)
    states = np.concatenate([rolling.record, doubled.record], dtype=STATE_DTYPE)
    codes = agent_of(name).act(states, states["choice_stream"].copy())
    assert codes.tolist() == [ROLL, TAKE]


@pytest.mark.parametrize("name", ["pip-race", "pubeval"])
@both_ways
def test_an_agent_without_chance_leaves_the_streams_alone(name: str, way: str) -> None:
    states = states_of("standard")
    streams = states["choice_stream"].copy()
    decided(agent_of(name), way, states, streams)
    assert streams.tolist() == states["choice_stream"].tolist()


@every_agent
def test_an_agent_draws_nothing_from_numpy_s_own_generator(name: str) -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    states = states_of("standard")
    agent_of(name).plays(states, states["choice_stream"].copy())
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
