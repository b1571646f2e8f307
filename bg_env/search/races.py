"""`ExactRaces`: an agent that knows bear-offs by heart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import PlayChooser, RatingAgent
from bg_env.equity.bearoff import bearoff_chances
from bg_env.rules.batch import States
from bg_env.search.rolls import best_of_each, equity, roll_results, without_own_rolls

__all__ = ["ExactRaces"]


class ExactRaces(PlayChooser):
    """Another agent, but with the bear-off tables where both sides are at home.

    There its chances are those of `bg_env.equity.bearoff`, and it plays by them.
    """

    def __init__(self, agent: RatingAgent) -> None:
        """Wrap an agent that gives chances and chooses plays."""
        self.agent = agent
        self.name = agent.name

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]."""
        chosen = self.agent.choose(states, boards, offsets, streams)
        home = np.flatnonzero(_at_home(states["board"]))
        if len(home):
            counts = offsets[home + 1] - offsets[home]
            ends = np.concatenate([[0], np.cumsum(counts)])
            shift = np.repeat(offsets[home] - ends[:-1], counts)
            rows = np.arange(ends[-1]) + shift
            _, chances = bearoff_chances(boards[rows], has_moved=True)
            chosen[home] = rows[best_of_each(equity(chances), ends)]
        return chosen

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        chances = self.agent.evaluate(boards)
        known, exact = bearoff_chances(boards)
        chances[known] = exact[known]
        return chances

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth to the player on roll: float32[B, 21, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.roll_results(boards)[0]

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each roll is worth, and what its play leads to.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Returns:
            (float32[B, 21, 5], int8[B, 21, 2, 32], row 0 having moved).
        """
        chances, results = roll_results(self.agent, boards)
        home = np.flatnonzero(_at_home(boards))
        if len(home):
            chances[home], results[home] = without_own_rolls(self, boards[home])
        return chances, results


def _at_home(boards: NDArray[np.int8]) -> NDArray[np.bool_]:
    """bool[B]: no checker of either side is outside its home."""
    outside: NDArray[np.bool_] = np.any(boards[:, :, 7:26], axis=(1, 2))
    return ~outside
