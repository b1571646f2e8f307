"""`Encoder`: a named, versioned way to write states as arrays, and its registry."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bg_env.encoding._layouts import RAW, TESAURO, Part
from bg_env.encoding._raw import encode_raw
from bg_env.encoding._tesauro import encode_tesauro
from bg_env.errors import InvalidOptionError, UnknownNameError

Kernel = Callable[[NDArray[Any], NDArray[np.int8], NDArray[Any]], object]

_TO_ACT: Final = np.empty(0, np.int8)  # for a kernel: each game's player to act


@dataclass(frozen=True, eq=False)
class Encoder:
    """How a state becomes an observation, seen by one of the players. Frozen.

    Attributes:
        name: What `make_encoder` finds it by.
        version: Changes with any change of the numbers.
        low: ``dtype[size]``: the lowest value of each entry, finite.
        high: ``dtype[size]``: the highest value of each entry, finite.
        layout: The index table: (start, stop, meaning) of neighbouring entries, in
            order and without gaps.
        kernel: ``kernel(states, viewers, out)`` writes the rows of a batch,
            ``out[B, size]``; a viewer below 0, or an empty array of them, means the
            player to act.
        shape: The shape of one observation; the same numbers as a flat row, last
            index fastest. ``(size,)`` if left out.

    Raises:
        InvalidOptionError: Bounds or a layout that do not fit together.
    """

    name: str
    version: int
    low: NDArray[Any]
    high: NDArray[Any]
    layout: tuple[tuple[int, int, str], ...]
    kernel: Kernel
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for bounds in (self.low, self.high):
            bounds.setflags(write=False)
        _check_bounds(self)
        _check_layout(self)
        object.__setattr__(self, "shape", tuple(self.shape) or (self.size,))
        if math.prod(self.shape) != self.size:
            raise InvalidOptionError(
                f"Encoder {self.name!r} has {self.size} numbers, which do not make "
                f"shape {self.shape!r}."
            )

    @classmethod
    def from_parts(
        cls,
        name: str,
        version: int,
        dtype: DTypeLike,
        parts: Sequence[Part],
        kernel: Kernel,
        shape: tuple[int, ...] = (),
    ) -> Encoder:
        """Build from a table of parts with their bounds."""
        return cls(
            name=name,
            version=version,
            low=_bounds_of([(part, part.low) for part in parts], dtype),
            high=_bounds_of([(part, part.high) for part in parts], dtype),
            layout=tuple((part.start, part.stop, part.meaning) for part in parts),
            kernel=kernel,
            shape=shape,
        )

    def __reduce__(self) -> Any:
        """Pickle a registered encoder by its id, not its kernel."""
        if _REGISTRY.get(self.id) is self:
            return make_encoder, (self.id,)
        return super().__reduce__()

    @property
    def id(self) -> str:
        """Name and version, such as ``"tesauro-v1"``."""
        return f"{self.name}-v{self.version}"

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return int(self.low.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of which kind these numbers are."""
        return self.low.dtype

    def encode(
        self, states: NDArray[Any], out: NDArray[Any], viewer: ArrayLike | None = None
    ) -> None:
        """Write the observations of a batch of games. Does not check the states.

        Args:
            states: ``STATE_DTYPE[B]``.
            out: ``dtype[B, size]`` or ``dtype[B, *shape]``, C-contiguous, written in
                place.
            viewer: ``int8[B]``, the player whose view it is, for each game; None =
                who is to act, as is a number below 0.

        Raises:
            InvalidOptionError: An `out` or `viewer` of another shape or dtype.
        """
        games = len(states)
        good = out.shape in ((games, self.size), (games, *self.shape))
        if not good or out.dtype != self.dtype or not out.flags.c_contiguous:
            raise InvalidOptionError(
                f"Encoder {self.name!r} writes {games} games to a C-contiguous "
                f"{self.dtype.name}{[games, *self.shape]}, not to "
                f"{out.dtype.name}{list(out.shape)}."
            )
        viewers = _TO_ACT if viewer is None else _viewers_of(viewer, games)
        self.kernel(states, viewers, out.reshape(games, self.size))

    def observe(
        self, states: NDArray[Any], viewer: ArrayLike | None = None
    ) -> NDArray[Any]:
        """As `encode`, into a new array ``dtype[B, *shape]``."""
        out = np.empty((len(states), *self.shape), self.dtype)
        self.encode(states, out, viewer)
        return out

    def table(self) -> str:
        """The index table as text (Markdown): index, meaning, lowest, highest.

        The index is the first one, of planes, where an observation has more than one.
        """
        plane = math.prod(self.shape[1:])
        unit = "index" if len(self.shape) == 1 else "plane"
        lines = [f"| {unit} | meaning | low | high |", "| --- | --- | --- | --- |"]
        for start, stop, meaning in self.layout:
            first, last = start // plane, (stop - 1) // plane
            index = f"{first}" if last == first else f"{first}–{last}"
            low = f"{self.low[start:stop].min():g}"
            high = f"{self.high[start:stop].max():g}"
            lines.append(f"| {index} | {meaning} | {low} | {high} |")
        return "\n".join(lines) + "\n"


