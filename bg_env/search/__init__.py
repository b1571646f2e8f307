"""Looking ahead with any evaluator: rolls, n-ply search, rollouts, the cube."""

from bg_env.search.cube import (
    CubeDecision,
    CubeEquities,
    cube_decision,
    cubeful_equity,
    cubes_of_states,
    make_cubes,
)
from bg_env.search.cube_agent import CubePlayer, with_cube
from bg_env.search.filters import MoveFilter, default_filters
from bg_env.search.lookahead import SearchAgent, lookahead_chances
from bg_env.search.rollout import Stop, rollout, rollout_plays
from bg_env.search.rollout_results import (
    PlaysRollout,
    RolledOut,
    RolledPlay,
    Rollout,
)
from bg_env.search.rolls import (
    ROLL_WEIGHTS,
    equity,
    other_view,
    roll_chances,
    roll_results,
)

__all__ = [
    "ROLL_WEIGHTS",
    "CubeDecision",
    "CubeEquities",
    "CubePlayer",
    "MoveFilter",
    "PlaysRollout",
    "RolledOut",
    "RolledPlay",
    "Rollout",
    "SearchAgent",
    "Stop",
    "cube_decision",
    "cubeful_equity",
    "cubes_of_states",
    "default_filters",
    "equity",
    "lookahead_chances",
    "make_cubes",
    "other_view",
    "roll_chances",
    "roll_results",
    "rollout",
    "rollout_plays",
    "with_cube",
]
