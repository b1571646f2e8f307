"""Batches of games: arrays of state records made, started and asked as a whole."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError, InvalidPositionError
from bg_env.rules import state as fields
from bg_env.rules._game import (
    apply_all,
    find_match_over,
    is_blocked_at,
    start_all,
    write_masks,
)
from bg_env.rules._random import seed_streams
from bg_env.rules.decisions import DECISIONS
from bg_env.rules.options import Clock, Rules
from bg_env.rules.state import STATE_DTYPE

States = NDArray[Any]
"""A structured array of `STATE_DTYPE`, one record per game."""

_LARGEST: Final = 2**64
_BYTES: Final = np.dtype((np.void, STATE_DTYPE.itemsize))  # records copied as a whole


def new_states(count: int, rules: Rules) -> States:
    """`count` games before their opening roll, streams at 0. Seed them before use.

    Raises:
        InvalidPositionError: A start position in which nobody can ever move.
    """
    states = np.zeros(count, STATE_DTYPE)
    write_rules(states, rules)
    start = rules.start_position
    states["checkers"] = start.checkers
    start_all(states, start.to_board())
    if count and is_blocked_at(states, 0):
        raise InvalidPositionError(
            f"Neither side can ever move in position {start.id}; the game has no end."
        )
    return states


def write_rules(states: States, rules: Rules) -> None:
    """Write the options of `rules` into every record, in place."""
    states["options"] = option_bits(rules)
    states["match_length"] = rules.match_length
    states["max_cube"] = fields.CUBE_LIMIT if rules.max_cube is None else rules.max_cube
    states["beavers"] = rules.beavers
    states["automatic_doubles"] = rules.automatic_doubles
    states["backgammon_points"] = rules.backgammon_points
    if rules.clock:
        states["turn_limit"] = round(rules.clock.turn_seconds * 1000)
        states["reserve_limit"] = round(rules.clock.reserve_seconds * 1000)


def option_bits(rules: Rules) -> int:
    """The yes-or-no options as the bits of the `options` field."""
    chosen = {
        fields.CUBE_IN_USE: rules.cube,
        fields.JACOBY: rules.jacoby,
        fields.CRAWFORD_RULE: rules.crawford,
        fields.LEAST_WASTE: rules.least_waste,
        fields.RESIGN_OFFER: rules.resign == "offer",
        fields.RESIGN_IMMEDIATE: rules.resign == "immediate",
        fields.OPENING_REROLL: rules.opening_reroll,
        fields.NO_BACKGAMMON: not rules.backgammon,
    }
    return sum(bit for bit, on in chosen.items() if on) | _clock_bits(rules.clock)


def _clock_bits(clock: Clock | None) -> int:
    if clock is None:
        return 0
    chosen = {
        fields.CLOCK: True,
        fields.CLOCK_PER_MATCH: clock.renewed == "match",
        fields.FLAG_LOSES: clock.flag == "loses",
        fields.CLAIM_SINGLE: clock.award == "single",
        fields.CLAIM_MATCH: clock.award == "match",
    }
    return sum(bit for bit, on in chosen.items() if on)


def seed_states(states: States, seed: int, first_index: int = 0) -> None:
    """Set both streams of game `first_index` + i from (seed, index) alone, in place.

    Equal for a game in any batch, at any place.
    """
    if not isinstance(seed, int | np.integer):
        raise InvalidOptionError(f"A seed is a whole number, not {seed!r}.")
    dice = np.zeros(len(states), np.uint64)
    choices = np.zeros(len(states), np.uint64)
    seed_streams(np.uint64(int(seed) % _LARGEST), first_index, dice, choices)
    states["dice_stream"] = dice
    states["choice_stream"] = choices


def check_states(states: States) -> None:
    """Refuse arrays of another dtype, in whose records board and words part.

    Raises:
        InvalidOptionError: Not `STATE_DTYPE`; NumPy repacks it when it joins arrays.
    """
    if states.dtype != STATE_DTYPE:
        raise InvalidOptionError(
            f"States have the dtype STATE_DTYPE of {STATE_DTYPE.itemsize} bytes, not "
            f"one of {states.dtype.itemsize}; join arrays of them with "
            f"np.concatenate(..., dtype=STATE_DTYPE)."
        )


def take_states(states: States, part: NDArray[np.int64]) -> States:
    """A copy of some games: ``states[part]``, many times faster."""
    taken: States = states.view(_BYTES)[part].view(STATE_DTYPE)
    return taken


def put_states(states: States, part: NDArray[np.int64], taken: States) -> None:
    """Write games back: ``states[part] = taken``, many times faster. In place."""
    states.view(_BYTES)[part] = taken.view(_BYTES)


def legal_masks(states: States) -> NDArray[np.int8]:
    """The legal decisions of every game as a new int8[B, 162]."""
    check_states(states)
    masks = np.zeros((len(states), DECISIONS), np.int8)
    write_masks(states, masks)
    return masks


def apply_decisions(states: States, codes: NDArray[np.int64]) -> NDArray[np.int8]:
    """Apply one decision per game, in place where it is legal.

    Returns:
        int8[B]: 1 = applied, 0 = illegal, that game untouched.
    """
    check_states(states)
    codes = np.ascontiguousarray(codes, np.int64)
    if codes.shape != (len(states),):
        raise InvalidOptionError(
            f"{len(states)} games need as many decisions, not {list(codes.shape)}."
        )
    legal = np.zeros(len(states), np.int8)
    apply_all(states, codes, legal)
    return legal


def find_match_ends(states: States) -> NDArray[np.bool_]:
    """bool[B]: games that are over and end their match (every money game does)."""
    over = np.zeros(len(states), np.bool_)
    find_match_over(states, over)
    return over
