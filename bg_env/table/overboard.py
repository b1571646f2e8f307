"""Over the board: what may be left on it, what may be called, which roll is void.

R37 and R38, as questions about a position or a state; `bg_env.table.acts` asks them.
"""

from __future__ import annotations

from bg_env.errors import IllegalPlayError, InvalidPositionError
from bg_env.rules.decisions import PASS, move_code
from bg_env.rules.game import GameState
from bg_env.rules.movegen import check_position, legal_plays
from bg_env.rules.position import Position
from bg_env.rules.state import BAR, MOVING, OFF

_OUTSIDE = slice(7, BAR + 1)  # beyond the home board, the bar included


# --- a roll out of turn (R37) -------------------------------------------------------


def roll_stands(state: GameState) -> bool:
    """True when a roll made before the play on the board is final stands (R37).

    It does where both sides bear off without contact, and where the play is wholly
    forced. Both are asked of the position before the play. As long as the opponent
    has not rolled himself there is no play, and no such roll stands.
    """
    if state.phase != MOVING or state.offer or state.dice is None:
        return False
    position = state.position
    if both_bear_off(position):
        return True
    return len(legal_plays(position, state.dice, rules=state.rules)) == 1


def both_bear_off(position: Position) -> bool:
    """True when every checker of both sides in play is at home: no contact is left."""
    sides = (position.mover, position.opponent)
    return not any(any(side[_OUTSIDE]) for side in sides)


# --- illegal plays (R38) ------------------------------------------------------------


def check_left(before: Position, left: Position) -> None:
    """Refuse a position that nobody may leave, be it called or not (R38).

    Args:
        before: Before the play, seen by the mover.
        left: What he would leave, his side still first.

    Raises:
        InvalidPositionError: A checker too many or too few, or one of the opponent's
            moved other than by a hit. (Both colours on a point is no `Position`.)
    """
    check_position(left)
    if left.checkers != before.checkers:
        raise InvalidPositionError(
            f"Position {left.id} has {left.checkers} checkers (mover, opponent); every "
            f"checker stays on the board, the bar or off, so it must be "
            f"{before.checkers}."
        )
    for place in (OFF, *range(1, BAR)):
        old, new = before.opponent[place], left.opponent[place]
        if old != new and not (place != OFF and old == 1 and new == 0):
            where = "off" if place == OFF else f"on his {place}-point"
            raise InvalidPositionError(
                f"Position {left.id} has {new} checkers of the opponent {where} where "
                f"{old} stood; the mover moves his own checkers only, and hits blots."
            )


def leave(state: GameState, left: Position) -> None:
    """End the turn of the player on roll in a position that he leaves. In place.

    Not checked. The state machine itself passes the turn, or ends the game where all
    his checkers are off: as if the last of them were borne off from the 1-point.
    """
    record = state.record
    board = left.to_board()
    is_won = not any(left.mover[1:])
    if is_won:
        board[0, OFF] -= 1
        board[0, 1] += 1
    record["board"] = board
    record["left"] = (1, 0) if is_won else (0, 0)
    state.apply(move_code(1, int(record["roll"][0, 0])) if is_won else PASS)


def is_legal_result(before: GameState, left: Position) -> bool:
    """True when a legal play of this roll leaves that position (R7–R16).

    Args:
        before: The dice rolled, no checker moved.
        left: What was left, the mover's side first.
    """
    dice = before.dice
    if dice is None:
        raise IllegalPlayError(f"No play without a roll in {before.position.id}.")
    plays = legal_plays(before.position, dice, rules=before.rules)
    return any(play.result == left for play in plays)
