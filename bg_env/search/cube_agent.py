"""`CubePlayer`: the full game by any evaluator, cube and score in every decision."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, PlayChooser
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import States
from bg_env.rules.state import CUBE_IN_USE, NO_BACKGAMMON
from bg_env.search._cube_answers import Answers
from bg_env.search._cube_search import deeper_worths, rated_results, result_worths
from bg_env.search._cube_worths import check_plies, cubes_of_states
from bg_env.search.rolls import best_of_each, roll_chances, roll_results

__all__ = ["CubePlayer", "with_cube"]

_AT_ONCE: Final = 256  # games whose plays are rated together


class CubePlayer(PlayChooser):
    """Doubles, takes, drops, beavers, resigns and plays by an evaluator's chances.

    Of the results of a roll it plays the one that is worth most with the cube and at
    the score. It answers resignations by what the position is worth, offers one where
    the game is lost for certain, and claims a game on time where that pays. It uses no
    chance of its own but that of a `chooser`.
    """

    claims_on_time = True

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        chooser: PlayChooser | None = None,
        cubeless: PlayChooser | None = None,
        plies: int = 0,
        play_plies: int = 0,
        table: MatchEquityTable | None = None,
        name: str | None = None,
    ) -> None:
        """Make a player.

        Args:
            evaluator: Rates positions.
            cubeless: Plays the checkers in cubeless money games that count backgammons
                in full; None = the evaluator itself, if it can and does not look ahead.
            chooser: Plays the checkers in all games instead; the evaluator then only
                turns the cube.
            plies: Rolls that decisions about the cube look ahead.
            play_plies: Rolls that the best few plays of each roll are looked ahead.
            table: Match equities; None = the default ones.
            name: None = that of the evaluator.

        Raises:
            InvalidOptionError: No evaluator, or no such number of plies.
        """
        if not callable(getattr(evaluator, "evaluate", None)):
            raise InvalidOptionError(
                f"A CubePlayer needs an evaluator, with a method evaluate(boards), not "
                f"{evaluator!r}."
            )
        check_plies("plies", plies)
        check_plies("play_plies", play_plies)
        self.evaluator = evaluator
        self.name = evaluator.name if name is None else name
        self.table = load_table() if table is None else table
        self._chooser = chooser
        self._play_plies = play_plies
        self._cubeless = cubeless
        if cubeless is None and isinstance(evaluator, PlayChooser) and not play_plies:
            self._cubeless = evaluator
        self._answers = Answers(evaluator, plies, self.table)

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, by the evaluator: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self.evaluator.evaluate(boards)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each roll is worth without a cube: float32[B, 21, 5].

        As the function of that name, by the evaluator.
        """
        return roll_chances(self.evaluator, boards)

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """As the function of that name, by the evaluator."""
        return roll_results(self.evaluator, boards)

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game: int64[B]."""
        if self._chooser is not None:
            return self._chooser.choose(states, boards, offsets, streams)
        if self._cubeless is not None and _is_cubeless_money(states).all():
            return self._cubeless.choose(states, boards, offsets, streams)
        chosen = np.empty(len(states), np.int64)
        for start in range(0, len(states), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            ends = offsets[start : start + _AT_ONCE + 1]
            some = boards[ends[0] : ends[-1]]
            best = self._best(states[part], some, ends - ends[0])
            chosen[part] = best + ends[0]
        return chosen

    def _best(
        self, states: States, boards: NDArray[np.int8], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        cubes = np.repeat(cubes_of_states(states), np.diff(offsets))
        results = rated_results(self.evaluator, boards)
        if self._play_plies:
            worths = deeper_worths(
                self.evaluator, results, cubes, offsets, self._play_plies, self.table
            )
        else:
            worths = result_worths(results, cubes, self.table)
        return best_of_each(worths, offsets)

    def act(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One decision per game: int64[B]."""
        codes = super().act(states, streams)
        self._answers.write(states, codes)
        return codes


def _is_cubeless_money(states: States) -> NDArray[np.bool_]:
    """bool[B]: only points count, with backgammons in full, and nobody doubles."""
    options = states["options"]
    found: NDArray[np.bool_] = (
        (states["match_length"] == 0)
        & (options & (CUBE_IN_USE | NO_BACKGAMMON) == 0)
        & (states["backgammon_points"] == 3)
    )
    return found


def with_cube(
    evaluator: Evaluator,
    *,
    chooser: PlayChooser | None = None,
    plies: int = 0,
    play_plies: int = 0,
    name: str | None = None,
) -> CubePlayer:
    """An agent that plays the full game, from anything that rates positions.

    Args:
        evaluator: An agent with a method `evaluate`, or any other `Evaluator`.
        chooser: Plays the checkers in all games instead.
        plies: Rolls that decisions about the cube look ahead.
        play_plies: Rolls that the best few plays of each roll are looked ahead.
        name: None = that of the evaluator.

    Raises:
        InvalidOptionError: No evaluator, or no such number of plies.
    """
    return CubePlayer(
        evaluator, chooser=chooser, plies=plies, play_plies=play_plies, name=name
    )
