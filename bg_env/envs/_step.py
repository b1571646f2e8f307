"""The step kernel: a decision per game, then everything that decides itself.

`step_all` is `env.step` for any number of games. It knows no rule: it asks
`legal_decisions`, calls `apply_decision`, and stops at whoever has to choose next.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bg_env._jit import (
    count_bits,
    kernel,
    lowest_bit,
    parallel_kernel,
    prange,
    record_kernel,
)
from bg_env.rules._drive import is_forced
from bg_env.rules._game import (
    PASS_BIT,
    apply_decision,
    is_among,
    legal_decisions,
    write_mask,
)
from bg_env.rules._random import below
from bg_env.rules.decisions import LAST_MOVE, PASS, ROLL
from bg_env.rules.state import OPENING, OVER, Record, Records

# What a game waits for after a step (`status`).
LEARNER: Final = 0  # a decision of the learner, or of anyone in self-play
OPPONENT: Final = 1
ENDED: Final = 2  # the game is over
CAPPED: Final = 3  # `max_turns` turns are over
REFUSED: Final = 4  # the action was illegal and nothing was done
DONE: Final = 5  # its episode is over; a step leaves it alone

NO_SEAT: Final = -1  # self-play: the learner has both seats

# What `step_all` is to do.
PLAY: Final = 0
SETTLE: Final = 1  # after a change from outside: only what decides itself
BEGIN: Final = 2  # the same at the beginning of an episode
PLAY_AS_SHOWN: Final = 3  # as PLAY, what is legal being what was shown

# Illegal-action policies the kernel has to know.
REFUSE_ILLEGAL: Final = 0
PLAY_RANDOM: Final = 1

STEP_DTYPE: Final = np.dtype(
    [
        ("for_a", "i4"),  # what is shown as legal, as `legal_decisions` tells it
        ("for_b", "i4"),
        ("others", "i4"),
        ("seat", "i1"),  # the learner's player, or NO_SEAT
        ("status", "i1"),
        ("illegal", "i1"),  # 1 when the action of the last step was illegal
        ("actor", "i1"),  # the player who acted in the last step
        ("code", "i8"),  # the action; what was played instead, under PLAY_RANDOM
        ("lost", "i8"),  # rolls lost since the last step, nothing being playable
    ],
    align=True,
)
"""What stands beside each game's record on an environment's table."""

Step = Record
Steps = Records


@record_kernel
def is_learners(state: Record, step: Step) -> bool:
    """True when the player to act is the learner (or anyone, in self-play)."""
    return bool(step.seat == NO_SEAT or step.seat == state.to_act)


@kernel
def forced_code(others: int) -> int:
    """The code of the only legal decision of a forced state."""
    return PASS if others == PASS_BIT else ROLL


@record_kernel
def settle(state: Record, step: Step, auto_pass: bool, max_turns: int, at_reset: bool):  # type: ignore[no-untyped-def]
    """Play on until somebody must choose, then write status and legality. In place.

    Rolls and passes that are the only legal decision are played for the opponent
    always, for the learner with `auto_pass`; the opening roll always. At a reset
    the learner's own lost roll is shown instead.
    """
    while True:
        mine = is_learners(state, step)
        for_a, for_b, others = legal_decisions(state)
        if state.phase == OVER:
            step.status = ENDED
            break
        if mine and state.turn > max_turns:
            step.status = CAPPED
            break
        forced = is_forced(for_a, for_b, others)
        shown = mine and (not auto_pass or (at_reset and others == PASS_BIT))
        if not forced or (shown and state.phase != OPENING):
            step.status = LEARNER if mine else OPPONENT
            break
        if others == PASS_BIT:
            step.lost += 1
        apply_decision(state, forced_code(others))
    step.for_a = for_a
    step.for_b = for_b
    step.others = others


@kernel
def write_shown_masks(states: Records, steps: Steps, masks) -> None:  # type: ignore[no-untyped-def]
    """Write what is shown as legal to ``masks`` int8[B, 162], all zero before."""
    for i in range(states.shape[0]):
        step = steps[i]
        for_a, for_b, others = int(step.for_a), int(step.for_b), int(step.others)
        write_mask(states[i], for_a, for_b, others, masks[i])


@record_kernel
def random_code(state: Record, choices, i: int) -> int:  # type: ignore[no-untyped-def]
    """A legal decision, each equally likely, from stream ``choices`` uint64[B] at i."""
    for_a, for_b, others = legal_decisions(state)
    count_a, count_b = count_bits(for_a), count_bits(for_b)
    chosen = below(choices, i, count_a + count_b + count_bits(others))
    if chosen < count_a:
        return (nth_bit(for_a, chosen) - 1) * 6 + int(state.roll[0])
    chosen -= count_a
    if chosen < count_b:
        return (nth_bit(for_b, chosen) - 1) * 6 + int(state.roll[1])
    bit = nth_bit(others, chosen - count_b)
    return LAST_MOVE + bit if bit else PASS


@kernel
def nth_bit(bits: int, n: int) -> int:
    """Index of the n-th lowest set bit, counted from 0. There must be so many."""
    for _ in range(n):
        bits &= bits - 1
    return lowest_bit(bits)


@kernel
def write_random_codes(states: Records, choices, codes) -> None:  # type: ignore[no-untyped-def]
    """A legal decision of each game, uniform over the codes, to ``codes`` int64[B].

    ``choices`` uint64[B] are advanced in place.
    """
    for i in range(states.shape[0]):
        codes[i] = random_code(states[i], choices, i)


@record_kernel
def is_allowed(state: Record, step: Step, as_shown: bool) -> bool:
    """True when the action of a step is legal: as it was shown, or found afresh.

    What was shown suffices where nobody can have changed the record since.
    """
    for_a, for_b, others = int(step.for_a), int(step.for_b), int(step.others)
    if not as_shown:
        for_a, for_b, others = legal_decisions(state)
    return is_among(state, for_a, for_b, others, int(step.code))


@record_kernel
def act(  # type: ignore[no-untyped-def]
    state: Record, step: Step, policy: int, as_shown: bool, choices, i: int
) -> bool:
    """Apply the action of one step if it is legal, or what `policy` says. In place.

    Returns:
        Whether something was played.
    """
    step.lost = 0
    step.illegal = 0
    step.actor = state.to_act
    if state.phase == OVER:
        step.code = PASS  # the clock has ended it since the last step
    if not is_allowed(state, step, as_shown):
        step.illegal = 1
        if policy == REFUSE_ILLEGAL:
            step.status = REFUSED
            return False
        step.code = random_code(state, choices, i)
    apply_decision(state, int(step.code))
    return True


@kernel
def step_one(
    states: Records,
    steps: Steps,
    i: int,
    mode: int,
    policy: int,
    auto_pass: bool,
    max_turns: int,
) -> int:
    """`step_all` for game `i`. Returns 1 if its action was illegal, else 0."""
    state, step = states[i], steps[i]
    playing = mode in (PLAY, PLAY_AS_SHOWN)
    if playing:
        if step.status == DONE:
            return 0
        as_shown = mode == PLAY_AS_SHOWN
        if not act(state, step, policy, as_shown, states["choice_stream"], i):
            return 1
    settle(state, step, auto_pass, max_turns, mode == BEGIN)
    return int(step.illegal) if playing else 0


@kernel
def step_all(
    states: Records,
    steps: Steps,
    mode: int,
    policy: int,
    auto_pass: bool,
    max_turns: int,
) -> int:
    """Apply ``steps.code`` to each game and settle it. In place.

    Where the action is illegal the game stays untouched and its status is REFUSED,
    or (policy PLAY_RANDOM) a random legal decision is played instead. In the modes
    SETTLE and BEGIN nothing is applied: the games are only settled. A game that is
    over already takes any action as a pass.

    Returns:
        How many actions were illegal.
    """
    illegal = 0
    for i in range(states.shape[0]):
        illegal += step_one(states, steps, i, mode, policy, auto_pass, max_turns)
    return illegal


@parallel_kernel
def step_all_parallel(
    states: Records,
    steps: Steps,
    mode: int,
    policy: int,
    auto_pass: bool,
    max_turns: int,
) -> int:
    """`step_all` spread over threads: the same result, faster on an idle machine."""
    illegal = 0
    for i in prange(states.shape[0]):
        illegal += step_one(states, steps, i, mode, policy, auto_pass, max_turns)
    return illegal


def settle_all(
    states: Records, steps: Steps, auto_pass: bool, max_turns: int, at_reset: bool
) -> None:
    """`settle` every game. In place."""
    mode = BEGIN if at_reset else SETTLE
    step_all(states, steps, mode, REFUSE_ILLEGAL, auto_pass, max_turns)
