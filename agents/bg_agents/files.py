"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from bg_env.errors import InvalidOptionError


def write_whole(path: str | Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in its place.

    Whatever happens on the way, `path` is the old file or the new one, never a part.

    Raises:
        InvalidOptionError: It cannot be written (no such folder, no right, disk full).
    """
    place = Path(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=f".{place.name}.", suffix=".tmp", dir=place.parent
        )
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, place)
    except OSError as error:
        raise InvalidOptionError(
            f"The file {str(place)!r} cannot be written: {error.strerror or error}."
        ) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def remove_leftovers(folder: Path) -> None:
    """Delete the temporary files that a killed writer has left in a folder."""
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            path.unlink()


def make_folder(path: str | Path) -> Path:
    """Make a folder for output, or check that the one there can be written to.

    Raises:
        InvalidOptionError: It cannot.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InvalidOptionError(
            f"The folder {str(folder)!r} cannot be written to: "
            f"{error.strerror or error}."
        ) from None
    return folder
