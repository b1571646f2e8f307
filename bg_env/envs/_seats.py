"""Kernel that draws the learner's seats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel
from bg_env.rules._random import below
from bg_env.rules.state import Records


@kernel
def draw_seats(records: Records, seats: NDArray[np.int8]) -> None:
    """Draw each game's ``seats`` int8[B] from its choice stream. In place."""
    choices = records["choice_stream"]
    for i in range(records.shape[0]):
        seats[i] = below(choices, i, 2)
