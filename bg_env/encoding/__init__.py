"""Observations and rewards: states as arrays for learners."""

from bg_env.encoding._layouts import Part
from bg_env.encoding.encoders import (
    Encoder,
    encoder_names,
    make_encoder,
    register_encoder,
)
from bg_env.encoding.rewards import RewardSpec, rewards, worst_loss

__all__ = [
    "Encoder",
    "Part",
    "RewardSpec",
    "encoder_names",
    "make_encoder",
    "register_encoder",
    "rewards",
    "worst_loss",
]
