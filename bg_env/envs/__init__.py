"""Backgammon as a Gymnasium environment."""

from bg_env.envs.backgammon import BackgammonEnv
from bg_env.envs.registration import register_envs
from bg_env.envs.snapshots import Snapshot

__all__ = ["BackgammonEnv", "Snapshot", "register_envs"]
