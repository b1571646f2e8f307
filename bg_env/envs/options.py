"""The options of `reset`: from a dict to the record of a game, or one clear error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.envs.games import Games
from bg_env.errors import IllegalActionError, InvalidOptionError, UnknownNameError
from bg_env.notation.xgid import parse_xgid
from bg_env.rules import state as fields
from bg_env.rules.batch import take_states
from bg_env.rules.game import GameState, queue_dice
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

OPTIONS: Final = ("xgid", "position_id", "dice", "score", "crawford", "next_game")
_ALONE: Final = ("xgid", "position_id", "next_game")


def record_of_options(
    games: Games, options: dict[str, Any], first: int
) -> tuple[NDArray[Any], list[tuple[int, int]] | None]:
    """The record ``STATE_DTYPE[1]`` to start from, and the dice to come.

    Args:
        games: The table of one game; not changed.
        options: As `checked_options` returns them.
        first: The player on roll in a position given by its id.

    Raises:
        InvalidOptionError: Options that contradict the rules.
        InvalidNotationError: Text that is no XGID or position id.
        InvalidPositionError: A position that cannot be, is over, or never ends.
    """
    state = _state_of(games, options, first)
    rolls = options.get("dice")
    if rolls is None:
        return state.record, None
    queue_dice(state.record, rolls)  # checks them; the streams come later
    return state.record, rolls


def records_of_options(
    games: Games, options: dict[str, Any], first: int, part: NDArray[np.int64]
) -> NDArray[Any]:
    """The records ``STATE_DTYPE[N]`` from which the games of ``part`` int64[N] start.

    As `record_of_options`, for many games of one table.
    """
    if "next_game" not in options:
        return np.repeat(_state_of(games, options, first).record, len(part))
    records = take_states(games.states, part)
    for row in range(len(part)):
        _next_game(records[row : row + 1], games.settings.rules)
    return records


def checked_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that say something: None and ``next_game=False`` say nothing.

    Raises:
        InvalidOptionError: Options that contradict each other, or no such values.
        UnknownNameError: An option that does not exist.
    """
    if not isinstance(options, Mapping | None):
        raise InvalidOptionError(f"Reset options are a dict, not {options!r}.")
    given = dict(options or {})
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in OPTIONS:
            raise UnknownNameError.of("reset option", name, OPTIONS)
    for name in ("crawford", "next_game"):
        if not isinstance(given.get(name, False), bool | np.bool_):
            raise InvalidOptionError(
                f"Reset option {name} is True or False, not {given[name]!r}."
            )
    if not given.get("next_game"):
        given.pop("next_game", None)
    for name in ("dice", "score"):
        if name in given:
            given[name] = _listed(name, given[name])
    _check_together(given)
    return given


def _listed(name: str, value: Any) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        shape = "a list of rolls" if name == "dice" else "(player 0, player 1)"
        raise InvalidOptionError(
            f"Reset option {name} is {shape}, not {value!r}."
        ) from None


def _check_together(options: dict[str, Any]) -> None:
    alone = [name for name in _ALONE if name in options]
    score = [name for name in ("score", "crawford") if name in options]
    if len(alone) > 1 or (score and alone and alone[0] != "position_id"):
        names = " and ".join((alone + score)[:2])
        raise InvalidOptionError(
            f"Reset options {names} contradict each other; give one of them."
        )


def _state_of(games: Games, options: dict[str, Any], first: int) -> GameState:
    rules = games.settings.rules
    if "next_game" in options:
        return _next_game(games.states.copy(), games.settings.rules)
    if "xgid" in options:
        return _state_of_xgid(options["xgid"], rules)
    state = GameState(games.fresh.copy(), rules)
    if "position_id" in options:
        checkers = max(rules.start_position.checkers)
        position = Position.from_id(options["position_id"], checkers)
        state = GameState.from_position(position, rules=rules, on_roll=first)
    if "score" in options or "crawford" in options:
        _set_score(state, options)
    return state


def _next_game(record: NDArray[Any], rules: Rules) -> GameState:
    """Set up the next game in ``record`` STATE_DTYPE[1], in place."""
    state = GameState(record, rules)
    try:
        state.next_game()
    except IllegalActionError as error:
        raise InvalidOptionError(f"Reset option next_game=True: {error}") from None
    queue_dice(state.record, [])
    return state


def _set_score(state: GameState, options: dict[str, Any]) -> None:
    crawford = options.get("crawford")
    if not state.match_length:
        given = "score" if "score" in options else "crawford"
        raise InvalidOptionError(
            f"Reset option {given}={options[given]!r} needs a match; "
            f"this environment plays for money."
        )
    score = tuple(options.get("score", (0, 0)))
    state.set_score(score, None if crawford is None else bool(crawford))


def _state_of_xgid(text: str, rules: Rules) -> GameState:
    """The state of an XGID under the rules of the environment, if they agree."""
    given = parse_xgid(text)
    said = given.rules
    _check_same("match_length", said.match_length, rules.match_length, text)
    _check_same("jacoby", said.jacoby, rules.jacoby, text)
    _check_same("beavers", said.beavers > 0, rules.beavers > 0, text)
    if not rules.cube and (given.cube > 1 or given.phase == fields.DOUBLED):
        raise InvalidOptionError(
            f"The XGID {text!r} has a cube of {given.cube}; this environment plays "
            f"without the cube."
        )
    if not rules.crawford and given.crawford:
        raise InvalidOptionError(
            f"The XGID {text!r} is a Crawford game; this environment plays without "
            f"the Crawford rule."
        )
    return GameState.from_position(
        _with_checkers(given.position, max(rules.start_position.checkers)),
        rules=rules,
        on_roll=given.on_roll,
        dice=given.dice,
        cube=given.cube,
        cube_owner=given.cube_owner,
        score=given.score,
        crawford=given.crawford if rules.crawford else None,
        doubled=given.phase == fields.DOUBLED,
        beavers_made=given.beavers_made,
    )


def _with_checkers(position: Position, checkers: int) -> Position:
    """The same board where a side has so many checkers: the others never existed."""
    return Position.from_id(position.id, checkers)


def _check_same(name: str, said: Any, wanted: Any, text: str) -> None:
    if said != wanted:
        raise InvalidOptionError(
            f"The XGID {text!r} says {name}={said!r}, this environment plays with "
            f"{name}={wanted!r}; make it with rules=bg_env.parse_xgid(...).rules."
        )
