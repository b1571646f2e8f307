"""`TdAgent`: plays what a network rates highest, and is an evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bg_agents._net import choose_all
from bg_agents.nets import Net
from bg_env.agent import PlayChooser
from bg_env.rules.batch import States


class TdAgent(PlayChooser):
    """A network of TD(λ) self-play, without looking ahead.

    Of the distinct results of a roll it plays the one with the highest cubeless money
    equity. It has no cube policy.
    """

    name = "td"

    def __init__(self, path: str | Path | Net | None = None) -> None:
        """Load weights.

        Args:
            path: A weights file that ``bg-env train`` wrote, or a `Net`; None = the
                network that comes with the package.

        Raises:
            InvalidOptionError: No such file, or not such a file.
        """
        if isinstance(path, Net):
            self.net = path
        elif path is None:
            self.net = Net.shipped("td")
        else:
            self.net = Net.load(path)
            self.name = f"td:{path}"
        self._weights = self.net.weights
        self._scratch = self.net.scratch()

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        chosen = np.empty(len(states), np.int64)
        choose_all(
            boards,
            boards.view(np.uint64),
            offsets,
            self._weights,
            self._scratch,
            chosen,
        )
        return chosen

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 on roll.
        """
        return self.net.evaluate(boards)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth to the player on roll: float32[B, 21, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.net.roll_chances(boards)
