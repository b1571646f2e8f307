"""The random agent: uniform over results, by the game's own stream alone."""

from __future__ import annotations

import numpy as np
import pytest
from bg_agents import RandomAgent
from two_players import play_pairs

from bg_env._jit import DISABLED
from bg_env.agent import plays_of_states
from bg_env.rules.batch import States, seed_states
from bg_env.rules.game import GameState
from bg_env.rules.position import Position

# With 2-1 only the 6-point and the 2-point are left by 3/1/off, 3/2 2/off and
# 2/off 3/2: one of 7 results.
ENDING = Position.from_points({6: 1, 3: 1, 2: 1}, {1: 1})


def many_of(position: Position, dice: tuple[int, int], count: int) -> States:
    """One state `count` times, each with its own stream."""
    state = GameState.from_position(position, dice=dice)
    states = np.repeat(state.record, count)
    seed_states(states, 2024)
    return states


@pytest.mark.parametrize(
    ("position", "dice", "results"),
    [
        (Position.start(), (3, 1), 16),
        (Position.start(), (6, 5), 7),
        (Position.start(), (2, 2), 75),
        (ENDING, (2, 1), 7),
    ],
)
def test_every_distinct_result_is_equally_likely(
    position: Position, dice: tuple[int, int], results: int
) -> None:
    expected = 200
    games = expected * results
    states = many_of(position, dice, games)
    boards, _, offsets = plays_of_states(states[:1])
    assert offsets[1] == len({board.tobytes() for board in boards}) == results
    offsets = np.arange(games + 1) * results
    streams = states["choice_stream"].copy()
    chosen = RandomAgent().choose(states, boards, offsets, streams)
    counts = np.bincount(chosen - offsets[:-1], minlength=results)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = results - 1
    assert chi_square < freedom + 4 * np.sqrt(2 * freedom)


def test_whole_plays_are_the_chosen_results() -> None:
    states = many_of(Position.start(), (6, 5), 70)
    boards, codes, offsets = plays_of_states(states)
    agent = RandomAgent()
    chosen = agent.choose(states, boards, offsets, states["choice_stream"].copy())
    plays = agent.plays(states, states["choice_stream"].copy())
    assert plays.tolist() == codes[chosen].tolist()


def test_one_number_of_the_stream_is_used_for_each_choice() -> None:
    states = many_of(Position.start(), (6, 5), 8)
    streams = states["choice_stream"].copy()
    RandomAgent().plays(states, streams)
    step = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64
    assert (streams - states["choice_stream"] == step).all()


def test_the_same_stream_gives_the_same_play_and_others_give_others() -> None:
    agent = RandomAgent()
    start = Position.start()
    one = agent.best_play(start, (2, 2), seed=1)
    assert one == agent.best_play(start, (2, 2), seed=1)
    assert len({agent.best_play(start, (2, 2), seed=s).result for s in range(20)}) > 5


@pytest.mark.skipif(DISABLED, reason="too long without compiled kernels")
def test_random_games_end_as_often_single_gammon_and_backgammon_as_known() -> None:
    """38, 37 and 25 of 100 games between uniform players."""
    points = play_pairs(RandomAgent(), RandomAgent(), 2000)
    levels = np.bincount(np.abs(points[0]), minlength=4)[1:] / points.shape[1]
    np.testing.assert_allclose(levels, [0.38, 0.37, 0.25], atol=0.04)
    assert abs((points[0] > 0).mean() - 0.5) < 0.04
