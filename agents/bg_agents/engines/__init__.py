"""Engines of others, each in a process of its own: GNU Backgammon and Open Sage."""

from bg_agents.engines.agent import EngineAgent
from bg_agents.engines.process import EngineError, EngineProcess

__all__ = ["EngineAgent", "EngineError", "EngineProcess"]
