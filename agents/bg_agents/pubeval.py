"""Pubeval, the linear benchmark player that Gerald Tesauro published in 1993."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_agents._pubeval import choose_best_rated, write_races, write_ratings
from bg_env.agent import PlayChooser
from bg_env.errors import InvalidOptionError, InvalidPositionError
from bg_env.rules.batch import States
from bg_env.rules.state import BAR, OFF

__all__ = ["PubevalAgent", "is_race", "rate"]

_PLACES = 26
_COUNTS = 16  # 0 to 15 checkers on a place
_MOVED, _OTHER = 0, 1  # rows of the weights: the side that has moved, the other


class PubevalAgent(PlayChooser):
    """Pubeval: the play whose result `rate` puts highest.

    Its 122 inputs are linear, one set of weights for positions with contact, one for
    races; the position *before* the play says which. A play that bears off the last
    checker beats every other; of equally good plays the first is made. Nearly every
    paper on learning backgammon gives its result against this player.

    Asked for single decisions (`act`), it looks at the position as it is in the
    middle of the turn, also to see whether it is a race.
    """

    name = "pubeval"

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        boards = np.ascontiguousarray(boards)
        chosen = np.empty(len(states), np.int64)
        choose_best_rated(
            states["words"],
            boards,
            boards.view(np.uint64),
            offsets,
            _weights(),
            chosen,
        )
        return chosen


def rate(
    boards: NDArray[np.int8], race: bool | NDArray[np.bool_]
) -> NDArray[np.float64]:
    """How good positions are for the player who has just moved, by pubeval's weights.

    Args:
        boards: int8[P, 2, 32], row 0 the player who has just moved, each row in its
            owner's own numbering (off, points 1..24, bar, padding of zeros).
        race: Whether it was a race before the move, for all positions or as bool[P].

    Returns:
        float64[P], the higher the better; infinity where row 0 has no checker left.
        Only to be compared among plays of one roll: it is no chance of winning.

    Raises:
        InvalidOptionError: Arrays of another shape or kind.
        InvalidPositionError: A count below 0 or above 15.

    >>> from bg_env.rules.position import Position
    >>> start = Position.start().to_board()
    >>> float(rate(start[None], race=False)[0].round(3))
    6.841
    """
    boards = _checked(boards)
    races = np.asarray(race)
    if races.dtype != np.bool_ or races.shape not in ((), (len(boards),)):
        raise InvalidOptionError(
            f"race is True, False or bool[{len(boards)}], not {race!r}."
        )
    races = np.ascontiguousarray(np.broadcast_to(races, len(boards)))
    ratings = np.empty(len(boards), np.float64)
    write_ratings(boards, boards.view(np.uint64), races, _weights(), ratings)
    return ratings


def is_race(boards: NDArray[np.int8]) -> NDArray[np.bool_]:
    """bool[P]: positions in which no checker has yet to pass an opposing one.

    Args:
        boards: int8[P, 2, 32], as for `rate`; which side has moved does not matter.

    Raises:
        InvalidOptionError: An array of another shape or kind.
        InvalidPositionError: A count below 0 or above 15.
    """
    boards = _checked(boards)
    races = np.empty(len(boards), np.bool_)
    write_races(boards.view(np.uint64), races)
    return races


def _checked(boards: Any) -> NDArray[np.int8]:
    """The boards in one piece of memory, all counts within the weights' room."""
    given = np.asarray(boards)
    if given.ndim != 3 or given.shape[1:] != (2, 32) or given.dtype.kind not in "iu":
        raise InvalidOptionError(
            f"Boards are int8[P, 2, 32], not {given.dtype}{list(given.shape)}."
        )
    if given.size and not 0 <= int(given.min()) <= int(given.max()) < _COUNTS:
        wrong = given.min() if given.min() < 0 else given.max()
        raise InvalidPositionError(
            f"A place holds 0 to {_COUNTS - 1} checkers, not {int(wrong)!r}."
        )
    return np.ascontiguousarray(given, np.int8)


@cache
def _weights() -> NDArray[np.float64]:
    """What counts add: float64[2, 2, 26, 16] = contact or race, row, place, count."""
    text = files("bg_agents").joinpath("data", "pubeval.json").read_text("utf-8")
    published = json.loads(text)
    weights = np.stack([_by_count(published[phase]) for phase in ("contact", "race")])
    weights.flags.writeable = False
    return weights


def _by_count(published: Sequence[float]) -> NDArray[np.float64]:
    """The 122 published weights as float64[2, 26, 16]: row, place, count.

    The inputs 5i .. 5i + 4 stand for the mover's point 24 − i, which is the
    opponent's point i + 1: an opposing blot; 1 checker; 2 or more; 3; half of those
    beyond 3. Then half of the opponent's checkers on the bar, and the share of 15
    own checkers borne off.
    """
    table = np.zeros((2, _PLACES, _COUNTS))
    counts = np.arange(_COUNTS)
    for i in range(24):
        blot, one, made, three, more = published[5 * i : 5 * i + 5]
        own = table[_MOVED, 24 - i]
        own[1] = one
        own[2:] = made
        own[3] += three
        own[4:] += more * (counts[4:] - 3) / 2
        table[_OTHER, i + 1, 1] = blot
    table[_OTHER, BAR] = published[120] * counts / 2
    table[_MOVED, OFF] = published[121] * counts / 15
    return table
