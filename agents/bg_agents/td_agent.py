"""`TdAgent`: plays what a network rates highest, and is an evaluator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bg_agents.nets import Net
from bg_env.agent import PlayChooser
from bg_env.rules.batch import States
from bg_env.search.lookahead import SearchAgent, check_plies


class TdAgent(PlayChooser):
    """A network of TD(λ) self-play, which may look ahead.

    Of the distinct results of a roll it plays the one with the highest cubeless money
    equity. It has no cube policy. Looking ahead it is a `SearchAgent` on its network.
    """

    name = "td"

    def __init__(self, path: str | Path | Net | None = None, plies: int = 0) -> None:
        """Load weights.

        Args:
            path: A weights file that ``bg-env train`` wrote, or a `Net`; None = the
                network that comes with the package.
            plies: How far to look ahead, 0 to 4; 0 = the network alone.

        Raises:
            InvalidOptionError: No such file, not such a file, or another depth.
        """
        if isinstance(path, Net):
            self.net = path
        elif path is None:
            self.net = Net.shipped("td")
        else:
            self.net = Net.load(path)
            self.name = f"td:{path}"
        self.plies = check_plies(plies)
        self._rater: Net | SearchAgent = self.net
        if self.plies:
            self._rater = SearchAgent(TdAgent(self.net), self.plies)
            self.name = f"{self.name}@{self.plies}ply"

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        if isinstance(self._rater, SearchAgent):
            return self._rater.choose(states, boards, offsets, streams)
        return self.net.choose(boards, offsets)

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 on roll.
        """
        return self._rater.evaluate(boards)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth to the player on roll: float32[B, 21, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self._rater.roll_chances(boards)

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each roll is worth, and what its play leads to.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Returns:
            (float32[B, 21, 5], int8[B, 21, 2, 32], row 0 having moved).
        """
        return self._rater.roll_results(boards)
