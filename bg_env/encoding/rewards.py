"""Rewards: what a game was worth to each player, terminal and zero-sum."""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from bg_env.encoding import _rewards as kernels
from bg_env.equity import DEFAULT_TABLE, MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.options import Rules

_KINDS: Final = {
    "points": kernels.POINTS,
    "win": kernels.WIN,
    "match": kernels.MATCH,
    "mwc": kernels.MWC,
}
_NO_WEIGHTS: Final = (np.empty(0), np.empty((0, 0)), np.empty(0))

Arguments = tuple[
    int, NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64]
]


@dataclass(frozen=True)
class RewardSpec:
    """What the end of a game is worth. Frozen and hashable.

    Raises:
        InvalidOptionError: A value or combination that cannot be.
        UnknownNameError: No match equity table of that name.

    >>> RewardSpec("points", scale=1 / 3).kind
    'points'
    """

    kind: Literal["points", "win", "match", "mwc"] = "points"
    """"points" = what the game paid (cube × 1, 2 or 3); "win" = 1 for each game;
    "match" = 1 for the match, 0 for its other games; "mwc" = the change of
    match-winning chance by a table. The loser gets the same with a minus."""
    _: KW_ONLY
    weights: tuple[float, float, float] | None = None
    """For "points": cube × the weight of single, gammon, backgammon instead."""
    scale: float = 1.0
    """A factor on every reward."""
    table: str = DEFAULT_TABLE
    """For "mwc": the match equity table, a name or a path ending in ``.json``."""

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InvalidOptionError(
                f"Reward kind is one of {', '.join(map(repr, _KINDS))}, "
                f"not {self.kind!r}."
            )
        if not _is_number(self.scale) or self.scale <= 0:
            raise InvalidOptionError(
                f"Reward scale is a number above 0, not {self.scale!r}."
            )
        if self.weights is not None:
            self._check_weights(self.weights)
        if self.kind == "mwc":
            load_table(self.table)

    def _check_weights(self, weights: Any) -> None:
        if self.kind != "points":
            raise InvalidOptionError(
                f"Reward weights={weights!r} go with kind 'points' only, "
                f"not with {self.kind!r}."
            )
        good = isinstance(weights, tuple) and len(weights) == 3
        if not good or not all(
            _is_number(weight) and weight >= 0 for weight in weights
        ):
            raise InvalidOptionError(
                f"Reward weights are a tuple of three numbers, 0 or more, for single, "
                f"gammon and backgammon, not {weights!r}."
            )

    def check(self, rules: Rules) -> None:
        """Refuse rules that this reward cannot be given for.

        Raises:
            InvalidOptionError: "match" or "mwc" in money play; "mwc" in a match
                longer than its table.
        """
        if self.kind in ("match", "mwc") and rules.match_length == 0:
            raise InvalidOptionError(
                f"Reward {self.kind!r} needs a match; match_length is 0, so take "
                f"'points' or 'win'."
            )
        if self.kind == "mwc":
            self.equity_table().check_match_length(rules.match_length)

    def equity_table(self) -> MatchEquityTable:
        """The match equity table of "mwc"."""
        return load_table(self.table)

    @functools.cached_property
    def arguments(self) -> Arguments:
        """(kind, weights, scale, pre, post) as the reward kernels take them."""
        weights, pre, post = _NO_WEIGHTS
        if self.weights is not None:
            weights = np.array(self.weights, np.float64)
        if self.kind == "mwc":
            table = self.equity_table()
            pre, post = table.pre.copy(), table.post_crawford_trailer.copy()
        return _KINDS[self.kind], weights, float(self.scale), pre, post


def rewards(states: NDArray[Any], spec: RewardSpec) -> NDArray[np.float64]:
    """Rewards of both players of every game: zeros where it is not over.

    Does not check that the games go with the reward (`RewardSpec.check`).

    Args:
        states: ``STATE_DTYPE[B]``.
        spec: What a game is worth. Points are the record's own, which has the rules
            of Jacoby, drops and resignations in it. With weights, those rules
            decide the level: a drop, and a gammon without a double taken under
            Jacoby, weigh as a single game.

    Returns:
        ``float64[B, 2]`` by player; each row adds up to exactly 0.
    """
    out = np.empty((len(states), 2), np.float64)
    kernels.write_rewards(states, *spec.arguments, out)
    return out


def worst_loss(states: NDArray[Any], spec: RewardSpec) -> NDArray[np.float64]:
    """How much the player to act can still lose in this game, as a magnitude.

    It is the loss at the present stake (that of a pending double once taken): a
    backgammon if he has borne off nothing, else a single game, or a gammon if the
    opponent may claim one on time. Under Jacoby without a double it is a single game.
    Further doubles and resigning are left out: they need his own consent.

    Args:
        states: ``STATE_DTYPE[B]``.
        spec: What a game is worth.

    Returns:
        ``float64[B]``, not negative; 0 where the game is over.
    """
    out = np.empty(len(states), np.float64)
    kernels.write_worst_losses(states, *spec.arguments, out)
    return out


def _is_number(value: Any) -> bool:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return good and math.isfinite(value)
