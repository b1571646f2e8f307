"""Random play: the loop that every learner starts from, with masked actions.

Run: python examples/random_play.py --steps 5000
"""

import argparse

import gymnasium
import numpy as np

import bg_env  # noqa: F401  # registers the environments


def main():
    """Play so many random legal actions and say how the games went."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    env = gymnasium.make("Backgammon-Cubeless-v0", opponent="random")
    observation, info = env.reset(seed=arguments.seed)
    env.action_space.seed(arguments.seed)  # the actions; reset's seed is for the dice
    returns, lengths, length = [], [], 0
    for _ in range(arguments.steps):
        action = env.action_space.sample(mask=info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        length += 1
        if terminated or truncated:
            returns.append(reward)
            lengths.append(length)
            length = 0
            observation, info = env.reset()
    env.close()

    print(f"{arguments.steps} decisions, {len(returns)} games, observation of")
    print(f"{observation.shape[0]} numbers, {env.action_space.n} actions.")
    if returns:
        won = np.mean([points > 0 for points in returns])
        print(
            f"Random against random: {won:.0%} won, {np.mean(returns):+.2f} points and "
            f"{np.mean(lengths):.0f} decisions per game."
        )


if __name__ == "__main__":
    main()
