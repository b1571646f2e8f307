"""The doubling cube for any evaluator: cubeful equities and cube decisions.

::

    from bg_env.search.cube import cube_decision

    decision = cube_decision(evaluator, states)  # STATE_DTYPE[B], before the roll
    decision.double, decision.take, decision.equities.no_double

The formulas are Janowski's, for money and matches (``docs/cube.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bg_env.agent import Evaluator
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import States
from bg_env.rules.game import GameState
from bg_env.search._cube import CUBE_DTYPE, DOUBLE_PASS, NO_DOUBLE, Cubes
from bg_env.search._cube_search import search_worths
from bg_env.search._cube_worths import (
    Worths,
    check_plies,
    cubes_of_states,
    efficiencies,
    janowski_worths,
    make_cubes,
    may_beaver,
    may_double,
    normalised,
    other_cubes,
    rate_worths,
)
from bg_env.search.learnt_cube import PLACES
from bg_env.search.rolls import write_finished

__all__ = [
    "CUBE_DTYPE",
    "CubeDecision",
    "CubeEquities",
    "cube_decision",
    "cubeful_equity",
    "cubes_of_states",
    "decide_cube",
    "efficiencies",
    "make_cubes",
    "other_cubes",
    "place_equities",
]

CONTACT_EFFICIENCY: Final = 0.68
_PLACES: Final = ((0, False), (1, False), (-1, False), (0, True))  # owner, Jacoby
_SLACK: Final = 1e-9  # worths closer than this are equal


@dataclass(frozen=True, eq=False)
class CubeEquities:
    """What each choice is worth to the player on roll, B positions at once.

    Normalised equities: in money play points for a cube of 1. In a match 1 is what it
    is worth to win a single game with the cube as it is, −1 to lose it (EMG).

    Attributes:
        no_double: float64[B].
        double_take: float64[B].
        double_pass: float64[B], always 1.
        worths: float64[B, 5], the same three in points (money) or chance to win the
            match, then a single game lost, then the position with a dead cube.
    """

    no_double: Worths
    double_take: Worths
    double_pass: Worths
    worths: Worths

    @classmethod
    def of(cls, worths: Worths) -> CubeEquities:
        """From worths float64[B, 5]."""
        equities = normalised(worths, worths[:, : DOUBLE_PASS + 1])
        return cls(equities[:, 0], equities[:, 1], equities[:, 2], worths)


@dataclass(frozen=True, eq=False)
class CubeDecision:
    """What both players do best about the cube, B positions at once.

    Attributes:
        equities: Of the choices.
        available: bool[B]: the player on roll may double.
        double: bool[B]: he should.
        take: bool[B]: the other should take a double.
        beaver: bool[B]: the other should beaver a double, and may.
        too_good: bool[B]: he may double, it would be dropped, and he plays on for more.
        optimal: float64[B]: normalised equity if both do so.
    """

    equities: CubeEquities
    available: NDArray[np.bool_]
    double: NDArray[np.bool_]
    take: NDArray[np.bool_]
    beaver: NDArray[np.bool_]
    too_good: NDArray[np.bool_]
    optimal: Worths


# --- equities -------------------------------------------------------------------------


def cubeful_equity(
    chances: NDArray[Any],
    cubes: Cubes,
    *,
    boards: NDArray[np.int8] | None = None,
    efficiency: ArrayLike | None = None,
    table: MatchEquityTable | None = None,
) -> CubeEquities:
    """What no double, double and take, double and drop are worth, at 0 plies.

    Args:
        chances: float32[B, 5] of the player on roll, before his roll.
        cubes: CUBE_DTYPE[B].
        boards: int8[B, 2, 32], row 0 on roll. With them the efficiency follows the kind
            of position, and known bear-offs are exact.
        efficiency: Of the cube, 0 (dead) to 1 (live): one number, B, or [B, 3] for a
            cube in the middle, his own, the other's. None = by `boards`, without them
            0.68. If given, nothing is taken from the tables of bear-offs.
        table: Match equities; None = the default ones.

    Raises:
        InvalidOptionError: Chances of another shape.
    """
    chances = np.ascontiguousarray(chances, np.float32)
    if chances.shape != (len(cubes), 5):
        raise InvalidOptionError(
            f"{len(cubes)} cubes need chances of the shape [{len(cubes)}, 5], not "
            f"{list(chances.shape)!r}."
        )
    table = load_table() if table is None else table
    if boards is not None and efficiency is None:
        return CubeEquities.of(rate_worths(boards, chances, cubes, table))
    chosen = np.empty((len(cubes), 3))
    given = CONTACT_EFFICIENCY if efficiency is None else np.asarray(efficiency)
    chosen[:] = given if np.ndim(given) != 1 else np.reshape(given, (-1, 1))
    return CubeEquities.of(janowski_worths(chances, cubes, chosen, table))


def place_equities(
    evaluator: Evaluator,
    boards: NDArray[np.int8],
    plies: int = 0,
    table: MatchEquityTable | None = None,
) -> NDArray[np.float32]:
    """What no double is worth for money, wherever the cube lies, some rolls ahead.

    Args:
        evaluator: Rates positions.
        boards: int8[B, 2, 32], row 0 on roll; games may be over.
        plies: Rolls to look ahead.
        table: Match equities, of no use for money; None = the default ones.

    Returns:
        float32[B, 4]: points of row 0 for a cube of 1 in the middle, his own, the
        other's, in the middle by the Jacoby rule.
    """
    check_plies("plies", plies)
    table = load_table() if table is None else table
    found = np.empty((len(boards), PLACES), np.float32)
    going = write_finished(boards, np.empty((len(boards), 5), np.float32))
    for rows, depth in ((going, plies), (~going, 0)):
        some = np.ascontiguousarray(boards[rows])
        for place, (owner, jacoby) in enumerate(_PLACES if len(some) else ()):
            cubes = make_cubes(len(some), owner=owner, jacoby=jacoby)
            worths = search_worths(evaluator, some, cubes, depth, table)
            found[rows, place] = worths[:, NO_DOUBLE]
    return found


# --- decisions ------------------------------------------------------------------------


def decide_cube(worths: Worths, cubes: Cubes) -> CubeDecision:
    """The decisions that follow from worths float64[B, 5].

    Of equal worths: a double is taken, and who gains nothing by doubling does not.
    """
    equities = CubeEquities.of(worths)
    available = may_double(cubes)
    taken, dropped = equities.double_take, equities.double_pass
    take = taken <= dropped + _SLACK
    beaver = may_beaver(cubes) & (taken < -_SLACK)
    doubled = np.minimum(np.where(beaver, 2 * taken, taken), dropped)
    kept = equities.no_double
    gain = doubled - kept
    double = available & (gain > _SLACK)
    return CubeDecision(
        equities=equities,
        available=available,
        double=double,
        take=take,
        beaver=beaver,
        too_good=available & ~take & (gain < -_SLACK),
        optimal=np.where(double, doubled, kept),
    )


def cube_decision(
    evaluator: Evaluator,
    states: States | GameState,
    plies: int = 0,
    *,
    table: MatchEquityTable | None = None,
) -> CubeDecision:
    """What to do about the cube in games whose player on roll has not rolled.

    Args:
        evaluator: Rates positions.
        states: ``STATE_DTYPE[B]``, or one game. Where a double is pending it is as
            before it.
        plies: Rolls to look ahead, 0 or more; each makes it some 400 times slower.
        table: Match equities; None = the default ones.

    Raises:
        InvalidOptionError: `plies` is no such number, or the evaluator is none.
    """
    check_plies("plies", plies)
    if not callable(getattr(evaluator, "evaluate", None)):
        raise InvalidOptionError(
            f"A cube decision needs an evaluator, with a method evaluate(boards), not "
            f"{evaluator!r}."
        )
    if isinstance(states, GameState):
        states = states.record
    cubes = cubes_of_states(states)
    table = load_table() if table is None else table
    boards = np.ascontiguousarray(states["board"])
    return decide_cube(search_worths(evaluator, boards, cubes, plies, table), cubes)
