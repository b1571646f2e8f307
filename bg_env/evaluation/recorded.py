"""Decisions of games that were played: from tables, match files, or one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import BgEnvError, InvalidNotationError, InvalidOptionError
from bg_env.notation.mat import MatMatch, parse_mat
from bg_env.rules.decisions import DOUBLE, PASS, ROLL, move_code
from bg_env.rules.game import GameState
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING
from bg_env.table import Game, Match, Session, saving
from bg_env.table.acts import CODES
from bg_env.table.history import Event

_CUBE_KINDS: Final = ("double", "take", "drop", "beaver")


@dataclass(frozen=True, slots=True, eq=False)
class RecordedDecision:
    """A decision that somebody made.

    Attributes:
        state: The game before it; `state.to_act` made it.
        codes: What was decided: one code, or the moves of a whole play ((0,) for none).
        result: For a play the position it led to may be given instead, the mover's side
            first.
        game: Number of the game, for the report.
    """

    state: GameState
    codes: tuple[int, ...] = ()
    result: Position | None = None
    game: int = 1

    def board(self) -> NDArray[np.int8]:
        """The board int8[2, 32] after a play, the mover in row 0.

        Raises:
            InvalidOptionError: The codes are no whole play, or illegal.
        """
        if self.result is not None:
            return self.result.to_board()
        after = self.state.clone()
        try:
            for code in self.codes:
                after.apply(code)
        except BgEnvError as error:
            raise InvalidOptionError(f"Game {self.game}: {error}") from None
        if after.phase == MOVING and after.turn == self.state.turn:
            raise InvalidOptionError(
                f"Game {self.game}: codes {list(self.codes)!r} are not the whole of a "
                f"play with dice {list(self.state.dice_left)} in position "
                f"{self.state.position.id}."
            )
        board: NDArray[np.int8] = after.record["board"][0]
        return board if after.turn == self.state.turn else board[::-1]


Record = Game | Match | Session | MatMatch | RecordedDecision
"""What decisions can be read from."""


def recorded_decisions(
    games: Record | Iterable[Record],
) -> tuple[list[RecordedDecision], tuple[str, str]]:
    """All decisions of games, and the names of the players.

    Rolls are decisions where a double was possible. What else people do at a table
    (resigning, claims, calls) is left out.

    Args:
        games: A `Game`, `Match` or `Session` of `bg_env.table`, what `read_mat` read,
            decisions, or any number of these.

    Raises:
        InvalidOptionError: Something else.
        InvalidNotationError: A match file that the rules do not allow.
    """
    several = [games] if isinstance(games, Record) else games
    found: list[RecordedDecision] = []
    names: tuple[str, str] | None = None
    count = 0
    for record in several:
        if isinstance(record, RecordedDecision):
            found.append(record)
            count = max(count, record.game)
            continue
        _check_record(record)
        first, second = record.names
        names = names or (first, second)
        for steps in _games_of(record):
            count += 1
            found += [RecordedDecision(*step, game=count) for step in steps]
    return found, names or ("player 0", "player 1")


def _check_record(record: Any) -> None:
    if not isinstance(record, Record):
        raise InvalidOptionError(
            f"Decisions are read from a Game, Match or Session of bg_env.table, a "
            f"match file (read_mat) or RecordedDecision, not from {record!r}."
        )


_Step = tuple[GameState, tuple[int, ...], Position | None]


def _games_of(record: Game | Match | Session | MatMatch) -> Iterator[list[_Step]]:
    if isinstance(record, MatMatch):
        for game in record.steps():
            yield [(state, codes, None) for state, codes in game]
        return
    for played in [record] if isinstance(record, Game) else record.games:
        yield list(_steps_of_table(played))


def _steps_of_table(game: Game) -> Iterator[_Step]:
    """The decisions of a game at the table, by playing it again."""
    again = Game(state=game.start, names=game.names, over_the_board=game.over_the_board)
    for event in game.history:
        before = again.state
        again.replay([event])
        step = _step_of_event(event, before)
        if step is not None:
            yield before, *step


def _step_of_event(
    event: Event, before: GameState
) -> tuple[tuple[int, ...], Position | None] | None:
    """The codes or the result of an event, None for one that is no decision here."""
    if event.kind == "roll":
        return ((ROLL,), None) if before.is_legal(DOUBLE) else None
    if event.kind == "play":
        codes = tuple(move_code(move.source, move.die) for move in event.moves)
        return codes or (PASS,), None
    if event.kind == "leave":
        return (), event.left
    if event.kind in _CUBE_KINDS:
        return (CODES[event.kind],), None
    return None


# --- from a file ----------------------------------------------------------------------

_SAVED: Final[dict[str, type[Game] | type[Match] | type[Session]]] = {
    "game": Game,
    Match.kind: Match,
    Session.kind: Session,
}


def read_games(path: str | Path) -> Game | Match | Session | MatMatch:
    """Read recorded games: saved by `bg_env.table`, or a match file (.mat).

    Which of them it is shows in the file, not in its name.

    Raises:
        InvalidOptionError: The file cannot be read.
        InvalidNotationError: It is neither, or damaged.
    """
    try:
        raw = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InvalidOptionError(
            f"The file {str(path)!r} cannot be read: {reason or error}."
        ) from None
    if raw.lstrip()[:1] == b"{":
        return _saved_games(path)
    try:
        return parse_mat(raw.decode("utf-8-sig", errors="replace"))
    except InvalidNotationError:
        raise InvalidNotationError(
            f"The file {str(path)!r} holds no recorded games: it was not saved by "
            f"bg_env.table, and a match file has a line such as '5 point match' and "
            f"after it 'Game 1'."
        ) from None


def _saved_games(path: str | Path) -> Game | Match | Session:
    kind = saving.read_data(path).get("kind")
    if not isinstance(kind, str) or kind not in _SAVED:
        raise InvalidNotationError(
            f"The file {str(path)!r} is JSON, but no saved {', '.join(_SAVED)}: its "
            f"kind is {kind!r}."
        )
    return _SAVED[kind].load(path)
