"""`BufferedTrainer`: games by many threads, a buffer of positions, Adam."""

from __future__ import annotations

import math
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bg_agents._exact import adam_step
from bg_agents._memory import zeros_like
from bg_agents.recipes import BufferedRecipe
from bg_agents.runs import Run
from bg_env.rules.batch import States, new_states, seed_states
from bg_env.rules.options import Rules

GAMES: Final = 48  # played by each thread between two rounds of learning
ROOM: Final = 120  # positions a game has, in the mean, at most
_FIRST: Final = 0.2  # share of the buffer that is filled before learning begins
_CUBELESS: Final = Rules.preset("cubeless")

Samples = tuple[NDArray[np.int8], NDArray[np.uint64], NDArray[np.float32]]
"""Boards int8[N, 2, 32], the same memory as uint64[N, 2, 4], targets float32[N, K]."""
Arrays = tuple[NDArray[np.float32], ...]
"""Weights of a network, or as many gradients."""


class Worker(Protocol):
    """The memory of one thread."""

    @property
    def samples(self) -> Samples:
        """The positions of the games it has just played."""

    @property
    def gradients(self) -> Arrays:
        """What it has gathered."""

    def play(self, states: States, weights: Any, trace: float) -> int:
        """Play games; returns how many samples were written."""

    def learn(self, samples: Samples, picks: NDArray[np.int64], weights: Any) -> float:
        """Add the gradient of some samples to the own ones.

        Returns:
            The sum of their squared errors.
        """


class BufferedTrainer(Run):
    """A network that learns from positions of its games, drawn from a buffer.

    Each round all threads play games with the running mean of the weights; then the
    weights learn from batches drawn from the buffer. With `games` in the recipe the
    result is the same every time.
    """

    recipe: BufferedRecipe

    @abstractmethod
    def _new_worker(self) -> Worker:
        """Memory for one thread."""

    @abstractmethod
    def _new_samples(self, number: int) -> Samples:
        """Room for so many positions."""

    def _set_up(self) -> None:
        recipe = self.recipe
        self._fresh = new_states(GAMES, _CUBELESS)
        self._buffer = self._new_samples(recipe.buffer)
        self._counts = np.zeros(3, np.int64)  # samples seen, steps, samples learnt from
        self._moments = [*zeros_like(self.net.weights), *zeros_like(self.net.weights)]
        self._workers = [self._new_worker() for _ in range(recipe.threads)]
        self._nothing = zeros_like(self.net.weights)
        self._pool = ThreadPoolExecutor(recipe.threads)

    def _compile(self) -> None:
        worker = self._new_worker()
        states = self._fresh[:1].copy()
        seed_states(states, 0)
        number = worker.play(states, self.net.copy().weights, self.recipe.trace)
        picks = np.arange(min(number, 4))
        worker.learn(worker.samples, picks, self.net.weights)
        w, g, h, first, second = np.zeros((5, 4), np.float32)
        adam_step(w, g, h, first, second, 1.0, 1e-4, 1)

    # --- games --------------------------------------------------------------------

    def _train_chunk(self) -> None:
        seen = int(self._counts[0])
        weights = self.mean.weights

        def play(number: int) -> int:
            states = self._fresh.copy()
            seed_states(states, self.recipe.seed, self.games_done + number * GAMES)
            return self._workers[number].play(states, weights, self.recipe.trace)

        written = list(self._pool.map(play, range(len(self._workers))))
        for worker, number in zip(self._workers, written, strict=True):
            self._keep(worker.samples, number)
        self.games_done += GAMES * len(self._workers)
        if self._counts[0] >= _FIRST * self.recipe.buffer:
            self._learn(int(self._counts[0]) - seen)

    def _keep(self, samples: Samples, number: int) -> None:
        """Put new samples into the buffer, in place of the oldest."""
        seen = int(self._counts[0])
        places = (seen + np.arange(number)) % self.recipe.buffer
        self._buffer[0][places] = samples[0][:number]
        self._buffer[2][places] = samples[2][:number]
        self._counts[0] += number

    # --- learning -----------------------------------------------------------------

    def _learn(self, new: int) -> None:
        recipe = self.recipe
        filled = min(int(self._counts[0]), recipe.buffer)
        steps = math.ceil(new * recipe.replay / recipe.batch)
        error = 0.0
        for _ in range(steps):
            chance = np.random.default_rng([recipe.seed, int(self._counts[1])])
            error += self._step(chance.integers(0, filled, recipe.batch))
        self.error = error / steps / recipe.batch
        self._average(1 - recipe.average**steps)

    def _step(self, picks: NDArray[np.int64]) -> float:
        """One batch: gradients by all threads, then Adam. Returns the squared error."""
        parts = np.array_split(picks, len(self._workers))

        def gather(number: int) -> float:
            return self._workers[number].learn(
                self._buffer, parts[number], self.net.weights
            )

        error = sum(self._pool.map(gather, range(len(parts))))
        self._counts[1] += 1
        self._adam(1 / len(picks), self._rate())
        return error

    def _adam(self, scale: float, rate: float) -> None:
        """Move all weights; each array in two halves, side by side."""
        steps = int(self._counts[1])
        gradients = self._gathered()
        moments, count = self._moments, len(self.net.weights)

        def move(job: tuple[int, int]) -> None:
            i, half = job
            arrays = (
                self.net.weights[i],
                gradients[0][i],
                gradients[1][i],
                moments[i],
                moments[count + i],
            )
            w, g, h, first, second = (_half(array, half) for array in arrays)
            adam_step(w, g, h, first, second, scale, rate, steps)

        list(self._pool.map(move, [(i, half) for i in range(count) for half in (0, 1)]))

    def _gathered(self) -> list[Arrays]:
        """The gradients of all threads in two sets of arrays."""
        sets = [worker.gradients for worker in self._workers]
        for more in sets[2:]:
            for total, part in zip(sets[0], more, strict=True):
                total += part
                part[:] = 0
        return [*sets, self._nothing][:2]

    def _rate(self) -> float:
        first, last = self.recipe.rate, self.recipe.last_rate
        return last + (first - last) * (1 + math.cos(math.pi * self.done)) / 2

    # --- checkpoints --------------------------------------------------------------

    def _more_arrays(self) -> dict[str, NDArray[Any]]:
        filled = min(int(self._counts[0]), self.recipe.buffer)
        arrays: dict[str, NDArray[Any]] = {
            "counts": self._counts,
            "buffer_boards": self._buffer[0][:filled],
            "buffer_targets": self._buffer[2][:filled],
        }
        moments = {f"moment_{i}": array for i, array in enumerate(self._moments)}
        return arrays | moments

    def _restore(self, path: Path) -> None:
        with np.load(path) as data:
            self._counts[:] = data["counts"]
            filled = len(data["buffer_boards"])
            self._buffer[0][:filled] = data["buffer_boards"]
            self._buffer[2][:filled] = data["buffer_targets"]
            for i, array in enumerate(self._moments):
                array[:] = data[f"moment_{i}"]


def _half(array: NDArray[np.float32], which: int) -> NDArray[np.float32]:
    """The first (0) or second (1) half of an array, as a view float32[N]."""
    flat = array.reshape(-1)
    middle = len(flat) // 2
    return flat[middle:] if which else flat[:middle]
