"""Cubes as arrays, and what positions are worth with them: points or match chances."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bg_env.equity import MatchEquityTable, load_table
from bg_env.equity.bearoff import (
    bearoff_chances,
    bearoff_equities,
    home_numbers,
    one_sided,
)
from bg_env.errors import InvalidOptionError
from bg_env.rules import state as fields
from bg_env.rules.batch import States, check_states
from bg_env.search._cube import (
    COLUMNS,
    CUBE_DTYPE,
    DOUBLE_PASS,
    DOUBLE_TAKE,
    LOSS,
    NO_DOUBLE,
    Cubes,
    write_at_table,
    write_points,
    write_worths,
)
from bg_env.search._cube_life import write_efficiencies, write_short_endings
from bg_env.search.learnt_cube import write_learnt

_ROOM: Final = 8  # the table of bear-offs has no highest cube: three turns at least
_CALM: Final = 1e-4  # a live cube worth less than this says nothing of its efficiency

Worths = NDArray[np.float64]


# --- cubes ------------------------------------------------------------------------


def make_cubes(
    count: int,
    *,
    value: ArrayLike = 1,
    owner: ArrayLike = 0,
    away: tuple[ArrayLike, ArrayLike] | None = None,
    crawford: ArrayLike = False,
    crawford_over: ArrayLike = False,
    jacoby: ArrayLike = False,
    beavers: ArrayLike = 0,
    max_cube: int | None = None,
) -> Cubes:
    """The cube and the score of `count` positions, seen by the player on roll.

    Args:
        count: B. All others are one value or B of them.
        value: Of the cube.
        owner: 1 the player on roll, −1 the other, 0 nobody.
        away: Points that the player on roll and the other need; None = money play.
        crawford: It is the Crawford game.
        crawford_over: The Crawford game has been played (or there is no such rule).
        jacoby: Gammons count single while nobody owns the cube.
        beavers: How many one double may bring; 0 in a match.
        max_cube: Its highest value, None = no limit.

    Returns:
        CUBE_DTYPE[B].
    """
    cubes = np.zeros(count, CUBE_DTYPE)
    cubes["value"] = value
    cubes["most"] = fields.CUBE_LIMIT if max_cube is None else max_cube
    cubes["owner"] = owner
    crawford = np.asarray(crawford, np.bool_)
    cubes["in_use"] = ~crawford
    cubes["crawford_over"] = crawford | np.asarray(crawford_over, np.bool_)
    cubes["backgammon"] = 3
    if away is not None:
        cubes["own_away"], cubes["other_away"] = away
        cubes["is_match"] = 1
        return cubes
    cubes["jacoby"] = np.asarray(jacoby, np.bool_) & (cubes["owner"] == 0)
    cubes["beavers"] = beavers
    return cubes


def cubes_of_states(states: States) -> Cubes:
    """The cube and the score of each game, seen by the player on roll: CUBE_DTYPE[B].

    Args:
        states: ``STATE_DTYPE[B]``. While a double is pending the cube is as before it.
    """
    check_states(states)
    games = np.arange(len(states))
    on_roll, options = states["on_roll"], states["options"]
    length = states["match_length"]
    is_match = length > 0
    no_rule = options & fields.CRAWFORD_RULE == 0
    cubes = np.zeros(len(states), CUBE_DTYPE)
    cubes["value"] = states["cube"]
    cubes["most"] = states["max_cube"]
    cubes["own_away"] = (length - states["score"][games, on_roll]) * is_match
    cubes["other_away"] = (length - states["score"][games, 1 - on_roll]) * is_match
    cubes["owner"] = np.select(
        [states["cube_owner"] < 0, states["cube_owner"] == on_roll], [0, 1], -1
    )
    cubes["in_use"] = (options & fields.CUBE_IN_USE > 0) & (length != 1)
    cubes["in_use"] &= states["crawford"] != fields.CRAWFORD_GAME
    cubes["is_match"] = is_match
    cubes["crawford_over"] = no_rule | (states["crawford"] != fields.CRAWFORD_NOT_YET)
    untouched = ~is_match & (states["cube_turned"] == 0)
    cubes["jacoby"] = (options & fields.JACOBY > 0) & untouched
    cubes["beavers"] = states["beavers"] * ~is_match
    no_backgammon = options & fields.NO_BACKGAMMON > 0
    cubes["backgammon"] = np.where(no_backgammon, 2, states["backgammon_points"])
    return cubes


def other_cubes(cubes: Cubes) -> Cubes:
    """The same cubes seen by the other player, as when it is his turn."""
    seen = cubes.copy()
    seen["own_away"], seen["other_away"] = cubes["other_away"], cubes["own_away"]
    seen["owner"] = -cubes["owner"]
    return seen


def turned_cubes(cubes: Cubes) -> Cubes:
    """The cubes after a double of the player on roll that was taken."""
    turned = cubes.copy()
    turned["value"] *= 2
    turned["owner"] = -1
    turned["jacoby"] = 0
    return turned


def may_double(cubes: Cubes) -> NDArray[np.bool_]:
    """bool[B]: the player on roll may turn the cube (R18–R20, R26)."""
    may: NDArray[np.bool_] = (
        (cubes["in_use"] > 0)
        & (cubes["owner"] >= 0)
        & (2 * cubes["value"] <= cubes["most"])
    )
    return may


def may_beaver(cubes: Cubes) -> NDArray[np.bool_]:
    """bool[B]: a double may be beavered (R24)."""
    may: NDArray[np.bool_] = (cubes["beavers"] > 0) & (
        4 * cubes["value"] <= cubes["most"]
    )
    return may


# --- worths ---------------------------------------------------------------------------


def efficiencies(boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """The efficiency of the cube by kind of position, float64[B, 3]; columns equal.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.
    """
    found = np.empty((len(boards), 3))
    write_efficiencies(np.ascontiguousarray(boards, np.int8), found)
    return found


def rate_worths(
    boards: NDArray[np.int8],
    chances: NDArray[np.float32],
    cubes: Cubes,
    table: MatchEquityTable,
    learnt: NDArray[np.float32] | None = None,
) -> Worths:
    """Worths float64[B, 5] by chances and kind of position; known bear-offs exact.

    Games that are over are rated too, by chances of 0 or 1.

    Args:
        boards: int8[B, 2, 32], row 0 on roll.
        chances: float32[B, 5].
        cubes: CUBE_DTYPE[B].
        table: Match equities.
        learnt: float32[B, 4], what `learnt_equities` gives.
    """
    boards = np.ascontiguousarray(boards, np.int8)
    efficiency = efficiencies(boards)
    home = _homes(boards)
    if not len(home):
        worths = janowski_worths(chances, cubes, efficiency, table)
        write_learnt(cubes, has_table(cubes), learnt, worths)
        return worths
    chances = chances.copy()
    chances[home] = bearoff_chances(boards[home])[1]
    known, exact = bearoff_equities(boards[home])
    some, equities = home[known], exact[known].astype(np.float64)
    match = cubes["is_match"][some] > 0
    efficiency[some[match]] = _efficiency_of_equities(
        chances[some[match]], equities[match]
    )
    worths = janowski_worths(chances, cubes, efficiency, table)
    write_learnt(cubes, has_table(cubes), learnt, worths)
    _write_known(boards[some], cubes[some], equities, table, worths, some)
    return worths


def _homes(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """The games going on in which both sides have all their checkers at home."""
    outside = boards[:, :, 7:26].max(axis=2) > 0
    at_home = boards[:, :, 1:7].max(axis=2) > 0
    both: NDArray[np.bool_] = ~outside[:, 0] & ~outside[:, 1]
    return np.flatnonzero(both & at_home[:, 0] & at_home[:, 1])


def janowski_worths(
    chances: NDArray[np.float32],
    cubes: Cubes,
    efficiency: NDArray[np.float64],
    table: MatchEquityTable,
) -> Worths:
    """Worths float64[B, 5] by the formulas, with efficiencies float64[B, 3]."""
    worths = np.empty((len(cubes), COLUMNS))
    pair = table.pre, table.post_crawford_trailer
    write_worths(cubes, chances, efficiency, *pair, worths)
    return worths


def _efficiency_of_equities(
    chances: NDArray[np.float32], equities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The efficiencies float64[K, 3] with which the formulas give exact equities."""
    table = load_table()
    found = np.empty_like(equities)
    for column, owner in enumerate((0, 1, -1)):
        cubes = make_cubes(len(chances), owner=owner)
        dead, live = (
            janowski_worths(chances, cubes, np.full((len(chances), 3), x), table)[
                :, NO_DOUBLE
            ]
            for x in (0.0, 1.0)
        )
        span = live - dead
        calm = np.abs(span) < _CALM
        share = (equities[:, column] - dead) / np.where(calm, 1, span)
        found[:, column] = np.where(calm, 0, np.clip(share, 0, 1))
    return found


