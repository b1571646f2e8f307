"""Kernels that drive games on: forced decisions, whole plays, plays of many states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.rules._game import (
    ACCEPT_BIT,
    PASS_BIT,
    REFUSE_BIT,
    ROLL_BIT,
    TAKE_BIT,
    apply_decision,
    has_option,
    is_legal_code,
    legal_decisions,
)
from bg_env.rules._plays import write_plays
from bg_env.rules.decisions import ACCEPT, PASS, REFUSE, ROLL, TAKE
from bg_env.rules.state import (
    LEAST_WASTE,
    MOVING,
    NO_BACKGAMMON,
    OVER,
    PlayArrays,
    Record,
    Records,
    Scratch,
)


@kernel
def is_forced(for_a: int, for_b: int, others: int) -> bool:
    """True when to pass or to roll is the only legal decision."""
    return for_a | for_b == 0 and (others in (PASS_BIT, ROLL_BIT))


@record_kernel
def play_forced(state: Record, max_turns: int) -> int:
    """Roll and pass while nothing else is legal. In place.

    Stops at a decision, at the end of the game, and when turn `max_turns` is over.

    Returns:
        How many rolls were lost because nothing could be played.
    """
    lost = 0
    while state.phase != OVER and state.turn <= max_turns:
        for_a, for_b, others = legal_decisions(state)
        if not is_forced(for_a, for_b, others):
            break
        if others == PASS_BIT:
            lost += 1
            apply_decision(state, PASS)
        else:
            apply_decision(state, ROLL)
    return lost


@kernel
def play_all_forced(states: Records, max_turns: int, lost: NDArray[np.int64]) -> None:
    """`play_forced` for every game; adds to ``lost`` int64[B]. In place."""
    for i in range(states.shape[0]):
        lost[i] += play_forced(states[i], max_turns)


@record_kernel
def apply_sequence(state: Record, codes: NDArray[np.int64]) -> int:
    """Apply the decisions ``codes`` int[4] one after the other. In place.

    After the first, 0 means "no more". Stops at an illegal one; to decide for the
    other player, when the turn has passed, is illegal too.

    Returns:
        −1 when all were legal, else the index of the first that was not.
    """
    player = int(state.to_act)
    for k in range(codes.shape[0]):
        code = int(codes[k])
        if k > 0 and code == 0:
            break
        if state.to_act != player or not is_legal_code(state, code):
            return k
        apply_decision(state, code)
    return -1


@kernel
def apply_sequences(
    states: Records, codes: NDArray[np.int64], illegal: NDArray[np.int8]
) -> None:
    """`apply_sequence` for every game. In place.

    Args:
        states: STATE_DTYPE[B].
        codes: int64[B, 4].
        illegal: int8[B], written: −1, or the index of the first illegal decision.
    """
    for i in range(states.shape[0]):
        illegal[i] = apply_sequence(states[i], codes[i])


@kernel
def write_state_plays(
    states: Records,
    plays: PlayArrays,
    scratch: Scratch,
    offsets: NDArray[np.int64],
) -> int:
    """Write the plays of the dice left of many games one after the other.

    Args:
        states: STATE_DTYPE[B]; those not in phase MOVING get no plays.
        plays: Buffers as for `write_plays`.
        scratch: As for `write_plays`.
        offsets: int64[B + 1], written: plays of game i are
            offsets[i] .. offsets[i + 1] − 1.

    Returns:
        Total number of plays, −1 when the buffer is too small.
    """
    boards, words, codes = plays
    total = 0
    offsets[0] = 0
    for i in range(states.shape[0]):
        state = states[i]
        if state.phase == MOVING:
            rest = (boards[total:], words[total:], codes[total:])
            number = write_plays(
                state.board,
                state.words,
                state.roll,
                state.left,
                has_option(state, LEAST_WASTE),
                rest,
                scratch,
            )
            if number < 0:
                return -1
            total += number
        offsets[i + 1] = total
    return total


@record_kernel
def simple_answer(state: Record) -> int:
    """What a player without a cube policy decides where no checker is to be moved.

    Never doubles, beavers, resigns or claims, always takes, and accepts a
    resignation only at the highest level.
    """
    _, _, others = legal_decisions(state)
    if others & ROLL_BIT:
        return ROLL
    if others & TAKE_BIT:
        return TAKE
    if others & (ACCEPT_BIT | REFUSE_BIT):
        highest = 2 if has_option(state, NO_BACKGAMMON) else 3
        return ACCEPT if state.offer >= highest else REFUSE
    return PASS


@kernel
def write_simple_answers(states: Records, codes: NDArray[np.int64]) -> None:
    """`simple_answer` of every game into ``codes`` int64[B]."""
    for i in range(states.shape[0]):
        codes[i] = simple_answer(states[i])
