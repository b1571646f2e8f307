"""The ``expert`` observation: all of ``tesauro``, then the hand-made features."""

from __future__ import annotations

from typing import Any, Final

from bg_env._jit import kernel
from bg_env.encoding._expert_features import FEATURES, write_features
from bg_env.encoding._tesauro import SIZE as FEATURES_AT
from bg_env.encoding._tesauro import write_tesauro
from bg_env.encoding._view import viewer_of

SIZE: Final = FEATURES_AT + FEATURES


@kernel
def encode_expert(states: Any, viewers: Any, out: Any) -> int:
    """Write the observation of every game.

    Args:
        states: ``STATE_DTYPE[B]``.
        viewers: ``int8[B]`` players; below 0, or an empty array: the player to act.
        out: ``float32[B, SIZE]``, written in place.
    """
    for index in range(states.shape[0]):
        state = states[index]
        viewer = viewer_of(state, viewers, index)
        row = 0 if int(state["on_roll"]) == viewer else 1
        seen = out[index]
        write_tesauro(state, viewer, seen[:FEATURES_AT])
        write_features(state["board"], row, seen[FEATURES_AT:])
    return int(states.shape[0])
