"""Kernels of the cube: what a position is worth with it, by Janowski's formulas.

Everything is in the eyes of one player, who is on roll. Worth is points in money play
and the chance to win the match in a match. A side is +1, that player, or −1, the other.
A pair (`pre`, `post`) is a match equity table.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.equity._kernels import match_chance

CUBE_DTYPE: Final = np.dtype(
    [
        ("value", "i8"),  # of the cube
        ("most", "i8"),  # its highest value
        ("own_away", "i4"),  # points that the player on roll needs; 0 in money play
        ("other_away", "i4"),
        ("owner", "i1"),  # 1 the player on roll, −1 the other, 0 nobody
        ("in_use", "i1"),  # 0: nobody ever doubles in this game
        ("is_match", "i1"),
        (
            "crawford_over",
            "i1",
        ),  # the game after this one comes after the Crawford game
        ("jacoby", "i1"),  # gammons count single until a double is taken
        ("beavers", "i1"),  # how many one double may bring
        ("backgammon", "i1"),  # what a backgammon multiplies the cube by
    ],
    align=True,
)

Cubes = NDArray[Any]  # CUBE_DTYPE[B]

# Columns of what `write_worths` writes.
NO_DOUBLE: Final = 0
DOUBLE_TAKE: Final = 1
DOUBLE_PASS: Final = 2
LOSS: Final = 3  # a single game lost with the cube as it is
DEAD: Final = 4  # nobody ever doubles from here on
COLUMNS: Final = 5

_DEEPEST = 10  # redoubles that are looked at; each matters a quarter of the one before


@record_kernel
def is_match(cube: Any, pre: Any) -> bool:
    """True for a match at a score that the table has; else points are counted."""
    far = max(int(cube.own_away), int(cube.other_away))
    return bool(cube.is_match != 0 and far <= pre.shape[0])


@record_kernel
def worth(cube: Any, pre: Any, post: Any, points: int) -> float:
    """What it is worth to win so many points with this game, or to lose −points."""
    if not is_match(cube, pre):
        return float(points)
    own = int(cube.own_away) - max(points, 0)
    other = int(cube.other_away) + min(points, 0)
    return match_chance(pre, post, own, other, cube.crawford_over != 0)


@record_kernel
def won(
    cube: Any, pre: Any, post: Any, chances: Any, value: int, side: int, is_plain: bool
) -> float:
    """Mean worth of the games that a side wins, the cube being at `value` at the end.

    Args:
        cube: The score and the rules.
        pre: Match equity table.
        post: Match equity table.
        chances: float32[5].
        value: Of the cube.
        side: Who wins.
        is_plain: Gammons count single.
    """
    single = worth(cube, pre, post, side * value)
    games = float(chances[0]) if side > 0 else 1.0 - float(chances[0])
    if is_plain or games <= 0.0:
        return single
    first = 1 if side > 0 else 3
    gammon = min(max(float(chances[first]) / games, 0.0), 1.0)
    backgammon = min(max(float(chances[first + 1]) / games, 0.0), gammon)
    double = worth(cube, pre, post, 2 * side * value)
    triple = worth(cube, pre, post, int(cube.backgammon) * side * value)
    return (
        (1.0 - gammon) * single + (gammon - backgammon) * double + backgammon * triple
    )


@record_kernel
def may_gain(cube: Any, pre: Any, value: int, side: int) -> bool:
    """True when a side can turn a cube of `value`, and could have any use of it."""
    if cube.in_use == 0 or 2 * value > cube.most:
        return False
    away = int(cube.own_away) if side > 0 else int(cube.other_away)
    return not is_match(cube, pre) or away > value


@record_kernel
def cash_chance(
    cube: Any, pre: Any, post: Any, chances: Any, value: int, side: int
) -> float:
    """Chance of a side to win from which on the other drops: 0..1.

    All cubes live: doubles come exactly where they are dropped as gladly as taken. The
    side turns a cube of `value`; the other, who would own it, turns it at the next
    higher value, and so on until a cube is of no use to its owner.
    """
    depth = 0
    while depth < _DEEPEST and may_gain(cube, pre, 2 * value, -side):
        depth += 1
        side = -side
        value *= 2
    chance = 0.0
    start = 0.0  # where the line from the best case down ends, and its worth there
    floor = won(cube, pre, post, chances, 2 * value, -side, False)
    while True:
        top = won(cube, pre, post, chances, 2 * value, side, False)
        here = worth(cube, pre, post, side * value)
        share = 1.0 if top == floor else (here - floor) / (top - floor)
        chance = start + (1.0 - start) * min(max(share, 0.0), 1.0)
        if depth == 0:
            return chance
        depth -= 1
        start = 1.0 - chance
        floor = here
        side = -side
        value //= 2


@kernel
def on_line(p: float, p0: float, worth_0: float, p1: float, worth_1: float) -> float:
    """The worth at `p` on the line through two points; the first if they are one."""
    if p1 <= p0:
        return worth_0
    return worth_0 + (worth_1 - worth_0) * (p - p0) / (p1 - p0)


@record_kernel
def live_worth(
    cube: Any, pre: Any, post: Any, chances: Any, value: int, owner: int, is_plain: bool
) -> float:
    """Worth with a live cube: lines between no chance, both cash points and certainty.

    Beyond a cash point it goes on to what a game won is worth: playing for a gammon.
    """
    p = float(chances[0])
    low_p, low = 0.0, won(cube, pre, post, chances, value, -1, is_plain)
    high_p, high = 1.0, won(cube, pre, post, chances, value, 1, is_plain)
    if owner >= 0 and may_gain(cube, pre, value, 1):
        cash_p = cash_chance(cube, pre, post, chances, value, 1)
        cash = worth(cube, pre, post, value)
        if p >= cash_p:
            return on_line(p, cash_p, cash, high_p, high)
        high_p, high = cash_p, cash
    if owner <= 0 and may_gain(cube, pre, value, -1):
        drop_p = 1.0 - cash_chance(cube, pre, post, chances, value, -1)
        drop = worth(cube, pre, post, -value)
        if p <= drop_p:
            return on_line(p, low_p, low, drop_p, drop)
        low_p, low = drop_p, drop
    return on_line(p, low_p, low, high_p, high)


@record_kernel
def is_free(cube: Any, pre: Any, value: int, owner: int) -> bool:
    """True when the other player will turn the cube on his next turn, whatever comes.

    He risks nothing by it: a game lost is the match lost.
    """
    if owner > 0 or not is_match(cube, pre) or cube.own_away > value:
        return False
    return may_gain(cube, pre, value, -1)


@record_kernel
def dead_worth(
    cube: Any, pre: Any, post: Any, chances: Any, value: int, is_plain: bool
) -> float:
    """Worth with the cube at `value` to the end."""
    p = float(chances[0])
    high = won(cube, pre, post, chances, value, 1, is_plain)
    low = won(cube, pre, post, chances, value, -1, is_plain)
    return p * high + (1.0 - p) * low


@record_kernel
def cubeful_worth(
    cube: Any,
    pre: Any,
    post: Any,
    chances: Any,
    efficiency: float,
    value: int,
    owner: int,
) -> float:
    """Janowski's worth: a share `efficiency` of the live cube, the rest of the dead."""
    is_plain = cube.jacoby != 0 and owner == 0
    dead = dead_worth(cube, pre, post, chances, value, is_plain)
    own = owner >= 0 and may_gain(cube, pre, value, 1)
    other = owner <= 0 and may_gain(cube, pre, value, -1)
    if not own and not other:
        return dead
    live = live_worth(cube, pre, post, chances, value, owner, is_plain)
    if is_free(cube, pre, value, owner):
        return live
    return dead + (live - dead) * efficiency


