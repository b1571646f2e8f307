"""`SB3VecEnv`: many games for Stable-Baselines3 (extra [sb3])."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from bg_env.envs.registration import IDS
from bg_env.envs.vector import BackgammonVectorEnv
from bg_env.errors import MissingExtraError, UnknownNameError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtraError.of("stable-baselines3", "sb3") from None


Info = dict[str, Any]


class SB3VecEnv(VecEnv):
    """`BackgammonVectorEnv` under the interface of Stable-Baselines3.

    One process steps all games, so MaskablePPO needs no subprocesses. Masks are found
    as sb3-contrib looks for them (``env_method("action_masks")``). At the end of an
    episode ``infos[i]`` has ``terminal_observation``, ``TimeLimit.truncated`` and
    everything the single environment tells at an end.

    Raises:
        MissingExtraError: Stable-Baselines3 is not installed (on import).
    """

    def __init__(
        self,
        env_id: str = "Backgammon-Cubeless-v0",
        num_envs: int = 64,
        **keywords: Any,
    ) -> None:
        """Set the tables.

        Args:
            env_id: "Backgammon-v0", "Backgammon-Cubeless-v0" or "Backgammon-Match-v0".
            num_envs: Number of games.
            **keywords: Of `BackgammonVectorEnv`, but its autoreset mode.

        Raises:
            UnknownNameError: No such id.
            InvalidOptionError: A keyword with a value it cannot have.
        """
        if env_id not in IDS:
            raise UnknownNameError.of("environment", env_id, IDS)
        self.games = BackgammonVectorEnv(
            num_envs,
            **{**IDS[env_id], **keywords, "autoreset_mode": AutoresetMode.SAME_STEP},
        )
        self.render_mode = self.games.render_mode
        self._actions = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs,
            self.games.single_observation_space,
            self.games.single_action_space,
        )

    def reset(self) -> NDArray[Any]:
        """Start all games; seeds set by `seed` are used once."""
        given = any(seed is not None for seed in self._seeds)
        observations, _ = self.games.reset(seed=self._seeds if given else None)
        self._reset_seeds()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions int[B] for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[Info]]:
        """Play the actions kept: (observations, rewards, dones, infos)."""
        step = self.games.step(self._actions)
        observations, rewards, terminated, truncated, told = step
        dones = terminated | truncated
        infos: list[Info] = [{} for _ in range(self.num_envs)]
        if dones.any():
            self._add_endings(infos, dones, terminated, told)
        return observations, rewards.astype(np.float32), dones, infos

    def _add_endings(
        self,
        infos: list[Info],
        dones: NDArray[np.bool_],
        terminated: NDArray[np.bool_],
        told: dict[str, Any],
    ) -> None:
        final = told["final_info"]
        names = [name for name in final if not name.startswith("_")]
        for place in np.flatnonzero(dones).tolist():
            info = infos[place]
            for name in names:
                if final[f"_{name}"][place]:
                    info[name] = final[name][place]
            info["terminal_observation"] = told["final_obs"][place]
            info["TimeLimit.truncated"] = not bool(terminated[place])

    def close(self) -> None:
        """Close the games."""
        self.games.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[B, 162]: the legal decisions of every game."""
        return self.games.action_masks()

    def has_attr(self, attr_name: str) -> bool:
        """True for what a single environment has: `action_masks` and its spaces."""
        return attr_name == "action_masks" or hasattr(self.games, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The value of an attribute, once for each game of `indices`."""
        value = getattr(self.games, attr_name)
        return [value for _ in self._places(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all games at once; it cannot differ among them.

        Raises:
            AttributeError: `indices` names some of the games only.
        """
        if len(list(self._places(indices))) != self.num_envs:
            raise AttributeError(
                f"{attr_name!r} is one for all {self.num_envs} games; "
                f"leave indices out."
            )
        setattr(self.games, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method: `action_masks` gives each game its own row bool[162]."""
        places = list(self._places(indices))
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[place] for place in places]
        result = getattr(self.games, method_name)(*args, **kwargs)
        return [result for _ in places]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for every game: none has a wrapper."""
        return [False for _ in self._places(indices)]

    def _places(self, indices: Any) -> Iterable[int]:
        places: Iterable[int] = self._get_indices(indices)
        return places

    def get_images(self) -> list[None]:
        """No pictures."""
        return [None] * self.num_envs
