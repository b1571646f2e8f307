"""Looking ahead n plies with any evaluator.

One ply is one more roll looked at, as GNU Backgammon counts: at 0 plies the evaluator
itself is asked.

::

    from bg_env.search import SearchAgent, lookahead_chances

    td = make_agent("td")
    lookahead_chances(td, boards, 2)  # float32[B, 5]
    SearchAgent(td, 1).best_play(Position.start(), (3, 1))
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, PlayChooser
from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import States
from bg_env.search._tree import Tree
from bg_env.search.filters import (
    Filters,
    best_kept,
    check_filters,
    default_filters,
)

MOST_PLIES: Final = 4


def check_plies(plies: Any, most: int = MOST_PLIES) -> int:
    """The depth as an int.

    Raises:
        InvalidOptionError: Not a whole number of 0 to `most`.
    """
    whole = isinstance(plies, int | np.integer) and not isinstance(plies, bool)
    if not whole or not 0 <= plies <= most:
        raise InvalidOptionError(
            f"A search looks 0 to {most} whole plies ahead, not {plies!r}."
        )
    return int(plies)


def check_boards(boards: Any) -> NDArray[np.int8]:
    """The boards, C-contiguous.

    Raises:
        InvalidOptionError: Not int8[B, 2, 32].
    """
    array = np.asarray(boards)
    if array.dtype != np.int8 or array.ndim != 3 or array.shape[1:] != (2, 32):
        raise InvalidOptionError(
            f"Boards are an array int8[B, 2, 32], not {array.dtype}"
            f"{list(array.shape)!r}."
        )
    return np.ascontiguousarray(array)


def lookahead_chances(
    evaluator: Evaluator,
    boards: NDArray[np.int8],
    plies: int,
    *,
    filters: Filters | None = None,
) -> NDArray[np.float32]:
    """The five chances of the player on roll, looking `plies` rolls ahead.

    At 0 plies what the evaluator says; at n plies the mean over the 21 rolls of what
    the position after the best play of each is worth at n − 1 plies. A finished game is
    valued exactly (R17), and none that a play has won is rolled on.

    Args:
        evaluator: Rates the leaves.
        boards: int8[B, 2, 32], row 0 on roll. Not checked but for the shape.
        plies: 0 to 4.
        filters: None = the best play of a roll is what the evaluator itself rates
            highest. Else it is chosen as deep as it is then looked at, among those
            that pass, with a filter for each of plies − 1 depths (`Filters`).

    Returns:
        float32[B, 5], each board's the same alone as in any batch.

    Raises:
        InvalidOptionError: Another depth, boards of another shape, too few filters.
    """
    plies = check_plies(plies)
    inside = filters is not None
    sieves = check_filters(filters or (), max(plies - 1, 0) if inside else 0)
    tree = Tree(evaluator, sieves, inside=inside)
    return tree.values(check_boards(boards), plies)


class SearchAgent(PlayChooser):
    """Any evaluator, looking ahead: chooses plays, and is an evaluator itself.

    All plays of a roll are rated by the evaluator. Those that pass the filters are
    looked at deeper, and the one of the highest cubeless money equity is made. Has no
    cube policy. The games of a batch are searched together.

    Attributes:
        name: That of the evaluator with the depth: "td@1ply".
        evaluator: Rates the leaves.
        plies: How far it looks ahead.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        plies: int = 1,
        *,
        filters: Filters | None = None,
        filter_inside: bool = False,
    ) -> None:
        """Choose depth and filters.

        Args:
            evaluator: Anything with `name` and `evaluate(boards)`.
            plies: 0 to 4.
            filters: What is kept of the plays at 0, 1 … plies − 1 plies
                (`Filters`); None = `default_filters`.
            filter_inside: Whether replies inside the tree are chosen in the same way,
                as deep as they are looked at, and not by the evaluator itself.

        Raises:
            InvalidOptionError: Another depth, filters that are none, or no evaluator.
        """
        self.plies = check_plies(plies)
        if not callable(getattr(evaluator, "evaluate", None)):
            raise InvalidOptionError(
                f"A search needs an evaluator, with a name and evaluate(boards), not "
                f"{evaluator!r}."
            )
        chosen = default_filters(self.plies) if filters is None else filters
        self.filters = check_filters(chosen, self.plies)
        self.evaluator = evaluator
        name = str(evaluator.name)
        self.name = f"{name}@{self.plies}ply" if self.plies else name
        self._tree = Tree(evaluator, self.filters, inside=bool(filter_inside))

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        chances, kept = self._tree.rate_plays(boards, offsets, self.plies, forced=False)
        return best_kept(chances, kept, offsets)

    def rate_plays(
        self, boards: NDArray[np.int8], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Rate the plays of many rolls.

        Args:
            boards: int8[P, 2, 32] after each play, row 0 having moved.
            offsets: int64[B + 1]; plays of roll i are offsets[i] .. offsets[i+1] − 1,
                at least one each.

        Returns:
            (chances float32[P, 5] of the mover, as deep as each play was looked at;
            bool[P], which passed all filters: only those are rated `plies` deep).
        """
        return self._tree.rate_plays(check_boards(boards), offsets, self.plies)

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self._tree.values(check_boards(boards), self.plies)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth, played as this agent plays them.

        Args:
            boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.

        Returns:
            float32[B, 21, 5].
        """
        return self.roll_results(boards)[0]

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each of the 21 rolls is worth, and what its play leads to.

        Args:
            boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.

        Returns:
            (float32[B, 21, 5], int8[B, 21, 2, 32], row 0 having moved).
        """
        return self._tree.rolls(check_boards(boards), self.plies, sifted=True)
