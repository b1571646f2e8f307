"""A person for `bg-env play` in tests: lines to type, and what was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bg_env.agent import PlayChooser
from bg_env.cli._play_files import Keeper, Settings, Table
from bg_env.cli._play_talk import TableTalk
from bg_env.rules import decisions
from bg_env.rules.batch import legal_masks
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import BEFORE_ROLL
from bg_env.table import Match, Session

NAMES = ("You", "Bea")

Line = str | type[BaseException]


class HandTime:
    """A source of time that goes on when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


class Script:
    """A screen that gives lines one after the other, then the end of the input."""

    def __init__(self, lines: Iterable[Line] = (), *, unicode: bool = False) -> None:
        self.lines = iter(lines)
        self.unicode = unicode
        self.color = False
        self.shown: list[str] = []
        self.prompts: list[str] = []
        self.widest = 0

    def read_line(self, prompt: str) -> str:
        self.prompts.append(prompt)
        self.widest = max(self.widest, len(prompt))
        line = next(self.lines, EOFError)
        if not isinstance(line, str):
            raise line
        self.shown.append(f"{prompt}{line}")
        return line

    def write(self, text: str) -> None:
        self.shown += text.split("\n")
        self.widest = max(self.widest, *map(len, text.split("\n")), 0)

    @property
    def text(self) -> str:
        """All that was shown, spaces and lines made even."""
        return " ".join("\n".join(self.shown).split())


class Doubling(PlayChooser):
    """Doubles whenever it may, drops nothing, always plays the first play."""

    name = "doubling"
    code = decisions.DOUBLE

    def choose(self, states, boards, offsets, streams):
        return offsets[:-1].copy()

    def act(self, states, streams):
        codes = super().act(states, streams)
        may = (states["phase"] == BEFORE_ROLL) & (legal_masks(states)[:, self.code] > 0)
        codes[may] = self.code
        return codes


class Resigning(Doubling):
    """Offers to resign a gammon whenever it may."""

    name = "resigning"
    code = decisions.RESIGN_GAMMON


def talk_of(
    table: Table | None = None,
    lines: Iterable[Line] = (),
    *,
    agent: Any = "first",
    path: Path | None = None,
    unicode: bool = False,
    **settings: Any,
) -> tuple[TableTalk, Script]:
    """A talk that has not begun, and its screen."""
    if table is None:
        table = Match(5, seed=3, players=(None, agent), names=("You", "Bea"))
    screen = Script(lines, unicode=unicode)
    chosen = Settings(agent="first", **{"hints": "first", **settings})
    return TableTalk(table, chosen, screen, Keeper(path)), screen


def said(
    table: Table | None = None, lines: Iterable[Line] = (), **options: Any
) -> Script:
    """The screen after these lines were typed."""
    talk, screen = talk_of(table, lines, **options)
    talk.run()
    return screen


class Player:
    """Types what is awaited until the match is over, by the talk it is told of."""

    def __init__(self, choose: Callable[[TableTalk], str]) -> None:
        self.choose = choose
        self.talk: TableTalk | None = None
        self.left = 1000  # lines; no match of these tests takes so many

    def __iter__(self) -> Player:
        return self

    def __next__(self) -> str:
        assert self.talk is not None
        self.left -= 1
        assert self.left > 0
        return self.choose(self.talk)


def obvious(talk: TableTalk) -> str:
    """Goes on in the simplest way: the first play, no doubles, takes."""
    now = talk.play.commands
    for command in ("next", "roll", "take", "accept", "done"):
        if command in now:
            return command
    return talk.play.game.plays()[0]


def match_at(position=None, *, agent="first", length=5, time_source=None, **details):
    """A match in the midst of a game; on roll is the person."""
    rules = details.pop("rules", Rules(match_length=length, resign="offer"))
    state = GameState.from_position(
        position or Position.start(), rules=rules, seed=4, **details
    )
    kind = Match if rules.match_length else Session
    more = {} if time_source is None else {"time_source": time_source}
    return kind(state=state, players=(None, agent), names=NAMES, **more)


def side(**places):
    """26 counts of a side: p6=3 puts three checkers on the 6 point."""
    counts = [0] * 26
    for place, count in places.items():
        counts[int(place[1:])] = count
    counts[0] = 15 - sum(counts)
    return tuple(counts)
