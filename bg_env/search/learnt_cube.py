"""Evaluators that have learnt what positions are worth with the cube.

An evaluator may have a method ``cube_equities(boards)``. In money play its equities
take the place of Janowski's formulas, in plays, cube decisions, searches and rollouts.
"""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, PlayChooser, RatingAgent
from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import States
from bg_env.search._cube import DOUBLE_TAKE, NO_DOUBLE, Cubes
from bg_env.search.rolls import equity, roll_results, write_finished

__all__ = [
    "CENTRED",
    "JACOBY",
    "OTHER",
    "OWN",
    "CubeRater",
    "LearntCube",
    "learnt_equities",
]

# Where the cube lies: the columns of learnt equities.
CENTRED: Final = 0  # in the middle, and gammons count
OWN: Final = 1
OTHER: Final = 2
JACOBY: Final = 3  # in the middle, and gammons do not count while it lies there
PLACES: Final = 4

Equities = NDArray[np.float32]


@runtime_checkable
class CubeRater(Protocol):
    """What has learnt the cube."""

    def cube_equities(self, boards: NDArray[np.int8]) -> Equities:
        """What positions are worth if the player on roll does not double now.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Returns:
            float32[B, 4]: points of row 0 for a cube of 1 that lies in the middle, is
            his own, is the other's, lies in the middle by the Jacoby rule.
        """


def learnt_equities(evaluator: Evaluator, boards: NDArray[np.int8]) -> Equities | None:
    """The learnt equities float32[B, 4], None if the evaluator has not learnt any.

    Those of finished games are exact, whatever it says.

    Raises:
        InvalidOptionError: It gives an array of another shape, or what is no number.
    """
    if not isinstance(evaluator, CubeRater):
        return None
    equities = np.array(evaluator.cube_equities(boards), np.float32)
    if equities.shape != (len(boards), PLACES):
        raise InvalidOptionError(
            f"cube_equities of {evaluator.name!r} gives an array of the shape "
            f"[{len(boards)}, {PLACES}], not {list(equities.shape)}."
        )
    if not np.isfinite(equities).all():
        raise InvalidOptionError(
            f"cube_equities of {evaluator.name!r} gives numbers that are not finite."
        )
    chances = np.zeros((len(boards), 5), np.float32)
    over = ~write_finished(boards, chances)
    equities[over] = equity(chances[over])[:, None]
    equities[over, JACOBY] = 2 * chances[over, 0] - 1
    return equities


def write_learnt(
    cubes: Cubes,
    known: NDArray[np.bool_],
    equities: Equities | None,
    worths: NDArray[np.float64],
) -> None:
    """Put learnt equities in the place of those by the formulas. In place.

    Args:
        cubes: CUBE_DTYPE[B].
        known: bool[B]: where they hold.
        equities: float32[B, 4], or None.
        worths: float64[B, 5].
    """
    if equities is None:
        return
    rows = np.flatnonzero(known & (cubes["backgammon"] == 3))
    some = cubes[rows]
    centred = np.where(some["jacoby"] > 0, JACOBY, CENTRED)
    place = np.choose(some["owner"].astype(np.int64) % 3, [centred, OWN, OTHER])
    worths[rows, NO_DOUBLE] = some["value"] * equities[rows, place]
    worths[rows, DOUBLE_TAKE] = 2 * some["value"] * equities[rows, OTHER]


class LearntCube(PlayChooser):
    """An agent that plays checkers and rates positions, with a cube learnt by another.

    Attributes:
        name: That of the agent.
        agent: Gives the chances and chooses plays without a cube.
        cube: Gives the equities with it.
    """

    def __init__(self, agent: RatingAgent, cube: CubeRater) -> None:
        """Put them together."""
        self.agent, self.cube = agent, cube
        self.name = agent.name

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the play of each game that the agent chooses: int64[B]."""
        return self.agent.choose(states, boards, offsets, streams)

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances by the agent: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.agent.evaluate(boards)

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each roll is worth and leads to by the agent: `rolls.roll_results`.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return roll_results(self.agent, boards)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth by the agent: float32[B, 21, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.roll_results(boards)[0]

    def cube_equities(self, boards: NDArray[np.int8]) -> Equities:
        """What positions are worth by place of the cube: float32[B, 4].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.cube.cube_equities(boards)
