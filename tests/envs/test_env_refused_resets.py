"""Options of `reset` that are refused: an error, and nothing is changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    CUBELESS,
    MATCH,
    MONEY,
    START,
    STARTING,
    any_of,
    check_mask,
    make,
    record_bytes,
    xgid,
)

from bg_env import (
    BgEnvError,
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
    Position,
    Rules,
    UnknownNameError,
)

BLOCKED_SIDE = {25: 3, **dict.fromkeys(range(1, 7), 2)}
BLOCKED = Position.from_points(BLOCKED_SIDE, BLOCKED_SIDE)

REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"xgld": STARTING}, UnknownNameError, "Did you mean 'xgid'"),
    ({"seed": 3}, UnknownNameError, "seed"),
    ({1: 2}, UnknownNameError, "1"),
    (
        {"xgid": STARTING, "position_id": Position.start().id},
        InvalidOptionError,
        "xgid",
    ),
    ({"xgid": STARTING, "next_game": True}, InvalidOptionError, "contradict"),
    ({"xgid": STARTING, "score": (1, 1)}, InvalidOptionError, "contradict"),
    ({"xgid": STARTING, "crawford": False}, InvalidOptionError, "contradict"),
    ({"next_game": True, "score": (1, 1)}, InvalidOptionError, "contradict"),
    (
        {"next_game": True, "position_id": Position.start().id},
        InvalidOptionError,
        "contradict",
    ),
    ({"next_game": True}, InvalidOptionError, "over"),
    ({"next_game": 1}, InvalidOptionError, "True or False"),
    ({"next_game": "yes"}, InvalidOptionError, "True or False"),
    ({"crawford": 1}, InvalidOptionError, "True or False"),
    ({"score": (1, 1)}, InvalidOptionError, "needs a match"),
    ({"crawford": True}, InvalidOptionError, "needs a match"),
    ({"xgid": "nonsense"}, InvalidNotationError, "nonsense"),
    ({"xgid": 5}, InvalidNotationError, "5"),
    ({"xgid": STARTING.replace("B-:", "BA:")}, InvalidPositionError, "16"),
    ({"xgid": STARTING.replace(":0:0:10", ":0:5:10")}, InvalidOptionError, "match"),
    ({"xgid": STARTING.replace(":0:0:10", ":1:0:10")}, InvalidOptionError, "jacoby"),
    ({"xgid": STARTING.replace(":0:0:10", ":2:0:10")}, InvalidOptionError, "beavers"),
    ({"xgid": STARTING.replace(":0:0:1:", ":7:0:1:")}, InvalidOptionError, "128"),
    ({"xgid": xgid({}, {8: 15})}, InvalidPositionError, "over"),
    ({"xgid": xgid({8: 15}, {})}, InvalidPositionError, "over"),
    ({"xgid": xgid(BLOCKED_SIDE, BLOCKED_SIDE)}, InvalidPositionError, "no end"),
    ({"position_id": BLOCKED.id}, InvalidPositionError, "no end"),
    ({"position_id": "4HPwATDgc/ABM"}, InvalidNotationError, "14"),
    ({"position_id": 3}, InvalidNotationError, "3"),
    ({"position_id": "AAAAAAAAAAAAAA"}, InvalidPositionError, "borne off"),
    ({"dice": 31}, InvalidOptionError, "list of rolls"),
    ({"dice": (3, 1)}, InvalidOptionError, "3"),
    ({"dice": ["31"]}, InvalidOptionError, "31"),
    ({"dice": [(0, 1)]}, InvalidOptionError, "0"),
    ({"dice": [(3, 7)]}, InvalidOptionError, "7"),
    ({"dice": [(3, 1, 1)]}, InvalidOptionError, "1, 1"),
    ({"dice": [(3, None)]}, InvalidOptionError, "None"),
    ({"dice": [(3, 1)] * 257}, InvalidOptionError, "256"),
]
REFUSED_IN_MATCHES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"score": (7, 0)}, InvalidOptionError, "7"),
    ({"score": (-1, 0)}, InvalidOptionError, "-1"),
    ({"score": (1, 2, 3)}, InvalidOptionError, "3"),
    ({"score": 3}, InvalidOptionError, "player 0, player 1"),
    ({"score": "ab"}, InvalidOptionError, "a"),
    ({"score": (1.0, 2.0)}, InvalidOptionError, "1.0"),
    ({"score": (3, 2), "crawford": True}, InvalidOptionError, "Crawford"),
    ({"crawford": True}, InvalidOptionError, "Crawford"),
    ({"xgid": STARTING}, InvalidOptionError, "match_length"),
    ({"xgid": STARTING.replace(":0:0:10", ":1:7:10")}, BgEnvError, "Crawford"),
    ({"next_game": True}, InvalidOptionError, "over"),
]


@pytest.mark.parametrize(("options", "error", "text"), REFUSED)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_refused_reset_changes_nothing(
    opponent: str, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    _check_refusal(make(MONEY, opponent=opponent), options, error, text)


@pytest.mark.parametrize(("options", "error", "text"), REFUSED_IN_MATCHES)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_refused_reset_of_a_match_changes_nothing(
    opponent: str, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    _check_refusal(make(MATCH, opponent=opponent), options, error, text)


def _check_refusal(
    env: Any, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    _, info = env.reset(seed=8)
    rng = np.random.default_rng(1)
    for _ in range(3):
        _, _, _, _, info = env.step(any_of(info["action_mask"], rng))
    before = record_bytes(env), repr(env.np_random.bit_generator.state), env.seat
    for seed in (None, 4):
        with pytest.raises(error, match=text):
            env.reset(seed=seed, options=options)
        after = record_bytes(env), repr(env.np_random.bit_generator.state), env.seat
        assert before == after
        check_mask(env, info["action_mask"])
    _, _, _, _, info = env.step(any_of(info["action_mask"], rng))
    assert "illegal_action" not in info


@pytest.mark.parametrize("options", [5, "xgid", ["xgid"], 3.0])
def test_options_are_a_dict(options: Any) -> None:
    env = make(CUBELESS)
    with pytest.raises(InvalidOptionError, match="dict"):
        env.reset(options=options)


@pytest.mark.parametrize(
    ("text", "rules", "part"),
    [
        (xgid(START, START, cube=1, owner=1), Rules(cube=False), "without the cube"),
        (xgid(START, START, dice="D"), Rules(cube=False), "without the cube"),
        (
            xgid(START, START, score=(4, 2), rules=1, length=5),
            Rules(match_length=5, crawford=False),
            "Crawford",
        ),
        (xgid(START, START, cube=1, owner=1), Rules(max_cube=1), "goes to 1"),
        (xgid(START, START, dice="B", rules=2), Rules(beavers=3, max_cube=2), "cube"),
    ],
)
def test_an_xgid_that_the_rules_do_not_know_is_refused(
    text: str, rules: Rules, part: str
) -> None:
    env = make(MONEY, rules=rules)
    env.reset(seed=1)
    with pytest.raises(InvalidOptionError, match=part):
        env.reset(options={"xgid": text})
