"""`SieveNet`: the weights of a sieve, made, saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._inputs import RAW
from bg_agents._sieve import COUNTS, ROWS, Sieve, SieveWeights, new_sieve, write_table
from bg_agents.weights import check_weights, read_weights, write_weights
from bg_env.errors import InvalidOptionError
from bg_env.rules.movegen import MOST_PLAYS

FORMAT: Final = "bg_env-sieve-v1"
MOST_UNITS: Final = 256
MOST_KEPT: Final = 10  # plays of a roll, unless said otherwise
NAMES: Final = ("w1", "b1", "w2")


@dataclass(frozen=True, eq=False)
class SieveNet:
    """A quick ranker of plays: which of them a network need not look at.

    Attributes:
        w1: float32[208, H], a row for each input of `bg_agents._inputs.unit_of`.
        b1: float32[H].
        w2: float32[H]: the worth of a play by its hidden units, which are rectified.
        notes: How it came about. JSON-serialisable.

    Raises:
        InvalidOptionError: Arrays of other shapes, or numbers that are not finite.
    """

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        hidden = self.hidden
        shapes = {"w1": (RAW, hidden), "b1": (hidden,), "w2": (hidden,)}
        check_weights(self.named(), shapes, " of a sieve")

    @classmethod
    def random(cls, hidden: int, seed: int) -> SieveNet:
        """Small random weights.

        Args:
            hidden: Hidden units.
            seed: Fixes the weights.

        Raises:
            InvalidOptionError: A number of hidden units that cannot be.
        """
        check_units(hidden)
        rng = np.random.default_rng(seed)
        return cls(
            rng.normal(0.0, 0.1, (RAW, hidden)).astype(np.float32),
            rng.normal(0.0, 0.1, hidden).astype(np.float32),
            rng.normal(0.0, hidden**-0.5, hidden).astype(np.float32),
        )

    @property
    def hidden(self) -> int:
        """How many hidden units there are."""
        return int(self.b1.shape[0]) if self.b1.ndim == 1 else 1

    @property
    def weights(self) -> tuple[NDArray[np.float32], ...]:
        """The three arrays."""
        return self.w1, self.b1, self.w2

    def named(self) -> dict[str, NDArray[np.float32]]:
        """The three arrays by their names."""
        return dict(zip(NAMES, self.weights, strict=True))

    @cached_property
    def looked_up(self) -> SieveWeights:
        """The weights as the kernels take them, made at the first use and kept."""
        table = np.zeros((ROWS, COUNTS, self.hidden), np.float32)
        write_table(self.w1, table)
        return table, self.b1, self.w2

    def sieve(self, most: int) -> Sieve:
        """The weights as they are at the first use, with new memory, for the kernels.

        Args:
            most: How many plays of a roll are kept at most.
        """
        return new_sieve(self.looked_up, most)

    def copy(self, notes: Mapping[str, Any] | None = None) -> SieveNet:
        """The same weights in new memory, perhaps with other notes."""
        w1, b1, w2 = (array.copy() for array in self.weights)
        return SieveNet(w1, b1, w2, dict(self.notes if notes is None else notes))

    def save(self, path: str | Path, **others: NDArray[Any]) -> None:
        """Write to one ``.npz`` file, whole or not at all.

        Args:
            path: Where.
            **others: Arrays to keep in the same file, under names of their own.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        arrays: dict[str, NDArray[Any]] = {**self.named(), **others}
        write_weights(path, FORMAT, {"notes": dict(self.notes)}, arrays)

    @classmethod
    def load(cls, path: str | Path, prefix: str = "") -> SieveNet:
        """Read what `save` wrote.

        Args:
            path: The file.
            prefix: Of the names of the arrays, for another sieve in the same file.

        Raises:
            InvalidOptionError: No such file, not such a file, or a damaged one.
        """
        head, arrays = read_weights(path, FORMAT, NAMES, prefix)
        return cls(**arrays, notes=head.get("notes", {}))


def check_units(hidden: Any) -> None:
    """Refuse numbers of hidden units that cannot be.

    Raises:
        InvalidOptionError: Not a whole number of 1 to 256.
    """
    good = isinstance(hidden, int) and not isinstance(hidden, bool)
    if not good or not 1 <= hidden <= MOST_UNITS:
        raise InvalidOptionError(
            f"A sieve has 1 to {MOST_UNITS} hidden units, not {hidden!r}."
        )


def check_most(most: Any) -> None:
    """Refuse numbers of plays to keep that cannot be.

    Raises:
        InvalidOptionError: Not a whole number of 1 to 4096.
    """
    good = isinstance(most, int) and not isinstance(most, bool)
    if not good or not 1 <= most <= MOST_PLAYS:
        raise InvalidOptionError(
            f"A sieve keeps 1 to {MOST_PLAYS} plays at most, not {most!r}."
        )
