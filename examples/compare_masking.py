"""Is masking worth it? The same learners with masks and without, the same steps.

    python examples/compare_masking.py --steps 300000

MaskablePPO chooses among legal actions only. PPO and DQN choose among all 162, of
which four or five are legal, and meet the environment's `illegal_action` policies:

- terminate: an illegal action ends the game and costs the most it still could;
- penalize: it costs a little and changes nothing;
- random_legal: a random legal action is played in its place.

For each: the share of illegal actions at the end of training (the last tenth), and
then in the arena against `random`, where an illegal choice is replaced by a random
legal one and counted.

Needs: pip install 'bg-env[sb3]'
"""

import argparse
import time

import gymnasium
import torch
from bg_agents.sb3_agent import SB3Agent
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from bg_env.evaluation import evaluate

ARMS = (
    ("MaskablePPO", "terminate"),
    ("PPO", "terminate"),
    ("PPO", "penalize"),
    ("PPO", "random_legal"),
    ("DQN", "terminate"),
    ("DQN", "penalize"),
    ("DQN", "random_legal"),
)
NETWORK = {"net_arch": [128, 128]}


class CountIllegal(BaseCallback):
    """The share of illegal actions in the last tenth of the training."""

    def __init__(self, steps):
        """Count from nine tenths of so many steps."""
        super().__init__()
        self.start = 0.9 * steps
        self.seen = self.illegal = 0

    def _on_step(self):
        if self.num_timesteps >= self.start:
            infos = self.locals["infos"]
            self.seen += len(infos)
            self.illegal += sum("illegal_action" in info for info in infos)
        return True


def make_model(algorithm, games, seed, steps):
    """PPO and MaskablePPO alike; DQN with four updates for each step of all games."""
    common = {"policy_kwargs": NETWORK, "gamma": 1.0, "seed": seed, "device": "cpu"}
    if algorithm == "DQN":
        return DQN(
            "MlpPolicy",
            games,
            learning_rate=3e-4,
            buffer_size=min(100_000, steps),
            learning_starts=min(5_000, steps // 4),
            batch_size=128,
            train_freq=1,
            gradient_steps=4,
            target_update_interval=2_000,
            exploration_fraction=0.3,
            **common,
        )
    kind = MaskablePPO if algorithm == "MaskablePPO" else PPO
    return kind(
        "MlpPolicy",
        games,
        n_steps=256,
        batch_size=min(1024, 256 * games.num_envs),
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        **common,
    )


def train(algorithm, policy, arguments):
    """One arm: (training seconds, share of illegal actions at its end, model)."""

    def make():
        return gymnasium.make(
            "bg_env:Backgammon-Cubeless-v0",
            opponent="random",
            illegal_action=policy,
            reward_scale=1 / 3,
        )

    games = make_vec_env(make, arguments.envs, seed=arguments.seed)
    model = make_model(algorithm, games, arguments.seed, arguments.steps)
    counter = CountIllegal(arguments.steps)
    start = time.monotonic()
    model.learn(arguments.steps, callback=counter)
    seconds = time.monotonic() - start
    games.close()
    return seconds, counter.illegal / max(counter.seen, 1), model


def main():
    """Train all arms and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=300_000, help="of each learner")
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--games", type=int, default=1000, help="of each evaluation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arms", nargs="+", type=int, default=range(len(ARMS)))
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # such small networks are not faster with more
    print("| learner | illegal_action | illegal, training | illegal, arena "
          "| wins | points per game | seconds |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for algorithm, policy in (ARMS[arm] for arm in arguments.arms):
        seconds, illegal, model = train(algorithm, policy, arguments)
        agent = SB3Agent(model)
        result = evaluate(agent, "random", games=arguments.games, seed=1)
        wins = result.outcomes.won.total / result.played
        policy = "none needed" if agent.is_masked else f"`{policy}`"
        print(
            f"| {algorithm} | {policy} | {illegal:.1%} | {agent.illegal_share:.1%} | "
            f"{wins:.1%} | {result.points_per_game:+.2f} ± "
            f"{result.standard_error:.2f} | {seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
