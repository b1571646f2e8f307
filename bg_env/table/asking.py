"""Asking an agent what the player to act does."""

from __future__ import annotations

from typing import Final

import numpy as np

from bg_env.agent import Agent, decide
from bg_env.errors import IllegalPlayError
from bg_env.rules import decisions
from bg_env.rules.decisions import decision_name, is_move, move_of
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.state import MOVING
from bg_env.table.acts import CODES
from bg_env.table.history import Event

_MOST_MOVES: Final = 4
_KINDS: Final = {code: kind for kind, code in CODES.items()}


def event_of_agent(agent: Agent, state: GameState) -> Event:
    """What an agent decides, not yet carried out: a whole play, or one decision.

    Args:
        agent: Any agent; one that gives single moves is asked again until its play is
            complete.
        state: The game, untouched.

    Raises:
        IllegalPlayError: It decided something illegal.
    """
    probe = state.clone()
    stream = probe.record["choice_stream"].copy()
    codes: list[int] = []
    while not codes or _is_playing(probe, state):
        for code in _decided(agent, probe, stream):
            _check_legal(agent, probe, code)
            probe.apply(code)
            codes.append(code)
    drawn = int(stream[0])
    event = _event_of(codes, state)
    if drawn == int(state.record["choice_stream"][0]):
        return event
    return Event(
        kind=event.kind,
        player=event.player,
        moves=event.moves,
        level=event.level,
        drawn=drawn,
    )


def _decided(agent: Agent, probe: GameState, stream: np.ndarray) -> list[int]:
    """The decisions of one answer, without the zeros that fill it up."""
    answer: list[int] = decide(agent, probe.record.copy(), stream)[0].tolist()
    return [code for code in answer if code] or [decisions.PASS]


def _is_playing(probe: GameState, state: GameState) -> bool:
    """True while a play that was begun is not complete."""
    is_moving = state.phase == MOVING and not state.offer
    goes_on = probe.phase == MOVING and not probe.offer and probe.turn == state.turn
    return is_moving and goes_on


def _check_legal(agent: Agent, probe: GameState, code: int) -> None:
    if not probe.is_legal(code):
        raise IllegalPlayError(
            f"Agent {getattr(agent, 'name', agent)!r} made an illegal decision: "
            f"{probe.refusal(code)}"
        )


def _event_of(codes: list[int], state: GameState) -> Event:
    """The event that these decisions are."""
    first, player = codes[0], state.to_act
    if first == decisions.PASS or is_move(first):
        moves = tuple(Move(*move_of(code)) for code in codes if is_move(code))
        return Event(kind="play", player=player, moves=moves)
    if first in _KINDS:
        kind = decision_name(first)
        assert kind == _KINDS[first]
        return Event(kind=_KINDS[first], player=player)  # type: ignore[arg-type]
    if first == decisions.ROLL:
        return Event(kind="roll", player=player)
    if first == decisions.CLAIM:
        return Event(kind="claim", player=player)
    level = first - decisions.RESIGN_SINGLE + 1
    return Event(kind="resign", player=player, level=level)
