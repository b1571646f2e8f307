"""The 21 rolls of a position, each played as well as an evaluator can."""

from __future__ import annotations

from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, plays_of_boards

ROLL_WEIGHTS: Final[NDArray[np.float64]] = np.array(ROLL_WAYS) / 36
"""float64[21]: the chance of each of `ROLLS`."""

_ROLLS: Final = np.array(ROLLS, np.int8)
_AT_ONCE: Final = 256  # positions whose plays are rated together
_OTHER_VIEW: Final = [0, 3, 4, 1, 2]


@runtime_checkable
class RollEvaluator(Evaluator, Protocol):
    """An evaluator with a faster way of its own to play all rolls."""

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """As the function of that name: float32[B, 21, 5]."""
        ...


def equity(chances: NDArray[Any]) -> NDArray[Any]:
    """Cubeless money equity of chances [..., 5]: 2 win − 1 + gammons and backgammons.

    A gammon adds one point and a backgammon another one, on either side.
    """
    win, gammon, backgammon, lost_gammon, lost_backgammon = np.moveaxis(chances, -1, 0)
    result: NDArray[Any] = 2 * win - 1 + gammon + backgammon
    return result - lost_gammon - lost_backgammon


def other_view(chances: NDArray[Any]) -> NDArray[Any]:
    """The same chances [..., 5] seen by the other player."""
    seen: NDArray[Any] = chances[..., _OTHER_VIEW]
    seen[..., 0] = 1 - seen[..., 0]
    return seen


def result_chances(boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """Chances float32[B, 5] of finished games that row 0 has won (R17).

    Args:
        boards: int8[B, 2, 32], row 0 without a checker on points and bar.
    """
    chances = np.zeros((len(boards), 5), np.float32)
    chances[:, 0] = 1
    none_off = boards[:, 1, 0] == 0
    chances[:, 1] = none_off
    chances[:, 2] = none_off & (boards[:, 1, 19:26].sum(axis=1) > 0)
    return chances


def rate_results(evaluator: Evaluator, boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """Chances float32[P, 5] of whoever has just moved (row 0); exact when he has won.

    Args:
        evaluator: Rates the other positions, seen by the player who rolls next.
        boards: int8[P, 2, 32].
    """
    chances = np.empty((len(boards), 5), np.float32)
    over = ~boards[:, 0, 1:26].any(axis=1)
    chances[over] = result_chances(boards[over])
    if not over.all():
        following = np.ascontiguousarray(boards[~over][:, ::-1])
        chances[~over] = other_view(np.asarray(evaluator.evaluate(following)))
    return chances


def roll_chances(evaluator: Evaluator, boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """What each roll is worth: chances after the best play of it.

    Best is what has the highest cubeless equity. When nothing can be played, the
    position as it stands counts, the opponent being on roll.

    Args:
        evaluator: Rates the plays; its own method `roll_chances` is used if it has one.
        boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.

    Returns:
        float32[B, 21, 5] for the player on roll, the rolls in the order of
        `bg_env.rules.movegen.ROLLS`.
    """
    if isinstance(evaluator, RollEvaluator):
        return evaluator.roll_chances(boards)
    chances = np.empty((len(boards), len(ROLLS), 5), np.float32)
    for start in range(0, len(boards), _AT_ONCE):
        part = boards[start : start + _AT_ONCE]
        chances[start : start + _AT_ONCE] = _roll_chances(evaluator, part)
    return chances


def _roll_chances(
    evaluator: Evaluator, boards: NDArray[np.int8]
) -> NDArray[np.float32]:
    before = np.repeat(boards, len(ROLLS), axis=0)
    results, _, offsets = plays_of_boards(before, np.tile(_ROLLS, (len(boards), 1)))
    stuck = np.flatnonzero(np.diff(offsets) == 0)
    results = np.insert(results, offsets[stuck], before[stuck], axis=0)
    offsets = offsets + np.concatenate([[0], np.cumsum(np.diff(offsets) == 0)])
    chances = rate_results(evaluator, results)
    best = best_of_each(equity(chances), offsets)
    return chances[best].reshape(len(boards), len(ROLLS), 5)


def best_of_each(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Index of the first highest value of each group: int64[B].

    Args:
        values: [P].
        offsets: int64[B + 1], group i is offsets[i] .. offsets[i + 1] − 1, not empty.
    """
    highest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), np.diff(offsets))
    hits = np.flatnonzero(values == highest)
    best: NDArray[np.int64] = hits[np.searchsorted(hits, offsets[:-1])]
    return best
