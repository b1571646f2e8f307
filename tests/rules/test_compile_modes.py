"""The rule kernels say the same compiled, with bounds checked, and as plain Python."""

import json

import numpy as np
import pytest
import random_positions
from kernel_workout import workout
from support import ROOT, run_python

from bg_env._jit import interpreted
from bg_env.rules import _moves, _plays
from bg_env.rules.movegen import MOST_PLAYS, PlayBuffers

WORKOUT = str(ROOT / "tests" / "rules" / "kernel_workout.py")


def workout_elsewhere(**variables):
    """The workout in a fresh interpreter with these variables set."""
    done = run_python("-W", "error::RuntimeWarning", WORKOUT, **variables)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_plain_python_does_what_compiled_code_does():
    # without wrap-around warnings: the interpreter would turn them into errors
    found = workout_elsewhere(NUMBA_DISABLE_JIT="1")
    assert found.pop("interpreted") is True
    assert found == workout()


def test_no_kernel_reads_or_writes_outside_its_arrays(tmp_path):
    # an index out of bounds raises IndexError there; usually it is garbage
    cache = str(tmp_path)
    found = workout_elsewhere(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=cache)
    assert found.pop("interpreted") is False
    assert found == workout()


def dice_left(dice):
    """How often each die of a fresh roll may be played."""
    return np.array([4, 0] if dice[0] == dice[1] else [1, 1], np.int8)


@pytest.mark.parametrize("least_waste", [False, True])
def test_the_play_kernels_are_the_same_compiled_and_interpreted(least_waste):
    plain, fast = interpreted(_plays.write_plays), _plays.write_plays
    for position, dice in random_positions.many_with_rolls(300, 31):
        board = position.to_board()
        roll = np.array(dice, np.int8)
        outcomes = []
        for ask in (fast, plain):
            buffers = PlayBuffers(MOST_PLAYS)
            number = ask(
                board,
                board.view(np.uint64),
                roll,
                dice_left(dice),
                least_waste,
                buffers.arrays,
                buffers.scratch,
            )
            results = buffers.boards[:number].tobytes()
            outcomes.append((number, results, buffers.codes[:number].tobytes()))
        assert outcomes[0] == outcomes[1], (position, dice)


@pytest.mark.parametrize("least_waste", [False, True])
def test_first_sources_are_the_same_compiled_and_interpreted(least_waste):
    plain = interpreted(_moves.first_sources)
    for position, dice in random_positions.many_with_rolls(
        500, 32, rolls=random_positions.NON_DOUBLES
    ):
        board = position.to_board()
        words = board.view(np.uint64)
        for a, b in (dice, dice[::-1]):
            one = _moves.first_sources(board, words, a, b, least_waste)
            two = plain(board, words, a, b, least_waste)
            assert tuple(map(int, one)) == tuple(map(int, two))
