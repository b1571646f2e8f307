"""States for the tests of encoders and rewards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bg_env._jit import DISABLED
from bg_env.rules.batch import apply_decisions, legal_masks, new_states, seed_states
from bg_env.rules.decisions import (
    BEAVER,
    DECISIONS,
    DOUBLE,
    DROP,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
)
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.rules.state import (
    CRAWFORD_RULE,
    CUBE_IN_USE,
    MOVING,
    STATE_DTYPE,
)

PLAYED_RULES = (
    Rules(cube=False),
    Rules(jacoby=True, beavers=3, resign="offer", max_cube=None),
    Rules(match_length=5, resign="offer"),
    Rules(match_length=3, crawford=False, clock=Clock()),
    Rules.preset("timed"),
    Rules(start="hypergammon", automatic_doubles=2, opening_reroll=True),
)


# Doubling, dropping and resigning are drawn less often, or games would be short.
LIKING = np.ones(DECISIONS)
LIKING[[DOUBLE, DROP, BEAVER]] = 0.3
LIKING[RESIGN_SINGLE : RESIGN_BACKGAMMON + 1] = 0.2


def states_of(*changes: dict[str, Any]) -> np.ndarray:
    """One state for each: the start, player 0 to play 3-1, with fields changed."""
    states = np.zeros(len(changes), STATE_DTYPE)
    states["board"] = Position.start().to_board()
    states["checkers"] = 15
    states["phase"] = MOVING
    states["roll"] = (3, 1)
    states["left"] = 1
    states["turn"] = 2
    states["cube"] = 1
    states["max_cube"] = 64
    states["cube_owner"] = -1
    states["winner"] = -1
    states["backgammon_points"] = 3
    states["options"] = CUBE_IN_USE | CRAWFORD_RULE
    states["turn_limit"] = 11_000
    states["reserve_limit"] = 90_000
    states["turn_time"] = 11_000
    states["reserve"] = 90_000
    for state, fields in zip(states, changes, strict=True):
        for field, value in fields.items():
            state[field] = value
    return states


def board_of(mover: dict[int, int], opponent: dict[int, int]) -> np.ndarray:
    """A board from {point: count}; 25 = bar, the rest is off."""
    return Position.from_points(mover, opponent).to_board()


def played_states(games: int = 40, steps: int = 300, seed: int = 1) -> np.ndarray:
    """States of random games by many rules, one of every tenth decision."""
    games = 2 if DISABLED else games
    rng = np.random.default_rng(seed)
    seen = []
    for rules in PLAYED_RULES:
        states = new_states(games, rules)
        seed_states(states, seed)
        for step in range(steps):
            if step % 10 == 0:
                seen.append(states.copy())
            masks = legal_masks(states).astype(bool)
            codes = (rng.random(masks.shape) * masks * LIKING).argmax(axis=1)
            states["turn_time"] -= rng.integers(0, 2, states["turn_time"].shape)
            apply_decisions(states, codes)
    return np.concatenate(seen, dtype=STATE_DTYPE)


def interpreted_result(
    tmp_path: Path, states: np.ndarray, expression: str
) -> np.ndarray:
    """An expression of ``states`` in a process of its own without compiled kernels."""
    (tmp_path / "states").write_bytes(states.tobytes())
    program = (
        "import numpy as np, sys\n"
        "from bg_env.encoding import *\n"
        "from bg_env.equity import *\n"
        "from bg_env.rules.state import STATE_DTYPE\n"
        "states = np.fromfile('states', STATE_DTYPE)\n"
        f"np.save('result', {expression})\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    return np.load(tmp_path / "result.npy")


def with_players_swapped(states: np.ndarray) -> np.ndarray:
    """The same games with the names of the players exchanged."""
    swapped = states.copy()
    for field in ("on_roll", "to_act"):
        swapped[field] = 1 - states[field]
    for field in ("cube_owner", "winner"):
        owned = states[field] >= 0
        swapped[field][owned] = 1 - states[field][owned]
    for field in ("score", "turn_time", "reserve", "checkers"):
        swapped[field] = states[field][:, ::-1]
    return swapped


def with_sides_swapped(states: np.ndarray) -> np.ndarray:
    """The same boards with mover and opponent exchanged."""
    swapped = states.copy()
    swapped["board"] = states["board"][:, ::-1]
    return swapped


# Each changes something that matters for a decision; (before, after, what).
CLOCKED = CUBE_IN_USE | CRAWFORD_RULE | 128
JACOBY = CUBE_IN_USE | CRAWFORD_RULE | 2
DIFFERENCES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("another die", {"roll": (6, 1)}, {"roll": (6, 2)}),
    ("a die played", {"left": (1, 1)}, {"left": (0, 1)}),
    ("the other die played", {"left": (1, 0)}, {"left": (0, 1)}),
    (
        "one or two fives left",
        {"roll": (5, 5), "left": (1, 0)},
        {"roll": (5, 5), "left": (2, 0)},
    ),
    (
        "one five left of a double or of two dice",
        {"roll": (5, 5), "left": (4, 0)},
        {"roll": (5, 5), "left": (3, 0)},
    ),
    ("rolled or not", {"phase": 2}, {"phase": 1, "left": 0}),
    ("doubled or not", {"phase": 1}, {"phase": 3}),
    ("before the opening", {"phase": 0, "left": 0}, {"phase": 1, "left": 0}),
    ("over", {"phase": 2}, {"phase": 4}),
    ("whose turn", {"phase": 3, "to_act": 1}, {"phase": 3, "to_act": 1, "on_roll": 1}),
    ("a resignation", {}, {"offer": 1}),
    ("its level", {"offer": 2}, {"offer": 3}),
    ("a refused resignation", {"refused": 1}, {"refused": 2}),
    ("the first roll", {"phase": 1, "turn": 1}, {"phase": 1, "turn": 2}),
    ("value of the cube", {"cube": 2}, {"cube": 4}),
    ("a huge cube", {"cube": 2**39}, {"cube": 2**40}),
    ("cube mine", {"cube": 2}, {"cube": 2, "cube_owner": 0}),
    ("cube theirs", {"cube": 2}, {"cube": 2, "cube_owner": 1}),
    ("no cube", {}, {"options": CRAWFORD_RULE}),
    ("highest cube", {"cube": 32}, {"cube": 32, "max_cube": 32}),
    ("beavers", {"phase": 3}, {"phase": 3, "beavers_made": 1}),
    ("Jacoby", {}, {"options": JACOBY}),
    ("a double under Jacoby", *(
        {"options": JACOBY, "cube_turned": turned} for turned in (0, 1)
    )),
    ("match play", {}, {"match_length": 7}),
    ("length", {"match_length": 7}, {"match_length": 9}),
    ("length at one score", *(
        {"match_length": n, "score": (n - 3, n - 2)} for n in (7, 9)
    )),
    ("my score", {"match_length": 7}, {"match_length": 7, "score": (1, 0)}),
    ("their score", {"match_length": 7}, {"match_length": 7, "score": (0, 1)}),
    ("Crawford", *(
        {"match_length": 7, "score": (6, 4), "crawford": c} for c in (1, 2)
    )),
    ("a clock", {}, {"options": CLOCKED}),
    ("my reserve", *({"options": CLOCKED, "reserve": (r, 5)} for r in (7000, 7010))),
    ("their reserve", *({"options": CLOCKED, "reserve": (5, r)} for r in (1, 0))),
    ("my turn time", *({"options": CLOCKED, "turn_time": (t, 5)} for t in (50, 52))),
    ("their turn time", *({"options": CLOCKED, "turn_time": (5, t)} for t in (1, 0))),
    ("time of the asker", *(
        {"options": CLOCKED, "phase": 3, "paused_time": t} for t in (50, 52)
    )),
    ("a checker moved", {}, {"board": board_of({8: 14, 7: 1}, {6: 15})}),
    ("a deep stack", *({"board": board_of({8: n}, {6: 15})} for n in (14, 15))),
    ("their bar", *({"board": board_of({8: 15}, {6: 9, 25: n})} for n in (5, 6))),
    ("borne off", *({"board": board_of({8: n}, {6: n})} for n in (1, 2))),
)  # fmt: skip
