"""`Net`: the weights of a network, made, saved, loaded and asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._choose import choose_all
from bg_agents._inputs import EXPERT, RAW
from bg_agents._net import (
    OUTPUTS,
    Scratch,
    Weights,
    rate_all,
    rating_scratch,
)
from bg_agents._rolls import rate_all_rolls
from bg_agents._sieve import Sieve
from bg_agents.sieves import MOST_KEPT, SieveNet, check_most
from bg_agents.sieves import NAMES as SIEVE_NAMES
from bg_agents.weights import check_weights, read_weights, write_weights
from bg_env.errors import InvalidOptionError
from bg_env.rules.movegen import PlayBuffers

FORMAT: Final = "bg_env-net-v2"
SHIPPED: Final = ("td", "td-small", "td-strong")  # networks that come along
MOST_HIDDEN: Final = 4096
MOST_CLASSES: Final = 3

_SIEVE: Final = "sieve_"
_NAMES: Final = ("w1", "b1", "w2", "b2")
_NO_SIEVE: Final = SieveNet.random(1, 0)  # kernels want one, even if they keep all
# Chances of the five outcomes in a game about which nothing is known, as log odds.
_FIRST_BIAS: Final = (0.0, -1.0, -4.0, -1.0, -4.0)


@dataclass(frozen=True, eq=False)
class Net:
    """One hidden layer of sigmoid units and five sigmoid outputs, for each class.

    With C = 1 one network rates every position, with 2 the first rates races, with 3
    the last rates contact with three or more checkers back (`bg_agents._inputs`).

    Attributes:
        w1: float32[C, I, H], a row for each input: the 208 of
            `bg_agents._inputs.unit_of`, or 344 with the hand-made features.
        b1: float32[C, H].
        w2: float32[C, 5, H]: win, win gammon, win backgammon, lose gammon, lose
            backgammon, of the player who has just moved.
        b2: float32[C, 5].
        notes: How it came about: games, seed, recipe. JSON-serialisable.
        sieve: What rules out plays before the network looks at them, or None. Not
            asked when positions are rated.
        keep: Plays that the sieve rates lower than its best by more are ruled out;
            0 = none are.
        most: How many plays the sieve leaves at most.

    Raises:
        InvalidOptionError: Arrays of other shapes, or numbers that are not finite.
    """

    w1: NDArray[np.float32]
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]
    b2: NDArray[np.float32]
    notes: Mapping[str, Any] = field(default_factory=dict)
    sieve: SieveNet | None = None
    keep: float = 0.0
    most: int = MOST_KEPT

    def __post_init__(self) -> None:
        hidden, inputs = self.hidden, self.inputs
        classes = self.classes
        if classes > 1 and inputs == RAW:
            raise InvalidOptionError(
                f"A network of {classes} classes needs the hand-made features "
                f"({EXPERT} inputs, not {RAW})."
            )
        check_most(self.most)
        shapes = {
            "w1": (classes, inputs, hidden),
            "b1": (classes, hidden),
            "w2": (classes, OUTPUTS, hidden),
            "b2": (classes, OUTPUTS),
        }
        check_weights(self.named(), shapes)

    @classmethod
    def random(
        cls, hidden: int, seed: int, *, expert: bool = False, classes: int = 1
    ) -> Net:
        """Small random weights; the classes begin alike.

        Args:
            hidden: Hidden units of each network.
            seed: Fixes the weights.
            expert: Whether it sees the hand-made features.
            classes: How many networks, 1 to 3; 2 and 3 need the features.

        Raises:
            InvalidOptionError: A number of hidden units that cannot be.
        """
        check_hidden(hidden)
        rng = np.random.default_rng(seed)
        inputs = EXPERT if expert else RAW
        w1 = rng.normal(0.0, 0.1, (inputs, hidden)).astype(np.float32)
        w2 = rng.normal(0.0, 0.1, (OUTPUTS, hidden)).astype(np.float32)
        return cls(
            np.repeat(w1[None], classes, axis=0),
            np.zeros((classes, hidden), np.float32),
            np.repeat(w2[None], classes, axis=0),
            np.tile(np.array(_FIRST_BIAS, np.float32), (classes, 1)),
        )

    @classmethod
    def merged(cls, nets: Sequence[Net]) -> Net:
        """One network that says what all say in the mean (of the log odds).

        It has the hidden units of all side by side, so that it can learn on as one,
        and the sieve of the first.

        Raises:
            InvalidOptionError: No networks, or of different inputs or classes.
        """
        kinds = {(net.inputs, net.classes) for net in nets}
        if len(kinds) != 1:
            raise InvalidOptionError(
                f"Networks to merge have the same inputs and classes, not "
                f"{sorted(kinds)} (inputs, classes)."
            )
        share, first = np.float32(1 / len(nets)), nets[0]
        return cls(
            np.concatenate([net.w1 for net in nets], axis=2),
            np.concatenate([net.b1 for net in nets], axis=1),
            np.concatenate([net.w2 for net in nets], axis=2) * share,
            np.sum([net.b2 for net in nets], axis=0) * share,
            sieve=first.sieve,
            keep=first.keep,
            most=first.most,
        )

    @property
    def hidden(self) -> int:
        """How many hidden units each network has."""
        return int(self.b1.shape[-1])

    @property
    def classes(self) -> int:
        """How many networks there are."""
        return min(int(self.b1.shape[0]), MOST_CLASSES) if self.b1.ndim == 2 else 1

    @property
    def inputs(self) -> int:
        """How many inputs: 208, or 344 with the hand-made features."""
        return EXPERT if self.w1.ndim == 3 and self.w1.shape[1] != RAW else RAW

    @property
    def weights(self) -> Weights:
        """The four arrays as the kernels take them."""
        return self.w1, self.b1, self.w2, self.b2

    def named(self) -> dict[str, NDArray[np.float32]]:
        """The four arrays by their names."""
        return dict(zip(_NAMES, self.weights, strict=True))

    def scratch(self) -> Scratch:
        """New scratch memory for the kernels."""
        return rating_scratch(self.classes, self.hidden)

    def copy(self, notes: Mapping[str, Any] | None = None) -> Net:
        """The same weights in new memory, perhaps with other notes."""
        w1, b1, w2, b2 = (array.copy() for array in self.weights)
        kept = dict(self.notes if notes is None else notes)
        return Net(w1, b1, w2, b2, kept, self.sieve, self.keep, self.most)

    def sieve_scratch(self) -> tuple[Sieve, float]:
        """The sieve with new memory, and what it keeps, as the kernels take them."""
        sieve = self.sieve or _NO_SIEVE
        return sieve.sieve(self.most), self.keep if self.sieve else 0.0

    def choose(
        self, boards: NDArray[np.int8], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The play of highest equity of each game: int64[B] indices into `boards`.

        Args:
            boards: int8[P, 2, 32] after each play, C-contiguous. Not checked.
            offsets: int64[B + 1]; plays of game i are offsets[i] .. offsets[i + 1] − 1.
        """
        chosen = np.empty(len(offsets) - 1, np.int64)
        sieve, keep = self.sieve_scratch()
        words = boards.view(np.uint64)
        choose_all(
            boards, words, offsets, self.weights, self.scratch(), sieve, keep, chosen
        )
        return chosen

    def rate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player who has just moved: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 has just moved. Not checked.
        """
        boards = np.ascontiguousarray(boards)
        rows = np.empty((len(boards), OUTPUTS), np.float32)
        out = np.empty(OUTPUTS, np.float32)
        rate_all(
            boards, boards.view(np.uint64), self.weights, self.scratch(), out, rows
        )
        return rows

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[P, 5].

        Args:
            boards: int8[P, 2, 32], row 0 on roll. Not checked.
        """
        rated = self.rate(boards[:, ::-1])
        seen = rated[:, [0, 3, 4, 1, 2]]
        seen[:, 0] = 1.0 - seen[:, 0]
        for first, most in ((1, seen[:, 0]), (3, 1.0 - seen[:, 0])):
            # the outputs are independent; the chances of outcomes are nested
            np.minimum(seen[:, first], most, out=seen[:, first])
            np.minimum(seen[:, first + 1], seen[:, first], out=seen[:, first + 1])
        return seen

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth, as `bg_env.search.rolls` says.

        Args:
            boards: int8[B, 2, 32], row 0 on roll. Not checked.

        Returns:
            float32[B, 21, 5] for the player on roll.
        """
        return self.roll_results(boards)[0]

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each roll is worth and leads to, as `bg_env.search.rolls` says.

        Args:
            boards: int8[B, 2, 32], row 0 on roll. Not checked.

        Returns:
            (float32[B, 21, 5] for the player on roll, int8[B, 21, 2, 32] after the
            best plays, row 0 having moved).
        """
        boards = np.ascontiguousarray(boards)
        number = 21 * len(boards)
        rows = np.empty((number, OUTPUTS), np.float32)
        results = np.empty((number, 2, 4), np.uint64)
        plays = PlayBuffers()
        sieve, keep = self.sieve_scratch()
        rate_all_rolls(
            boards,
            boards.view(np.uint64),
            self.weights,
            self.scratch(),
            sieve,
            keep,
            plays.arrays,
            plays.scratch,
            np.empty(OUTPUTS, np.float32),
            rows,
            results,
            np.empty(number, np.uint64),
        )
        shape = (len(boards), 21)
        after = results.view(np.int8).reshape(*shape, 2, 32)
        return rows.reshape(*shape, OUTPUTS), after

    # --- files --------------------------------------------------------------------

    def save(self, path: str | Path, **others: NDArray[Any]) -> None:
        """Write to one ``.npz`` file, whole or not at all.

        Args:
            path: Where.
            **others: Arrays to keep in the same file, under names of their own.

        Raises:
            InvalidOptionError: It cannot be written.
        """
        keep = self.keep if self.sieve else 0.0
        head = {"notes": dict(self.notes), "keep": keep, "most": self.most}
        arrays: dict[str, NDArray[Any]] = {**self.named(), **others}
        if self.sieve is not None:
            named = self.sieve.named()
            arrays |= {f"{_SIEVE}{name}": array for name, array in named.items()}
        write_weights(path, FORMAT, head, arrays)

    @classmethod
    def load(cls, path: str | Path, prefix: str = "") -> Net:
        """Read what `save` wrote.

        Args:
            path: The file.
            prefix: Of the names of the arrays, for another network in the same file.

        Raises:
            InvalidOptionError: No such file, not such a file, or a damaged one.
        """
        head, arrays = read_weights(path, FORMAT, _NAMES, prefix)
        notes, keep = head.get("notes", {}), head.get("keep", 0.0)
        if prefix or not keep:
            return cls(**arrays, notes=notes)
        _, found = read_weights(path, FORMAT, SIEVE_NAMES, _SIEVE)
        return cls(
            **arrays,
            notes=notes,
            sieve=SieveNet(**found),
            keep=keep,
            most=head.get("most", MOST_KEPT),
        )

    @classmethod
    def found(cls, start: str | Path) -> Net:
        """Read a file, or the network that comes with the package under this name.

        Raises:
            InvalidOptionError: Neither, or a damaged file.
        """
        name = str(start)
        if name in SHIPPED and not Path(name).exists():
            return cls.shipped(name)
        return cls.load(start)

    @classmethod
    def shipped(cls, name: str) -> Net:
        """The network that comes with the package under this name."""
        return cls.load(str(files("bg_agents").joinpath("data", f"{name}.npz")))


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
