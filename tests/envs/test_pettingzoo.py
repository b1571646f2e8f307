"""The PettingZoo environments: their own tests, endings, masks, zero sums, seeds."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from support import run_python

from bg_env import backgammon_v0, chouette_v0
from bg_env.envs import BackgammonEnv
from bg_env.errors import IllegalActionError, InvalidOptionError, UnknownNameError
from bg_env.rules.decisions import DECISIONS, DOUBLE, DROP, PASS, ROLL, TAKE
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

# Each with what is worth playing through.
MAKERS = {
    "money": (backgammon_v0.env, {}),
    "cubeless": (backgammon_v0.env, {"rules": "cubeless"}),
    "match": (backgammon_v0.env, {"match_length": 3}),
    "timed": (backgammon_v0.env, {"rules": "timed", "observation": "planes"}),
    "no auto pass": (backgammon_v0.env, {"auto_pass": False}),
    "chouette": (chouette_v0.env, {}),
    "three": (chouette_v0.env, {"players": 3, "rules": "cubeless"}),
    "own cubes": (chouette_v0.env, {"players": 6, "own_cubes": True, "games": 2}),
    "raw": (chouette_v0.env, {"observation": "raw", "auto_pass": False}),
}
EVERY = pytest.mark.parametrize("name", MAKERS)
# PettingZoo's tests do not expect a Dict of observation and mask, and reset with an
# option of their own.
QUIET = [
    pytest.mark.filterwarnings("ignore:Observation"),
    pytest.mark.filterwarnings("ignore:Reset option 'options' is unknown"),
]


def race(first: dict[int, int], second: dict[int, int], **options: Any) -> Rules:
    """Rules of games that start with these checkers; all others are off."""
    return Rules(start=Position.from_points(first, second).id, **options)


def quiet(test: Any) -> Any:
    """Without those warnings."""
    for mark in QUIET:
        test = mark(test)
    return test


def make(name: str, **keywords: Any) -> Any:
    """An environment of the table."""
    maker, own = MAKERS[name]
    return maker(**{**own, **keywords})


def legal_of(env: Any, agent: str) -> list[int]:
    """What the mask of an agent allows."""
    return np.flatnonzero(env.observe(agent)["action_mask"]).tolist()


def play(env: Any, seed: int, steps: int = 100_000) -> Iterator[tuple[str, Any]]:
    """Play an episode at random; yields (agent, action) before each step."""
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter(steps):
        _, _, terminated, truncated, _ = env.last()
        legal = legal_of(env, agent)
        action = None if terminated or truncated else int(random.choice(legal))
        yield agent, action
        env.step(action)


# --- PettingZoo's own tests ---------------------------------------------------------


@EVERY
@quiet
def test_the_api_test_passes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(make(name), num_cycles=600)
    assert "Passed API test" in capsys.readouterr().out


@EVERY
@quiet
def test_the_seed_test_passes(name: str) -> None:
    seed_test(lambda: make(name), num_cycles=100)


@EVERY
@quiet
def test_the_render_test_passes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: make(name, render_mode=render_mode))
    assert "BAR" in capsys.readouterr().out


@EVERY
def test_names_and_versions_are_told(name: str) -> None:
    env = make(name)
    assert str(env) in ("backgammon_v0", "chouette_v0")
    assert env.metadata["render_modes"] == ["human", "ansi"]
    assert env.possible_agents[:2] == ["player_0", "player_1"]
    assert not env.metadata["is_parallelizable"]
    with pytest.raises(UnknownNameError, match="player_17"):
        env.unwrapped.observation_space("player_17")


def test_the_makers_tell_their_arguments() -> None:
    for module, known in ((backgammon_v0, "match_length"), (chouette_v0, "own_cubes")):
        assert known in inspect.signature(module.env).parameters
        assert known in inspect.signature(module.raw_env).parameters


# --- every step ---------------------------------------------------------------------


@EVERY
def test_observations_masks_and_rewards_of_whole_episodes(name: str) -> None:
    """Case 69: everyone has an observation at any time, who is not asked mask {0}."""
    env = make(name)
    for seed in range(2):
        for agent, action in play(env, seed):
            assert sum(env.rewards.values()) == 0
            for other in env.agents:
                observed = env.observe(other)
                assert env.observation_space(other).contains(observed), other
                if other != agent or action is None:
                    assert legal_of(env, other) == [PASS]
            if action is not None:
                assert legal_of(env, agent)
        assert env.agents == []


@EVERY
def test_rewards_arrive_once_and_add_up_to_zero(name: str) -> None:
    """Case 66: each agent's rewards by `last`, one `step(None)`, then he is gone."""
    env = make(name)
    for seed in range(3):
        received = dict.fromkeys(env.possible_agents, 0.0)
        ends = dict.fromkeys(env.possible_agents, 0)
        for agent, action in play(env, seed):
            received[agent] += env.last()[1]
            ends[agent] += action is None
        assert env.agents == []
        assert set(ends.values()) == {1}
        assert sum(received.values()) == 0
        assert any(received.values())


