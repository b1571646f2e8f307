"""How networks are trained: recipes, which a checkpoint keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bg_agents.nets import MOST_CLASSES, check_hidden
from bg_env.errors import InvalidOptionError


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
    last_trace: float | None = None
    """λ after the first third; None = as before."""
    expert: bool = False
    """Whether the network sees the hand-made features beside the raw inputs."""
    classes: int = 1
    """How many networks, each for its class of positions; 2 and 3 need `expert`."""
    win_weight: float = 1.0
    """How much the winning chance counts in the loss, the other four counting 1."""
    average: float = 0.0
    """The finished network is a running mean of the weights in which those of the last
    100 games count 1 − `average`; 0 = the last weights themselves."""

    def __post_init__(self) -> None:
        check_hidden(self.hidden)
        _check_common(self)
        if self.last_trace is not None:
            _check("last_trace", self.last_trace, 0, 1)
        _check("classes", self.classes, 1, MOST_CLASSES, whole=True)
        if self.classes > 1 and not self.expert:
            raise InvalidOptionError(
                f"Training option classes={self.classes} needs expert=True."
            )
        _check("win_weight", self.win_weight, 0.01, 100)
        _check("average", self.average, 0, 0.99999)


@dataclass(frozen=True, kw_only=True)
class ExactRecipe:
    """How a trained network goes on with exact targets (`bg_agents._exact`).

    Games are played by the running mean of the weights; their positions go to a buffer
    from which batches are drawn for Adam. The learning rate falls with a cosine.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    start: tuple[str, ...] = ()
    """Files of the networks to go on from; several are merged into one."""
    seed: int = 0
    """Fixes all dice and batches."""
    seconds: float | None = None
    """How long to train."""
    games: int | None = None
    """How many games to train on."""
    rate: float = 3e-4
    """Learning rate of the first batch."""
    last_rate: float = 2e-5
    """Learning rate of the last batch."""
    trace: float = 0.8
    """λ: how much of what is learnt later in the game goes into a target."""
    win_weight: float = 2.0
    """How much the winning chance counts in the loss, the other four counting 1."""
    average: float = 0.999
    """The weights of the last batch count 1 − `average` in the running mean."""
    batch: int = 512
    """Positions of a batch."""
    replay: int = 6
    """How often a position is learnt from, in the mean."""
    buffer: int = 150_000
    """How many positions are kept to draw from."""
    keep: float = 0.15
    """Plays that the network ``td`` rates lower than its best by more are not looked
    at, which costs little; 0 = all are."""
    threads: int = 2
    """How many threads play; the result depends on it no more than on a seed."""

    def __post_init__(self) -> None:
        _check_common(self)
        _check("batch", self.batch, 1, 2**20, whole=True)
        _check("replay", self.replay, 1, 1000, whole=True)
        _check("buffer", self.buffer, self.batch, 2**30, whole=True)
        _check("keep", self.keep, 0, 6)
        _check("threads", self.threads, 1, 256, whole=True)
        if not self.start:
            raise InvalidOptionError(
                "Training on exact targets goes on from a network: name its file."
            )


def _check_common(recipe: Recipe | ExactRecipe) -> None:
    _check("seed", recipe.seed, 0, 2**63, whole=True)
    if (recipe.seconds is None) == (recipe.games is None):
        raise InvalidOptionError(
            f"Training lasts for seconds or for games: give one of them, not "
            f"seconds={recipe.seconds!r} and games={recipe.games!r}."
        )
    if recipe.seconds is not None:
        _check("seconds", recipe.seconds, 0.1, 1e7)
    if recipe.games is not None:
        _check("games", recipe.games, 1, 2**40, whole=True)
    _check("rate", recipe.rate, 1e-6, 10)
    _check("last_rate", recipe.last_rate, 1e-7, 10)
    _check("trace", recipe.trace, 0, 1)
    _check("win_weight", recipe.win_weight, 0.01, 100)
    _check("average", recipe.average, 0, 0.99999)


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
