"""What an illegal action does, under every policy; the state is never touched."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import (
    ACCEPT,
    CUBELESS,
    DOUBLE,
    IDS,
    MATCH,
    MONEY,
    START,
    any_of,
    check_mask,
    codes_of,
    make,
    record_bytes,
    xgid,
)
from gymnasium.error import ResetNeeded

from bg_env import BackgammonEnv, Clock, IllegalActionError, RewardSpec, Rules
from bg_env.encoding import worst_loss

OUT_OF_SPACE: list[Any] = [
    -1,
    162,
    2**70,
    -(2**70),
    3.0,
    np.float32(3),
    float("nan"),
    None,
    "0",
    b"0",
    [3],
    (3,),
    np.array([3]),
    np.array(3.0),
    np.bool_(True),
    {},
    3 + 0j,
]
IN_SPACE: list[Any] = [np.int64(7), np.int8(7), np.uint8(7), np.array(7)]


def illegal_of(mask: np.ndarray, rng: np.random.Generator) -> int:
    """One of the actions of the space that the mask does not show."""
    return int(rng.choice(np.flatnonzero(mask == 0)))


def on_the_way(env: BackgammonEnv, steps: int, seed: int = 1) -> dict[str, Any]:
    """A state after so many random steps; the info there."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        _, _, terminated, _, info = env.step(any_of(info["action_mask"], rng))
        if terminated:
            _, info = env.reset()
    return info


# --- outside the space: always an error ---------------------------------------------


@pytest.mark.parametrize("policy", ["terminate", "raise", "penalize", "random_legal"])
@pytest.mark.parametrize("action", OUT_OF_SPACE, ids=repr)
def test_an_action_outside_the_space_is_an_error_under_every_policy(
    action: Any, policy: str
) -> None:
    env = make(CUBELESS, illegal_action=policy, opponent="random")
    info = on_the_way(env, 5)
    before, mask = record_bytes(env), info["action_mask"]
    with pytest.raises(IllegalActionError, match="whole number of 0 to 161"):
        env.step(action)
    assert record_bytes(env) == before
    np.testing.assert_array_equal(env.action_masks(), mask.astype(bool))
    _, _, terminated, _, info = env.step(any_of(mask, np.random.default_rng(1)))
    assert not terminated
    assert "illegal_action" not in info


@pytest.mark.parametrize("action", IN_SPACE, ids=repr)
def test_whole_numbers_of_any_kind_are_actions(action: Any) -> None:
    env = make(CUBELESS)
    text = xgid({2: 2}, {8: 15}, dice="21")
    env.reset(options={"xgid": text})
    _, _, terminated, _, info = env.step(action)  # 7: from the 2-point with a 1
    assert not terminated
    assert "illegal_action" not in info
    assert env.state.position.mover[1] == 1


# --- terminate (the default) --------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_by_default_an_illegal_action_ends_the_episode_case_61(
    name: str, opponent: str
) -> None:
    rng = np.random.default_rng(5)
    for steps in range(0, 40, 3):
        env = make(name, opponent=opponent)
        info = on_the_way(env, steps, seed=steps)
        offender = info["current_player"]
        before, mask = record_bytes(env), info["action_mask"]
        worst = worst_loss(env.state.record, env.settings.reward)[0]
        _, reward, terminated, truncated, info = env.step(illegal_of(mask, rng))
        assert (reward, terminated, truncated) == (-worst, True, False)
        assert worst > 0
        assert info["illegal_action"] is True
        assert info["rewards"][offender] == -worst
        assert info["rewards"][1 - offender] == worst
        assert record_bytes(env) == before, "dice and turn do not move"
        np.testing.assert_array_equal(info["action_mask"], mask)
        check_mask(env, info["action_mask"])
        assert "winner" not in info
        with pytest.raises(ResetNeeded):
            env.step(codes_of(mask)[0])
        _, info = env.reset()
        assert "illegal_action" not in info
        check_mask(env, info["action_mask"])