@EVERY
def test_the_same_seed_gives_the_same_episodes_one_after_the_other(name: str) -> None:
    """Without a seed the streams go on."""

    def episodes() -> list[Any]:
        env = make(name)
        seen: list[Any] = list(play(env, 5, steps=40))
        env.reset()
        return [*seen, env.agent_selection, env.observe(env.agent_selection)]

    first, second = episodes(), episodes()
    assert str(first) == str(second)
    others = list(play(make(name), 6, steps=40))
    assert others != first[:40]


def test_the_two_player_game_is_that_of_the_gymnasium_env() -> None:
    """Same seed, same actions: boards, masks and rewards are those of self-play."""
    env, other = backgammon_v0.env(match_length=3), BackgammonEnv(match_length=3)
    _, info = other.reset(seed=8)
    for agent, action in play(env, 8):
        if action is None:
            continue
        assert agent == f"player_{info['current_player']}"
        assert (
            env.observe(agent)["action_mask"].tolist() == info["action_mask"].tolist()
        )
        _, _, _, _, info = other.step(action)
    assert other.state == env.unwrapped.env.state


# --- two players ------------------------------------------------------------------


def test_both_players_see_the_end() -> None:
    """Case 66: player_0 bears off; +2 and −2, once each; then nobody is left."""
    env = backgammon_v0.env(rules=race({1: 2}, {6: 15}, cube=False))
    env.reset(seed=1, options={"dice": [(2, 1)]})
    assert env.agent_selection == "player_0"
    env.step(legal_of(env, "player_0")[0])
    assert not any(env.terminations.values())
    env.step(legal_of(env, "player_0")[0])
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_1"]["winner"] == 0
    assert env.infos["player_1"]["outcome"] == "gammon"
    received = {}
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        assert terminated
        assert np.flatnonzero(observation["action_mask"]).tolist() == [PASS]
        received[agent] = reward
        env.step(None)
    assert received == {"player_0": 2, "player_1": -2}
    assert env.agents == []


def test_an_illegal_action_costs_the_offender_what_the_other_gets() -> None:
    env = backgammon_v0.env()
    env.reset(seed=1)
    agent = env.agent_selection
    other = next(name for name in env.agents if name != agent)
    env.step(TAKE)
    assert env.rewards == {agent: -3, other: 3}
    assert all(env.terminations.values())
    assert env.infos[agent]["illegal_action"] is True


def test_under_raise_an_illegal_action_changes_nothing() -> None:
    for env in (backgammon_v0.env(illegal_action="raise"), chouette_v0.env()):
        env.reset(seed=1)
        agent = env.agent_selection
        before = env.observe(agent)["observation"].tobytes()
        for action in (TAKE, DECISIONS, -1, None, "roll"):
            with pytest.raises(IllegalActionError):
                env.step(action)
        assert env.agent_selection == agent
        assert env.observe(agent)["observation"].tobytes() == before


