"""Cubeful rollouts: plays and doubles, found by playing on with the cube.

::

    from bg_env.search.rollout_cube import rollout_cube, rollout_cubeful_plays

    state = bg_env.parse_xgid("XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:00:0:0:0:0:10")
    print(rollout_cube(make_agent("td"), state, truncate=8))

`docs/search.md` says how trials are played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, plays_of_states
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Play, play_of
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING
from bg_env.search._cube import COLUMNS, DEAD, DOUBLE_PASS, DOUBLE_TAKE, LOSS, NO_DOUBLE
from bg_env.search._cube_search import Results, result_worths
from bg_env.search._cube_worths import (
    Worths,
    cubes_of_states,
    may_double,
    other_cubes,
    turned_cubes,
    worth_of_points,
)
from bg_env.search._rollout_cube import CubePlan
from bg_env.search._rollout_run import Progress, Run, Stop
from bg_env.search.cube import CubeDecision, decide_cube
from bg_env.search.filters import MoveFilter, promising
from bg_env.search.rollout import (
    CANDIDATES,
    TRIALS,
    check_trials,
    plan_options,
    ranked_plays,
)
from bg_env.search.rollout_results import PlaysRollout, RolledOut, Rollout
from bg_env.search.rolls import other_view, rate_results

__all__ = ["CubeRollout", "rollout_cube", "rollout_cubeful_plays"]

_NEVER: Final = Stop()
