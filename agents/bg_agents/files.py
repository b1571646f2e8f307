"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from bg_env._files import write_whole
from bg_env.errors import InvalidOptionError

__all__ = ["make_folder", "remove_leftovers", "write_whole"]


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
