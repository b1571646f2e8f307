"""Wrappers: the mask inside the observation, and rewards on the way to the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, SupportsFloat, cast

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.envs.backgammon import BackgammonEnv
from bg_env.errors import InvalidOptionError
from bg_env.rules.decisions import DECISIONS
from bg_env.rules.game import GameState

Potential = str | Evaluator | Callable[[GameState], float]

PIPS: Final = "pips"
PIPS_OF_ONE: Final = 100
"""A lead of so many pips is a potential of 1."""

_PLACES: Final = np.arange(26)

Info = dict[str, Any]
AnyEnv = gymnasium.Env[Any, Any]


def backgammon_of(env: AnyEnv) -> BackgammonEnv:
    """The environment inside all wrappers.

    Raises:
        InvalidOptionError: It is none of backgammon.
    """
    inner = env.unwrapped
    if not isinstance(inner, BackgammonEnv):
        raise InvalidOptionError(
            f"This wrapper is for environments of backgammon, not for {env!r}."
        )
    return inner


class DictObservation(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The observation and the mask of legal actions as one ``Dict``.

    ## Observation space
    ``Dict(observation=…, action_mask=Box(0, 1, (162,), int8))``: what the environment
    shows, and ``info["action_mask"]``, which stays where it is.

    ## Arguments
    env: Any environment over `BackgammonEnv`.
    """

    def __init__(self, env: AnyEnv) -> None:
        """Wrap.

        Raises:
            InvalidOptionError: The environment is none of backgammon.
        """
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._inner = backgammon_of(env)
        self.observation_space = gymnasium.spaces.Dict(
            observation=env.observation_space,
            action_mask=gymnasium.spaces.Box(0, 1, (DECISIONS,), np.int8),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], Info]:
        """Start an episode; returns (observation, info)."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.with_mask(observation, info), info

    def step(
        self, action: Any
    ) -> tuple[dict[str, Any], SupportsFloat, bool, bool, Info]:
        """Play one decision; (observation, reward, terminated, truncated, info)."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        shown = self.with_mask(observation, info)
        return shown, reward, terminated, truncated, info

    def with_mask(self, observation: Any, info: Info) -> dict[str, Any]:
        """An observation in the form of this wrapper's space.

        For what methods of the environment inside return, such as `set_state`.
        """
        return {"observation": observation, "action_mask": info["action_mask"].copy()}

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[162]: the legal decisions, computed afresh."""
        return self._inner.action_masks()


class PotentialShaping(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Adds γΦ(s′) − Φ(s) to the reward of every step; the best policy stays as it is.

    ## Rewards
    Φ is what player 0 sees, player 1 sees −Φ; it is 0 where the episode has
    terminated, and itself where it is truncated. The reward is that of the player the
    environment rewards: with his Φ both before and after. ``info["rewards"]`` is
    shaped for both players, ``info["shaping"]`` is what the reward was changed by.
    In s a decision is asked of him, in s′ the next one is asked: of the learner
    against an opponent, of either player in self-play.

    ## Arguments
    env: Any environment over `BackgammonEnv`.
    potential: "pips" (lead in pips / 100), an `Evaluator` (the cubeless equity, as if
        the player on roll had not rolled), or ``f(state: GameState) -> float``, seen
        by player 0.
    gamma: The discount γ that the learner uses, more than 0 and at most 1.
    scale: A factor on Φ.
    """

    def __init__(
        self,
        env: AnyEnv,
        potential: Potential = PIPS,
        *,
        gamma: float = 1.0,
        scale: float = 1.0,
    ) -> None:
        """Wrap.

        Raises:
            InvalidOptionError: The environment is none of backgammon, or a value that
                cannot be.
        """
        RecordConstructorArgs.__init__(
            self, _disable_deepcopy=True, potential=potential, gamma=gamma, scale=scale
        )
        super().__init__(env)
        self._inner = backgammon_of(env)
        self._function = potential_of(potential)
        self.gamma = _number("gamma", gamma)
        self.scale = _number("scale", scale)
        if not 0 < self.gamma <= 1:
            raise InvalidOptionError(
                f"gamma is more than 0 and at most 1, not {gamma!r}."
            )

    def potential(self) -> float:
        """Φ of the running game, scaled, as player 0 sees it.

        Raises:
            InvalidOptionError: The potential is no finite number here.
        """
        state = self._inner.state
        value = self._function(state)
        if not math.isfinite(value):
            raise InvalidOptionError(
                f"A potential is a finite number, not {value!r} as in {state!r}."
            )
        return self.scale * float(value)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Play one decision; (observation, reward, terminated, truncated, info)."""
        inner = self._inner
        player = inner.state.to_act if inner.seat is None else inner.seat
        before = self.potential()
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated else self.potential()
        for_0 = self.gamma * after - before
        first, second = info["rewards"]
        info["rewards"] = (first + for_0, second - for_0)
        info["shaping"] = -for_0 if player else for_0
        shaped = float(reward) + info["shaping"]
        return observation, shaped, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[162]: the legal decisions, computed afresh."""
        return self._inner.action_masks()


# --- potentials, seen by player 0 -----------------------------------------------


def potential_of(potential: Potential) -> Callable[[GameState], float]:
    """The function of a potential.

    Raises:
        InvalidOptionError: Neither "pips", an evaluator nor a function.
    """
    if isinstance(potential, str) and potential == PIPS:
        return pip_potential
    if hasattr(potential, "evaluate") and not isinstance(potential, type):
        return EquityPotential(cast(Evaluator, potential))
    if callable(potential) and not isinstance(potential, type):
        return potential
    raise InvalidOptionError(
        f"potential is {PIPS!r}, an evaluator, or a function f(state) -> float, "
        f"not {potential!r}."
    )


def pip_potential(state: GameState) -> float:
    """Player 0's lead in pips / 100."""
    mover, opponent = (state.record["board"][0, :, :26] @ _PLACES).tolist()
    return _for_player_0(state, (opponent - mover) / PIPS_OF_ONE)


class EquityPotential:
    """Player 0's cubeless equity by an evaluator, the cube not counted."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Keep the evaluator."""
        self.evaluator = evaluator

    def __call__(self, state: GameState) -> float:
        """The equity of one game, as if the player on roll had not rolled."""
        boards = state.record["board"].copy()
        chances = self.evaluator.evaluate(boards)[0].tolist()
        win, gammon, backgammon, lost_gammon, lost_backgammon = chances
        equity = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
        return _for_player_0(state, equity)


def _for_player_0(state: GameState, value: float) -> float:
    """What the player on roll sees, seen by player 0."""
    return -value if state.on_roll else value


def _number(name: str, value: Any) -> float:
    good = isinstance(value, int | float | np.integer | np.floating)
    if not good or isinstance(value, bool) or not math.isfinite(value):
        raise InvalidOptionError(f"{name} is a finite number, not {value!r}.")
    return float(value)
