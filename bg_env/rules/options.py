"""`Rules`: which game is played, as one frozen value with named presets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final, Literal

from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.rules.position import STARTS, Position

_LONGEST_MATCH: Final = 32767  # what a GNU match id can say
_MOST_AUTOMATIC: Final = 30
_MOST_BEAVERS: Final = 30
_LONGEST_TIME: Final = 1_000_000.0  # seconds; milliseconds stay in 32 bits


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """The chess clock of R29.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    turn_seconds: float = 11.0
    """Time of each turn; full at each new turn, never accumulates."""
    reserve_seconds: float = 90.0
    """Time of a player beyond his turns; only falls."""
    renewed: Literal["game", "match"] = "game"
    """When the reserve is filled again: each game, or once per match."""
    flag: Literal["claim", "loses"] = "claim"
    """A player out of time plays on until the opponent claims, or loses at once."""
    award: Literal["gammon", "single", "match"] = "gammon"
    """What a claim (or a loss on time) is worth."""

    def __post_init__(self) -> None:
        _check_number("clock turn_seconds", self.turn_seconds, 0, _LONGEST_TIME)
        _check_number("clock reserve_seconds", self.reserve_seconds, 0, _LONGEST_TIME)
        if round(self.reserve_seconds * 1000) == 0:
            raise InvalidOptionError(
                f"The clock needs reserve_seconds of at least a millisecond, not "
                f"{self.reserve_seconds!r}: a player without a reserve would be "
                f"flagged before he plays."
            )
        _check_choice("clock renewed", self.renewed, ("game", "match"))
        _check_choice("clock flag", self.flag, ("claim", "loses"))
        _check_choice("clock award", self.award, ("gammon", "single", "match"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """All options of the game (R1–R29). Frozen and hashable.

    Raises:
        InvalidOptionError: An option with an impossible value, or two options that
            contradict each other (beavers in a match).
    """

    match_length: int = 0
    """Points the match is played to; 0 = money play (R25)."""
    cube: bool = True
    """The doubling cube is in use (R18); never in a one-point match (R26)."""
    max_cube: int | None = 64
    """Highest value of the cube, a power of two; None = no limit (R18)."""
    jacoby: bool = False
    """Gammons count single until a double was taken; money only (R22)."""
    automatic_doubles: int = 0
    """How many opening ties of a game double the cube; money only (R23)."""
    beavers: int = 0
    """How many beavers and raccoons one double may bring; money only (R24)."""
    crawford: bool = True
    """One game without the cube when a player comes to match point (R26)."""
    backgammon_points: int = 3
    """What a backgammon multiplies the cube by, 2 or 3 (R17)."""
    backgammon: bool = True
    """False: only single and gammon exist; a backgammon is reported as a gammon."""
    least_waste: bool = False
    """Of the plays with both dice only those that waste least in bearing off (R16)."""
    resign: Literal["offer", "immediate"] | None = None
    """Resigning (R28): None = not offered as a decision; "offer" = a level that the
    opponent accepts or refuses; "immediate" = one action that ends the game."""
    opening_reroll: bool = False
    """The winner of the opening roll rolls both dice afresh (R5)."""
    clock: Clock | None = None
    """The clock (R29), or None."""
    start: str = "standard"
    """A variant (standard, nackgammon, hypergammon, longgammon) or a position id
    (R4); player 0 has the mover's side of it."""

    def __post_init__(self) -> None:
        _check_integer("match_length", self.match_length, 0, _LONGEST_MATCH)
        _check_integer("automatic_doubles", self.automatic_doubles, 0, _MOST_AUTOMATIC)
        _check_integer("beavers", self.beavers, 0, _MOST_BEAVERS)
        _check_choice("backgammon_points", self.backgammon_points, (2, 3))
        _check_choice("resign", self.resign, (None, "offer", "immediate"))
        _check_max_cube(self.max_cube)
        self._check_flags()
        self._check_match()
        _check_unfinished(self.start_position)

    def _check_flags(self) -> None:
        for name in (
            "cube", "jacoby", "crawford", "backgammon", "least_waste", "opening_reroll"
        ):  # fmt: skip
            if not isinstance(getattr(self, name), bool):
                raise InvalidOptionError(
                    f"Option {name} is True or False, not {getattr(self, name)!r}."
                )
        if self.clock is not None and not isinstance(self.clock, Clock):
            raise InvalidOptionError(
                f"Option clock is a bg_env.Clock or None, not {self.clock!r}."
            )

    def _check_match(self) -> None:
        """R22–R25, R27, R29: what goes with a match and what does not."""
        money_only = {
            "jacoby": self.jacoby,
            "automatic_doubles": self.automatic_doubles,
            "beavers": self.beavers,
        }
        for name, value in money_only.items():
            if value and self.match_length:
                raise InvalidOptionError(
                    f"Option {name}={value!r} is for money play only, not for a "
                    f"match to {self.match_length}; leave it out (R27)."
                )
            if value and not self.cube:
                raise InvalidOptionError(
                    f"Option {name}={value!r} needs the cube; set cube=True."
                )
        if self.clock and self.clock.award == "match" and not self.match_length:
            raise InvalidOptionError(
                "A clock with award='match' needs a match; match_length is 0."
            )
        if self.match_length and self.match_length % 2 == 0:
            warnings.warn(
                f"A match to {self.match_length}: matches are played to an odd "
                f"number of points (R25).",
                UserWarning,
                stacklevel=4,
            )

    @property
    def start_position(self) -> Position:
        """The position a game starts from; the mover's side belongs to player 0."""
        if isinstance(self.start, str) and self.start in STARTS:
            return Position.start(self.start)
        if isinstance(self.start, str) and len(self.start) == 14:
            return Position.from_id(self.start)
        raise InvalidOptionError(
            f"Option start is one of {', '.join(STARTS)} or a 14-character position "
            f"id, not {self.start!r}."
        )

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The rules of a named preset, with single options changed.

        Args:
            name: "standard", "match", "timed", "household", "us-tournament", or
                "cubeless" (money play without the cube).
            **changes: Any field of `Rules`.

        Raises:
            UnknownNameError: No preset or no option of that name.
            InvalidOptionError: A value or combination that cannot be.

        >>> Rules.preset("match").match_length
        7
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise UnknownNameError.of("rules preset", name, PRESETS)
        known = [field.name for field in fields(cls)]
        for option in changes:
            if option not in known:
                raise UnknownNameError.of("rules option", option, known)
        chosen = {**PRESETS[name], **changes}
        if "match_length" in PRESETS[name] and not chosen["match_length"]:
            raise InvalidOptionError(
                f"Preset {name!r} is a match: match_length is 1 or more, "
                f"not {chosen['match_length']!r}."
            )
        if name == "us-tournament" and "clock" not in changes:
            chosen["clock"] = _us_clock(chosen["match_length"])
        return cls(**chosen)


def as_rules(rules: Any) -> Rules:
    """Rules as given, by the name of a preset, or the standard ones for None.

    Raises:
        UnknownNameError: No preset of that name.
        InvalidOptionError: Something else.
    """
    if isinstance(rules, Rules):
        return rules
    if rules is None:
        return Rules()
    if isinstance(rules, str):
        return Rules.preset(rules)
    raise InvalidOptionError(
        f"rules is a bg_env.Rules or the name of a preset, not {rules!r}."
    )


def quiet_rules(**options: Any) -> Rules:
    """Rules read from text: nobody is warned of a match somebody else has made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Rules(**options)


def _us_clock(match_length: Any) -> Clock:
    """12 s a turn, 2 minutes a point for the match, running out loses the match."""
    _check_integer("match_length", match_length, 1, 8000)
    return Clock(
        turn_seconds=12.0,
        reserve_seconds=120.0 * match_length,
        renewed="match",
        flag="loses",
        award="match",
    )


def _check_integer(name: str, value: Any, low: int, high: int) -> None:
    good = isinstance(value, int) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        raise InvalidOptionError(
            f"Option {name} is a whole number of {low} to {high}, not {value!r}."
        )


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        raise InvalidOptionError(
            f"Option {name} is a number of {low:g} to {high:g}, not {value!r}."
        )


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices or isinstance(value, bool):
        listed = ", ".join(repr(choice) for choice in choices)
        raise InvalidOptionError(f"Option {name} is one of {listed}, not {value!r}.")


def _check_unfinished(start: Position) -> None:
    if not any(start.mover[1:]) or not any(start.opponent[1:]):
        raise InvalidOptionError(
            f"The game is over in start={start.id!r}: a side has borne off all "
            f"checkers; give a position with checkers of both on the board."
        )


def _check_max_cube(value: Any) -> None:
    if value is None:
        return
    power = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not power or value & (value - 1) or value > 2**30:
        raise InvalidOptionError(
            f"Option max_cube is a power of two of 1 to 2**30 or None, not {value!r}."
        )


PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "standard": {},
        "match": {"match_length": 7},
        "timed": {
            "cube": False,
            "backgammon_points": 2,
            "backgammon": False,
            "least_waste": True,
            "resign": "immediate",
            "clock": Clock(),
        },
        "household": {"cube": False},
        "cubeless": {"cube": False},
        "us-tournament": {"match_length": 7},
    }
)
