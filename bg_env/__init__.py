"""Backgammon for reinforcement learning.

Importing this package registers ``Backgammon-v0``, ``Backgammon-Cubeless-v0`` and
``Backgammon-Match-v0`` with Gymnasium.
"""

from importlib.metadata import version

from bg_env.agent import (
    Agent,
    Evaluator,
    PlayChooser,
    PlayingAgent,
    agent_names,
    make_agent,
    register_agent,
)
from bg_env.encoding import Encoder, RewardSpec, make_encoder
from bg_env.envs import BackgammonEnv, register_envs
from bg_env.errors import (
    BgEnvError,
    EngineError,
    IllegalActionError,
    IllegalPlayError,
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
    MissingExtraError,
    UnknownNameError,
)
from bg_env.notation import (
    format_gnu_id,
    format_play,
    format_xgid,
    parse_gnu_id,
    parse_moves,
    parse_play,
    parse_xgid,
)
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move, Play, legal_moves, legal_plays, perft
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position

__version__ = version("bg-env")

__all__ = [
    "Agent",
    "BackgammonEnv",
    "BgEnvError",
    "Clock",
    "Encoder",
    "EngineError",
    "Evaluator",
    "GameState",
    "IllegalActionError",
    "IllegalPlayError",
    "InvalidNotationError",
    "InvalidOptionError",
    "InvalidPositionError",
    "MissingExtraError",
    "Move",
    "Play",
    "PlayChooser",
    "PlayingAgent",
    "Position",
    "RewardSpec",
    "Rules",
    "UnknownNameError",
    "__version__",
    "agent_names",
    "format_gnu_id",
    "format_play",
    "format_xgid",
    "legal_moves",
    "legal_plays",
    "make_agent",
    "make_encoder",
    "parse_gnu_id",
    "parse_moves",
    "parse_play",
    "parse_xgid",
    "perft",
    "register_agent",
]

register_envs()
