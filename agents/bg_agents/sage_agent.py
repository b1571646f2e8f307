"""`SageAgent`: Open Sage's nets choose the play."""

from __future__ import annotations

from typing import ClassVar

from bg_agents.engines.agent import EngineAgent

__all__ = ["SageAgent"]


class SageAgent(EngineAgent):
    """Open Sage 0 to 2 plies deep, through the package bgsage.

    It counts the nets alone as one ply: its "1-ply" is 0 plies here. Bear-offs are
    rated by its database. Made for games of fifteen checkers a side.
    """

    name = "sage"
    engine: ClassVar[str] = "sage"
    module: ClassVar[str] = "bgsage"
    package: ClassVar[str] = "bgsage"
    deepest: ClassVar[int] = 2
