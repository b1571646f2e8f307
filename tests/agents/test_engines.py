"""The agents `gnubg` and `sage`: plays, chances, depths, what they refuse."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from bg_agents.engines import EngineAgent
from bg_agents.gnubg_agent import GnubgAgent
from bg_agents.sage_agent import SageAgent
from support import oracle_rows, position_of_row

from bg_env.agent import make_agent
from bg_env.errors import InvalidOptionError, InvalidPositionError, MissingExtraError
from bg_env.evaluation import evaluate
from bg_env.rules.movegen import legal_plays
from bg_env.rules.position import Position
from bg_env.testing import check_agent, check_evaluator

CLASSES = (GnubgAgent, SageAgent)
every_class = pytest.mark.parametrize("made", CLASSES, ids=lambda one: one.engine)
every_engine = pytest.mark.parametrize("name", [one.engine for one in CLASSES])


def equity(chances: np.ndarray) -> np.ndarray:
    return chances @ np.array([2, 1, 1, -1, -1], np.float32) - np.float32(1)


@cache
def agent_of(spec: str) -> EngineAgent:
    """The agent; the test is skipped where its package is not installed."""
    made = {one.engine: one for one in CLASSES}[spec.split("@")[0]]
    if importlib.util.find_spec(made.module) is None:
        pytest.skip(f"{made.package} is not installed (extra [engines])")
    agent = make_agent(spec).engine
    assert isinstance(agent, EngineAgent)
    return agent


def board_of(mine: dict[int, int], theirs: dict[int, int]) -> np.ndarray:
    return Position.from_points(mine, theirs).to_board()


# --- what holds for both ----------------------------------------------------------


@every_engine
def test_an_engine_keeps_to_the_contract_of_agents(name: str) -> None:
    check_agent(agent_of(name))


@every_engine
@pytest.mark.parametrize("depth", ["", "@1ply"])
def test_an_engine_keeps_to_the_contract_of_evaluators(name: str, depth: str) -> None:
    check_evaluator(agent_of(name + depth))


@every_engine
@pytest.mark.parametrize("depth", ["", "@1ply"])
@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((3, 1), {8: 2, 6: 4, 5: 2}),
        ((4, 2), {8: 2, 6: 4, 4: 2}),
        ((6, 1), {13: 4, 8: 2, 7: 2}),
    ],
)
def test_an_engine_knows_the_openings_nobody_argues_about(
    name: str, depth: str, dice: tuple[int, int], expected: dict[int, int]
) -> None:
    result = agent_of(name + depth).best_play(Position.start(), dice).result
    assert {point: result.to_board()[0, point] for point in expected} == expected


@every_engine
def test_the_chances_of_the_first_player_are_those_everybody_knows(name: str) -> None:
    board = Position.start().to_board()[None]
    win, gammon, _, lose_gammon, _ = agent_of(name).evaluate(board)[0].tolist()
    assert 0.50 < win < 0.54
    assert 0.12 < lose_gammon < gammon < 0.17


@every_engine
def test_in_the_bear_off_the_exact_tables_speak(name: str) -> None:
    # two checkers on the ace point are borne off by any roll
    sure = board_of({1: 2}, {1: 1, 3: 1})
    # a checker on the 6 point and one on the ace point: 15 of 36 rolls
    fifteen = board_of({6: 1, 1: 1}, {1: 1})
    chances = agent_of(name).evaluate(np.stack([sure, fifteen]))
    np.testing.assert_allclose(chances[:, 0], [1, 15 / 36], atol=1e-3)
    assert not chances[:, 1:].any()


@every_engine
def test_no_gammon_is_won_of_a_side_that_has_borne_off(name: str) -> None:
    board = board_of({5: 1, 6: 1}, {2: 3, 4: 1, 6: 1, 7: 2, 8: 1, 9: 2, 11: 1})
    assert not agent_of(name).evaluate(board[None])[0, 1:].any()


@every_engine
def test_the_play_that_wins_is_made_at_its_exact_worth(name: str) -> None:
    position = Position.from_points({1: 1, 2: 1}, {20: 2, 6: 13})
    play = agent_of(name).best_play(position, (2, 1))
    assert play.result.to_board()[0, 0] == 15


@every_engine
def test_a_forced_play_does_not_ask_the_engine(name: str) -> None:
    agent = pickle.loads(pickle.dumps(agent_of(name)))
    assert len(legal_plays(Position.from_points({24: 1}, {6: 15}), (2, 1))) == 1
    play = agent.best_play(Position.from_points({24: 1}, {6: 15}), (2, 1))
    assert len(play.moves) == 2
    assert agent.process.pid is None


@every_engine
def test_a_deeper_look_makes_a_play_that_is_good_at_first_sight(name: str) -> None:
    shallow, deep = agent_of(name), agent_of(f"{name}@1ply")
    assert deep.name == f"{name}@1ply"
    for dice in ((6, 5), (2, 2), (4, 1)):
        plays = legal_plays(Position.start(), dice)
        after = np.stack([play.result.to_board()[::-1] for play in plays])
        ratings = -equity(shallow.evaluate(after))
        chosen = deep.best_play(Position.start(), dice).result
        at = [play.result for play in plays].index(chosen)
        assert ratings[at] >= ratings.max() - 0.16
        kept = np.flatnonzero(ratings >= np.sort(ratings)[-8:][0])
        deeper = -equity(deep.evaluate(after[kept]))
        assert -equity(deep.evaluate(after[at : at + 1])) >= deeper.max() - 1e-6


@every_engine
def test_no_boards_have_no_chances(name: str) -> None:
    chances = agent_of(name).evaluate(np.zeros((0, 2, 32), np.int8))
    assert (chances.shape, chances.dtype) == ((0, 5), np.float32)


def changed(row: int, point: int, count: int) -> np.ndarray:
    board = Position.start().to_board()[None].copy()
    board[0, row, point] = count
    return board


@every_engine
@pytest.mark.parametrize(
    ("boards", "error", "said"),
    [
        (np.zeros((2, 32), np.int8), InvalidOptionError, r"int8\[B, 2, 32\]"),
        (np.zeros((1, 2, 32)), InvalidOptionError, "not float64"),
        (changed(0, 6, -1), InvalidPositionError, "not -1"),
        (changed(0, 6, 6), InvalidPositionError, "at most 15 checkers, not 16"),
        (changed(1, 24, 0), None, ""),
        (changed(0, 19, 0), None, ""),
        (changed(0, 1, 0) + changed(1, 24, 0), InvalidPositionError, "at most 15"),
    ],
)
def test_boards_the_engines_would_not_refuse_are_refused_here(
    name: str, boards: np.ndarray, error: type[Exception] | None, said: str
) -> None:
    agent = agent_of(name)
    if error is None:
        assert agent.evaluate(boards).shape == (1, 5)
        return
    with pytest.raises(error, match=said):
        agent.evaluate(boards)


@every_engine
def test_a_point_with_checkers_of_both_sides_is_refused(name: str) -> None:
    board = Position.start().to_board()[None].copy()
    board[0, 0, 6], board[0, 0, 19] = 4, 1  # the opponent's point 6
    with pytest.raises(InvalidPositionError, match="both sides on point 19"):
        agent_of(name).evaluate(board)


@every_class
@pytest.mark.parametrize("plies", [-1, 4, 1.5, True, "2"])
def test_a_depth_it_does_not_have_is_refused(
    made: type[EngineAgent], plies: Any
) -> None:
    with pytest.raises(InvalidOptionError, match="plies"):
        made(plies=plies)


@every_class
def test_without_its_package_an_agent_says_what_to_install(
    made: type[EngineAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    with pytest.raises(MissingExtraError, match=r"pip install 'bg-env\[engines\]'"):
        made()


def test_where_gnubg_nn_cannot_be_installed_the_error_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    with pytest.raises(MissingExtraError, match=r"not made for Python 3\.14"):
        GnubgAgent()


@every_engine
def test_an_engine_plays_the_other_side_of_an_environment(name: str) -> None:
    agent_of(name)  # skips without its package
    env = gymnasium.make("Backgammon-Cubeless-v0", opponent=name)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, over, _, info = env.step(action)
    env.close()


# --- against the corpora ----------------------------------------------------------


@cache
def positions_rated() -> tuple[np.ndarray, list[dict[str, Any]]]:
    rows = oracle_rows("eval")
    return np.stack([position_of_row(row).to_board() for row in rows]), rows


def test_gnubg_gives_the_chances_of_the_program() -> None:
    agent = agent_of("gnubg")
    boards, rows = positions_rated()
    off = np.abs(agent.evaluate(boards) - [row["p0"] for row in rows]).max(axis=1)
    race = np.array([not contact(board) for board in boards])
    assert off[~race].max() < 2e-6
    assert off[race].max() < 5e-4  # the program rounds what is nearly sure


def contact(board: np.ndarray) -> bool:
    """True while a checker has yet to pass an opposing one."""
    backs = [
        int(np.flatnonzero(side[1:26])[-1]) + 1 for side in board if side[1:].any()
    ]
    return sum(backs) > 25


def test_sage_gives_the_chances_of_its_nets_where_they_are_possible() -> None:
    agent = agent_of("sage")
    boards, rows = positions_rated()
    rated = agent.evaluate(boards)
    nested = (boards[:, :, 0] == 0).all(axis=1)
    nets = np.array([row["sage1"] for row in rows])
    nested &= (nets[:, 2] <= nets[:, 1]) & (nets[:, 1] <= nets[:, 0])
    nested &= (nets[:, 4] <= nets[:, 3]) & (nets[:, 3] <= 1 - nets[:, 0])
    home = (boards[:, :, 7:26] == 0).all(axis=(1, 2))
    assert (nested & ~home).sum() > 1000
    assert np.abs(rated - nets)[nested & ~home].max() < 2e-6


def test_sage_and_gnubg_agree_in_the_bear_off() -> None:
    boards, _ = positions_rated()
    home = (boards[:, :, 7:26] == 0).all(axis=(1, 2))
    theirs = [agent_of(name).evaluate(boards[home]) for name in ("gnubg", "sage")]
    assert np.abs(theirs[0] - theirs[1]).max() < 5e-3


def test_gnubg_chooses_the_play_of_the_program() -> None:
    agent = agent_of("gnubg")
    for row in oracle_rows("play"):
        first, second = row["dice"]
        chosen = agent.best_play(position_of_row(row), (first, second)).result
        worth = {play[0]: play[3] for play in row["plays"]}
        played = chosen.id
        assert worth[played] >= max(worth.values()) - 1e-5


# --- strength ---------------------------------------------------------------------


def won(name: str, games: int, seed: int) -> tuple[float, float]:
    """Points per game against pubeval and their standard error."""
    result = evaluate(agent_of(name), "pubeval", games=games, seed=seed)
    assert result.points_per_game is not None
    assert result.standard_error is not None
    return result.points_per_game, result.standard_error


@every_engine
def test_an_engine_beats_pubeval(name: str) -> None:
    points, error = won(name, games=200, seed=5)
    assert points > 2 * error


@pytest.mark.heavy
def test_gnubg_beats_pubeval_by_what_is_known() -> None:
    points, error = won("gnubg", games=6000, seed=6)
    assert abs(points - 0.634) < 4 * error
