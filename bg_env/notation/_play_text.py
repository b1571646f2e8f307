"""The words of a play: which checkers go where, and what is said to be hit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from bg_env.errors import InvalidNotationError
from bg_env.rules.state import BAR, OFF

# The places of one checker, falling: where it stands, named stops, where it ends.
Journey = tuple[int, ...]

_MOST_TIMES: Final = 4
_NOTHING: Final = "|".join(
    (r"\(?no (?:play|moves?)\)?", "pass", "cannot move", "can't move", "dances?", "-+")
)
_NO_PLAY: Final = re.compile(_NOTHING)
_PASS_AT_END: Final = re.compile(rf"\s(?:{_NOTHING})$")
_PLACE: Final = "(?:bar|off|[0-9]{1,2})"
_WORD: Final = re.compile(
    rf"(?P<places>{_PLACE}(?:/{_PLACE}\*?)+)(?:\((?P<times>[0-9])\))?(?P<hit>\*?)"
)


@dataclass(frozen=True, slots=True)
class PlayText:
    """What a text says, not yet held against a position."""

    journeys: tuple[Journey, ...]
    """One for each checker, sorted; () = nothing is played."""
    hits: frozenset[int]
    """The points marked with ``*``."""
    says_pass: bool
    """The text says that nothing more can be played."""


def read_play_text(text: Any) -> PlayText:
    """Split the text of a play into the journeys of its checkers.

    Raises:
        InvalidNotationError: Not the text of a play.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidNotationError(
            f"A play is text such as '13/8 6/5', or '(no play)', not {text!r}."
        )
    plain = re.sub("[–—]", "-", text.strip().lower())
    if _NO_PLAY.fullmatch(plain):
        return PlayText((), frozenset(), True)
    moves = _PASS_AT_END.sub("", plain)
    journeys: list[Journey] = []
    hits: set[int] = set()
    for word in re.split(r"[\s,;]+", _with_slashes(moves).strip(" ,;")):
        try:
            journey, times, hit = _read_word(word)
        except InvalidNotationError as error:
            raise InvalidNotationError(f"Play {text!r}: {error}") from None
        journeys += [journey] * times
        hits |= hit
    return PlayText(tuple(sorted(journeys)), frozenset(hits), moves != plain)


def _with_slashes(plain: str) -> str:
    """Words without blanks inside; a dash stands for a slash only if there is none."""
    plain = re.sub(r"\s*/\s*", "/", plain)
    plain = re.sub(r"\s+(?=[*(])", "", plain)
    if "/" in plain:
        return plain.replace("-", " ")
    return re.sub(r"\s*-\s*", "/", plain)


def _read_word(word: str) -> tuple[Journey, int, set[int]]:
    """The places of a word such as ``24/18*/13(2)``, how many checkers, the hits."""
    match = _WORD.fullmatch(word)
    if not match:
        raise InvalidNotationError(
            f"{word!r} is not like 13/8, bar/22, 24/18*/13, 8/5(2) or 6/off."
        )
    names = match["places"].split("/")
    if match["hit"] and not names[-1].endswith("*"):
        names[-1] += "*"
    journey = tuple(_place_of(name.rstrip("*")) for name in names)
    if any(here <= there for here, there in pairwise(journey)):
        raise InvalidNotationError(
            f"{word!r} does not go forward; points are numbered down to off."
        )
    hits = {
        place for place, name in zip(journey, names, strict=True) if name[-1] == "*"
    }
    if OFF in hits:
        raise InvalidNotationError(f"{word!r} claims a hit off the board.")
    times = int(match["times"] or 1)
    if not 1 <= times <= _MOST_TIMES:
        raise InvalidNotationError(
            f"{word!r} counts {times} checkers; one roll moves 1 to {_MOST_TIMES}."
        )
    return journey, times, hits


def _place_of(name: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name)
    if place is None:
        place = int(name)
    if place > BAR:
        raise InvalidNotationError(
            f"{place} is no place; points are 1 to 24, 25 or bar, 0 or off."
        )
    return place
