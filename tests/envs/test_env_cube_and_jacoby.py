"""The cube, Jacoby and beavers, seen through the environment."""

from __future__ import annotations

import pytest
from env_play import (
    DOUBLE,
    DROP,
    MONEY,
    OFF,
    REFUSE,
    RESIGN_GAMMON,
    RESIGN_SINGLE,
    START,
    TAKE,
    codes_of,
    last_move,
    make,
    moves,
    play_codes,
    preferring,
    xgid,
)

from bg_env import Rules


@pytest.mark.parametrize(
    ("cube", "owner", "codes", "reward", "why"),
    [
        (0, 0, OFF, 1.0, "no double was taken"),
        (1, 0, OFF, 2.0, "an automatic double is no double"),
        (1, 1, OFF, 4.0, "an owned cube was doubled and taken"),
    ],
)
def test_jacoby_counts_gammons_after_a_taken_double_only_case_39(
    cube: int, owner: int, codes: list[int], reward: float, why: str
) -> None:
    env = make(MONEY, rules=Rules(jacoby=True, automatic_doubles=1))
    env.reset(options={"xgid": last_move({8: 15}, cube=cube, owner=owner, rules=1)})
    assert play_codes(env, codes)[1] == reward, why


def test_a_gammon_after_a_double_in_the_env_pays_four_under_jacoby_case_39() -> None:
    env = make(MONEY, rules=Rules(jacoby=True))
    text = xgid({1: 1}, {8: 15}, rules=1)
    env.reset(options={"xgid": text, "dice": [(2, 1)]})
    play_codes(env, [DOUBLE, TAKE])
    assert env.state.dice == (
        2,
        1,
    )  # only the taker may turn the cube: he rolls at once
    assert play_codes(env, moves((1, 2)))[1] == 4.0


@pytest.mark.parametrize("length", [1, 5])
def test_jacoby_is_not_played_in_a_match_case_39(length: int) -> None:
    env = make(MONEY, match_length=length, reward="points", episode="game")
    env.reset(options={"xgid": last_move({8: 15}, length=length)})
    _, reward, _, _, info = play_codes(env, OFF)
    assert reward == 2.0
    assert info["outcome"] == "gammon"


def test_a_beaver_and_its_drop_case_40() -> None:
    """Cube 1: double, beaver to 4; the doubler may refuse and loses 2."""
    rules = Rules(beavers=3)
    env = make(MONEY, rules=rules)
    env.reset(options={"xgid": xgid(START, START, rules=2)})
    _, _, _, _, info = play_codes(env, [DOUBLE])
    assert codes_of(info["action_mask"]) == [TAKE, DROP, 155]
    _, _, _, _, info = play_codes(env, [155])
    assert info["current_player"] == 0
    assert not info["action_mask"][DOUBLE]
    _, reward, _, _, info = play_codes(env, [DROP])
    assert reward == -2.0
    assert info["rewards"] == (-2.0, 2.0)


def test_at_the_ceiling_the_double_is_off_case_41() -> None:
    for limit, shown in ((64, False), (128, True), (None, True)):
        env = make(MONEY, rules=Rules(max_cube=limit), auto_pass=False)
        _, info = env.reset(options={"xgid": xgid(START, START, cube=6, owner=1)})
        assert bool(info["action_mask"][DOUBLE]) is shown


def test_a_refused_resignation_returns_the_decision_and_pays_nothing() -> None:
    env = make(MONEY, rules=Rules(resign="offer"), opponent=preferring(REFUSE), seat=0)
    env.reset(options={"xgid": xgid(START, START)})
    _, reward, terminated, _, info = play_codes(env, [RESIGN_SINGLE])
    assert (reward, terminated) == (0.0, False)
    assert not info["action_mask"][RESIGN_SINGLE]
    assert info["action_mask"][RESIGN_GAMMON]
    assert info["current_player"] == 0
