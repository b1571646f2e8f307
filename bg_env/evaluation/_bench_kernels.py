"""Kernels of the benchmarks: work that a user's kernel would do, without Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.rules._game import apply_decision, has_option
from bg_env.rules._plays import write_plays
from bg_env.rules._random import below
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import LEAST_WASTE, OVER, PlayArrays, Record, Records, Scratch

_16 = np.uint64(16)
_LOW_16 = np.uint64(0xFFFF)


@record_kernel
def play_random_turn(
    state: Record,
    choices: NDArray[np.uint64],
    i: int,
    plays: PlayArrays,
    scratch: Scratch,
) -> None:
    """Play one of the distinct results of the roll, each equally likely. In place."""
    number = write_plays(
        state.board,
        state.words,
        state.roll,
        state.left,
        has_option(state, LEAST_WASTE),
        plays,
        scratch,
    )
    if number == 0:
        apply_decision(state, PASS)
        return
    codes = plays[2][below(choices, i, number)]
    while codes:
        apply_decision(state, int(np.int64(codes & _LOW_16)))
        codes >>= _16


@kernel
def play_random_games(
    states: Records, plays: PlayArrays, scratch: Scratch, most: int
) -> int:
    """Play every game to its end, cubeless, whole turns at random. In place.

    Returns:
        How many turns were played.
    """
    choices = states["choice_stream"]
    turns = 0
    for i in range(states.shape[0]):
        state = states[i]
        while state.phase != OVER and state.turn <= most:
            apply_decision(state, ROLL)
            play_random_turn(state, choices, i, plays, scratch)
        turns += state.turn
    return turns
