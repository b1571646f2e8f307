"""Kernels of rewards: what a finished game brought, and the worst that may come."""

from __future__ import annotations

from typing import Any, Final

from bg_env._jit import kernel, record_kernel
from bg_env.encoding._view import has_bit, is_single_only
from bg_env.equity._kernels import (
    chance_after,
    chance_at_score,
    is_after_crawford_next,
    is_after_crawford_now,
)
from bg_env.rules.state import (
    CLAIM_MATCH,
    CLAIM_SINGLE,
    CLOCK,
    DOUBLED,
    DROPPED,
    NO_BACKGAMMON,
    OVER,
    RESIGN_OFFER,
    RESIGNED,
)

# Kinds of reward.
POINTS: Final = 0
WIN: Final = 1
MATCH: Final = 2
MWC: Final = 3


@record_kernel
def counted_level(state: Any) -> int:
    """The level a finished game is paid at: 1, 2 or 3 (R20, R22, R28)."""
    ending = int(state["ending"])
    if ending == DROPPED:
        return 1
    is_agreed = ending == RESIGNED and has_bit(state, RESIGN_OFFER)
    if is_single_only(state) and not is_agreed:
        return 1
    return int(state["level"])


@record_kernel
def paid_points(state: Any, weights: Any) -> float:
    """Points of a finished game: the record's, or cube × weight of the level (R21)."""
    if weights.shape[0] == 0:
        return float(state["points"])
    return float(state["cube"]) * float(weights[counted_level(state) - 1])


@record_kernel
def match_won(state: Any) -> float:
    """1 if the finished game ended the match, else 0 (R25)."""
    length = int(state["match_length"])
    is_won = length > 0 and int(state["score"][int(state["winner"])]) >= length
    return 1.0 if is_won else 0.0


@kernel
def chance_before(pre: Any, post: Any, state: Any) -> float:
    """Player 0's match-winning chance at the start of a finished game."""
    points = int(state["points"])
    won_by_0 = int(state["winner"]) == 0
    score_0 = int(state["score"][0]) - (points if won_by_0 else 0)
    score_1 = int(state["score"][1]) - (0 if won_by_0 else points)
    is_post = is_after_crawford_now(state)
    return chance_at_score(pre, post, state, score_0, score_1, is_post)


@record_kernel
def chance_won(state: Any, pre: Any, post: Any) -> float:
    """Match-winning chance that a finished game brought its winner."""
    change = chance_after(pre, post, state) - chance_before(pre, post, state)
    return change if int(state["winner"]) == 0 else -change


@record_kernel
def winners_reward(state: Any, kind: int, weights: Any, pre: Any, post: Any) -> float:
    """What the winner of a finished game gets, before scaling."""
    if kind == POINTS:
        return paid_points(state, weights)
    if kind == WIN:
        return 1.0
    if kind == MATCH:
        return match_won(state)
    return chance_won(state, pre, post)


@kernel
def write_rewards(
    states: Any, kind: int, weights: Any, scale: float, pre: Any, post: Any, out: Any
) -> int:
    """Write the rewards of both players of every game; zeros where it is not over.

    Args:
        states: ``STATE_DTYPE[B]``.
        kind: POINTS, WIN, MATCH or MWC.
        weights: ``float64[3]`` by level, or ``float64[0]``: the record's points.
        scale: A factor on everything.
        pre: ``float64[N, N]`` of the match equity table; empty unless MWC.
        post: ``float64[N]`` of the match equity table; empty unless MWC.
        out: ``float64[B, 2]`` by player, written in place; each row adds up to 0.

    Returns:
        How many games are over.
    """
    finished = 0
    for index in range(states.shape[0]):
        state = states[index]
        out[index, 0] = 0.0
        out[index, 1] = 0.0
        if int(state["phase"]) == OVER:
            finished += 1
            winner = int(state["winner"])
            reward = winners_reward(state, kind, weights, pre, post) * scale
            out[index, winner] += reward
            out[index, 1 - winner] -= reward
    return finished


# --- the worst that may come -----------------------------------------------------


@record_kernel
def stake(state: Any) -> int:
    """What the cube stands for: with a double pending, what it is once taken (R20)."""
    cube = int(state["cube"])
    return 2 * cube if int(state["phase"]) == DOUBLED else cube


@record_kernel
def worst_level(state: Any, player: int) -> int:
    """The highest level a player can still lose at (R17, R22, R29)."""
    if is_single_only(state) and int(state["phase"]) != DOUBLED:
        return 1
    row = 0 if int(state["on_roll"]) == player else 1
    if int(state["board"][row, 0]) == 0:
        return 2 if has_bit(state, NO_BACKGAMMON) else 3
    may_be_claimed = has_bit(state, CLOCK) and not has_bit(
        state, CLAIM_SINGLE | CLAIM_MATCH
    )
    return 2 if may_be_claimed else 1


@record_kernel
def worst_points(state: Any, player: int, weights: Any) -> float:
    """The most points a player can lose at the present stake."""
    level = worst_level(state, player)
    factor = float(state["backgammon_points"]) if level == 3 else float(level)
    if weights.shape[0] > 0:
        factor = float(weights[0])
        for index in range(1, level):
            factor = max(factor, float(weights[index]))
    return stake(state) * factor


@record_kernel
def worst_chance(state: Any, player: int, weights: Any, pre: Any, post: Any) -> float:
    """The most match-winning chance a player can lose at the present stake."""
    score_0, score_1 = int(state["score"][0]), int(state["score"][1])
    is_post = is_after_crawford_now(state)
    now = chance_at_score(pre, post, state, score_0, score_1, is_post)
    lost = int(worst_points(state, player, weights))
    if has_bit(state, CLOCK) and has_bit(state, CLAIM_MATCH):
        lost = int(state["match_length"])
    if player == 0:
        score_1 += lost
    else:
        score_0 += lost
    is_post = is_after_crawford_next(state)
    change = now - chance_at_score(pre, post, state, score_0, score_1, is_post)
    return change if player == 0 else -change


@kernel
def write_worst_losses(
    states: Any, kind: int, weights: Any, scale: float, pre: Any, post: Any, out: Any
) -> int:
    """Write the worst loss of the player to act of every game; 0 where it is over.

    Args:
        states: ``STATE_DTYPE[B]``.
        kind: POINTS, WIN, MATCH or MWC.
        weights: As in `write_rewards`.
        scale: As in `write_rewards`.
        pre: As in `write_rewards`.
        post: As in `write_rewards`.
        out: ``float64[B]``, not negative, written in place.
    """
    for index in range(states.shape[0]):
        state = states[index]
        player = int(state["to_act"])
        loss = 1.0
        if int(state["phase"]) == OVER:
            loss = 0.0
        elif kind == POINTS:
            loss = worst_points(state, player, weights)
        elif kind == MWC:
            loss = worst_chance(state, player, weights, pre, post)
        out[index] = loss * scale
    return int(states.shape[0])
