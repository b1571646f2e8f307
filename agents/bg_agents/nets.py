"""`Net`: the weights of a network, made, saved, loaded and asked."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._net import INPUTS, OUTPUTS, Buffers, Weights, rate_all
from bg_agents.files import write_whole
from bg_env.errors import InvalidOptionError

FORMAT: Final = "bg_env-net-v1"
MOST_HIDDEN: Final = 4096

_NAMES: Final = ("w1", "b1", "w2", "b2")
# Chances of the five outcomes in a game about which nothing is known, as log odds.
_FIRST_BIAS: Final = (0.0, -1.0, -4.0, -1.0, -4.0)


@dataclass(frozen=True, eq=False)
class Net:
    """One hidden layer of sigmoid units on the Tesauro inputs, five sigmoid outputs.

    Attributes:
        w1: float32[208, H], a row for each unit of `bg_agents._net.unit_of`.
        b1: float32[H].
        w2: float32[5, H]: win, win gammon, win backgammon, lose gammon, lose
            backgammon, of the player who has just moved.
        b2: float32[5].
        notes: How it came about: games, seed, recipe. JSON-serialisable.

    Raises:
        InvalidOptionError: Arrays of other shapes, or numbers that are not finite.
    """

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    b2: NDArray[np.float32]
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shapes = {
            "w1": (INPUTS, self.hidden),
            "b1": (self.hidden,),
            "w2": (OUTPUTS, self.hidden),
            "b2": (OUTPUTS,),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != np.float32:
                raise InvalidOptionError(
                    f"Weights {name} are float32{list(shape)}, not "
                    f"{array.dtype}{list(array.shape)}."
                )
            if not np.isfinite(array).all():
                raise InvalidOptionError(
                    f"Weights {name} have numbers that are not finite."
                )

    @classmethod
    def random(cls, hidden: int, seed: int) -> Net:
        """Small random weights.

        Raises:
            InvalidOptionError: A number of hidden units that cannot be.
        """
        check_hidden(hidden)
        rng = np.random.default_rng(seed)
        w1 = rng.normal(0.0, 0.1, (INPUTS, hidden)).astype(np.float32)
        w2 = rng.normal(0.0, 0.1, (OUTPUTS, hidden)).astype(np.float32)
        return cls(
            w1,
            np.zeros(hidden, np.float32),
            w2,
            np.array(_FIRST_BIAS, np.float32),
        )

    @property
    def hidden(self) -> int:
        """How many hidden units."""
        return int(self.b1.shape[0]) if self.b1.ndim == 1 else 0

    @property
    def weights(self) -> Weights:
        """The four arrays as the kernels take them."""
        return self.w1, self.b1, self.w2, self.b2

    def buffers(self) -> Buffers:
        """New scratch memory for the kernels: float32[H] three times."""
        base, total, hidden = np.zeros((3, self.hidden), np.float32)
        return base, total, hidden

    def copy(self, notes: Mapping[str, Any] | None = None) -> Net:
        """The same weights in new memory, perhaps with other notes."""
        w1, b1, w2, b2 = (array.copy() for array in self.weights)
        return Net(w1, b1, w2, b2, dict(self.notes if notes is None else notes))

    def rate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player who has just moved: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 has just moved. Not checked.
        """
        out = np.empty((len(boards), OUTPUTS), np.float32)
        rate_all(np.ascontiguousarray(boards), self.weights, self.buffers(), out)
        return out

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 on roll. Not checked.
        """
        rated = self.rate(np.ascontiguousarray(boards[:, ::-1]))
        seen = rated[:, [0, 3, 4, 1, 2]]
        seen[:, 0] = 1.0 - seen[:, 0]
        for first, most in ((1, seen[:, 0]), (3, 1.0 - seen[:, 0])):
            # the outputs are independent; the chances of outcomes are nested
            np.minimum(seen[:, first], most, out=seen[:, first])
            np.minimum(seen[:, first + 1], seen[:, first], out=seen[:, first + 1])
        return seen

    # --- files --------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write to one ``.npz`` file, whole or not at all.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        head = json.dumps({"format": FORMAT, "notes": dict(self.notes)})
        w1, b1, w2, b2 = self.weights

        def write(file: BinaryIO) -> None:
            np.savez(file, head=np.array(head), w1=w1, b1=b1, w2=w2, b2=b2)

        write_whole(path, write)

    @classmethod
    def load(cls, path: str | Path) -> Net:
        """Read what `save` wrote.

        Raises:
            InvalidOptionError: No such file, not such a file, or a damaged one.
        """
        try:
            with open(path, "rb") as file, np.load(file) as data:
                head = json.loads(str(data["head"]))
                if head.get("format") != FORMAT:
                    raise ValueError(f"format {head.get('format')!r}")
                w1, b1, w2, b2 = (np.ascontiguousarray(data[name]) for name in _NAMES)
        except FileNotFoundError:
            raise InvalidOptionError(
                f"There is no weights file {str(path)!r}."
            ) from None
        except _UNREADABLE as error:
            raise InvalidOptionError(
                f"The file {str(path)!r} is no whole weights file of this project "
                f"({FORMAT}): {error or type(error).__name__}."
            ) from None
        return cls(w1, b1, w2, b2, head.get("notes", {}))

    @classmethod
    def shipped(cls, name: str) -> Net:
        """The network that comes with the package under this name."""
        return cls.load(str(files("bg_agents").joinpath("data", f"{name}.npz")))


_UNREADABLE: Final = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    AttributeError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
)


def check_hidden(hidden: Any) -> None:
    """Refuse numbers of hidden units that cannot be.

    Raises:
        InvalidOptionError: Not a whole number of 1 to 4096.
    """
    good = isinstance(hidden, int) and not isinstance(hidden, bool)
    if not good or not 1 <= hidden <= MOST_HIDDEN:
        raise InvalidOptionError(
            f"A network has 1 to {MOST_HIDDEN} hidden units, not {hidden!r}."
        )
