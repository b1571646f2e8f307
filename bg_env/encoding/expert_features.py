"""What the hand-made features of ``expert`` are: names, formulas, bounds, sources.

The kernel is `write_features`; the formulas are tested against a slow version of
each. A feature of a side is written from its owner's place: *n(p)* are its checkers
on its own point p, 25 = bar, 0 = off; a *made* point has two of them or more; the
*rear* is its highest place. "Other" is the opponent, on the same numbering.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bg_env.encoding import _expert_features as place
from bg_env.encoding._expert_features import FEATURES, SIDE, write_features
from bg_env.encoding._expert_shots import DOUBLE_HIT, HIT, PIP_LOSS
from bg_env.encoding._layouts import Part

__all__ = [
    "FEATURES",
    "SHARED_FEATURES",
    "SIDE",
    "SIDE_FEATURES",
    "Feature",
    "feature_parts",
    "source_table",
    "write_features",
]


class Feature(NamedTuple):
    """One hand-made feature, or a few of one kind side by side."""

    place: int
    """Index in the block of its side; of a shared one, in the whole."""
    name: str
    formula: str
    high: float
    source: str
    low: float = 0
    width: int = 1


# Where an idea comes from. Formulas and code are this project's own.
_TESAURO: Final = "Tesauro & Sejnowski 1989: one of Neurogammon's eight hints"
_GNU: Final = "an idea among GNU Backgammon's inputs"
_COMMON: Final = "common to books on the game"
_ODDS: Final = "arithmetic of two dice"
_KEITH: Final = "Keith 2004, cube handling in races"
_KLEINMAN: Final = "Kleinman 1980: lead² / pips tells who wins a race"
_BERLINER: Final = "Berliner 1977, BKG"
_BLOCK: Final = (
    "made points of the other side up to 12 pips ahead block, what lies beyond the "
    "ace point is open"
)

SIDE_FEATURES: Final = (
    Feature(place.PIPS, "pips", "sum of p × n(p) / 128", 375 / 128, _TESAURO),
    Feature(place.LATE_PIPS, "late pips", "min(pips, 64) / 64", 1, _COMMON),
    Feature(
        place.AVERAGE,
        "average",
        "pips / (32 × checkers not off), 0 if all are off",
        25 / 32,
        _COMMON,
    ),
    Feature(
        place.CROSSOVERS,
        "crossovers",
        "quadrants to cross until all are home (7–12: 1, 13–18: 2, 19–24: 3, bar: 4), "
        "summed / 32",
        60 / 32,
        _COMMON,
    ),
    Feature(
        place.WASTAGE,
        "wastage",
        "2 × max(n(1) − 1, 0) + max(n(2) − 1, 0) + max(n(3) − 3, 0) + how many of the "
        "4-, 5-, 6-points are empty, / 16",
        31 / 16,
        _KEITH,
    ),
    Feature(
        place.STACKING, "stacking", "sum of n(p)² over points / 256", 225 / 256, _COMMON
    ),
    Feature(
        place.SPREAD,
        "spread",
        "mean over its checkers of max(p − average place, 0)² / 64, 0 if all are off",
        1.34,
        f"{_GNU} (moment)",
    ),
    Feature(
        place.TIMING,
        "timing",
        "pips to play before the home board breaks: sum of (p − 6) × n(p) over 7–18 "
        "and of (p − 1) × max(n(p) − 2, 0) over 2–6, / 128",
        180 / 128,
        f"{_GNU}; {_COMMON}",
    ),
    Feature(
        place.CONTACT_PIPS,
        "contact pips",
        "sum over its checkers of max(p − q, 0), q = place of the other's rear, / 128",
        375 / 128,
        f"{_TESAURO}; {_GNU}",
    ),
    Feature(place.REAR, "rear", "rear / 32, 0 if all are off", 25 / 32, _COMMON),
    Feature(
        place.SECOND_REAR,
        "second rear",
        "place of the rearmost but one / 32, 0 if there is none",
        25 / 32,
        _COMMON,
    ),
    Feature(place.BACK, "back", "checkers on 19–24 and the bar / 8", 15 / 8, _TESAURO),
    Feature(place.THREE_BACK, "three back", "1 if back is 3 or more", 1, _COMMON),
    Feature(place.ANCHORS, "anchors", "made points among 19–24 / 4", 6 / 4, _TESAURO),
    Feature(
        place.BEST_ANCHOR,
        "best anchor",
        "(25 − p) / 8 of the lowest made point p of 18–24, 0 if none",
        7 / 8,
        f"{_GNU} (forward anchor)",
    ),
    Feature(
        place.REAR_ANCHOR,
        "rear anchor",
        "highest made point / 32, 0 if none",
        24 / 32,
        f"{_GNU} (back anchor)",
    ),
    Feature(
        place.DEEP_ANCHOR,
        "deep anchor",
        "1 if 23 or 24 is made and none of 18–22: an ace- or deuce-point game",
        1,
        _COMMON,
    ),
    Feature(
        place.BACK_GAME,
        "back game",
        "back, if two or more of 19–24 are made, else 0",
        15 / 8,
        f"{_GNU} (back game)",
    ),
    Feature(
        place.LARGEST_GAP,
        "largest gap",
        "longest way in pips from one to the next of: rear, made points above 6 in "
        "front of it, the 6-point; / 16; 0 if rear ≤ 6",
        19 / 16,
        f"{_GNU} (backbone)",
    ),
    Feature(
        place.CRASHED,
        "crashed",
        "1 if there is contact and at most 6 checkers are above the 2-point",
        1,
        f"{_GNU} (crashed positions)",
    ),
    Feature(place.HOME_POINTS, "home points", "made of 1–6 / 6", 1, _TESAURO),
    Feature(
        place.HOME_STRENGTH,
        "home strength",
        "(made of 1–6 / 6)²: chance that one checker stays on the bar",
        1,
        _ODDS,
    ),
    Feature(
        place.HOME_BLOTS, "home blots", "points of 1–6 with n(p) = 1, / 6", 1, _COMMON
    ),
    Feature(
        place.PRIMES,
        "prime",
        "1 if 3, 4, 5, 6 neighbouring points are made",
        1,
        _TESAURO,
        width=4,
    ),
    Feature(
        place.WINDOW,
        "best six",
        "most points made of 6 neighbouring ones / 6",
        1,
        _BERLINER,
    ),
    Feature(
        place.BLOCK_6,
        "block of 6",
        "made points among the 6 in front of the other's rear / 6",
        1,
        f"{_TESAURO}; {_BERLINER}",
    ),
    Feature(
        place.BLOCK_12,
        "block of 12",
        "the same among the 12 in front / 8",
        7 / 8,
        f"{_TESAURO}; {_BERLINER}",
    ),
    Feature(
        place.TRAPPED,
        "trapped",
        "other checkers behind the farthest four neighbouring made points / 8",
        15 / 8,
        _COMMON,
    ),
    Feature(
        place.CONTAINMENT,
        "containment",
        "1 − the lowest “escapes” of an other checker on the bar or on one of the own "
        "1–6 that are not made",
        1,
        f"{_GNU} (containment)",
    ),
    Feature(
        place.NEW_POINT,
        "new point",
        "chance of a roll that makes a new point of 2–7, the bar being empty: from two "
        "places with 1, 3 or more checkers, or from one to a blot; a double: from such "
        "a place to a blot, or two from one place",
        1,
        _COMMON,
    ),
    Feature(
        place.REAR_MOVES,
        "rear moves",
        f"chance of a roll one die of which can move a checker from the rear; {_BLOCK}",
        1,
        _ODDS,
    ),
    Feature(
        place.REAR_RUNS,
        "rear runs",
        "chance of a roll both dice of which (two of a double) it can move",
        1,
        f"{_GNU} (escapes)",
    ),
    Feature(
        place.REAR_ESCAPES,
        "rear escapes",
        "chance of a roll that takes it, with one die or more, to an open point that "
        "no made point of the other within 6 pips of the rear lies on or beyond",
        1,
        f"{_GNU} (escapes)",
    ),
    Feature(
        place.MOBILITY,
        "mobility",
        "sum of n(p) × throws of 36 that “run” from there, over p > 6, / 512",
        540 / 512,
        f"{_GNU} (mobility)",
    ),
    Feature(
        place.STUCK,
        "stuck",
        "chance that no checker enters: (the other's made of its 1–6 / 6)², 0 if the "
        "bar is empty",
        1,
        _ODDS,
    ),
    Feature(
        place.HIT_AND_STUCK,
        "hit and stuck",
        "“hit” × (the other's made of its 1–6 / 6)²",
        1,
        _ODDS,
    ),
    Feature(
        place.SHOTS_AT,
        "hit at",
        "points 1 to 24: chance that the other's next roll can hit the blot there, "
        "0 if there is none",
        1,
        f"{_TESAURO}, point by point",
        width=24,
    ),
    Feature(
        place.SHOTS_AT + HIT,
        "hit",
        "chance that it can hit any",
        1,
        f"{_TESAURO}; {_GNU}",
    ),
    Feature(
        place.SHOTS_AT + PIP_LOSS,
        "pip loss",
        "expected pips lost by the most costly hit / 16",
        24 / 16,
        f"{_GNU} (pip loss)",
    ),
    Feature(
        place.SHOTS_AT + DOUBLE_HIT,
        "double hit",
        "chance that it can hit two blots or more",
        1,
        f"{_GNU} (two checkers hit)",
    ),
)
"""The block of one side, in order."""

SHARED_FEATURES: Final = (
    Feature(place.RACE, "race", "1 if nobody can be hit any more", 1, _COMMON),
    Feature(
        place.LEAD,
        "lead",
        "(their pips − my pips) / √(all pips, at least 16), within −2 and 2",
        2,
        _KLEINMAN,
        low=-2,
    ),
    Feature(
        place.WASTAGE_LEAD,
        "lead with wastage",
        "the same with each side's wastage added to its pips in the difference",
        2,
        f"{_KLEINMAN}; {_KEITH}",
        low=-2,
    ),
    Feature(
        place.ROLL_WORTH,
        "worth of a roll",
        "4 / √(all pips, at least 16)",
        1,
        _KLEINMAN,
    ),
)
"""Behind the blocks of both sides, in order."""


def feature_parts(start: int) -> tuple[Part, ...]:
    """The index table of all features, from index `start` on."""
    blocks = (("my", 0, SIDE_FEATURES), ("their", SIDE, SIDE_FEATURES))
    parts = [
        _part(feature, f"{whose} {feature.name}", start + offset)
        for whose, offset, features in blocks
        for feature in features
    ]
    shared = [_part(feature, feature.name, start) for feature in SHARED_FEATURES]
    return (*parts, *shared)


def _part(feature: Feature, name: str, offset: int) -> Part:
    first = offset + feature.place
    return Part(
        first,
        first + feature.width,
        f"{name}: {feature.formula}",
        low=(feature.low,),
        high=(feature.high,),
    )


def source_table() -> str:
    """Which feature comes from where, as text (Markdown)."""
    rows = [
        f"| {feature.name} | {feature.source} |"
        for feature in (*SIDE_FEATURES, *SHARED_FEATURES)
    ]
    head = ["| feature | where the idea comes from |", "| --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"