def test_pettingzoos_own_wrapper_ends_a_chouette_at_an_illegal_action() -> None:
    env = TerminateIllegalWrapper(chouette_v0.env(), illegal_reward=-1)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(TAKE)
    assert env.rewards[agent] == -1
    assert all(env.terminations.values())


@pytest.mark.parametrize("maker", [backgammon_v0.env, chouette_v0.env])
def test_the_cap_of_turns_truncates_for_all(maker: Any) -> None:
    """A cap is no draw: nobody is paid."""
    env = maker(rules="cubeless", max_turns=3)
    agents = set()
    for agent, action in play(env, 2):
        if action is None:
            _, reward, terminated, truncated, _ = env.last()
            assert (reward, terminated, truncated) == (0, False, True)
            agents.add(agent)
    assert agents == set(env.possible_agents)


def test_reset_options_of_others_are_ignored_with_a_warning() -> None:
    for env in (backgammon_v0.env(), chouette_v0.env()):
        with pytest.warns(UserWarning, match="'scroe' is unknown and ignored"):
            env.reset(options={"scroe": (1, 2)})
    with pytest.raises(InvalidOptionError):
        backgammon_v0.env().reset(options={"score": (1, 2)})


# --- the chouette ---------------------------------------------------------------------

EIGHT = race({1: 8}, {1: 8})
RACE = {"order": [3, 0, 1, 2], "dice": [(2, 1)] * 200}  # the box, player_3, begins


def chouette(**keywords: Any) -> Any:
    """A bear-off of four players: eight checkers each, two borne off by each roll."""
    env = chouette_v0.env(rules=EIGHT, **keywords)
    env.reset(seed=3, options=RACE)
    return env


def finish_turn(env: Any) -> None:
    """Move until something else is asked."""
    while (legal := legal_of(env, env.agent_selection))[0] not in (ROLL, TAKE, PASS):
        env.step(legal[0])


def test_votes_and_answers_are_asked_of_those_concerned() -> None:
    """R32: the captain proposes, the others vote, the box answers for all."""
    env = chouette()
    finish_turn(env)
    for agent in ("player_0", "player_1", "player_2"):
        assert env.agent_selection == agent
        assert legal_of(env, agent) == [ROLL, DOUBLE]
        env.step(DOUBLE)
    assert env.agent_selection == "player_3"
    assert legal_of(env, "player_3") == [TAKE, DROP]
    env.step(DROP)
    assert env.rewards == {"player_0": 1, "player_1": 1, "player_2": 1, "player_3": -3}
    assert all(env.terminations.values())


def test_a_refused_vote_lets_the_captain_roll() -> None:
    """R32: and the environment rolls for him."""
    env = chouette()
    finish_turn(env)
    env.step(DOUBLE)
    env.step(ROLL)
    assert env.agent_selection == "player_0"
    assert env.unwrapped.chouette.stage == "moving"


def test_who_drops_gets_his_last_reward_once_and_is_gone() -> None:
    """Case 66, R33: the others play on; the box has been paid at once."""
    env = chouette()
    finish_turn(env)
    env.step(ROLL)
    finish_turn(env)
    assert env.agent_selection == "player_3"
    env.step(DOUBLE)
    env.step(TAKE)
    assert env.agent_selection == "player_1"
    env.step(DROP)
    assert env.agent_selection == "player_1"
    assert env.terminations["player_1"]
    assert env.last()[1] == -1
    assert env.rewards == {"player_0": 0, "player_1": -1, "player_2": 0, "player_3": 1}
    env.step(None)
    assert env.agents == ["player_0", "player_2", "player_3"]
    assert env.agent_selection == "player_2"
    env.step(TAKE)
    received = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        received[agent] += reward
        env.step(None if terminated else legal_of(env, agent)[0])
    assert received == {"player_0": -2, "player_2": -2, "player_3": 5}


