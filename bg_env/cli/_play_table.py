"""The table of ``bg-env play``: what goes on between two inputs of the person."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from bg_env.agent import Agent
from bg_env.cli._play_files import Settings, Table
from bg_env.errors import BgEnvError, EngineError
from bg_env.notation.plays import NO_PLAY, format_play
from bg_env.rules.decisions import DOUBLE
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING, OPENING
from bg_env.table import Game
from bg_env.table.asking import event_of_agent
from bg_env.table.history import dice_text

PERSON: Final = 0
OPPONENT: Final = 1

_ALWAYS: Final = frozenset({"board", "flip", "score", "log", "save", "help", "quit"})
_DECISIONS: Final = frozenset(
    {"roll", "double", "take", "drop", "beaver", "accept", "refuse", "resign", "claim"}
)


class PlayTable:
    """A match or session between a person, player 0, and an agent, player 1.

    Attributes:
        table: The games.
        settings: How they are played.
    """

    def __init__(self, table: Table, settings: Settings) -> None:
        self.table = table
        self.settings = settings
        self._laid_down: tuple[int, int] | None = None
        self._throws: tuple[int, int] | None = None

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.table.game

    @property
    def opponent(self) -> str:
        """What the agent is called."""
        return self.table.names[OPPONENT]

    @property
    def moment(self) -> tuple[int, int]:
        """Number of the game and of things done in it; no two moments are the same."""
        return len(self.table.games), len(self.game.history)

    # --- what is awaited ------------------------------------------------------------

    @property
    def awaits_dice(self) -> bool:
        """True when a roll thrown by hand is to be typed, whosever it is."""
        if not self.settings.hand_dice or self.game.is_over:
            return False
        phase, state = self.game.state.phase, self.game.state
        if state.offer or phase not in (OPENING, BEFORE_ROLL):
            return False
        if phase == OPENING or state.to_act == PERSON:
            return True
        return self._throws == self.moment

    @property
    def commands(self) -> set[str]:
        """The commands that make sense now."""
        game = self.game
        if game.is_over:
            return {*_ALWAYS, "next"}
        names = set(_ALWAYS)
        if game.to_act == PERSON:
            legal = (text for text in game.legal() if text != "take back")
            words = {text.split()[0] for text in legal}
            names |= {"hint"} | (words & _DECISIONS)
        if self.awaits_dice:
            names.add("roll")
        if game.flags[OPPONENT]:
            names.add("claim")
        if self.is_playing:
            names.add("plays")
            names |= {"undo"} if game.moves else set()
            names |= {"done"} if game.is_complete else set()
        return names

    @property
    def is_playing(self) -> bool:
        """True while the person has a roll to play or to confirm."""
        state = self.game.state
        return state.phase == MOVING and not state.offer and state.on_roll == PERSON

    @property
    def awaited(self) -> str:
        """What the person is to do, in a few words: the prompt."""
        game, state = self.game, self.game.state
        if game.is_over:
            return "next game"
        if state.offer:
            return "accept or refuse"
        if state.phase == DOUBLED:
            more = ", drop or beaver" if "beaver" in game.legal() else " or drop"
            return f"take{more}"
        if state.phase == OPENING:
            return f"opening dice: yours, then {self.opponent}'s"
        if state.phase == BEFORE_ROLL:
            return self._awaited_roll()
        return self._awaited_play()

    def _awaited_roll(self) -> str:
        if self.game.to_act == OPPONENT:
            return f"dice of {self.opponent}"
        roll = "your dice" if self.settings.hand_dice else "roll"
        return f"{roll} or double" if self.may_double else roll

    def _awaited_play(self) -> str:
        game = self.game
        dice = dice_text(game.dice)
        if game.is_complete:
            done = format_play(game.state.position, game.moves)
            return f"Enter confirms {dice}: {done}"
        left = " ".join(map(str, game.dice_left))
        return f"play {dice}, left {left}" if game.moves else f"play {dice}"

    @property
    def may_double(self) -> bool:
        """True when the player to act may double."""
        return DOUBLE in self.game.decisions

    # --- going on -------------------------------------------------------------------

    def step(self) -> bool:
        """Do one thing that needs no person: an agent's, a roll without a choice.

        Returns:
            False when there was none, so that the person is asked.
        """
        game = self.game
        if game.is_over or self.awaits_dice:
            return False
        if game.to_act == OPPONENT and game.state.phase != OPENING:
            return self._ask_agent()
        if game.state.phase == OPENING:
            game.roll()
            return True
        if game.state.phase == BEFORE_ROLL and not (
            game.state.offer or self.may_double
        ):
            game.roll()
            return True
        return False

    def _ask_agent(self) -> bool:
        """Let the agent decide; False if it wants a roll that is thrown by hand."""
        agent = self.table.players[OPPONENT]
        assert agent is not None
        with agent_errors(agent):
            by_hand = self.settings.hand_dice and self.game.state.phase == BEFORE_ROLL
            if by_hand and event_of_agent(agent, self.game.state).kind == "roll":
                self._throws = self.moment
                return False
            self.game.ask(agent)
        return True

    def lay_down(self) -> str:
        """Lay down a play without a choice, once; a sentence about it, or ""."""
        game = self.game
        if not self.is_playing or game.moves or self._laid_down == self.moment:
            return ""
        plays = game.plays()
        if len(plays) > 1:
            return ""
        self._laid_down = self.moment
        if plays == [NO_PLAY]:
            return "No play is legal: Enter passes the turn."
        game.play(plays[0])
        return f"Only one play is legal: {plays[0]}."

    # --- why not ---------------------------------------------------------------------

    def refusal(self, command: str) -> str:
        """Why a command makes no sense now, and what is awaited: one sentence."""
        why = ""
        if command == "double":
            why = self._why_no_double()
        elif command == "claim" and not self.game.is_over:
            timed = self.game.rules.clock is not None
            why = f"{self.opponent} has time left" if timed else "there is no clock"
        elif command == "undo":
            why = "no move is open, and a play that is confirmed is final"
        elif command in _DECISIONS and self.game.moves:
            why = "moves are open; undo all takes them back"
        because = f": {why}" if why else ""
        return f"{command} is not possible now{because} (awaited: {self.awaited})."

    def _why_no_double(self) -> str:
        """Why the person may not double, or "" where it needs no word."""
        game, state = self.game, self.game.state
        most = game.rules.max_cube
        if not game.rules.cube or game.rules.match_length == 1:
            return "this game has no cube"
        if state.crawford:
            return "in the Crawford game nobody doubles"
        if game.cube_owner == OPPONENT:
            return f"{self.opponent} owns the cube"
        if most is not None and game.cube >= most:
            return "the cube is at its highest"
        return "one doubles before the roll" if state.phase == MOVING else ""


@contextlib.contextmanager
def agent_errors(agent: Agent) -> Iterator[None]:
    """Turn whatever an agent raises into an error of one sentence.

    Raises:
        EngineError: In place of any error that is not one of this package.
    """
    try:
        yield
    except BgEnvError:
        raise
    except Exception as error:  # whatever a foreign agent does must be told in a line
        raise EngineError(
            f"Agent {agent.name!r} failed: {type(error).__name__}: {error}"
        ) from error
