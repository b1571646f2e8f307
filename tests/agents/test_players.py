"""Networks and engines as players of the full game, by name."""

from __future__ import annotations

import numpy as np
import pytest
from bg_agents.engine_players import EnginePlayer
from bg_agents.nets import Net
from bg_agents.players import NetPlayer
from bg_agents.td_agent import TdAgent

from bg_env import InvalidOptionError, Position, Rules, legal_plays, make_agent
from bg_env.equity.bearoff import bearoff_chances
from bg_env.errors import MissingExtraError
from bg_env.evaluation import evaluate
from bg_env.search.rolls import ROLL_WEIGHTS, equity
from bg_env.testing import check_agent, check_evaluator

NETWORKS = ("td", "td-small", "td-strong", "td-cube")


@pytest.mark.parametrize("name", NETWORKS)
def test_the_networks_that_come_along_play_the_full_game(name):
    agent = make_agent(name)
    assert isinstance(agent, NetPlayer)
    assert agent.name == name
    check_agent(agent)
    check_evaluator(agent)


def test_a_cubeless_game_is_played_as_by_the_network_alone():
    alone = TdAgent(Net.shipped("td"))
    result = evaluate(make_agent("td"), alone, games=40, seed=2)
    assert result.points_per_game == 0  # paired dice, both sides play alike


@pytest.mark.parametrize("name", ["td-small", "td-strong"])
def test_bear_offs_are_known_by_the_tables(name):
    agent = make_agent(name)
    home = Position.from_points({6: 3, 4: 2, 1: 1}, {5: 2, 3: 2}).to_board()
    other = Position.start().to_board()
    boards = np.stack([home, other])
    known, exact = bearoff_chances(boards)
    assert known.tolist() == [True, False]
    np.testing.assert_array_equal(agent.evaluate(boards)[0], exact[0])
    alone = TdAgent(agent.net)
    np.testing.assert_array_equal(agent.evaluate(boards)[1], alone.evaluate(boards)[1])
    one_ply = ROLL_WEIGHTS @ agent.roll_chances(boards)[0]
    np.testing.assert_allclose(one_ply, exact[0], atol=1e-6)
    alone_ply = ROLL_WEIGHTS @ alone.roll_chances(boards)[0]
    assert abs(alone_ply[0] - exact[0][0]) > 1e-5


def test_bear_offs_are_played_by_the_tables():
    agent = make_agent("td-small")
    # with a 6-1, 6/off 6/5 and 6/off 2/1 clear as much; one leaves fewer bad rolls
    for roll in ((6, 1), (2, 1), (3, 1), (4, 1)):
        position = Position.from_points({6: 2, 4: 1, 2: 2, 1: 1}, {3: 2, 1: 2})
        play = agent.best_play(position, roll)
        worth = {
            result: equity(bearoff_chances(result.to_board()[None], has_moved=True)[1])
            for result in (other.result for other in legal_plays(position, roll))
        }
        assert worth[play.result] == max(worth.values())


def test_networks_double_and_drop():
    result = evaluate("td", "td", games=60, seed=1, rules="standard")
    assert result.endings.dropped > 5


def test_looking_ahead_is_part_of_the_name_and_of_the_chances():
    agent, deep = make_agent("td"), make_agent("td@1ply")
    assert deep.name == "td@1ply"
    boards = Position.start().to_board()[None]
    assert not np.allclose(agent.evaluate(boards), deep.evaluate(boards), atol=1e-4)
    assert deep.roll_chances(boards).shape == (1, 21, 5)
    assert deep.roll_results(boards)[1].shape == (1, 21, 2, 32)
    with pytest.raises(InvalidOptionError, match="9"):
        make_agent("td-small@9ply")


def test_a_network_that_looks_ahead_beats_itself_that_does_not():
    result = evaluate("td@1ply", "td", games=60, seed=3, luck="td")
    assert result.luck_adjusted.points_per_game > 0


def test_pubeval_gets_the_cube_from_the_chances_of_another():
    from bg_env.search.cube_agent import with_cube

    agent = with_cube(make_agent("td"), chooser=make_agent("pubeval"), name="pubeval+")
    rules = Rules.preset("match", match_length=3)
    result = evaluate(agent, "pubeval", games=20, seed=4, rules=rules)
    assert result.matches.won + result.matches.lost == 20


@pytest.mark.parametrize("name", ["gnubg", "sage"])
def test_engines_play_the_full_game(name):
    try:
        agent = make_agent(name)
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert isinstance(agent, EnginePlayer)
    result = evaluate(agent, "pubeval", games=16, seed=1, rules="standard")
    assert result.played == 16
    deep = make_agent(f"{name}@1ply")
    assert deep.name == f"{name}@1ply"
