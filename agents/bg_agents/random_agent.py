"""An agent that plays at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_agents._random import choose_any
from bg_env.agent import PlayChooser
from bg_env.rules.batch import States

__all__ = ["RandomAgent"]


class RandomAgent(PlayChooser):
    """Any of the distinct results of the roll, each equally likely.

    It is uniform over positions, not over sequences of moves: a result that many
    sequences lead to is not drawn more often. One number of the game's stream is
    used for each choice, also for a forced one.

    Asked for single decisions (`act`), it draws anew among the results still to be
    reached after every move. Whole plays (`plays`) are uniform over the results of
    the roll; a turn put together of single decisions is not exactly so.
    """

    name = "random"

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]."""
        chosen = np.empty(len(states), np.int64)
        choose_any(offsets, streams, chosen)
        return chosen
