"""Actions as people and functions give them: checked, and in words."""

from __future__ import annotations

from typing import Any

from bg_env.errors import IllegalActionError
from bg_env.rules.decisions import DECISIONS, decision_name, is_move, move_of
from bg_env.rules.game import GameState


def code_of(action: Any, whose: str = "An action") -> int:
    """An action as an int of the action space.

    Args:
        action: What was given: an int, or an integer scalar of NumPy.
        whose: How the message begins.

    Raises:
        IllegalActionError: Anything else.
    """
    try:
        code = int(action.__index__())
    except (AttributeError, TypeError):
        code = -1
    if not 0 <= code < DECISIONS:
        raise IllegalActionError(
            f"{whose} is a whole number of 0 to {DECISIONS - 1}, not {action!r}."
        )
    return code


def text_of(state: GameState, code: int) -> str:
    """A decision in words, with ``*`` where a checker moved now would hit."""
    text = decision_name(code)
    if not is_move(code):
        return text
    source, die = move_of(code)
    opponent = state.position.opponent
    is_hit = source > die and opponent[25 - (source - die)] == 1
    return text + "*" if is_hit else text
