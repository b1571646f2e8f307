"""Positions, cubes and evaluators for the tests of the cube."""

import numpy as np

from bg_env.rules.position import Position
from bg_env.search.cube import make_cubes

# Chances without gammons, and with some on both sides.
GAMMONISH = (0.62, 0.2, 0.01, 0.08, 0.005)


def chances_of(*rows):
    """Chances float32[B, 5]; a number is a chance to win without gammons."""
    full = [(row, 0, 0, 0, 0) if np.isscalar(row) else row for row in rows]
    return np.array(full, np.float32)


def races(*pairs):
    """Boards of bear-offs int8[B, 2, 32] from pairs ``(mover, other)`` of points."""
    rows = []
    for mover, other in pairs:
        counts = [
            {point: side.count(point) for point in set(side)} for side in (mover, other)
        ]
        rows.append(Position.from_points(*counts).to_board())
    return np.stack(rows)


class FixedChances:
    """An evaluator to which all positions are the same."""

    name = "fixed"

    def __init__(self, *chances):
        self.chances = np.array(chances, np.float32)

    def evaluate(self, boards):
        """The same chances for every board: float32[B, 5]."""
        return np.tile(self.chances, (len(boards), 1))


def cubes_of_rows(rows):
    """The cubes of rows of the corpus of cube decisions: CUBE_DTYPE[B]."""
    return np.concatenate([_cube_of_row(row) for row in rows])


def _cube_of_row(row):
    owner = {None: 0, "mover": 1, "opp": -1}[row["cube_owner"]]
    length = row["match_length"]
    if not length:
        return make_cubes(1, value=row["cube"], owner=owner, jacoby=row["jacoby"])
    away = tuple(length - score for score in row["score"])
    over = 1 in away and not row["crawford"]
    return make_cubes(
        1,
        value=row["cube"],
        owner=owner,
        away=away,
        crawford=row["crawford"],
        crawford_over=over,
    )
