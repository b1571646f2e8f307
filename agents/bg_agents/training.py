"""TD(λ) self-play training that survives interruption: `Recipe` and `Trainer`."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._net import Weights
from bg_agents._td import LONGEST_GAME, train_games, training_buffers
from bg_agents.files import make_folder, remove_leftovers, write_whole
from bg_agents.nets import Net, check_hidden
from bg_agents.td_agent import TdAgent
from bg_env.errors import InvalidOptionError
from bg_env.evaluation import evaluate
from bg_env.rules.batch import States, new_states, seed_states
from bg_env.rules.movegen import PlayBuffers
from bg_env.rules.options import Rules

CHECKPOINT: Final = "checkpoint.npz"
NET: Final = "net.npz"
CURVE: Final = "curve.jsonl"

_CHUNK: Final = 200  # games between two looks at the clock
_POINTS: Final = 12  # how often the curve is measured
_CURVE_GAMES: Final = 1000
_CURVE_SEED: Final = 9_000_001
_CHECKPOINT_SECONDS: Final = 20.0
_CUBELESS: Final = Rules.preset("cubeless")

Report = Callable[["Trainer"], None]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a network is trained. With `games` the result is the same every time.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    hidden: int = 80
    """Hidden units."""
    seed: int = 0
    """Fixes the first weights and all dice."""
    seconds: float | None = None
    """How long to train: the learning rate falls with time."""
    games: int | None = None
    """How many games to train on: the learning rate falls with games."""
    rate: float = 0.1
    """Learning rate of the first game."""
    last_rate: float = 0.004
    """Learning rate of the last game; in between it falls geometrically."""
    trace: float = 0.7
    """λ: 1 = towards the result of the game, 0 = towards the next position."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)
        _check("seed", self.seed, 0, 2**63, whole=True)
        if (self.seconds is None) == (self.games is None):
            raise InvalidOptionError(
                f"Training lasts for seconds or for games: give one of them, not "
                f"seconds={self.seconds!r} and games={self.games!r}."
            )
        if self.seconds is not None:
            _check("seconds", self.seconds, 0.1, 1e7)
        if self.games is not None:
            _check("games", self.games, 1, 2**40, whole=True)
        _check("rate", self.rate, 1e-6, 10)
        _check("last_rate", self.last_rate, 1e-6, 10)
        _check("trace", self.trace, 0, 1)


