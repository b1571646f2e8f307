"""`check_encoder`: does an encoder keep to the contract of `bg_env.Encoder`?"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.encoding import Encoder, make_encoder
from bg_env.rules.batch import States, take_states
from bg_env.rules.options import Rules
from bg_env.testing._checks import (
    ConformanceError,
    described,
    no_outside_chance,
    require,
    require_name,
)
from bg_env.testing._states import RulesChoice, rules_of, states_of
from bg_env.testing._twins import TWINS

_GAMES: Final = 10  # that the states of one kind of rules come from
_ALONE: Final = 24  # states written one at a time
_LARGEST_VERSION: Final = 2**31


def check_encoder(
    encoder: str | Encoder,
    *,
    rules: RulesChoice = None,
    distinct: bool = True,
    seed: int = 0,
) -> None:
    """Check that an encoder keeps to the contract of `bg_env.Encoder`.

    - It has a name, a version of 1 or more, bounds with low ≤ high, and a layout of
      distinct meanings that covers all entries.
    - It writes every entry of every row: finite, within its bounds.
    - It changes nothing of the states, uses no chance, and writes the row of a game
      alone as in any batch, at any place.
    - With no viewer it writes the view of the player to act.
    - States that differ in what matters for a decision (checkers, dice left, phase,
      cube, score, a pending resignation) differ in the observation.

    Args:
        encoder: An encoder, or the name of one that is registered.
        rules: What it is for: rules or the name of a preset, one or several. None =
            money and match play with the cube, resigning, variants, a clock.
        distinct: False = it need not tell all states apart (a deliberately poor one).
        seed: Of the states, which come from random games.

    Raises:
        ConformanceError: The first thing that is not so.
    """
    if isinstance(encoder, str):
        encoder = make_encoder(encoder)
    good = isinstance(encoder, Encoder)
    require(good, f"An encoder is a bg_env.Encoder, not {encoder!r}.")
    who = f"Encoder {require_name('An encoder', encoder)!r}"
    _check_head(who, encoder)
    for chosen in rules_of(rules):
        states = states_of(chosen, games=_GAMES, seed=seed)
        with no_outside_chance(who):
            _check_rows(who, encoder, states)
        if distinct:
            _check_distinct(who, encoder, states, chosen)


def _check_head(who: str, encoder: Encoder) -> None:
    version, low, high = encoder.version, encoder.low, encoder.high
    whole = isinstance(version, int) and 1 <= version < _LARGEST_VERSION
    require(whole, f"{who} has a version of 1 or more, not {version!r}.")
    require(encoder.size > 0, f"{who} writes no entries.")
    for i in np.flatnonzero(low > high)[:1]:
        raise ConformanceError(
            f"{who} has at index {i} the lowest value {low[i]} above the highest "
            f"{high[i]}."
        )
    end = 0
    for start, stop, meaning in encoder.layout:
        require(
            start == end and stop > start,
            f"{who}: its layout has {start}–{stop} after index {end}; parts lie one "
            f"after the other.",
        )
        named = isinstance(meaning, str) and meaning.strip() != ""
        require(named, f"{who}: its layout says nothing of the entries from {start}.")
        end = stop
    size = encoder.size
    require(end == size, f"{who}: its layout ends at {end}, its size is {size}.")
    meanings = [meaning for _, _, meaning in encoder.layout]
    for meaning in meanings:
        once = meanings.count(meaning) == 1
        require(once, f"{who}: its layout says {meaning!r} of two parts.")


# --- rows -----------------------------------------------------------------------------


def _check_rows(who: str, encoder: Encoder, states: States) -> None:
    rows = _rows(who, encoder, states, None)
    _check_bounds(who, encoder, states, rows)
    to_act = states["to_act"].copy()
    for viewers, said in ((to_act, "that player"), (np.full_like(to_act, -1), "−1")):
        viewed = _rows(who, encoder, states, viewers)
        _require_equal(
            who, states, rows, viewed, f"as seen by the player to act, with {said}"
        )
    other = _rows(who, encoder, states, 1 - to_act)
    _check_bounds(who, encoder, states, other)
    _check_places(who, encoder, states, rows)


def _rows(
    who: str, encoder: Encoder, states: States, viewers: NDArray[np.int8] | None
) -> NDArray[Any]:
    """The rows of a batch, written over two different fillings of the memory."""
    given = take_states(states, np.arange(len(states)))
    before = given.tobytes()
    written = []
    for filling in (encoder.low, encoder.high):
        out = np.empty((len(states), encoder.size), encoder.dtype)
        out[:] = filling
        encoder.encode(given, out, viewers)
        written.append(out)
    unchanged = given.tobytes() == before
    require(unchanged, f"{who} changes the states it writes; it may only read them.")
    for i, k in np.argwhere(_unequal(*written))[:1]:
        raise ConformanceError(
            f"{who} writes index {k} ({_meaning(encoder, k)}) in two ways, or not at "
            f"all, in {described(states, i)}: it wrote {written[0][i, k]} and "
            f"{written[1][i, k]}."
        )
    return written[0]


def _unequal(first: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two arrays differ; nan equals nan."""
    unequal: NDArray[np.bool_] = (first != other) & ~(
        (first != first) & (other != other)
    )
    return unequal


def _check_bounds(
    who: str, encoder: Encoder, states: States, rows: NDArray[Any]
) -> None:
    inside = (rows >= encoder.low) & (rows <= encoder.high)  # False where it is nan
    for i, k in np.argwhere(~inside)[:1]:
        raise ConformanceError(
            f"{who} writes {rows[i, k]} at index {k} ({_meaning(encoder, k)}), "
            f"outside its bounds {encoder.low[k]} to {encoder.high[k]}, in "
            f"{described(states, i)}."
        )


def _check_places(
    who: str, encoder: Encoder, states: States, rows: NDArray[Any]
) -> None:
    order = np.arange(len(states))[::-1].copy()
    turned = _rows(who, encoder, take_states(states, order), None)[order]
    _require_equal(who, states, rows, turned, "in a batch of another order")
    for i in range(0, len(states), max(len(states) // _ALONE, 1)):
        one = take_states(states, np.array([i]))
        alone = _rows(who, encoder, one, None)
        _require_equal(who, one, rows[i : i + 1], alone, "alone")


def _require_equal(
    who: str, states: States, rows: NDArray[Any], other: NDArray[Any], how: str
) -> None:
    for i, k in np.argwhere(rows != other)[:1]:
        raise ConformanceError(
            f"{who} writes {rows[i, k]} at index {k} and, {how}, {other[i, k]}, in "
            f"{described(states, i)}; a row depends on state and viewer alone."
        )


# --- what can be told apart -----------------------------------------------------------


def _check_distinct(who: str, encoder: Encoder, states: States, rules: Rules) -> None:
    rows = _flat(encoder, states)
    for what, change in TWINS:
        twins = take_states(states, np.arange(len(states)))
        changed = change(twins, rules)
        same = (_flat(encoder, twins) == rows).all(axis=1) & changed
        for i in np.flatnonzero(same)[:1]:
            raise ConformanceError(
                f"{who} does not show {what}: two states that differ in it alone give "
                f"the same observation, one of them {described(states, int(i))}; if "
                f"it is meant to, check it with distinct=False."
            )


def _flat(encoder: Encoder, states: States) -> NDArray[Any]:
    return encoder.observe(states).reshape(len(states), encoder.size)


def _meaning(encoder: Encoder, index: int) -> str:
    return next(m for start, stop, m in encoder.layout if start <= index < stop)
