"""Matches: whole ones as one episode, and one game after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    ACCEPT,
    DOUBLE,
    DROP,
    MATCH,
    MONEY,
    PASS,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
    ROLL,
    START,
    any_of,
    check_mask,
    codes_of,
    compiled_only,
    make,
    moves,
    play_codes,
    play_on,
    preferring,
    random_steps,
    xgid,
)

from bg_env import BackgammonEnv, InvalidOptionError, Rules

pytestmark = compiled_only

CRAWFORD = "XGID=-b----E-C---eE---c-e----B-:0:0:{turn}:{dice}:4:2:1:5:10"
ONE_POINT = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:1:10"


def lose_game(
    env: BackgammonEnv, info: dict[str, Any], loser: int, level: int = 1
) -> tuple[float, bool, dict[str, Any], list[np.ndarray]]:
    """Play on at random until `loser` may resign; he does, and that is accepted.

    Returns:
        Reward, terminated, info of the last step, and all masks that were shown.
    """
    rng = np.random.default_rng(1)
    code = RESIGN_SINGLE + level - 1
    masks = []
    while not (info["current_player"] == loser and info["action_mask"][code]):
        mask = info["action_mask"].copy()
        masks.append(mask.copy())
        mask[RESIGN_SINGLE : RESIGN_BACKGAMMON + 1] = 0
        mask[DOUBLE] = 0
        _, reward, terminated, _, info = env.step(any_of(mask, rng))
        assert not terminated
        assert "games" not in info
    masks.append(info["action_mask"].copy())
    env.step(code)
    _, reward, terminated, _, info = env.step(ACCEPT)
    return reward, terminated, info, masks


def test_a_crawford_game_is_played_once_case_35() -> None:
    """3–2, 4–2 without the cube, 4–3 with it, 4–4 with it: all in one episode."""
    env = make(MONEY, rules=Rules(match_length=5, resign="offer"))
    _, info = env.reset(seed=3, options={"score": (3, 2)})
    assert not env.state.crawford
    _, ended, info, _ = lose_game(env, info, 1)
    assert not ended
    assert env.state.score == (4, 2)
    assert env.state.crawford
    _, ended, info, masks = lose_game(env, info, 0)
    assert not any(mask[DOUBLE] for mask in masks)
    assert env.state.score == (4, 3)
    assert not env.state.crawford
    assert _is_doubling_possible(env, info)
    _, info = env.reset(seed=3, options={"score": (4, 3), "crawford": False})
    _, ended, info, _ = lose_game(env, info, 0)
    assert env.state.score == (4, 4)
    assert not env.state.crawford
    assert _is_doubling_possible(env, info)


def _is_doubling_possible(env: BackgammonEnv, info: dict[str, Any]) -> bool:
    """Whether a double is ever shown to the player of the second turn."""
    rng = np.random.default_rng(2)
    while not info["action_mask"][DOUBLE]:
        mask = info["action_mask"].copy()
        mask[RESIGN_SINGLE : RESIGN_BACKGAMMON + 1] = 0
        _, _, terminated, _, info = env.step(any_of(mask, rng))
        if terminated or "games" in info:
            return False
    return True


@pytest.mark.parametrize("auto_pass", [True, False])
@pytest.mark.parametrize("turn", [1, -1])
def test_nobody_doubles_in_the_crawford_game_case_36(
    turn: int, auto_pass: bool
) -> None:
    env = make(MONEY, match_length=5, auto_pass=auto_pass)
    text = CRAWFORD.format(turn=turn, dice="00")
    _, info = env.reset(options={"xgid": text})
    assert not info["action_mask"][DOUBLE]
    if not auto_pass:
        assert codes_of(info["action_mask"]) == [ROLL]
    _, reward, terminated, _, info = env.step(DOUBLE)
    assert terminated
    assert info["illegal_action"]
    assert reward < 0


def test_the_crawford_game_shows_no_double_to_its_end_case_36() -> None:
    env = make(MONEY, match_length=5, auto_pass=False, episode="game")
    _, info = env.reset(seed=1, options={"xgid": CRAWFORD.format(turn=1, dice="31")})
    rng = np.random.default_rng(1)
    terminated = False
    while not terminated:
        assert not info["action_mask"][DOUBLE:].any()
        _, _, terminated, _, info = env.step(any_of(info["action_mask"], rng))


def test_a_one_point_match_has_no_cube_and_gammons_are_worth_one_match_case_37() -> (
    None
):
    env = make(MONEY, match_length=1, auto_pass=False)
    _, info = env.reset(seed=1, options={"xgid": ONE_POINT})
    assert not env.state.crawford
    rng = np.random.default_rng(3)
    terminated = False
    while not terminated:
        assert not info["action_mask"][DOUBLE:].any()
        _, reward, terminated, _, info = env.step(any_of(info["action_mask"], rng))
    assert abs(reward) == 1.0
    text = xgid({3: 1}, {8: 15}, dice="65", length=1)
    env.reset(options={"xgid": text})
    _, reward, terminated, _, info = play_codes(env, moves((3, 6)))
    assert (reward, terminated) == (1.0, True)
    assert info["outcome"] == "gammon"


def test_six_points_do_not_meet_a_match_length_of_seven_case_28() -> None:
    env = make(MATCH)
    text = xgid({3: 1}, {6: 14}, dice="65", score=(5, 3), length=7)
    env.reset(options={"xgid": text})
    _, reward, terminated, _, info = play_codes(env, moves((3, 6)))
    assert (reward, terminated) == (0.0, False)
    assert env.state.score == (6, 3)
    assert env.state.crawford
    assert info["games"][0]["score"] == (6, 3)
    assert "winner" not in info, "the match goes on"
    check_mask(env, info["action_mask"])


def test_a_resignation_counts_once_case_29() -> None:
    env = make(MONEY, rules=Rules(match_length=5, resign="offer"), reward="points")
    _, info = env.reset(seed=2)
    reward, terminated, info, _ = lose_game(env, info, 0, level=3)
    assert (reward, terminated) == (3.0, False)
    assert env.state.score == (0, 3)
    assert info["games"] == [
        {
            "winner": 1,
            "outcome": "backgammon",
            "points": 3,
            "cube": 1,
            "score": (0, 3),
            "ending": "resigned",
            "turns": info["games"][0]["turns"],
        }
    ]
    assert env.state.turn == 1, "the next game has begun"
    second = env.step(codes_of(info["action_mask"])[0])[4]
    assert "games" not in second


def test_a_second_resignation_before_the_next_roll_is_no_decision_case_29() -> None:
    env = make(MONEY, rules=Rules(match_length=5, resign="offer"))
    _, info = env.reset(seed=2)
    loser = info["current_player"]
    env.step(RESIGN_BACKGAMMON)
    _, _, _, _, info = env.step(160)
    assert info["current_player"] == loser
    assert not info["action_mask"][RESIGN_SINGLE : RESIGN_BACKGAMMON + 1].any()


# --- whole matches ------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("length", [3, 7])
def test_a_match_is_one_episode_of_several_games(length: int, opponent: str) -> None:
    env = make(MONEY, match_length=length, opponent=opponent, reward="points")
    total = np.zeros(2)
    games: list[dict[str, Any]] = []
    matches = 0
    counts = []
    for _, reward, terminated, _, info in random_steps(env, 9000, seed=4):
        total += info.get("rewards", (0.0, 0.0))
        games += info.get("games", [])
        if "games" not in info and "rewards" in info:
            assert reward == 0.0
        if terminated:
            matches += 1
            counts.append(len(games))
            _check_match(games, total, info, length)
            total[:] = 0.0
            games = []
    assert matches > 5
    assert max(counts) > 1


def _check_match(
    games: list[dict[str, Any]], total: np.ndarray, info: dict[str, Any], length: int
) -> None:
    won = [0, 0]
    for game in games:
        won[game["winner"]] += game["points"]
        assert game["score"] == tuple(won)
    assert info["score"] == tuple(won)
    assert max(won) >= length
    assert max(games[-2]["score"] if len(games) > 1 else (0, 0)) < length
    assert info["winner"] == int(np.argmax(won))
    assert {name: info[name] for name in games[-1]} == games[-1]
    assert total[0] == won[0] - won[1]


def test_several_games_may_end_in_one_step() -> None:
    """An opponent who resigns at every first chance gives game after game away."""
    rules = Rules(match_length=9, resign="immediate", cube=False)
    most = 0
    for seed in range(30):
        env = make(
            MONEY, rules=rules, opponent=preferring(RESIGN_SINGLE), reward="points"
        )
        _, info = env.reset(seed=seed)
        total, games, terminated = 0.0, [], False
        while not terminated:
            mask = info["action_mask"].copy()
            mask[RESIGN_SINGLE] = 0
            _, reward, terminated, _, info = env.step(codes_of(mask)[0])
            total += reward
            games += info.get("games", [])
            most = max(most, len(info.get("games", [])))
            assert reward == 2.0 * len(info.get("games", []))
            check_mask(env, info["action_mask"])
        assert total == 10.0  # five gammons
        assert [game["score"][env.seat] for game in games] == [2, 4, 6, 8, 10]
    assert most >= 3


def test_an_opponent_who_gives_up_before_my_first_turn_does_it_in_my_step() -> None:
    rules = Rules(match_length=5, resign="immediate", cube=False)
    env = make(MONEY, rules=rules, opponent=preferring(RESIGN_SINGLE), seat=0)
    text = xgid(START, START, turn=-1, length=5)
    _, info = env.reset(options={"xgid": text})
    assert codes_of(info["action_mask"]) == [PASS]
    _, reward, _, _, info = env.step(PASS)
    assert info["games"][0]["points"] == 2
    assert reward == (1.0 if info["games"][-1]["score"][0] >= 5 else 0.0)


def test_each_game_of_a_match_begins_with_an_opening_roll_case_31() -> None:
    env = make(MONEY, match_length=15)
    begun = 0
    for _, _, terminated, _, info in random_steps(env, 6000, seed=8):
        if "games" in info and not terminated:
            begun += 1
            first, second = env.state.dice
            assert first != second
            assert env.state.turn == 1
            assert not info["action_mask"][DOUBLE]
            assert env.state.cube == 1
            assert env.state.cube_owner is None
    assert begun > 20


def test_the_winner_of_a_match_gets_one_and_the_loser_minus_one() -> None:
    env = make(MONEY, match_length=3, opponent="random")
    seen = set()
    for _, reward, terminated, _, info in random_steps(env, 6000, seed=8):
        if terminated:
            seen.add(reward)
            assert reward == (1.0 if info["winner"] == env.seat else -1.0)
        else:
            assert reward == 0.0
    assert seen == {1.0, -1.0}


# --- game by game -------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_match_can_be_played_game_by_game(opponent: str) -> None:
    env = make(MONEY, match_length=5, episode="game", opponent=opponent)
    _, info = env.reset(seed=6)
    won, crawford_games = [0, 0], 0
    seat = env.seat
    while True:
        crawford_games += env.state.crawford
        _, reward, terminated, _, info = play_on(env, info)
        assert terminated
        won[info["winner"]] += info["points"]
        assert info["score"] == tuple(won)
        assert abs(reward) == info["points"], "an episode of one game pays points"
        if max(won) >= 5:
            break
        _, info = env.reset(options={"next_game": True})
        assert env.state.score == tuple(won)
        assert env.seat == seat, "the players keep their seats"
        assert env.state.turn >= 1
        assert env.state.cube == 1 or env.state.dice is None
    assert crawford_games <= 1
    with pytest.raises(InvalidOptionError, match="over at"):
        env.reset(options={"next_game": True})


def test_the_next_game_of_a_money_session_keeps_the_score() -> None:
    env = make(MONEY)
    _, info = env.reset(seed=6)
    won = [0, 0]
    for _ in range(5):
        _, _, _, _, info = play_on(env, info)
        won[info["winner"]] += info["points"]
        assert info["score"] == tuple(won)
        _, info = env.reset(options={"next_game": True})
    _, info = env.reset()
    assert env.state.score == (0, 0)


def test_the_next_game_goes_on_with_the_same_streams() -> None:
    """Game by game or in one episode: the same dice."""
    whole = make(MONEY, match_length=7, reward="points")
    single = make(MONEY, match_length=7, episode="game")
    rng = np.random.default_rng(1)
    _, info = whole.reset(seed=12)
    _, other = single.reset(seed=12)
    while True:
        action = any_of(info["action_mask"], rng)
        _, reward, ended, _, info = whole.step(action)
        _, same, over, _, other = single.step(action)
        assert reward == same
        if over and not ended:
            _, other = single.reset(options={"next_game": True})
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
        assert whole.state == single.state
        if ended:
            break


def test_a_dropped_double_ends_a_game_of_a_match() -> None:
    env = make(MATCH, reward="points")
    text = xgid(START, START, length=7)
    env.reset(options={"xgid": text})
    _, reward, terminated, _, info = play_codes(env, [DOUBLE, DROP])
    assert (reward, terminated) == (-1.0, False)
    assert info["rewards"] == (1.0, -1.0)
    assert env.state.score == (1, 0)
