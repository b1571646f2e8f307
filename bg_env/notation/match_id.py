"""The match id of GNU Backgammon: everything but the checkers, in 12 characters."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, Final

from bg_env.errors import InvalidNotationError

NO_GAME: Final = 0
PLAYING: Final = 1
GAME_OVER: Final = 2
GAME_RESIGNED: Final = 3
GAME_DROPPED: Final = 4

_LENGTH: Final = 12
_BYTES: Final = 9
_CENTRED: Final = 3  # how the two bits of the cube's owner say "nobody"
_LARGEST: Final = 2**15 - 1

# Name and width in bits of what an id holds, lowest bit first.
_LAYOUT: Final = (
    ("cube_log2", 4),
    ("cube_owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("game_state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("first_die", 3),
    ("second_die", 3),
    ("match_length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("jacoby_off", 1),
    ("spare", 5),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchId:
    """The fields of a match id as they stand there, players numbered as GNU does.

    Only what an id has room for is checked, not whether such a game can be.

    Raises:
        InvalidNotationError: A value that a match id has no room for.

    >>> MatchId.parse("8ImlACAAIAAE").score
    (2, 4)
    """

    cube: int = 1
    """Value of the cube, 1 to 32768."""
    cube_owner: int = -1
    """The player who owns the cube, -1 = in the middle."""
    on_roll: int = 0
    """The player whose turn it is."""
    crawford: bool = False
    """This is the Crawford game."""
    game_state: int = PLAYING
    """0 no game, 1 playing, 2 over, 3 ended by resigning, 4 ended by a drop."""
    turn: int = 0
    """The player who decides now."""
    doubled: bool = False
    """A double awaits an answer; `cube` is the value before it."""
    resigned: int = 0
    """Level of the resignation that awaits an answer, 0 = none."""
    dice: tuple[int, int] = (0, 0)
    """The roll, (0, 0) = not rolled."""
    match_length: int = 0
    """Points the match is played to, 0 = money play."""
    score: tuple[int, int] = (0, 0)
    """Points of player 0 and player 1."""
    jacoby: bool = False
    """The Jacoby rule is on."""

    def __post_init__(self) -> None:
        _check_number("cube", self.cube, 1, 2**15)
        if self.cube & (self.cube - 1):
            raise InvalidNotationError(
                f"The cube of a match id is a power of two, not {self.cube!r}."
            )
        for name, low, high in (
            ("cube_owner", -1, 1),
            ("on_roll", 0, 1),
            ("game_state", NO_GAME, GAME_DROPPED),
            ("turn", 0, 1),
            ("resigned", 0, 3),
            ("match_length", 0, _LARGEST),
        ):
            _check_number(name, getattr(self, name), low, high)
        for points in self.score:
            _check_number("score", points, 0, _LARGEST)
        for die in self.dice:
            _check_number("dice", die, 0, 6)
        if (self.dice[0] == 0) != (self.dice[1] == 0):
            raise InvalidNotationError(
                f"Both dice of a match id are rolled or neither, not {self.dice!r}."
            )

    @classmethod
    def parse(cls, text: str) -> MatchId:
        """Read a match id of 12 characters.

        Raises:
            InvalidNotationError: Not a match id.
        """
        fields = _unpack(text)
        if fields["spare"]:
            raise InvalidNotationError(
                f"Match id {text!r} has bits set after the last field; it is damaged "
                f"or not a match id."
            )
        if fields["cube_owner"] == 2:
            raise InvalidNotationError(
                f"Match id {text!r} has cube owner 2; 0, 1 and 3 (nobody) exist."
            )
        owner = fields["cube_owner"]
        try:
            return cls(
                cube=1 << fields["cube_log2"],
                cube_owner=-1 if owner == _CENTRED else owner,
                on_roll=fields["on_roll"],
                crawford=bool(fields["crawford"]),
                game_state=fields["game_state"],
                turn=fields["turn"],
                doubled=bool(fields["doubled"]),
                resigned=fields["resigned"],
                dice=(fields["first_die"], fields["second_die"]),
                match_length=fields["match_length"],
                score=(fields["score_0"], fields["score_1"]),
                jacoby=not fields["jacoby_off"],
            )
        except InvalidNotationError as error:
            raise InvalidNotationError(f"Match id {text!r}: {error}") from None

    @property
    def text(self) -> str:
        """The match id of 12 characters; `MatchId.parse` gives it back."""
        fields = {
            "cube_log2": self.cube.bit_length() - 1,
            "cube_owner": _CENTRED if self.cube_owner < 0 else self.cube_owner,
            "on_roll": self.on_roll,
            "crawford": int(self.crawford),
            "game_state": self.game_state,
            "turn": self.turn,
            "doubled": int(self.doubled),
            "resigned": self.resigned,
            "first_die": self.dice[0],
            "second_die": self.dice[1],
            "match_length": self.match_length,
            "score_0": self.score[0],
            "score_1": self.score[1],
            "jacoby_off": int(not self.jacoby),
            "spare": 0,
        }
        bits = shift = 0
        for name, width in _LAYOUT:
            bits |= fields[name] << shift
            shift += width
        return base64.b64encode(bits.to_bytes(_BYTES, "little")).decode()

    def __str__(self) -> str:
        return self.text


def _check_number(name: str, value: Any, low: int, high: int) -> None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise InvalidNotationError(
            f"A match id has room for {name} of {low} to {high}, not {value!r}."
        )


def _unpack(text: Any) -> dict[str, int]:
    """The raw number of every field."""
    if not isinstance(text, str) or len(text) != _LENGTH:
        raise InvalidNotationError(
            f"A match id is {_LENGTH} characters of base64, not {text!r}."
        )
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != _BYTES:
        raise InvalidNotationError(
            f"Match id {text!r} has a character that base64 does not know."
        )
    bits = int.from_bytes(raw, "little")
    fields = {}
    for name, width in _LAYOUT:
        fields[name] = bits & ((1 << width) - 1)
        bits >>= width
    return fields
