"""A greedy agent of four plain rules of thumb."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_agents._pip_race import choose_first_ranked
from bg_env.agent import PlayChooser
from bg_env.rules.batch import States

__all__ = ["PipRaceAgent"]


class PipRaceAgent(PlayChooser):
    """Safe first, then hitting, then home: greedy, and the same every time.

    Of the results of a roll it takes the one that is best in the first of these
    counts in which they differ:

    1. *Safe.* Fewest exposed blots: single checkers on a point that an opposing
       checker has yet to pass (one on the bar has yet to pass them all). A blot out
       of contact cannot be hit and does not count.
    2. *Hit.* Most pips of the opponent after the play. Only hits change them: a
       checker hit on the opponent's point q goes back 25 − q, so of two hits the
       one that costs him more is made, and two hits rather than one.
    3. *Home.* Fewest crossovers to go: quarters of the board that the checkers have
       yet to leave, bearing off being the last. Plays of one roll mostly move the
       same pips; those that cross over bring a checker into play for bearing off
       sooner. With all checkers home this is: bear off as many as possible.
    4. *Race.* Fewest own pips, that is, least waste in bearing off.

    What is equal in all four goes by the order of the generator: the first.

    The order makes sense for a beginner's plan, to win the race without being hit: a
    blot hit loses more pips than any play gains, a hit gains more than any way home.
    It builds no points and no primes, so a player who does beats it. A play that ends
    the game needs no rule of its own: it leaves no blot, and a checker that hits
    instead would be one.
    """

    name = "pip-race"

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        boards = np.ascontiguousarray(boards)
        chosen = np.empty(len(states), np.int64)
        choose_first_ranked(boards, boards.view(np.uint64), offsets, chosen)
        return chosen
