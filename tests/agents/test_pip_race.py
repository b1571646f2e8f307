"""The pip-race agent: the order of its four counts, position by position."""

from __future__ import annotations

import numpy as np
import pytest
from bg_agents import PipRaceAgent, RandomAgent
from two_players import play_pairs, states_on_the_way

from bg_env._jit import DISABLED
from bg_env.agent import plays_of_states
from bg_env.rules._drive import apply_sequences
from bg_env.rules.batch import apply_decisions
from bg_env.rules.position import STARTS, Position

# Own checkers, the opponent's (in his own numbering: his 24 is the mover's 1), the
# roll, own checkers after the play.
TABLE = [
    pytest.param(
        {8: 3, 6: 3}, {24: 2, 21: 1}, (3, 1), {8: 2, 6: 2, 5: 2},
        id="a point is made rather than a blot hit with one",
    ),
    pytest.param(
        {8: 3, 6: 3}, {24: 2, 21: 1}, (4, 2), {8: 2, 6: 2, 4: 2},
        id="a blot is hit where that leaves none",
    ),
    pytest.param(
        {10: 2, 9: 2}, {20: 1, 19: 1}, (2, 2), {9: 2, 6: 2},
        id="of two hits the one that costs more pips is made",
    ),
    pytest.param(
        {10: 2, 8: 2}, {21: 1, 19: 1}, (2, 2), {10: 2, 4: 2},
        id="two blots are hit rather than one",
    ),
    pytest.param(
        {14: 2, 7: 2}, {6: 2}, (2, 1), {14: 1, 12: 1, 7: 1, 6: 1},
        id="out of contact blots do not matter and crossovers count",
    ),
    pytest.param(
        {6: 2, 2: 1}, {2: 2}, (2, 1), {6: 1, 5: 1},
        id="a checker is borne off and the other die not wasted",
    ),
    pytest.param(
        {6: 1, 3: 1}, {2: 2}, (4, 3), {2: 1},
        id="of two plays that bear one off the one that wastes least",
    ),
    pytest.param(
        {4: 1, 1: 1}, {2: 2}, (4, 1), {},
        id="the last checkers are borne off",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "dice", "after"), TABLE)
def test_the_play_by_the_first_count_that_tells_plays_apart(
    mine: dict[int, int],
    theirs: dict[int, int],
    dice: tuple[int, int],
    after: dict[int, int],
) -> None:
    play = PipRaceAgent().best_play(Position.from_points(mine, theirs), dice)
    left = {point: play.result.mover[point] for point in range(1, 26)}
    assert {point: count for point, count in left.items() if count} == after


def key_of(board: np.ndarray) -> tuple[int, int, int, int]:
    """The four counts of the agent's docstring, smaller is better."""
    mine, theirs = board[0].tolist(), board[1].tolist()
    behind = [25 - point for point in range(1, 26) if theirs[point]]  # mover's points
    exposed = sum(
        mine[point] == 1 and any(place < point for place in behind)
        for point in range(1, 25)
    )
    crossovers = sum(mine[point] * -(-point // 6) for point in range(1, 26))
    return exposed, -pips(theirs), crossovers, pips(mine)


def pips(side: list[int]) -> int:
    return sum(point * side[point] for point in range(1, 26))


@pytest.mark.parametrize("start", STARTS)
def test_the_first_play_that_is_best_by_the_four_counts_is_chosen(start: str) -> None:
    states = states_on_the_way(start)
    boards, _, offsets = plays_of_states(states)
    chosen = PipRaceAgent().choose(states, boards, offsets, states["choice_stream"])
    keys = [key_of(board) for board in boards]
    for i in range(len(states)):
        plays = range(offsets[i], offsets[i + 1])
        assert chosen[i] == min(plays, key=keys.__getitem__)


def test_of_equally_good_plays_the_first_is_chosen() -> None:
    states = states_on_the_way(games=1, decisions=1)
    boards, _, offsets = plays_of_states(states)
    boards[:] = boards[0]
    chosen = PipRaceAgent().choose(states, boards, offsets, states["choice_stream"])
    assert chosen.tolist() == [0]


def test_a_winning_play_is_always_the_best() -> None:
    states = states_on_the_way("hypergammon", decisions=200)
    boards, _, offsets = plays_of_states(states)
    chosen = PipRaceAgent().choose(states, boards, offsets, states["choice_stream"])
    wins = ~boards[:, 0, 1:26].any(axis=1)
    winnable = np.add.reduceat(wins, offsets[:-1]) > 0
    assert winnable.any()
    assert wins[chosen[winnable]].all()


def test_single_decisions_lead_to_a_result_as_good_as_the_whole_play() -> None:
    agent = PipRaceAgent()
    states = states_on_the_way()
    streams = states["choice_stream"].copy()
    whole, single = states.copy(), states.copy()
    illegal = np.zeros(len(states), np.int8)
    apply_sequences(whole, agent.plays(states, streams).astype(np.int64), illegal)
    for _ in range(4):
        same_turn = np.flatnonzero(single["turn"] == states["turn"])
        part = single[same_turn]
        apply_decisions(part, agent.act(part, streams[same_turn]))
        single[same_turn] = part
    assert (single["turn"] == whole["turn"]).all()
    for one, other in zip(whole["board"], single["board"], strict=True):
        assert key_of(one[::-1]) == key_of(other[::-1])  # the turn has passed


@pytest.mark.skipif(DISABLED, reason="too long without compiled kernels")
def test_pip_race_beats_random_as_measured() -> None:
    """1.486 points a game in 40,000 games."""
    points = play_pairs(PipRaceAgent(), RandomAgent(), 1000)
    assert points.mean() == pytest.approx(1.486, abs=0.1)
