"""The chouette, backgammon for three and more players: game, session, score sheet."""

from bg_env.table._chouette_game import Chouette, ChouetteEvent
from bg_env.table._chouette_rules import roll_order
from bg_env.table._chouette_session import ChouetteSession, Decider, play_sessions
from bg_env.table._chouette_sheet import GameRow, ScoreSheet
from bg_env.table._chouette_state import (
    BOX,
    MEMBER,
    STAGES,
    ChouetteState,
    Payment,
    Question,
)
from bg_env.table._chouette_text import render_chouette

__all__ = [
    "BOX",
    "MEMBER",
    "STAGES",
    "Chouette",
    "ChouetteEvent",
    "ChouetteSession",
    "ChouetteState",
    "Decider",
    "GameRow",
    "Payment",
    "Question",
    "ScoreSheet",
    "play_sessions",
    "render_chouette",
    "roll_order",
]
