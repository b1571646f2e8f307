"""Legal moves and plays of a position: the public face of the move kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError, InvalidPositionError
from bg_env.rules._moves import first_sources, sources_now
from bg_env.rules._plays import write_all_plays, write_plays
from bg_env.rules.decisions import move_of
from bg_env.rules.options import Rules, as_rules
from bg_env.rules.position import Position

MOST_PLAYS: Final = 4096  # more than any position and roll allow

# The 21 rolls, and how many of the 36 throws make each.
ROLLS: Final = tuple((a, b) for a in range(1, 7) for b in range(1, a + 1))
ROLL_WAYS: Final = tuple(1 if a == b else 2 for a, b in ROLLS)


class Move(NamedTuple):
    """One checker moved by one die."""

    source: int
    """The point it leaves, 1..24, or 25 = the bar."""
    die: int
    """The die, 1..6."""

    @property
    def target(self) -> int:
        """The point it comes to, 0 = borne off."""
        return max(self.source - self.die, 0)


@dataclass(frozen=True, slots=True)
class Play:
    """A whole turn: the moves, and the position they lead to."""

    moves: tuple[Move, ...]
    """One sequence that makes this result; () when nothing could be played."""
    result: Position
    """The position after the play, sides not swapped: the mover still first."""


class PlayBuffers:
    """Room for the plays of one or many positions, kept between calls.

    Attributes:
        boards: int8[P, 2, 32], positions after the play, the mover in row 0.
        codes: int16[P, 4], decision codes of the moves, 0 = no move.
    """

    def __init__(self, size: int = MOST_PLAYS) -> None:
        """Allocate room for `size` plays."""
        self.boards: NDArray[np.int8] = np.zeros((size, 2, 32), np.int8)
        self.words: NDArray[np.uint64] = self.boards.view(np.uint64)
        self.codes: NDArray[np.int16] = np.zeros((size, 4), np.dtype("<i2"))
        self.scratch = np.zeros((4, 5), np.int64), np.zeros((5, 2, 4), np.uint64)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """What the kernels take: boards, the same memory as words, codes as uint64."""
        return self.boards, self.words, self.codes.view(np.uint64)[:, 0]


def check_dice(dice: Any) -> tuple[int, int]:
    """The roll as two ints.

    Raises:
        InvalidOptionError: Not two whole numbers of 1 to 6.
    """
    try:
        first, second = dice
        good = int(first) == first and int(second) == second
        good = good and not isinstance(first, bool) and not isinstance(second, bool)
        good = good and 1 <= first <= 6 and 1 <= second <= 6
    except (OverflowError, TypeError, ValueError):
        good = False
    if not good:
        raise InvalidOptionError(
            f"A roll is two dice of 1 to 6, such as (3, 1), not {dice!r}."
        )
    return int(first), int(second)


def check_position(position: Any) -> None:
    """Refuse what is no `Position`.

    Raises:
        InvalidPositionError: Something else, such as an id.
    """
    if not isinstance(position, Position):
        raise InvalidPositionError(
            f"A position is a bg_env.Position, such as Position.from_id(...), "
            f"not {position!r}."
        )


def legal_plays(
    position: Position, dice: tuple[int, int], *, rules: Rules | str | None = None
) -> list[Play]:
    """All distinct results of a roll, with one move sequence each (R7–R16).

    Args:
        position: Seen by the player on roll.
        dice: The roll; the order does not matter.
        rules: Rules or the name of a preset; only `least_waste` matters here.

    Returns:
        The plays. When nothing can be played: one `Play` with ``moves == ()`` and
        the position unchanged.

    Raises:
        InvalidOptionError: Dice that are none.
        InvalidPositionError: No `Position`.

    >>> len(legal_plays(Position.start(), (3, 1)))
    16
    """
    check_position(position)
    least_waste = as_rules(rules).least_waste
    roll = np.array(check_dice(dice), np.int8)
    left = np.array([4, 0] if roll[0] == roll[1] else [1, 1], np.int8)
    board = position.to_board()
    buffers = PlayBuffers()
    number = write_plays(
        board,
        board.view(np.uint64),
        roll,
        left,
        least_waste,
        buffers.arrays,
        buffers.scratch,
    )
    if number == 0:
        return [Play((), position)]
    return [play_of(buffers.boards[i], buffers.codes[i]) for i in range(number)]


def play_of(board: NDArray[np.int8], codes: NDArray[np.int16]) -> Play:
    """Pack one row of the play buffers."""
    moves = tuple(Move(*move_of(code)) for code in codes.tolist() if code)
    rows: list[list[int]] = board[:, :26].tolist()
    return Play(moves, Position._trusted(tuple(rows[0]), tuple(rows[1])))


def legal_moves(
    position: Position, dice: tuple[int, int], *, rules: Rules | str | None = None
) -> list[Move]:
    """The moves that begin a complete legal turn (R11, R16), sorted; may be empty.

    Raises:
        InvalidOptionError: Dice that are none.

    >>> legal_moves(Position.from_points({4: 1}, {1: 2}), (6, 2))
    [Move(source=4, die=2)]
    """
    check_position(position)
    least_waste = as_rules(rules).least_waste
    a, b = check_dice(dice)
    board = position.to_board()
    words = board.view(np.uint64)
    if a == b:
        return _moves_of(sources_now(words, a), a)
    for_a, for_b, _ = first_sources(board, words, a, b, least_waste)
    return sorted(_moves_of(for_a, a) + _moves_of(for_b, b))


def _moves_of(sources: int, die: int) -> list[Move]:
    return [Move(point, die) for point in range(1, 26) if sources >> point & 1]


def plays_of_boards(
    boards: NDArray[np.int8], rolls: NDArray[np.int8], *, least_waste: bool = False
) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int64]]:
    """The plays of many positions in one array.

    Args:
        boards: int8[B, 2, 32], C-contiguous, the mover in row 0. Not checked.
        rolls: int8[B, 2]. Not checked.
        least_waste: R16.

    Returns:
        (boards int8[P, 2, 32] after each play, decision codes int16[P, 4], offsets
        int64[B + 1]): the plays of position i are rows offsets[i] ..
        offsets[i + 1] − 1; none when nothing can be played.
    """
    boards = np.ascontiguousarray(boards, np.int8)
    offsets = np.zeros(len(boards) + 1, np.int64)
    size = MOST_PLAYS + 32 * len(boards)
    while True:
        buffers = PlayBuffers(size)
        total = write_all_plays(
            boards,
            boards.view(np.uint64),
            rolls,
            least_waste,
            buffers.arrays,
            buffers.scratch,
            offsets,
        )
        if total >= 0:
            return buffers.boards[:total], buffers.codes[:total], offsets
        size *= 2


def perft(position: Position, depth: int) -> int:
    """Leaves of the tree of all rolls and distinct plays, `depth` turns deep.

    All 21 rolls count once each, also at the first turn; a turn without a legal move
    counts 1; equal positions from different rolls are not merged.

    Raises:
        InvalidOptionError: `depth` is not a whole number of 0 or more.

    >>> perft(Position.start(), 1)
    447
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise InvalidOptionError(
            f"perft needs a depth of 0 or more whole turns, not {depth!r}."
        )
    check_position(position)
    boards = position.to_board()[None]
    leaves = 1
    for left in range(depth, 0, -1):
        boards, leaves = _next_boards(boards, last=left == 1)
    return leaves


def _next_boards(
    boards: NDArray[np.int8], *, last: bool
) -> tuple[NDArray[np.int8], int]:
    """All boards after one more turn, sides swapped; none where a game is over."""
    on_board = boards[:, :, 1:26].sum(axis=2)
    alive = boards[(on_board > 0).all(axis=1)]
    rows = np.repeat(alive, len(ROLLS), axis=0)
    rolls = np.tile(np.array(ROLLS, np.int8), (len(alive), 1))
    results, _, offsets = plays_of_boards(rows, rolls)
    dances = rows[np.diff(offsets) == 0]
    leaves = len(results) + len(dances)
    if last:
        return results, leaves
    return np.concatenate([results, dances])[:, ::-1].copy(), leaves
