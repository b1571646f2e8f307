"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import json
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bg_env._files import write_whole
from bg_env.errors import InvalidOptionError

__all__ = ["make_folder", "read_weights", "remove_leftovers", "write_whole"]

_UNREADABLE: Final = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    AttributeError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
)


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


def read_weights(
    path: str | Path, kind: str, names: Sequence[str], prefix: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read what was saved of a network: a head, and float32 arrays.

    Args:
        path: An ``.npz`` file.
        kind: The format that its head must name.
        names: Of the arrays.
        prefix: Before each name in the file.

    Returns:
        (the head, the arrays by name).

    Raises:
        InvalidOptionError: No such file, not such a file, or a damaged one.
    """
    try:
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is no .npz file, or a part of one")
            data = np.load(file)
            head = json.loads(str(data["head"]))
            if head.get("format") != kind:
                raise ValueError(f"format {head.get('format')!r}")
            arrays = {
                name: np.ascontiguousarray(data[prefix + name], np.float32)
                for name in names
            }
            return head, arrays
    except FileNotFoundError:
        raise InvalidOptionError(f"There is no weights file {str(path)!r}.") from None
    except _UNREADABLE as error:
        raise InvalidOptionError(
            f"The file {str(path)!r} is no whole weights file of this project "
            f"({kind}): {error or type(error).__name__}."
        ) from None
