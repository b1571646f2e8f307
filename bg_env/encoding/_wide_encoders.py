"""The encoders ``expert`` and ``planes``, which build on ``tesauro``.

Importing this module registers them. `encoders` does so when one is asked for: their
many kernels need not be loaded by those who use others.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bg_env.encoding import _planes as planes
from bg_env.encoding._expert import encode_expert
from bg_env.encoding._layouts import TESAURO, Part
from bg_env.encoding._planes import encode_planes
from bg_env.encoding._tesauro import DICE, SIZE
from bg_env.encoding.encoders import Encoder, register_encoder
from bg_env.encoding.expert_features import feature_parts

EXPERT: Final = (*TESAURO, *feature_parts(SIZE))

_UNITS: Final = ("1 or more", "2 or more", "3 or more", "(n − 3) / 2 of more than 3")


def _plane(number: int, what: str, low: float = 0, high: float = 1) -> Part:
    start = number * planes.POINTS
    return Part(start, start + planes.POINTS, what, low=(low,), high=(high,))


def _constant_planes(part: Part) -> Part:
    """An entry, or a few, of ``tesauro``, each over a whole plane."""
    first = planes.REST + part.start - DICE
    last = planes.REST + part.stop - DICE
    return Part(
        first * planes.POINTS,
        last * planes.POINTS,
        f"everywhere: {part.meaning}",
        low=_each_over_a_plane(part.low),
        high=_each_over_a_plane(part.high),
    )


def _each_over_a_plane(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(value for value in values for _ in range(planes.POINTS))


def _checkers(first: int, whose: str) -> tuple[Part, ...]:
    return tuple(
        _plane(first + unit, f"{whose} checkers: {count}", high=6 if unit == 3 else 1)
        for unit, count in enumerate(_UNITS)
    )


PLANES: Final = (
    *_checkers(0, "my"),
    *_checkers(planes.THEIRS, "their"),
    _plane(planes.COORDINATE, "number of the point / 24"),
    _plane(planes.BARS, "everywhere: my checkers on the bar / 2", high=7.5),
    _plane(planes.BARS + 1, "everywhere: my checkers borne off / 15"),
    _plane(planes.BARS + 2, "everywhere: their checkers on the bar / 2", high=7.5),
    _plane(planes.BARS + 3, "everywhere: their checkers borne off / 15"),
    *(_constant_planes(part) for part in TESAURO if part.start >= DICE),
)

register_encoder(Encoder.from_parts("expert", 1, np.float32, EXPERT, encode_expert))
register_encoder(
    Encoder.from_parts(
        "planes",
        1,
        np.float32,
        PLANES,
        encode_planes,
        shape=(planes.PLANES, planes.POINTS),
    )
)
