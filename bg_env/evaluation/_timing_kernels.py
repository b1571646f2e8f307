"""Kernels of the arena's clock: time charged to many games, claims made in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, record_kernel
from bg_env.rules._game import award_claim, charge_clock, is_flagged
from bg_env.rules.state import OPENING, OVER, Record, Records


@kernel
def charge_all(
    states: Records, milliseconds: NDArray[np.int64], fell: NDArray[np.bool_]
) -> None:
    """Charge the player to act of every game. In place.

    Args:
        states: STATE_DTYPE[B].
        milliseconds: int64[B], 0 or more; 0 touches nothing, as no time has passed.
        fell: bool[B], written: whether his flag has fallen now.
    """
    for i in range(states.shape[0]):
        state = states[i]
        player = int(state.to_act)
        had_time = not is_flagged(state, player)
        if milliseconds[i] > 0:
            charge_clock(state, player, int(milliseconds[i]))
        fell[i] = had_time and is_flagged(state, player)


@record_kernel
def claim_against(state: Record, player: int, claims: int) -> None:
    """End the game if a player is flagged and his opponent claims. In place.

    Nothing is claimed in a finished game, nor before the opening roll.
    """
    if claims and state.phase not in (OPENING, OVER) and is_flagged(state, player):
        award_claim(state, 1 - player)


@kernel
def claim_all(
    states: Records, seats: NDArray[np.int64], claims: NDArray[np.bool_]
) -> None:
    """Claim in every game for the agents that do so at once. In place.

    Args:
        states: STATE_DTYPE[B].
        seats: int64[B], the player who is agent a.
        claims: bool[2], whether agent a claims at once, and whether agent b does.
    """
    for i in range(states.shape[0]):
        state = states[i]
        waiting = 1 - int(state.to_act)  # his opponent thinks, so he is the first
        for player in (waiting, 1 - waiting):
            agent = 0 if seats[i] == player else 1
            claim_against(state, 1 - player, 1 if claims[agent] else 0)
