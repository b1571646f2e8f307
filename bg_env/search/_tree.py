"""The work of looking ahead: what positions and plays are worth at some depth."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.rules.movegen import ROLLS
from bg_env.search._distinct import distinct_boards
from bg_env.search.filters import Filters, best_kept, is_alone, promising
from bg_env.search.rolls import (
    ROLL_WEIGHTS,
    equity,
    other_view,
    plays_of_rolls,
    plays_or_pass,
    rate_results,
    roll_results,
    write_finished,
)

_AT_ONCE: Final = 512  # positions whose rolls are played together
_PLAYED_AT_ONCE: Final = 64  # positions of which all plays of all rolls are compared


class Tree:
    """What positions and plays are worth at some depth.

    Leaves are rated in large batches, a bounded number of positions at a time, and
    equal positions of a batch once.
    """

    def __init__(
        self, evaluator: Evaluator, filters: Filters, *, inside: bool = False
    ) -> None:
        """Remember them.

        Args:
            evaluator: Rates the leaves.
            filters: Sift the plays that are chosen `plies` deep, one for each ply.
            inside: Whether that holds for replies inside the tree, too; else the
                evaluator itself chooses them.
        """
        self.evaluator = evaluator
        self.filters = filters
        self.inside = inside

    def values(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        """The five chances of row 0, on roll: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], C-contiguous; games may be over.
            plies: How deep.
        """
        first, kind = distinct_boards(boards)
        distinct = boards[first]
        chances = np.empty((len(distinct), 5), np.float32)
        live = np.flatnonzero(write_finished(distinct, chances))
        if len(live):
            chances[live] = self._live_values(distinct[live], plies)
        return chances[kind]

    def after(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        """The five chances of row 0, which has just moved: float32[P, 5]."""
        following = np.ascontiguousarray(boards[:, ::-1])
        return other_view(self.values(following, plies))

    def _live_values(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        if plies == 0:
            return np.asarray(self.evaluator.evaluate(boards), np.float32)
        chances, _ = self.rolls(boards, plies - 1, sifted=self.inside)
        return mean_of_rolls(chances).astype(np.float32)

    def rolls(
        self, boards: NDArray[np.int8], plies: int, *, sifted: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each of the 21 rolls is worth, and what the plays lead to.

        Args:
            boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.
            plies: How deep the positions after the plays are looked at.
            sifted: Whether plays are chosen as deep, among those that pass the
                filters; else the evaluator itself chooses them.

        Returns:
            (float32[B, 21, 5] for row 0, int8[B, 21, 2, 32], row 0 having moved).
        """
        way, size = self._quick_rolls, _AT_ONCE
        if sifted and plies:
            way, size = self._sifted_rolls, _PLAYED_AT_ONCE
        chances = np.empty((len(boards), len(ROLLS), 5), np.float32)
        results = np.empty((len(boards), len(ROLLS), 2, 32), np.int8)
        for start in range(0, len(boards), size):
            part = slice(start, start + size)
            chances[part], results[part] = way(boards[part], plies)
        return chances, results

    def _quick_rolls(
        self, boards: NDArray[np.int8], plies: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        chances, results = roll_results(self.evaluator, boards)
        if plies == 0:
            return nested(chances), results
        rated = self.after(results.reshape(-1, 2, 32), plies)
        return rated.reshape(chances.shape), results

    def _sifted_rolls(
        self, boards: NDArray[np.int8], plies: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        plays, offsets = plays_of_rolls(boards)
        chances, kept = self.rate_plays(plays, offsets, plies)
        best = best_kept(chances, kept, offsets)
        shape = (len(boards), len(ROLLS))
        return chances[best].reshape(*shape, 5), plays[best].reshape(*shape, 2, 32)

    def play(
        self, boards: NDArray[np.int8], rolls: NDArray[np.int8], plies: int
    ) -> NDArray[np.int8]:
        """The positions after the best plays, row 0 having moved: int8[B, 2, 32].

        Args:
            boards: int8[B, 2, 32], row 0 to play.
            rolls: int8[B, 2].
            plies: How deep the plays are compared.
        """
        plays, offsets = plays_or_pass(boards, rolls)
        chances, kept = self.rate_plays(plays, offsets, plies, forced=False)
        best: NDArray[np.int8] = plays[best_kept(chances, kept, offsets)]
        return best

    def rate_plays(
        self,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        plies: int,
        *,
        forced: bool = True,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Rate the plays of many rolls deeper and deeper, sifting on the way.

        Args:
            boards: int8[P, 2, 32] after each play, row 0 having moved.
            offsets: int64[B + 1], as for `best_of_each`.
            plies: How deep.
            forced: Whether the only play left of a roll is rated, too; not needed to
                choose.

        Returns:
            (chances float32[P, 5] as deep as each play was looked at, kept bool[P]:
            those looked at to the end.)
        """
        chances = rate_results(self.evaluator, boards)
        kept = np.ones(len(boards), np.bool_)
        for depth in range(1, plies + 1):
            sieve = self.filters[depth - 1]
            if sieve is not None:
                kept = promising(equity(chances), kept, offsets, sieve)
            if depth < plies and self.filters[depth] is None:
                continue
            asked = kept if forced else kept & ~is_alone(kept, offsets)
            chances[asked] = self.after(boards[asked], depth)
        return chances, kept


def mean_of_rolls(chances: NDArray[Any]) -> NDArray[np.float64]:
    """The mean of chances [B, 21, 5] over the rolls: float64[B, 5]."""
    total = np.zeros((len(chances), 5))
    for roll, weight in enumerate(ROLL_WEIGHTS):  # one order of summation for any B
        total += weight * chances[:, roll]
    return total


def nested(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Chances [..., 5] of which none exceeds the one that it is part of. In place."""
    for part, whole in (
        (chances[..., 1], chances[..., 0]),
        (chances[..., 2], chances[..., 1]),
        (chances[..., 3], 1 - chances[..., 0]),
        (chances[..., 4], chances[..., 3]),
    ):
        np.minimum(part, whole, out=part)
    return chances
