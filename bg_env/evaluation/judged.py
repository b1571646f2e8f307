"""Positions of which a judge has valued every play: read from a file, or made here."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Final

import numpy as np

from bg_env.agent import Evaluator
from bg_env.errors import BgEnvError, InvalidOptionError, InvalidPositionError
from bg_env.evaluation._luck import evaluator_of
from bg_env.rules.movegen import check_dice, check_position, legal_plays
from bg_env.rules.position import Position
from bg_env.search.rolls import equity, rate_results

_AT_ONCE: Final = 256  # positions whose plays are rated together
_MOST_POINTS: Final = 1e6
_GZIP: Final = b"\x1f\x8b"
_DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class JudgedPosition:
    """A roll to be played, and what a judge says of every play.

    Attributes:
        position: Seen by the player who has rolled.
        dice: His roll.
        candidates: His cubeless money equity after each legal play, by the position
            it leads to, sides not swapped. When nothing can be played: the position
            as it stands.

    Raises:
        InvalidPositionError: No `Position`, or a game that is over.
        InvalidOptionError: Dice that are none, candidates that are not the legal plays,
            an equity that is no finite number.
    """

    position: Position
    dice: tuple[int, int]
    candidates: Mapping[Position, float]

    def __post_init__(self) -> None:
        check_position(self.position)
        if not all(map(any, (self.position.mover[1:], self.position.opponent[1:]))):
            raise InvalidPositionError(
                f"The game is over in position {self.position.id}; there is nothing "
                f"to judge."
            )
        object.__setattr__(self, "dice", check_dice(self.dice))
        self._check_plays()
        values = {
            result: _checked_equity(result, value)
            for result, value in self.candidates.items()
        }
        object.__setattr__(self, "candidates", values)

    def _check_plays(self) -> None:
        legal = {play.result for play in legal_plays(self.position, self.dice)}
        roll = f"roll {list(self.dice)} in position {self.position.id}"
        for result in self.candidates:
            if result not in legal:
                named = result.id if isinstance(result, Position) else repr(result)
                raise InvalidOptionError(
                    f"Candidate {named} is no result of a legal play of {roll}."
                )
        for result in legal:
            if result not in self.candidates:
                raise InvalidOptionError(
                    f"Of the {len(legal)} legal plays of {roll} only "
                    f"{len(self.candidates)} are judged; {result.id} is missing."
                )

    @property
    def best(self) -> float:
        """The equity of the best play."""
        return max(self.candidates.values())


def _checked_equity(result: Position, value: Any) -> float:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not -_MOST_POINTS <= value <= _MOST_POINTS:
        raise InvalidOptionError(
            f"The equity after play {result.id} is a number of points, not {value!r}."
        )
    return float(value)


@dataclass(frozen=True, slots=True)
class JudgedPositions:
    """Positions that one judge has judged.

    Attributes:
        judge: Who says what the plays are worth.
        positions: What he has judged, at least one.

    Raises:
        InvalidOptionError: Nothing, or something else than judged positions.
    """

    judge: str
    positions: Sequence[JudgedPosition]

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", tuple(self.positions))
        for entry in self.positions:
            if not isinstance(entry, JudgedPosition):
                raise InvalidOptionError(
                    f"Judged positions are JudgedPosition objects, not {entry!r}."
                )
        if not self.positions:
            raise InvalidOptionError(
                f"Judge {self.judge!r} has judged no position; there must be one."
            )

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[JudgedPosition]:
        return iter(self.positions)


# --- from a file ----------------------------------------------------------------------


def load_judged(path: str | Path, *, judge: str | None = None) -> JudgedPositions:
    """Read judged positions from a file of JSON lines, plain or packed with gzip.

    Each line is an object with ``id``, the position id seen by the player who has
    rolled, ``dice``, and ``plays``: ``[id after the play, equity, ...]`` of every
    distinct play, sides not swapped. What else a line has is not looked at, and a
    position in which nothing can be played has itself as its only play.

    Args:
        path: The file.
        judge: Who judged; None = the file's name.

    Raises:
        InvalidOptionError: No such file, a damaged one, or a line that is none of
            these; the message has its number.
    """
    name = Path(path).name if judge is None else judge
    found = []
    for number, line in enumerate(_lines(Path(path)), start=1):
        if line.strip():
            found.append(_read_line(line, f"Line {number} of {str(path)!r}"))
    if not found:
        raise InvalidOptionError(
            f"The file {str(path)!r} has no judged positions; it is empty."
        )
    return JudgedPositions(name, found)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a text file, which may be packed."""
    number = 0
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
        opened = gzip.open if packed else open
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                number += 1
                yield line
    except FileNotFoundError:
        raise InvalidOptionError(
            f"There is no file {str(path)!r} of judged positions."
        ) from None
    except UnicodeDecodeError:
        raise InvalidOptionError(
            f"The file {str(path)!r} is no text; judged positions are lines of JSON, "
            f"plain or packed with gzip."
        ) from None
    except _DAMAGED:
        raise InvalidOptionError(
            f"The packed file {str(path)!r} is damaged after line {number}; pack it "
            f"with gzip anew."
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InvalidOptionError(
            f"The file {str(path)!r} cannot be read: {reason or error}."
        ) from None


def _read_line(line: str, where: str) -> JudgedPosition:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidOptionError(f"{where} is no JSON: {_quoted(line)}.") from None
    if not isinstance(row, dict):
        raise InvalidOptionError(f"{where} is no JSON object: {_quoted(line)}.")
    for key in ("id", "dice", "plays"):
        if key not in row:
            raise InvalidOptionError(f"{where} has no {key!r}: {_quoted(line)}.")
    try:
        position = Position.from_id(row["id"])
        return JudgedPosition(position, row["dice"], _candidates(row["plays"]))
    except BgEnvError as error:
        raise InvalidOptionError(f"{where}: {error}") from None


def _candidates(plays: Any) -> dict[Position, float]:
    """Equities by position, of ``[[id, equity, ...], ...]``."""
    candidates: dict[Position, float] = {}
    for play in plays if isinstance(plays, list) else [plays]:
        if not isinstance(play, list) or len(play) < 2:
            raise InvalidOptionError(
                f"A play is [position id after it, equity], not {_short(repr(play))}."
            )
        result = Position.from_id(play[0])
        if result in candidates:
            raise InvalidOptionError(f"Play {play[0]} is judged twice.")
        candidates[result] = play[1]
    return candidates


def _quoted(line: str) -> str:
    """The beginning of a line as a message shows it, whatever characters it has."""
    return repr(_short(line))


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 60 else f"{text[:60]} …"


# --- by an evaluator ------------------------------------------------------------------


def judge(
    evaluator: str | Evaluator, positions: Iterable[tuple[Position, tuple[int, int]]]
) -> JudgedPositions:
    """Let an evaluator value every legal play of some rolls.

    A play that ends the game is valued exactly, any other by what the evaluator says
    of the position for the opponent, who rolls next.

    Args:
        evaluator: Agent string or `Evaluator`.
        positions: (position seen by the player who has rolled, his roll).

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: An agent that rates no positions, dice that are none, no
            position at all.
        InvalidPositionError: No `Position`, or a game that is over.
    """
    rater = evaluator_of(evaluator, "judge plays")
    asked = list(positions)
    judged: list[JudgedPosition] = []
    for start in range(0, len(asked), _AT_ONCE):
        judged += _judge_some(rater, asked[start : start + _AT_ONCE])
    name = evaluator.strip() if isinstance(evaluator, str) else str(rater.name)
    return JudgedPositions(name, judged)


def _judge_some(
    rater: Evaluator, asked: Sequence[tuple[Position, tuple[int, int]]]
) -> list[JudgedPosition]:
    results = [
        [play.result for play in legal_plays(position, dice)]
        for position, dice in asked
    ]
    boards = np.stack([result.to_board() for some in results for result in some])
    values = iter(equity(rate_results(rater, boards).astype(np.float64)).tolist())
    return [
        JudgedPosition(position, dice, {result: next(values) for result in some})
        for (position, dice), some in zip(asked, results, strict=True)
    ]