@kernel
def write_worths(
    cubes: Cubes,
    chances: NDArray[np.float32],
    efficiency: NDArray[np.float64],
    pre: NDArray[np.float64],
    post: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What each choice of the player on roll is worth to him.

    Args:
        cubes: CUBE_DTYPE[B].
        chances: float32[B, 5].
        efficiency: float64[B, 3]: of the cube in the middle, his own, the other's.
        pre: Match equity table.
        post: Match equity table.
        out: float64[B, 5], written: no double; double and take; double and drop; a
            single game lost; a cube that nobody turns any more.
    """
    for i in range(cubes.shape[0]):
        cube = cubes[i]
        value, owner = int(cube.value), int(cube.owner)
        x = efficiency[i, owner if owner >= 0 else 2]
        out[i, 0] = cubeful_worth(cube, pre, post, chances[i], x, value, owner)
        x = efficiency[i, 2]
        out[i, 1] = cubeful_worth(cube, pre, post, chances[i], x, 2 * value, -1)
        out[i, 2] = worth(cube, pre, post, value)
        out[i, 3] = worth(cube, pre, post, -value)
        is_plain = cube.jacoby != 0 and owner == 0
        out[i, 4] = dead_worth(cube, pre, post, chances[i], value, is_plain)


@kernel
def write_points(
    cubes: Cubes,
    points: NDArray[np.int64],
    pre: NDArray[np.float64],
    post: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """`worth` of ``points`` int64[B] won by the player on roll into float64[B]."""
    for i in range(cubes.shape[0]):
        out[i] = worth(cubes[i], pre, post, int(points[i]))


@kernel
def write_at_table(
    cubes: Cubes, pre: NDArray[np.float64], out: NDArray[np.bool_]
) -> None:
    """`is_match` of every cube into ``out`` bool[B]."""
    for i in range(cubes.shape[0]):
        out[i] = is_match(cubes[i], pre)
