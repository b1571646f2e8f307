"""Small bear-off tables and what they say of some boards, as exact text.

``python tests/equity/bearoff_workout.py`` prints it; a test runs it with bounds checked
and with the compiler off, and wants the same numbers as in compiled code.
"""

import json

import numpy as np

from bg_env._jit import DISABLED
from bg_env.equity import _bearoff, _bearoff_tables

CHECKERS = 3
FEW = 2


def boards():
    """Boards int8[B, 2, 32] of at most three checkers a side, some not at home."""
    draw = np.random.default_rng(5)
    made = np.zeros((300, 2, 32), np.int8)
    for board in made:
        for side in range(2):
            count = draw.integers(1, CHECKERS + 1)
            for point in draw.integers(1, 7, count):
                board[side, point] += 1
            board[side, 0] = draw.choice([15 - count, 0])
    made[::20, 1, 9] = 1
    return made


def workout():
    """Hexadecimal floats by what they are."""
    single = _bearoff_tables.build_one_sided(CHECKERS)
    double = _bearoff_tables.build_two_sided(FEW)
    positions = boards()
    known = np.empty(len(positions), np.bool_)
    found = {name: hexadecimal(array) for name, array in (single | double).items()}
    for has_moved in (False, True):
        rows = np.empty((len(positions), 5), np.float32)
        number = _bearoff.rate_many(
            positions,
            positions.view(np.uint64),
            has_moved,
            single["rolls"],
            single["first"],
            double["win"],
            known,
            rows,
        )
        found[f"chances, {has_moved=}"] = [number, *hexadecimal(rows)]
    return found


def hexadecimal(array):
    """Every number, exactly."""
    return [float(number).hex() for number in array.ravel()]


if __name__ == "__main__":
    print(json.dumps({"interpreted": DISABLED, **workout()}))
