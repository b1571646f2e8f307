"""Backgammon of two players as a PettingZoo environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from bg_env.encoding import Encoder, RewardSpec
from bg_env.envs.aec import RENDER_MODES, MaskedAEC, News, enforced
from bg_env.envs.backgammon import BackgammonEnv
from bg_env.envs.options import OPTIONS
from bg_env.envs.settings import DEFAULT_MAX_TURNS, SELF, Episode, IllegalAction
from bg_env.rendering.ansi import render
from bg_env.rules.options import Rules

_OURS = ("action_mask", "rewards")  # what of the infos has a place of its own here


class BackgammonAEC(MaskedAEC):
    """Backgammon of two players, money or match, over `BackgammonEnv` in self-play.

    ``player_0`` is player 0 of the state for the whole episode. Everything about a
    step, such as what an illegal action brings, is as in `BackgammonEnv`.

    ## Arguments
    As `BackgammonEnv` has them: rules, match_length, observation, reward,
    reward_scale, illegal_action, auto_pass, max_turns, episode; render_mode None,
    "ansi" or "human" (printed at every step).

    ## Reset options
    As `BackgammonEnv` has them. Others are ignored with a warning.

    ## Version history
    v0: first version; decision codes v1, encoder ``tesauro-v1``.
    """

    metadata = {  # noqa: RUF012
        "name": "backgammon_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        rules: Rules | str | None = None,
        *,
        match_length: int | None = None,
        observation: str | Encoder = "tesauro",
        reward: str | RewardSpec | None = None,
        reward_scale: float = 1.0,
        illegal_action: IllegalAction = "terminate",
        auto_pass: bool = True,
        max_turns: int = DEFAULT_MAX_TURNS,
        episode: Episode | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Check the arguments; `reset` starts a game.

        Raises:
            InvalidOptionError: A value or combination that cannot be.
            UnknownNameError: A preset or encoder nobody knows.
        """
        self._env = BackgammonEnv(
            rules,
            match_length=match_length,
            opponent=SELF,
            observation=observation,
            reward=reward,
            reward_scale=reward_scale,
            illegal_action=illegal_action,
            auto_pass=auto_pass,
            max_turns=max_turns,
            episode=episode,
        )
        box = self._env.observation_space
        assert isinstance(box, Box)
        self._set_up(2, box, render_mode)
        self._told: dict[str, Any] = {}

    @property
    def env(self) -> BackgammonEnv:
        """The environment underneath, in self-play."""
        return self._env

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        known = self._known_options(options, OPTIONS)
        _, info = self._env.reset(seed=seed, options=known)
        self._told = info

    def _play(self, player: int, action: Any) -> News:
        _, _, terminated, truncated, info = self._env.step(action)
        self._told = info
        finished = {0, 1} if terminated else set()
        return News(info["rewards"], finished, truncated)

    def _info(self, player: int) -> dict[str, Any]:
        return {k: v for k, v in self._told.items() if k not in _OURS}

    def _to_act(self) -> int:
        return self._env.state.to_act

    def _observation(self, player: int) -> NDArray[Any]:
        observed: NDArray[Any] = self._env.settings.encoder.observe(
            self._env.state.record, [player]
        )[0]
        return observed

    def _mask(self, player: int) -> NDArray[np.int8]:
        return self._env.action_masks().astype(np.int8)

    def _text(self) -> str:
        return render(self._env.state)


raw_env = BackgammonAEC
env = enforced(BackgammonAEC)
