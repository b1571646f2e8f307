import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

games = make_vec_env(lambda: gymnasium.make("bg_env:Backgammon-Cubeless-v0", opponent="random"), 16)
model = MaskablePPO("MlpPolicy", games, gamma=1.0, n_steps=256, batch_size=1024)
model.learn(200_000)
model.save("ppo.zip")  # then: bg-env evaluate sb3:ppo.zip random