@pytest.mark.parametrize(
    ("rules", "text", "worst"),
    [
        (Rules(cube=False), xgid(START, START, dice="31"), 3.0),
        (Rules(cube=False), xgid({6: 14}, START, dice="31"), 1.0),
        (Rules(cube=False, backgammon=False), xgid(START, START, dice="31"), 2.0),
        (
            Rules(cube=False, backgammon_points=2),
            xgid(START, START, dice="31"),
            2.0,
        ),
        (Rules(), xgid(START, START, dice="31", cube=3, owner=1), 24.0),
        (Rules(), xgid(START, START, dice="D"), 6.0),
        (Rules(jacoby=True), xgid(START, START, dice="31", rules=1), 1.0),
        (Rules(jacoby=True), xgid(START, START, dice="D", rules=1), 6.0),
        (
            Rules(jacoby=True),
            xgid(START, START, dice="31", cube=1, owner=1, rules=1),
            6.0,
        ),
    ],
)
def test_the_offender_loses_the_most_the_game_can_still_bring(
    rules: Rules, text: str, worst: float
) -> None:
    env = make(MONEY, rules=rules)
    env.reset(options={"xgid": text})
    assert env.step(ACCEPT)[1] == -worst


def test_the_worst_of_a_match_is_the_match_and_of_a_scaled_reward_scaled() -> None:
    env = make(MATCH, reward_scale=2.5)
    env.reset(seed=1)
    assert env.step(ACCEPT)[1] == -2.5
    env = make(MATCH, reward=RewardSpec("mwc"))
    env.reset(seed=1)
    reward = env.step(ACCEPT)[1]
    assert -0.5 < reward < -0.15
    env = make(MONEY, reward="win")
    env.reset(seed=1)
    assert env.step(ACCEPT)[1] == -1.0


# --- raise --------------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_raise_raises_and_the_episode_goes_on_untouched(opponent: str) -> None:
    env = make(MONEY, illegal_action="raise", opponent=opponent)
    rng = np.random.default_rng(5)
    info = on_the_way(env, 20)
    for _ in range(30):
        before, mask = record_bytes(env), info["action_mask"]
        with pytest.raises(IllegalActionError, match="is not legal for player"):
            env.step(illegal_of(mask, rng))
        assert record_bytes(env) == before
        check_mask(env, mask)
        _, reward, terminated, _, info = env.step(any_of(mask, rng))
        assert "illegal_action" not in info
        if terminated:
            _, info = env.reset()
        else:
            assert reward == 0.0


def test_the_error_names_the_action_the_position_and_what_is_legal() -> None:
    env = make(CUBELESS, illegal_action="raise")
    env.reset(options={"xgid": xgid({2: 1}, {8: 15}, dice="21")})
    with pytest.raises(IllegalActionError) as caught:
        env.step(DOUBLE)
    text = str(caught.value)
    for part in ("152 (double)", "player 0", env.state.position.id, "7 (2/1)"):
        assert part in text


def test_gymnasiums_checker_fails_on_an_environment_that_raises_case_61() -> None:
    from gymnasium.utils.env_checker import check_env

    env = make(CUBELESS, illegal_action="raise")
    env.action_space.seed(1)
    with pytest.raises(IllegalActionError):
        check_env(env)


# --- penalize -----------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_penalize_costs_a_tenth_and_changes_nothing(
    opponent: str, scale: float
) -> None:
    env = make(MONEY, illegal_action="penalize", opponent=opponent, reward_scale=scale)
    rng = np.random.default_rng(5)
    info = on_the_way(env, 20)
    for _ in range(30):
        before, mask = record_bytes(env), info["action_mask"]
        offender = info["current_player"]
        observation, reward, terminated, truncated, info = env.step(
            illegal_of(mask, rng)
        )
        assert reward == pytest.approx(-0.1 * scale)
        assert (terminated, truncated) == (False, False)
        assert info["illegal_action"] is True
        assert info["rewards"][offender] == reward
        assert sum(info["rewards"]) == 0.0
        assert info["passed"] == 0
        assert record_bytes(env) == before
        np.testing.assert_array_equal(info["action_mask"], mask)
        assert env.observation_space.contains(observation)
        _, reward, terminated, _, info = env.step(any_of(mask, rng))
        assert "illegal_action" not in info
        assert reward == 0.0 or terminated
        if terminated:
            _, info = env.reset()


