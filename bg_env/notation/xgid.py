"""The XGID of eXtreme Gammon: a whole game in one line of text.

::

    XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10

=====  =========================================================================
field  meaning
=====  =========================================================================
1      26 places: the bar of lower case, the points 1 to 24 of upper case, the
       bar of upper case; a letter is 1 (A, a) to 15 (O, o) checkers
2      the cube as a power of two; while a double is pending, before that double
3      its owner: 1 upper case, -1 lower case, 0 in the middle
4      whose turn it is: 1 upper case, -1 lower case
5      the roll; 00 = not rolled; D = he has doubled; B = he has doubled and the
       other has beavered; R = then he has raccooned
6, 7   score of upper case and of lower case
8      match: 1 = the Crawford game; money: 1 = Jacoby, plus 2 = beavers
9      length of the match, 0 = money
10     the highest cube as a power of two
=====  =========================================================================

Upper case is player 0, always; only the letters say whose checkers are whose.
A score of one point less than the match with 0 in field 8 is post-Crawford.
"""

from __future__ import annotations

import re
from typing import Final

from bg_env.errors import (
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
)
from bg_env.notation._limits import check_can_say, check_cube, check_double
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules, quiet_rules
from bg_env.rules.position import Position
from bg_env.rules.state import BAR, DOUBLED

_PREFIX: Final = "XGID="
_FIELDS: Final = 10
_PLACES: Final = 26
_CHECKERS: Final = 15
_JACOBY: Final = 1
_BEAVERS: Final = 2
_BEAVERS_PER_DOUBLE: Final = 3  # what GNU Backgammon allows (R24)
_HIGHEST_EXPONENT: Final = 30
_CUBE_ACTIONS: Final = "DBR"  # by the number of beavers and raccoons made
_PLAYERS: Final = {"1": 0, "-1": 1}
_SIGNS: Final = {0: "1", 1: "-1", None: "0"}
_WHOLE_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,9}")


def parse_xgid(text: str) -> GameState:
    """The game an XGID describes; upper case is player 0.

    Rules, ceiling of the cube and score come from the text; what it has no field
    for (the variant, resigning, the clock) is as in `Rules()`. Beavers allowed means
    three of them.

    Args:
        text: The XGID, with or without "XGID=" in front and white space around.

    Raises:
        InvalidNotationError: Not an XGID, or fields that contradict each other.
        InvalidPositionError: A board that cannot be: 16 checkers, a game that is over.

    >>> parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10").score
    (4, 2)
    """
    try:
        return _state_of(_split(text))
    except InvalidPositionError as error:
        raise InvalidPositionError(f"XGID {text!r}: {error}") from None
    except (InvalidNotationError, InvalidOptionError) as error:
        raise InvalidNotationError(f"XGID {text!r}: {error}") from None


def format_xgid(state: GameState) -> str:
    """The XGID of a game; upper case is player 0. `parse_xgid` reads it back.

    Options that an XGID has no field for are left out, and "beavers allowed" is all
    that it says about their number.

    Raises:
        InvalidNotationError: A state that an XGID cannot say: the game is over, the
            opening roll not made, the roll half played, a resignation or more than
            one raccoon pending, another number of checkers, a cube without ceiling.

    >>> format_xgid(GameState.from_position(Position.start(), dice=(1, 6)))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:16:0:0:0:0:6'
    """
    check_can_say(state, "An XGID")
    _check_fields_suffice(state)
    rules = state.rules
    upper, lower = state.score
    return _PREFIX + ":".join(
        (
            _places_of(state.position_of(0)),
            str(_exponent(state.cube >> state.beavers_made)),
            _SIGNS[state.cube_owner],
            _SIGNS[state.on_roll],
            _roll_text(state),
            str(upper),
            str(lower),
            str(_rule_bits(state)),
            str(rules.match_length),
            str(_exponent(rules.max_cube or 1)),
        )
    )


# --- reading ---------------------------------------------------------------------


def _split(text: str) -> list[str]:
    """The ten fields."""
    if not isinstance(text, str):
        raise InvalidNotationError("an XGID is text.")
    parts = text.strip().removeprefix(_PREFIX).split(":")
    if len(parts) != _FIELDS:
        raise InvalidNotationError(
            f"an XGID has {_FIELDS} fields with a colon between them, not {len(parts)}."
        )
    return parts


def _state_of(parts: list[str]) -> GameState:
    places, cube_text, owner_text, turn_text, roll_text, *score_texts = parts[:7]
    position = _position_of(places)
    on_roll = _read_sign("turn", turn_text)
    rules, crawford = _read_rules(*parts[7:])
    highest = rules.max_cube or 1
    cube = 1 << _read_number("cube", cube_text, _exponent(highest))
    owner = None if owner_text == "0" else _read_sign("cube owner", owner_text, "0, ")
    check_cube(rules.match_length, crawford, cube, owner)
    dice, action = _read_roll(roll_text)
    beavers_made = _CUBE_ACTIONS.index(action) if action else 0
    if action:
        turned, others = cube << beavers_made, owner == 1 - on_roll
        length = rules.match_length
        check_double(length, crawford, turned, highest, is_others=others)
    upper, lower = (_read_number("score", score) for score in score_texts)
    return GameState.from_position(
        position if on_roll == 0 else position.swapped(),
        rules=rules,
        on_roll=on_roll,
        dice=dice,
        cube=cube << beavers_made,
        cube_owner=owner,
        score=(upper, lower),
        crawford=crawford,
        doubled=bool(action),
        beavers_made=beavers_made,
    )


