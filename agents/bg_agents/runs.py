"""`Run`: a training in a folder of its own that survives interruption."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from bg_agents.files import make_folder, remove_leftovers, write_whole
from bg_agents.nets import Net
from bg_agents.recipes import BufferedRecipe, Recipe, SieveRecipe
from bg_agents.td_agent import TdAgent
from bg_env.agent import Agent
from bg_env.errors import InvalidOptionError
from bg_env.evaluation import evaluate
from bg_env.rules.options import Rules

CHECKPOINT: Final = "checkpoint.npz"
NET: Final = "net.npz"
CURVE: Final = "curve.jsonl"

_POINTS: Final = 12  # how often the curve is measured
_CURVE_GAMES: Final = 1000
CURVE_SEED: Final = 9_000_001
_CHECKPOINT_SECONDS: Final = 20.0

Report = Callable[[Any], None]


class Run(ABC):
    """A network learning in a folder of its own.

    Attributes:
        recipe: How it is trained.
        folder: Where checkpoint, network and curve lie.
        net: The network; its arrays change in place.
        mean: The running mean of its weights, which is the result.
        games_done: Games learnt from.
        seconds_done: Seconds spent on them, measuring not counted.
        error: Mean squared error of the winning chance, of the last games.
        curve: Points {"games", "seconds", "error", "pubeval", "standard_error"}.
    """

    recipe_type: ClassVar[type[Any]]
    net_type: ClassVar[type[Any]] = Net
    plays_as: ClassVar[str] = "td"  # the agent that plays a checkpoint, if any does
    drawn: ClassVar[str] = "pubeval"  # what of the points of the curve is drawn
    drawn_as: ClassVar[str] = "points per game against pubeval"
    recipe: Any

    def __init__(
        self, recipe: Recipe | BufferedRecipe | SieveRecipe, folder: str | Path
    ) -> None:
        """Begin a new training.

        Raises:
            InvalidOptionError: The folder cannot be written to, or has a training.
        """
        self.recipe = recipe
        if (Path(folder) / CHECKPOINT).exists():
            raise InvalidOptionError(
                f"The folder {str(folder)!r} has a training already; continue it with "
                f"--resume or name another folder."
            )
        self.net = self._first_net()
        self.folder = make_folder(folder)
        self.mean = self.net.copy()
        self.games_done = 0
        self.seconds_done = 0.0
        self.error = 0.0
        self.curve: list[dict[str, float]] = []
        self._set_up()

    @classmethod
    def resume(cls, folder: str | Path, **changes: Any) -> Self:
        """Continue the training of a folder from its checkpoint.

        Args:
            folder: Where it lies.
            **changes: `seconds` or `games`, to train for longer than planned.

        Raises:
            InvalidOptionError: There is no whole checkpoint.
        """
        place = Path(folder)
        if not (place / CHECKPOINT).exists():
            raise InvalidOptionError(
                f"The folder {str(folder)!r} has no training to go on with."
            )
        remove_leftovers(make_folder(place))
        mean = cls.net_type.load(place / CHECKPOINT)
        notes = dict(mean.notes)
        run = cls.__new__(cls)
        try:
            known = {**notes["recipe"], **changes}
            run.recipe = cls.recipe_type(**_as_tuples(known))
            run.games_done = int(notes["games"])
            run.seconds_done = float(notes["seconds"])
            run.curve = list(notes["curve"])
        except (KeyError, TypeError):
            raise InvalidOptionError(
                f"{str(place / CHECKPOINT)!r} is not the checkpoint of such a training."
            ) from None
        run.folder = place
        run.mean = mean.copy(notes={})
        run.net = cls.net_type.load(place / CHECKPOINT, "raw_")
        run.error = 0.0
        run._set_up()
        run._restore(place / CHECKPOINT)
        return run

    @abstractmethod
    def _first_net(self) -> Any:
        """The network a new training begins with."""

    @abstractmethod
    def _set_up(self) -> None:
        """Make the memory that is not part of a checkpoint."""

    @abstractmethod
    def _compile(self) -> None:
        """Compile the kernels, so that this is not taken from the training's time."""

    @abstractmethod
    def _train_chunk(self) -> None:
        """Learn from some games; updates `games_done` and `error`."""

    def _more_arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps beside the weights."""
        return {}

    def _restore(self, path: Path) -> None:  # noqa: B027
        """Read the arrays of `_more_arrays` back, where there are any."""

    @property
    def done(self) -> float:
        """How much of the recipe is done, 0 to 1."""
        if self.recipe.games is not None:
            return min(1.0, float(self.games_done / self.recipe.games))
        return min(1.0, float(self.seconds_done / self.recipe.seconds))

    def run(self, report: Report | None = None, *, measure: bool = True) -> Any:
        """Train to the end, saving on the way; returns the finished network.

        Args:
            report: Called with this run after each chunk of games.
            measure: Let the network play pubeval now and then, for the curve; not for
                longer than it has learnt, but at the end.

        Raises:
            InvalidOptionError: A file can no longer be written; the last checkpoint
                stays.
            KeyboardInterrupt: Passed on after a checkpoint is saved.
        """
        self._compile()
        saved = time.monotonic()
        measuring = 0.0
        try:
            while self.done < 1.0:
                start = time.perf_counter()
                with _interrupts_later():
                    self._train_chunk()
                self.seconds_done += time.perf_counter() - start
                if report is not None:
                    report(self)
                due = measure and self.done * _POINTS >= len(self.curve)
                if due and (measuring <= self.seconds_done or self.done >= 1.0):
                    start = time.perf_counter()
                    self._measure()
                    measuring += time.perf_counter() - start
                if time.monotonic() - saved > _CHECKPOINT_SECONDS:
                    self.save_checkpoint()
                    saved = time.monotonic()
        except KeyboardInterrupt:
            self.save_checkpoint()
            raise
        self.save_checkpoint()
        net = self.finished_net()
        net.save(self.folder / NET)
        return net

    def _curve_player(self) -> tuple[Agent, Rules | str | None]:
        """Who plays with the network for the curve, and by which rules."""
        return TdAgent(self.mean), None

    def _average(self, share: float) -> None:
        """Move the running mean of the weights towards them by a share of the way."""
        for mean, now in zip(self.mean.weights, self.net.weights, strict=True):
            mean += np.float32(share) * (now - mean)

    def _measure(self) -> None:
        """Add a point to the curve."""
        self.curve.append(
            {
                "games": self.games_done,
                "seconds": round(self.seconds_done, 3),
                "error": self.error,
                **self._measured(),
            }
        )
        lines = "".join(json.dumps(point) + "\n" for point in self.curve)
        write_whole(self.folder / CURVE, lambda file: file.write(lines.encode()))

    def _measured(self) -> dict[str, float]:
        """The network against pubeval, paired games."""
        agent, rules = self._curve_player()
        result = evaluate(
            agent, "pubeval", games=_CURVE_GAMES, seed=CURVE_SEED, rules=rules
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return {
            "pubeval": result.points_per_game or 0.0,
            "standard_error": result.standard_error or 0.0,
        }

    def _notes(self) -> dict[str, Any]:
        return {
            "recipe": asdict(self.recipe),
            "games": self.games_done,
            "seconds": self.seconds_done,
        }

    def save_checkpoint(self) -> None:
        """Write everything needed to go on to the folder, whole or not at all."""
        notes = {**self._notes(), "curve": self.curve}
        others = {f"raw_{name}": array for name, array in self.net.named().items()}
        self.mean.copy(notes).save(
            self.folder / CHECKPOINT, **others, **self._more_arrays()
        )

    def finished_net(self) -> Any:
        """The network as it is now, with notes of how it came about."""
        return self.mean.copy(self._notes())


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Let Ctrl-C wait until what is done here is done whole."""
    usual = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(usual):  # nothing to catch, or ignored on purpose
        yield
        return
    caught: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if caught:
        raise KeyboardInterrupt


def _as_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has lists only; recipes have tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
