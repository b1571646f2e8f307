"""Semi-gradient TD(0) by self-play, in plain NumPy: a small TD-Gammon.

    python examples/td0_numpy.py --seconds 60

The names are those of Sutton and Barto, "Reinforcement Learning" (2nd edition, 2018):
v_hat(S, w), x(S), alpha, gamma, the TD error delta. S is an *afterstate* (section 6.8):
the position after a play. v_hat(S, w) is the chance that whoever has just moved wins;
the opponent moves next, so the value of what follows is 1 - v_hat(S', w).
"""

import argparse
import os
import time
from itertools import pairwise

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products need no more

import numpy as np

from bg_env import PlayChooser, Position
from bg_env.evaluation import evaluate
from bg_env.rules.movegen import plays_of_boards

gamma = 1.0  # a win is a win, however long the game


def x(S):
    """Features of positions int8[P, 2, 32]: Tesauro's four units for each point."""
    n = S[:, :, 1:25, None]
    units = np.concatenate([n >= 1, n >= 2, n >= 3, np.maximum(n - 3, 0) / 2], axis=3)
    bar, off = S[:, :, 25] / 2, S[:, :, 0] / 15
    return np.concatenate([units.reshape(len(S), -1), bar, off], axis=1)


def sigmoid(z):
    """Of numbers or arrays: between 0 and 1."""
    return 1 / (1 + np.exp(-z))


def has_won(S):
    """The player who has just moved has no checker left on points or bar."""
    return ~S[:, 0, 1:26].any(axis=1)


class Learner(PlayChooser):
    """A network with one hidden layer that learns from its own games."""

    name = "td0"

    def __init__(self, hidden, seed):
        """Start with w2 = 0: all positions are worth the same."""
        self.rng = np.random.default_rng(seed)
        W1 = self.rng.normal(0, 0.1, (196, hidden))
        self.w = [W1, np.zeros(hidden), np.zeros(hidden), np.zeros(1)]

    def v_hat(self, x_S):
        """The values of afterstates with these features, and the hidden layer."""
        W1, b1, w2, b2 = self.w
        h = sigmoid(x_S @ W1 + b1)
        return sigmoid(h @ w2 + b2), h

    def update(self, x_S, target, alpha):
        """Add alpha * delta * gradient of v_hat(S, w) to w; delta is the TD error."""
        W1, b1, w2, b2 = self.w
        v, h = self.v_hat(x_S)
        delta = target - v
        output = v * (1 - v)  # derivative of the sigmoid
        hidden = output * w2 * h * (1 - h)
        W1 += alpha * delta * np.outer(x_S, hidden)
        b1 += alpha * delta * hidden
        w2 += alpha * delta * output * h
        b2 += alpha * delta * output

    def play_and_learn(self, alpha):
        """One game against itself."""
        x_S = None  # of the afterstate left by the player who has just moved
        position = Position.start().to_board()[None]  # row 0 is on roll
        while True:
            dice = self.rng.integers(1, 7, (1, 2), dtype=np.int8)
            afterstates, _, _ = plays_of_boards(position, dice)
            if not len(afterstates):  # nothing can be played
                afterstates = position
            x_all = x(afterstates)
            values = np.where(has_won(afterstates), 1.0, self.v_hat(x_all)[0])
            best = values.argmax()
            if x_S is not None:  # nobody has won at S, so the reward R is 0
                self.update(x_S, 0 + gamma * (1 - values[best]), alpha)
            if has_won(afterstates)[best]:
                return
            x_S = x_all[best]
            position = afterstates[best : best + 1, ::-1]  # the other player's turn

    def choose(self, states, boards, offsets, streams):
        """For the arena: the play with the highest value, in many games at once."""
        values = np.where(has_won(boards), 1.0, self.v_hat(x(boards))[0])
        plays = pairwise(offsets.tolist())
        return np.array([a + values[a:b].argmax() for a, b in plays], np.int64)


def main():
    """Learn for a while, then play in the arena."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--games", type=int, default=None, help="instead of --seconds")
    parser.add_argument("--hidden", type=int, default=40)
    parser.add_argument("--alpha", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    learner = Learner(arguments.hidden, arguments.seed)
    start, games = time.monotonic(), 0
    while True:
        seconds = time.monotonic() - start
        by_games = arguments.games is not None
        if games >= arguments.games if by_games else seconds >= arguments.seconds:
            break
        learner.play_and_learn(arguments.alpha)
        games += 1
    print(f"learned from {games} games in {seconds:.0f} s")
    for opponent in ("random", "pubeval"):
        print(evaluate(learner, opponent, games=200 if by_games else 2000, seed=1))


if __name__ == "__main__":
    main()
