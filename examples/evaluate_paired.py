"""Paired dice: the same games, a smaller standard error.

    python examples/evaluate_paired.py --games 4000

When paired, games 2k and 2k + 1 have the same dice with the seats swapped, so that
luck of one side is luck of the other in the next game. The error of the mean is that
of the pair means; unpaired, that of the games. How much it helps depends on the
agents: as long as both make the same plays the luck cancels exactly.
"""

import argparse

from bg_env.evaluation import evaluate

PAIRS = (("pubeval", "pubeval"), ("pubeval", "pip-race"), ("pip-race", "random"))


def main():
    """Evaluate pairs of agents both ways."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    games, seed = arguments.games, arguments.seed
    print(f"{games} games each{'':17}{'points per game':>16}{'standard error':>16}")
    for a, b in PAIRS:
        errors = []
        for paired in (True, False):
            result = evaluate(a, b, games=games, seed=seed, paired=paired)
            errors.append(result.standard_error or 0.0)
            title = f"{a} - {b}, {'paired' if paired else 'unpaired'}"
            print(f"{title:<32}{result.points_per_game:>+16.3f}{errors[-1]:>16.4f}")
        if errors[0]:
            times = (errors[1] / errors[0]) ** 2
            print(f"  pairing is worth {times:.2f} times as many unpaired games")
        else:
            print("  pairing leaves no error at all")


if __name__ == "__main__":
    main()
