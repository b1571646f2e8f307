"""Weights of networks of all kinds: checked, written to files, read from them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents.files import write_whole
from bg_env.errors import InvalidOptionError

_KINDS: Final = {
    "bg_env-net-v2": "a network that rates positions (td:FILE)",
    "bg_env-cube-net-v1": "a network that has learnt the cube (td-cube:FILE)",
    "bg_env-sieve-v1": "a sieve in training",
}
_UNREADABLE: Final = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    AttributeError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
)


def check_weights(
    arrays: Mapping[str, NDArray[np.float32]],
    shapes: Mapping[str, tuple[int, ...]],
    whose: str = "",
) -> None:
    """Refuse arrays that are not float32 of these shapes, or not finite.

    Args:
        arrays: By name.
        shapes: By the same names.
        whose: Said after the name, " of a sieve".

    Raises:
        InvalidOptionError: Names the first.
    """
    for name, shape in shapes.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float32:
            raise InvalidOptionError(
                f"Weights {name}{whose} are float32{list(shape)}, not "
                f"{array.dtype}{list(array.shape)}."
            )
        if not np.isfinite(array).all():
            raise InvalidOptionError(
                f"Weights {name}{whose} have numbers that are not finite."
            )


def write_weights(
    path: str | Path,
    kind: str,
    head: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a network to one ``.npz`` file, whole or not at all.

    Args:
        path: Where.
        kind: The format, which the head names.
        head: What else it holds. JSON-serialisable.
        arrays: By name.

    Raises:
        InvalidOptionError: It cannot be written.
    """
    text = json.dumps({"format": kind, **head})
    named: dict[str, Any] = {"head": np.array(text), **arrays}

    def write(file: BinaryIO) -> None:
        np.savez(file, **named)

    write_whole(path, write)


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
            if "head" not in data:
                raise ValueError("it has no head")
            head = json.loads(str(data["head"]))
            found = head.get("format")
            if found in _KINDS and kind in _KINDS and found != kind:
                raise InvalidOptionError(
                    f"The file {str(path)!r} holds {_KINDS[found]}, not {_KINDS[kind]}."
                )
            if found != kind:
                raise ValueError(f"format {found!r}")
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
