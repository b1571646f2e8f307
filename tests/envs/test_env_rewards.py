"""What the end of a game is worth in the environment, and to whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    ACCEPT,
    CUBELESS,
    DROP,
    IDS,
    MONEY,
    OFF,
    PASS,
    RESIGN_GAMMON,
    RESIGN_SINGLE,
    START,
    codes_of,
    last_move,
    make,
    moves,
    play_codes,
    preferring,
    random_steps,
    xgid,
)

from bg_env import InvalidOptionError, RewardSpec, Rules
from bg_env.equity import load_table

# The loser's checkers, and the level at which he loses (CASES 22 to 24, R17).
ENDS: dict[str, tuple[dict[int, int], int]] = {
    "a checker on the bar only": ({25: 1, 8: 14}, 3),
    "one off beats the bar": ({25: 1, 8: 13}, 1),
    "one off beats the winner's home": ({24: 1, 8: 13}, 1),
    "all on the 8-point": ({8: 15}, 2),
    "one on the 24-point": ({24: 1, 8: 14}, 3),
    "one on the 19-point": ({19: 1, 8: 14}, 3),
    "one on the 18-point": ({18: 1, 8: 14}, 2),
    "all at home, none off": ({6: 15}, 2),
    "all at home, one off": ({6: 14}, 1),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("cube", [0, 1, 3])
def test_a_win_pays_level_times_cube_to_the_winner_cases_22_23_24_26(
    end: str, winner: int, cube: int
) -> None:
    loser, level = ENDS[end]
    env = make(MONEY)
    owner = 0 if cube == 0 else 1
    text = last_move(loser, winner=winner, cube=cube, owner=owner)
    env.reset(options={"xgid": text})
    _, reward, terminated, truncated, info = play_codes(env, OFF)
    points = level * 2**cube
    assert (reward, terminated, truncated) == (points, True, False)
    assert info["rewards"][winner] == points
    assert sum(info["rewards"]) == 0
    assert info["winner"] == winner
    assert info["outcome"] == ("single", "gammon", "backgammon")[level - 1]
    assert info["points"] == points
    assert info["cube"] == 2**cube
    assert info["score"][winner] == points
    assert info["ending"] == "borne off"
    assert "games" not in info  # only where an episode is a match of many games


@pytest.mark.parametrize(
    ("mine", "level"), [({8: 14}, 1), ({8: 15}, 2), ({24: 2, 8: 13}, 3)]
)
@pytest.mark.parametrize("cube", [0, 2])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_opponents_win_inside_my_step_costs_me_case_65(
    seat: int, cube: int, mine: dict[int, int], level: int
) -> None:
    """I move, he bears off his last checker: −k at that step, and +k for him."""
    env = make(MONEY, opponent="random", seat=seat)
    sign = 1 if seat == 0 else -1
    sides = (mine, {2: 1}) if seat == 0 else ({2: 1}, mine)
    text = xgid(*sides, turn=sign, dice="21", cube=cube, owner=sign if cube else 0)
    env.reset(options={"xgid": text, "dice": [(6, 5)]})
    assert play_codes(env, moves((8, 1)))[1] == 0.0
    _, reward, terminated, truncated, info = play_codes(env, moves((8, 2)))
    points = level * 2**cube
    assert (reward, terminated, truncated) == (-points, True, False)
    assert info["winner"] == 1 - seat
    assert info["rewards"][seat] == -points
    assert info["rewards"][1 - seat] == points


@pytest.mark.parametrize("seat", [0, 1])
def test_my_win_is_mine_case_65(seat: int) -> None:
    env = make(CUBELESS, opponent="random", seat=seat)
    env.reset(options={"xgid": last_move({8: 15}, winner=seat)})
    _, reward, terminated, _, info = play_codes(env, OFF)
    assert (reward, terminated) == (2.0, True)
    assert info["rewards"][seat] == 2.0


def test_always_losing_opponents_give_reward_and_strong_ones_take_it_case_65() -> None:
    """Resigning a gammon at once gives +2; pubeval beats random play."""
    rules = Rules(cube=False, resign="offer")
    quitter = preferring(RESIGN_GAMMON)
    env = make(CUBELESS, rules=rules, opponent=quitter)
    agreed = 0
    for seed in range(20):
        _, info = env.reset(seed=seed)
        while not info["action_mask"][ACCEPT]:
            _, _, terminated, _, info = env.step(codes_of(info["action_mask"])[0])
            assert not terminated
        _, reward, terminated, _, _ = env.step(ACCEPT)
        assert (reward, terminated) == (2.0, True)
        agreed += 1
    assert agreed == 20
    strong = make(CUBELESS, opponent="pubeval")
    total = sum(step[1] for step in random_steps(strong, 6000, seed=2))
    assert total < 0


# --- in self-play the reward is the actor's -----------------------------------------


@pytest.mark.parametrize("actor", [0, 1])
def test_in_self_play_the_reward_is_that_of_who_acted(actor: int) -> None:
    env = make(MONEY, rules=Rules(resign="offer"))
    turn = 1 if actor == 0 else -1
    env.reset(options={"xgid": last_move({8: 15}, winner=actor)})
    assert play_codes(env, OFF)[1] == 2.0, "the winner plays the last move"
    env.reset(options={"xgid": xgid(START, START, turn=-turn, dice="D")})
    _, reward, _, _, info = play_codes(env, [DROP])
    assert reward == -1.0, "the loser drops"
    assert info["rewards"][actor] == -1.0
    env.reset(options={"xgid": xgid(START, START, turn=-turn)})
    _, reward, _, _, info = play_codes(env, [RESIGN_SINGLE, ACCEPT])
    assert reward == 1.0, "the winner accepts"
    assert info["rewards"][actor] == 1.0
    env = make(MONEY, rules=Rules(resign="immediate"))
    env.reset(options={"xgid": xgid(START, START, turn=turn)})
    _, reward, _, _, info = play_codes(env, [RESIGN_SINGLE])
    assert reward == -2.0, "the loser resigns at once; none off is a gammon"
    assert info["rewards"][actor] == -2.0
    assert info["ending"] == "resigned"


def test_at_the_end_the_observation_is_that_of_whoever_acted_last() -> None:
    env = make(MONEY)
    for winner in (0, 1):
        env.reset(options={"xgid": last_move({8: 15}, winner=winner)})
        observation = play_codes(env, OFF)[0]
        seen = env.settings.encoder.observe(env.state.record, [winner])[0]
        np.testing.assert_array_equal(observation, seen)
        env.reset(options={"xgid": xgid(START, START, turn=1 - 2 * winner, dice="D")})
        observation = play_codes(env, [DROP])[0]
        seen = env.settings.encoder.observe(env.state.record, [1 - winner])[0]
        np.testing.assert_array_equal(observation, seen)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_rewards_are_zero_sum_and_only_at_the_end_case_26(
    name: str, opponent: str
) -> None:
    env = make(name, opponent=opponent, reward="points", episode="game")
    ended = 0
    for _, reward, terminated, _, info in random_steps(env, 5000, seed=13):
        if "rewards" not in info:
            continue  # a reset
        assert sum(info["rewards"]) == 0.0
        if not terminated:
            assert reward == 0.0
            assert info["rewards"] == (0.0, 0.0)
            continue
        ended += 1
        assert info["rewards"][info["winner"]] == info["points"]
        assert abs(reward) == info["points"]
    assert ended > 20


# --- kinds of reward ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("reward", "scale", "expected"),
    [
        ("points", 1.0, 8.0),
        ("points", 0.125, 1.0),
        ("win", 1.0, 1.0),
        ("win", 2.5, 2.5),
        (RewardSpec("points", weights=(1.0, 1.5, 4.0)), 1.0, 6.0),
        (RewardSpec("points", weights=(0.0, 0.0, 1.0), scale=0.5), 1.0, 0.0),
        (RewardSpec("points", scale=1 / 192), 1.0, 8 / 192),
    ],
)
def test_the_reward_is_what_was_chosen(
    reward: Any, scale: float, expected: float
) -> None:
    """A gammon with the cube at 4."""
    env = make(MONEY, reward=reward, reward_scale=scale)
    env.reset(options={"xgid": last_move({8: 15}, cube=2, owner=1)})
    _, got, _, _, info = play_codes(env, OFF)
    assert got == pytest.approx(expected, abs=1e-15)
    assert info["rewards"] == (got, -got)
    assert info["points"] == 8


def test_the_reward_match_is_for_the_match_alone() -> None:
    env = make(MONEY, match_length=7, reward="match", reward_scale=3.0)
    text = last_move({8: 15}, cube=0, score=(4, 3), length=7)
    env.reset(options={"xgid": text})
    _, reward, terminated, _, info = play_codes(env, OFF)
    assert (reward, terminated) == (0.0, False)
    assert [game["score"] for game in info["games"]] == [(6, 3)]
    text = last_move({8: 15}, cube=0, score=(5, 3), length=7)
    env.reset(options={"xgid": text})
    _, reward, terminated, _, info = play_codes(env, OFF)
    assert (reward, terminated) == (3.0, True)
    assert info["score"] == (7, 3)


@pytest.mark.parametrize("winner", [0, 1])
def test_the_reward_mwc_is_the_change_of_match_winning_chance(winner: int) -> None:
    table = load_table(RewardSpec("mwc").table)
    env = make(MONEY, match_length=7, reward="mwc", episode="game")
    score = (3, 2) if winner == 0 else (2, 3)
    text = last_move({6: 14}, winner=winner, score=score, length=7)
    env.reset(options={"xgid": text})
    _, reward, _, _, _ = play_codes(env, OFF)
    before = table.pre[7 - 3 - 1, 7 - 2 - 1]
    after = table.pre[7 - 4 - 1, 7 - 2 - 1]
    assert reward == pytest.approx(after - before)
    assert reward > 0.05


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_the_rewards_mwc_of_a_match_add_up_to_one_half(opponent: str) -> None:
    """From 50 % at 0–0 to 100 % or 0 %, however many games there are."""
    env = make(MONEY, match_length=5, reward="mwc", opponent=opponent)
    total = np.zeros(2)
    matches = 0
    for _, _, terminated, _, info in random_steps(env, 6000, seed=3):
        total += info.get("rewards", (0.0, 0.0))
        if terminated:
            matches += 1
            assert total[info["winner"]] == pytest.approx(0.5)
            assert total[1 - info["winner"]] == pytest.approx(-0.5)
            total[:] = 0.0
    assert matches > 5


def test_rewards_that_need_a_match_are_refused_in_money_play() -> None:
    for reward in ("match", "mwc"):
        with pytest.raises(InvalidOptionError, match="needs a match"):
            make(MONEY, reward=reward)
    with pytest.raises(InvalidOptionError, match="reward_scale"):
        make(MONEY, reward=RewardSpec("points"), reward_scale=2.0)
    with pytest.raises(InvalidOptionError, match="scale"):
        make(MONEY, reward_scale=-1.0)


def test_the_last_step_has_every_key_of_the_result() -> None:
    env = make(MONEY)
    env.reset(options={"xgid": last_move({6: 14})})
    info = play_codes(env, OFF)[4]
    assert set(info) == {
        "action_mask",
        "current_player",
        "passed",
        "rewards",
        "winner",
        "outcome",
        "points",
        "cube",
        "score",
        "ending",
        "turns",
    }
    env.reset(options={"xgid": xgid(START, START, dice="31")})
    info = play_codes(env, moves((8, 3)))[4]
    assert set(info) == {"action_mask", "current_player", "passed", "rewards"}
    assert codes_of(info["action_mask"])
    assert PASS not in codes_of(info["action_mask"])
