"""Opponents inside `step`: names, agents, functions, and pools of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bg_agents import PubevalAgent, RandomAgent
from env_play import (
    CUBELESS,
    DOUBLE,
    DROP,
    MONEY,
    PASS,
    ROLL,
    START,
    TAKE,
    any_of,
    check_mask,
    codes_of,
    lowest,
    make,
    play_on,
    preferring,
    random_steps,
    record_bytes,
    xgid,
)

from bg_env import (
    IllegalActionError,
    IllegalPlayError,
    InvalidOptionError,
    Rules,
    UnknownNameError,
    make_agent,
)
from bg_env.rules.batch import legal_masks
from bg_env.rules.decisions import is_move, move_code


class Lowest:
    """An agent of the least kind: one decision per game, the lowest code."""

    name = "lowest"

    def __len__(self) -> int:
        return 0  # an agent may be falsy

    def act(self, states: Any, streams: Any) -> np.ndarray:
        return legal_masks(states).argmax(axis=1).astype(np.int64)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_name_an_agent_and_a_function_are_the_same_opponent(seat: int) -> None:
    pairs: list[tuple[Any, Any]] = [
        ("random", RandomAgent()),
        ("pubeval", PubevalAgent()),
        ("pubeval", make_agent("pubeval")),
        (Lowest(), lowest),
    ]
    for first, second in pairs:
        games = []
        for opponent in (first, second):
            env = make(CUBELESS, opponent=opponent, seat=seat)
            _, info = env.reset(seed=3)
            _, reward, _, _, info = play_on(env, info)
            assert info["rewards"][seat] == reward
            games.append((reward, info["turns"], record_bytes(env)))
        assert games[0] == games[1]


# --- functions ----------------------------------------------------------------------


@pytest.mark.parametrize("observation", ["tesauro", "raw"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_function_sees_its_own_side(seat: int, observation: str) -> None:
    """What a learner in its place would see: shadowed by an environment of its own."""
    seen: list[tuple[np.ndarray, np.ndarray, int]] = []

    def watcher(observation: np.ndarray, mask: np.ndarray) -> int:
        state = env.state
        if not asking_at_reset:
            view = env.settings.encoder.observe(state.record, [1 - seat])[0]
            acting = state.to_act == 1 - seat
            if acting and codes_of(mask) == state.legal_decisions():
                np.testing.assert_array_equal(observation, view)
        seen.append((observation.copy(), mask.copy(), lowest(observation, mask)))
        return lowest(observation, mask)

    env = make(MONEY, opponent=watcher, seat=seat, observation=observation)
    asking_at_reset = True
    _, info = env.reset(seed=5)
    asking_at_reset = False
    play_on(env, info)
    assert len(seen) > 30
    for row, mask, code in seen:
        assert env.observation_space.contains(row)
        assert mask.dtype == np.int8
        assert mask[code]


def test_two_learners_in_mirrored_games_see_what_the_function_sees() -> None:
    """The function of player 1 gets, move by move, what a self-playing learner gets."""
    asked: list[tuple[bytes, bytes]] = []

    def function(observation: np.ndarray, mask: np.ndarray) -> int:
        asked.append((observation.tobytes(), mask.tobytes()))
        return lowest(observation, mask)

    env = make(CUBELESS, opponent=function, seat=0)
    both = make(CUBELESS)
    text = xgid(START, START, dice="31")
    dice = [(6, 2), (5, 5), (4, 3), (2, 1), (6, 6), (1, 1)] * 6
    _, info = env.reset(options={"xgid": text, "dice": dice})
    observation, other = both.reset(options={"xgid": text, "dice": dice})
    shown = []
    for _ in range(30):
        action = codes_of(info["action_mask"])[-1]
        _, _, terminated, _, info = env.step(action)
        observation, _, over, _, other = both.step(action)
        while other["current_player"] == 1 and not over:
            shown.append((observation.tobytes(), other["action_mask"].tobytes()))
            code = lowest(observation, other["action_mask"])
            observation, _, over, _, other = both.step(code)
        assert terminated == over
        if terminated:
            break
    assert asked == shown
    assert len(asked) > 15


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (161, IllegalPlayError),
        (PASS, IllegalPlayError),
        (ROLL, IllegalPlayError),
        (-1, IllegalActionError),
        (162, IllegalActionError),
        (2**80, IllegalActionError),
        (1.0, IllegalActionError),
        (None, IllegalActionError),
        ("1", IllegalActionError),
        (np.array([1, 2]), IllegalActionError),
        (np.array([1]), IllegalActionError),
        (np.bool_(True), IllegalActionError),
    ],
)
@pytest.mark.parametrize("policy", ["terminate", "raise", "penalize", "random_legal"])
def test_an_illegal_answer_of_the_opponent_always_raises(
    policy: str, answer: Any, error: type[Exception]
) -> None:
    """Whatever is done about the learner's; afterwards the opponent is asked again."""
    answers = [answer]

    def wrong_once(observation: np.ndarray, mask: np.ndarray) -> int:
        return answers.pop() if answers else lowest(observation, mask)

    env = make(CUBELESS, opponent=wrong_once, illegal_action=policy, seat=0)
    text = xgid(START, START, dice="31")
    env.reset(options={"xgid": text, "dice": [(6, 5), (5, 2)]})
    env.step(move_code(8, 3))
    with pytest.raises(error, match=r"wrong_once"):
        env.step(move_code(6, 1))
    assert env.state.to_act == 1
    assert codes_of(env.action_masks()) == [PASS]
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (0.0, False)
    assert "illegal_action" not in info
    assert env.state.dice == (5, 2)
    check_mask(env, info["action_mask"])


