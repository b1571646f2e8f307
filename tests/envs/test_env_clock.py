"""The clock of R29 and the openings of R5 and R23, seen through the environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    CLAIM,
    CUBELESS,
    DOUBLE,
    MATCH,
    MONEY,
    PASS,
    RESIGN_SINGLE,
    ROLL,
    START,
    any_of,
    check_mask,
    codes_of,
    lowest,
    make,
    play_codes,
    play_on,
    preferring,
    record_bytes,
    xgid,
)

from bg_env import (
    BackgammonEnv,
    Clock,
    IllegalActionError,
    InvalidOptionError,
    Rules,
)
from bg_env.rules.decisions import is_move


def timed(**keywords: Any) -> BackgammonEnv:
    """The preset of sheet B: 11 s a turn, 90 s a game, no cube."""
    return make(MONEY, rules="timed", **keywords)


def finish_turn(env: BackgammonEnv, info: dict[str, Any]) -> dict[str, Any]:
    """Random moves to the end of the turn of who is on roll."""
    rng = np.random.default_rng(1)
    player = info["current_player"]
    while info["current_player"] == player:
        mask = info["action_mask"].copy()
        mask[RESIGN_SINGLE] = mask[CLAIM] = 0
        info = env.step(any_of(mask, rng))[4]
    return info


# --- time ---------------------------------------------------------------------------


def test_time_comes_from_the_turn_first_and_then_from_the_reserve() -> None:
    env = timed()
    observation, info = env.reset(seed=1)
    player = info["current_player"]
    seen = {observation.tobytes()}
    for seconds, reserve in ((8.0, 90.0), (2.5, 90.0), (10.5, 80.0), (0.0, 80.0)):
        observation, again = env.pass_time(seconds)
        assert env.state.reserve[player] == reserve
        assert env.state.reserve[1 - player] == 90.0
        np.testing.assert_array_equal(again["action_mask"], info["action_mask"])
        assert again["passed"] == 0
        seen.add(observation.tobytes())
    assert len(seen) == 4, "the clock is in the observation"
    info = finish_turn(env, again)
    env.pass_time(11.0)
    assert env.state.reserve == ((80.0, 90.0) if player == 0 else (90.0, 80.0))


def test_time_is_nothing_to_an_environment_without_a_clock() -> None:
    env = make(MONEY)
    _, info = env.reset(seed=1)
    before = record_bytes(env)
    _, again = env.pass_time(10_000)
    assert record_bytes(env) == before
    np.testing.assert_array_equal(info["action_mask"], again["action_mask"])


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), None, "3", 1e9])
def test_time_is_a_number_of_seconds(seconds: Any) -> None:
    env = timed()
    env.reset(seed=1)
    before = record_bytes(env)
    with pytest.raises(InvalidOptionError, match="seconds"):
        env.pass_time(seconds)
    assert record_bytes(env) == before


# --- claims -------------------------------------------------------------------------


def test_the_opponent_of_a_flagged_player_may_claim_a_gammon() -> None:
    """Even against a player who has borne off checkers; until then the game goes on."""
    for loser in ({8: 15}, {8: 13}):
        env = timed(auto_pass=False)
        text = xgid(loser, START, dice="21")
        _, info = env.reset(options={"xgid": text})
        assert not info["action_mask"][CLAIM]
        _, info = env.pass_time(102)
        assert env.state.reserve[0] == 0
        assert not info["action_mask"][CLAIM], "the flagged player plays on"
        info = finish_turn(env, info)
        assert info["action_mask"][CLAIM]
        check_mask(env, info["action_mask"])
        _, reward, terminated, _, info = env.step(CLAIM)
        assert (reward, terminated) == (2.0, True)
        assert info["rewards"] == (-2.0, 2.0)
        assert info["ending"] == "claimed"
        assert info["outcome"] == "gammon"


def test_a_claim_while_time_is_left_is_illegal() -> None:
    env = timed(illegal_action="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="claim"):
        env.step(CLAIM)


def test_an_opponent_may_claim_inside_the_step() -> None:
    env = timed(opponent=preferring(CLAIM), seat=0)
    _, info = env.reset(options={"xgid": xgid(START, START, dice="31")})
    env.pass_time(101)
    codes = [code for code in codes_of(info["action_mask"]) if is_move(code)]
    _, _, terminated, _, info = env.step(codes[0])
    assert not terminated
    code = next(code for code in codes_of(info["action_mask"]) if is_move(code))
    _, reward, terminated, _, info = env.step(code)
    assert (reward, terminated) == (-2.0, True)
    assert info["ending"] == "claimed"


def test_an_opponent_that_knows_no_clock_plays_on_against_a_flagged_learner() -> None:
    env = timed(opponent="random", seat=0)
    _, info = env.reset(seed=1)
    env.pass_time(500)
    _, _, terminated, _, info = play_on(env, info)
    assert terminated
    assert info["ending"] in ("borne off", "resigned")


@pytest.mark.parametrize(
    ("clock", "points"),
    [
        (Clock(award="single"), 1.0),
        (Clock(award="gammon"), 2.0),
        (Clock(turn_seconds=0, reserve_seconds=1), 2.0),
    ],
)
def test_what_a_claim_is_worth_is_an_option(clock: Clock, points: float) -> None:
    env = make(CUBELESS, rules=Rules(cube=False, clock=clock), auto_pass=False)
    _, info = env.reset(options={"xgid": xgid(START, START, dice="21")})
    _, info = env.pass_time(102)
    finish_turn(env, info)
    assert env.step(CLAIM)[1] == points


# --- running out of time loses ------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("action", [PASS, 5, ROLL, CLAIM])
@pytest.mark.parametrize("policy", ["terminate", "raise", "penalize", "random_legal"])
def test_running_out_of_time_loses_the_match_whatever_the_next_action(
    policy: str, action: int, opponent: str
) -> None:
    env = make(MONEY, rules="us-tournament", illegal_action=policy, opponent=opponent)
    _, info = env.reset(seed=2)
    loser = info["current_player"]
    observation, info = env.pass_time(12 + 120 * 7)
    assert codes_of(info["action_mask"]) == [PASS]
    check_mask(env, info["action_mask"])
    assert env.observation_space.contains(observation)
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["rewards"][loser] == -1.0
    assert "illegal_action" not in info
    assert info["winner"] == 1 - loser
    assert info["ending"] == "claimed"
    assert info["score"][1 - loser] == 7
    assert len(info["games"]) == 1


def test_a_loss_on_time_of_one_game_begins_the_next_one() -> None:
    clock = Clock(flag="loses", award="gammon", renewed="game")
    env = make(MONEY, rules=Rules(match_length=5, clock=clock), reward="points")
    _, info = env.reset(seed=2)
    loser = info["current_player"]
    env.pass_time(500)
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (-2.0, False)
    assert env.state.score[1 - loser] == 2
    assert env.state.reserve == (90.0, 90.0), "it is renewed each game"
    check_mask(env, info["action_mask"])


def test_the_reserve_of_a_tournament_lasts_for_the_match() -> None:
    env = make(MONEY, rules="us-tournament", episode="game")
    _, info = env.reset(seed=2)
    player = info["current_player"]
    _, info = env.pass_time(12 + 40)
    play_on(env, info)
    env.reset(options={"next_game": True})
    assert env.state.reserve[player] == 800.0
    env.reset()
    assert env.state.reserve == (840.0, 840.0)


def test_time_runs_out_before_the_opponents_first_turn() -> None:
    """It is his clock that runs while he is awaited."""
    clock = Clock(flag="loses", award="single")
    env = make(CUBELESS, rules=Rules(cube=False, clock=clock), opponent=lowest, seat=0)
    text = xgid({8: 15}, {1: 1}, turn=-1, dice="21")
    env.reset(options={"xgid": text})
    _, info = env.pass_time(5)
    assert codes_of(info["action_mask"]) == [PASS]
    assert codes_of(env.action_masks()) == [PASS]
    _, info = env.pass_time(500)
    assert codes_of(info["action_mask"]) == [PASS]
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (1.0, True)
    assert info["ending"] == "claimed"


# --- the rules of sheet B -----------------------------------------------------------


def test_the_timed_preset_in_the_environment() -> None:
    env = timed()
    for _ in range(20):
        _, info = env.reset(seed=3)
        assert info["action_mask"][RESIGN_SINGLE]
        assert not info["action_mask"][RESIGN_SINGLE + 1 :].any()
    env.reset(options={"xgid": xgid({3: 1}, {25: 1, 8: 14}, dice="65")})
    _, reward, _, _, info = play_codes(env, [codes_of(env.action_masks())[0]])
    assert (reward, info["outcome"]) == (2.0, "gammon")
    env.reset(options={"xgid": xgid({6: 1, 3: 1}, {8: 15}, dice="43")})
    codes = [code for code in codes_of(env.action_masks()) if is_move(code)]
    assert [env.action_text(code) for code in codes] == ["3/off", "6/2"]


# --- openings -----------------------------------------------------------------------


def test_the_winner_of_the_opening_may_roll_afresh_as_an_option() -> None:
    """R5 with `opening_reroll`: doubles are possible, doubling the cube is not."""
    rules = Rules(opening_reroll=True)
    shown = make(MONEY, rules=rules, auto_pass=False)
    played = make(MONEY, rules=rules)
    doublets = 0
    for seed in range(80):
        _, info = shown.reset(seed=seed)
        assert codes_of(info["action_mask"]) == [ROLL], "no double in the first turn"
        assert shown.state.turn == 1
        _, _, _, _, info = shown.step(ROLL)
        _, other = played.reset(seed=seed)
        assert shown.state == played.state
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
        first, second = played.state.dice
        doublets += first == second
    assert doublets > 3
    _, info = played.reset(options={"dice": [(1, 5), (6, 6)]})
    assert info["current_player"] == 1
    assert played.state.dice_left == (6, 6, 6, 6)


@pytest.mark.parametrize(
    ("allowed", "ties", "cube"), [(0, 3, 1), (1, 1, 2), (1, 3, 2), (2, 3, 4), (9, 2, 4)]
)
def test_opening_ties_double_the_cube_as_an_option(
    allowed: int, ties: int, cube: int
) -> None:
    """R23: it stays in the middle, and either player may double later."""
    env = make(MONEY, rules=Rules(automatic_doubles=allowed))
    dice = [(4, 4), (1, 1), (6, 6)][:ties]
    _, info = env.reset(options={"dice": [*dice, (5, 2)]})
    assert env.state.cube == cube
    assert env.state.cube_owner is None
    assert env.state.dice == (5, 2)
    assert not info["action_mask"][DOUBLE]
    info = finish_turn(env, info)
    assert info["action_mask"][DOUBLE]
    env.step(DOUBLE)
    assert env.step(154)[1] == -cube


def test_automatic_doubles_begin_anew_in_each_game() -> None:
    env = make(MONEY, rules=Rules(automatic_doubles=1))
    for _ in range(3):
        _, info = env.reset(options={"dice": [(4, 4), (1, 1), (5, 2)]})
        assert env.state.cube == 2
        play_on(env, info)
        env.reset(options={"next_game": True, "dice": [(3, 3), (5, 2)]})
        assert env.state.cube == 2
        env.reset(options={"dice": [(5, 2)]})
        assert env.state.cube == 1


def test_there_are_no_automatic_doubles_in_a_match() -> None:
    env = make(MATCH)
    env.reset(options={"dice": [(4, 4), (1, 1), (5, 2)]})
    assert env.state.cube == 1
