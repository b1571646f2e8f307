"""`Position`: where the checkers stand, seen by the player on roll."""

from __future__ import annotations

import base64
import binascii
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidNotationError, InvalidPositionError, UnknownNameError
from bg_env.rules.state import BAR

_PLACES: Final = 26  # off, points 1..24, bar
_ID_LENGTH: Final = 14
_MOST_CHECKERS: Final = 15

# R1 and R4: checkers by own point, the same for both players.
STARTS: Final[dict[str, dict[int, int]]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hypergammon": {24: 1, 23: 1, 22: 1},
    "longgammon": {24: 15},
}


@dataclass(frozen=True, slots=True)
class Position:
    """Checkers of both sides, each in its owner's own numbering. Frozen, hashable.

    Attributes:
        mover: 26 counts of the player on roll; index 1..24 = his points (24 is the
            furthest from home), 25 = bar, 0 = borne off.
        opponent: The same for the other player; his point p is the mover's 25 − p.

    Raises:
        InvalidPositionError: Not 26 counts, a count that is negative or no whole
            number, no or more than 15 checkers on a side, both sides on one point, or
            both sides all off.

    >>> Position.start().id
    '4HPwATDgc/ABMA'
    """

    mover: tuple[int, ...]
    opponent: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("mover", "opponent"):
            object.__setattr__(self, name, _checked_side(name, getattr(self, name)))
        for point in range(1, BAR):
            if self.mover[point] and self.opponent[BAR - point]:
                raise InvalidPositionError(
                    f"Both sides stand on the mover's {point}-point: "
                    f"{self.mover[point]} of the mover and "
                    f"{self.opponent[BAR - point]} of the opponent; "
                    f"a point can hold one colour only."
                )
        if not any(self.mover[1:]) and not any(self.opponent[1:]):
            raise InvalidPositionError(
                "Both sides have borne off all checkers; only one can have won."
            )

    @classmethod
    def start(cls, variant: str = "standard") -> Position:
        """The start position of a variant (R1, R4).

        Raises:
            UnknownNameError: `variant` is none of standard, nackgammon,
                hypergammon, longgammon.
        """
        if variant not in STARTS:
            raise UnknownNameError.of("start position", variant, STARTS)
        points = STARTS[variant]
        return cls.from_points(points, points, checkers=sum(points.values()))

    @classmethod
    def from_points(
        cls,
        mover: Mapping[int, int],
        opponent: Mapping[int, int],
        *,
        checkers: int = _MOST_CHECKERS,
    ) -> Position:
        """Build from {point: count} of both sides; those not named are off.

        >>> Position.from_points({6: 2}, {25: 1}).mover[0]
        13
        """
        sides = []
        for name, points in (("mover", mover), ("opponent", opponent)):
            wrong = [point for point in points if point not in range(1, _PLACES)]
            if wrong:
                raise InvalidPositionError(
                    f"The {name} has checkers on {wrong[0]!r}; points are 1..24 "
                    f"and 25 is the bar."
                )
            counts = [_whole(name, p, points.get(p, 0)) for p in range(1, _PLACES)]
            sides.append(_with_off(name, counts, checkers))
        return cls(*sides)

    @classmethod
    def from_id(cls, text: str, checkers: int = _MOST_CHECKERS) -> Position:
        """Read a 14-character GNU Backgammon position id (opponent first).

        Args:
            text: The id.
            checkers: How many each side owns; those not on the board are off.

        Raises:
            InvalidNotationError: Not such an id.
            InvalidPositionError: An id of a board that cannot be.
        """
        opponent, mover = _counts_of_id(text)
        return cls(
            mover=_with_off("mover", mover, checkers),
            opponent=_with_off("opponent", opponent, checkers),
        )

    @property
    def id(self) -> str:
        """The 14-character GNU Backgammon position id, opponent first."""
        bits = shift = 0
        for side in (self.opponent, self.mover):
            for count in side[1:]:
                bits |= ((1 << count) - 1) << shift
                shift += count + 1
        return base64.b64encode(bits.to_bytes(10, "little")).decode()[:_ID_LENGTH]

    @classmethod
    def from_board(cls, board: NDArray[np.int8]) -> Position:
        """Copy rows 0 (mover) and 1 (opponent) of a board ``int8[2, 32]``."""
        rows: list[list[int]] = board[:, :_PLACES].tolist()
        return cls(tuple(rows[0]), tuple(rows[1]))

    @classmethod
    def _trusted(cls, mover: tuple[int, ...], opponent: tuple[int, ...]) -> Position:
        """Build without checking, for boards that the rules themselves made."""
        position = object.__new__(cls)
        object.__setattr__(position, "mover", mover)
        object.__setattr__(position, "opponent", opponent)
        return position

    def to_board(self) -> NDArray[np.int8]:
        """A new board ``int8[2, 32]``: row 0 the mover, row 1 the opponent."""
        board = np.zeros((2, 32), np.int8)
        board[0, :_PLACES] = self.mover
        board[1, :_PLACES] = self.opponent
        return board

    def swapped(self) -> Position:
        """The same checkers seen by the other player."""
        return Position._trusted(self.opponent, self.mover)

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of mover and opponent; a checker on the bar counts 25."""
        return _pips(self.mover), _pips(self.opponent)

    @property
    def checkers(self) -> tuple[int, int]:
        """How many checkers mover and opponent own, on the board or off."""
        return sum(self.mover), sum(self.opponent)

    def __repr__(self) -> str:
        count = self.checkers
        extra = "" if count == (15, 15) else f", checkers={max(count)}"
        return f"Position.from_id({self.id!r}{extra})"


def _pips(side: Sequence[int]) -> int:
    return sum(point * side[point] for point in range(1, _PLACES))


def _whole(name: str, place: int, count: Any) -> int:
    try:
        number = operator.index(count)
    except TypeError:
        number = -1
    if number < 0:
        raise InvalidPositionError(
            f"The {name} has {count!r} checkers on place {place}; "
            f"counts are whole numbers of 0 or more."
        )
    return number


def _checked_side(name: str, counts: Any) -> tuple[int, ...]:
    if len(counts) != _PLACES:
        raise InvalidPositionError(
            f"The {name} needs 26 counts (off, points 1..24, bar), not {len(counts)}."
        )
    side = tuple(_whole(name, place, count) for place, count in enumerate(counts))
    if not 1 <= sum(side) <= _MOST_CHECKERS:
        raise InvalidPositionError(
            f"The {name} has {sum(side)} checkers; a side has 1 to {_MOST_CHECKERS}."
        )
    return side


def _with_off(name: str, counts: Sequence[int], checkers: int) -> tuple[int, ...]:
    """Put the number borne off in front of 25 counts on points and bar."""
    whole = isinstance(checkers, int) and not isinstance(checkers, bool)
    if not whole or not 1 <= checkers <= _MOST_CHECKERS:
        raise InvalidPositionError(
            f"A side has 1 to {_MOST_CHECKERS} checkers, not checkers={checkers!r}."
        )
    off = checkers - sum(counts)
    if off < 0:
        raise InvalidPositionError(
            f"The {name} has {sum(counts)} checkers on the board; "
            f"a side has {checkers}."
        )
    return (off, *counts)


def _counts_of_id(text: str) -> list[list[int]]:
    """The two rows of 25 counts that an id spells, in the order they stand."""
    if not isinstance(text, str) or len(text) != _ID_LENGTH:
        raise InvalidNotationError(
            f"A position id is {_ID_LENGTH} characters of base64, not {text!r}."
        )
    try:
        raw = base64.b64decode(text + "==", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidNotationError(
            f"Position id {text!r} has a character that base64 does not know."
        ) from None
    bits = int.from_bytes(raw, "little")
    rows = []
    for _ in range(2):
        counts = []
        for _ in range(_PLACES - 1):
            count = 0
            while bits & 1:
                count += 1
                bits >>= 1
            bits >>= 1
            counts.append(count)
        rows.append(counts)
    if bits or base64.b64encode(raw).decode()[:_ID_LENGTH] != text:
        raise InvalidNotationError(
            f"Position id {text!r} has bits left over after both sides; "
            f"it is damaged or not a position id."
        )
    return rows
