"""Bear-offs: exact knowledge of races in which all checkers are at home.

::

    from bg_env.equity import bearoff

    known, chances = bearoff.bearoff_chances(boards)  # int8[B, 2, 32], row 0 on roll
    bearoff.one_sided().mean_rolls[bearoff.home_numbers(boards)]

The tables are built once, in about two seconds, and kept in the user's cache folder
(``docs/bearoff.md``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bg_env.equity._bearoff import (
    HOME,
    MOST,
    find_pairs,
    number_homes,
    rate_many,
    write_home,
)
from bg_env.equity._bearoff_tables import (
    FEW,
    OneSided,
    TwoSided,
    home_positions,
    one_sided,
    two_sided,
)
from bg_env.errors import InvalidPositionError

__all__ = [
    "OneSided",
    "TwoSided",
    "bearoff_chances",
    "bearoff_equities",
    "home_counts",
    "home_numbers",
    "home_positions",
    "lookup_tables",
    "one_sided",
    "two_sided",
    "warm_up",
]

Tables = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


def lookup_tables() -> Tables:
    """What the kernels `rate_on_roll` and `rate_after_play` take: rolls, first, win.

    Shapes float32[54264, 32], float32[54264, 12], float32[924, 924]; read-only.
    """
    single = one_sided()
    return single.rolls, single.first, two_sided().win


def bearoff_chances(
    boards: NDArray[np.int8], *, has_moved: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """The five chances of row 0 where both sides have all checkers at home.

    Exact where both have 6 checkers or fewer and have borne off one. Else each side
    is taken to play for the fewest rolls, whatever the other has: wins are then off by
    about 0.001.

    Args:
        boards: int8[B, 2, 32], legal positions; row 0 is on roll and has not rolled.
        has_moved: Row 0 has just moved instead, and row 1 is on roll.

    Returns:
        known: bool[B]: both sides are at home.
        chances: float32[B, 5]; zeros where not known.

    Raises:
        InvalidPositionError: Not an array of such boards.
    """
    boards = _checked(boards)
    known = np.empty(len(boards), np.bool_)
    chances = np.empty((len(boards), 5), np.float32)
    words = boards.view(np.uint64)
    rate_many(boards, words, bool(has_moved), *lookup_tables(), known, chances)
    return known, chances


def bearoff_equities(
    boards: NDArray[np.int8],
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Exact cubeful equities for money of row 0, on roll, if it does not double now.

    A double that is taken brings 2 × column 2, one that is dropped 1.

    Args:
        boards: int8[B, 2, 32], legal positions.

    Returns:
        known: bool[B]: both sides are at home with 6 checkers or fewer, and have
            borne off one.
        equities: float32[B, 3]: the cube in the middle, his own, the other's; its value
            is 1. Zeros where not known.

    Raises:
        InvalidPositionError: Not an array of such boards.
    """
    boards = _checked(boards)
    pairs = np.empty((len(boards), 2), np.int64)
    find_pairs(boards, boards.view(np.uint64), home_positions(FEW), pairs)
    known = pairs[:, 0] >= 0
    equities = two_sided().equities[pairs[:, 0], pairs[:, 1]]
    equities[~known] = 0
    return known, equities


def home_numbers(boards: NDArray[np.int8], *, side: int = 0) -> NDArray[np.int64]:
    """The row of each board's home position in the tables: int64[B].

    Args:
        boards: int8[B, 2, 32]; checkers outside the home board are not looked at.
        side: Whose home position, 0 or 1.

    Raises:
        InvalidPositionError: Not an array of such boards, or more than 15 checkers.
    """
    boards = _checked(boards)
    numbers = np.empty(len(boards), np.int64)
    number_homes(boards, int(side), numbers)
    if (numbers < 0).any():
        wrong = boards[int(numbers.argmin()), side, 1 : HOME + 1].tolist()
        raise InvalidPositionError(
            f"A home board holds at most {MOST} checkers, not {sum(wrong)}: {wrong!r} "
            f"on points 1 to {HOME}."
        )
    return numbers


def home_counts(numbers: ArrayLike) -> NDArray[np.int8]:
    """The checkers on points 1 to 6 of home positions, int8[B, 6], by their numbers.

    Raises:
        InvalidPositionError: A number that no home position has.
    """
    wanted = np.atleast_1d(np.asarray(numbers))
    limit = home_positions(MOST)
    wrong = (wanted < 0) | (wanted >= limit)
    if wrong.any():
        raise InvalidPositionError(
            f"Home positions have the numbers 0 to {limit - 1}, not "
            f"{wanted[wrong][0].item()!r}."
        )
    boards = np.zeros((len(wanted), 2, 32), np.int8)
    for p, number in enumerate(wanted.tolist()):
        write_home(number, boards, p, 0)
    return boards[:, 0, 1 : HOME + 1].copy()


def warm_up() -> None:
    """Build the tables, or load them, and compile the look-up."""
    boards = np.zeros((1, 2, 32), np.int8)
    boards[:, :, 1] = 1
    bearoff_chances(boards)
    bearoff_equities(boards)
    home_counts(home_numbers(boards))


def _checked(boards: Any) -> NDArray[np.int8]:
    array = np.asarray(boards)
    if array.dtype != np.int8 or array.ndim != 3 or array.shape[1:] != (2, 32):
        raise InvalidPositionError(
            f"Boards are an array int8[B, 2, 32], not {array.dtype}"
            f"{list(array.shape)!r}."
        )
    return np.ascontiguousarray(array)
