"""Match files with the ending .mat, as many programs write them.

::

     5 point match

     Game 1
     white : 0                      red : 0
      1) 61: 13/7 8/7                43: 13/9 24/21
      2) 51: 13/8 24/23               Doubles => 2
      3)  Takes                      51: 21/16 9/8

The player on the left is player 0. The bar is 25 or "bar", off is 0 or "off"; a roll
that cannot be played has nothing after it. A beaver may stand without the take that
must follow it, and a resignation shows in nothing but "Wins".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bg_env.errors import BgEnvError, InvalidNotationError
from bg_env.notation.plays import parse_play
from bg_env.rules.decisions import BEAVER, DOUBLE, DROP, PASS, ROLL, TAKE, move_code
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules, quiet_rules
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, OPENING

MatKind = Literal["play", "double", "beaver", "take", "drop", "win"]
Step = tuple[GameState, tuple[int, ...]]
"""A game before a decision, and what was decided: one code, or the moves of a play."""

_HIGHEST_CUBE: Final = 4096
_BEAVERS: Final = 3
_NEAR: Final = 4  # columns by which an entry may begin before its heading
_WORDS: Final[dict[str, MatKind]] = {
    "doubles": "double",
    "redoubles": "double",
    "beavers": "beaver",
    "raccoons": "beaver",
    "takes": "take",
    "drops": "drop",
    "passes": "drop",
    "wins": "win",
}
_CODES: Final = {"double": DOUBLE, "beaver": BEAVER, "take": TAKE, "drop": DROP}
_LENGTH: Final = re.compile(r"^\s*(\d+)\s+point\s+match", re.IGNORECASE)
_GAME: Final = re.compile(r"^\s*Game\s+(\d+)\s*$", re.IGNORECASE)
_NAMES: Final = re.compile(r"^\s*(\S.*?)\s*:\s*(\d+)\s{2,}(\S.*?)\s*:\s*(\d+)\s*$")
_ROW: Final = re.compile(r"^\s*\d+\)|^\s+(?=Wins\b)", re.IGNORECASE)
_ENTRY: Final = re.compile(
    rf"\b(?:([1-6]{{2}}):|({'|'.join(_WORDS)})\b)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class MatAction:
    """One entry of a match file.

    Attributes:
        player: 0 on the left, 1 on the right.
        kind: What was done; a win is how the game ended.
        dice: The roll of a play, as written.
        text: The play, "(no play)" for none.
        value: Of the cube after a double or beaver; the points of a win; else 0.
        line: Where it stands, from 1.
    """

    player: int
    kind: MatKind
    dice: tuple[int, int] | None = None
    text: str = ""
    value: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class MatGame:
    """One game of a match file.

    Attributes:
        number: As written.
        score: Of both players before it.
        actions: All entries, in order.
    """

    number: int
    score: tuple[int, int]
    actions: tuple[MatAction, ...]

    @property
    def winner(self) -> int | None:
        """Who has won it, None where the file does not say."""
        last = self.actions[-1] if self.actions else None
        return last.player if last is not None and last.kind == "win" else None


@dataclass(frozen=True, slots=True)
class MatMatch:
    """A match file.

    Attributes:
        length: Points of the match, 0 = money.
        names: Of the players.
        games: In order.
    """

    length: int
    names: tuple[str, str]
    games: tuple[MatGame, ...]

    def rules(self) -> Rules:
        """The rules it seems to be played by: the file has its length alone.

        Money games with the Jacoby rule and beavers, matches with the Crawford rule.
        """
        if not self.length:
            return Rules(jacoby=True, beavers=_BEAVERS, max_cube=_HIGHEST_CUBE)
        return quiet_rules(match_length=self.length, max_cube=_HIGHEST_CUBE)

    def steps(self, rules: Rules | None = None) -> list[list[Step]]:
        """Every decision of each game, with the game before it.

        To roll is a decision where a double was possible. Resignations are none: the
        file does not have them.

        Args:
            rules: None = `rules()`.

        Raises:
            InvalidNotationError: Something that these rules do not allow.
        """
        chosen = self.rules() if rules is None else rules
        played = []
        is_after = False  # the Crawford game is over
        for game in self.games:
            played.append(_Replay(game, chosen, is_after).steps())
            is_after |= self.length > 0 and self.length - 1 in game.score
        return played


def read_mat(path: str | Path) -> MatMatch:
    """Read a match file.

    Raises:
        InvalidNotationError: It cannot be read, or is no such file.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InvalidNotationError(
            f"The match file {str(path)!r} cannot be read: {error.strerror or error}."
        ) from None
    return parse_mat(text)


