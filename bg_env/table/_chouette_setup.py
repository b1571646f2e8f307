"""What a chouette is told from outside: checked, or one clear error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules._random import seed_streams
from bg_env.rules.decisions import DECISIONS
from bg_env.rules.options import Rules, as_rules

LEAST_PLAYERS: Final = 3


def checked_names(players: Any) -> tuple[str, ...]:
    """The names of the players, given as names or as a number.

    Raises:
        InvalidOptionError: Fewer than three, or two of one name.
    """
    if isinstance(players, str) or not isinstance(players, int | Sequence):
        raise InvalidOptionError(
            f"players is their number or a list of names, not {players!r}."
        )
    if isinstance(players, bool):
        raise InvalidOptionError(f"players is their number, not {players!r}.")
    if isinstance(players, int):
        players = [f"player {number}" for number in range(players)]
    if len(players) < LEAST_PLAYERS:
        raise InvalidOptionError(
            f"A chouette has three or more players, not {len(players)} (R30)."
        )
    names = tuple(str(name) for name in players)
    if len(set(names)) < len(names):
        raise InvalidOptionError(f"Every player needs a name of his own: {names!r}.")
    return names


def checked_rules(rules: Any, own_cubes: Any) -> Rules:
    """The rules as given, if a chouette can be played by them (R30).

    Raises:
        InvalidOptionError: It cannot.
        UnknownNameError: No preset of that name.
    """
    chosen = as_rules(rules)
    refused = {
        "match_length": chosen.match_length,
        "beavers": chosen.beavers,
        "resign": chosen.resign,
        "clock": chosen.clock,
    }
    for name, value in refused.items():
        if value:
            raise InvalidOptionError(
                f"A chouette is money play without beavers, resigning and clock (R30); "
                f"leave {name}={value!r} out."
            )
    if not isinstance(own_cubes, bool):
        raise InvalidOptionError(f"own_cubes is True or False, not {own_cubes!r}.")
    if own_cubes and not chosen.cube:
        raise InvalidOptionError("own_cubes=True needs the cube; set cube=True.")
    return chosen


def streams_of(seed: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The streams uint64[1] of dice and of agents' choices.

    Raises:
        InvalidOptionError: Not a whole number.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise InvalidOptionError(f"A seed is a whole number, not {seed!r}.")
    dice, choices = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    seed_streams(np.uint64(int(seed) % 2**64), 0, dice, choices)
    return dice, choices


def checked_order(order: Any, count: int) -> tuple[int, ...]:
    """Box and line as given.

    Raises:
        InvalidOptionError: Not each player once.
    """
    try:
        seats = tuple(int(player) for player in order)
    except (TypeError, ValueError):
        seats = ()
    if sorted(seats) != list(range(count)):
        raise InvalidOptionError(
            f"order names each of the players 0 to {count - 1} once, the box first, "
            f"not {order!r}."
        )
    return seats


def checked_code(code: Any) -> int:
    """A decision code as an int.

    Raises:
        IllegalActionError: It is none.
    """
    if not isinstance(code, int | np.integer) or not 0 <= code < DECISIONS:
        raise IllegalActionError(
            f"A decision is a whole number of 0 to {DECISIONS - 1}, not {code!r}."
        )
    return int(code)