def test_an_episode_of_many_games_keeps_everyone_to_the_last() -> None:
    """R34: nobody is gone before the last game; the seats change after each."""
    env = chouette_v0.env(players=4, games=5)
    boxes = []
    for _, action in play(env, 12):
        game = env.unwrapped.chouette.game
        if game > len(boxes):
            boxes.append(env.unwrapped.chouette.box)
        if game < 5:
            assert len(env.agents) == 4
            assert action is not None
            assert not any(env.terminations.values())
    assert len(boxes) == 5
    assert len(set(boxes)) > 1


def test_rewards_are_scaled() -> None:
    env = chouette(reward_scale=0.5)
    finish_turn(env)
    for _ in range(3):
        env.step(DOUBLE)
    env.step(DROP)
    assert env.rewards["player_3"] == -1.5


def test_the_layout_covers_the_whole_observation() -> None:
    env = chouette_v0.raw_env(players=5)
    end = 0
    for start, stop, meaning in env.layout:
        assert start == end < stop
        assert meaning
        end = stop
    assert env.observation_space("player_0")["observation"].shape == (end,)


def part(env: Any, agent: str, words: str) -> list[float]:
    """The entries of an agent's observation whose meaning has these words in it."""
    observed = env.observe(agent)["observation"]
    rows = [row for row in env.unwrapped.layout if words in row[2]]
    assert rows, words
    return [value for start, stop, _ in rows for value in observed[start:stop].tolist()]


def test_the_observation_tells_seats_votes_and_cubes() -> None:
    """Whatever matters for a decision differs in what is seen of it."""
    env = chouette()
    finish_turn(env)
    assert part(env, "player_3", "I am in the box") == [1]
    assert part(env, "player_0", "I am captain") == [1]
    assert part(env, "player_2", "my place in the line") == [0, 0, 1]
    assert part(env, "player_0", "is to be asked") == [1, 1, 1]
    env.step(DOUBLE)
    assert part(env, "player_0", "is to be asked") == [0, 1, 1]
    assert part(env, "player_1", "I am asked") == [1]
    assert part(env, "player_1", "what is awaited") == [0, 1, 0, 0, 0]
    env.step(DOUBLE)
    env.step(DOUBLE)
    assert part(env, "player_3", "a double in his game awaits") == [1, 1, 1]
    env.step(TAKE)
    assert part(env, "player_0", "log2 of his cube") == pytest.approx([0.1] * 3)
    assert part(env, "player_0", "the box owns his cube") == [1, 1, 1]
    assert part(env, "player_0", "a double was taken in his game") == [1, 1, 1]


def test_with_own_cubes_each_sees_whose_cube_is_meant() -> None:
    """R35: the box is asked about one cube after the other."""
    env = chouette(own_cubes=True)
    finish_turn(env)
    env.step(ROLL)
    env.step(DOUBLE)
    env.step(DOUBLE)
    assert env.agent_selection == "player_3"
    assert part(env, "player_3", "the question now asked") == [0, 1, 0]
    first = env.observe("player_3")["observation"].tobytes()
    env.step(TAKE)
    assert part(env, "player_3", "the question now asked") == [0, 0, 1]
    assert env.observe("player_3")["observation"].tobytes() != first


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"players": 2}, "three or more players, not 2"),
        ({"players": 2.5}, "not 2.5"),
        ({"games": 0}, "games is a whole number of 1 or more, not 0"),
        ({"max_turns": 0}, "not 0"),
        ({"reward_scale": 0}, "not 0"),
        ({"rules": "match"}, "leave match_length=7 out"),
        ({"render_mode": "rgb"}, "not 'rgb'"),
    ],
)
def test_what_cannot_be_is_refused(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidOptionError, match=words):
        chouette_v0.env(**keywords)


# --- without PettingZoo ------------------------------------------------------------


@pytest.mark.parametrize("module", ["backgammon_v0", "chouette_v0"])
def test_without_pettingzoo_the_extra_is_named(module: str) -> None:
    code = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "from bg_env.errors import MissingExtraError\n"
        "try:\n"
        f"    import bg_env.{module}\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    assert "pip install 'bg-env[pettingzoo]'" in done.stdout
