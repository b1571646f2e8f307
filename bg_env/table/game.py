"""`Game`: one game for people, with readable decisions, taking back and saving."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from bg_env.agent import Agent, make_agent
from bg_env.errors import (
    IllegalActionError,
    IllegalPlayError,
    InvalidOptionError,
    InvalidPositionError,
)
from bg_env.notation.plays import parse_play
from bg_env.notation.xgid import parse_xgid
from bg_env.rules.decisions import move_code
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.position import Position
from bg_env.rules.state import DOUBLED
from bg_env.table import saving
from bg_env.table.acts import Dice
from bg_env.table.asking import event_of_agent
from bg_env.table.base import BaseGame, Player, TimeSource, agents_of
from bg_env.table.history import Event, Kind
from bg_env.table.speech import read_saying
from bg_env.table.turn import OpenTurn

_LEVELS = {"single": 1, "gammon": 2, "backgammon": 3}


class Game(BaseGame):
    """One game at the table: what people do, carried out by the rules.

    A decision is a method (`roll`, `double`, `play`, `resign` …) or a text for `do`.
    Checkers are moved with `move` or `play`; the play is final with `confirm`, and
    until then single moves can be taken back with `take_back` (R36). `undo` takes back
    whole turns. Whatever is refused leaves the game as it was.

    Attributes:
        rules: The rules.
        names: What player 0 and player 1 are called.
        players: The agent of each player, None for a person.
        over_the_board: Illegal plays stand until they are called (R38).

    >>> game = Game("standard", seed=7, names=("You", "Bea"))
    >>> print(game.roll())
    Opening roll: Bea begins with 65
    >>> game.play("24/18 13/8").legal()
    ['confirm', 'take back']
    >>> print(game.confirm())
    Bea: 65: 24/18 13/8
    """

    @classmethod
    def from_xgid(cls, text: str, **options: Any) -> Self:
        """A game in the position of an XGID; upper case is player 0.

        Args:
            text: The XGID.
            **options: As for `Game`, without rules, seed and state.

        Raises:
            InvalidNotationError: Not an XGID.
            InvalidPositionError: A board that cannot be.
        """
        return cls(state=parse_xgid(text), **options)

    @classmethod
    def from_position(
        cls,
        position: Position,
        *,
        details: dict[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """A game from a position.

        Args:
            position: Seen by the player on roll.
            details: What `GameState.from_position` takes: ``{"dice": (3, 1)}`` ….
            **options: As for `Game`, without rules, seed and state.

        Raises:
            InvalidPositionError: The game is over or can never end.
            InvalidOptionError: Values that contradict each other or the rules.
        """
        state = GameState.from_position(position, **(details or {}))
        return cls(state=state, **options)

    # --- decisions -------------------------------------------------------------------

    def roll(self, dice: Dice | None = None) -> Event:
        """Roll the dice, or lay down a roll thrown by hand.

        Args:
            dice: The roll thrown; at the opening the die of player 0 first. None: the
                game's own dice.

        Raises:
            IllegalActionError: No roll is awaited.
            InvalidOptionError: No dice.
        """
        return self._do("roll", dice=dice, by_hand=dice is not None)

    def move(self, text: str) -> Self:
        """Make one move or several, to be confirmed or taken back (R36).

        Args:
            text: ``"24/18"``, ``"bar/22*"``, ``"6/off"``, ``"13/11(2)"``. Where either
                die bears a checker off, the smaller is used.

        Raises:
            InvalidNotationError: Not the text of moves, or of different results.
            IllegalPlayError: Not legal.
        """
        self._check_has_roll("move")
        for code in self._turn.read(text):
            self._turn.add(code)
        return self

    def play(self, text: str, *, confirm: bool = False) -> Self:
        """Make a whole play, or the rest of one begun with `move`.

        Args:
            text: As `bg_env.parse_play` reads it; "(no play)" for a lost roll.
            confirm: Pick up the dice at once, as `confirm` does.

        Raises:
            InvalidNotationError: Not the text of a play, or of different ones.
            IllegalPlayError: Not legal, or not complete.
        """
        self._check_has_roll("play")
        if self._turn.codes:
            self._play_the_rest(text)
        else:
            self._play_whole(text)
        if confirm:
            self.confirm()
        return self

    def _play_whole(self, text: str) -> None:
        state = self._turn.start
        assert state.dice is not None  # there is a roll
        play = parse_play(text, state.position, state.dice, rules=self.rules)
        self._turn = OpenTurn(state, tuple(move_code(*move) for move in play.moves))

    def _play_the_rest(self, text: str) -> None:
        codes = self._turn.read(text)
        turn = OpenTurn(self._turn.start, (*self._turn.codes, *codes))
        if not turn.is_complete:
            raise IllegalPlayError(
                f"{text!r} does not complete the play: {turn.text} leaves "
                f"{' '.join(map(str, turn.dice_left))} to be played (`move` makes "
                f"single moves)."
            )
        self._turn = turn

    def _check_has_roll(self, what: str) -> None:
        if not self._turn.is_being_played:
            raise IllegalActionError(
                f"A {what} needs a roll to be played; legal now: {self._legal_text()}."
            )

    def _legal_text(self) -> str:
        return ", ".join(self.legal()) or "nothing, the game is over"

    def confirm(self) -> Event:
        """Pick up the dice: the play is final and the turn passes (R36).

        Raises:
            IllegalActionError: There is no play.
            IllegalPlayError: More dice can be played (R11).
        """
        self._check_has_roll("play")
        if not self.is_complete:
            raise IllegalPlayError(
                f"The play is not complete: {self._turn.text} leaves "
                f"{' '.join(map(str, self.dice_left))} to be played; legal now: "
                f"{self._legal_text()}."
            )
        return self._do("play", moves=self._turn.moves)

    def take_back(self) -> Move:
        """Take back the last move of a play that is not final (R36).

        Raises:
            IllegalActionError: No move is open.
        """
        if not self._turn.codes:
            raise IllegalActionError(
                "No move can be taken back: none was made since the last play became "
                "final; undo() takes back whole turns."
            )
        return self._turn.take_back()

    def undo(self) -> None:
        """Take back this turn; if nothing was done in it yet, the turn before.

        The same dice come again; the clocks go back too.

        Raises:
            IllegalActionError: Nothing was done yet.
        """
        if not self._events:
            raise IllegalActionError("Nothing can be taken back: nothing was done yet.")
        first = max(start for start in self._turn_starts if start < len(self._events))
        kept = self._events[:first]
        self._begin()
        for event in kept:
            self._carry_out(event)
        if self._clock:
            self._clock.restart()

    def double(self) -> Event:
        """Offer a double (R19)."""
        return self._decide("double")

    def take(self) -> Event:
        """Take the double (R20)."""
        return self._decide("take")

    def drop(self) -> Event:
        """Drop the double (R20)."""
        return self._decide("drop")

    def beaver(self) -> Event:
        """Turn the cube once more: a beaver or raccoon (R24)."""
        return self._decide("beaver")

    def resign(self, level: str = "single") -> Event:
        """Resign a "single", "gammon" or "backgammon", offered or at once (R28).

        Raises:
            IllegalActionError: Not a moment to resign, or not that much.
            InvalidOptionError: No such level.
        """
        if level not in _LEVELS:
            raise InvalidOptionError(
                f"One resigns a 'single', 'gammon' or 'backgammon', not {level!r}."
            )
        return self._decide("resign", level=_LEVELS[level])

    def accept(self) -> Event:
        """Accept the resignation (R28)."""
        return self._decide("accept")

    def refuse(self) -> Event:
        """Refuse the resignation (R28)."""
        return self._decide("refuse")

    def _decide(self, kind: Kind, **details: Any) -> Event:
        if self._turn.codes:
            raise IllegalActionError(
                f"To {kind} is no decision between moves ({self._turn.text} is open); "
                f"confirm the play or take it back."
            )
        return self._do(kind, **details)

    # --- the clock (R29) -------------------------------------------------------------

    def claim(self, player: int | None = None) -> Event:
        """Claim the game because the opponent's time is up; at any moment (R29).

        Args:
            player: Who claims; None: the player to act.

        Raises:
            IllegalActionError: The opponent has time left, or the game is over.
        """
        return self._do("claim", player)

    def tick(self) -> Event | None:
        """End the game if running out of time ends it by itself, and it has (R29)."""
        if self._live().is_over and not self.is_over:
            return self._do("time")
        return None

    # --- over the board (R37, R38) ---------------------------------------------------

    def roll_out_of_turn(self, dice: Dice | None = None) -> Event:
        """The player who is not on roll rolls before the play is final (R37).

        The roll is void and made again, but where both bear off without contact or
        the play is wholly forced: then it stands (`Event.upheld`) and is laid down as
        soon as the play is final.

        Args:
            dice: The roll thrown by hand, or None.

        Raises:
            IllegalActionError: There is no turn, or such a roll stands already.
        """
        by_hand = dice is not None
        player = 1 - self.on_roll
        return self._do("roll out of turn", player, dice=dice, by_hand=by_hand)

    def leave(self, position: Position | str) -> Event:
        """Pick up the dice and leave this position, be it legal or not (R38).

        Open moves are forgotten; the position is all that counts.

        Args:
            position: Seen by the mover, or its id (of 15 checkers a side).

        Raises:
            IllegalActionError: Not over the board, no roll to be played, or the play
                after a call, which must be legal.
            InvalidPositionError: More than his own checkers moved, or one is missing.
        """
        if isinstance(position, str):
            position = Position.from_id(position)
        elif not isinstance(position, Position):
            raise InvalidPositionError(
                f"A position is a bg_env.Position or its id, not {position!r}."
            )
        return self._do("leave", left=position)

    def call_illegal(self, player: int | None = None) -> Event:
        """Call the last play illegal; until the next roll, by any player (R38).

        If the call is right (`Event.upheld`), the position is put back and the same
        roll must be played legally. A wrong call changes nothing.

        Args:
            player: Who calls; None: the player to act.

        Raises:
            IllegalActionError: Not over the board, or no play that could be called.
        """
        return self._do("call", player)

    def accept_result(self) -> Event:
        """Accept the result of a finished game: no call any more (R38).

        Raises:
            IllegalActionError: The game goes on, or the result stands already.
        """
        return self._do("accept result", self._table.state.winner)

    # --- agents ----------------------------------------------------------------------

    def ask(self, agent: Agent | str) -> Event:
        """Let an agent decide for the player to act; a play it makes is final.

        Raises:
            IllegalActionError: Moves are open, or the game is over.
            IllegalPlayError: The agent decided something illegal.
        """
        if self.is_over:
            raise IllegalActionError("No agent can be asked; the game is over.")
        if self._turn.codes:
            raise IllegalActionError(
                f"An agent is asked before the first move, but {self._turn.text} is "
                f"open; take it back."
            )
        event = event_of_agent(make_agent(agent), self._table.state)
        return self._perform(replace(event, elapsed=self._elapsed()))

    def advance(self) -> list[Event]:
        """Let agents decide until a person is to act or the game is over."""
        done = []
        while not self.is_over and self.players[self.to_act] is not None:
            agent = self.players[self.to_act]
            assert agent is not None
            done.append(self.ask(agent))
        return done

    def do(self, text: str) -> Event | None:
        """Do what a text says: everything that `legal` lists, and more.

        Args:
            text: "roll", "roll 31", "double", "take", "drop", "beaver", "resign
                gammon", "accept", "refuse", "claim", "confirm", "take back", "undo",
                "call illegal", "roll out of turn", "leave ID", "accept result", or
                moves: a whole play or part of one.

        Returns:
            The event; None where nothing has become final.

        Raises:
            BgEnvError: As the method of that name; an unknown text is one of moves.
        """
        saying = read_saying(text)
        if saying.method:
            method = getattr(self, saying.method)
            done = method() if saying.argument is None else method(saying.argument)
            return done if isinstance(done, Event) else None
        if saying.argument.lower() == "pass":
            return self._pass()
        self._make_moves(saying.argument)
        return None

    def _pass(self) -> Event:
        """What "pass" means: to drop a double, or to confirm a lost roll."""
        if self._table.state.phase == DOUBLED:
            return self.drop()
        if not self._turn.codes and self.is_complete:
            return self.confirm()
        raise IllegalActionError(
            f"Nothing can be passed here; legal now: {self._legal_text()}."
        )

    def _make_moves(self, text: str) -> None:
        """A whole play if the text names one, else a part of it."""
        try:
            self.play(text)
        except IllegalPlayError as whole:
            try:
                self.move(text)
            except IllegalPlayError:
                raise whole from None

    # --- showing and saving ----------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the game as JSON, open moves and running time included.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        head = saving.header("game", self.rules, self.names, self.over_the_board)
        saving.write_data(path, {**head, "games": [self.to_data()]})

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        players: Sequence[Player] = (None, None),
        time_source: TimeSource = time.monotonic,
    ) -> Self:
        """Read a saved game, play it again and go on with it.

        Args:
            path: The file.
            players: The agents, which are not saved.
            time_source: As for `Game`.

        Raises:
            InvalidOptionError: The file cannot be read.
            InvalidNotationError: It is no saved game, or damaged.
        """
        agents = agents_of(players)
        with saving.opened(path, "game") as file:
            (part,) = file.games
            game = cls(
                state=file.state,
                players=agents,
                time_source=time_source,
                **file.options,
            )
            game.read_part(part)
        return game
