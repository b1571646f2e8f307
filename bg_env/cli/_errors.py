"""How commands end: one line on stderr and an exit status, never a traceback.

======  ==================================================================
status  meaning
======  ==================================================================
0       done; also when the reader of the output has gone away
2       the request cannot be carried out: bad option, name, file …
130     interrupted by Ctrl-C
======  ==================================================================
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import typer

from bg_env.errors import BgEnvError

BAD_REQUEST: Final = 2
INTERRUPTED: Final = 130

_UsageError: Any = typer.BadParameter.__mro__[1]  # click's, or typer's own copy of it


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what is raised on purpose inside into a line and an exit status."""
    try:
        with _plain_warnings():
            yield from _flushed()
    except BgEnvError as error:
        _fail(str(error))
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        _fail(f"{error.format_message()} (--help tells more)")
    except BrokenPipeError:
        _discard_output()
        raise typer.Exit(0) from None
    except OSError as error:
        where = f": {error.filename!r}" if error.filename is not None else ""
        _fail(f"{error.strerror or error}{where}")
    except KeyboardInterrupt:
        tell("interrupted")
        raise typer.Exit(INTERRUPTED) from None


def _flushed() -> Iterator[None]:
    """Write out what is buffered while a broken pipe can still be caught."""
    try:
        yield
    except typer.Exit:
        _flush()
        raise
    _flush()


def _flush() -> None:
    if sys.stdout is not None:  # it is None under `bg-env … >&-`
        sys.stdout.flush()


def tell(message: str) -> None:
    """Write one line on stderr; a stderr that is gone is no error."""
    line = " ".join(message.split())
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"bg-env: {line}", file=sys.stderr, flush=True)


def _fail(message: str) -> NoReturn:
    tell(message)
    raise typer.Exit(BAD_REQUEST) from None


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show a UserWarning (a match of even length, say) as one line too."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        tell(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _discard_output() -> None:
    """Let what is still buffered go nowhere, or Python complains at its exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
