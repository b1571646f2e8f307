"""The terminal of ``bg-env play``: lines in, text out; or two pipes."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Protocol


class Screen(Protocol):
    """Where a match is played: anything that shows text and gives lines."""

    unicode: bool
    """Boards are drawn with lines and discs."""
    color: bool
    """Checkers are coloured with terminal codes."""

    def read_line(self, prompt: str) -> str:
        """The next line of the person, without its newline.

        Raises:
            EOFError: There are no more.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        ...

    def write(self, text: str) -> None:
        """Show some lines."""
        ...


class Terminal:
    """stdin and stdout, be they a terminal or not.

    Colour needs a terminal that has it and no ``NO_COLOR``; lines and discs need UTF-8.
    Lines that come from a file or pipe are repeated, so that the output is a whole
    record of the talk.
    """

    def __init__(self) -> None:
        from bg_env.cli._output import look

        self.unicode, self.color = look()
        self._is_typed = sys.stdin is not None and sys.stdin.isatty()
        if isinstance(sys.stdin, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):
                sys.stdin.reconfigure(errors="replace")
        if self._is_typed and os.environ.get("TERM", "dumb") != "dumb":
            with contextlib.suppress(ImportError):  # there is none on Windows
                import readline  # noqa: F401  # input() edits lines with it

    def read_line(self, prompt: str) -> str:
        """The next line, without its newline.

        Raises:
            EOFError: There are no more, or the terminal has gone.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if sys.stdin is None:
            raise EOFError
        try:
            return input(prompt) if self._is_typed else self._read_piped(prompt)
        except (OSError, ValueError):  # the terminal was closed
            raise EOFError from None

    def _read_piped(self, prompt: str) -> str:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        print(line.rstrip("\n"), flush=True)
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def write(self, text: str) -> None:
        """Show some lines at once."""
        if sys.stdout is not None:
            print(text, flush=True)
