"""The names of the players change nothing: swapped games are the same games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    CUBELESS,
    MATCH,
    MONEY,
    START,
    Info,
    any_of,
    lowest,
    make,
    swapped,
    xgid,
)

from bg_env import BackgammonEnv, Rules
from bg_env._jit import DISABLED
from bg_env.encoding.encoders import encoder_names

Sides = tuple[dict[int, int], dict[int, int]]

GAMES: dict[str, tuple[str, Sides, dict[str, Any], dict[str, Any]]] = {
    "a start": (MONEY, (START, START), {"turn": 1}, {}),
    "the other begins": (MONEY, (START, START), {"turn": -1}, {}),
    "cubeless": (CUBELESS, (START, START), {"dice": "31"}, {}),
    "a cube": (
        MONEY,
        ({24: 2, 6: 5, 8: 4, 4: 2}, {25: 1, 13: 5, 6: 5, 3: 2}),
        {"cube": 1, "owner": 1},
        {},
    ),
    "a double": (MONEY, (START, {**START, 24: 1, 20: 1}), {"dice": "D"}, {}),
    "beavers": (
        MONEY,
        (START, START),
        {"dice": "B", "rules": 3, "turn": -1},
        {"rules": Rules(jacoby=True, beavers=3)},
    ),
    "a score": (
        MATCH,
        (START, {**START, 24: 1, 22: 1}),
        {"score": (5, 2), "length": 7},
        {"episode": "game", "reward": "points"},
    ),
    "Crawford": (
        MATCH,
        (START, START),
        {"score": (6, 2), "length": 7, "rules": 1},
        {"episode": "game", "reward": "mwc"},
    ),
    "least waste": (
        MONEY,
        ({6: 5, 5: 5, 3: 5}, {6: 5, 4: 5, 2: 5}),
        {},
        {"rules": Rules(cube=False, least_waste=True, resign="immediate")},
    ),
    "resigning": (MONEY, (START, START), {}, {"rules": Rules(resign="offer")}),
}


def start_both(
    name: str, seed: int, dice: list[tuple[int, int]], **more: Any
) -> tuple[list[BackgammonEnv], list[np.ndarray], list[Info]]:
    """A game and the same one with the players' names exchanged."""
    env_name, sides, fields, keywords = GAMES[name]
    envs, observations, infos = [], [], []
    for number, text in enumerate((xgid(*sides, **fields), swapped(*sides, **fields))):
        own = {**keywords, **more}
        if "opponent" in own:
            own["seat"] = number
        env = make(env_name, **own)
        observation, info = env.reset(seed=seed, options={"xgid": text, "dice": dice})
        envs.append(env)
        observations.append(observation)
        infos.append(info)
    return envs, observations, infos


def near(values: Any) -> Any:
    """Equal but for what the match equity table rounds: seven digits."""
    return pytest.approx(values, abs=1e-7, rel=0)


def check_alike(observations: list[np.ndarray], infos: list[Info]) -> None:
    np.testing.assert_array_equal(*observations)
    np.testing.assert_array_equal(*(info["action_mask"] for info in infos))
    assert infos[0]["current_player"] == 1 - infos[1]["current_player"]
    assert infos[0]["passed"] == infos[1]["passed"]


def random_dice(seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    return [(int(a), int(b)) for a, b in rng.integers(1, 7, (40, 2))]


def play_both(
    envs: list[BackgammonEnv],
    observations: list[np.ndarray],
    infos: list[Info],
    seed: int,
) -> None:
    """The same random actions in both; everything shown must be alike."""
    rng = np.random.default_rng(seed)
    check_alike(observations, infos)
    terminated = False
    while not terminated:
        action = any_of(infos[0]["action_mask"], rng)
        steps = [env.step(action) for env in envs]
        infos = [step[4] for step in steps]
        check_alike([step[0] for step in steps], infos)
        assert steps[0][1] == near(steps[1][1]), "the actor's or learner's reward"
        assert infos[0]["rewards"] == near(infos[1]["rewards"][::-1])
        assert steps[0][2:4] == steps[1][2:4]
        terminated = steps[0][2]
    assert infos[0]["winner"] == 1 - infos[1]["winner"]
    assert infos[0]["score"] == infos[1]["score"][::-1]
    for name in ("outcome", "points", "cube", "ending", "turns"):
        assert infos[0][name] == infos[1][name]


@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("name", GAMES)
def test_swapped_games_with_the_same_dice_are_the_same_in_self_play(
    name: str, encoder: str, auto_pass: bool
) -> None:
    for seed in range(1 if DISABLED else 6):
        both = start_both(
            name, seed, random_dice(seed), observation=encoder, auto_pass=auto_pass
        )
        play_both(*both, seed)


@pytest.mark.parametrize("opponent", ["random", "pubeval", lowest])
@pytest.mark.parametrize("name", GAMES)
def test_swapped_games_are_the_same_against_an_opponent(
    name: str, opponent: Any
) -> None:
    """Seat 0 in the one, seat 1 in the other; same dice, same random choices."""
    for seed in range(1 if DISABLED else 6):
        play_both(*start_both(name, seed, random_dice(seed), opponent=opponent), seed)


def test_an_illegal_action_costs_both_colours_the_same() -> None:
    for name in GAMES:
        envs, _, infos = start_both(name, 1, random_dice(1))
        code = int(np.flatnonzero(infos[0]["action_mask"] == 0)[0])
        steps = [env.step(code) for env in envs]
        assert steps[0][1] == near(steps[1][1])
        assert steps[0][1] < 0
        assert steps[0][4]["rewards"] == near(steps[1][4]["rewards"][::-1])
