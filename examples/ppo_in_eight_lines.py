"""MaskablePPO learns to beat a random player, in eight lines."""

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

name = "bg_env:Backgammon-Cubeless-v0"
games = make_vec_env(lambda: gymnasium.make(name, opponent="random"), n_envs=16)
model = MaskablePPO("MlpPolicy", games, gamma=1.0, n_steps=256, batch_size=1024)
model.learn(200_000).save("ppo.zip")  # bg-env evaluate sb3:ppo.zip random
