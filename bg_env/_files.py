"""Files that are either whole or not there, and tables kept between programs."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError

CACHE_VARIABLE: Final = "BG_ENV_CACHE"

Arrays = dict[str, NDArray[Any]]
Layout = Mapping[str, tuple[tuple[int, ...], str]]
"""What a stored table must hold: {name: (shape, dtype)}."""

_PATIENCE: Final = 120.0  # seconds; whoever builds for longer is not waited for
_DAMAGED: Final = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    TypeError,
    MemoryError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


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


def cache_folder() -> Path | None:
    """Where tables are kept for this user; None where no folder is known.

    ``BG_ENV_CACHE``, else ``bg_env`` in ``XDG_CACHE_HOME``, else in the system's own
    place for caches: ``~/.cache``, ``~/Library/Caches`` or ``%LOCALAPPDATA%``.
    """
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return Path(own)
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "bg_env"
    try:
        return _system_caches() / "bg_env"
    except RuntimeError:  # no home
        return None


def _system_caches() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def kept_arrays(name: str, layout: Layout, build: Callable[[], Arrays]) -> Arrays:
    """Arrays from the cache folder, or new ones, which are then kept there.

    A file that is damaged or has another layout is built anew. Of several programs that
    want the same file one builds it and the others wait. Where nothing can be kept the
    arrays are built for this program alone.

    Args:
        name: Of the file, without ``.npz``; it says the version of its numbers.
        layout: What it must hold.
        build: Makes the arrays, with this layout.
    """
    folder = cache_folder()
    if folder is None:
        return build()
    path = folder / f"{name}.npz"
    arrays = _read_arrays(path, layout)
    if arrays is not None:
        return arrays
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, NotImplementedError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(str(folder / f"{name}.lock"), timeout=_PATIENCE)
            stack.enter_context(lock)
            arrays = _read_arrays(path, layout)  # another one may have built them
        if arrays is None:
            arrays = build()
            _keep_arrays(path, arrays)
    return arrays


def _read_arrays(path: Path, layout: Layout) -> Arrays | None:
    """The arrays of a file if they are whole and as they must be.

    The file is a zip archive: reading a part of it compares its checksum.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in layout}
    except _DAMAGED:
        return None
    for name, (shape, dtype) in layout.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.dtype(dtype):
            return None
    return arrays


def _keep_arrays(path: Path, arrays: Arrays) -> None:
    with contextlib.suppress(InvalidOptionError):
        write_whole(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]