def _write_known(
    boards: NDArray[np.int8],
    cubes: Cubes,
    equities: NDArray[np.float64],
    table: MatchEquityTable,
    worths: Worths,
    rows: NDArray[np.int64],
) -> None:
    """Put exact worths into `rows`: endings within three rolls, money by the table."""
    chosen = worths[rows]
    rolls = one_sided().rolls
    mover, other = (
        np.ascontiguousarray(rolls[home_numbers(boards, side=side)][:, :3])
        for side in (0, 1)
    )
    pair = table.pre, table.post_crawford_trailer
    write_short_endings(cubes, mover, other, *pair, chosen)
    money = np.flatnonzero(has_table(cubes))
    value, owner = cubes["value"][money], cubes["owner"][money].astype(np.int64)
    chosen[money, NO_DOUBLE] = value * equities[money, owner % 3]
    chosen[money, DOUBLE_TAKE] = 2 * value * equities[money, 2]
    worths[rows] = chosen


def has_table(cubes: Cubes) -> NDArray[np.bool_]:
    """bool[B]: money play with cubes that can be turned as often as matters.

    For them the table of bear-offs holds, and equities that were learnt.
    """
    found: NDArray[np.bool_] = (cubes["is_match"] == 0) & (cubes["in_use"] > 0)
    return found & (cubes["value"] * _ROOM <= cubes["most"])


