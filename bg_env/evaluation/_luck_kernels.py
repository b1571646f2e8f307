"""Kernel of the luck book: forced decisions, one roll at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.rules._drive import is_forced
from bg_env.rules._game import PASS_BIT, apply_decision, legal_decisions
from bg_env.rules.decisions import PASS, ROLL
from bg_env.rules.state import OVER, Record, Records


@record_kernel
def play_forced_to_roll(state: Record, max_turns: int) -> bool:
    """As `play_forced`, but stops after a roll. In place.

    Returns:
        Whether it stopped because the dice have been rolled.
    """
    while state.phase != OVER and state.turn <= max_turns:
        for_a, for_b, others = legal_decisions(state)
        if not is_forced(for_a, for_b, others):
            return False
        if others != PASS_BIT:
            apply_decision(state, ROLL)
            return True
        apply_decision(state, PASS)
    return False


@kernel
def play_all_forced_to_roll(
    states: Records, max_turns: int, rolled: NDArray[np.bool_]
) -> None:
    """`play_forced_to_roll` for every game; writes ``rolled`` bool[B]. In place."""
    for i in range(states.shape[0]):
        rolled[i] = play_forced_to_roll(states[i], max_turns)
