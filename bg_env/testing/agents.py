"""`check_agent`: does an agent keep to the contract of `bg_env.Agent`?"""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, PlayingAgent, make_agent
from bg_env.errors import IllegalPlayError
from bg_env.evaluation import evaluate
from bg_env.rules._drive import apply_sequences
from bg_env.rules.batch import States, legal_masks, seed_states, take_states
from bg_env.rules.decisions import DECISIONS, decision_name
from bg_env.rules.options import Rules
from bg_env.rules.state import MOVING, OVER
from bg_env.testing._checks import (
    ConformanceError,
    described,
    no_outside_chance,
    require,
    require_array,
    require_name,
)
from bg_env.testing._states import RulesChoice, rules_of, states_of

Way = Literal["act", "plays"]
Decided = tuple[NDArray[Any], NDArray[np.uint64]]

_GAMES: Final = 10  # that the states of one kind of rules come from
_ALONE: Final = 24  # states asked about one at a time


def check_agent(
    agent: str | Agent,
    *,
    rules: RulesChoice = None,
    games: int = 10,
    seed: int = 0,
) -> None:
    """Check that an agent keeps to the contract of `bg_env.Agent`.

    It is asked about states of random games, of every kind of decision, many in the
    middle of a turn; then it plays against itself.

    - `act` returns int64[B], legal decisions; `plays`, where there is one, int16[B, 4],
      whole legal turns.
    - It changes nothing of the states.
    - The same states and streams bring the same decisions, and leave the streams the
      same: no chance but theirs, no memory. A stream that it uses it advances.
    - A game gets the same decision alone, in any batch, at any place.

    Args:
        agent: An agent, or the string that names one.
        rules: What it can play: rules or the name of a preset, one or several. None =
            money and match play with the cube, resigning, variants, a clock.
        games: How many games it plays against itself by each of the rules.
        seed: Of the states.

    Raises:
        ConformanceError: The first thing that is not so.
    """
    if isinstance(agent, str):
        agent = make_agent(agent)
    name = require_name("An agent", agent)
    who = f"Agent {name!r}"
    is_agent = isinstance(agent, Agent) and not isinstance(agent, type)
    require(is_agent, f"{who} has no method act(states, streams).")
    for chosen in rules_of(rules):
        states = states_of(chosen, games=_GAMES, seed=seed)
        with no_outside_chance(who):
            _check_decisions(agent, who, "act", states)
            if isinstance(agent, PlayingAgent):
                _check_decisions(agent, who, "plays", _with_moves(states))
        _check_games(agent, who, chosen, games, seed)


def _with_moves(states: States) -> States:
    """Those states in which a checker is to be moved."""
    moving = (states["phase"] == MOVING) & (states["offer"] == 0)
    moving &= legal_masks(states)[:, 0] == 0
    return take_states(states, np.flatnonzero(moving))


def _check_decisions(agent: Agent, who: str, way: Way, states: States) -> None:
    first = _decided(agent, who, way, states, states["choice_stream"])
    if way == "act":
        _check_legal(who, states, first[0])
    else:
        _check_whole_turns(who, states, first[0])
    _check_repeats(agent, who, way, states, first)
    _check_places(agent, who, way, states, first)
    _check_streams_move_on(agent, who, way, states, first)


def _decided(
    agent: Agent, who: str, way: Way, states: States, streams: NDArray[np.uint64]
) -> Decided:
    """What the agent decides, and the streams afterwards."""
    asked, given = take_states(states, np.arange(len(states))), streams.copy()
    before = asked.tobytes()
    codes = getattr(agent, way)(asked, given)
    require(
        asked.tobytes() == before,
        f"{who} changes the states it is asked about in {way}; it may only read them.",
    )
    dtype, shape = (np.int64, ()) if way == "act" else (np.int16, (4,))
    require_array(f"What {who} returns from {way}", codes, dtype, (len(states), *shape))
    return codes.copy(), given


# --- legal ----------------------------------------------------------------------------


def _check_legal(who: str, states: States, codes: NDArray[np.int64]) -> None:
    inside = (codes >= 0) & (codes < DECISIONS)
    masks = legal_masks(states)
    legal = inside & (masks[np.arange(len(codes)), np.where(inside, codes, 0)] == 1)
    if legal.all():
        return
    i = int(np.flatnonzero(~legal)[0])
    code = int(codes[i])
    said = f" ({decision_name(code)})" if inside[i] else ""
    possible = np.flatnonzero(masks[i]).tolist()
    raise ConformanceError(
        f"{who} decides {code}{said}, which is not legal in {described(states, i)}; "
        f"legal are {possible}."
    )


