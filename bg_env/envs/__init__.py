"""Backgammon as a Gymnasium environment."""

from bg_env.envs.backgammon import BackgammonEnv
from bg_env.envs.registration import register_envs
from bg_env.envs.snapshots import Snapshot
from bg_env.envs.vector import BackgammonVectorEnv
from bg_env.envs.wrappers import DictObservation, PotentialShaping

__all__ = [
    "BackgammonEnv",
    "BackgammonVectorEnv",
    "DictObservation",
    "PotentialShaping",
    "Snapshot",
    "register_envs",
]
