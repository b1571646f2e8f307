"""Teaching a sieve, in a training that survives interruption: `SieveTrainer`."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._exact import adam_step
from bg_agents._memory import zeros_like
from bg_agents._sieve_training import (
    Rated,
    learn_rolls,
    learning_scratch,
    new_rated,
    rated_games,
    sift_rolls,
)
from bg_agents.nets import Net
from bg_agents.recipes import SieveRecipe
from bg_agents.runs import CURVE_SEED, Run
from bg_agents.sieves import SieveNet
from bg_env.rules.batch import new_states, seed_states
from bg_env.rules.movegen import PlayBuffers
from bg_env.rules.options import Rules

_CHUNK: Final = 200  # games between two rounds of learning
_TEST_GAMES: Final = 400  # on whose rolls the sieve is measured
_CUBELESS: Final = Rules.preset("cubeless")


class SieveTrainer(Run):
    """A sieve learning the order in which a network puts the plays of a roll.

    The network plays against itself; after some games the sieve learns from all their
    rolls. The result is the network with its sieve. With `games` in the recipe it is
    the same every time. `error` is how far the two softmaxes differ, 0 to 1.
    """

    recipe_type: ClassVar[type[Any]] = SieveRecipe
    net_type: ClassVar[type[Any]] = SieveNet
    plays_as: ClassVar[str] = ""
    drawn: ClassVar[str] = "lost"
    drawn_as: ClassVar[str] = "points lost by the sieve a roll"
    recipe: SieveRecipe

    def _first_net(self) -> SieveNet:
        return SieveNet.random(self.recipe.hidden, self.recipe.seed)

    def _set_up(self) -> None:
        weights = self.net.weights
        self.teacher = Net.found(self.recipe.start[0])
        self._plays = PlayBuffers()
        self._scratch = self.teacher.scratch()
        self._learning = learning_scratch(self.net.hidden)
        self._rated = new_rated(_CHUNK)
        self._test: tuple[Rated, int] | None = None
        self._gradients, self._nothing, self._first, self._second = (
            zeros_like(weights) for _ in range(4)
        )
        self._steps = np.zeros(1, np.int64)

    def _compile(self) -> None:
        rated = new_rated(1)
        rolls = self._play(1, 0, rated, 0)
        net = self.net.copy()
        picks = np.arange(min(rolls, 2))
        gradients = zeros_like(net.weights)
        learn_rolls(rated, picks, net.weights, gradients, 1.0, *self._learning)
        w, g, h, first, second = np.zeros((5, 4), np.float32)
        adam_step(w, g, h, first, second, 1.0, 1e-4, 1)
        sift(net, self.recipe.keep, self.recipe.most, rated, rolls)

    # --- learning -----------------------------------------------------------------

    def _play(
        self, games: int, first: int, rated: Rated, seed: int, odd: float = 0.0
    ) -> int:
        """Let the network play; returns how many rolls were written."""
        states = new_states(games, _CUBELESS)
        seed_states(states, seed, first)
        return int(
            rated_games(
                states,
                self.teacher.weights,
                self._scratch,
                self._plays.arrays,
                self._plays.scratch,
                odd,
                rated,
            )
        )

    def _train_chunk(self) -> None:
        count = _CHUNK
        if self.recipe.games is not None:
            count = min(count, self.recipe.games - self.games_done)
        seed, odd = self.recipe.seed, self.recipe.odd
        rolls = self._play(count, self.games_done, self._rated, seed, odd)
        chance = np.random.default_rng([seed, self.games_done])
        self.games_done += count
        batch, error, learnt = self.recipe.batch, 0.0, 0
        for _ in range(self.recipe.replay):
            order = chance.permutation(rolls)
            for start in range(0, rolls, batch):
                picks = order[start : start + batch]
                error += self._step(picks)
                learnt += len(picks)
        self.error = error / max(learnt, 1)

    def _step(self, picks: NDArray[np.int64]) -> float:
        """One batch: gradients, then Adam, then the running mean."""
        error = learn_rolls(
            self._rated,
            picks,
            self.net.weights,
            self._gradients,
            self.recipe.temperature,
            *self._learning,
        )
        self._steps += 1
        sets = (self._gradients, self._nothing, self._first, self._second)
        for arrays in zip(self.net.weights, *sets, strict=True):
            w, g, h, first, second = (array.reshape(-1) for array in arrays)
            scale, steps = 1 / len(picks), int(self._steps[0])
            adam_step(w, g, h, first, second, scale, self._rate(), steps)
        self._average(max(1 - self.recipe.average, 1 / (1 + int(self._steps[0]) / 10)))
        return float(error)

    def _rate(self) -> float:
        first, last = self.recipe.rate, self.recipe.last_rate
        return last + (first - last) * (1 + math.cos(math.pi * self.done)) / 2

    # --- what it is worth -----------------------------------------------------------

    def _measured(self) -> dict[str, float]:
        """On rolls of other games: plays kept, best ones missed, equity lost."""
        if self._test is None:
            rated = new_rated(_TEST_GAMES)
            self._test = rated, self._play(_TEST_GAMES, 0, rated, CURVE_SEED)
        return sift(self.mean, self.recipe.keep, self.recipe.most, *self._test)

    def finished_net(self) -> Net:
        """The network with the sieve as it is now, and notes of how that came about."""
        notes = {**self._notes(), **self._measured()}
        return dataclasses.replace(
            self.teacher,
            notes={**self.teacher.notes, "sieve": notes},
            sieve=self.mean.copy(),
            keep=self.recipe.keep,
            most=self.recipe.most,
        )

    # --- checkpoints --------------------------------------------------------------

    def _more_arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {"steps": self._steps}
        for name, moments in (("first", self._first), ("second", self._second)):
            arrays |= {f"{name}_{i}": array for i, array in enumerate(moments)}
        return arrays

    def _restore(self, path: Path) -> None:
        with np.load(path) as data:
            self._steps[:] = data["steps"]
            for name, moments in (("first", self._first), ("second", self._second)):
                for i, array in enumerate(moments):
                    array[:] = data[f"{name}_{i}"]


def sift(
    net: SieveNet, keep: float, most: int, rated: Rated, rolls: int
) -> dict[str, float]:
    """What a sieve does to some rolls.

    Args:
        net: The sieve; its weights as they are now.
        keep: How far below its best play one may be.
        most: How many it keeps at most.
        rated: The plays of the rolls.
        rolls: How many rolls.

    Returns:
        "kept": plays it leaves of a roll; "missed": the share of the rolls whose best
        play is ruled out; "lost": the equity that a roll loses by it. All in the mean.
    """
    kept, lost = np.zeros(max(rolls, 1), np.int64), np.zeros(max(rolls, 1), np.float32)
    sift_rolls(rated, rolls, net.copy().sieve(most), keep, kept, lost)
    return {
        "kept": float(kept.mean()),
        "missed": float((lost > 0).mean()),
        "lost": float(lost.mean()),
    }


def warm_up() -> None:
    """Compile the kernels of this training ahead of their first use."""
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start.npz"
        Net.random(8, 0, expert=True).save(start)
        recipe = SieveRecipe(start=(str(start),), games=1, hidden=8)
        SieveTrainer(recipe, Path(folder) / "run").run(measure=False)
