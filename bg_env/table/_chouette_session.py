"""Sessions: many games of a chouette in a row, played by agents or functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, decide, make_agent, refuse_illegal
from bg_env.errors import InvalidOptionError
from bg_env.rules._drive import apply_sequences
from bg_env.rules.options import Rules
from bg_env.rules.state import STATE_DTYPE
from bg_env.table._chouette_game import Chouette
from bg_env.table._chouette_sheet import ScoreSheet

Decider = str | Agent | Callable[[Chouette, int], int]
"""Who decides for a player: an agent, its name, or ``f(chouette, player) -> code``."""


class ChouetteSession:
    """A chouette of many games: who decides for each player, and the score sheet.

    Agents decide by the game of two between the box and the member concerned: they
    see his cube, and whether a double awaits his answer. Functions see everything.

    Attributes:
        chouette: The game under way.
        deciders: Who decides, by player.
        sheet: The finished games.
    """

    def __init__(
        self,
        deciders: Sequence[Decider],
        *,
        names: Sequence[str] | None = None,
        rules: Rules | str | None = None,
        own_cubes: bool = False,
        seed: int = 0,
        order: Sequence[int] | None = None,
    ) -> None:
        """Seat one player for each of `deciders`.

        Args:
            deciders: Agents, their names, or functions ``f(chouette, player)`` that
                return a decision code. The same agent may play for several.
            names: What to call the players on the sheet.
            rules: As for `Chouette`.
            own_cubes: As for `Chouette`.
            seed: As for `Chouette`.
            order: As for `Chouette`.

        Raises:
            InvalidOptionError: Fewer than three players, or values that cannot be.
            UnknownNameError: No agent or preset of that name.
        """
        self.deciders = [_decider_of(decider) for decider in deciders]
        if names is not None and len(names) != len(self.deciders):
            raise InvalidOptionError(
                f"{len(self.deciders)} players need as many names, not {names!r}."
            )
        self.chouette = Chouette(
            len(self.deciders) if names is None else names,
            rules=rules,
            own_cubes=own_cubes,
            seed=seed,
            order=order,
        )
        self.sheet = ScoreSheet(self.chouette.names, own_cubes)
        self.chouette.play_forced()

    def play(self, games: int = 1) -> ScoreSheet:
        """Play until so many more games are finished; returns the sheet.

        Raises:
            IllegalPlayError: An agent decided something illegal.
            IllegalActionError: A function did.
        """
        play_sessions([self], games)
        return self.sheet

    def agent_asked(self) -> Agent | None:
        """The agent who is to decide now; None if it is a function's turn."""
        player = self.chouette.to_act
        decider = None if player is None else self.deciders[player]
        return decider if isinstance(decider, Agent) else None

    def ask_function(self) -> None:
        """Let the function of the player asked decide, and go on to the next question.

        Raises:
            IllegalActionError: It decided something illegal.
        """
        player = self.chouette.to_act
        assert player is not None  # nobody asks in a finished game
        decider: Any = self.deciders[player]
        self.carry_out([decider(self.chouette, player)])

    def carry_out(self, codes: Iterable[int]) -> None:
        """Apply decisions of the player asked, and go on to the next question.

        A finished game is written down and the next one begun.
        """
        chouette = self.chouette
        player = chouette.to_act
        for code in codes:
            assert player is not None
            chouette.apply(player, code)
        while chouette.play_forced() or chouette.is_over:
            if chouette.is_over:
                self.sheet.add(chouette.result)
                chouette.next_game()


def play_sessions(sessions: Sequence[ChouetteSession], games: int) -> None:
    """Play many sessions side by side until each has so many more finished games.

    An agent that plays in several is asked once for all of them. Every session comes
    out as if it were played alone.

    Raises:
        InvalidOptionError: Not a number of games.
        IllegalPlayError: An agent decided something illegal.
        IllegalActionError: A function did.
    """
    if not isinstance(games, int) or isinstance(games, bool) or games < 0:
        raise InvalidOptionError(f"games is a whole number from 0 up, not {games!r}.")
    goals = [len(session.sheet.games) + games for session in sessions]
    pairs = list(zip(sessions, goals, strict=True))
    while True:
        running = [s for s, goal in pairs if len(s.sheet.games) < goal]
        if not running:
            return
        waiting: dict[int, list[ChouetteSession]] = defaultdict(list)
        for session in running:
            agent = session.agent_asked()
            if agent is None:
                session.ask_function()
            else:
                waiting[id(agent)].append(session)
        for group in waiting.values():
            _ask_agent(group)


def _ask_agent(sessions: Sequence[ChouetteSession]) -> None:
    """Ask the agent whose turn it is in all of these sessions."""
    agent = sessions[0].agent_asked()
    assert agent is not None
    chouettes = [session.chouette for session in sessions]
    records = [chouette.state_asked().record for chouette in chouettes]
    states = np.concatenate(records, dtype=STATE_DTYPE)
    streams = states["choice_stream"].copy()
    codes = decide(agent, states, streams)
    _check_legal(agent, states, codes)
    rows = zip(sessions, streams, codes.tolist(), strict=True)
    for session, stream, (first, *others) in rows:
        session.chouette.choice_stream[0] = stream
        session.carry_out([first, *filter(None, others)])


def _check_legal(agent: Agent, states: NDArray[Any], codes: NDArray[np.int64]) -> None:
    illegal = np.zeros(len(states), np.int8)
    apply_sequences(states.copy(), codes, illegal)
    refuse_illegal(agent, states, codes, illegal)


def _decider_of(decider: Any) -> Any:
    if isinstance(decider, str):
        return make_agent(decider)
    if isinstance(decider, type) or not (
        isinstance(decider, Agent) or callable(decider)
    ):
        raise InvalidOptionError(
            f"A player is an agent, its name, or a function f(chouette, player) -> "
            f"code, not {decider!r}."
        )
    return decider
