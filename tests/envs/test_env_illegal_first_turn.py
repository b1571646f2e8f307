"""Illegal actions while the learner can only watch the opponent's first turn."""

from __future__ import annotations

from typing import Any

import pytest
from env_play import (
    CUBELESS,
    PASS,
    check_mask,
    codes_of,
    make,
    record_bytes,
    xgid,
)
from gymnasium.error import ResetNeeded

from bg_env import BackgammonEnv, IllegalActionError


def early(policy: str, **keywords: Any) -> BackgammonEnv:
    """The learner (player 0, none off) can only watch player 1 win a gammon."""
    env = make(CUBELESS, illegal_action=policy, opponent="random", seat=0, **keywords)
    text = xgid({8: 15}, {1: 1}, turn=-1, dice="21")
    _, info = env.reset(options={"xgid": text})
    assert codes_of(info["action_mask"]) == [PASS]
    return env


def assert_it_is_still_awaited(env: BackgammonEnv) -> None:
    assert codes_of(env.action_masks()) == [PASS]
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (-2.0, True)
    assert "illegal_action" not in info


def test_terminate_before_the_opponents_first_turn_costs_the_learners_worst() -> None:
    env = early("terminate")
    before = record_bytes(env)
    _, reward, terminated, _, info = env.step(7)
    assert (reward, terminated) == (-3.0, True), "it is the learner who has none off"
    assert info["rewards"] == (-3.0, 3.0)
    assert record_bytes(env) == before
    assert codes_of(info["action_mask"]) == [PASS]
    assert codes_of(env.action_masks()) == [PASS]
    with pytest.raises(ResetNeeded):
        env.step(PASS)
    _, info = env.reset(seed=1)
    check_mask(env, info["action_mask"])


def test_raise_before_the_opponents_first_turn_leaves_it_to_come() -> None:
    env = early("raise")
    before = record_bytes(env)
    for action in (7, 151, 161):
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert record_bytes(env) == before
    assert_it_is_still_awaited(env)


def test_penalize_before_the_opponents_first_turn_leaves_it_to_come() -> None:
    env = early("penalize")
    for _ in range(3):
        _, reward, terminated, _, info = env.step(7)
        assert (reward, terminated) == (-0.1, False)
        assert info["rewards"] == (-0.1, 0.1)
        assert codes_of(info["action_mask"]) == [PASS]
    assert_it_is_still_awaited(env)
    env = early("penalize")
    ends = [env.step(7)[1:3] for _ in range(100)]
    assert ends[:99] == [(-0.1, False)] * 99
    assert ends[99] == (-3.0, True)


def test_random_legal_before_the_opponents_first_turn_passes() -> None:
    env = early("random_legal")
    _, reward, terminated, _, info = env.step(7)
    assert (reward, terminated) == (-2.0, True)
    assert info["illegal_action"] is True
    assert info["played_action"] == PASS