def _position_of(places: str) -> Position:
    """The checkers, seen by upper case."""
    if len(places) != _PLACES:
        raise InvalidNotationError(
            f"the position is {_PLACES} characters long, not {len(places)}."
        )
    upper, lower = [0] * _PLACES, [0] * _PLACES
    for index, letter in enumerate(places):
        if letter == "-":
            continue
        count = _count_of(letter)
        if index == (0 if letter.isupper() else BAR):
            raise InvalidNotationError(
                f"{letter!r} stands at place {index}, which is the other side's bar."
            )
        if letter.isupper():
            upper[index] = count
        else:
            lower[BAR - index] = count
    for name, side in (("upper", upper), ("lower", lower)):
        if sum(side) > _CHECKERS:
            raise InvalidPositionError(
                f"{name} case has {sum(side)} checkers; a side has {_CHECKERS}."
            )
        side[0] = _CHECKERS - sum(side)
    return Position(tuple(upper), tuple(lower))


def _count_of(letter: str) -> int:
    """How many checkers a letter stands for."""
    if not (letter.isascii() and letter.isalpha()):
        raise InvalidNotationError(
            f"the position has {letter!r}; it is made of letters and '-'."
        )
    count = ord(letter.lower()) - ord("a") + 1
    if count > _CHECKERS:
        raise InvalidNotationError(
            f"{letter!r} would be {count} checkers on one place; a side has "
            f"{_CHECKERS}, so the letters go to 'o' and 'O'."
        )
    return count


def _read_number(name: str, text: str, highest: int = 2**31 - 1) -> int:
    if not _WHOLE_NUMBER.fullmatch(text) or int(text) > highest:
        raise InvalidNotationError(
            f"the {name} is a whole number of 0 to {highest}, not {text!r}."
        )
    return int(text)


def _read_sign(name: str, text: str, others: str = "") -> int:
    """The player that 1 or -1 stands for."""
    if text not in _PLAYERS:
        raise InvalidNotationError(
            f"the {name} is {others}1 or -1 (upper or lower case), not {text!r}."
        )
    return _PLAYERS[text]


def _read_rules(
    bits_text: str, length_text: str, ceiling_text: str
) -> tuple[Rules, bool]:
    """The rules, and whether this is the Crawford game."""
    length = _read_number("match length", length_text)
    bits = _read_number(
        "Crawford field" if length else "field for Jacoby and beavers",
        bits_text,
        1 if length else _JACOBY | _BEAVERS,
    )
    rules = quiet_rules(
        match_length=length,
        jacoby=not length and bool(bits & _JACOBY),
        beavers=_BEAVERS_PER_DOUBLE if not length and bits & _BEAVERS else 0,
        max_cube=1 << _read_number("highest cube", ceiling_text, _HIGHEST_EXPONENT),
    )
    return rules, bool(length and bits)


def _read_roll(text: str) -> tuple[tuple[int, int] | None, str]:
    """The roll, and what has been done with the cube instead: "D", "B", "R" or ""."""
    if text == "00":
        return None, ""
    if text in tuple(_CUBE_ACTIONS):
        return None, text
    if not re.fullmatch("[1-6][1-6]", text):
        raise InvalidNotationError(
            f"the roll is two dice of 1 to 6 such as 31, or 00, D, B or R, "
            f"not {text!r}."
        )
    return (int(text[0]), int(text[1])), ""


# --- writing ---------------------------------------------------------------------


def _check_fields_suffice(state: GameState) -> None:
    """Refuse what other ids might say but an XGID has no field for."""
    if state.offer:
        raise InvalidNotationError(
            f"An XGID cannot say that a resignation (level {state.offer}) awaits an "
            f"answer; answer it first."
        )
    if state.beavers_made >= len(_CUBE_ACTIONS):
        raise InvalidNotationError(
            f"An XGID knows double, beaver and raccoon, not {state.beavers_made} "
            f"beavers and raccoons in a row."
        )
    if state.rules.max_cube is None:
        raise InvalidNotationError(
            "An XGID names the highest cube and cannot say that there is none; "
            "play with a max_cube."
        )


def _exponent(cube: int) -> int:
    return cube.bit_length() - 1


def _places_of(position: Position) -> str:
    """The 26 characters of a position seen by upper case."""
    upper, lower = position.mover, position.opponent
    letters = [_letter(lower[BAR], "a")]
    for point in range(1, BAR):
        count = upper[point]
        letters.append(
            _letter(count, "A") if count else _letter(lower[BAR - point], "a")
        )
    letters.append(_letter(upper[BAR], "A"))
    return "".join(letters)


def _letter(count: int, first: str) -> str:
    return chr(ord(first) + count - 1) if count else "-"


def _roll_text(state: GameState) -> str:
    if state.phase == DOUBLED:
        return _CUBE_ACTIONS[state.beavers_made]
    first, second = state.dice or (0, 0)
    return f"{first}{second}"


def _rule_bits(state: GameState) -> int:
    rules = state.rules
    if rules.match_length:
        return int(state.crawford)
    return _JACOBY * rules.jacoby + _BEAVERS * bool(rules.beavers)
