"""What a game at the table is, and how it changes; `game` says what people do to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from secrets import randbits
from typing import Any

from bg_env.agent import Agent, make_agent
from bg_env.errors import InvalidOptionError
from bg_env.notation.plays import format_play
from bg_env.rules.decisions import (
    CLAIM,
    PASS,
    decision_name,
    is_move,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move, legal_plays
from bg_env.rules.options import Rules, as_rules, quiet_rules
from bg_env.rules.position import Position
from bg_env.rules.state import OPENING, OVER
from bg_env.table import saving
from bg_env.table.acts import Dice, Table, carry_out
from bg_env.table.clock import TableClock
from bg_env.table.history import Event, Kind, describe
from bg_env.table.picture import Home, draw
from bg_env.table.turn import OpenTurn

Player = Agent | str | None
TimeSource = Callable[[], float]

_LEAVES_TURN_OPEN = ("roll out of turn", "time")


class BaseGame:
    """A game with its history, open moves and clock; decided on in `Game`.

    Attributes:
        rules: The rules.
        names: What player 0 and player 1 are called.
        players: The agent of each player, None for a person.
        over_the_board: Illegal plays stand until they are called (R38).
    """

    def __init__(
        self,
        rules: Rules | str | None = None,
        *,
        seed: int | None = None,
        players: Sequence[Player] = (None, None),
        names: Sequence[str] | None = None,
        over_the_board: bool = False,
        time_source: TimeSource = time.monotonic,
        state: GameState | None = None,
    ) -> None:
        """Sit down before the opening roll, or in front of any state.

        Args:
            rules: Rules, or the name of a preset, "standard" for None: with those a
                player may offer to resign (R28). With a clock in them time is
                measured (R29), else it is not.
            seed: Fixes the dice; None: every game has others.
            players: An agent or its name for those that an agent plays, else None.
            names: What to call them; without, agents have their own names.
            over_the_board: Allow illegal plays, and calling them (R38).
            time_source: Where seconds come from, for the clock.
            state: A state to begin from, copied; then without rules and seed.

        Raises:
            InvalidOptionError: A value that cannot be, or a state that no game begins
                from: it is over, or the roll half played.
            UnknownNameError: No such preset or agent.
        """
        if state is None:
            state = GameState.new(table_rules(rules), seed=seed_of(seed))
        elif rules is not None or seed is not None:
            raise InvalidOptionError(
                f"A state brings its own rules and dice; leave out rules={rules!r} "
                f"and seed={seed!r}."
            )
        saving.check_state(state)
        if not isinstance(over_the_board, bool):
            raise InvalidOptionError(
                f"over_the_board is True or False, not {over_the_board!r}."
            )
        self.rules = state.rules
        self.players = agents_of(players)
        self.names = names_of(names, self.players)
        self.over_the_board = over_the_board
        self._start = state.clone()
        self._clock = TableClock(time_source) if state.rules.clock else None
        self._begin()

    def _begin(self) -> None:
        """Back to the start, nothing done."""
        self._table = Table(self._start.clone(), self.over_the_board)
        self._turn = OpenTurn(self._table.state)
        self._events: list[Event] = []
        self._turn_starts = [0]

    # --- what it is ------------------------------------------------------------------

    @property
    def state(self) -> GameState:
        """A copy of the state, without the open moves of a play that is not final."""
        return self._table.state.clone()

    @property
    def start(self) -> GameState:
        """A copy of the state the game began from."""
        return self._start.clone()

    @property
    def history(self) -> tuple[Event, ...]:
        """All that was done and not taken back."""
        return tuple(self._events)

    @property
    def log(self) -> list[str]:
        """The history in words."""
        return [event.text for event in self._events]

    @property
    def position(self) -> Position:
        """The checkers as they lie, open moves made, seen by the player on roll."""
        return self._turn.position

    @property
    def on_roll(self) -> int:
        """The player whose turn it is, until his play is final."""
        return self._table.state.on_roll

    @property
    def to_act(self) -> int:
        """The player who decides now."""
        return self._table.state.to_act

    @property
    def dice(self) -> Dice | None:
        """The roll on the table, None while there is none."""
        return self._table.state.dice

    @property
    def dice_left(self) -> tuple[int, ...]:
        """The dice that no open move has used, the larger first."""
        return self._turn.dice_left

    @property
    def moves(self) -> tuple[Move, ...]:
        """The open moves, which can be taken back."""
        return self._turn.moves

    @property
    def is_complete(self) -> bool:
        """True when a play only needs to be confirmed; a lost roll, too."""
        return self._turn.is_complete

    @property
    def is_over(self) -> bool:
        """True when the game is over."""
        return self._table.state.is_over

    @property
    def winner(self) -> int | None:
        """The player who has won, None while the game goes on."""
        return self._table.state.winner

    @property
    def points(self) -> int:
        """What the winner got, 0 while the game goes on."""
        return self._table.state.points

    @property
    def score(self) -> tuple[int, int]:
        """Points of the match or session, by player, this game's included."""
        return self._table.state.score

    @property
    def cube(self) -> int:
        """Value of the cube; while a double is pending: what dropping it costs."""
        return self._table.state.cube

    @property
    def cube_owner(self) -> int | None:
        """The player who owns the cube, None = in the middle."""
        return self._table.state.cube_owner

    @property
    def decisions(self) -> list[int]:
        """Codes of the decisions that may come next; none where one only confirms."""
        start = self._turn.start
        if self._turn.codes:  # nothing but moves and claims until the play is final
            return self._turn.legal_moves() + [CLAIM] * start.is_legal(CLAIM)
        return [code for code in start.legal_decisions() if code != PASS]

    def legal(self) -> list[str]:
        """What the player to act may do now, each a text that `do` understands."""
        if self.is_over:
            may_accept = self.over_the_board and self._table.last is not None
            return ["accept result"] if may_accept else []
        moves = self._turn.names() if self._turn.is_being_played else []
        others = [decision_name(code) for code in self.decisions if not is_move(code)]
        if self.is_complete:
            others.append("confirm")
        if self._turn.codes:
            others.append("take back")
        return moves + others

    def plays(self) -> list[str]:
        """The whole plays of the roll on the table as text, ["(no play)"] if none."""
        state = self._turn.start
        if not self._turn.is_being_played or state.dice is None:
            return []
        plays = legal_plays(state.position, state.dice, rules=self.rules)
        return [format_play(state.position, play.moves) for play in plays]

    # --- how it changes --------------------------------------------------------------

    def _do(self, kind: Kind, player: int | None = None, **details: Any) -> Event:
        """Carry out an event at the table; after an error all is as it was."""
        actor = self.to_act if player is None else player
        if actor not in (0, 1) or isinstance(actor, bool):
            raise InvalidOptionError(f"player is 0 or 1, not {player!r}.")
        elapsed = 0.0 if kind == "roll out of turn" else self._elapsed()
        event = Event(kind=kind, player=actor, elapsed=elapsed, **details)
        return self._perform(event)

    def _perform(self, event: Event) -> Event:
        was_opening = self._table.state.phase == OPENING
        done = self._carry_out(event)
        if self._clock:
            if was_opening:
                self._clock.restart()
            else:
                self._clock.forget(done.elapsed)
        return done

    def _carry_out(self, event: Event) -> Event:
        """Carry out an event on a copy, then put it in the place of the table."""
        table, before = self._table.copy(), self._table.state
        done = carry_out(table, event)
        text = describe(done, before, table.state, self.names)
        done = replace(done, text=text)
        is_open = done.kind in _LEAVES_TURN_OPEN and not table.state.is_over
        self._table = table
        self._turn = OpenTurn(table.state, self._turn.codes if is_open else ())
        self._events.append(done)
        if table.state.turn > max(before.turn, 1):
            self._turn_starts.append(len(self._events))
        return done

    # --- time (R29) ------------------------------------------------------------------

    def _elapsed(self) -> float:
        """Seconds that the player to act has been thinking."""
        phase = self._table.state.phase
        if self._clock is None or phase in (OPENING, OVER):
            return 0.0
        return self._clock.elapsed

    def times(self, player: int) -> tuple[float, float]:
        """Seconds left now of a player's turn and of his reserve; (0, 0) without clock.

        Raises:
            InvalidOptionError: No such player.
        """
        if player not in (0, 1) or isinstance(player, bool):
            raise InvalidOptionError(f"player is 0 or 1, not {player!r}.")
        state = self._live()
        if state.rules.clock is None:
            return 0.0, 0.0
        return int(state.record["turn_time"][0, player]) / 1000, state.reserve[player]

    @property
    def flags(self) -> tuple[bool, bool]:
        """Whether player 0 and player 1 have no reserve left by now."""
        reserve = self._live().reserve
        timed = self.rules.clock is not None
        return timed and reserve[0] <= 0, timed and reserve[1] <= 0

    def _live(self) -> GameState:
        """The state with the time counted that has passed since the last decision."""
        state = self._table.state.clone()
        state.pass_time(self._elapsed())
        return state

    def pause(self) -> None:
        """Stop the clock until `resume`."""
        if self._clock:
            self._clock.pause()

    def resume(self) -> None:
        """Let the clock go on."""
        if self._clock:
            self._clock.resume()

    # --- the same again --------------------------------------------------------------

    def to_data(self) -> saving.Data:
        """Start, history, open moves, running time and state, for JSON."""
        return {
            "start": saving.state_to_data(self._start),
            "history": [saving.event_to_data(event) for event in self._events],
            "open": [list(move) for move in self.moves],
            "running": self._elapsed(),
            "state": saving.state_to_data(self._table.state),
        }

    def read_part(self, data: saving.Data) -> None:
        """Play again what `to_data` has written, and compare. For `load`.

        Raises:
            ValueError: It does not come out as written.
            BgEnvError: Something in it is not allowed.
        """
        events = [saving.event_of_data(item) for item in saving.items(data["history"])]
        self.replay(events)
        if not saving.is_state(self._table.state, data["state"]):
            raise ValueError("its history does not lead to its state")
        codes = tuple(move_code(*move) for move in saving.moves_of_data(data["open"]))
        self._turn = OpenTurn(self._table.state, codes)
        running = saving.seconds(data["running"])
        if self._clock:
            self._clock.forget(-running)

    def replay(self, events: Iterable[Event]) -> None:
        """Do all of these events, one after the other, as they were done.

        >>> from bg_env.table import Game
        >>> game = Game(seed=1)
        >>> _ = game.roll()
        >>> again = Game(state=game.start)
        >>> again.replay(game.history)
        >>> again.state == game.state
        True

        Raises:
            InvalidOptionError: One does not come out as it did.
            BgEnvError: One is not allowed.
        """
        for number, event in enumerate(events, start=1):
            done = self._carry_out(event.asked())
            if replace(done, text="") != replace(event, text=""):
                raise InvalidOptionError(
                    f"Event {number} ({event.kind}) does not come out as it did: "
                    f"{done.text!r}."
                )

    # --- showing ---------------------------------------------------------------------

    def show(
        self,
        *,
        viewer: int = 0,
        home: Home = "right",
        unicode: bool = False,
        color: bool = False,
    ) -> str:
        """The board as text, open moves made; arguments as `rendering.ansi.render`."""
        return draw(
            self._turn,
            names=self.names,
            viewer=viewer,
            home=home,
            unicode=unicode,
            color=color,
        )

    def __repr__(self) -> str:
        return self.show()


