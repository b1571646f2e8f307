"""What the PettingZoo environments share: agents, masked observations, endings."""

from __future__ import annotations

import functools
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from bg_env.envs.settings import RenderModeError
from bg_env.errors import MissingExtraError, UnknownNameError
from bg_env.rules.decisions import DECISIONS, PASS

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError:
    raise MissingExtraError.of("pettingzoo", "pettingzoo") from None

RENDER_MODES: Final = ("human", "ansi")

AgentDict = dict[str, Any]
Observation = dict[str, NDArray[Any]]
Arguments = ParamSpec("Arguments")


@dataclass
class News:
    """What one step has brought."""

    rewards: Sequence[float]
    """By player; they add up to 0."""
    finished: set[int] = field(default_factory=set)
    """Players for whom the episode is over."""
    truncated: bool = False
    """The episode was cut off for all."""


class MaskedAEC(AECEnv):  # type: ignore[misc]
    """Players ``player_0``, ``player_1`` … who decide one at a time, by a mask.

    ## Action space
    ``Discrete(162)`` for every agent: the decision codes of
    `bg_env.rules.decisions`.

    ## Observation space
    ``Dict``: ``observation``, a ``Box``, and ``action_mask``, int8[162]. Every agent
    has an observation at any time; who is not asked has the mask of code 0 alone.

    ## Rewards and endings
    Rewards add up to zero at every step. A player whose episode is over gets his last
    reward once, takes one ``step(None)``, and is gone.

    Subclasses write `_begin`, `_play`, `_to_act`, `_observation`, `_mask`, `_text` and
    may add to infos by `_info`.
    """

    render_mode: str | None

    def _set_up(self, count: int, box: Box, render_mode: str | None) -> None:
        """Make agents and spaces for `count` players."""
        if render_mode not in (None, *RENDER_MODES):
            listed = ", ".join(map(repr, RENDER_MODES))
            raise RenderModeError(
                f"render_mode is one of None, {listed}, not {render_mode!r}."
            )
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(count)]
        self.agents: list[str] = []
        self._numbers = {name: i for i, name in enumerate(self.possible_agents)}
        mask = Box(0, 1, (DECISIONS,), np.int8)
        self.action_spaces = {name: Discrete(DECISIONS) for name in self._numbers}
        self.observation_spaces = {
            name: Dict(
                {
                    "observation": Box(box.low, box.high, dtype=box.dtype.type),
                    "action_mask": mask,
                }
            )
            for name in self._numbers
        }

    # --- what a subclass writes -------------------------------------------------------

    @abstractmethod
    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Start an episode."""

    @abstractmethod
    def _play(self, player: int, action: Any) -> News:
        """Carry out an action, or raise and leave everything as it was."""

    @abstractmethod
    def _to_act(self) -> int:
        """The player who is asked now."""

    @abstractmethod
    def _observation(self, player: int) -> NDArray[Any]:
        """What a player sees."""

    @abstractmethod
    def _mask(self, player: int) -> NDArray[np.int8]:
        """What the player asked may decide: int8[162]."""

    @abstractmethod
    def _text(self) -> str:
        """The board as text."""

    def _info(self, player: int) -> dict[str, Any]:
        """What else a player is told."""
        return {}

    # --- PettingZoo -------------------------------------------------------------------

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of an agent's observations: always the same object."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of an agent's actions: always the same object."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if agent not in self._numbers:
            raise UnknownNameError.of("agent", agent, self._numbers)
        return agent

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Start an episode.

        Args:
            seed: Fixes dice and seats of this and all following episodes. Without
                one they go on. (``action_space(agent).seed`` is separate.)
            options: What the environment's own documentation names.
        """
        self._begin(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards: AgentDict = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards: AgentDict = dict.fromkeys(self.agents, 0)
        self.terminations: AgentDict = dict.fromkeys(self.agents, False)
        self.truncations: AgentDict = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._tell()
        self.agent_selection = self.possible_agents[self._to_act()]
        self._show()

    def step(self, action: Any) -> None:
        """Play an action of the agent selected; None for one whose episode is over.

        Raises:
            IllegalActionError: Not an action, or one that the environment refuses;
                nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        news = self._play(self._numbers[agent], action)
        self._cumulative_rewards[agent] = 0
        for name in self.agents:
            number = self._numbers[name]
            self.rewards[name] = news.rewards[number]
            self.terminations[name] = number in news.finished
            self.truncations[name] = news.truncated
        self._accumulate_rewards()
        self._tell()
        self.agent_selection = self.possible_agents[self._to_act()]
        self._deads_step_first()
        self._show()

    def _known_options(
        self, options: dict[str, Any] | None, names: Sequence[str]
    ) -> dict[str, Any]:
        """The reset options of these names; a warning for each of the others."""
        given = dict(options or {})
        for name in sorted(given.keys() - set(names)):
            warnings.warn(
                f"Reset option {name!r} is unknown and ignored; known: "
                f"{', '.join(names)}.",
                UserWarning,
                stacklevel=4,
            )
        return {name: value for name, value in given.items() if name in names}

    def _tell(self) -> None:
        self.infos = {name: self._info(self._numbers[name]) for name in self.agents}

    def observe(self, agent: str) -> Observation:
        """What an agent sees now: ``observation`` and ``action_mask``."""
        player = self._numbers[self._known(agent)]
        mask = self._mask(player) if self._is_asked(agent) else _only_pass()
        return {"observation": self._observation(player), "action_mask": mask}

    def _is_asked(self, agent: str) -> bool:
        """True when the agent is selected and his episode goes on."""
        is_over = agent not in self.agents or (
            self.terminations[agent] or self.truncations[agent]
        )
        return agent == self.agent_selection and not is_over

    def render(self) -> str | None:
        """The board as text: returned in mode "ansi", printed in mode "human"."""
        if self.render_mode == "ansi":
            return self._text()
        self._show()
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._text())

    def close(self) -> None:
        """Nothing to release."""


def _only_pass() -> NDArray[np.int8]:
    mask = np.zeros(DECISIONS, np.int8)
    mask[PASS] = 1
    return mask


def enforced(kind: Callable[Arguments, MaskedAEC]) -> Callable[Arguments, Any]:
    """A maker of these environments with PettingZoo's check of call order around."""

    @functools.wraps(kind, updated=())
    def make(*arguments: Arguments.args, **keywords: Arguments.kwargs) -> Any:
        return OrderEnforcingWrapper(kind(*arguments, **keywords))

    return make
