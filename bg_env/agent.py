"""What an agent is, agents that rate positions, and looking agents up by name."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import IllegalPlayError, InvalidOptionError, UnknownNameError
from bg_env.rules._drive import write_simple_answers, write_state_plays
from bg_env.rules.batch import States, check_states, take_states
from bg_env.rules.game import GameState
from bg_env.rules.movegen import MOST_PLAYS, Play, PlayBuffers, play_of
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING

ENTRY_POINTS: Final = "bg_env.agents"
_SPEC: Final = re.compile(r"(?P<name>[^:@]+)(:(?P<path>.+?))?(@(?P<plies>[^@]*)ply)?")
_CHUNK: Final = 1024  # games whose plays are generated at once

_STANDARD: Final = Rules()
_registered: dict[str, Callable[..., Any]] = {}


@runtime_checkable
class Agent(Protocol):
    """Anything that decides for many games at once."""

    name: str

    def act(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One decision per game, for the player to act.

        Args:
            states: ``STATE_DTYPE[B]``, not to be changed.
            streams: uint64[B], the random numbers of each game: the only source of
                chance an agent may use, advanced in place.

        Returns:
            int64[B] decision codes, each legal in its game.
        """
        ...


@runtime_checkable
class PlayingAgent(Agent, Protocol):
    """An agent that also gives whole plays."""

    def plays(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int16]:
        """A whole play per game: int16[B, 4] decision codes, 0 = no more moves.

        Args:
            states: ``STATE_DTYPE[B]``, all in phase MOVING with a legal move.
            streams: As for `act`.
        """
        ...


class Evaluator(Protocol):
    """Anything that gives the five cubeless chances of positions."""

    name: str

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """Chances of the player on roll, before his roll.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.

        Returns:
            float32[B, 5]: win, win gammon or more, win backgammon, lose gammon or
            more, lose backgammon.
        """
        ...


class RatingAgent(Evaluator, Protocol):
    """Gives the chances of positions, and chooses plays."""

    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """As `PlayChooser.choose`."""
        ...


def simple_answers(states: States) -> NDArray[np.int64]:
    """int64[B]: what a player without a cube policy decides off the board.

    He never doubles, beavers, resigns or claims, always takes, and accepts a
    resignation only at backgammon.
    """
    codes = np.zeros(len(states), np.int64)
    write_simple_answers(states, codes)
    return codes


class PlayChooser(ABC):
    """Base of agents that choose among the distinct results of a roll.

    A subclass sets `name` and writes `choose`; batching, whole plays, single
    decisions and `best_play` come for free. Off the board it answers as
    `simple_answers`.
    """

    name: str = "unnamed"

    @abstractmethod
    def choose(
        self,
        states: States,
        boards: NDArray[np.int8],
        offsets: NDArray[np.int64],
        streams: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The number of the chosen play of each game.

        Args:
            states: ``STATE_DTYPE[B]`` before the play.
            boards: int8[P, 2, 32] after each play, the mover still in row 0.
            offsets: int64[B + 1]; plays of game i are offsets[i] .. offsets[i+1] − 1,
                at least one each.
            streams: uint64[B], advanced in place if chance is needed.

        Returns:
            int64[B] indices into `boards`.
        """

    def plays(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int16]:
        """A whole play per game: int16[B, 4] decision codes, 0 = no more moves."""
        chosen = np.zeros((len(states), 4), np.int16)
        for start in range(0, len(states), _CHUNK):
            part = slice(start, start + _CHUNK)
            chosen[part] = self._plays_of(states[part], streams[part])
        return chosen

    def _plays_of(
        self, states: States, streams: NDArray[np.uint64]
    ) -> NDArray[np.int16]:
        boards, codes, offsets = plays_of_states(states)
        result = np.zeros((len(states), 4), np.int16)
        some = np.flatnonzero(np.diff(offsets))
        if len(some) < len(states):  # a roll with nothing to play: pass
            if len(some):
                result[some] = self._plays_of_some(states, streams, some)
            return result
        result[:] = codes[self.choose(states, boards, offsets, streams)]
        return result

    def _plays_of_some(
        self, states: States, streams: NDArray[np.uint64], some: NDArray[np.int64]
    ) -> NDArray[np.int16]:
        own = streams[some]
        chosen = self._plays_of(states[some], own)
        streams[some] = own
        return chosen

    def act(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One decision per game: int64[B]."""
        codes = simple_answers(states)
        moving = np.flatnonzero((states["phase"] == MOVING) & (states["offer"] == 0))
        if len(moving):
            own = streams[moving]
            codes[moving] = self.plays(take_states(states, moving), own)[:, 0]
            streams[moving] = own
        return codes

    def best_play(
        self,
        position: Position,
        dice: tuple[int, int],
        *,
        rules: Rules = _STANDARD,
        seed: int = 0,
    ) -> Play:
        """The play chosen for one roll; ``moves == ()`` when nothing can be played.

        Args:
            position: Seen by the player on roll.
            dice: The roll.
            rules: What else is in force.
            seed: Fixes the chance of an agent that plays at random.
        """
        state = GameState.from_position(position, rules=rules, dice=dice, seed=seed)
        boards, codes, offsets = plays_of_states(state.record)
        if offsets[1] == 0:
            return Play((), position)
        streams = state.record["choice_stream"].copy()
        chosen = int(self.choose(state.record, boards, offsets, streams)[0])
        return play_of(boards[chosen], codes[chosen])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def plays_of_states(
    states: States,
) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int64]]:
    """The plays of the dice left of many games in one array.

    Returns:
        (boards int8[P, 2, 32] after each play, decision codes int16[P, 4], offsets
        int64[B + 1]).
    """
    check_states(states)
    offsets = np.zeros(len(states) + 1, np.int64)
    size = MOST_PLAYS + 64 * len(states)
    while True:
        buffers = PlayBuffers(size)
        total = write_state_plays(states, buffers.arrays, buffers.scratch, offsets)
        if total >= 0:
            return buffers.boards[:total], buffers.codes[:total], offsets
        size *= 2


