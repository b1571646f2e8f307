"""Given dice and search: what chance may bring, and what if it had."""

from __future__ import annotations

import math

import numpy as np
import pytest
from env_play import (
    CUBELESS,
    DOUBLE,
    MONEY,
    PASS,
    ROLL,
    START,
    check_mask,
    codes_of,
    make,
    play_on,
    record_bytes,
    xgid,
)
from gymnasium.error import ResetNeeded

from bg_env import BackgammonEnv, IllegalActionError, InvalidOptionError, Rules

CLOSED_OUT = "XGID=------E-E----D-----cccbbbA:0:0:1:00:0:0:0:0:10"


# --- given dice ---------------------------------------------------------------------


def test_a_queue_fixes_the_coming_rolls_for_paired_evaluation_case_71() -> None:
    dice = [(3, 1), (6, 6), (5, 2), (4, 4), (2, 1)] * 8
    seen = []
    for seed in (1, 2):
        env = make(CUBELESS)
        env.reset(seed=seed, options={"xgid": xgid(START, START, dice="61")})
        env.set_dice_queue(dice)
        rolls, turn = [], env.state.turn
        for _ in range(60):
            env.step(codes_of(env.action_masks())[-1])
            if env.state.turn != turn:
                rolls.append(env.state.dice)
                turn = env.state.turn
        seen.append(rolls)
    assert seen[0] == seen[1]
    assert seen[0][:10] == dice[:10]


def test_a_refused_queue_leaves_the_old_one() -> None:
    env = make(CUBELESS)
    env.reset(seed=1, options={"xgid": xgid(START, START, dice="61")})
    env.set_dice_queue([(5, 4)] * 3)
    for wrong in ([(0, 1)], [(3, 1)] * 257, [3], [(1, 2, 3)]):
        before = record_bytes(env)
        with pytest.raises(InvalidOptionError):
            env.set_dice_queue(wrong)
        assert record_bytes(env) == before


@pytest.mark.parametrize("auto_pass", [True, False])
def test_a_roll_is_laid_down_instead_of_the_action_roll(auto_pass: bool) -> None:
    env = make(MONEY, auto_pass=auto_pass)
    text = xgid(START, START)
    for first in range(1, 7):
        for second in range(1, 7):
            env.reset(options={"xgid": text})
            observation, info = env.set_dice(first, second)
            assert env.state.dice == (first, second)
            check_mask(env, info["action_mask"])
            assert env.observation_space.contains(observation)
            assert info["passed"] == 0
            same = make(MONEY)
            dice = f"{first}{second}"
            other, _ = same.reset(options={"xgid": text.replace(":00:", f":{dice}:")})
            np.testing.assert_array_equal(observation, other)


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_laid_down_roll_that_is_lost_is_shown_and_passed_by_the_learner(
    opponent: str,
) -> None:
    """Nothing that follows it happens before the next step."""
    env = make(MONEY, opponent=opponent, **({} if opponent == "self" else {"seat": 0}))
    _, info = env.reset(options={"xgid": CLOSED_OUT})
    assert codes_of(info["action_mask"]) == [ROLL, DOUBLE]
    _, info = env.set_dice(6, 5)
    assert codes_of(info["action_mask"]) == [PASS]
    assert info["current_player"] == 0
    assert info["passed"] == 0
    check_mask(env, info["action_mask"])
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (0.0, False)
    check_mask(env, info["action_mask"])


def test_dice_are_laid_down_only_where_the_roll_is_awaited() -> None:
    env = make(MONEY)
    env.reset(seed=1)
    before = record_bytes(env)
    with pytest.raises(IllegalActionError, match="roll is awaited"):
        env.set_dice(3, 1)
    env.reset(options={"xgid": xgid(START, START)})
    for wrong in ((0, 1), (3, 7), (3.5, 1), ("a", 1)):
        with pytest.raises(InvalidOptionError):
            env.set_dice(*wrong)
    env.step(DOUBLE)
    with pytest.raises(IllegalActionError, match="roll is awaited"):
        env.set_dice(3, 1)
    env.reset(seed=1)
    assert record_bytes(env) == before


