"""The contract with Gymnasium: spaces, masks, checkers, ids, and every preset."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    IDS,
    MATCH,
    MONEY,
    OPPONENTS,
    PASS,
    any_of,
    check_mask,
    codes_by_reference,
    codes_of,
    compiled_only,
    make,
    random_steps,
)
from gymnasium.utils.env_checker import check_env

from bg_env import BackgammonEnv, Clock, Rules
from bg_env.encoding.encoders import encoder_names
from bg_env.rules.decisions import DECISIONS, ROLL

pytestmark = compiled_only

PRESETS = ("standard", "match", "timed", "household", "cubeless", "us-tournament")

MANY_RULES: dict[str, Rules] = {
    "every money option": Rules(
        jacoby=True, beavers=3, automatic_doubles=2, resign="offer", max_cube=None
    ),
    "resigning at once": Rules(resign="immediate", opening_reroll=True),
    "a clock": Rules(match_length=3, clock=Clock(), crawford=False, resign="offer"),
    "least waste": Rules(cube=False, least_waste=True, backgammon_points=2),
    "one point": Rules(match_length=1),
    "nackgammon": Rules(start="nackgammon"),
    "hypergammon": Rules(start="hypergammon", jacoby=True),
    "longgammon": Rules(start="longgammon", cube=False),
    "no backgammon": Rules(backgammon=False, resign="offer"),
}


# --- the checkers of others ---------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_own_checker_finds_nothing_case_61(name: str) -> None:
    check_env(make(name))


@pytest.mark.parametrize("opponent", ["random", "pip-race"])
@pytest.mark.parametrize("illegal_action", ["terminate", "penalize", "random_legal"])
@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_own_checker_finds_nothing_with_other_arguments(
    name: str, illegal_action: str, opponent: str
) -> None:
    check_env(make(name, illegal_action=illegal_action, opponent=opponent))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("observation", ["tesauro", "raw"])
def test_stable_baselines_own_checker_finds_nothing_case_61(
    name: str, observation: str
) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(name, observation=observation))


@pytest.mark.parametrize("name", IDS)
def test_a_made_environment_gives_no_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, opponent="random", render_mode="ansi")
        for _ in random_steps(env, 300):
            pass
        env.close()


def test_the_ids_are_money_play_cubeless_and_a_match_to_seven() -> None:
    assert make(MONEY).rules == Rules()
    assert make(CUBELESS).rules == Rules(cube=False)
    assert make(MATCH).rules == Rules(match_length=7)


@pytest.mark.parametrize("name", IDS)
def test_the_defaults_are_those_that_are_documented(name: str) -> None:
    settings = make(name).settings
    assert settings.opponent is None
    assert settings.seat == "random"
    assert settings.encoder.id == "tesauro-v1"
    assert settings.illegal_action == "terminate"
    assert settings.auto_pass is True
    assert settings.max_turns == 1000
    assert settings.episode == ("match" if name == MATCH else "game")
    assert settings.reward.kind == ("match" if name == MATCH else "points")
    assert settings.reward.scale == 1.0


def test_a_made_environment_has_the_keywords_of_the_call() -> None:
    env = make(MONEY, match_length=3, reward="win", reward_scale=2.0, max_turns=40)
    assert env.rules.match_length == 3
    assert env.settings.episode == "match"
    assert env.settings.reward.kind == "win"
    assert env.settings.reward.scale == 2.0
    assert env.settings.max_turns == 40


# --- action masks -------------------------------------------------------------------


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", IDS)
def test_the_mask_is_exact_over_10000_random_steps_case_53(
    name: str, opponent: str
) -> None:
    env = make(name, opponent=OPPONENTS[opponent])
    for number, (_, _, _, _, info) in enumerate(random_steps(env, 10_000, seed=3)):
        check_mask(env, info["action_mask"])
        if number % 20 == 0:
            allowed = codes_by_reference(env.state)
            if allowed is not None:
                assert set(codes_of(info["action_mask"])) == (allowed or {PASS})


@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("rules", MANY_RULES)
def test_the_mask_is_exact_under_many_rules(rules: str, auto_pass: bool) -> None:
    env = make(MONEY, rules=MANY_RULES[rules], auto_pass=auto_pass)
    for number, (_, _, _, _, info) in enumerate(random_steps(env, 1200, seed=5)):
        check_mask(env, info["action_mask"])
        if number % 5 == 0:
            allowed = codes_by_reference(env.state)
            moves = {code for code in codes_of(info["action_mask"]) if 1 <= code <= 150}
            assert allowed is None or moves == allowed


@pytest.mark.parametrize("name", IDS)
def test_the_mask_is_what_gymnasium_samples_with_case_54(name: str) -> None:
    env = make(name, opponent="random")
    env.action_space.seed(4)
    _, info = env.reset(seed=4)
    drawn = set()
    for _ in range(2000):
        mask = info["action_mask"]
        action = env.action_space.sample(mask=mask)
        assert mask[action]
        drawn.add(int(action))
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    assert len(drawn) > 60


def test_a_finished_game_shows_the_mask_of_pass_alone_case_55() -> None:
    for name in IDS:
        for opponent in OPPONENTS.values():
            env = make(name, opponent=opponent)
            for _, _, terminated, _, info in random_steps(env, 1500, seed=6):
                assert info["action_mask"].any()
                if terminated:
                    assert codes_of(info["action_mask"]) == [PASS]
                    assert codes_of(env.action_masks()) == [PASS]


def test_a_mask_in_hand_does_not_change_with_the_next_step() -> None:
    env = make()
    observation, info = env.reset(seed=1)
    mask, kept = info["action_mask"], info["action_mask"].copy()
    seen = observation.copy()
    env.step(any_of(mask, np.random.default_rng(1)))
    np.testing.assert_array_equal(mask, kept)
    np.testing.assert_array_equal(observation, seen)
    mask[:] = 0  # and writing to it changes nothing in the environment
    assert env.action_masks().any()


def test_masks_are_reached_through_wrappers_case_57() -> None:
    env = gymnasium.make(CUBELESS, max_episode_steps=50)
    env.reset(seed=1)
    assert not hasattr(env, "action_masks")
    through = env.get_wrapper_attr("action_masks")()
    np.testing.assert_array_equal(through, env.unwrapped.action_masks())
    assert through.dtype == np.bool_


# --- observations -------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("name", IDS)
def test_every_observation_is_inside_its_space(
    name: str, encoder: str, opponent: str
) -> None:
    env = make(name, observation=encoder, opponent=opponent)
    space = env.observation_space
    assert np.isfinite(space.low).all()
    assert np.isfinite(space.high).all()
    for observation, _, _, _, _ in random_steps(env, 1000, seed=2):
        assert observation.dtype == space.dtype
        assert space.contains(observation)


@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("rules", MANY_RULES)
def test_every_observation_is_inside_its_space_under_many_rules(
    rules: str, encoder: str
) -> None:
    env = make(MONEY, rules=MANY_RULES[rules], observation=encoder, auto_pass=False)
    for observation, _, _, _, _ in random_steps(env, 600, seed=2):
        assert env.observation_space.contains(observation)


@pytest.mark.parametrize("encoder", encoder_names())
def test_the_observation_is_the_view_of_whoever_is_to_act(encoder: str) -> None:
    env = make(MONEY, observation=encoder)
    for observation, _, terminated, _, info in random_steps(env, 1500, seed=8):
        if not terminated:
            assert info["current_player"] == env.state.to_act
        seen = env.settings.encoder.observe(env.state.record, [env.state.to_act])[0]
        np.testing.assert_array_equal(observation, seen)


@pytest.mark.parametrize("seat", [0, 1])
def test_against_an_opponent_the_observation_is_the_learners_view(seat: int) -> None:
    env = make(MONEY, seat=seat, opponent="random")
    for observation, _, terminated, _, info in random_steps(env, 1500, seed=8):
        seen = env.settings.encoder.observe(env.state.record, [seat])[0]
        np.testing.assert_array_equal(observation, seen)
        assert terminated or info["current_player"] == seat


def test_the_dice_left_differ_in_the_observation_case_68() -> None:
    """One fives left or two, 6-1 or 6-2: other observations."""
    env = make()
    seen = []
    for dice in ("61", "62", "16", "55"):
        text = f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:0:10"
        seen.append(env.reset(options={"xgid": text})[0].tobytes())
    assert seen[0] == seen[2], "the order of the dice says nothing"
    assert len(set(seen)) == 3


# --- who decides --------------------------------------------------------------------


def test_a_double_is_four_steps_of_one_player_case_67() -> None:
    env = make()
    rng = np.random.default_rng(1)
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:22:0:0:0:0:10"
    _, info = env.reset(options={"xgid": text})
    for left in (4, 3, 2, 1):
        assert info["current_player"] == 1
        assert env.state.dice_left == (2,) * left
        info = env.step(any_of(info["action_mask"], rng))[4]
    assert info["current_player"] == 0


@pytest.mark.parametrize("name", IDS)
def test_the_first_decision_is_a_move_with_two_different_dice_case_31(
    name: str,
) -> None:
    """Never a doublet, each side begins half of the games, and nobody may double."""
    env = make(name)
    env.reset(seed=1)
    starters = []
    for _ in range(600):
        _, info = env.reset()
        dice = env.state.dice
        assert dice is not None
        assert dice[0] != dice[1]
        assert env.state.on_roll == (0 if dice[0] > dice[1] else 1)
        assert all(1 <= code <= 150 for code in codes_of(info["action_mask"]))
        starters.append(info["current_player"])
    assert 240 < sum(starters) < 360


# --- every preset -------------------------------------------------------------------


def shows_forced_states(env: BackgammonEnv) -> bool:
    """Whether the state before us is one that `auto_pass=True` plays by itself."""
    codes = env.state.legal_decisions()
    return codes in ([PASS], [ROLL])


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("preset", PRESETS)
def test_hundreds_of_random_games_of_every_preset_end(
    preset: str, auto_pass: bool, opponent: str
) -> None:
    env = make(
        MONEY, rules=preset, auto_pass=auto_pass, opponent=opponent, episode="game"
    )
    ended = forced = 0
    fresh = True
    steps = 4000 if auto_pass else 6000
    for _, reward, terminated, truncated, info in random_steps(env, steps, seed=9):
        assert not truncated
        assert sum(info.get("rewards", (0.0, 0.0))) == 0.0
        if terminated:
            ended += 1
            assert info["winner"] in (0, 1)
            assert reward == info["rewards"][_of_whom(env, info)]
            assert codes_of(info["action_mask"]) == [PASS]
        elif not fresh:
            forced += shows_forced_states(env)
        fresh = terminated
    assert ended > 10
    assert (forced == 0) == (auto_pass or preset == "timed")


def _of_whom(env: BackgammonEnv, info: dict[str, Any]) -> int:
    return info["current_player"] if env.seat is None else env.seat


@pytest.mark.heavy
@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("preset", PRESETS)
def test_three_hundred_random_episodes_of_every_preset_end(
    preset: str, auto_pass: bool, opponent: str
) -> None:
    env = make(MONEY, rules=preset, auto_pass=auto_pass, opponent=opponent)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(300):
        while True:
            _, _, terminated, truncated, info = env.step(
                any_of(info["action_mask"], rng)
            )
            check_mask(env, info["action_mask"])
            if terminated or truncated:
                break
        assert not truncated
        _, info = env.reset()


def test_the_action_space_has_the_162_decision_codes() -> None:
    env = make()
    assert env.action_space == gymnasium.spaces.Discrete(DECISIONS)
    assert DECISIONS == 162
