"""Gymnasium's own vector environments over this one (CASE 62)."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from env_play import CUBELESS, IDS, MATCH, any_of, codes_of, compiled_only, make
from gymnasium.vector import AutoresetMode

pytestmark = compiled_only


def masks_of(infos: dict, count: int) -> np.ndarray:
    masks = np.stack(list(infos["action_mask"]))
    assert masks.shape == (count, 162)
    return masks


@pytest.mark.parametrize("name", IDS)
def test_next_step_autoreset_ignores_the_action_and_shows_the_new_mask_case_62(
    name: str,
) -> None:
    venv = gymnasium.make_vec(name, 3, vectorization_mode="sync", opponent="random")
    rng = np.random.default_rng(1)
    _, infos = venv.reset(seed=1)
    done = np.zeros(3, bool)
    resets = 0
    for _ in range(1500):
        masks = masks_of(infos, 3)
        assert masks.any(axis=1).all()
        actions = np.array([any_of(mask, rng) for mask in masks])
        _, rewards, terminated, truncated, infos = venv.step(actions)
        assert (rewards[done] == 0).all()
        assert not terminated[done].any()
        for i in np.flatnonzero(done):
            resets += 1
            fresh = venv.envs[i].get_wrapper_attr("action_masks")()
            np.testing.assert_array_equal(masks_of(infos, 3)[i], fresh)
        done = terminated | truncated
    assert resets > 3
    venv.close()


@pytest.mark.parametrize("name", [CUBELESS, MATCH])
def test_same_step_autoreset_keeps_the_final_info_case_62(name: str) -> None:
    venv = gymnasium.make_vec(
        name,
        3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        opponent="random",
    )
    rng = np.random.default_rng(1)
    _, infos = venv.reset(seed=1)
    ended = 0
    for _ in range(1500):
        masks = masks_of(infos, 3)
        actions = np.array([any_of(mask, rng) for mask in masks])
        _, rewards, terminated, _, infos = venv.step(actions)
        for i in np.flatnonzero(terminated):
            ended += 1
            final = infos["final_info"]
            assert codes_of(final["action_mask"][i]) == [0]
            assert final["winner"][i] in (0, 1)
            assert abs(rewards[i]) >= 1
            assert infos["final_obs"][i].shape == (237,)
    assert ended > 3
    venv.close()


def test_environment_i_of_a_vector_is_a_single_one_with_seed_s_plus_i_case_70() -> None:
    venv = gymnasium.make_vec(CUBELESS, 3, vectorization_mode="sync")
    observations, infos = venv.reset(seed=40)
    for i in range(3):
        env = make(CUBELESS)
        observation, info = env.reset(seed=40 + i)
        np.testing.assert_array_equal(observations[i], observation)
        np.testing.assert_array_equal(masks_of(infos, 3)[i], info["action_mask"])
    venv.close()
