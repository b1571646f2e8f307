"""The observation space of an encoder, which remembers whose it is."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import gymnasium

from bg_env.encoding.encoders import Encoder
from bg_env.rules.decisions import CODES_VERSION

RECORD: Final = "bg_env"
"""The attribute of a space that holds its record."""


def observation_space(encoder: Encoder) -> gymnasium.spaces.Box:
    """The ``Box`` of an encoder's observations, with a record of where it comes from.

    Libraries that save a model save its spaces with it, so a saved model tells by
    itself what it was trained on (`record_of`). The record changes nothing else: the
    space equals any other ``Box`` of the same bounds.
    """
    low, high = (limit.reshape(encoder.shape) for limit in (encoder.low, encoder.high))
    space = gymnasium.spaces.Box(low, high, dtype=encoder.dtype.type)
    record = {
        "observation": encoder.id,
        "decision_codes": CODES_VERSION,
        "version": _package_version(),
    }
    setattr(space, RECORD, record)
    return space


def record_of(space: Any) -> dict[str, Any] | None:
    """What a space says it comes from, None where it says nothing.

    Returns:
        "observation" (an encoder's id), "decision_codes" (their version) and
        "version" (of the package).
    """
    record = getattr(space, RECORD, None)
    return dict(record) if isinstance(record, dict) else None


@functools.cache
def _package_version() -> str | None:
    try:
        return version("bg-env")
    except PackageNotFoundError:
        return None
