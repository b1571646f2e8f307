"""The ``planes`` observation: rows of 24 points, one for each thing to know.

All planes run along one axis, the viewer's points 1 to 24: place k of a plane is his
point k + 1, which is the other side's 24 − k. A network can convolve along it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bg_env._jit import kernel
from bg_env.encoding import _tesauro as tesauro
from bg_env.encoding._tesauro import write_tesauro
from bg_env.encoding._view import viewer_of

POINTS: Final = 24
UNITS: Final = 4  # planes of one side's checkers
THEIRS: Final = UNITS
COORDINATE: Final = 2 * UNITS
BARS: Final = COORDINATE + 1  # my bar, my off, their bar, their off
REST: Final = BARS + 4  # the entries of `tesauro` behind the sides
PLANES: Final = REST + tesauro.SIZE - tesauro.DICE
SIZE: Final = PLANES * POINTS


@kernel
def fill_plane(out: Any, plane: int, value: Any) -> None:
    """Write one number to all places of a plane."""
    for k in range(POINTS):
        out[plane * POINTS + k] = value


@kernel
def spread_planes(row: Any) -> None:
    """Turn a row whose last entries are those of ``tesauro`` into planes, in place.

    Planes are written from the first to the last, and what an entry is needed for
    never lies behind it: none is overwritten before it was read.
    """
    source = row[SIZE - tesauro.SIZE :]
    for unit in range(UNITS):
        for k in range(POINTS):
            row[unit * POINTS + k] = source[UNITS * k + unit]
            place = UNITS * (POINTS - 1 - k) + unit
            row[(THEIRS + unit) * POINTS + k] = source[tesauro.SIDE + place]
    for k in range(POINTS):
        row[COORDINATE * POINTS + k] = np.float32(k + 1) / np.float32(POINTS)
    for side in range(2):
        for unit in range(2):
            value = source[side * tesauro.SIDE + tesauro.BAR_UNIT + unit]
            fill_plane(row, BARS + 2 * side + unit, value)
    for entry in range(tesauro.DICE, tesauro.SIZE):
        fill_plane(row, REST + entry - tesauro.DICE, source[entry])


@kernel
def encode_planes(states: Any, viewers: Any, out: Any) -> int:
    """Write the observation of every game.

    Args:
        states: ``STATE_DTYPE[B]``.
        viewers: ``int8[B]`` players; below 0, or an empty array: the player to act.
        out: ``float32[B, SIZE]``, planes one after the other, written in place.
    """
    for index in range(states.shape[0]):
        state = states[index]
        row = out[index]
        viewer = viewer_of(state, viewers, index)
        write_tesauro(state, viewer, row[SIZE - tesauro.SIZE :])
        spread_planes(row)
    return int(states.shape[0])
