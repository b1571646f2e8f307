"""Where results go: the terminal, and JSON files that are whole or not there."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from rich.console import Console, RenderableType

from bg_env.errors import InvalidOptionError

STDOUT: Final = "-"


class _Console(Console):
    """A console that leaves a reader that has gone away to `plain_errors`."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def show(renderable: RenderableType, *, stderr: bool = False) -> None:
    """Print on stdout (or stderr), as wide as the terminal, 80 columns without one."""
    _Console(stderr=stderr, highlight=False).print(renderable)


class Look(NamedTuple):
    """How boards are drawn on a stream."""

    unicode: bool
    """With lines and discs: the encoding has them."""
    color: bool
    """With terminal codes: a terminal that has colour, and no ``NO_COLOR``."""


def look(*, stderr: bool = False) -> Look:
    """How boards are drawn on stdout, or on stderr."""
    console = Console(stderr=stderr)
    has_color = console.is_terminal and console.color_system is not None
    return Look(
        unicode=console.encoding.startswith("utf"),
        color=has_color and not console.no_color,
    )


class JsonTarget:
    """Where ``--json`` wants its file; an impossible place is refused at once.

    In a context: a temporary file lies beside the place meant until `write` has put
    it there as a whole. ``-`` is stdout; None writes nothing.

    Raises:
        InvalidOptionError: The file cannot be written.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._temporary: Path | None = None

    @property
    def is_stdout(self) -> bool:
        """True when JSON goes to stdout, so that nothing else may."""
        return self.path == STDOUT

    def __enter__(self) -> JsonTarget:
        if self.path is None:
            return self
        try:
            if not self.is_stdout:
                self._prepare(Path(os.path.realpath(self.path)))
            elif sys.stdout is None:
                raise ValueError("stdout is closed")
        except (OSError, ValueError) as error:
            raise self._refusal(error) from None
        return self

    def _prepare(self, place: Path) -> None:
        if _is_special(place):
            return
        if not self.path or place.is_dir():
            raise IsADirectoryError(0, "it is a folder" if self.path else "no name")
        temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        self._temporary = temporary

    def write(self, values: Mapping[str, Any]) -> None:
        """Write `values` and put the file in its place.

        Raises:
            InvalidOptionError: The file can no longer be written.
        """
        if self.path is None:
            return
        text = json.dumps(values, indent=2, allow_nan=False) + "\n"
        if self.is_stdout:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        try:
            self._put(Path(os.path.realpath(self.path)), text)
        except OSError as error:
            raise self._refusal(error) from None

    def _put(self, place: Path, text: str) -> None:
        if self._temporary is None:
            place.write_text(text, encoding="utf-8")
            return
        with self._temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            self._temporary.chmod(stat.S_IMODE(place.stat().st_mode))
        self._temporary.replace(place)
        self._temporary = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                self._temporary.unlink()

    def _refusal(self, error: OSError | ValueError) -> InvalidOptionError:
        reason = error.strerror if isinstance(error, OSError) else None
        return InvalidOptionError(
            f"The JSON file {self.path!r} cannot be written: {reason or error}."
        )


def _is_special(place: Path) -> bool:
    """True for a device or pipe, which is written to as it is."""
    return place.exists() and not place.is_file() and not place.is_dir()
