"""Games at the table for its tests: positions, a clock to turn by hand, random play."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping
from typing import Any

from bg_env.errors import IllegalActionError, IllegalPlayError, InvalidPositionError
from bg_env.rules.position import Position
from bg_env.table import Game

CLOSED = dict.fromkeys(range(1, 7), 2)

Places = Mapping[int, int]


class HandTime:
    """A source of time that goes on when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


def table(
    mover: Places, opponent: Places, *, otb: bool = False, **details: Any
) -> Game:
    """A game with these checkers of the player on roll first."""
    position = Position.from_points(mover, opponent)
    return Game.from_position(position, details=details, over_the_board=otb)


def at_start(*, otb: bool = False, **details: Any) -> Game:
    """A game in a later turn from the start position."""
    return Game.from_position(Position.start(), details=details, over_the_board=otb)


def changed(
    position: Position, own: Places | None = None, other: Places | None = None
) -> Position:
    """A position with so many checkers more or fewer by place."""
    sides = []
    for side, changes in ((position.mover, own), (position.opponent, other)):
        counts = list(side)
        for place, change in (changes or {}).items():
            counts[place] += change
        sides.append(tuple(counts))
    return Position(*sides)


def everything(game: Game) -> tuple[Any, ...]:
    """All that a refusal must leave as it was."""
    return (
        game.state.record.tobytes(),
        game.position,
        game.moves,
        game.history,
        tuple(game.legal()),
        game.times(0),
        game.times(1),
        repr(game),
    )


# --- random games -------------------------------------------------------------------

_RASH = {"drop", "claim", "accept", "take back"}


def play_at_random(
    game: Game, rng: random.Random, *, time: HandTime | None = None, steps: int = 10_000
) -> None:
    """Decide at random until the game is over: a person who changes his mind a lot."""
    for _ in range(steps):
        if game.is_over:
            return
        if time is not None:
            time.passes(rng.choice((0.0, 0.5, 3.1234, 20.0)))
            if game.tick():
                return
        if rng.random() < 0.05:
            _do_something_odd(game, rng)
            continue
        if rng.random() < 0.4 and _do_what_seldom_comes(game):
            continue
        texts = game.legal()
        text = rng.choice(texts)
        is_rash = text in _RASH or text.startswith("resign")
        if is_rash and len(texts) > 1 and rng.random() < 0.9:
            continue
        game.do(text)


def _do_what_seldom_comes(game: Game) -> bool:
    """Call what was left, or roll early while a forced play is made; True if done."""
    is_left = game.history and game.history[-1].kind == "leave"
    if is_left and not game.is_over:
        with contextlib.suppress(IllegalActionError):  # a roll that stood came down
            game.call_illegal()
    elif len(game.plays()) == 1 and game.history[-1].kind == "roll":
        game.roll_out_of_turn()
    else:
        return False
    return True


def _do_something_odd(game: Game, rng: random.Random) -> None:
    """Something that `legal` does not list, if it is allowed now."""
    odd = (
        "undo",
        "roll out of turn",
        "roll out of turn 52",
        "call illegal",
        "roll 63",
        "claim",
    )
    try:
        if game.over_the_board and rng.random() < 0.5:
            game.leave(shifted(game.position, rng))
        elif rng.random() < 0.3:
            game.ask("random")
        else:
            game.do(rng.choice(odd))
    except (IllegalActionError, IllegalPlayError, InvalidPositionError):
        pass


def shifted(position: Position, rng: random.Random) -> Position:
    """The position with one checker of the mover put somewhere else."""
    source = rng.choice([p for p in range(26) if position.mover[p]])
    free = [p for p in range(25) if p == 0 or not position.opponent[25 - p]]
    return changed(changed(position, {source: -1}), {rng.choice(free): 1})
