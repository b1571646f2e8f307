"""How networks are trained: recipes, which a checkpoint keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bg_agents.nets import MOST_CLASSES, check_hidden
from bg_agents.sieves import MOST_KEPT, check_most, check_units
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
class BufferedRecipe:
    """How a network goes on from another, all rolls of each position looked at.

    Games are played by the running mean of the weights; their positions go to a buffer
    from which batches are drawn for Adam. The learning rate falls with a cosine.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    start: tuple[str, ...] = ()
    """The networks to go on from, files or names of those that come along; several are
    merged into one."""
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
    average: float = 0.999
    """The weights of the last batch count 1 − `average` in the running mean."""
    batch: int = 512
    """Positions of a batch."""
    replay: int = 6
    """How often a position is learnt from, in the mean."""
    buffer: int = 150_000
    """How many positions are kept to draw from."""
    keep: float = 0.15
    """Plays that the sieve of the first network to go on from, or of ``td-small`` if
    that has none, rates lower than its best by more are ruled out; 0 = none are."""
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
                "Argument start is empty; this training goes on from a network: give "
                "its file."
            )


@dataclass(frozen=True, kw_only=True)
class ExactRecipe(BufferedRecipe):
    """How a trained network goes on with exact targets (`bg_agents._exact`).

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    win_weight: float = 2.0
    """How much the winning chance counts in the loss, the other four counting 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check("win_weight", self.win_weight, 0.01, 100)


@dataclass(frozen=True, kw_only=True)
class CubeRecipe(BufferedRecipe):
    """How a trained network learns the cube of money play (`bg_agents._cube_exact`).

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    average: float = 0.998
    """The weights of the last batch count 1 − `average` in the running mean."""
    buffer: int = 100_000
    """How many positions are kept to draw from: what is bootstrapped should not lag."""
    keep: float = 0.2
    """Plays that the sieve of `td-small` rates lower than its best by more are ruled
    out; 0 = none are. The cube makes other plays best than those without it."""


@dataclass(frozen=True, kw_only=True)
class SieveRecipe:
    """How a network gets a sieve that rules out plays (`bg_agents._sieve_training`).

    The network plays with itself, and the sieve learns the order in which it puts the
    plays of each roll. The learning rate falls with a cosine.

    Raises:
        InvalidOptionError: A value that cannot be.
    """

    start: tuple[str, ...] = ()
    """The network, a file or the name of one that comes along."""
    hidden: int = 48
    """Hidden units of the sieve."""
    seed: int = 0
    """Fixes the first weights, all dice and batches."""
    seconds: float | None = None
    """How long to train."""
    games: int | None = None
    """How many games to train on."""
    rate: float = 2e-3
    """Learning rate of the first batch."""
    last_rate: float = 5e-5
    """Learning rate of the last batch."""
    temperature: float = 0.02
    """How near the best a play must be to count much, in points."""
    odd: float = 0.1
    """In this share of the turns any play is made, so that odd positions are met."""
    average: float = 0.999
    """The weights of the last batch count 1 − `average` in the running mean."""
    batch: int = 64
    """Rolls of a batch."""
    replay: int = 3
    """How often a roll is learnt from."""
    keep: float = 0.1
    """Plays that the sieve rates lower than its best by more are ruled out."""
    most: int = MOST_KEPT
    """How many plays of a roll it leaves at most."""

    def __post_init__(self) -> None:
        check_units(self.hidden)
        check_most(self.most)
        _check_length(self)
        _check("temperature", self.temperature, 1e-3, 10)
        _check("odd", self.odd, 0, 1)
        _check("batch", self.batch, 1, 2**20, whole=True)
        _check("replay", self.replay, 1, 1000, whole=True)
        _check("keep", self.keep, 1e-3, 6)
        if len(self.start) != 1:
            raise InvalidOptionError(
                f"Argument start is one network, for which a sieve is made; give its "
                f"file, not {', '.join(self.start) or 'nothing'}."
            )


def _check_common(recipe: Recipe | BufferedRecipe) -> None:
    _check_length(recipe)
    _check("trace", recipe.trace, 0, 1)


def _check_length(recipe: Recipe | BufferedRecipe | SieveRecipe) -> None:
    _check("seed", recipe.seed, 0, 2**63, whole=True)
    if (recipe.seconds is None) == (recipe.games is None):
        raise InvalidOptionError(
            f"Training lasts for seconds or for games: give one of them, not "
            f"seconds={recipe.seconds!r} and games={recipe.games!r}."
        )
    if recipe.seconds is not None:
        _check("seconds", recipe.seconds, 0.1, 10_000_000)
    if recipe.games is not None:
        _check("games", recipe.games, 1, 2**40, whole=True)
    _check("rate", recipe.rate, 1e-6, 10)
    _check("last_rate", recipe.last_rate, 1e-7, 10)
    _check("average", recipe.average, 0, 0.99999)


def _check(
    name: str, value: Any, low: float, high: float, *, whole: bool = False
) -> None:
    kinds = int if whole else (int, float)
    good = isinstance(value, kinds) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        least, most = (
            f"{bound:,}" if whole else f"{bound:,g}" for bound in (low, high)
        )
        raise InvalidOptionError(
            f"Training option {name} is {kind} of {least} to {most}, not {value!r}."
        )
