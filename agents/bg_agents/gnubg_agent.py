"""`GnubgAgent`: GNU Backgammon's nets choose the play."""

from __future__ import annotations

import sys
from typing import ClassVar, Final

from bg_agents.engines.agent import EngineAgent
from bg_env.errors import MissingExtraError

__all__ = ["GnubgAgent"]

_TOO_NEW: Final = (3, 14)  # the first Python without it


class GnubgAgent(EngineAgent):
    """GNU Backgammon 0 to 3 plies deep, through the package gnubg-nn.

    Made for games of fifteen checkers a side: of a game with fewer it believes that
    the others have been borne off, and sees no gammons.
    """

    name = "gnubg"
    engine: ClassVar[str] = "gnubg"
    module: ClassVar[str] = "gnubg_nn"
    package: ClassVar[str] = "gnubg-nn"
    deepest: ClassVar[int] = 3

    def _missing(self) -> MissingExtraError:
        if sys.version_info < _TOO_NEW:
            return super()._missing()
        major, minor = _TOO_NEW
        return MissingExtraError(
            f"'gnubg-nn' is not made for Python {major}.{minor} or later; use an older "
            f"one with the extra [engines], or the agent 'sage'."
        )