def seed_of(seed: int | None) -> int:
    """The seed given, or a new one from the system for every game."""
    return randbits(63) if seed is None else seed


def table_rules(rules: Rules | str | None) -> Rules:
    """Rules as they are, or those of a preset with offers to resign, as at a table.

    Raises:
        UnknownNameError: No preset of that name.
        InvalidOptionError: Something else.
    """
    chosen = as_rules(rules)
    if isinstance(rules, Rules) or chosen.resign is not None:
        return chosen
    options = {field.name: getattr(chosen, field.name) for field in fields(Rules)}
    return quiet_rules(**{**options, "resign": "offer"})


def agents_of(players: Any) -> tuple[Agent | None, Agent | None]:
    """The agents that play, by themselves or by name; None for a person.

    Raises:
        InvalidOptionError: Not two.
        UnknownNameError: No agent of that name.
    """
    good = isinstance(players, Sequence) and not isinstance(players, str)
    if not good or len(players) != 2:
        raise InvalidOptionError(
            f"players are two: an agent, its name, or None for a person, "
            f"not {players!r}."
        )
    first, second = (None if p is None else make_agent(p) for p in players)
    return first, second


def names_of(
    names: Sequence[str] | None, players: tuple[Agent | None, Agent | None]
) -> tuple[str, str]:
    """The names given, else those of agents, else "player 0" and "player 1"."""
    if names is None:
        first, second = (
            f"player {i}" if agent is None else agent.name
            for i, agent in enumerate(players)
        )
        return (first, second) if first != second else (f"{first} 0", f"{second} 1")
    good = not isinstance(names, str) and len(names) == 2
    if not good or not all(isinstance(n, str) and n.strip() for n in names):
        raise InvalidOptionError(f"names are two texts, not {names!r}.")
    return names[0], names[1]
