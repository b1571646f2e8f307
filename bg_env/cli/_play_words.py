"""What can be said to ``bg-env play``: commands, their beginnings, and the help."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bg_env.errors import InvalidNotationError

WIDTH: Final = 78
LONGEST: Final = 200

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "roll": "roll the dice; with --hand-dice type the roll, such as 31",
        "double": "offer a double",
        "take": "take the double",
        "drop": "drop the double, which loses the game",
        "beaver": "turn the cube once more, where the rules have beavers",
        "resign": "resign single, resign gammon or resign backgammon",
        "accept": "accept a resignation",
        "refuse": "refuse a resignation",
        "claim": "claim the game on time",
        "done": "confirm the play; just Enter does the same",
        "undo": "take back the last move; undo all takes back all of the turn",
        "plays": "list the legal plays; choose one by its number",
        "hint": "the best plays, or what to do about the cube",
        "board": "draw the board; board theirs draws it as the opponent sees it",
        "flip": "put the home boards on the other side",
        "score": "score, pips, cube and clocks",
        "log": "what was done in this game; log all for all games",
        "save": "save now; save FILE keeps the match in that file from now on",
        "next": "begin the next game; just Enter does the same",
        "help": "show this",
        "quit": "save and leave",
    }
)
WITH_MORE: Final = ("roll", "undo", "resign", "board", "log", "save")
"""Commands after which something more may be typed."""
_SYNONYMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "?": "help",
        "confirm": "done",
        "redouble": "double",
        "raccoon": "beaver",
        "reject": "refuse",
        "moves": "plays",
        "exit": "quit",
        "take back": "undo",
        "next game": "next",
    }
)
_LEVELS: Final = ("single", "gammon", "backgammon")
_DICE: Final = re.compile(r"([1-6])[\s,-]*([1-6])")
_MOVE: Final = re.compile(r"(?:[0-9]|bar)\s*[/–—-]|^\(", re.IGNORECASE)
_WHERE: Final = re.compile(r" in position [A-Za-z0-9+/]{14}")
_FOR_PROGRAMS: Final = re.compile(r" \([^()]*bg_env[^()]*\)")


def read_command(line: str, now: Collection[str]) -> tuple[str, str] | None:
    """The command a line begins with and what follows; None if it is none.

    Any beginning of a name is enough that fits one command only, or only one of those
    that make sense now.

    >>> read_command("resi gammon", ())
    ('resign', 'gammon')
    >>> read_command("d", {"done", "quit"})
    ('done', '')
    >>> read_command("8/5 6/5", ()) is None
    True

    Args:
        line: What was typed, not empty.
        now: The commands that make sense now.

    Raises:
        InvalidNotationError: It fits several.
    """
    plain = " ".join(line.lower().split())
    if plain in _SYNONYMS:
        return _SYNONYMS[plain], ""
    word, _, rest = line.strip().partition(" ")
    word = word.lower()
    if word in _SYNONYMS:
        return _SYNONYMS[word], rest.strip()
    if word in COMMANDS:
        return word, rest.strip()
    fitting = [name for name in COMMANDS if name.startswith(word)]
    if len(fitting) > 1:
        fitting = [name for name in fitting if name in now] or fitting
    if len(fitting) > 1:
        raise InvalidNotationError(
            f"{word!r} can mean {' or '.join(fitting)}; type more of it."
        )
    return (fitting[0], rest.strip()) if fitting else None


def is_like_play(line: str) -> bool:
    """True when a line was meant to move checkers, rightly or not."""
    return _MOVE.search(line) is not None


def read_dice(line: str) -> tuple[int, int] | None:
    """A roll such as ``31``, ``3 1`` or ``3-1``; None if it is none."""
    match = _DICE.fullmatch(line.strip())
    return (int(match[1]), int(match[2])) if match else None


def read_level(text: str) -> str | None:
    """What is resigned, "single" for nothing said; None if it is no level."""
    word = text.lower().removeprefix("a ").strip() or _LEVELS[0]
    return next((level for level in _LEVELS if level.startswith(word)), None)


def help_text() -> str:
    """All commands, a line each."""
    lines = [
        "A play is typed as 8/5 6/5, bar/22*, 6/off or 13/11(2), whole or in parts.",
        "Points count from your home: 24 is farthest, 0 or off is borne off. What the",
        "opponent plays is told with his own points. Commands, which may be cut short:",
    ]
    lines += [f"  {name:<7} {text}" for name, text in COMMANDS.items()]
    return "\n".join(lines)


def tidy(message: str) -> str:
    """An error of the library as a person at the board needs it."""
    return _FOR_PROGRAMS.sub("", _WHERE.sub("", message))


def wrapped(text: str) -> str:
    """A sentence in lines of at most `WIDTH` columns."""
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def quoted(line: str) -> str:
    """What was typed, as a message repeats it: printable and short."""
    text = repr(line)
    return text if len(text) <= 42 else f"{text[:38]}…{text[-1]}"


def numbered(items: Sequence[str]) -> str:
    """Items with numbers from 1, in as many columns as there is room for."""
    cells = [f"{number:>3} {item}" for number, item in enumerate(items, start=1)]
    width = max(map(len, cells)) + 2
    columns = max(1, WIDTH // width)
    height = -(-len(cells) // columns)
    rows = [cells[row::height] for row in range(height)]
    return "\n".join(
        "".join(f"{cell:<{width}}" for cell in row).rstrip() for row in rows
    )
