"""The talk of ``bg-env play``: what is done is told, what is awaited is asked for."""

from __future__ import annotations

from typing import Final

from bg_env.agent import Agent
from bg_env.cli import _play_words as words
from bg_env.cli._play_answers import Answers
from bg_env.cli._play_files import Keeper, Settings, Table
from bg_env.cli._play_table import OPPONENT, PERSON
from bg_env.cli._play_terminal import Screen
from bg_env.errors import BgEnvError
from bg_env.table import Game

_LAST: Final = 4  # things done that are told when a match is taken up again


class TableTalk(Answers):
    """A person plays an agent by typing.

    Whatever is typed is answered in a sentence, and what cannot be done leaves the
    match as it is. The match is kept in its file after all that is done in it.
    """

    def __init__(
        self,
        table: Table,
        settings: Settings,
        screen: Screen,
        keeper: Keeper,
        adviser: Agent | None = None,
    ) -> None:
        """Sit down; arguments as for `Answers`."""
        super().__init__(table, settings, screen, keeper, adviser)
        self._told = self.play.moment
        self._kept: tuple[object, ...] = ()
        self._shown: tuple[object, ...] = ()

    def run(self) -> None:
        """Play until the match is over or the person leaves.

        Raises:
            KeyboardInterrupt: Ctrl-C, twice at a prompt or once while an agent thinks;
                the match is kept.
            EngineError: The agent failed; the match is kept.
        """
        self._greet()
        try:
            while not self.is_done:
                self._go_on()
                if not self.is_done:
                    self._listen()
        except EOFError:
            self.say("The input has ended.")
            self.leave()
        except (KeyboardInterrupt, BgEnvError):
            self.screen.write("")
            self.say_where()
            raise

    def _greet(self) -> None:
        table, symbol = self.play.table, "●" if self.screen.unicode else "X"
        length = table.rules.match_length
        what = f"a match to {length}" if length else "for money"
        if not table.rules.cube and length != 1:
            what += ", no cube"
        self.say(f"You play {self.play.opponent}, {what}; your checkers are {symbol}.")
        if table.is_over:
            return
        self.say("Type a play such as 8/5 6/5; plays lists them, help all commands.")
        if self.play.moment != (1, 0):
            self.say(f"Going on with game {len(table.games)}. {self.score_text()}")
            for line in table.game.log[-_LAST:]:
                self.say(f"  {line}")
        self._keep()

    def _go_on(self) -> None:
        """Everything until the person is to say something."""
        while self.play.step():
            self._tell()
            self._keep()
        if self.play.game.is_over:
            self._end_game()
            return
        note = self.play.lay_down()
        self._show_if_new()
        if note:
            self.say(note)
            self._keep()

    def _listen(self) -> None:
        """One line of the person."""
        line = self.read(self._prompt())
        if line is None:
            return
        try:
            if self.play.game.tick() is None:
                self.answer(line)
        except BgEnvError as error:
            self.say(words.tidy(str(error)))
        if not self.is_done:
            self._tell()
            self._keep()

    def _prompt(self) -> str:
        game = self.play.game
        clock = ""
        if game.rules.clock and not game.is_over:
            turn, reserve = game.times(PERSON)
            clock = f"[{turn:.0f} + {reserve:.0f} s] "
        return f"{clock}{self.play.awaited}> "

    def _tell(self) -> None:
        """Tell what was done since the last time."""
        number, done = self._told
        self._told = self.play.moment
        for index, game in enumerate(self.play.table.games[number - 1 :]):
            for text in _told(game, 0 if index else done):
                self.say(text)

    def _show_if_new(self) -> None:
        """Draw the board if it is not the one that was drawn last."""
        game, state = self.play.game, self.play.game.state
        drawing, _, _ = game.show().rpartition("\n")  # without what is awaited
        is_answer = state.to_act != state.on_roll
        seen = (len(self.play.table.games), drawing, is_answer, state.offer)
        if seen != self._shown:
            self._shown = seen
            self.show()

    def _end_game(self) -> None:
        """After a game the score, once; after the last one the end."""
        table = self.play.table
        seen = (len(table.games),)
        if seen == self._shown:
            return
        self._shown = seen
        self.say(self.score_text())
        if not table.is_over:
            self.say("Enter begins the next game, quit leaves.")
            return
        winner = table.game.winner or 0
        name, verb = table.names[winner], "have" if winner == PERSON else "has"
        most, least = table.score[winner], table.score[1 - winner]
        self.say(f"{name} {verb} won the match, {most} to {least}.")
        if self.keeper.is_own and self.keeper.path is not None:
            self.say(f"It is kept in {self.keeper.path}.")
        self.keeper.forget()
        self.is_done = True

    def _keep(self) -> None:
        """Keep the match if it has changed; if that fails, say so and go on."""
        now = (*self.play.moment, self.play.game.moves, self.settings.home)
        if now == self._kept:
            return
        self._kept = now
        try:
            self.keeper.keep(self.play.table, self.settings)
        except BgEnvError as error:
            self.say(f"{error} (save FILE keeps the match elsewhere.)")


def _told(game: Game, first: int) -> list[str]:
    """What was done from event `first` on, without the agent's rolls after the opening.

    Those are told by the plays made with them.
    """
    texts = []
    is_opening = all(event.kind == "roll" for event in game.history[:first])
    for event in game.history[first:]:
        is_opening = is_opening and event.kind == "roll"
        if event.kind != "roll" or event.player != OPPONENT or is_opening:
            texts.append(event.text)
    return texts