def decide(
    agent: Agent, states: States, streams: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """What `agent` does in each game: int64[B, 4] decisions, 0 = no more.

    A playing agent gives whole plays where checkers are to be moved.
    """
    codes = np.zeros((len(states), 4), np.int64)
    if not hasattr(agent, "plays"):  # isinstance of a protocol takes 11 µs
        codes[:, 0] = agent.act(states, streams)
        return codes
    moving = (states["phase"] == MOVING) & (states["offer"] == 0)
    if moving.all():
        codes[:] = agent.plays(states, streams)
        return codes
    for chosen, whole in ((moving, True), (~moving, False)):
        part = np.flatnonzero(chosen)
        if len(part):
            own, some = streams[part], take_states(states, part)
            if whole:
                codes[part] = agent.plays(some, own)
            else:
                codes[part, 0] = agent.act(some, own)
            streams[part] = own
    return codes


def refuse_illegal(
    agent: object, states: States, codes: NDArray[np.int64], illegal: NDArray[np.int8]
) -> None:
    """Raise for the first game whose decision was not legal; −1 = all legal.

    Raises:
        IllegalPlayError: Names the agent, the decisions and the position.
    """
    bad = np.flatnonzero(illegal >= 0)
    if len(bad):
        i = int(bad[0])
        name = getattr(agent, "name", repr(agent))
        position = Position.from_board(states["board"][i])
        raise IllegalPlayError(
            f"Agent {name!r} made an illegal decision: number {int(illegal[i])} of "
            f"{codes[i].tolist()} with roll {states['roll'][i].tolist()} in position "
            f"{position.id}."
        )


# --- by name ----------------------------------------------------------------------


def register_agent(name: str, factory: Callable[..., Agent]) -> None:
    """Make an agent known by name in this process; replaces one of the same name.

    Args:
        name: Without ``:`` and ``@``.
        factory: Called without arguments, or with those of ``path=`` and ``plies=``
            that the agent string names.
    """
    if not name or re.search(r"[:@]", name):
        raise InvalidOptionError(
            f"An agent's name has no ':' and no '@' and is not empty, unlike {name!r}."
        )
    _registered[name] = factory


def agent_names() -> list[str]:
    """Names of all agents that `make_agent` knows, sorted."""
    found = {point.name for point in entry_points(group=ENTRY_POINTS)}
    return sorted(found | set(_registered))


def make_agent(spec: str | Agent) -> Agent:
    """Build the agent a string names: ``NAME[:PATH][@Nply]``.

    Args:
        spec: "random", "pubeval", "td:weights.npz" …; an agent is returned as
            it is.

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: Not such a string, or a path or depth that this agent
            does not take.
    """
    if not isinstance(spec, str):
        if not isinstance(spec, Agent):
            raise InvalidOptionError(
                f"An agent is a name or has a name and act(states, streams), "
                f"unlike {spec!r}."
            )
        return spec
    match = _SPEC.fullmatch(spec.strip())
    plies = match["plies"] if match else None
    if match is None or (plies is not None and not plies.isdigit()):
        raise InvalidOptionError(
            f"An agent string is NAME[:PATH][@Nply], such as 'pubeval', not {spec!r}."
        )
    chosen: dict[str, Any] = {}
    if match["path"]:
        chosen["path"] = match["path"]
    if plies:
        chosen["plies"] = int(plies)
    return _build(spec, _factory(match["name"]), chosen)


def _factory(name: str) -> Callable[..., Any]:
    if name in _registered:
        return _registered[name]
    for point in entry_points(group=ENTRY_POINTS, name=name):
        factory: Callable[..., Any] = point.load()
        return factory
    raise UnknownNameError.of("agent", name, agent_names())


def _build(spec: str, factory: Callable[..., Any], chosen: dict[str, Any]) -> Agent:
    parameters = inspect.signature(factory).parameters
    for argument, value in chosen.items():
        if argument not in parameters:
            raise InvalidOptionError(
                f"Agent {spec!r}: this agent takes no {argument} (got {value!r})."
            )
    agent: Agent = factory(**chosen)
    return agent