def _viewers_of(viewer: ArrayLike, games: int) -> NDArray[np.int8]:
    viewers = np.asarray(viewer)
    whole = viewers.shape == (games,) and np.issubdtype(viewers.dtype, np.integer)
    if not whole or (viewers > 1).any():
        raise InvalidOptionError(
            f"viewer holds 0, 1 or −1 (the player to act) for each of {games} games, "
            f"not {viewer!r}."
        )
    return np.ascontiguousarray(viewers, np.int8)


def _bounds_of(
    bounds: Sequence[tuple[Part, tuple[float, ...]]], dtype: DTypeLike
) -> NDArray[Any]:
    return np.concatenate(
        [np.resize(values, part.stop - part.start) for part, values in bounds]
    ).astype(dtype)


def _check_bounds(encoder: Encoder) -> None:
    low, high = encoder.low, encoder.high
    fits = low.ndim == 1 and low.shape == high.shape and low.dtype == high.dtype
    if not fits or not np.isfinite(low).all() or not np.isfinite(high).all():
        raise InvalidOptionError(
            f"Encoder {encoder.name!r} needs finite bounds of one shape and dtype, "
            f"not low {low.dtype.name}{list(low.shape)} and high "
            f"{high.dtype.name}{list(high.shape)}."
        )


def _check_layout(encoder: Encoder) -> None:
    end = 0
    for start, stop, _ in encoder.layout:
        if start != end or stop <= start:
            raise InvalidOptionError(
                f"Layout of encoder {encoder.name!r}: a part {start}–{stop} follows "
                f"index {end}; parts lie one after the other."
            )
        end = stop
    if end != encoder.size:
        raise InvalidOptionError(
            f"Layout of encoder {encoder.name!r} ends at {end!r}; "
            f"its size is {encoder.size}."
        )


_REGISTRY: Final[dict[str, Encoder]] = {}  # by id

# Shipped encoders that are registered when they are first asked for.
_LATER: Final = {
    name: "bg_env.encoding._wide_encoders" for name in ("expert", "planes")
}


def register_encoder(encoder: Encoder) -> Encoder:
    """Make an encoder known to `make_encoder`, and return it.

    Raises:
        InvalidOptionError: Its name and version are taken by another.
    """
    _load(encoder.name)
    if _REGISTRY.setdefault(encoder.id, encoder) is not encoder:
        raise InvalidOptionError(
            f"An encoder {encoder.id!r} is registered already; give this one another "
            f"name or version."
        )
    return encoder


def _load(name: str) -> None:
    """Register a shipped encoder of this name, if there is one that is not yet."""
    if name in _LATER:
        importlib.import_module(_LATER[name])


def make_encoder(name: str) -> Encoder:
    """The encoder of a name: the newest version, or the one of an id like "raw-v1".

    Raises:
        UnknownNameError: Nobody has registered it.

    >>> make_encoder("tesauro").id
    'tesauro-v1'
    """
    _load(str(name).partition("-v")[0])
    if name in _REGISTRY:
        return _REGISTRY[name]
    versions = [encoder for encoder in _REGISTRY.values() if encoder.name == name]
    if not versions:
        raise UnknownNameError.of("encoder", name, encoder_names())
    return max(versions, key=lambda encoder: encoder.version)


def encoder_names() -> tuple[str, ...]:
    """The names of all registered encoders, sorted."""
    return tuple(sorted({encoder.name for encoder in _REGISTRY.values()} | set(_LATER)))


register_encoder(Encoder.from_parts("tesauro", 1, np.float32, TESAURO, encode_tesauro))
register_encoder(Encoder.from_parts("raw", 1, np.int8, RAW, encode_raw))
