"""The chouette as a PettingZoo environment: ``bg_env.chouette_v0.env(players=4)``.

Needs the extra [pettingzoo]. ``docs/chouette.md`` says how it is used.
"""

from bg_env.envs.aec_chouette import env, raw_env

__all__ = ["env", "raw_env"]