def test_a_hundred_illegal_actions_in_a_row_end_the_episode() -> None:
    env = make(CUBELESS, illegal_action="penalize", opponent="random")
    info = on_the_way(env, 3)
    before = record_bytes(env)
    for _ in range(99):
        _, reward, terminated, _, info = env.step(ACCEPT)
        assert (reward, terminated) == (-0.1, False)
    _, reward, terminated, truncated, info = env.step(ACCEPT)
    assert (reward, terminated, truncated) == (-3.0, True, False)
    assert record_bytes(env) == before
    assert info["illegal_action"]
    env.reset()
    assert env.step(ACCEPT)[1] == -0.1, "a new episode counts anew"


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_legal_action_in_between_begins_the_count_anew(opponent: str) -> None:
    env = make(CUBELESS, illegal_action="penalize", opponent=opponent)
    info = on_the_way(env, 3)
    for _ in range(3):
        for _ in range(99):
            assert not env.step(ACCEPT)[2]
        assert not env.step(codes_of(info["action_mask"])[0])[2]
        info["action_mask"] = env.action_masks().astype(np.int8)
    env.step(ACCEPT)
    _, _, terminated, _, _ = env.step(ACCEPT)
    assert not terminated


def test_the_count_of_illegal_actions_belongs_to_the_state() -> None:
    env = make(CUBELESS, illegal_action="penalize")
    info = on_the_way(env, 3)
    legal = codes_of(info["action_mask"])[0]
    for _ in range(98):
        env.step(ACCEPT)
    snapshot = env.get_state()
    assert not env.step(ACCEPT)[2]
    assert env.step(ACCEPT)[2]
    env.set_state(snapshot)
    assert not env.step(ACCEPT)[2]
    assert env.step(ACCEPT)[2]
    env.set_state(snapshot)
    assert not env.step(legal)[2]
    for _ in range(99):
        assert not env.step(ACCEPT)[2], "the legal action began the count anew"


# --- random_legal -------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("name", IDS)
def test_random_legal_plays_something_legal_instead(name: str, opponent: str) -> None:
    env = make(name, illegal_action="random_legal", opponent=opponent)
    rng = np.random.default_rng(5)
    _, info = env.reset(seed=3)
    ended = 0
    for _ in range(1500):
        mask = info["action_mask"]
        action = illegal_of(mask, rng)
        _, _, terminated, truncated, info = env.step(action)
        assert info["illegal_action"] is True
        assert mask[info["played_action"]]
        check_mask(env, info["action_mask"])
        if terminated or truncated:
            ended += 1
            _, info = env.reset()
    assert ended > 0


def test_random_legal_chooses_from_the_stream_of_choices_and_evenly() -> None:
    env = make(CUBELESS, illegal_action="random_legal")
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    env.reset(seed=1)
    counts: dict[int, int] = {}
    for _ in range(3000):
        _, info = env.reset(options={"xgid": text})
        legal = codes_of(info["action_mask"])
        dice_stream = int(env.state.record["dice_stream"][0])
        played = env.step(ACCEPT)[4]["played_action"]
        assert int(env.state.record["dice_stream"][0]) == dice_stream
        counts[played] = counts.get(played, 0) + 1
    assert sorted(counts) == legal
    expected = 3000 / len(legal)
    assert all(abs(n - expected) < 5 * expected**0.5 for n in counts.values())


def test_random_legal_is_the_same_again_with_the_same_seed() -> None:
    games = []
    for _ in range(2):
        env = make(MONEY, illegal_action="random_legal")
        env.reset(seed=11)
        played = []
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(ACCEPT)
            played.append(info.get("played_action", ACCEPT))
        games.append(played)
    assert games[0] == games[1]


# --- with nothing to go by ----------------------------------------------------------


@pytest.mark.parametrize("policy", ["terminate", "penalize", "random_legal"])
@pytest.mark.parametrize("name", IDS)
def test_an_agent_that_knows_no_mask_comes_to_an_end_case_58(
    name: str, policy: str
) -> None:
    env = gymnasium.make(name, illegal_action=policy, opponent="random")
    env.action_space.seed(7)
    for episode in range(5):
        env.reset(seed=episode)
        for _ in range(200_000):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                break
        assert terminated or truncated


def test_a_claim_is_illegal_while_the_opponent_has_time() -> None:
    env = make(MONEY, rules=Rules(clock=Clock()), illegal_action="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="161"):
        env.step(161)