def parse_mat(text: str) -> MatMatch:
    """The match that the text of a .mat file describes.

    Only the form is looked at; `MatMatch.steps` holds it against the rules.

    Raises:
        InvalidNotationError: No length, no game, or an entry that says nothing.
    """
    length: int | None = None
    names, games = ("player 0", "player 1"), list[_Lines]()
    for number, line in enumerate(text.splitlines(), start=1):
        if length is None:
            found = _LENGTH.match(line)
            length = int(found[1]) if found else None
        elif begin := _GAME.match(line):
            games.append(_Lines(int(begin[1])))
        elif games and (head := _NAMES.match(line)) and not games[-1].rows:
            names = head[1], head[3]
            games[-1].begin(head)
        elif games and _ROW.match(line):
            games[-1].rows.append((number, line))
    if length is None or not games:
        raise InvalidNotationError(
            "A match file has a line such as '5 point match' and after it 'Game 1'; "
            "this text has not."
        )
    return MatMatch(length, names, tuple(game.game() for game in games))


class _Lines:
    """The lines of one game."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.score = (0, 0)
        self.right = 0  # the column where the entries of player 1 begin
        self.rows: list[tuple[int, str]] = []

    def begin(self, head: re.Match[str]) -> None:
        """Read names and score."""
        self.score = int(head[2]), int(head[4])
        self.right = head.start(3)

    def game(self) -> MatGame:
        actions = [
            action for number, line in self.rows for action in self._row(number, line)
        ]
        return MatGame(self.number, self.score, tuple(actions))

    def _row(self, number: int, line: str) -> Iterator[MatAction]:
        """The entries of a line, the one on the left first."""
        entries = list(_ENTRY.finditer(line))
        ends = [entry.start() for entry in entries[1:]] + [len(line)]
        for place, (entry, end) in enumerate(zip(entries, ends, strict=True)):
            alone = len(entries) == 1
            is_right = entry.start() >= self.right - _NEAR if alone else place > 0
            yield _action(int(is_right), entry, line[entry.end() : end], number)


def _action(player: int, entry: re.Match[str], rest: str, line: int) -> MatAction:
    """One entry: its beginning has been found, `rest` follows."""
    if entry[1]:
        dice = int(entry[1][0]), int(entry[1][1])
        text = rest.strip() or "(no play)"
        return MatAction(player, "play", dice, text, line=line)
    number = _NUMBER.search(rest)
    value = int(number[0]) if number else 0
    return MatAction(player, _WORDS[entry[2].lower()], value=value, line=line)


class _Replay:
    """One game of a file, played again."""

    def __init__(self, game: MatGame, rules: Rules, is_after: bool) -> None:
        self.game = game
        self.state = GameState.new(rules)
        self.found: list[Step] = []
        if rules.match_length:
            self.state.set_score(game.score, False if is_after else None)

    def steps(self) -> list[Step]:
        for action in self.game.actions:
            try:
                self._act(action)
            except BgEnvError as error:
                raise InvalidNotationError(
                    f"Game {self.game.number}, line {action.line}: {error}"
                ) from None
        return self.found

    def _act(self, action: MatAction) -> None:
        if action.kind == "win":
            return
        if action.kind == "play":
            self._play(action)
            return
        self._check_turn(action)
        self._decide((_CODES[action.kind],))

    def _play(self, action: MatAction) -> None:
        state, dice = self.state, action.dice or (0, 0)
        if state.phase == DOUBLED:  # nobody says that he takes a beaver
            self._decide((TAKE,))
        if state.phase == OPENING:
            state.set_dice(*sorted(dice, reverse=action.player == 0))
        self._check_turn(action)
        if state.phase == BEFORE_ROLL:
            if state.is_legal(DOUBLE):
                self.found.append((state.clone(), (ROLL,)))
            state.set_dice(*dice)
        play = parse_play(action.text, state.position, dice, rules=state.rules)
        codes = [move_code(move.source, move.die) for move in play.moves]
        self._decide(codes or (PASS,))

    def _check_turn(self, action: MatAction) -> None:
        if self.state.is_over or self.state.to_act != action.player:
            turn = "the game is over"
            if not self.state.is_over:
                turn = f"it is the turn of player {self.state.to_act}"
            raise InvalidNotationError(
                f"player {action.player} cannot {action.kind}: {turn}."
            )

    def _decide(self, codes: Sequence[int]) -> None:
        self.found.append((self.state.clone(), tuple(codes)))
        for code in codes:
            self.state.apply(code)
