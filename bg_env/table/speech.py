"""Reading what people say at the table: ``"roll 31"``, ``"resign gammon"``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from bg_env.errors import InvalidNotationError

_ROLL: Final = re.compile(r"roll( out of turn)?(?: ([1-6])[ -]?([1-6]))?")
_RESIGN: Final = re.compile(r"resign(?: (?:a )?(single|gammon|backgammon))?")
_LEAVE: Final = re.compile(r"leave (\S+)")
_VERBS: Final = {
    "double": "double",
    "take": "take",
    "drop": "drop",
    "beaver": "beaver",
    "raccoon": "beaver",
    "accept": "accept",
    "refuse": "refuse",
    "claim": "claim",
    "confirm": "confirm",
    "take back": "take_back",
    "undo": "undo",
    "call illegal": "call_illegal",
    "accept result": "accept_result",
}


@dataclass(frozen=True, slots=True)
class Saying:
    """The method of `Game` that a text asks for, and its argument."""

    method: str
    """Its name; "" = the text names moves."""
    argument: Any = None
    """The only argument, None = without."""


def read_saying(text: Any) -> Saying:
    """What a text asks for; what nobody says otherwise is read as moves.

    >>> read_saying("resign gammon")
    Saying(method='resign', argument='gammon')

    Raises:
        InvalidNotationError: No text, or an empty one.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidNotationError(
            f"Say what to do, such as 'roll', 'double' or '24/18 13/11', not {text!r}."
        )
    words = " ".join(text.split())
    plain = words.lower()
    if plain in _VERBS:
        return Saying(_VERBS[plain])
    if match := _ROLL.fullmatch(plain):
        dice = (int(match[2]), int(match[3])) if match[2] else None
        return Saying("roll_out_of_turn" if match[1] else "roll", dice)
    if match := _RESIGN.fullmatch(plain):
        return Saying("resign", match[1] or "single")
    if match := re.fullmatch(_LEAVE.pattern, words, re.IGNORECASE):
        return Saying("leave", match[1])
    return Saying("", words)
