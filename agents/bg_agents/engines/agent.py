"""`EngineAgent`: plays what an engine of others rates highest."""

from __future__ import annotations

import importlib.util
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents.engines.process import EngineProcess
from bg_env.agent import PlayChooser
from bg_env.errors import InvalidOptionError, InvalidPositionError, MissingExtraError
from bg_env.rules.batch import States
from bg_env.rules.state import BAR, OFF

_CHECKERS: Final = 15
_KEPT: Final = 8  # plays that are looked at more deeply
_BEHIND: Final = 0.16  # what they may be worth less than the best at first sight


class EngineAgent(PlayChooser):
    """Base of agents whose evaluator is an engine in a process of its own.

    The plays come from this project's rules; the engine rates the positions after
    them, in one message for a whole batch, and the one with the highest cubeless
    money equity is made. Looking further ahead it first rates all plays by the nets
    alone and looks at the best eight within 0.16 of the best. Has no cube policy.

    A subclass says which engine, and which package has it.
    """

    engine: ClassVar[str]
    module: ClassVar[str]
    package: ClassVar[str]
    deepest: ClassVar[int]

    def __init__(self, plies: int = 0) -> None:
        """See that the package is there; the engine starts when it is first asked.

        Args:
            plies: How far to look ahead; 0 = the nets alone.

        Raises:
            MissingExtraError: The package is not installed.
            InvalidOptionError: A depth that this agent does not have.
        """
        if isinstance(plies, bool) or not isinstance(plies, int | np.integer):
            raise InvalidOptionError(f"plies is a whole number, not {plies!r}.")
        if not 0 <= plies <= self.deepest:
            raise InvalidOptionError(
                f"{self.engine} looks 0 to {self.deepest} plies ahead, not {plies!r}."
            )
        if importlib.util.find_spec(self.module) is None:
            raise self._missing()
        self.plies = int(plies)
        self.name = f"{self.engine}@{plies}ply" if plies else self.engine
        self.process = EngineProcess(self.engine)

    def _missing(self) -> MissingExtraError:
        return MissingExtraError.of(self.package, "engines")

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]. Uses no chance."""
        chosen = offsets[:-1].copy()
        counts = np.diff(offsets)
        several = np.flatnonzero(counts > 1)
        if not len(several):
            return chosen
        counts = counts[several]
        plays = np.arange(len(boards))[
            np.repeat(np.diff(offsets) > 1, np.diff(offsets))
        ]
        ratings = self._rated(boards[plays], 0)
        if self.plies:
            kept = _promising(ratings, counts)
            game = np.repeat(np.arange(len(counts)), counts)[kept]
            counts = np.bincount(game, minlength=len(counts))
            plays = plays[kept]
            ratings = self._rated(boards[plays], self.plies)
        chosen[several] = plays[_first_best(ratings, counts)]
        return chosen

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[B, 5].

        A game that one side has just won is valued exactly.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Raises:
            InvalidOptionError: An array of another shape or kind.
            InvalidPositionError: More checkers than 15, fewer than none, or both
                sides on one point: the engines do not check.
            EngineError: The engine died twice or refused.
        """
        return self._chances(_checked(boards), self.plies)

    def _rated(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        """Equity for the player in row 0, who has just moved: float32[P]."""
        chances = self._chances(boards[:, ::-1], plies)
        weights = np.array([-2, -1, -1, 1, 1], np.float32)
        return chances @ weights + np.float32(1)

    def _chances(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        left: NDArray[np.bool_] = (boards[:, :, 1 : BAR + 1] != 0).any(axis=2)
        live = left[:, 0] & left[:, 1]
        if live.all():
            return _tidied(self._asked(boards, plies), boards)
        chances = _results(boards, left)
        if live.any():
            some = boards[live]
            chances[live] = _tidied(self._asked(some, plies), some)
        return chances

    def _asked(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        if not len(boards):
            return np.zeros((0, 5), np.float32)
        return self.process.rate(boards, plies)


def _first_best(
    ratings: NDArray[np.float32], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The first of the highest ratings of each game: int64[B] indices."""
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    best = np.repeat(np.maximum.reduceat(ratings, starts), counts)
    highest = np.flatnonzero(ratings == best)
    first: NDArray[np.int64] = highest[np.searchsorted(highest, starts)]
    return first


def _promising(
    ratings: NDArray[np.float32], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The plays to be looked at more deeply, in their order: int64 indices."""
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    game = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-ratings, game))
    rank = np.empty(len(ratings), np.int64)
    rank[order] = np.arange(len(ratings)) - np.repeat(starts, counts)
    behind = np.repeat(np.maximum.reduceat(ratings, starts), counts) - ratings
    kept: NDArray[np.int64] = np.flatnonzero((rank < _KEPT) & (behind <= _BEHIND))
    return kept


def _results(boards: NDArray[np.int8], left: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Exact chances where a side has no checker left, else zeros: float32[B, 5]."""
    gammon = boards[:, :, OFF] == 0
    backgammon = gammon & boards[:, :, 19 : BAR + 1].any(axis=2)
    won, lost = ~left[:, 0], left[:, 0] & ~left[:, 1]
    chances = np.zeros((len(boards), 5), np.float32)
    chances[:, 0] = won
    chances[:, 1] = won & gammon[:, 1]
    chances[:, 2] = won & backgammon[:, 1]
    chances[:, 3] = lost & gammon[:, 0]
    chances[:, 4] = lost & backgammon[:, 0]
    return chances


def _tidied(
    chances: NDArray[np.float32], boards: NDArray[np.int8]
) -> NDArray[np.float32]:
    """The chances as nested parts, no gammon against a side that bore off."""
    tidy = np.clip(chances, 0, 1)
    tidy[:, 1:3] *= (boards[:, 1, OFF] == 0)[:, None]
    tidy[:, 3:5] *= (boards[:, 0, OFF] == 0)[:, None]
    np.minimum(tidy[:, 1], tidy[:, 0], out=tidy[:, 1])
    np.minimum(tidy[:, 3], 1 - tidy[:, 0], out=tidy[:, 3])
    np.minimum(tidy[:, 2::2], tidy[:, 1::2], out=tidy[:, 2::2])
    return tidy


def _checked(boards: Any) -> NDArray[np.int8]:
    """The boards, if they are such as an engine may be asked about."""
    given = np.asarray(boards)
    if given.ndim != 3 or given.shape[1:] != (2, 32) or given.dtype.kind not in "iu":
        raise InvalidOptionError(
            f"Boards are int8[B, 2, 32], not {given.dtype}{list(given.shape)}."
        )
    places = given[:, :, 1 : BAR + 1]
    if given.size and int(places.min()) < 0:
        raise InvalidPositionError(
            f"A place holds 0 to {_CHECKERS} checkers, not {int(places.min())!r}."
        )
    counts = places.sum(axis=2, dtype=np.int64)
    if given.size and int(counts.max()) > _CHECKERS:
        raise InvalidPositionError(
            f"A side has at most {_CHECKERS} checkers, not {int(counts.max())!r}."
        )
    shared = (given[:, 0, 1:BAR] > 0) & (given[:, 1, BAR - 1 : 0 : -1] > 0)
    if shared.any():
        board, point = np.argwhere(shared)[0]
        raise InvalidPositionError(
            f"Board {int(board)} has checkers of both sides on point {int(point) + 1}."
        )
    return given.astype(np.int8, copy=False)
