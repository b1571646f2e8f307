"""The vector environment of Stable-Baselines3: masks, endings, training."""

from __future__ import annotations

import numpy as np
import pytest

from bg_env import InvalidOptionError, UnknownNameError
from bg_env.envs.vector import BackgammonVectorEnv

pytest.importorskip("sb3_contrib", reason="needs the extra [sb3]")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from bg_env.envs.sb3 import SB3VecEnv


def first_legal(venv):
    return venv.action_masks().argmax(axis=1)


def test_masks_are_found_as_sb3_contrib_looks_for_them():
    venv = SB3VecEnv(num_envs=5)
    venv.seed(1)
    venv.reset()
    assert is_masking_supported(venv)
    masks = get_action_masks(venv)
    assert masks.shape == (5, 162)
    assert masks.dtype == np.bool_
    assert masks.any(axis=1).all()
    assert len(venv.env_method("action_masks", indices=[1, 3])) == 2


def test_games_equal_those_of_the_vector_environment():
    venv = SB3VecEnv("Backgammon-v0", 6, opponent="random")
    vector = BackgammonVectorEnv(
        6, "standard", opponent="random", autoreset_mode="SAME_STEP"
    )
    venv.seed(3)
    mine = venv.reset()
    theirs, _ = vector.reset(seed=3)
    dones_seen = 0
    for _ in range(150):
        np.testing.assert_array_equal(mine, theirs)
        actions = first_legal(venv)
        mine, rewards, dones, infos = venv.step(actions)
        theirs, others, terminated, truncated, told = vector.step(actions)
        np.testing.assert_array_equal(rewards, others.astype(np.float32))
        np.testing.assert_array_equal(dones, terminated | truncated)
        for place in np.flatnonzero(dones):
            dones_seen += 1
            info = infos[place]
            np.testing.assert_array_equal(
                info["terminal_observation"], told["final_obs"][place]
            )
            assert info["TimeLimit.truncated"] is False
            assert info["winner"] in (0, 1)
    assert dones_seen > 0


def test_a_capped_game_is_marked_as_truncated():
    venv = SB3VecEnv(num_envs=3, max_turns=3)
    venv.seed(0)
    venv.reset()
    for _ in range(30):
        _, _, dones, infos = venv.step(first_legal(venv))
        if dones.any():
            break
    place = int(np.flatnonzero(dones)[0])
    assert infos[place]["TimeLimit.truncated"] is True
    assert "winner" not in infos[place]


def test_maskable_ppo_trains_and_is_evaluated_without_subprocesses():
    import torch

    torch.set_num_threads(1)
    venv = VecMonitor(SB3VecEnv(num_envs=16, opponent="random"))
    model = MaskablePPO("MlpPolicy", venv, n_steps=32, batch_size=128, seed=0)
    model.learn(1024)
    assert model.num_timesteps == 1024
    mean, _ = evaluate_policy(model, venv, n_eval_episodes=8)
    assert -3 <= mean <= 3


def test_attributes_and_wrappers_are_answered_per_game():
    venv = SB3VecEnv(num_envs=4)
    assert venv.get_attr("render_mode") == [None] * 4
    assert venv.env_is_wrapped(VecMonitor) == [False] * 4
    assert not venv.has_attr("wings")
    with pytest.raises(AttributeError, match="leave indices out"):
        venv.set_attr("copy", False, indices=[0])
    venv.close()


def test_bad_arguments_are_refused_with_their_value():
    with pytest.raises(UnknownNameError, match="'Chess-v0'"):
        SB3VecEnv("Chess-v0")
    with pytest.raises(InvalidOptionError, match="not 0"):
        SB3VecEnv(num_envs=0)
