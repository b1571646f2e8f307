"""The index tables of the two shipped encoders: what stands where, and its bounds.

All is relative to the viewer: "my" and "their". Each side's points are in its
owner's own numbering.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bg_env.encoding import _raw as raw
from bg_env.encoding import _tesauro as tesauro


class Part(NamedTuple):
    """Neighbouring entries of an observation that belong together."""

    start: int
    stop: int
    meaning: str
    low: tuple[float, ...] = (0,)
    """Lowest values of the entries, repeated as often as needed."""
    high: tuple[float, ...] = (1,)
    """Highest values of the entries, repeated as often as needed."""


_POINTS: Final = (
    "points 1 to 24, four units each for n checkers: n ≥ 1, n ≥ 2, n ≥ 3, "
    "max(n − 3, 0) / 2"
)
_PHASE: Final = "opening, before the roll, moving, answer to a double, game over"
_FIRST_ROLL: Final = "the first roll of the game is awaited (nobody may double)"
_MAY_TURN: Final = "may turn the cube on a turn (not: whether it is the time for it)"
_SINGLE: Final = "gammons count single now (Jacoby, no double taken)"
_PAUSED: Final = (
    "turn time that the player on roll goes on with once he is answered; "
    "0 if no answer is awaited"
)


def _tesauro_points(start: int, what: str) -> Part:
    return Part(
        start,
        start + 2,
        f"{what}: min(points, 25) / 25; beyond 25 points "
        f"log2(points / 25) / log2(32768 / 25), else 0; zeros in money play",
    )


TESAURO: Final = (
    Part(0, 96, f"my {_POINTS}", high=(1, 1, 1, 6)),
    Part(96, 97, "my checkers on the bar / 2", high=(7.5,)),
    Part(97, 98, "my checkers borne off / 15"),
    Part(98, 194, f"their {_POINTS}", high=(1, 1, 1, 6)),
    Part(194, 195, "their checkers on the bar / 2", high=(7.5,)),
    Part(195, 196, "their checkers borne off / 15"),
    Part(
        tesauro.DICE,
        tesauro.PHASE,
        "dice left: for each face 1 to 6 how often it may still be played / 4; "
        "zeros outside a play",
    ),
    Part(tesauro.PHASE, tesauro.ON_ROLL, f"phase, one of five: {_PHASE}"),
    Part(tesauro.ON_ROLL, tesauro.TO_ACT, "I am on roll"),
    Part(tesauro.TO_ACT, tesauro.OFFER, "I am to act"),
    Part(tesauro.OFFER, tesauro.REFUSED, "level of the pending resignation / 3"),
    Part(
        tesauro.REFUSED,
        tesauro.FIRST_ROLL,
        "highest level of resignation refused since the last roll or move / 3",
    ),
    Part(tesauro.FIRST_ROLL, tesauro.CUBE, _FIRST_ROLL),
    Part(tesauro.CUBE, tesauro.CUBE_MINE, "log2 of the cube / 10", high=(4,)),
    Part(tesauro.CUBE_MINE, tesauro.CUBE_THEIRS, "I own the cube"),
    Part(tesauro.CUBE_THEIRS, tesauro.MAY_TURN_MINE, "they own the cube"),
    Part(tesauro.MAY_TURN_MINE, tesauro.MAY_TURN_THEIRS, f"I {_MAY_TURN}"),
    Part(tesauro.MAY_TURN_THEIRS, tesauro.BEAVERS, f"they {_MAY_TURN}"),
    Part(
        tesauro.BEAVERS,
        tesauro.CUBE_TURNED,
        "beavers and raccoons of the pending double / 3",
        high=(10,),
    ),
    Part(tesauro.CUBE_TURNED, tesauro.SINGLE_ONLY, "a double was taken in this game"),
    Part(tesauro.SINGLE_ONLY, tesauro.MATCH, _SINGLE),
    Part(tesauro.MATCH, tesauro.LENGTH, "match play"),
    _tesauro_points(tesauro.LENGTH, "length of the match"),
    _tesauro_points(tesauro.AWAY_MINE, "points I still need"),
    _tesauro_points(tesauro.AWAY_THEIRS, "points they still need"),
    Part(tesauro.IN_CRAWFORD, tesauro.POST_CRAWFORD, "this is the Crawford game"),
    Part(tesauro.POST_CRAWFORD, tesauro.WITH_CLOCK, "the Crawford game is over"),
    Part(tesauro.WITH_CLOCK, tesauro.RESERVE_MINE, "there is a clock (else zeros)"),
    Part(
        tesauro.RESERVE_MINE,
        tesauro.TURN_MINE,
        "reserve left, mine and theirs, as a share of the full one",
    ),
    Part(
        tesauro.TURN_MINE,
        tesauro.PAUSED,
        "turn time left, mine and theirs, as a share of the full one",
    ),
    Part(tesauro.PAUSED, tesauro.FLAGGED_MINE, f"{_PAUSED}; as a share"),
    Part(tesauro.FLAGGED_MINE, tesauro.SIZE, "no reserve left, mine and theirs"),
)


def _raw_points(start: int, what: str) -> Part:
    return Part(
        start,
        start + 2,
        f"{what}: points // 256, then points % 256 as a signed byte "
        f"(just the points up to 127); zeros in money play",
        low=(0, -128),
        high=(127, 127),
    )


def _raw_share(start: int, stop: int, what: str) -> Part:
    return Part(
        start,
        stop,
        f"{what}: of 16383 steps (rounded up), steps // 128 and steps % 128",
        high=(127,),
    )


RAW: Final = (
    Part(0, 26, "my checkers: borne off, on points 1 to 24, on the bar", high=(15,)),
    Part(26, 52, "theirs: borne off, on points 1 to 24, on the bar", high=(15,)),
    Part(
        raw.DICE,
        raw.PHASE,
        "dice left: for each face 1 to 6 how often it may still be played; "
        "zeros outside a play",
        high=(4,),
    ),
    Part(raw.PHASE, raw.ON_ROLL, f"phase, 0 to 4: {_PHASE}", high=(4,)),
    Part(raw.ON_ROLL, raw.TO_ACT, "I am on roll"),
    Part(raw.TO_ACT, raw.OFFER, "I am to act"),
    Part(raw.OFFER, raw.REFUSED, "level of the pending resignation", high=(3,)),
    Part(
        raw.REFUSED,
        raw.FIRST_ROLL,
        "highest level of resignation refused since the last roll or move",
        high=(3,),
    ),
    Part(raw.FIRST_ROLL, raw.CUBE, _FIRST_ROLL),
    Part(raw.CUBE, raw.CUBE_OWNER, "log2 of the cube", high=(40,)),
    Part(
        raw.CUBE_OWNER,
        raw.MAY_TURN_MINE,
        "owner of the cube: 1 = I, −1 = they, 0 = nobody",
        low=(-1,),
    ),
    Part(raw.MAY_TURN_MINE, raw.MAY_TURN_THEIRS, f"I {_MAY_TURN}"),
    Part(raw.MAY_TURN_THEIRS, raw.BEAVERS, f"they {_MAY_TURN}"),
    Part(
        raw.BEAVERS,
        raw.CUBE_TURNED,
        "beavers and raccoons of the pending double",
        high=(30,),
    ),
    Part(raw.CUBE_TURNED, raw.SINGLE_ONLY, "a double was taken in this game"),
    Part(raw.SINGLE_ONLY, raw.LENGTH, _SINGLE),
    _raw_points(raw.LENGTH, "length of the match"),
    _raw_points(raw.AWAY_MINE, "points I still need"),
    _raw_points(raw.AWAY_THEIRS, "points they still need"),
    Part(
        raw.CRAWFORD,
        raw.WITH_CLOCK,
        "Crawford game: 0 = not yet, 1 = this one, 2 = over",
        high=(2,),
    ),
    Part(raw.WITH_CLOCK, raw.RESERVE_MINE, "there is a clock (else zeros)"),
    _raw_share(raw.RESERVE_MINE, raw.RESERVE_THEIRS, "my reserve as a share"),
    _raw_share(raw.RESERVE_THEIRS, raw.TURN_MINE, "their reserve as a share"),
    _raw_share(raw.TURN_MINE, raw.TURN_THEIRS, "my turn time as a share"),
    _raw_share(raw.TURN_THEIRS, raw.PAUSED, "their turn time as a share"),
    _raw_share(raw.PAUSED, raw.SIZE, f"{_PAUSED}; as a share"),
)
