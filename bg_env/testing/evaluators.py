"""`check_evaluator`: does an evaluator keep to the contract of `bg_env.Evaluator`?"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.testing._checks import (
    ConformanceError,
    no_outside_chance,
    require,
    require_array,
    require_name,
)
from bg_env.testing._states import states_of

OUTCOMES: Final = (
    "win",
    "win gammon",
    "win backgammon",
    "lose gammon",
    "lose backgammon",
)
_SLACK: Final = 1e-5  # rounding of float32
_ALONE: Final = 16

# The opponent has borne off all; (points of the player on roll, chances): R17.
_FINISHED: Final[tuple[tuple[dict[int, int], tuple[float, ...]], ...]] = (
    ({1: 3}, (0, 0, 0, 0, 0)),
    ({1: 13, 25: 1}, (0, 0, 0, 0, 0)),
    ({8: 15}, (0, 0, 0, 1, 0)),
    ({18: 1, 6: 14}, (0, 0, 0, 1, 0)),
    ({19: 1, 6: 14}, (0, 0, 0, 1, 1)),
    ({25: 1, 6: 14}, (0, 0, 0, 1, 1)),
)


def check_evaluator(evaluator: Evaluator, *, seed: int = 0) -> None:
    """Check that an evaluator keeps to the contract of `bg_env.Evaluator`.

    - `evaluate` returns float32[B, 5]: finite chances between 0 and 1.
    - They are nested: win ≥ win gammon ≥ win backgammon, and 1 − win ≥ lose gammon ≥
      lose backgammon.
    - A side that has borne off a checker cannot lose a gammon: exactly 0.
    - A game that the opponent has just won is valued exactly (R17).
    - It changes nothing of the boards, uses no chance, and values a board alone as in
      any batch.

    That the chances of a position and of its mirror image go together is not required:
    both are of the player on roll.

    Args:
        evaluator: What is checked.
        seed: Of the positions.

    Raises:
        ConformanceError: The first thing that is not so.
    """
    name = require_name("An evaluator", evaluator)
    who = f"Evaluator {name!r}"
    callable_there = callable(getattr(evaluator, "evaluate", None))
    require(callable_there, f"{who} has no method evaluate(boards).")
    boards = _boards(seed)
    with no_outside_chance(who):
        chances = _evaluated(evaluator, who, boards)
        _check_chances(who, boards, chances)
        _check_gammons(who, boards, chances)
        _check_places(evaluator, who, boards, chances)
        _check_finished(evaluator, who)


def _boards(seed: int) -> NDArray[np.int8]:
    """Boards of random games, standard and hypergammon, and of bear-offs."""
    rules = (Rules(cube=False), Rules(cube=False, start="hypergammon"))
    played = [states_of(one, games=12, seed=seed)["board"] for one in rules]
    return np.concatenate([*played, _bear_offs(seed)])


def _bear_offs(seed: int) -> NDArray[np.int8]:
    """Boards in which one side or both have borne off checkers."""
    rng = np.random.default_rng(seed)
    boards = []
    for number in range(60):
        sides = []
        for borne_off in (number % 3 > 0, number % 3 < 2):
            left = int(rng.integers(1, 15)) if borne_off else 15
            places = rng.integers(1, 7, left)
            sides.append({p: int((places == p).sum()) for p in range(1, 7)})
        boards.append(Position.from_points(*sides).to_board())
    return np.stack(boards)


def _evaluated(
    evaluator: Evaluator, who: str, boards: NDArray[np.int8]
) -> NDArray[np.float32]:
    given = boards.copy()
    chances = evaluator.evaluate(given)
    require(
        np.array_equal(given, boards),
        f"{who} changes the boards it is asked about; it may only read them.",
    )
    require_array(
        f"What {who} returns", chances, np.float32, (len(boards), len(OUTCOMES))
    )
    return chances.copy()


def _check_chances(
    who: str, boards: NDArray[np.int8], chances: NDArray[np.float32]
) -> None:
    for k, outcome in enumerate(OUTCOMES):
        wrong = ~((chances[:, k] >= 0) & (chances[:, k] <= 1))  # also where it is nan
        _refuse(who, boards, chances, wrong, f"{outcome} is a chance of 0 to 1")
    lose = 1 - chances[:, 0]
    nested = (
        (chances[:, 0], chances[:, 1], "win is at least win gammon"),
        (chances[:, 1], chances[:, 2], "win gammon is at least win backgammon"),
        (lose, chances[:, 3], "1 − win is at least lose gammon"),
        (chances[:, 3], chances[:, 4], "lose gammon is at least lose backgammon"),
    )
    for larger, smaller, said in nested:
        _refuse(who, boards, chances, smaller > larger + _SLACK, said)


def _check_gammons(
    who: str, boards: NDArray[np.int8], chances: NDArray[np.float32]
) -> None:
    for loser, first in ((1, 1), (0, 3)):
        safe = boards[:, loser, 0] > 0
        wrong = safe & (chances[:, first : first + 2] != 0).any(axis=1)
        side = "the opponent has" if loser else "the player on roll has"
        _refuse(
            who,
            boards,
            chances,
            wrong,
            f"{side} borne off a checker and cannot lose a gammon",
        )


def _refuse(
    who: str,
    boards: NDArray[np.int8],
    chances: NDArray[np.float32],
    wrong: NDArray[np.bool_],
    said: str,
) -> None:
    for i in np.flatnonzero(wrong)[:1]:
        raise ConformanceError(
            f"{who} gives the chances {_text(chances[i])} to position "
            f"{_id(boards[i])}, but {said}."
        )


def _check_places(
    evaluator: Evaluator,
    who: str,
    boards: NDArray[np.int8],
    chances: NDArray[np.float32],
) -> None:
    """The same again, in another order, alone: equal but for rounding."""
    order = np.arange(len(boards))[::-1].copy()
    again = _evaluated(evaluator, who, boards)
    _require_close(who, boards, chances, again, "asked again")
    turned = _evaluated(evaluator, who, boards[order])[order]
    _require_close(who, boards, chances, turned, "in another order")
    for i in range(0, len(boards), max(len(boards) // _ALONE, 1)):
        part = slice(i, i + 1)
        alone = _evaluated(evaluator, who, boards[part])
        _require_close(who, boards[part], chances[part], alone, "alone")


def _require_close(
    who: str,
    boards: NDArray[np.int8],
    chances: NDArray[np.float32],
    other: NDArray[np.float32],
    when: str,
) -> None:
    apart = (np.abs(chances - other) > _SLACK).any(axis=1)
    for i in np.flatnonzero(apart)[:1]:
        raise ConformanceError(
            f"{who} gives position {_id(boards[i])} the chances {_text(chances[i])} "
            f"and, {when}, {_text(other[i])}; a position has one value."
        )


def _check_finished(evaluator: Evaluator, who: str) -> None:
    boards = np.stack(
        [Position.from_points(points, {}).to_board() for points, _ in _FINISHED]
    )
    chances = _evaluated(evaluator, who, boards)
    right = np.array([values for _, values in _FINISHED], np.float32)
    apart = (np.abs(chances - right) > _SLACK).any(axis=1)
    for i in np.flatnonzero(apart)[:1]:
        raise ConformanceError(
            f"{who} gives the chances {_text(chances[i])} to position "
            f"{_id(boards[i])}, which the opponent has won; exactly they are "
            f"{_text(right[i])}."
        )


def _text(chances: Any) -> str:
    return "(" + ", ".join(f"{float(chance):.6g}" for chance in chances) + ")"


def _id(board: NDArray[np.int8]) -> str:
    return Position.from_board(board).id
