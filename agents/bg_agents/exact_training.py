"""Training on exact targets that survives interruption: `ExactTrainer`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bg_agents._exact import (
    Samples,
    add_gradient,
    exact_games,
    gradient_scratch,
    new_game_buffers,
    new_samples,
)
from bg_agents._memory import zeros_like
from bg_agents._net import Weights
from bg_agents._sieve import Sieve
from bg_agents.buffered_training import GAMES, ROOM, BufferedTrainer
from bg_agents.nets import Net
from bg_agents.recipes import ExactRecipe
from bg_env.rules.batch import States
from bg_env.rules.movegen import PlayBuffers


class ExactTrainer(BufferedTrainer):
    """A trained network that goes on learning from exact targets."""

    recipe_type: ClassVar[type[Any]] = ExactRecipe
    recipe: ExactRecipe

    def _first_net(self) -> Net:
        return Net.merged([Net.found(path) for path in self.recipe.start])

    def _new_worker(self) -> _Worker:
        return _Worker(self.net, sieve_for(self.mean), self.recipe)

    def _new_samples(self, number: int) -> Samples:
        return new_samples(number)


def sieve_for(net: Net) -> Sieve:
    """What rules out plays while a network learns: its own sieve, or `td-small`'s."""
    return (net if net.sieve else Net.shipped("td-small")).sieve_scratch()[0]


def warm_up() -> None:
    """Compile the kernels of this training ahead of their first use."""
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start.npz"
        Net.random(8, 0, expert=True).save(start)
        recipe = ExactRecipe(start=(str(start),), games=1, threads=1)
        ExactTrainer(recipe, Path(folder) / "run").run(measure=False)


class _Worker:
    """The memory of one thread."""

    def __init__(self, net: Net, sieve: Sieve, recipe: ExactRecipe) -> None:
        self._sieve, self._keep = sieve, recipe.keep
        self._win_weight = recipe.win_weight
        self._plays = PlayBuffers()
        self._scratch = net.scratch()
        self._game, self._rolls = new_game_buffers()
        self._gradient_scratch = gradient_scratch(net.weights)
        self.samples = new_samples(GAMES * ROOM)
        self.gradients: Weights = zeros_like(net.weights)

    def play(self, states: States, weights: Weights, trace: float) -> int:
        """Play games; returns how many samples were written."""
        return int(
            exact_games(
                states,
                weights,
                self._scratch,
                self._sieve,
                self._keep,
                self._plays.arrays,
                self._plays.scratch,
                self._game,
                self._rolls,
                trace,
                self.samples,
            )
        )

    def learn(
        self, samples: Samples, picks: NDArray[np.int64], weights: Weights
    ) -> float:
        """Add the gradient of some samples to the own ones."""
        scratch, back = self._gradient_scratch
        return float(
            add_gradient(
                samples, picks, weights, self.gradients, self._win_weight, scratch, back
            )
        )
