"""Games one after the other, with one score: what a match and a session share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from bg_env.agent import Agent
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.table import saving
from bg_env.table.base import Player, TimeSource, agents_of, names_of, seed_of
from bg_env.table.game import Game
from bg_env.table.history import Event
from bg_env.table.picture import Home


class Series(ABC):
    """Games between the same two players; decisions are made in `game`.

    Attributes:
        rules: The rules.
        names: What player 0 and player 1 are called.
        players: The agent of each player, None for a person.
        over_the_board: Illegal plays stand until they are called (R38).
    """

    kind: ClassVar[str]
    """What a saved file calls it."""

    def __init__(
        self,
        rules: Rules,
        *,
        seed: int | None = None,
        players: Sequence[Player] = (None, None),
        names: Sequence[str] | None = None,
        over_the_board: bool = False,
        time_source: TimeSource = time.monotonic,
        state: GameState | None = None,
    ) -> None:
        """Sit down to the first game; arguments as for `Game`."""
        self.players = agents_of(players)
        self.names = names_of(names, self.players)
        self._time_source = time_source
        first = state or GameState.new(rules, seed=seed_of(seed))
        self.over_the_board = over_the_board
        self.rules = first.rules
        self._games = [self._sit_down(first)]

    def _sit_down(self, state: GameState) -> Game:
        return Game(
            state=state,
            players=self.players,
            names=self.names,
            over_the_board=self.over_the_board,
            time_source=self._time_source,
        )

    # --- what it is ------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game that is played, or was played last."""
        return self._games[-1]

    @property
    def games(self) -> tuple[Game, ...]:
        """All games, in order."""
        return tuple(self._games)

    @property
    def score(self) -> tuple[int, int]:
        """Points of player 0 and player 1 so far."""
        return self.game.score

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True when no further game belongs to it."""

    @property
    def log(self) -> list[str]:
        """All games in words, each under its heading."""
        lines = []
        for number, game in enumerate(self._games, start=1):
            first, second = game.start.score
            score = f"{self.names[0]} {first}, {self.names[1]} {second}"
            lines += [f"Game {number}, {score}", *game.log]
        return lines

    # --- going on --------------------------------------------------------------------

    def next_game(self) -> Game:
        """Begin the next game; over the board this accepts the result of the last.

        Raises:
            IllegalActionError: The game is not over, or it was the last.
        """
        state = self.game.state
        state.next_game()
        if "accept result" in self.game.legal():
            self.game.accept_result()
        self._games.append(self._sit_down(state))
        return self.game

    def undo(self) -> None:
        """Take back as `Game.undo` does, also into the game before.

        Raises:
            IllegalActionError: Nothing was done yet.
        """
        if not self.game.history and len(self._games) > 1:
            self._games.pop()
        self.game.undo()

    def ask(self, agent: Agent | str) -> Event:
        """Let an agent decide for the player to act, as `Game.ask` does."""
        return self.game.ask(agent)

    def advance(self, *, games: bool = False) -> list[Event]:
        """Let agents decide until a person is to act or the game is over.

        Args:
            games: Go on with the next game until a person is to act; a session of two
                agents, which has no end, stops after each game all the same.
        """
        done = self.game.advance()
        while games and self.game.is_over and not self.is_over and self._has_end():
            self.next_game()
            done += self.game.advance()
        return done

    def _has_end(self) -> bool:
        """True unless agents alone would go on for ever."""
        return bool(self.rules.match_length) or None in self.players

    def do(self, text: str) -> Event | None:
        """Do what a text says in the game, as `Game.do` does; and "next game".

        Raises:
            BgEnvError: As the method of that name.
        """
        words = " ".join(text.lower().split()) if isinstance(text, str) else ""
        if words == "next game":
            self.next_game()
            return None
        if words == "undo":
            self.undo()
            return None
        return self.game.do(text)

    # --- showing and saving ----------------------------------------------------------

    def show(
        self,
        *,
        viewer: int = 0,
        home: Home = "right",
        unicode: bool = False,
        color: bool = False,
    ) -> str:
        """The board of the game as text."""
        return self.game.show(viewer=viewer, home=home, unicode=unicode, color=color)

    def __repr__(self) -> str:
        return self.show()

    def to_data(self) -> saving.Data:
        """What `save` writes."""
        head = saving.header(self.kind, self.rules, self.names, self.over_the_board)
        return {**head, "games": [game.to_data() for game in self._games]}

    def save(self, path: str | Path) -> None:
        """Write all games as JSON.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        saving.write_data(path, self.to_data())

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        players: Sequence[Player] = (None, None),
        time_source: TimeSource = time.monotonic,
    ) -> Self:
        """Read saved games, play them again and go on with them.

        Args:
            path: The file.
            players: The agents, which are not saved.
            time_source: As for `Game`.

        Raises:
            InvalidOptionError: The file cannot be read.
            InvalidNotationError: It is no such file, or damaged.
        """
        agents = agents_of(players)
        with saving.opened(path, cls.kind) as file:
            series = cls._resume(
                file.state, players=agents, time_source=time_source, **file.options
            )
            first, *others = file.games
            series.game.read_part(first)
            for part in others:
                series._read_next(part)
        return series

    def _read_next(self, part: saving.Data) -> None:
        """Go on with the next game of a file, which must follow from the last."""
        before = len(self.game.history)
        game = self.next_game()
        if len(self._games[-2].history) != before:
            raise ValueError(f"game {len(self._games) - 1} has no accepted result")
        if not saving.is_state(game.start, part["start"]):
            raise ValueError(f"game {len(self._games)} does not follow from the last")
        game.read_part(part)

    @classmethod
    @abstractmethod
    def _resume(cls, state: GameState, **options: Any) -> Self:
        """A series whose first game begins from a state."""
