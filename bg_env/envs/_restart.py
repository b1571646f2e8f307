"""The autoreset kernel: new episodes of self-play, in place on the table."""

from __future__ import annotations

from bg_env._jit import kernel
from bg_env.envs._step import LEARNER, NO_SEAT, Steps, settle
from bg_env.rules.state import Records


@kernel
def restart_some(  # type: ignore[no-untyped-def]
    states: Records,
    steps: Steps,
    part,
    fresh: Records,
    auto_pass: bool,
    max_turns: int,
) -> None:
    """Begin an episode of self-play in the games ``part`` int64[N]. In place.

    Each game becomes a copy of ``fresh[0]`` whose streams go on, and is settled as at
    a reset.
    """
    dice, choices = states["dice_stream"], states["choice_stream"]
    for k in range(part.shape[0]):
        i = part[k]
        dice_stream, choice_stream = dice[i], choices[i]
        states[i] = fresh[0]
        dice[i] = dice_stream
        choices[i] = choice_stream
        state, step = states[i], steps[i]
        step.seat = NO_SEAT
        step.status = LEARNER
        step.illegal = 0
        step.actor = 0
        step.code = 0
        step.lost = 0
        settle(state, step, auto_pass, max_turns, True)
