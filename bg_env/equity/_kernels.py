"""Kernels of match equity: the chance of one score, and of a batch of games."""

from __future__ import annotations

from typing import Any

import numpy as np

from bg_env._jit import kernel
from bg_env.rules.state import (
    CRAWFORD_GAME,
    CRAWFORD_NOT_YET,
    CRAWFORD_RULE,
    OVER,
)


@kernel
def match_chance(
    pre: Any, post: Any, away_0: int, away_1: int, is_post_crawford: bool
) -> float:
    """Chance of the player with `away_0` to win the match; NaN beyond the table.

    Args:
        pre: ``float64[N, N]``, by points away − 1 of both.
        post: ``float64[N]``, of the trailer, by his points away − 1.
        away_0: Points he still needs; 0 or less = he has won.
        away_1: Points the other still needs; at most one of both is 0 or less.
        is_post_crawford: The Crawford game is over, or the rule is off.
    """
    size = pre.shape[0]
    if away_0 <= 0:
        return 1.0
    if away_1 <= 0:
        return 0.0
    if away_0 > size or away_1 > size:
        return np.nan
    if is_post_crawford and away_1 == 1:
        return float(post[away_0 - 1])
    if is_post_crawford and away_0 == 1:
        return 1.0 - float(post[away_1 - 1])
    return float(pre[away_0 - 1, away_1 - 1])


@kernel
def match_chances(
    pre: Any, post: Any, away_0: Any, away_1: Any, is_post_crawford: Any, out: Any
) -> int:
    """`match_chance` of ``int64[B]`` scores into ``out`` (``float64[B]``, in place)."""
    for index in range(out.shape[0]):
        out[index] = match_chance(
            pre,
            post,
            int(away_0[index]),
            int(away_1[index]),
            is_post_crawford[index] != 0,
        )
    return int(out.shape[0])


@kernel
def is_after_crawford_now(state: Any) -> bool:
    """With a player 1 away: this game is not the Crawford game (R26)."""
    return int(state["crawford"]) != CRAWFORD_GAME


@kernel
def is_after_crawford_next(state: Any) -> bool:
    """With a player 1 away: the next game will not be the Crawford game (R26).

    The game just finished was the Crawford game or a later one, or there is no such
    rule. ``crawford`` of a finished record is that of the finished game.
    """
    has_rule = (int(state["options"]) & CRAWFORD_RULE) != 0
    return not has_rule or int(state["crawford"]) != CRAWFORD_NOT_YET


@kernel
def chance_at_score(
    pre: Any, post: Any, state: Any, score_0: int, score_1: int, is_post_crawford: bool
) -> float:
    """`match_chance` of player 0 of one record, were the score this one."""
    length = int(state["match_length"])
    return match_chance(pre, post, length - score_0, length - score_1, is_post_crawford)


@kernel
def chance_after(pre: Any, post: Any, state: Any) -> float:
    """Player 0's chance at the record's score: at the start of the next game."""
    is_over = int(state["phase"]) == OVER
    is_post = is_after_crawford_next(state) if is_over else is_after_crawford_now(state)
    return chance_at_score(
        pre, post, state, int(state["score"][0]), int(state["score"][1]), is_post
    )


@kernel
def chances_after(pre: Any, post: Any, states: Any, out: Any) -> int:
    """`chance_after` of a batch into ``out`` (``float64[B]``, written in place)."""
    for index in range(states.shape[0]):
        out[index] = chance_after(pre, post, states[index])
    return int(states.shape[0])
