"""How alive the cube is: its efficiency by kind of position, and short endings."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.search._cube import Cubes, may_gain, worth

# Efficiencies, as GNU Backgammon's manual has them (docs/cube.md).
CONTACT: Final = 0.68
BEAR_OFF: Final = 0.6
RACE_LOW: Final = 0.6  # with few pips left, rising to
RACE_HIGH: Final = 0.7
FEW_PIPS: Final = 40
MANY_PIPS: Final = 120

_LAST = 1.0 - 1e-6  # chances are kept as float32


@kernel
def efficiency_of(board: NDArray[np.int8]) -> float:
    """The efficiency of the cube in a position int8[2, 32], row 0 on roll."""
    pips = 0
    back_0 = 0
    back_1 = 0
    for point in range(1, 26):
        if board[0, point] > 0:
            back_0 = point
            pips += point * int(board[0, point])
        if board[1, point] > 0:
            back_1 = point
    if back_0 + back_1 > 24:
        return CONTACT
    if back_0 <= 6 and back_1 <= 6:
        return BEAR_OFF
    share = (min(max(pips, FEW_PIPS), MANY_PIPS) - FEW_PIPS) / (MANY_PIPS - FEW_PIPS)
    return RACE_LOW + (RACE_HIGH - RACE_LOW) * share


@kernel
def write_efficiencies(boards: NDArray[np.int8], out: NDArray[np.float64]) -> None:
    """`efficiency_of` of boards int8[B, 2, 32] into all three columns of ``out``."""
    for i in range(boards.shape[0]):
        x = efficiency_of(boards[i])
        for column in range(3):
            out[i, column] = x


@record_kernel
def last_chance_worth(
    cube: Any, pre: Any, post: Any, chance: float, value: int, owner: int
) -> float:
    """Worth to the player not on roll, when one roll decides: it wins by `chance`.

    The roller may double first if the cube is not the other's (`owner` 1).
    """
    lost = worth(cube, pre, post, -value)
    keeps = chance * lost + (1.0 - chance) * worth(cube, pre, post, value)
    if owner > 0 or not may_gain(cube, pre, value, -1):
        return keeps
    takes = chance * worth(cube, pre, post, -2 * value)
    takes += (1.0 - chance) * worth(cube, pre, post, 2 * value)
    return min(keeps, max(takes, lost))


@record_kernel
def short_worth(
    cube: Any, pre: Any, post: Any, now: float, reply: float, value: int, owner: int
) -> float:
    """Worth when the first roll wins by `now`, else the reply by `reply` or never."""
    later = last_chance_worth(cube, pre, post, reply, value, owner)
    return now * worth(cube, pre, post, value) + (1.0 - now) * later


@kernel
def write_short_endings(
    cubes: Cubes,
    mover: NDArray[np.float32],
    other: NDArray[np.float32],
    pre: NDArray[np.float64],
    post: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write the exact worths of races that end within three rolls, no gammons.

    So they do where the player on roll is off in two rolls for certain, or the other in
    one. Rows of other races stay as they are.

    Args:
        cubes: CUBE_DTYPE[B].
        mover: float32[B, 3]: chance that the player on roll is off with roll 0, 1, 2.
        other: float32[B, 3].
        pre: Match equity table.
        post: Match equity table.
        out: float64[B, 5], as of `write_worths`; its first two columns are written.
    """
    for i in range(cubes.shape[0]):
        now, reply = float(mover[i, 1]), float(other[i, 1])
        if now + float(mover[i, 2]) < _LAST and reply < _LAST:
            continue
        cube = cubes[i]
        value, owner = int(cube.value), int(cube.owner)
        out[i, 0] = short_worth(cube, pre, post, now, reply, value, owner)
        out[i, 1] = short_worth(cube, pre, post, now, reply, 2 * value, -1)
