"""Expectimax, one ply: look at every roll and reply of the opponent, then choose.

    python examples/expectimax_one_ply.py --games 100

The evaluator here knows nothing but the pip counts. Without looking ahead it cannot
tell most plays from each other. One ply ahead it finds out by itself that blots in
front of the opponent are dangerous and that hitting is good: it sees the rolls that
hit. The same search works on any `bg_env.Evaluator`: --evaluator td:net.npz.
"""

import argparse
import time
from itertools import pairwise

import numpy as np

from bg_env import GameState, PlayChooser, Position, Rules, make_agent
from bg_env.evaluation import evaluate
from bg_env.rules.movegen import plays_of_boards

CUBELESS = Rules.preset("cubeless")


class PipEvaluator:
    """Chances by the pip count alone; gammons are left out."""

    name = "pips"

    def evaluate(self, boards):
        """float32[B, 5] of the player on roll, who is in row 0."""
        mine, theirs = (boards[:, :, :26].astype(float) @ np.arange(26)).T
        chances = np.zeros((len(boards), 5), np.float32)
        chances[:, 0] = 1 / (1 + np.exp((mine - theirs - 4) / 12))
        lost = ~boards[:, 1, 1:26].any(axis=1)  # the opponent has borne off all
        chances[lost, 0] = 0
        none_off = lost & (boards[:, 0, 0] == 0)
        chances[none_off, 3] = 1
        chances[none_off & boards[:, 0, 19:26].any(axis=1), 4] = 1
        return chances


def equity(chances):
    """Points per game, without the cube."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.T
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


def swapped(boards):
    """The same positions seen by the other player."""
    return np.ascontiguousarray(boards[:, ::-1])


class ZeroPly(PlayChooser):
    """Plays what the evaluator likes best, without looking ahead."""

    def __init__(self, evaluator):
        """Choose by this evaluator."""
        self.evaluator = evaluator
        self.name = f"{evaluator.name}, no search"

    def values(self, boards):
        """The equity of the player who has just moved: the opponent is on roll."""
        return -equity(self.evaluator.evaluate(swapped(boards)))

    def choose(self, states, boards, offsets, streams):
        """The play with the highest value in each game."""
        values = self.values(boards)
        plays = pairwise(offsets.tolist())
        return np.array([a + values[a:b].argmax() for a, b in plays], np.int64)


class OnePly(ZeroPly):
    """Averages over the opponent's rolls, each with his best reply."""

    def __init__(self, evaluator):
        """Search on this evaluator."""
        super().__init__(evaluator)
        self.name = f"{evaluator.name}, one ply"

    def values(self, boards):
        """Expectimax values; plays that win at once have their own."""
        values = super().values(boards)
        for i in np.flatnonzero(boards[:, 0, 1:26].any(axis=1)):
            values[i] = self.expected(swapped(boards[i : i + 1]))
        return values

    def expected(self, board):
        """What I expect when the opponent is on roll in `board` int8[1, 2, 32].

        Sum over rolls of probability * min over his replies of my equity.
        """
        position = Position.from_board(board[0])
        outcomes = GameState.from_position(position, rules=CUBELESS).chance_outcomes()
        rolls = np.array([roll for roll, _ in outcomes], np.int8)
        replies, _, offsets = plays_of_boards(np.repeat(board, len(rolls), 0), rolls)
        after_replies = equity(self.evaluator.evaluate(swapped(replies)))
        cannot_play = float(equity(self.evaluator.evaluate(swapped(board)))[0])
        total = 0.0
        parts = pairwise(offsets.tolist())
        for (_, probability), (a, b) in zip(outcomes, parts, strict=True):
            mine = after_replies[a:b].min() if b > a else cannot_play
            total += probability * mine
        return total


def main():
    """Show one decision, then let search play against no search."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--evaluator", default="pips", help="pips, or an agent string")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    named = arguments.evaluator
    evaluator = PipEvaluator() if named == "pips" else make_agent(named)
    deep, flat = OnePly(evaluator), ZeroPly(evaluator)

    position, roll = Position.start(), (4, 1)
    for agent in (flat, deep):
        play = agent.best_play(position, roll, rules=CUBELESS)
        words = " ".join(f"{move.source}/{move.target}" for move in play.moves)
        print(f"{agent.name}: {roll[0]}-{roll[1]} is played {words}")

    start = time.monotonic()
    print(evaluate(deep, flat, games=arguments.games, seed=arguments.seed))
    print(f"{(time.monotonic() - start) / arguments.games:.2f} s per game")


if __name__ == "__main__":
    main()
