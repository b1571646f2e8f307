"""Looking ahead written down again, slowly: one position, one roll at a time."""

from __future__ import annotations

from functools import cache

import numpy as np
from bg_agents.nets import Net

from bg_env.agent import Evaluator
from bg_env.equity import bearoff
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, legal_plays
from bg_env.rules.position import Position
from bg_env.search import MoveFilter


class OnlyEvaluates:
    """An evaluator without fast ways of its own."""

    name = "plain"

    def __init__(self, evaluator) -> None:
        self.evaluate = evaluator.evaluate


class Exact:
    """Knows races with six checkers or fewer exactly."""

    name = "exact"

    def evaluate(self, boards):
        known, chances = bearoff.bearoff_chances(np.ascontiguousarray(boards))
        assert known.all()
        return chances


class Pips:
    """Thinks that the pip count is all there is; gammons it does not know."""

    name = "pips"

    def evaluate(self, boards):
        pips = boards[:, :, 1:26].astype(np.float64) @ np.arange(1, 26)
        lead = pips[:, 1] - pips[:, 0] + 4
        chances = np.zeros((len(boards), 5), np.float32)
        chances[:, 0] = 1 / (1 + np.exp(-lead / 6))
        return chances


class Small:
    """A network that has learnt nothing: odd plays, odd chances, all five."""

    name = "small"

    def __init__(self, seed=3) -> None:
        net = Net.random(8, seed)
        self.net = Net(net.w1 * 5, net.b1, net.w2 * 5, net.b2 * 0)

    def evaluate(self, boards):
        return self.net.evaluate(boards)


def points(chances) -> float:
    win, gammon, backgammon, lost_gammon, lost_backgammon = map(float, chances)
    return 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon


def turned(chances):
    win, gammon, backgammon, lost_gammon, lost_backgammon = chances
    return np.array([1 - win, lost_gammon, lost_backgammon, gammon, backgammon])


def result_of(position: Position):
    """Exact chances of a game that the player on roll has just lost."""
    gammon = position.mover[0] == 0
    backgammon = gammon and any(position.mover[19:])
    return np.array([0, 0, 0, gammon, backgammon], float)


def slow_chances(
    evaluator: Evaluator,
    position: Position,
    plies: int,
    filters: tuple[MoveFilter, ...] = (),
):
    """The five chances of the player on roll; float64[5]."""

    @cache
    def value(place: Position, depth: int):
        if not any(place.opponent[1:]):
            return result_of(place)
        if depth == 0:
            board = place.to_board()[None]
            return evaluator.evaluate(board)[0].astype(float)
        total = np.zeros(5)
        for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
            total += ways * turned(value(best_of(place, roll, depth - 1), depth - 1))
        return total / 36

    def best_of(place: Position, roll, depth: int) -> Position:
        """What the best play leads to, seen by the other player."""
        running = [play.result.swapped() for play in legal_plays(place, roll)]
        worth = {after: points(turned(value(after, 0))) for after in running}
        for deep in range(depth if filters else 0):
            ranked = sorted(running, key=lambda after: -worth[after])
            least = worth[ranked[0]] - filters[deep].within
            first = ranked[: filters[deep].most]
            running = [a for a in running if a in first and worth[a] >= least]
            for after in running:
                worth[after] = points(turned(value(after, deep + 1)))
        return max(running, key=lambda after: worth[after])

    return value(position, plies)
