"""Tabular learning on a tiny variant, compared with its exact solution.

    python examples/tabular_tiny.py --games 100000

The variant: three checkers a side, all in the home boards, no contact: who bears off
first wins. A side's checkers stand in one of 84 ways, so there are 84 x 84 states. The
values are found twice:

- by value iteration (Sutton and Barto, section 4.4), which knows the dice;
- by TD(0) from games of self-play (sections 6.1 and 6.8), which does not.

V[mine, theirs] is the chance that the player on roll wins.
"""

import argparse
from itertools import combinations_with_replacement

import numpy as np

from bg_env import Position, legal_plays
from bg_env.rules.movegen import ROLL_WAYS, ROLLS

CHECKERS = 3
SIDES = list(combinations_with_replacement(range(7), CHECKERS))  # places, 0 = off
NUMBER = {side: number for number, side in enumerate(SIDES)}
DONE = NUMBER[(0,) * CHECKERS]
PROBABILITIES = np.array(ROLL_WAYS) / 36


def plays_of(side, roll):
    """The sides that a roll can lead to. Nobody is in the way."""
    points = {place: side.count(place) for place in range(1, 7)}
    position = Position.from_points(points, {1: CHECKERS}, checkers=CHECKERS)
    plays = legal_plays(position, roll)
    return [NUMBER[places_of(play.result.mover)] for play in plays]


def places_of(counts):
    """(0, 2, 5) from counts by place: one checker off, one on the 2, one on the 5."""
    places = [place for place in range(7) for _ in range(counts[place])]
    return tuple(places)


def value_of_play(V, result, theirs):
    """Having won is 1; else the opponent is on roll."""
    return 1.0 if result == DONE else 1.0 - V[theirs, result]


def value_iteration(results):
    """The exact values: sweeps until nothing changes."""
    V = np.zeros((len(SIDES), len(SIDES)))
    while True:
        change = 0.0
        for mine, theirs in np.ndindex(V.shape):
            if DONE in (mine, theirs):
                continue
            best = [
                max(value_of_play(V, result, theirs) for result in results[mine][roll])
                for roll in range(len(ROLLS))
            ]
            value = float(PROBABILITIES @ best)
            change = max(change, abs(value - V[mine, theirs]))
            V[mine, theirs] = value
        if change < 1e-12:
            return V


def td_zero(results, games, alpha, epsilon, rng):
    """Values learned from `games` games of self-play, and how often each was met."""
    V = np.full((len(SIDES), len(SIDES)), 0.5)
    visits = np.zeros(V.shape, int)
    for _ in range(games):
        mine, theirs = rng.integers(1, len(SIDES), 2)  # exploring starts; 0 is DONE
        while mine != DONE and theirs != DONE:
            choices = results[mine][rng.choice(len(ROLLS), p=PROBABILITIES)]
            values = [value_of_play(V, result, theirs) for result in choices]
            best = int(np.argmax(values))
            chosen = best if rng.random() > epsilon else rng.integers(len(choices))
            visits[mine, theirs] += 1
            step = max(alpha, 1 / visits[mine, theirs])
            V[mine, theirs] += step * (values[best] - V[mine, theirs])
            mine, theirs = theirs, choices[chosen]
    return V, visits


def agreement(results, V, exact):
    """The share of (state, roll) in which V's play is as good as the exact one."""
    good = total = 0
    for mine, theirs in np.ndindex(V.shape):
        if DONE in (mine, theirs):
            continue
        for choices in results[mine]:
            right = [value_of_play(exact, result, theirs) for result in choices]
            learned = [value_of_play(V, result, theirs) for result in choices]
            good += right[int(np.argmax(learned))] > max(right) - 1e-9
            total += 1
    return good / total


def main():
    """Solve the game exactly, learn it, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--alpha", type=float, default=0.02, help="least step size")
    parser.add_argument("--epsilon", type=float, default=0.1, help="random plays")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    results = [[plays_of(side, roll) for roll in ROLLS] for side in SIDES]
    results[DONE] = [[] for _ in ROLLS]

    exact = value_iteration(results)
    one_on_6, one_on_1 = NUMBER[(0, 0, 6)], NUMBER[(0, 0, 1)]
    print(f"{len(SIDES)} x {len(SIDES)} states, solved by value iteration.")
    print(f"A checker on the 6-point against one on the 1-point wins "
          f"{exact[one_on_6, one_on_1]:.4f} (27/36 = 0.75).")  # fmt: skip

    rng = np.random.default_rng(arguments.seed)
    games = 0
    V, visits = None, None
    for share in (0.1, 1.0):
        games = max(int(arguments.games * share), 1)
        V, visits = td_zero(results, games, arguments.alpha, arguments.epsilon, rng)
        met = visits > 0
        error = np.sqrt(np.mean((V - exact)[met] ** 2))
        print(
            f"TD(0), {games} games: error {error:.4f} (root mean square) over "
            f"{met.mean():.0%} of the states, right play in "
            f"{agreement(results, V, exact):.1%} of all rolls."
        )


if __name__ == "__main__":
    main()