def normalised(worths: Worths, values: NDArray[Any]) -> NDArray[np.float64]:
    """Worths `values` [B] or [B, K] as equities, by worths float64[B, 5]."""
    high, low = worths[:, DOUBLE_PASS], worths[:, LOSS]
    middle, half = (high + low) / 2, (high - low) / 2
    half = np.where(half == 0, 1, half)
    shape = (-1,) + (1,) * (np.ndim(values) - 1)
    result: NDArray[np.float64] = (values - middle.reshape(shape)) / half.reshape(shape)
    return result


def worth_of_points(
    cubes: Cubes, points: NDArray[np.int64], table: MatchEquityTable
) -> Worths:
    """What it is worth to the player on roll to win so many points: float64[B]."""
    found = np.empty(len(cubes))
    write_points(
        cubes,
        np.ascontiguousarray(points, np.int64),
        table.pre,
        table.post_crawford_trailer,
        found,
    )
    return found


def other_worths(cubes: Cubes, worths: Worths, table: MatchEquityTable) -> Worths:
    """Worths [B] seen by the other player."""
    at_table = np.empty(len(cubes), np.bool_)
    write_at_table(cubes, table.pre, at_table)
    return at_table - worths


def best_worths(worths: Worths, cubes: Cubes) -> Worths:
    """What the positions are worth if both do best now about the cube: float64[B]."""
    taken = worths[:, DOUBLE_TAKE]
    beavered = np.where(may_beaver(cubes), 2 * taken, taken)  # money only
    doubled = np.minimum(np.minimum(taken, beavered), worths[:, DOUBLE_PASS])
    kept = worths[:, NO_DOUBLE]
    best: Worths = np.where(may_double(cubes), np.maximum(kept, doubled), kept)
    return best


def check_plies(name: str, plies: object) -> None:
    """Refuse a depth that is no whole number, 0 or more.

    Raises:
        InvalidOptionError: Names the argument.
    """
    if isinstance(plies, bool) or not isinstance(plies, int) or plies < 0:
        raise InvalidOptionError(
            f"Argument {name} is a whole number, 0 or more, not {plies!r}."
        )
