"""Snapshots: an environment in the middle of an episode, to come back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bg_env.envs._step import NO_SEAT
from bg_env.envs.settings import Settings
from bg_env.errors import InvalidOptionError
from bg_env.rules.options import Rules


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What `BackgammonEnv.get_state` returns, streams included. Opaque."""

    rules: Rules
    record: NDArray[Any]
    step: NDArray[Any]
    penalties: int
    awaits_first_turn: bool
    ended: tuple[bool, bool]
    generator: Mapping[str, Any]

    def check(self, settings: Settings) -> None:
        """Refuse a snapshot of another environment.

        Raises:
            InvalidOptionError: Other rules, or self-play where there is an opponent,
                or the other way round.
        """
        is_self_play = int(self.step["seat"][0]) == NO_SEAT
        same_mode = is_self_play == (settings.opponent is None)
        if self.rules != settings.rules or not same_mode:
            mode = "self-play" if is_self_play else "a game with an opponent"
            raise InvalidOptionError(
                f"The snapshot is of {mode} under {self.rules!r}; "
                f"this environment is another."
            )
