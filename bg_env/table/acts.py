"""Carrying out what is done at the table, on a copy: a refusal changes nothing.

`carry_out` is the one way in which a table changes, also when a saved game is played
again. All that belongs to the game itself is left to `GameState`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from bg_env.errors import IllegalActionError, IllegalPlayError, InvalidOptionError
from bg_env.rules import decisions
from bg_env.rules.game import GameState
from bg_env.rules.movegen import check_dice
from bg_env.rules.position import Position
from bg_env.rules.state import BEFORE_ROLL, CLAIMED, MOVING, OPENING
from bg_env.table.history import Event
from bg_env.table.overboard import check_left, is_legal_result, leave, roll_stands

Dice = tuple[int, int]

CODES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "double": decisions.DOUBLE,
        "take": decisions.TAKE,
        "drop": decisions.DROP,
        "beaver": decisions.BEAVER,
        "accept": decisions.ACCEPT,
        "refuse": decisions.REFUSE,
    }
)


@dataclass(frozen=True)
class LastPlay:
    """The play that may be called, until the next roll (R38)."""

    before: GameState
    """With the dice rolled, no checker moved, the clocks as when it was left."""
    left: Position
    """The position left, the mover's side first."""


@dataclass
class Table:
    """A game, and what only matters while people play it."""

    state: GameState
    over_the_board: bool = False
    early: Dice | None = None
    """A roll out of turn that stands, laid down when the play is final (R37)."""
    last: LastPlay | None = None
    """The play that may be called (R38)."""
    must_be_legal: bool = False
    """A call was right: the roll is played again, legally (R38)."""

    def copy(self) -> Table:
        """An independent copy."""
        return replace(self, state=self.state.clone())


def carry_out(table: Table, event: Event) -> Event:
    """Do what an event says. The table is changed in place, unusable after an error.

    Returns:
        The event with what came of it: its dice, whether it was upheld.

    Raises:
        IllegalActionError: Not allowed now.
        InvalidPositionError: A position that may not be left (R38).
        InvalidOptionError: Dice that are none, a time that is none.
    """
    if event.drawn is not None:
        table.state.record["choice_stream"] = event.drawn
    return _ACTS[event.kind](table, event)


def _code_of(event: Event) -> int:
    """The decision code of a cube action, a resignation or an answer."""
    if event.kind == "resign":
        return decisions.RESIGN_SINGLE + event.level - 1
    return CODES[event.kind]


def _check_player(table: Table, event: Event) -> None:
    if event.player != table.state.to_act:
        raise IllegalActionError(
            f"{event.kind} is a decision of player {table.state.to_act}, who is to "
            f"act, not of player {event.player!r}."
        )


def _decide(table: Table, event: Event) -> Event:
    """A cube action, a resignation or an answer to one."""
    _check_player(table, event)
    table.state.apply(_code_of(event), elapsed=event.elapsed)
    return event


def _is_time_up(state: GameState, event: Event) -> bool:
    """Let the time of an event pass; True when the game has ended by it (R29)."""
    state.pass_time(event.elapsed)
    return state.is_over


# --- rolls and plays ----------------------------------------------------------------


def _roll(table: Table, event: Event) -> Event:
    """The roll that is awaited, from the game's stream or by hand."""
    _check_player(table, event)
    state = table.state
    given = check_dice(event.dice) if event.by_hand else None
    if not state.is_legal(decisions.ROLL):
        raise IllegalActionError(state.refusal(decisions.ROLL))
    if _is_time_up(state, event):
        return replace(event, dice=given)
    if given is None:
        state.apply(decisions.ROLL)
    else:
        state.set_dice(*given)
    table.last = None
    return replace(event, dice=given or state.dice)


def _play(table: Table, event: Event) -> Event:
    """A whole play, or a lost roll; it is final (R36)."""
    _check_player(table, event)
    state = table.state
    if state.phase != MOVING or state.offer:
        raise IllegalActionError(
            f"A play needs a roll; in position {state.position.id} there is none to "
            f"be played."
        )
    event = replace(event, dice=state.dice)
    before = _final_time(state, event)
    if before is None:
        return event
    codes = [decisions.move_code(*move) for move in event.moves]
    for code in codes or [decisions.PASS]:
        state.apply(code)
    if state.turn == before.turn and not state.is_over:
        raise IllegalPlayError(
            f"The play is not complete: of {before.dice} in position "
            f"{before.position.id} more can be played, {state.dice_left} is left."
        )
    _finish(table, before)
    return event


def _leave(table: Table, event: Event) -> Event:
    """Leave a position over the board, legal or not (R38)."""
    _check_player(table, event)
    state = table.state
    _check_may_leave(table)
    left = event.left
    assert left is not None  # `Game.leave` and the reader of files see to it
    check_left(state.position, left)
    event = replace(event, dice=state.dice)
    before = _final_time(state, event)
    if before is not None:
        leave(state, left)
        _finish(table, before)
    return event


