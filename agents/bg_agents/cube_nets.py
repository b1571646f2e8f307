"""`CubeNet`: a network that has learnt what positions are worth with the cube."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._cube_net import (
    MIRRORED,
    CubeScratch,
    CubeWeights,
    cube_scratch,
    rate_all_places,
)
from bg_agents._net import OUTPUTS
from bg_agents.nets import Net
from bg_agents.weights import check_weights, read_weights, write_weights
from bg_env.search.learnt_cube import PLACES

FORMAT: Final = "bg_env-cube-net-v1"

_NAMES: Final = ("w1", "b1", "w2", "b2", "to_hidden", "to_outputs")


@dataclass(frozen=True, eq=False)
class CubeNet:
    """A network whose units also see where the cube lies.

    Attributes:
        net: The network; its five outputs are chances as the cube makes them.
        to_hidden: float32[C, 4, H]: what each place of the cube adds to the hidden
            units. The places are: in the middle; with the player who has just moved;
            with the other; in the middle by the Jacoby rule.
        to_outputs: float32[C, 4, 5]: what it adds to the outputs.
        notes: How it came about. JSON-serialisable.

    Raises:
        InvalidOptionError: Arrays of other shapes, or numbers that are not finite.
    """

    net: Net
    to_hidden: NDArray[np.float32]
    to_outputs: NDArray[np.float32]
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shapes = {
            "to_hidden": (self.net.classes, PLACES, self.net.hidden),
            "to_outputs": (self.net.classes, PLACES, OUTPUTS),
        }
        check_weights(self.named(), shapes)

    @classmethod
    def of(cls, net: Net) -> CubeNet:
        """One that has not learnt the cube yet: what a network says without it."""
        w1, b1, w2, b2 = (array.copy() for array in net.weights)
        return cls(
            Net(w1, b1, w2, b2),
            np.zeros((net.classes, PLACES, net.hidden), np.float32),
            np.zeros((net.classes, PLACES, OUTPUTS), np.float32),
        )

    @property
    def hidden(self) -> int:
        """How many hidden units there are."""
        return self.net.hidden

    @property
    def weights(self) -> CubeWeights:
        """The six arrays as the kernels take them."""
        return *self.net.weights, self.to_hidden, self.to_outputs

    def named(self) -> dict[str, NDArray[np.float32]]:
        """The six arrays by their names."""
        return dict(zip(_NAMES, self.weights, strict=True))

    def scratch(self) -> CubeScratch:
        """New scratch memory for the kernels."""
        return cube_scratch(self.net.classes, self.net.hidden)

    def copy(self, notes: Mapping[str, Any] | None = None) -> CubeNet:
        """The same weights in new memory, perhaps with other notes."""
        w1, b1, w2, b2, to_hidden, to_outputs = (a.copy() for a in self.weights)
        kept = dict(self.notes if notes is None else notes)
        return CubeNet(Net(w1, b1, w2, b2), to_hidden, to_outputs, kept)

    def rate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What positions are worth if the player on roll does not double now.

        Args:
            boards: int8[P, 2, 32], row 0 has just moved. Not checked.

        Returns:
            float32[P, 4], points of row 0 for a cube of 1, by place of the cube.
        """
        boards = np.ascontiguousarray(boards)
        rows = np.empty((len(boards), PLACES), np.float32)
        rate_all_places(
            boards, boards.view(np.uint64), self.weights, self.scratch(), rows
        )
        return rows

    def cube_equities(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The same for the player on roll, before his roll: float32[P, 4].

        By place of the cube: in the middle, his own, the other's, in the middle by the
        Jacoby rule.

        Args:
            boards: int8[P, 2, 32], row 0 on roll. Not checked.
        """
        equities: NDArray[np.float32] = -self.rate(boards[:, ::-1])[:, MIRRORED]
        return equities

    # --- files --------------------------------------------------------------------

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
    def load(cls, path: str | Path, prefix: str = "") -> CubeNet:
        """Read what `save` wrote.

        Args:
            path: The file.
            prefix: Of the names of the arrays, for another network in the same file.

        Raises:
            InvalidOptionError: No such file, not such a file, or a damaged one.
        """
        head, arrays = read_weights(path, FORMAT, _NAMES, prefix)
        to_hidden, to_outputs = arrays.pop("to_hidden"), arrays.pop("to_outputs")
        return cls(Net(**arrays), to_hidden, to_outputs, head.get("notes", {}))

    @classmethod
    def shipped(cls, name: str) -> CubeNet:
        """The network that comes with the package under this name."""
        return cls.load(str(files("bg_agents").joinpath("data", f"{name}.npz")))