def test_an_illegal_answer_at_the_reset_raises_too() -> None:
    env = make(CUBELESS, opponent=lambda observation, mask: PASS, seat=0)
    env.reset(options={"xgid": xgid(START, START, dice="31")})
    with pytest.raises(IllegalPlayError):
        env.reset(options={"xgid": xgid(START, START, dice="31", turn=-1)})
    env.set_opponent("random")
    assert codes_of(env.action_masks()) == [PASS]
    _, _, _, _, info = env.step(PASS)
    assert info["current_player"] == 0
    check_mask(env, info["action_mask"])


def test_an_error_inside_the_opponent_comes_through_and_he_is_asked_again() -> None:
    def fails(observation: np.ndarray, mask: np.ndarray) -> int:
        raise ZeroDivisionError

    env = make(CUBELESS, opponent=fails, seat=0)
    env.reset(options={"xgid": xgid(START, START, dice="31")})
    env.step(move_code(8, 3))
    for action in (move_code(6, 1), PASS, PASS):
        with pytest.raises(ZeroDivisionError):
            env.step(action)
        assert codes_of(env.action_masks()) == [PASS]
    env.set_opponent(lowest)
    _, _, _, _, info = env.step(PASS)
    assert info["current_player"] == 0


def test_what_a_broken_step_brought_is_reported_by_the_next_one() -> None:
    """The learner wins a game of a match; in the next one the opponent fails once."""
    failures = [1]

    def fails_once(observation: np.ndarray, mask: np.ndarray) -> int:
        if failures:
            failures.pop()
            raise ZeroDivisionError
        return lowest(observation, mask)

    env = make(
        CUBELESS,
        rules=Rules(cube=False, match_length=9),
        opponent=fails_once,
        seat=0,
        reward="points",
    )
    text = xgid({3: 1}, {8: 15}, dice="65", length=9)
    env.reset(options={"xgid": text, "dice": [(1, 2), (3, 2), (6, 4)]})
    with pytest.raises(ZeroDivisionError):
        env.step(move_code(3, 6))
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (2.0, False)
    assert info["rewards"] == (2.0, -2.0)
    assert [game["score"] for game in info["games"]] == [(2, 0)]
    _, reward, _, _, info = env.step(codes_of(info["action_mask"])[0])
    assert reward == 0.0
    assert "games" not in info


def test_an_agent_that_writes_to_the_states_it_is_shown_changes_nothing() -> None:
    class Cheat(Lowest):
        def act(self, states: Any, streams: Any) -> np.ndarray:
            codes = super().act(states, streams)
            states["board"] = 0
            states["score"] = 99
            return codes

    honest, cheat = (
        make(CUBELESS, opponent=agent, seat=0) for agent in (Lowest(), Cheat())
    )
    games = []
    for env in (honest, cheat):
        _, info = env.reset(seed=5)
        step = play_on(env, info)
        games.append((step[1], record_bytes(env)))
    assert games[0] == games[1]


# --- cube decisions of opponents ----------------------------------------------------


def test_an_opponents_double_is_the_learners_decision() -> None:
    env = make(MONEY, opponent=preferring(DOUBLE), seat=0)
    env.reset(options={"xgid": xgid(START, START, dice="31")})
    env.step(move_code(8, 3))
    observation, reward, terminated, _, info = env.step(move_code(6, 1))
    assert codes_of(info["action_mask"]) == [TAKE, DROP]
    assert info["current_player"] == 0
    assert env.state.on_roll == 1
    assert (reward, terminated) == (0.0, False)
    seen = env.settings.encoder.observe(env.state.record, [0])[0]
    np.testing.assert_array_equal(observation, seen)
    _, _, _, _, info = env.step(TAKE)
    assert env.state.cube == 2
    assert env.state.cube_owner == 0
    assert info["action_mask"][DOUBLE]