def _check_whole_turns(who: str, states: States, codes: NDArray[np.int16]) -> None:
    after = take_states(states, np.arange(len(states)))
    illegal = np.zeros(len(states), np.int8)
    apply_sequences(after, codes.astype(np.int64), illegal)
    for i in np.flatnonzero(illegal >= 0)[:1]:
        raise ConformanceError(
            f"{who} plays {codes[i].tolist()}, of which number {int(illegal[i])} is "
            f"not legal in {described(states, int(i))}."
        )
    ended = (after["turn"] > states["turn"]) | (after["phase"] == OVER)
    for i in np.flatnonzero(~ended)[:1]:
        raise ConformanceError(
            f"{who} plays {codes[i].tolist()}, which leaves part of the turn unplayed "
            f"in {described(states, int(i))}."
        )


def _check_games(agent: Agent, who: str, rules: Rules, games: int, seed: int) -> None:
    if not games:
        return
    try:
        evaluate(agent, agent, games=games, rules=rules, seed=seed)
    except IllegalPlayError as error:
        raise ConformanceError(f"{who} in a game against itself: {error}") from None


# --- the same again -------------------------------------------------------------------


def _check_repeats(
    agent: Agent, who: str, way: Way, states: States, first: Decided
) -> None:
    again = _decided(agent, who, way, states, states["choice_stream"])
    for i in _differing(first[0], again[0]):
        raise ConformanceError(
            f"{who} decides {first[0][i].tolist()} and, asked again with the same "
            f"stream, {again[0][i].tolist()} in {described(states, i)}; its only "
            f"source of chance is the stream it is given."
        )
    for i in _differing(first[1], again[1]):
        raise ConformanceError(
            f"{who} leaves the stream of one game in two ways when asked the same "
            f"twice, in {described(states, i)}."
        )


def _check_places(
    agent: Agent, who: str, way: Way, states: States, first: Decided
) -> None:
    """A game alone and in a batch of another order."""
    order = np.arange(len(states))[::-1].copy()
    turned = take_states(states, order)
    codes, streams = _decided(agent, who, way, turned, turned["choice_stream"])
    _require_same(who, states, first, (codes[order], streams[order]), "another order")
    for i in range(0, len(states), max(len(states) // _ALONE, 1)):
        one = take_states(states, np.array([i]))
        alone = _decided(agent, who, way, one, one["choice_stream"])
        here = (first[0][i : i + 1], first[1][i : i + 1])
        _require_same(who, one, here, alone, "a batch of one")


def _require_same(
    who: str, states: States, first: Decided, other: Decided, where: str
) -> None:
    for i in _differing(first[0], other[0]):
        raise ConformanceError(
            f"{who} decides {first[0][i].tolist()} in a batch and "
            f"{other[0][i].tolist()} in {where}, in {described(states, i)}; each "
            f"game is decided by its own state and stream."
        )
    for i in _differing(first[1], other[1]):
        raise ConformanceError(
            f"{who} leaves another stream in a batch than in {where}, in "
            f"{described(states, i)}; each game is decided by its own stream."
        )


def _check_streams_move_on(
    agent: Agent, who: str, way: Way, states: States, first: Decided
) -> None:
    """Decisions that come from a stream and leave it where it was would repeat."""
    other = take_states(states, np.arange(len(states)))
    seed_states(other, 12345)
    codes, streams = _decided(agent, who, way, other, other["choice_stream"])
    changed = first[0] != codes
    used = changed if way == "act" else changed.any(axis=1)
    still = (streams == other["choice_stream"]) & (first[1] == states["choice_stream"])
    for i in np.flatnonzero(used & still)[:1]:
        raise ConformanceError(
            f"{who} decides by the number in the stream and does not advance it, in "
            f"{described(states, int(i))}; its next decision would use it again."
        )


def _differing(first: NDArray[Any], other: NDArray[Any]) -> list[int]:
    """The first index at which two arrays differ, in a list; none when equal."""
    unequal = first != other
    rows = unequal if unequal.ndim == 1 else unequal.any(axis=1)
    return [int(i) for i in np.flatnonzero(rows)[:1]]
