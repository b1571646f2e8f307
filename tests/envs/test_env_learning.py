"""Masked PPO of sb3-contrib on this environment (CASES 56 to 59)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import CUBELESS, MATCH, MONEY, compiled_only

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from sb3_contrib.common.maskable.evaluation import (  # noqa: E402
    evaluate_policy as evaluate_masked,
)
from sb3_contrib.common.maskable.utils import get_action_masks  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import (  # noqa: E402
    DummyVecEnv,
    SubprocVecEnv,
)

pytestmark = compiled_only


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class CountingIllegal(gymnasium.Wrapper):
    """Counts the illegal actions it sees."""

    illegal = 0

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        self.illegal += "illegal_action" in result[4]
        return result


def maker(name: str, **keywords: Any) -> Callable[[], gymnasium.Env]:
    """A function that makes a monitored environment, also in another process."""

    def monitored() -> gymnasium.Env:
        import bg_env  # noqa: F401  # registers the ids

        return Monitor(gymnasium.make(name, **keywords))

    return monitored


def model_for(venv: Any) -> Any:
    return contrib.MaskablePPO(
        "MlpPolicy", venv, n_steps=128, batch_size=128, n_epochs=2, seed=1, device="cpu"
    )


def test_maskable_ppo_learns_in_four_processes_case_56() -> None:
    """2,000 steps; the masks come from a method of the environment itself."""
    venv = SubprocVecEnv([maker(MONEY, opponent="random") for _ in range(4)])
    try:
        masks = get_action_masks(venv)
        assert masks.shape == (4, 162)
        assert masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        model = model_for(venv)
        model.learn(2_000)
        assert model.num_timesteps >= 2_000
        finished = list(model.ep_info_buffer)
        assert finished
        # an illegal action would have cost a backgammon before the game was over
        assert all(info["l"] > 1 for info in finished)
    finally:
        venv.close()


def test_masks_and_seeds_go_through_processes_case_70() -> None:
    """The same games in processes as in this one."""
    shown = []
    for kind in (SubprocVecEnv, DummyVecEnv):
        venv = kind([maker(MATCH) for _ in range(2)])
        venv.seed(7)
        seen: list[Any] = [venv.reset().tobytes()]
        for _ in range(60):
            masks = get_action_masks(venv)
            observations, rewards, dones, _ = venv.step(masks.argmax(axis=1))
            seen.append((observations.tobytes(), rewards.tolist(), dones.tolist()))
        shown.append(seen)
        venv.close()
    assert shown[0] == shown[1]


def test_a_masked_evaluation_makes_no_illegal_action_case_58() -> None:
    env = CountingIllegal(gymnasium.make(CUBELESS, opponent="random"))
    model = model_for(DummyVecEnv([maker(CUBELESS, opponent="random")]))
    rewards, lengths = evaluate_masked(
        model, Monitor(env), n_eval_episodes=4, return_episode_rewards=True
    )
    assert env.illegal == 0
    assert all(abs(reward) in (1.0, 2.0, 3.0) for reward in rewards)
    assert min(lengths) > 5


def test_an_evaluation_without_masks_comes_to_an_end_case_58() -> None:
    """It is worth nothing, though: each episode ends with an illegal action."""
    env = CountingIllegal(gymnasium.make(CUBELESS, opponent="random"))
    model = model_for(DummyVecEnv([maker(CUBELESS, opponent="random")]))
    mean, _ = evaluate_policy(model, Monitor(env), n_eval_episodes=6)
    assert env.illegal >= 1
    assert mean < 0


def test_masked_actions_are_never_drawn_case_59() -> None:
    """162 actions: far below the sizes at which a softmax of float32 is off."""
    venv = DummyVecEnv([maker(CUBELESS) for _ in range(2)])
    model = model_for(venv)
    observations = venv.reset()
    for _ in range(200):
        masks = get_action_masks(venv)
        actions, _ = model.predict(observations, action_masks=masks)
        assert masks[np.arange(2), actions].all()
        observations, _, _, _ = venv.step(actions)
