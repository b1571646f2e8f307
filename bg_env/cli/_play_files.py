"""Files of ``bg-env play``: where a match is kept, and how it is taken up again."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from bg_env._files import cache_folder
from bg_env.agent import Agent
from bg_env.errors import InvalidNotationError, InvalidOptionError
from bg_env.table import Match, Session, saving

Table = Match | Session
Home = Literal["right", "left", "alternate"]

HOMES: Final = ("right", "left", "alternate")

_SETTINGS: Final = "play"  # the part of a file that the table itself does not read
_MOST_KEPT: Final = 10_000


@dataclass
class Settings:
    """How a match is played at the terminal; saved with it.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    agent: str
    """Agent string of the opponent."""
    hints: str
    """Agent string of who gives hints."""
    home: Home = "right"
    """Where the person's home board is drawn."""
    hand_dice: bool = False
    """Rolls are thrown by hand and typed."""

    def __post_init__(self) -> None:
        if self.home not in HOMES:
            raise InvalidOptionError(
                f"--home is {', '.join(HOMES[:-1])} or {HOMES[-1]}, not {self.home!r}."
            )
        if not isinstance(self.hand_dice, bool):
            raise InvalidOptionError(
                f"hand_dice is True or False, not {self.hand_dice!r}."
            )


class Keeper:
    """Keeps a match in one file, which is always whole.

    Attributes:
        path: The file; None = the match is not kept.
        is_own: The person has named the file, so it stays when the match is over.
    """

    def __init__(self, path: Path | None, *, is_own: bool = True) -> None:
        self.path = path
        self.is_own = is_own

    @classmethod
    def new(cls, named: str | None) -> Keeper:
        """For a new match: in the file named, else in one of the program's own.

        Raises:
            InvalidOptionError: The file exists, or none can be there.
        """
        if named is not None:
            return cls(new_file(named))
        return cls(_free_file(), is_own=False)

    def keep(self, table: Table, settings: Settings) -> None:
        """Write the match.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        if self.path is not None:
            data = {**table.to_data(), _SETTINGS: asdict(settings)}
            saving.write_data(self.path, data)

    def move_to(self, path: str, table: Table, settings: Settings) -> None:
        """Keep the match in another file from now on.

        Raises:
            InvalidOptionError: The file exists, or cannot be written.
        """
        other = Keeper(new_file(path))
        other.keep(table, settings)
        self.forget()
        self.path, self.is_own = other.path, True

    def forget(self) -> None:
        """Remove the program's own file; one that a person has named stays."""
        if self.path is not None and not self.is_own:
            with contextlib.suppress(OSError):
                self.path.unlink()


def new_file(name: str) -> Path:
    """The path of a file that is not there yet.

    Raises:
        InvalidOptionError: It is there, or it cannot be.
    """
    try:
        path = Path(name).expanduser()
        is_there = path.exists() or path.is_symlink()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidOptionError(
            f"The file {name!r} cannot be written: {error}."
        ) from None
    if is_there:
        raise InvalidOptionError(
            f"The file {name!r} is there already; name another one, or go on with the "
            f"match that is in it: bg-env play --resume {name}"
        )
    return path


def _free_file() -> Path | None:
    """A new file of the program's own; None where nothing can be kept."""
    folder = cache_folder()
    if folder is None:
        return None
    with contextlib.suppress(OSError):
        (folder / "play").mkdir(parents=True, exist_ok=True)
        for number in range(1, _MOST_KEPT):
            path = folder / "play" / f"match-{number}.json"
            with contextlib.suppress(FileExistsError):
                path.touch(exist_ok=False)
                return path
    return None


def is_of_program(path: Path) -> bool:
    """True for one of the program's own files."""
    folder = cache_folder()
    return folder is not None and path.resolve().parent == (folder / "play").resolve()


def unfinished() -> list[Path]:
    """Matches in the program's own files, the newest first."""
    folder = cache_folder()
    if folder is None:
        return []
    found = []
    for path in (folder / "play").glob("match-*.json"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


# --- taking up again ----------------------------------------------------------------


def read_settings(path: str) -> Settings | None:
    """How the match of a file was played; None where the file does not say.

    Raises:
        InvalidOptionError: It cannot be read.
        InvalidNotationError: It is no saved match, or damaged.
    """
    data = saving.read_data(path)
    with saving.damage(f"The file {path!r}"):
        if _SETTINGS not in data:
            return None
        settings = Settings(**saving.mapping(data[_SETTINGS]))
        if not isinstance(settings.agent, str) or not isinstance(settings.hints, str):
            raise ValueError("its agents are no names")
        return settings


def load_table(path: str, players: Sequence[Agent | None]) -> Table:
    """The match or session of a file.

    Raises:
        InvalidOptionError: It cannot be read.
        InvalidNotationError: It is neither, or damaged.
    """
    kind: Any = saving.read_data(path).get("kind")
    if kind == "game":
        raise InvalidNotationError(
            f"The file {path!r} holds a single game; bg-env play goes on with matches "
            f"and sessions."
        )
    made = Session if kind == Session.kind else Match
    return made.load(path, players=players)
