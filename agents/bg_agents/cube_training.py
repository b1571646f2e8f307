"""Learning the cube by self-play, in a training that survives interruption."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._cube_exact import (
    CubeSamples,
    add_cube_gradient,
    exact_cube_games,
    new_cube_buffers,
    new_cube_samples,
)
from bg_agents._cube_net import CubeWeights
from bg_agents._memory import apart, zeros_like
from bg_agents._sieve import Sieve, new_sieve
from bg_agents.buffered_training import GAMES, ROOM, BufferedTrainer
from bg_agents.cube_nets import CubeNet
from bg_agents.nets import Net
from bg_agents.players import td_cube
from bg_agents.recipes import CubeRecipe
from bg_env.agent import Agent
from bg_env.rules.batch import States
from bg_env.rules.movegen import PlayBuffers
from bg_env.rules.options import Rules

_MOST: Final = 12  # plays of a roll that are looked at


class CubeTrainer(BufferedTrainer):
    """A network without a cube that learns what positions are worth with it."""

    recipe_type: ClassVar[type[Any]] = CubeRecipe
    net_type: ClassVar[type[Any]] = CubeNet
    plays_as: ClassVar[str] = "td-cube"
    drawn_as: ClassVar[str] = "points per game against pubeval, with the cube"
    recipe: CubeRecipe

    def _first_net(self) -> CubeNet:
        return CubeNet.of(Net.merged([Net.found(path) for path in self.recipe.start]))

    def _new_worker(self) -> _Worker:
        return _Worker(self.net, _sieve(), self.recipe)

    def _curve_player(self) -> tuple[Agent, Rules]:
        return td_cube(self.mean), Rules.preset("standard")

    def _new_samples(self, number: int) -> CubeSamples:
        return new_cube_samples(number)


def _sieve() -> Sieve:
    """What rules out plays: that of `td-small`, whatever network learns."""
    return new_sieve(Net.shipped("td-small").sieve_scratch()[0][0], _MOST)


def warm_up() -> None:
    """Compile the kernels of this training ahead of their first use."""
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start.npz"
        Net.random(8, 0, expert=True).save(start)
        recipe = CubeRecipe(start=(str(start),), games=1, threads=1)
        CubeTrainer(recipe, Path(folder) / "run").run(measure=False)


class _Worker:
    """The memory of one thread."""

    def __init__(self, net: CubeNet, sieve: Sieve, recipe: CubeRecipe) -> None:
        self._sieve, self._keep = sieve, recipe.keep
        self._plays = PlayBuffers()
        self._scratch = net.scratch()
        self._game, self._rolls = new_cube_buffers()
        self._gradient_scratch = net.scratch()
        self._back = apart(2, net.hidden)
        self.samples = new_cube_samples(GAMES * ROOM)
        self.gradients: CubeWeights = zeros_like(net.weights)

    def play(self, states: States, weights: CubeWeights, trace: float) -> int:
        """Play games; returns how many samples were written."""
        return int(
            exact_cube_games(
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
        self, samples: CubeSamples, picks: NDArray[np.int64], weights: CubeWeights
    ) -> float:
        """Add the gradient of some samples to the own ones."""
        return float(
            add_cube_gradient(
                samples,
                picks,
                weights,
                self.gradients,
                self._gradient_scratch,
                self._back,
            )
        )
