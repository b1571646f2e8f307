"""Answers of ``bg-env play`` to what the person types."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from bg_env.agent import Agent, make_agent
from bg_env.cli import _play_words as words
from bg_env.cli._play_files import Keeper, Settings, Table
from bg_env.cli._play_hints import hint
from bg_env.cli._play_table import OPPONENT, PERSON, PlayTable, agent_errors
from bg_env.cli._play_terminal import Screen
from bg_env.errors import BgEnvError
from bg_env.table import Session


class Answers:
    """Does what a line says, or says why it cannot be done.

    A command is a method ``do_NAME``, called with what was typed after the name; those
    without one are decisions of the game.
    """

    def __init__(
        self,
        table: Table,
        settings: Settings,
        screen: Screen,
        keeper: Keeper,
        adviser: Agent | None = None,
    ) -> None:
        """Sit down.

        Args:
            table: A match or session: player 0 the person, player 1 an agent.
            settings: How it is played.
            screen: Where lines come from and text goes to.
            keeper: Where the match is kept.
            adviser: Who gives hints; None = made from the settings when asked for.
        """
        self.play = PlayTable(table, settings)
        self.settings = settings
        self.screen = screen
        self.keeper = keeper
        self.is_done = False
        self._choices: list[str] = []
        self._was_interrupted = False
        self._adviser = adviser

    # --- talking --------------------------------------------------------------------

    def say(self, sentence: str) -> None:
        """Show a sentence, in lines that fit."""
        self.screen.write(words.wrapped(sentence))

    def show(self, viewer: int = PERSON) -> None:
        """Draw the board."""
        board = self.play.game.show(
            viewer=viewer,
            home=self.settings.home,
            unicode=self.screen.unicode,
            color=self.screen.color,
        )
        self.screen.write(f"\n{board}\n")

    def read(self, prompt: str) -> str | None:
        """A line of the person; None if he drops it with Ctrl-C.

        Raises:
            EOFError: There are no more lines.
            KeyboardInterrupt: He has pressed Ctrl-C twice.
        """
        try:
            line = self.screen.read_line(prompt)
        except KeyboardInterrupt:
            if self._was_interrupted:
                raise
            self._was_interrupted = True
            self.screen.write("")
            self.say("That line is dropped; Ctrl-C once more leaves the table.")
            return None
        self._was_interrupted = False
        return line

    def score_text(self) -> str:
        """The score in a sentence."""
        table = self.play.table
        (first, second), (you, other) = table.names, table.score
        length = table.rules.match_length
        match = f", match to {length}" if length else ""
        crawford = ", the Crawford game" if table.game.state.crawford else ""
        return f"Score: {first} {you}, {second} {other}{match}{crawford}."

    def say_where(self) -> None:
        """Say where the match is kept, and how to go on with it."""
        path = self.keeper.path
        if path is None:
            self.say("The match is not kept in a file.")
        else:
            self.say("The match is kept; go on with:")
            self.screen.write(f"  bg-env play --resume {shlex.quote(str(path))}")

    def leave(self) -> None:
        """Keep the match once more, say where, and end."""
        try:
            self.keeper.keep(self.play.table, self.settings)
        except BgEnvError as error:
            self.say(str(error))
        else:
            if isinstance(self.play.table, Session):
                self.screen.write(self.play.table.sheet_text())
            self.say_where()
        self.is_done = True

    # --- lines ----------------------------------------------------------------------

    def answer(self, line: str) -> None:
        """Do what a line says.

        Raises:
            BgEnvError: It cannot be done.
        """
        if len(line) > words.LONGEST:
            self.say(
                f"That line has {len(line):,} characters; a play or a command has at "
                f"most {words.LONGEST}."
            )
            return
        line = line.strip()
        if not line:
            self._enter()
        elif line[0].isdigit() and "/" not in line:
            self._number(line)
        else:
            self._command_or_play(line)

    def _enter(self) -> None:
        """Enter alone: what needs no word."""
        game = self.play.game
        if game.is_over:
            self.do_next("")
        elif game.is_complete and self.play.is_playing:
            self.do_done("")
        else:
            self.say(f"Awaited: {self.play.awaited} (help lists the commands).")

    def _number(self, line: str) -> None:
        """A roll, the number of a play, or a play with dashes."""
        is_number = line.isascii() and line.isdigit()
        if self.play.awaits_dice:
            self._throw(line)
        elif not self.play.is_playing:
            self.say(f"Numbers are not awaited now, but: {self.play.awaited}.")
        elif is_number:
            self._choose(int(line))
        else:
            self._move(line)

    def _throw(self, line: str) -> None:
        dice = words.read_dice(line)
        if dice is None:
            self.say(
                f"{words.quoted(line)} is no roll; type two dice of 1 to 6, such as 31."
            )
        else:
            self.play.game.roll(dice)

    def _choose(self, number: int) -> None:
        """Make the play of that number in the list that was shown last."""
        if not self._choices:
            self.say(f"There is no list to choose {number} from; plays makes one.")
        elif not 1 <= number <= len(self._choices):
            self.say(f"The list goes from 1 to {len(self._choices)}, not to {number}.")
        else:
            self._take_all_back()
            self.play.game.play(self._choices[number - 1])

    def _command_or_play(self, line: str) -> None:
        if line.lower() == "pass":
            line = "drop" if "drop" in self.play.commands else "done"
        found = words.read_command(line, self.play.commands)
        if found is None:
            self._move(line)
            return
        name, rest = found
        if name not in self.play.commands:
            self.say(self.play.refusal(name))
        elif rest and name not in words.WITH_MORE:
            self.say(f"{name} takes nothing after it; leave out {words.quoted(rest)}.")
        else:
            handler: Callable[[str], None] | None = getattr(self, f"do_{name}", None)
            if handler is None:
                self.play.game.do(name)
            else:
                handler(rest)

    def _move(self, line: str) -> None:
        """Make the moves that a line names."""
        game = self.play.game
        if not words.is_like_play(line):
            self.say(
                f"{words.quoted(line)} is neither a command nor a play; help lists the "
                f"commands."
            )
        elif not self.play.is_playing:
            self.say(f"No roll is to be played now (awaited: {self.play.awaited}).")
        elif game.is_complete and game.moves:
            self.say("The play is complete: Enter confirms it, undo takes it back.")
        elif game.is_complete:
            self.say("No play is legal: Enter passes the turn.")
        else:
            game.do(line)

    # --- commands -------------------------------------------------------------------

    def do_roll(self, rest: str) -> None:
        """Roll, or lay down a roll thrown by hand."""
        if self.play.awaits_dice and rest:
            self._throw(rest)
        elif self.play.awaits_dice:
            self.say("Throw the dice and type the roll, such as 31.")
        elif rest:
            self.say("The program rolls here; with --hand-dice you throw and type.")
        else:
            self.play.game.roll()

    def do_claim(self, rest: str) -> None:
        """Claim the game on time, whoever is to act."""
        self.play.game.claim(PERSON)

    def do_done(self, rest: str) -> None:
        """Confirm the play."""
        self.play.game.confirm()
        self._choices = []

    def do_undo(self, rest: str) -> None:
        """Take back the last move, or all of the turn."""
        if rest.lower() in ("all", "turn"):
            self._take_all_back()
        elif rest:
            self.say(f"Type undo or undo all, not undo {words.quoted(rest)}.")
        else:
            self.play.game.take_back()

    def _take_all_back(self) -> None:
        while self.play.game.moves:
            self.play.game.take_back()

    def do_resign(self, rest: str) -> None:
        """Resign, after asking whether that is meant."""
        level = words.read_level(rest)
        legal = [text for text in self.play.game.legal() if text.startswith("resign ")]
        if level is None or f"resign {level}" not in legal:
            self.say(f"You can {' or '.join(legal)}, not resign {words.quoted(rest)}.")
            return
        line = self.read(f"resign {level}: yes or no> ")
        if line is not None and line.strip().lower() in ("y", "yes"):
            self.play.game.resign(level)
        elif line is not None:
            self.say("Nothing is resigned.")

    def do_plays(self, rest: str) -> None:
        """List the legal plays."""
        self._choices = self.play.game.plays()
        count = len(self._choices)
        self.screen.write(words.numbered(self._choices))
        if count > 1:
            self.say(f"{count} plays are legal; type the number of one, or a play.")
        else:
            self.say("There is no other.")

    def do_hint(self, rest: str) -> None:
        """Ask another agent."""
        if self._adviser is None:
            self._adviser = make_agent(self.settings.hints)
        with agent_errors(self._adviser):
            text, choices = hint(self.play.game, self._adviser, self.settings.hints)
        self._choices = choices or self._choices
        self.screen.write(text)

    def do_board(self, rest: str) -> None:
        """Draw the board as one of the two sees it."""
        if not "theirs".startswith(rest.lower()):
            self.say(f"Type board or board theirs, not board {words.quoted(rest)}.")
        else:
            self.show(OPPONENT if rest else PERSON)

    def do_flip(self, rest: str) -> None:
        """Put the home boards on the other side (R3)."""
        number = int(self.play.game.state.record["game"][0])
        is_even = self.settings.home == "alternate" and number % 2 == 0
        is_left = self.settings.home == "left" or is_even
        self.settings.home = "right" if is_left else "left"
        self.show()

    def do_score(self, rest: str) -> None:
        """Score, pips, cube and clocks."""
        game = self.play.game
        self.say(self.score_text())
        for player, name in enumerate(game.names):
            line = f"  {name}: {game.state.position_of(player).pips[0]} pips"
            if game.cube_owner == player:
                line += f", owns the cube at {game.cube}"
            if game.rules.clock:
                turn, reserve = game.times(player)
                line += f", {turn:.0f} s of the turn and {reserve:.0f} s in reserve"
            self.say(line)

    def do_log(self, rest: str) -> None:
        """What was done in this game, or in all."""
        if rest.lower() not in ("", "all"):
            self.say(f"Type log or log all, not log {words.quoted(rest)}.")
            return
        table = self.play.table
        for line in table.log if rest else table.game.log:
            self.say(line)

    def do_save(self, rest: str) -> None:
        """Keep the match now, in its file or from now on in another."""
        if rest:
            self.keeper.move_to(rest, self.play.table, self.settings)
        elif self.keeper.path is None:
            self.say("The match has no file yet; type save FILE.")
            return
        else:
            self.keeper.keep(self.play.table, self.settings)
        self.say(f"The match is kept in {self.keeper.path}.")

    def do_next(self, rest: str) -> None:
        """Begin the next game."""
        self.play.table.next_game()
        self._choices = []
        self.say(f"Game {len(self.play.table.games)}.")

    def do_help(self, rest: str) -> None:
        """List the commands."""
        self.screen.write(words.help_text())

    def do_quit(self, rest: str) -> None:
        """Save and leave."""
        self.leave()
