"""Opponents inside `step`: an ordinary function seen as an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env.encoding import Encoder
from bg_env.envs.actions import code_of
from bg_env.rules.batch import States, legal_masks


class FunctionAgent:
    """A function ``f(observation, action_mask) -> int`` as an agent.

    It sees what a learner in its place would see: the observation of the player to
    act, and the int8 mask of legal decisions.
    """

    def __init__(
        self,
        function: Callable[[NDArray[Any], NDArray[np.int8]], int],
        encoder: Encoder,
    ) -> None:
        """Keep the function and the encoder of its observations."""
        self.name = getattr(function, "__name__", type(function).__name__)
        self.function = function
        self.encoder = encoder

    def act(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Ask the function once per game: int64[B] decision codes.

        Raises:
            IllegalActionError: It returned something outside the action space.
        """
        observations = self.encoder.observe(states)
        masks = legal_masks(states)
        codes = np.zeros(len(states), np.int64)
        for i in range(len(states)):
            answer = self.function(observations[i], masks[i])
            codes[i] = code_of(answer, f"What opponent {self.name!r} returns")
        return codes
