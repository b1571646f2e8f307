"""Backgammon for people: games, matches and sessions at a table, by name and in words.

Everything is carried out by the same rules as in the environments; what is added is
what belongs to people: plays that can be taken back until they are final (R36), rolls
out of turn (R37), illegal plays that stand until they are called (R38), a clock that
runs (R29), a history in words, saving and loading.
"""

from bg_env.table.chouette import Chouette, ChouetteSession, ScoreSheet
from bg_env.table.clock import CLOCK_PRESETS, TableClock, clock_preset
from bg_env.table.game import Game
from bg_env.table.history import Event
from bg_env.table.match import Match
from bg_env.table.session import Session, SheetRow

__all__ = [
    "CLOCK_PRESETS",
    "Chouette",
    "ChouetteSession",
    "Event",
    "Game",
    "Match",
    "ScoreSheet",
    "Session",
    "SheetRow",
    "TableClock",
    "clock_preset",
]