def test_dice_and_time_need_a_running_episode() -> None:
    env = make(MONEY, auto_pass=False)
    for ask in (lambda: env.set_dice(3, 1), lambda: env.pass_time(1.0)):
        with pytest.raises(ResetNeeded):
            ask()
    _, info = env.reset(seed=1)
    play_on(env, info)
    for ask in (lambda: env.set_dice(3, 1), lambda: env.pass_time(1.0)):
        with pytest.raises(ResetNeeded):
            ask()


def test_the_opponents_first_roll_may_be_laid_down() -> None:
    """He wins with any roll, so the reset leaves him before it: 2-1 it shall be."""
    env = make(MONEY, opponent="random", seat=0)
    text = xgid({8: 15}, {1: 2}, turn=-1)
    _, info = env.reset(seed=1, options={"xgid": text})
    assert codes_of(info["action_mask"]) == [PASS]
    assert env.state.phase == 1
    _, info = env.set_dice(2, 1)
    assert codes_of(info["action_mask"]) == [PASS]
    assert codes_of(env.action_masks()) == [PASS]
    assert env.state.dice == (2, 1)
    _, reward, terminated, _, _ = env.step(PASS)
    assert (reward, terminated) == (-2.0, True)


# --- search -------------------------------------------------------------------------


def test_there_are_21_rolls_and_their_chances_add_up_to_one_case_73() -> None:
    env = make(MONEY)
    env.reset(options={"xgid": xgid(START, START)})
    outcomes = env.chance_outcomes()
    assert len(outcomes) == 21
    assert math.fsum(chance for _, chance in outcomes) == 1.0
    for (first, second), chance in outcomes:
        assert chance == (1 if first == second else 2) / 36
    env.step(ROLL)
    with pytest.raises(IllegalActionError, match="chance_outcomes"):
        env.chance_outcomes()


@pytest.mark.parametrize(
    ("rules", "count"), [(Rules(), 30), (Rules(automatic_doubles=1), 36)]
)
def test_before_the_opening_roll_the_order_of_the_dice_matters_case_73(
    rules: Rules, count: int
) -> None:
    env = make(MONEY, rules=rules)
    outcomes = env.chance_outcomes()  # nothing is rolled before the first reset
    assert len(outcomes) == count
    assert math.fsum(chance for _, chance in outcomes) == 1.0
    assert {chance for _, chance in outcomes} == {1 / count}


def test_a_search_one_roll_deep_finds_the_chance_to_bear_off_case_43() -> None:
    """One checker on the 6, the opponent on the 1: 27 of 36 rolls win (CASE 43)."""
    for point, wins in ((6, 27), (5, 31)):
        env = make(MONEY)
        env.reset(options={"xgid": xgid({point: 1}, {1: 1})})
        snapshot = env.get_state()
        value = 0.0
        for dice, chance in env.chance_outcomes():
            env.set_state(snapshot)
            env.set_dice(*dice)
            value += chance * _best(env)
        assert value == pytest.approx(wins / 36)


def _best(env: BackgammonEnv) -> float:
    """1 if some play of the roll wins at once; the terminal value, without rolling."""
    snapshot, player, best = env.get_state(), env.state.on_roll, 0.0
    for code in codes_of(env.action_masks()):
        env.set_state(snapshot)
        _, reward, terminated, _, _ = env.step(code)
        if terminated:
            return max(reward, best)
        if env.state.on_roll == player and env.state.dice is not None:
            best = max(best, _best(env))
    return best


def test_dice_differ_in_clones_and_the_rest_stays_the_same() -> None:
    env = make(MONEY)
    env.reset(seed=3, options={"xgid": xgid(START, START)})
    before = record_bytes(env)
    results = set()
    for dice, _ in env.chance_outcomes():
        other = env.clone()
        observation, _ = other.set_dice(*dice)
        results.add(observation.tobytes())
    assert len(results) == 21
    assert record_bytes(env) == before
