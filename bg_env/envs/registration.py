"""The ids under which `gymnasium.make` finds the environments."""

from __future__ import annotations

from typing import Any, Final

import gymnasium

ENTRY_POINT: Final = "bg_env.envs.backgammon:BackgammonEnv"
VECTOR_ENTRY_POINT: Final = "bg_env.envs.vector:BackgammonVectorEnv"

IDS: Final[dict[str, dict[str, Any]]] = {
    "Backgammon-v0": {"rules": "standard"},
    "Backgammon-Cubeless-v0": {"rules": "cubeless"},
    "Backgammon-Match-v0": {"rules": "match"},
}


def register_envs() -> None:
    """Register all ids; ids that are registered already stay as they are."""
    for name, keywords in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point=ENTRY_POINT,
                vector_entry_point=VECTOR_ENTRY_POINT,
                kwargs=keywords,
            )
