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


@runtime_checkable
class ResultEvaluator(RollEvaluator, Protocol):
    """An evaluator that also says what the best plays of all rolls lead to."""

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """As the function of that name: float32[B, 21, 5], int8[B, 21, 2, 32]."""
        ...


def equity(chances: NDArray[Any]) -> NDArray[Any]:
    """Cubeless money equity of chances [..., 5]: 2 win − 1 + gammons and backgammons.

    A gammon adds one point and a backgammon another one, on either side.
    """
    win, gammon, backgammon, lost_gammon, lost_backgammon = np.moveaxis(chances, -1, 0)
    result: NDArray[Any] = (
        2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
    )
    return result


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


def write_finished(
    boards: NDArray[np.int8], chances: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Write the exact chances of finished games, for row 0. In place.

    Args:
        boards: int8[B, 2, 32].
        chances: float32[B, 5].

    Returns:
        bool[B]: which games are going on.
    """
    left: NDArray[np.bool_] = (boards[:, :, 1:26] != 0).any(axis=2)
    going = left[:, 0] & left[:, 1]
    if not going.all():
        won, lost = ~left[:, 0], left[:, 0] & ~left[:, 1]
        chances[won] = result_chances(boards[won])
        chances[lost] = other_view(result_chances(boards[lost][:, ::-1]))
    return going


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
    return without_own_rolls(evaluator, boards)[0]


def roll_results(
    evaluator: Evaluator, boards: NDArray[np.int8]
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """What each roll is worth, and the positions that the best plays lead to.

    Args:
        evaluator: Rates the plays; its own method `roll_results` is used if it has one.
        boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.

    Returns:
        (float32[B, 21, 5] as `roll_chances`, int8[B, 21, 2, 32] after the play, row 0
        having moved; the position as it stands when nothing can be played).
    """
    if isinstance(evaluator, ResultEvaluator):
        return evaluator.roll_results(boards)
    return without_own_rolls(evaluator, boards)


def without_own_rolls(
    evaluator: Evaluator, boards: NDArray[np.int8]
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """As `roll_results`, by `evaluate` alone."""
    chances = np.empty((len(boards), len(ROLLS), 5), np.float32)
    results = np.empty((len(boards), len(ROLLS), 2, 32), np.int8)
    for start in range(0, len(boards), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        plays, offsets = plays_of_rolls(boards[part])
        rated = rate_results(evaluator, plays)
        best = best_of_each(equity(rated), offsets)
        chances[part] = rated[best].reshape(-1, len(ROLLS), 5)
        results[part] = plays[best].reshape(-1, len(ROLLS), 2, 32)
    return chances, results


def plays_of_rolls(
    boards: NDArray[np.int8],
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The distinct results of each of the 21 rolls, in the order of `ROLLS`.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.

    Returns:
        (int8[P, 2, 32] after the play, offsets int64[21 · B + 1]); as `plays_or_pass`.
    """
    before = np.repeat(boards, len(ROLLS), axis=0)
    return plays_or_pass(before, np.tile(_ROLLS, (len(boards), 1)))


def plays_or_pass(
    boards: NDArray[np.int8], rolls: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The distinct results of a roll each; the position itself when there are none.

    Args:
        boards: int8[B, 2, 32], row 0 to play.
        rolls: int8[B, 2].

    Returns:
        (int8[P, 2, 32], offsets int64[B + 1]): results of position i are rows
        offsets[i] .. offsets[i + 1] − 1, at least one.
    """
    results, _, offsets = plays_of_boards(boards, rolls)
    none = np.diff(offsets) == 0
    stuck = np.flatnonzero(none)
    if len(stuck):
        results = np.insert(results, offsets[stuck], boards[stuck], axis=0)
        offsets = offsets + np.concatenate([[0], np.cumsum(none)])
    return results, offsets


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