class Trainer:
    """A network learning in a folder of its own.

    Attributes:
        recipe: How it is trained.
        folder: Where checkpoint, network and curve lie.
        net: The network; its arrays change in place.
        games_done: Games learnt from.
        seconds_done: Seconds spent on them, measuring not counted.
        curve: Points {"games", "seconds", "error", "pubeval", "standard_error"}.
    """

    def __init__(self, recipe: Recipe, folder: str | Path) -> None:
        """Begin a new training.

        Raises:
            InvalidOptionError: The folder cannot be written to, or has a training.
        """
        self.recipe = recipe
        self.folder = make_folder(folder)
        if (self.folder / CHECKPOINT).exists():
            raise InvalidOptionError(
                f"The folder {str(folder)!r} has a training already; continue it with "
                f"--resume or name another folder."
            )
        self.net = Net.random(recipe.hidden, recipe.seed)
        self.games_done = 0
        self.seconds_done = 0.0
        self.error = 0.0
        self.curve: list[dict[str, float]] = []
        self._set_up()

    @classmethod
    def resume(cls, folder: str | Path, **changes: Any) -> Trainer:
        """Continue the training of a folder from its checkpoint.

        Args:
            folder: Where it lies.
            **changes: `seconds` or `games`, to train for longer than planned.

        Raises:
            InvalidOptionError: There is no whole checkpoint.
        """
        place = make_folder(folder)
        remove_leftovers(place)
        net = Net.load(place / CHECKPOINT)
        notes = dict(net.notes)
        trainer = cls.__new__(cls)
        try:
            trainer.recipe = replace(Recipe(**notes["recipe"]), **changes)
            trainer.games_done = int(notes["games"])
            trainer.seconds_done = float(notes["seconds"])
            trainer.curve = list(notes["curve"])
        except (KeyError, TypeError):
            raise InvalidOptionError(
                f"{str(place / CHECKPOINT)!r} is a network, not the checkpoint of a "
                f"training."
            ) from None
        trainer.folder = place
        trainer.net = net.copy(notes={})
        trainer.error = 0.0
        trainer._set_up()
        return trainer

    def _set_up(self) -> None:
        self._fresh = new_states(_CHUNK, _CUBELESS)
        self._plays = PlayBuffers()
        self._buffers = training_buffers(self.recipe.hidden)
        self._history = (
            np.zeros((LONGEST_GAME, 2, 32), np.int8),
            np.zeros((LONGEST_GAME, 5), np.float32),
        )

    @property
    def done(self) -> float:
        """How much of the recipe is done, 0 to 1."""
        if self.recipe.games is not None:
            return min(1.0, self.games_done / self.recipe.games)
        assert self.recipe.seconds is not None
        return min(1.0, self.seconds_done / self.recipe.seconds)

    def run(self, report: Report | None = None, *, measure: bool = True) -> Net:
        """Train to the end, saving on the way; returns the finished network.

        Args:
            report: Called after each chunk of games.
            measure: Let the network play pubeval now and then, for the curve.

        Raises:
            InvalidOptionError: A file can no longer be written; the last checkpoint
                stays.
            KeyboardInterrupt: Passed on after a checkpoint is saved.
        """
        self._compile()
        saved = time.monotonic()
        try:
            while self.done < 1.0:
                self._train_chunk()
                if report is not None:
                    report(self)
                if measure and self.done * _POINTS >= len(self.curve):
                    self._measure()
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

    def _compile(self) -> None:
        """Compile the kernels, so that this is not taken from the training's time."""
        states = self._fresh[:1].copy()
        seed_states(states, 0)
        self._train_on(states, self.net.copy().weights, np.zeros(1))

    def _train_chunk(self) -> None:
        count = _CHUNK
        if self.recipe.games is not None:
            count = min(count, self.recipe.games - self.games_done)
        states = self._fresh[:count].copy()
        seed_states(states, self.recipe.seed, self.games_done)
        start = time.perf_counter()
        self.error = self._train_on(states, self.net.weights, self._rates(count))
        self.games_done += count
        self.seconds_done += time.perf_counter() - start

    def _train_on(
        self, states: States, weights: Weights, rates: NDArray[np.float64]
    ) -> float:
        return float(
            train_games(
                states,
                weights,
                rates,
                self.recipe.trace,
                self._plays.arrays,
                self._plays.scratch,
                self._buffers,
                self._history,
            )
        )

    def _rates(self, count: int) -> NDArray[np.float64]:
        """The learning rate of each of the next games."""
        done = np.full(count, self.done)
        if self.recipe.games is not None:
            done = (self.games_done + np.arange(count)) / self.recipe.games
        ratio = self.recipe.last_rate / self.recipe.rate
        rates: NDArray[np.float64] = self.recipe.rate * ratio**done
        return rates

    def _measure(self) -> None:
        """Add a point to the curve: the network against pubeval, paired games."""
        agent = TdAgent(self.net)
        result = evaluate(agent, "pubeval", games=_CURVE_GAMES, seed=_CURVE_SEED)
        self.curve.append(
            {
                "games": self.games_done,
                "seconds": round(self.seconds_done, 3),
                "error": self.error,
                "pubeval": result.points_per_game or 0.0,
                "standard_error": result.standard_error or 0.0,
            }
        )
        lines = "".join(json.dumps(point) + "\n" for point in self.curve)
        write_whole(self.folder / CURVE, lambda file: file.write(lines.encode()))

    def _notes(self) -> dict[str, Any]:
        return {
            "recipe": asdict(self.recipe),
            "games": self.games_done,
            "seconds": self.seconds_done,
        }

    def save_checkpoint(self) -> None:
        """Write everything needed to go on to the folder, whole or not at all."""
        notes = {**self._notes(), "curve": self.curve}
        self.net.copy(notes).save(self.folder / CHECKPOINT)

    def finished_net(self) -> Net:
        """The network as it is now, with notes of how it came about."""
        return self.net.copy(self._notes())


def warm_up() -> None:
    """Compile the training kernels ahead of their first use."""
    with tempfile.TemporaryDirectory() as folder:
        Trainer(Recipe(hidden=8, games=1), folder).run(measure=False)


def _check(
    name: str, value: Any, low: float, high: float, *, whole: bool = False
) -> None:
    kinds = int if whole else (int, float)
    good = isinstance(value, kinds) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise InvalidOptionError(
            f"Training option {name} is {kind} of {low:g} to {high:g}, not {value!r}."
        )
