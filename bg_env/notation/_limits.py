"""What an XGID and a GNU id alike cannot say, and cubes that cannot stand so."""

from __future__ import annotations

from bg_env.errors import InvalidNotationError
from bg_env.rules.game import GameState
from bg_env.rules.state import BEFORE_ROLL, MOVING, OPENING

_CHECKERS = 15


def check_can_say(state: GameState, kind: str) -> None:
    """Refuse a state that an id has no way to say.

    Args:
        state: Any state.
        kind: "An XGID" or "A GNU id", for the message.

    Raises:
        InvalidNotationError: Naming what cannot be said.
    """
    unsayable = _unsayable(state)
    if unsayable:
        raise InvalidNotationError(
            f"{kind} cannot say {unsayable} (position {state.position.id})."
        )


def _unsayable(state: GameState) -> str:
    """What no id of a whole game can say about this state, or ""."""
    if state.is_over:
        return "that a game is over"
    if state.phase == OPENING:
        return "that the opening roll is not made"
    if state.phase == BEFORE_ROLL and state.turn == 1:
        return "that the first turn awaits its roll, before which nobody may double"
    if state.phase == MOVING and len(state.dice_left) < _moves_of_roll(state):
        return f"that of the roll {state.dice} only {state.dice_left} is left"
    if state.position.checkers != (_CHECKERS, _CHECKERS):
        return (
            f"that the sides have {state.position.checkers} checkers instead of "
            f"{_CHECKERS} each"
        )
    return ""


def _moves_of_roll(state: GameState) -> int:
    """Four moves for a double, else two (R7, R8)."""
    return 4 if state.dice and state.dice[0] == state.dice[1] else 2


def check_cube(
    match_length: int, crawford: bool, cube: int, cube_owner: int | None
) -> None:
    """Refuse a cube that no game can bring about (R18, R23, R26, R27).

    Raises:
        InvalidNotationError: Naming the cube and why it cannot stand so.
    """
    problem = ""
    if cube == 1:
        if cube_owner is not None:
            problem = "a cube of 1 is in the middle; nobody can own it"
    elif match_length == 1 or crawford:
        problem = f"{_cubeless(crawford)} has no cube, so it cannot stand at {cube}"
    elif match_length and cube_owner is None:
        problem = (
            f"a cube of {cube} in the middle comes from automatic doubles, which no "
            f"match has; it needs an owner"
        )
    if problem:
        raise InvalidNotationError(f"{problem}.")


def check_double(
    match_length: int, crawford: bool, cube: int, highest: int, *, is_others: bool
) -> None:
    """Refuse a pending double that the player on roll could not offer (R18, R19, R26).

    Args:
        match_length: 0 = money.
        crawford: This is the Crawford game.
        cube: Before the turn of it that awaits an answer.
        highest: Highest value of the cube.
        is_others: The player who was doubled owned the cube.

    Raises:
        InvalidNotationError: Naming why nobody can have doubled.
    """
    problem = ""
    if match_length == 1 or crawford:
        problem = f"{_cubeless(crawford)} has no cube"
    elif is_others:
        problem = "the cube belongs to the other player"
    elif 2 * cube > highest:
        problem = f"the cube stands at {cube} and goes to {highest}"
    if problem:
        raise InvalidNotationError(
            f"{problem}, so the player on roll cannot have doubled."
        )


def _cubeless(crawford: bool) -> str:
    return "the Crawford game" if crawford else "a one-point match"
