"""Engines of others, each in a process of its own: GNU Backgammon and Open Sage."""

from bg_agents.engines.agent import EngineAgent
from bg_agents.engines.process import EngineProcess
from bg_env.errors import EngineError

__all__ = ["EngineAgent", "EngineError", "EngineProcess"]
