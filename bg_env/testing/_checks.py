"""What all checks share: the error, arrays, chance from outside, words for states."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bg_env.errors import BgEnvError
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING

PHASES = ("opening", "before the roll", "moving", "answer to a double", "game over")


class ConformanceError(BgEnvError, AssertionError):
    """Something does not keep to the contract it is checked against."""


def require(holds: bool | np.bool_, sentence: str) -> None:
    """Raise unless something holds.

    Raises:
        ConformanceError: With the sentence.
    """
    if not holds:
        raise ConformanceError(sentence)


def require_name(what: str, thing: Any) -> str:
    """The name of a thing: some text in one line.

    Raises:
        ConformanceError: It has none.
    """
    name = getattr(thing, "name", None)
    good = isinstance(name, str) and name.strip() != "" and "\n" not in name
    require(good, f"{what} needs a name in one line of text, not {name!r}.")
    return str(name)


def require_array(what: str, array: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """Refuse whatever is not an array of this dtype and shape.

    Raises:
        ConformanceError: What it is instead.
    """
    wanted = f"{np.dtype(dtype).name}{list(shape)}"
    is_array = isinstance(array, np.ndarray)
    require(is_array, f"{what} is an array {wanted}, not a {type(array).__name__}.")
    found = f"{array.dtype.name}{list(array.shape)}"
    good = array.dtype == dtype and array.shape == shape
    require(good, f"{what} is an array {wanted}, not {found}.")


@contextmanager
def no_outside_chance(who: str) -> Iterator[None]:
    """Refuse code that draws from the generators of the whole process.

    Raises:
        ConformanceError: Which of them has moved on.
    """
    before = _generators()
    yield
    after = _generators()
    for name, state in before.items():
        require(
            after[name] == state,
            f"{who} draws from {name}, which everybody shares; the only chance it may "
            f"use is what it is given.",
        )


def _generators() -> dict[str, object]:
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    found: dict[str, object] = {
        "Python's random module": random.getstate(),
        "NumPy's global generator": repr(state),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch's global generator"] = torch.get_rng_state().numpy().tobytes()
    return found


def described(states: Any, index: int) -> str:
    """One state in words, for messages."""
    state = states[index]
    text = f"position {Position.from_board(state['board']).id}"
    if int(state["phase"]) == MOVING:
        roll, left = state["roll"].tolist(), state["left"].tolist()
        return f"{text}, roll {roll} of which {left} are left"
    text += f", phase {PHASES[int(state['phase'])]!r}"
    if int(state["offer"]):
        text += f", a resignation of level {int(state['offer'])} pending"
    return text
