"""How games ended, as columns of infos: one pass over the few that did."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules.state import Records

OUTCOMES: Final = ("", "single", "gammon", "backgammon")
ENDINGS: Final = ("", "borne off", "dropped", "resigned", "claimed")

_KEYS: Final = ("winner", "points", "cube", "turns", "outcome", "ending", "score")
_TOLD_KEYS: Final = tuple(f"_{key}" for key in _KEYS)
_NUMBERS: Final = 4  # so many of the keys are numbers, the others objects


@kernel
def write_endings(states: Records, part, numbers, words, told) -> None:  # type: ignore[no-untyped-def]
    """Write how the games ``part`` int64[N] ended.

    Args:
        states: ``STATE_DTYPE[B]``.
        part: Places of finished games.
        numbers: int64[4, B]: winner, points, cube, turns; written at these places.
        words: int64[N, 4]: level, ending, score of player 0 and 1.
        told: bool[7, B], set at these places.
    """
    for k in range(part.shape[0]):
        place = part[k]
        state = states[place]
        numbers[0, place] = state.winner
        numbers[1, place] = state.points
        numbers[2, place] = state.cube
        numbers[3, place] = state.turn
        words[k, 0] = state.level
        words[k, 1] = state.ending
        words[k, 2] = state.score[0]
        words[k, 3] = state.score[1]
        for row in range(told.shape[0]):
            told[row, place] = True


def ending_infos(states: Records, part: NDArray[np.int64]) -> dict[str, Any]:
    """What infos of ``states`` STATE_DTYPE[B] say of the finished games ``part``.

    Numbers are int64[B], 0 elsewhere; words and scores arrays of objects, None
    elsewhere.
    """
    count = len(states)
    numbers = np.zeros((_NUMBERS, count), np.int64)
    words = np.empty((len(part), 4), np.int64)
    told = np.zeros((len(_KEYS), count), np.bool_)
    write_endings(states, part, numbers, words, told)
    objects = [np.empty(count, dtype=object) for _ in _KEYS[_NUMBERS:]]  # all None
    outcomes, endings, scores = objects
    rows = zip(part.tolist(), words.tolist(), strict=True)
    for place, (level, ending, first, second) in rows:
        outcomes[place] = OUTCOMES[level]
        endings[place] = ENDINGS[ending]
        scores[place] = (first, second)
    infos: dict[str, Any] = dict(zip(_KEYS, (*numbers, *objects), strict=True))
    infos.update(zip(_TOLD_KEYS, told, strict=True))
    return infos
