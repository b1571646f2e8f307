"""Backgammon of two as a PettingZoo environment: ``bg_env.backgammon_v0.env()``.

Needs the extra [pettingzoo]. ``docs/chouette.md`` says how it is used.
"""

from bg_env.envs.aec_backgammon import env, raw_env

__all__ = ["env", "raw_env"]
