"""Backgammon as a Gymnasium environment."""

from bg_env.envs.backgammon import BackgammonEnv, Snapshot
from bg_env.envs.registration import register_envs

__all__ = ["BackgammonEnv", "Snapshot", "register_envs"]
