"""What all encoders need to know of a record, seen by one player."""

from __future__ import annotations

from typing import Any

from bg_env._jit import record_kernel
from bg_env.rules.state import (
    BEFORE_ROLL,
    CLOCK,
    DOUBLED,
    JACOBY,
)


@record_kernel
def viewer_of(state: Any, viewers: Any, index: int) -> int:
    """Whose view to write of game `index`: ``viewers[index]``, else who is to act.

    A number below 0, or no number for this game, means the player to act.
    """
    if index < viewers.shape[0] and viewers[index] >= 0:
        return int(viewers[index])
    return int(state["to_act"])


@record_kernel
def has_bit(state: Any, bit: int) -> bool:
    """An option bit of the record is set."""
    return (int(state["options"]) & bit) != 0


@record_kernel
def is_first_roll(state: Any) -> bool:
    """The roll of the game's first turn is awaited: nobody may double (R5, R19)."""
    return int(state["phase"]) == BEFORE_ROLL and int(state["turn"]) <= 1


@record_kernel
def is_single_only(state: Any) -> bool:
    """Gammons count single as long as no double is taken (R22)."""
    return (
        has_bit(state, JACOBY)
        and int(state["match_length"]) == 0
        and int(state["cube_turned"]) == 0
    )


@record_kernel
def has_clock(state: Any) -> bool:
    """The game is played with a clock (R29)."""
    return has_bit(state, CLOCK)


@record_kernel
def is_asked(state: Any) -> bool:
    """A double or a resignation awaits an answer: a turn stands still (R29)."""
    return int(state["phase"]) == DOUBLED or int(state["offer"]) > 0


@record_kernel
def away(state: Any, player: int) -> int:
    """Points a player still needs for the match, 0 when he has won it (R25)."""
    return max(int(state["match_length"]) - int(state["score"][player]), 0)
