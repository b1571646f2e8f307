"""TD(λ) self-play training that survives interruption: `Recipe` and `Trainer`."""

from __future__ import annotations

import tempfile
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._td import Player, new_history, new_player, train_games
from bg_agents.nets import Net
from bg_agents.recipes import Recipe
from bg_agents.runs import CHECKPOINT, CURVE, NET, Run
from bg_env.rules.batch import States, new_states, seed_states
from bg_env.rules.movegen import PlayBuffers
from bg_env.rules.options import Rules

__all__ = ["CHECKPOINT", "CURVE", "NET", "Recipe", "Trainer", "warm_up"]

_AVERAGED: Final = 100  # games between two steps of the mean of the weights
_CHUNK: Final = 200  # games between two looks at the clock
_CUBELESS: Final = Rules.preset("cubeless")


class Trainer(Run):
    """A network learning by TD(λ) from every game it plays against itself."""

    recipe_type: ClassVar[type[Any]] = Recipe
    recipe: Recipe

    def _first_net(self) -> Net:
        recipe = self.recipe
        return Net.random(
            recipe.hidden, recipe.seed, expert=recipe.expert, classes=recipe.classes
        )

    def _set_up(self) -> None:
        self._fresh = new_states(_CHUNK, _CUBELESS)
        self._plays = PlayBuffers()
        self._player = new_player(self.net.weights)
        self._history = new_history()

    def _compile(self) -> None:
        states = self._fresh[:1].copy()
        seed_states(states, 0)
        self._train_on(states, new_player(self.net.copy().weights), np.zeros(1))

    def _train_chunk(self) -> None:
        count = _CHUNK
        if self.recipe.games is not None:
            count = min(count, self.recipe.games - self.games_done)
        rates = self._rates(count)
        error = 0.0
        for first in range(0, count, _AVERAGED):
            part = rates[first : first + _AVERAGED]
            states = self._fresh[: len(part)].copy()
            seed_states(states, self.recipe.seed, self.games_done)
            error += len(part) * self._train_on(states, self._player, part)
            self.games_done += len(part)
            self._average(self._share())
        self.error = error / count

    def _train_on(
        self, states: States, player: Player, rates: NDArray[np.float64]
    ) -> float:
        recipe = self.recipe
        trace = recipe.trace
        if recipe.last_trace is not None and self.done > 1 / 3:
            trace = recipe.last_trace
        return float(
            train_games(
                states,
                player,
                rates,
                recipe.win_weight,
                trace,
                self._plays.arrays,
                self._plays.scratch,
                self._history,
            )
        )

    def _share(self) -> float:
        """How far the mean of the weights moves; early on it is one of all so far."""
        if self.recipe.average == 0:
            return 1.0
        return max(1 - self.recipe.average, 1 / (1 + self.games_done / _AVERAGED / 10))

    def _rates(self, count: int) -> NDArray[np.float64]:
        """The learning rate of each of the next games."""
        done = np.full(count, self.done)
        if self.recipe.games is not None:
            done = (self.games_done + np.arange(count)) / self.recipe.games
        ratio = self.recipe.last_rate / self.recipe.rate
        rates: NDArray[np.float64] = self.recipe.rate * ratio**done
        return rates


def warm_up() -> None:
    """Compile the training kernels ahead of their first use."""
    with tempfile.TemporaryDirectory() as folder:
        Trainer(Recipe(hidden=8, games=1), folder).run(measure=False)
