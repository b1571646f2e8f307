"""`max_turns` and time limits: cut short, never a draw."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    MATCH,
    MONEY,
    START,
    any_of,
    check_mask,
    codes_of,
    compiled_only,
    make,
    moves,
    play_codes,
    random_steps,
    xgid,
)
from gymnasium.error import ResetNeeded

from bg_env import InvalidOptionError, Rules

pytestmark = compiled_only


@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("name", [CUBELESS, MONEY, MATCH])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6])
def test_self_play_is_cut_short_after_max_turns_case_64(
    limit: int, name: str, auto_pass: bool
) -> None:
    env = make(name, max_turns=limit, auto_pass=auto_pass, episode="game")
    cut = 0
    for _, reward, terminated, truncated, info in random_steps(env, 600, seed=1):
        check_mask(env, info["action_mask"])
        assert not (terminated and truncated)
        if truncated:
            cut += 1
            assert env.state.turn == limit + 1
            assert reward == 0.0
            assert info["rewards"] == (0.0, 0.0)
            assert "winner" not in info
            assert not env.state.is_over
        elif not terminated:
            assert env.state.turn <= limit
    assert cut > 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("limit", [1, 2, 5, 20])
def test_a_cap_reached_in_the_opponents_turn_waits_for_the_learner_case_64(
    limit: int, seat: int
) -> None:
    env = make(CUBELESS, opponent="random", seat=seat, max_turns=limit)
    turns = set()
    for _, reward, terminated, truncated, info in random_steps(env, 500, seed=2):
        if info["current_player"] == seat:  # else he only watches the first turn
            check_mask(env, info["action_mask"])
        if truncated:
            turns.add(env.state.turn)
            assert reward == 0.0
            assert info["current_player"] == seat
            assert env.state.to_act == seat
        assert not terminated
    assert turns <= {limit + 1, limit + 2}
    assert limit + 1 in turns


def test_after_a_truncation_a_reset_is_needed() -> None:
    env = make(CUBELESS, max_turns=1)
    _, info = env.reset(seed=1)
    truncated = False
    while not truncated:
        _, _, _, truncated, info = env.step(codes_of(info["action_mask"])[0])
    with pytest.raises(ResetNeeded):
        env.step(codes_of(info["action_mask"])[0])
    env.reset()


def test_a_game_won_in_the_last_turn_is_terminated_case_64() -> None:
    env = make(CUBELESS, max_turns=2)  # a position begins in its second turn
    text = xgid({3: 1}, {8: 15}, dice="65")
    env.reset(options={"xgid": text})
    _, reward, terminated, truncated, _ = play_codes(env, moves((3, 6)))
    assert (reward, terminated, truncated) == (2.0, True, False)


def test_a_game_the_opponent_wins_beyond_the_cap_is_terminated_case_64() -> None:
    """The cap takes effect at the learner's next decision, and there is none."""
    env = make(CUBELESS, max_turns=2, opponent="random", seat=0)
    env.reset(options={"xgid": xgid({8: 15}, {1: 1}, dice="21")})
    _, reward, terminated, truncated, _ = play_codes(env, moves((8, 1), (8, 2)))
    assert (reward, terminated, truncated) == (-2.0, True, False)


def test_a_cap_in_the_middle_of_a_match_cuts_the_episode_case_64() -> None:
    """The score stands, rewards of games before were given, no winner is named."""
    env = make(MONEY, rules=Rules(match_length=25, cube=False), max_turns=70)
    games = cut = 0
    for _, reward, terminated, truncated, info in random_steps(env, 9000, seed=5):
        games += len(info.get("games", []))
        if truncated:
            cut += 1
            assert not terminated
            assert reward == 0.0
            assert env.state.turn == 71, "turns are counted game by game"
            assert max(env.state.score) < 25
    assert games > 0
    assert cut > 0


def test_a_match_cut_short_has_no_next_game() -> None:
    env = make(MATCH, max_turns=3, episode="game")
    _, info = env.reset(seed=1)
    truncated = False
    while not truncated:
        _, _, _, truncated, info = env.step(codes_of(info["action_mask"])[0])
    with pytest.raises(InvalidOptionError, match="over"):
        env.reset(options={"next_game": True})


def test_the_cap_never_ends_an_episode_inside_reset() -> None:
    for limit in (1, 2):
        for opponent in ("self", "random"):
            env = make(CUBELESS, max_turns=limit, opponent=opponent)
            rng = np.random.default_rng(1)
            env.reset(seed=1)
            for turn in (1, -1) * 30:
                _, info = env.reset(options={"xgid": xgid(START, START, turn=turn)})
                ended = False
                while not ended:
                    assert info["action_mask"].any()
                    _, _, terminated, ended, info = env.step(
                        any_of(info["action_mask"], rng)
                    )
                    assert not terminated


def test_random_games_stay_far_below_the_default_cap_case_64() -> None:
    env = make(CUBELESS)
    lengths = []
    for _, _, terminated, truncated, info in random_steps(env, 12_000, seed=3):
        assert not truncated
        if terminated:
            lengths.append(info["turns"])
    assert 60 < np.mean(lengths) < 130
    assert max(lengths) < 500


@pytest.mark.parametrize("value", [0, -1, 1.5, None, True, "10", 2**31])
def test_the_cap_is_a_whole_number_and_never_none(value: object) -> None:
    with pytest.raises(InvalidOptionError, match="max_turns"):
        make(CUBELESS, max_turns=value)


# --- time limits of Gymnasium -------------------------------------------------------


def test_a_time_limit_in_the_middle_of_a_double_keeps_the_player_case_63() -> None:
    env = gymnasium.make(CUBELESS, max_episode_steps=2)
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:55:0:0:0:0:10"
    _, info = env.reset(options={"xgid": text})
    env.step(codes_of(info["action_mask"])[-1])
    mask = env.get_wrapper_attr("action_masks")()
    observation, reward, terminated, truncated, info = env.step(codes_of(mask)[-1])
    assert (reward, terminated, truncated) == (0.0, False, True)
    base = env.unwrapped
    assert info["current_player"] == 0
    assert base.state.dice_left == (5, 5)
    seen = base.settings.encoder.observe(base.state.record, [0])[0]
    np.testing.assert_array_equal(observation, seen)
    check_mask(base, info["action_mask"])


def test_a_time_limit_at_the_last_checker_is_an_end_case_63() -> None:
    env = gymnasium.make(CUBELESS, max_episode_steps=1)
    env.reset(options={"xgid": xgid({3: 1}, {8: 15}, dice="65")})
    _, reward, terminated, _, info = env.step(moves((3, 6))[0])
    assert terminated
    assert reward == 2.0
    assert info["winner"] == 0


def test_after_a_time_limit_the_next_episode_is_a_new_game() -> None:
    env = gymnasium.make(CUBELESS, max_episode_steps=3, opponent="random")
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(50):
        steps, truncated = 0, False
        while not truncated:
            _, _, _, truncated, info = env.step(any_of(info["action_mask"], rng))
            steps += 1
        assert steps == 3
        _, info = env.reset()
        assert env.unwrapped.state.turn <= 2