def _check_may_leave(table: Table) -> None:
    state = table.state
    _check_over_the_board(table, "Leaving a position")
    if state.phase != MOVING or state.offer:
        raise IllegalActionError(
            f"A position is left by a player who has rolled; in position "
            f"{state.position.id} no roll is to be played."
        )
    if table.must_be_legal:
        raise IllegalActionError(
            f"The call was right, so {state.dice} is played again, and legally; make "
            f"a legal play."
        )


def _check_over_the_board(table: Table, what: str) -> None:
    if not table.over_the_board:
        raise IllegalActionError(
            f"{what} belongs to over-the-board play; begin the game with "
            f"over_the_board=True."
        )


def _final_time(state: GameState, event: Event) -> GameState | None:
    """Let the time of a play pass; the state before it, or None when time is up."""
    return None if _is_time_up(state, event) else state.clone()


def _finish(table: Table, before: GameState) -> None:
    """After a play is final: it may be called; a roll out of turn comes down (R37)."""
    state = table.state
    table.must_be_legal = False
    if table.over_the_board:
        left = state.position_of(before.on_roll)
        table.last = LastPlay(before, left)
    if table.early is not None and not state.is_over:
        state.set_dice(*table.early)
        table.last = None  # that was the next roll
    table.early = None


# --- time ---------------------------------------------------------------------------


def _claim(table: Table, event: Event) -> Event:
    """A claim at any moment, by either player (R29)."""
    state = table.state
    if state.is_over or not _is_time_up(state, event):
        state.claim(event.player)
    return event


def _time(table: Table, event: Event) -> Event:
    """Time passes, no decision is made (R29)."""
    if table.state.is_over:
        raise IllegalActionError("No clock runs any more; the game is over.")
    table.state.pass_time(event.elapsed)
    return event


# --- the conventions of the table ---------------------------------------------------


def _roll_out_of_turn(table: Table, event: Event) -> Event:
    """A roll by the player who is not on turn: void, but for two cases (R37)."""
    state = table.state
    _check_out_of_turn(table, event)
    dice = check_dice(event.dice) if event.by_hand else _drawn(state)
    stands = roll_stands(state)
    if stands:
        table.early = dice
    return replace(event, dice=dice, upheld=stands)


def _check_out_of_turn(table: Table, event: Event) -> None:
    state = table.state
    if state.is_over or state.phase == OPENING:
        raise IllegalActionError(
            "A roll out of turn needs a turn; the game is over or not begun."
        )
    if event.player == state.on_roll:
        raise IllegalActionError(
            f"Player {event.player} is on roll, so his roll is not out of turn."
        )
    if event.elapsed:
        raise InvalidOptionError("A roll out of turn takes no time from a clock.")
    if table.early is not None:
        raise IllegalActionError(
            f"Player {event.player} has rolled {table.early} already, and it stands; "
            f"it is his next roll."
        )


def _drawn(state: GameState) -> Dice:
    """The next roll of the game's stream, which goes on. In place.

    So that a void roll is made again, with other dice.
    """
    probe = state.clone()
    probe.record["phase"] = BEFORE_ROLL
    probe.record["offer"] = 0
    probe.apply(decisions.ROLL)
    for name in ("dice_stream", "queue_next"):
        state.record[name] = probe.record[name]
    assert probe.dice is not None  # it has just rolled
    return probe.dice


def _call(table: Table, event: Event) -> Event:
    """Call the last play illegal (R38)."""
    _check_over_the_board(table, "A call")
    last, state = table.last, table.state
    if last is None:
        raise IllegalActionError(
            "There is no play to call: a play can be called until the next roll, the "
            "last one of a game until its result is accepted."
        )
    if state.is_over and state.ending == CLAIMED:
        raise IllegalActionError(
            "The game was ended by the clock, so no play can be called any more."
        )
    if is_legal_result(last.before, last.left):
        return replace(event, upheld=False, elapsed=0.0)
    if not state.is_over and _is_time_up(state, event):
        return replace(event, upheld=False)
    _put_back(table, last)
    return replace(event, upheld=True)


def _put_back(table: Table, last: LastPlay) -> None:
    """The position before the play and its roll; time and streams do not come back."""
    before = last.before.clone()
    for name in ("reserve", "dice_stream", "choice_stream", "queue_next"):
        before.record[name] = table.state.record[name]
    table.state = before
    table.last = None
    table.must_be_legal = True


def _accept_result(table: Table, event: Event) -> Event:
    """The end of a game: nothing can be called any more (R38)."""
    if not table.state.is_over:
        raise IllegalActionError("There is no result to accept; the game goes on.")
    if not table.over_the_board or table.last is None:
        raise IllegalActionError(
            "The result stands already; only over the board is it to be accepted, once."
        )
    table.last = None
    return event


_ACTS: Final[Mapping[str, Callable[[Table, Event], Event]]] = MappingProxyType(
    {
        **dict.fromkeys((*CODES, "resign"), _decide),
        "roll": _roll,
        "play": _play,
        "leave": _leave,
        "claim": _claim,
        "time": _time,
        "roll out of turn": _roll_out_of_turn,
        "call": _call,
        "accept result": _accept_result,
    }
)