@pytest.mark.parametrize("answer", [TAKE, DROP])
def test_the_learners_double_is_answered_inside_the_step(answer: int) -> None:
    env = make(MONEY, opponent=preferring(answer), seat=0)
    env.reset(options={"xgid": xgid(START, START)})
    _, reward, terminated, _, info = env.step(DOUBLE)
    if answer == DROP:
        assert (reward, terminated) == (1.0, True)
        assert info["winner"] == 0
    else:
        assert (reward, terminated) == (0.0, False)
        assert env.state.cube == 2
        assert env.state.dice is not None, "only he may turn the cube now"
        assert all(is_move(code) for code in codes_of(info["action_mask"]))


# --- pools --------------------------------------------------------------------------


def test_another_opponent_answers_from_the_next_step_on() -> None:
    env = make(MONEY, opponent=preferring(DOUBLE), seat=0)
    env.reset(options={"xgid": xgid(START, START, dice="31")})
    env.step(move_code(8, 3))
    env.set_opponent("pubeval")
    _, _, _, _, info = env.step(move_code(6, 1))
    assert codes_of(info["action_mask"]) == [ROLL, DOUBLE], "pubeval does not double"
    env.set_opponent(lowest)
    _, _, _, _, info = env.step(ROLL)
    play_on(env, info)


def test_a_pool_of_opponents_takes_turns() -> None:
    env = make(CUBELESS, opponent="random")
    _, info = env.reset(seed=1)
    for opponent in ("random", "pubeval", lowest, Lowest(), "pip-race"):
        env.set_opponent(opponent)
        play_on(env, info)
        _, info = env.reset()


def test_self_play_stays_self_play() -> None:
    with pytest.raises(InvalidOptionError, match="decided when"):
        make(CUBELESS).set_opponent("random")
    env = make(CUBELESS, opponent="random")
    with pytest.raises(InvalidOptionError, match="decided when"):
        env.set_opponent("self")
    with pytest.raises(UnknownNameError, match="randon"):
        env.set_opponent("randon")
    _, info = env.reset(seed=1)
    assert play_on(env, info)[2], "after refusals the old opponent plays"


@pytest.mark.parametrize(
    ("opponent", "error"),
    [
        ("nobody", UnknownNameError),
        ("Random", UnknownNameError),
        (5, InvalidOptionError),
        (None, InvalidOptionError),
        (RandomAgent, InvalidOptionError),
        (int, InvalidOptionError),
        (["random"], InvalidOptionError),
    ],
)
def test_an_opponent_is_a_name_an_agent_or_a_function(
    opponent: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        make(CUBELESS, opponent=opponent)


def test_the_opponent_is_never_asked_a_forced_decision() -> None:
    asked: list[list[int]] = []

    def function(observation: np.ndarray, mask: np.ndarray) -> int:
        asked.append(codes_of(mask))
        return lowest(observation, mask)

    for auto_pass in (True, False):
        env = make(CUBELESS, opponent=function, auto_pass=auto_pass)
        for _ in random_steps(env, 2500, seed=4):
            pass
    assert asked
    assert not [codes for codes in asked if codes in ([PASS], [ROLL])]


def test_a_falsy_agent_is_an_opponent_like_any_other() -> None:
    env = make(CUBELESS, opponent=Lowest(), seat=1)
    env.reset(options={"xgid": xgid({1: 1}, {8: 14, 1: 1}, turn=-1, dice="21")})
    rng = np.random.default_rng(1)
    terminated = False
    while not terminated:
        action = any_of(env.action_masks(), rng)
        _, reward, terminated, _, info = env.step(action)
    assert info["winner"] == 0
    assert reward == -info["points"]


def test_an_agent_may_resign_to_the_learner() -> None:
    env = make(MONEY, rules=Rules(resign="offer"), opponent=preferring(158), seat=0)
    _, info = env.reset(options={"xgid": xgid(START, START, turn=-1)})
    assert codes_of(info["action_mask"]) == [159, 160]
    _, _, _, _, info = env.step(160)
    assert env.state.on_roll in (0, 1)
    _, info = env.reset(options={"xgid": xgid(START, START, turn=-1)})
    _, reward, terminated, _, info = env.step(159)
    assert (reward, terminated) == (3.0, True)
    assert info["ending"] == "resigned"
