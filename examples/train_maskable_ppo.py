"""Train MaskablePPO: against a named opponent, or against its own past.

    python examples/train_maskable_ppo.py --opponent random --steps 1000000
    python examples/train_maskable_ppo.py --opponent self --steps 1000000

Every action is a legal one: sb3-contrib finds the environment's `action_masks()` by
itself. In self-play each environment plays against a network of a pool of past selves;
a new self joins the pool every --pool-steps, and all opponents are drawn anew.

Written to --out: `best_model.zip` by masked evaluation, `checkpoints/`, `final.zip`,
`evaluations.npz`. Any of the models plays in the arena:

    bg-env evaluate sb3:runs/ppo/final.zip pubeval

Needs: pip install 'bg-env[sb3]'
"""

import argparse
import random
import time
from pathlib import Path

import gymnasium
import torch
from bg_agents.sb3_agent import SB3Agent
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback
from stable_baselines3.common.env_util import make_vec_env

from bg_env.evaluation import evaluate


def parse_arguments():
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--opponent", default="random", help="an agent's name, or self")
    add("--steps", type=int, default=1_000_000, help="decisions to learn from")
    add("--minutes", type=float, default=None, help="stop after so long, if sooner")
    add("--envs", type=int, default=16, help="games played at once")
    add("--rollout", type=int, default=256, help="decisions per game and update")
    add("--hidden", type=int, default=128, help="units of each of two hidden layers")
    add("--rate", type=float, default=1e-3, help="learning rate")
    add("--seed", type=int, default=0)
    add("--observation", default="tesauro", help="an encoder")
    add("--out", type=Path, default=Path("runs/ppo"))
    add("--eval-steps", type=int, default=100_000, help="between two evaluations")
    add("--eval-games", type=int, default=200, help="of each evaluation")
    add("--pool-steps", type=int, default=50_000, help="between two past selves")
    add("--pool-size", type=int, default=10, help="past selves that are kept")
    return parser.parse_args()


def make_games(arguments, opponent, count, seed):
    """`count` games as one vector environment, each with its own dice."""

    def make():
        return gymnasium.make(
            "bg_env:Backgammon-Cubeless-v0",  # "bg_env:" imports the package first
            opponent=opponent,
            observation=arguments.observation,
            reward_scale=1 / 3,  # a backgammon is worth 1: returns a network likes
        )

    return make_vec_env(make, count, seed=seed)


class SelfPlayPool(BaseCallback):
    """Lets every environment play against a past self of the model."""

    def __init__(self, folder, every, size, seed):
        super().__init__()
        self.folder, self.every, self.size = folder, every, size
        self.draw = random.Random(seed)
        self.pool = []  # agents
        self.next_self = 0

    def _on_rollout_start(self):
        if self.num_timesteps < self.next_self:
            return
        self.next_self = self.num_timesteps + self.every
        path = self.folder / f"self_{self.num_timesteps:09d}.zip"
        self.model.save(path)
        self.pool = [*self.pool, SB3Agent(path, deterministic=False)][-self.size :]
        for index in range(self.training_env.num_envs):
            opponent = self.draw.choice(self.pool)
            self.training_env.env_method("set_opponent", opponent, indices=[index])

    def _on_step(self):
        return True


class Deadline(BaseCallback):
    """Stops the training after so many minutes."""

    def __init__(self, minutes):
        super().__init__()
        self.end = None if minutes is None else time.monotonic() + 60 * minutes

    def _on_step(self):
        return self.end is None or time.monotonic() < self.end


class Progress(BaseCallback):
    """Prints how the learner does in the arena, every so many steps."""

    def __init__(self, every, games):
        super().__init__()
        self.every, self.games = every, games
        self.next_look = 0
        self.start = time.monotonic()
        self.looking = 0.0  # seconds spent on evaluating, which are no training

    def _on_rollout_start(self):
        if self.num_timesteps >= self.next_look:
            self.next_look = self.num_timesteps + self.every
            self.look()

    def look(self):
        """Play against `random` and print a line."""
        started = time.monotonic()
        trained = started - self.start - self.looking
        result = evaluate(SB3Agent(self.model), "random", games=self.games, seed=1)
        wins = result.outcomes.won.total / result.played
        self.looking += time.monotonic() - started
        print(
            f"{trained:6.0f} s {self.num_timesteps:9,} steps: wins {wins:.1%} against "
            f"random, {result.points_per_game:+.2f} points per game",
            flush=True,
        )

    def _on_step(self):
        return True


def main():
    """Train, save, and measure in the arena."""
    arguments = parse_arguments()
    torch.set_num_threads(1)  # such small networks are not faster with more
    folder = arguments.out
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    plays_itself = arguments.opponent == "self"
    first_opponent = "random" if plays_itself else arguments.opponent
    games = make_games(arguments, first_opponent, arguments.envs, arguments.seed)
    test_games = make_games(arguments, "random", 8, arguments.seed + 1000)
    model = MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=arguments.rollout,
        batch_size=min(1024, arguments.envs * arguments.rollout),
        n_epochs=4,
        learning_rate=arguments.rate,
        gamma=1.0,  # a point is a point, however long the game
        gae_lambda=0.95,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [arguments.hidden, arguments.hidden]},
        seed=arguments.seed,
        device="cpu",
    )
    calls = max(arguments.eval_steps // arguments.envs, 1)  # one for all environments
    progress = Progress(arguments.eval_steps, arguments.eval_games)
    callbacks = [
        Deadline(arguments.minutes),
        progress,
        CheckpointCallback(calls, str(folder / "checkpoints"), name_prefix="ppo"),
        MaskableEvalCallback(
            test_games,
            n_eval_episodes=arguments.eval_games,
            eval_freq=calls,
            best_model_save_path=str(folder),
            log_path=str(folder),
            deterministic=True,
            verbose=0,
        ),
    ]
    if plays_itself:
        pool = SelfPlayPool(
            folder, arguments.pool_steps, arguments.pool_size, arguments.seed
        )
        callbacks.append(pool)
    model.learn(arguments.steps, callback=callbacks)
    model.save(folder / "final.zip")
    progress.look()
    many = 5 * arguments.eval_games
    for opponent in ("random", "pubeval"):
        print(evaluate(f"sb3:{folder / 'final.zip'}", opponent, games=many, seed=2))


if __name__ == "__main__":
    main()
