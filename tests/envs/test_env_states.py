"""Snapshots, copies, given dice: what search and paired evaluation need."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    DOUBLE,
    IDS,
    MATCH,
    MONEY,
    OPPONENTS,
    PASS,
    ROLL,
    START,
    any_of,
    check_mask,
    codes_of,
    make,
    play_on,
    random_steps,
    record_bytes,
    replay,
    xgid,
)
from gymnasium.error import ResetNeeded

from bg_env import BackgammonEnv, IllegalActionError, InvalidOptionError, Rules
from bg_env.envs import Snapshot
from bg_env.rules.decisions import move_code

CLOSED_OUT = "XGID=------E-E----D-----cccbbbA:0:0:1:00:0:0:0:0:10"


def after(env: BackgammonEnv, steps: int, seed: int = 1) -> dict[str, Any]:
    """The info after so many random steps, episodes one after the other."""
    return list(random_steps(env, steps, seed))[-1][4]


# --- snapshots ----------------------------------------------------------------------


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", IDS)
def test_a_state_restored_sees_the_same_dice_case_71(name: str, opponent: str) -> None:
    """After 40 turns and more: play on, go back, play on: the same, resets included."""
    env = make(name, opponent=OPPONENTS[opponent])
    info = after(env, 100)
    snapshot = env.get_state()
    mask = info["action_mask"]
    first = replay(env, info, 300)
    for _ in range(2):
        _, info = env.set_state(snapshot)
        np.testing.assert_array_equal(info["action_mask"], mask)
        check_mask(env, info["action_mask"])
        assert replay(env, info, 300) == first


@pytest.mark.parametrize("steps", range(0, 40, 3))
def test_a_state_restored_shows_what_was_shown(steps: int) -> None:
    """In the middle of a double and of a turn too."""
    env = make(CUBELESS, opponent="random")
    steps_made = list(random_steps(env, steps, seed=steps))
    observation, _, _, _, info = steps_made[-1]
    snapshot = env.get_state()
    before = record_bytes(env)
    replay(env, info, 50)
    again, restored = env.set_state(snapshot)
    np.testing.assert_array_equal(again, observation)
    assert record_bytes(env) == before
    for name in ("current_player", "passed"):
        assert restored[name] == info[name]
    assert set(restored) == {"action_mask", "current_player", "passed"}


def test_a_snapshot_goes_to_another_environment_and_through_pickle() -> None:
    env = make(MONEY, opponent="random")
    info = after(env, 30)
    snapshot = env.get_state()
    first = replay(env, info, 200)
    for chosen in (snapshot, pickle.loads(pickle.dumps(snapshot))):
        assert isinstance(chosen, Snapshot)
        other = make(MONEY, opponent="random")
        _, info = other.set_state(chosen)
        assert replay(other, info, 200) == first


def test_a_snapshot_does_not_change_with_the_game() -> None:
    env = make(MONEY)
    info = after(env, 20)
    snapshot = env.get_state()
    kept = snapshot.record.tobytes(), snapshot.step.tobytes()
    replay(env, info, 60)
    env.set_state(snapshot)
    replay(env, {"action_mask": env.action_masks().astype(np.int8)}, 60)
    assert (snapshot.record.tobytes(), snapshot.step.tobytes()) == kept


def test_the_end_of_an_episode_is_part_of_a_snapshot() -> None:
    env = make(CUBELESS)
    _, info = env.reset(seed=1)
    running = env.get_state()
    play_on(env, info)
    over = env.get_state()
    _, info = env.set_state(running)
    assert not env.state.is_over
    env.step(codes_of(info["action_mask"])[0])
    _, info = env.set_state(over)
    assert codes_of(info["action_mask"]) == [PASS]
    with pytest.raises(ResetNeeded):
        env.step(PASS)
    env.reset(options={"next_game": True})


def test_the_end_of_a_truncated_episode_is_part_of_a_snapshot() -> None:
    env = make(CUBELESS, max_turns=1)
    _, info = env.reset(seed=1)
    play_on(env, info)
    snapshot = env.get_state()
    env.reset()
    env.set_state(snapshot)
    with pytest.raises(ResetNeeded):
        env.step(codes_of(env.action_masks())[0])


def test_an_awaited_first_turn_is_part_of_a_snapshot() -> None:
    env = make(CUBELESS, opponent="random", seat=0)
    env.reset(options={"xgid": xgid({8: 15}, {1: 1}, turn=-1)})
    snapshot = env.get_state()
    for _ in range(2):
        _, reward, terminated, _, _ = env.step(PASS)
        assert (reward, terminated) == (-2.0, True)
        _, info = env.reset(seed=1)
        play_on(env, info)
        _, info = env.set_state(snapshot)
        assert codes_of(info["action_mask"]) == [PASS]
        assert codes_of(env.action_masks()) == [PASS]


def test_a_reset_with_a_seed_after_a_restored_state_is_that_seeds_game() -> None:
    env, fresh = make(MONEY), make(MONEY)
    after(env, 20)
    snapshot = env.get_state()
    env.reset(seed=5)
    env.set_state(snapshot)
    _, info = env.reset(seed=77)
    _, other = fresh.reset(seed=77)
    assert replay(env, info, 100) == replay(fresh, other, 100)


def test_the_environments_own_generator_is_part_of_a_snapshot() -> None:
    env = make(MONEY)
    env.reset(seed=1)
    snapshot = env.get_state()
    drawn = env.np_random.random(3).tolist()
    env.set_state(snapshot)
    assert env.np_random.random(3).tolist() == drawn


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        (MONEY, {}),
        (MATCH, {}),
        (CUBELESS, {"opponent": "random"}),
        (CUBELESS, {"rules": Rules(cube=False, backgammon_points=2)}),
    ],
)
def test_a_snapshot_of_another_kind_of_environment_is_refused(
    name: str, keywords: dict[str, Any]
) -> None:
    env = make(CUBELESS)
    env.reset(seed=1)
    other = make(name, **keywords)
    _, info = other.reset(seed=2)
    before = record_bytes(other)
    with pytest.raises(InvalidOptionError, match="this environment is another"):
        other.set_state(env.get_state())
    assert record_bytes(other) == before
    check_mask(other, info["action_mask"])


def test_there_is_no_snapshot_before_the_first_reset() -> None:
    with pytest.raises(ResetNeeded, match="before the first reset"):
        make(CUBELESS).get_state()


# --- copies -------------------------------------------------------------------------


def through_pickle(env: BackgammonEnv) -> BackgammonEnv:
    other = pickle.loads(pickle.dumps(env))
    assert isinstance(other, BackgammonEnv)
    return other


COPIES: dict[str, Callable[[BackgammonEnv], BackgammonEnv]] = {
    "clone": BackgammonEnv.clone,
    "deepcopy": copy.deepcopy,
    "pickle": through_pickle,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", IDS)
def test_a_copy_sees_the_same_dice_and_leaves_the_first_alone(
    name: str, opponent: str, way: str
) -> None:
    env = make(name, opponent=OPPONENTS[opponent])
    info = after(env, 50)
    before = record_bytes(env)
    other = COPIES[way](env)
    assert other is not env
    assert record_bytes(other) == before
    seen = replay(other, info, 200)
    assert record_bytes(env) == before, "they do not share memory"
    check_mask(env, info["action_mask"])
    assert replay(env, info, 200) == seen


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_can_do_all_that_the_first_can(way: str) -> None:
    env = make(MONEY, illegal_action="penalize", auto_pass=False, max_turns=50)
    after(env, 10)
    other = COPIES[way](env)
    assert other.settings.illegal_action == "penalize"
    assert other.step(161)[1] == -0.1
    other.reset(options={"xgid": xgid(START, START)})
    _, info = other.set_dice(6, 1)
    assert other.state.dice == (6, 1)
    check_mask(other, info["action_mask"])
    other.set_state(other.get_state())
    assert other.observation_space == env.observation_space
    copied_again = COPIES[way](other)
    assert record_bytes(copied_again) == record_bytes(other)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_before_the_first_reset_needs_one_too(way: str) -> None:
    env = COPIES[way](make(CUBELESS))
    with pytest.raises(ResetNeeded):
        env.step(0)
    _, info = env.reset(seed=3)
    fresh = make(CUBELESS)
    _, other = fresh.reset(seed=3)
    assert replay(env, info, 50) == replay(fresh, other, 50)


def test_a_copy_awaits_the_opponents_first_turn_as_well() -> None:
    env = make(CUBELESS, opponent="random", seat=0)
    env.reset(options={"xgid": xgid({8: 15}, {1: 1}, turn=-1)})
    for way in COPIES.values():
        other = way(env)
        assert codes_of(other.action_masks()) == [PASS]
        assert other.step(PASS)[1] == -2.0


def test_a_wrapped_environment_is_copied_with_its_wrappers() -> None:
    env = gymnasium.make(CUBELESS, max_episode_steps=10)
    _, info = env.reset(seed=1)
    env.step(codes_of(info["action_mask"])[0])
    other = copy.deepcopy(env)
    mask = other.get_wrapper_attr("action_masks")()
    assert other.step(codes_of(mask)[0])[1] == 0.0
    assert record_bytes(env.unwrapped) != record_bytes(other.unwrapped)


# --- words --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0, "pass"),
        (ROLL, "roll"),
        (DOUBLE, "double"),
        (153, "take"),
        (154, "drop"),
        (155, "beaver"),
        (158, "resign backgammon"),
        (161, "claim"),
        (move_code(24, 1), "24/23"),
        (move_code(25, 3), "bar/22"),
        (move_code(6, 6), "6/off"),
        (move_code(8, 1), "8/7*"),
        (move_code(13, 6), "13/7*"),
        (move_code(13, 5), "13/8"),
        (np.int64(13), "3/2"),
    ],
)
def test_an_action_has_words_and_a_star_where_it_hits(code: int, text: str) -> None:
    env = make(MONEY)
    blot = {**START, 18: 1, 13: 4}  # upper case's 7-point
    env.reset(options={"xgid": xgid({24: 2, 13: 5, 8: 3, 6: 5}, blot, dice="61")})
    assert env.action_text(code) == text


@pytest.mark.parametrize("action", [162, -1, 1.0, None, "8/7"])
def test_only_actions_have_words(action: Any) -> None:
    env = make(MONEY)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.action_text(action)


def test_the_state_of_the_environment_is_a_game_to_look_at() -> None:
    env = make(MONEY)
    env.reset(seed=1)
    state = env.state
    assert state.rules is env.rules
    rng = np.random.default_rng(1)
    env.step(any_of(env.action_masks(), rng))
    assert state == env.state, "it is the running game, not a copy"
    assert env.state.position == state.position
