"""GNU Backgammon and Open Sage as players of the full game: `gnubg`, `sage`.

The chances are theirs, the cube is turned by `bg_env.search.cube`.
"""

from __future__ import annotations

from bg_agents.engines import EngineAgent
from bg_agents.gnubg_agent import GnubgAgent
from bg_agents.sage_agent import SageAgent
from bg_env.search.cube_agent import CubePlayer


class EnginePlayer(CubePlayer):
    """An engine that plays checkers and cube, at any score.

    With nets alone the cube and the score count in every play; when it looks ahead it
    plays its checkers as in cubeless money games.

    Attributes:
        engine: The agent that asks the engine.
    """

    def __init__(self, engine: EngineAgent) -> None:
        """Let an engine play the cube too."""
        self.engine = engine
        super().__init__(engine, chooser=engine if engine.plies else None)


def gnubg(plies: int = 0) -> EnginePlayer:
    """GNU Backgammon 0 to 3 plies deep.

    Raises:
        MissingExtraError: gnubg-nn is not installed.
        InvalidOptionError: Another depth.
    """
    return EnginePlayer(GnubgAgent(plies))


def sage(plies: int = 0) -> EnginePlayer:
    """Open Sage 0 to 2 plies deep.

    Raises:
        MissingExtraError: bgsage is not installed.
        InvalidOptionError: Another depth.
    """
    return EnginePlayer(SageAgent(plies))
