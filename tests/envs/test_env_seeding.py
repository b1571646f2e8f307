"""Seeds, streams and seats."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    IDS,
    MATCH,
    MONEY,
    OPPONENTS,
    START,
    any_of,
    codes_of,
    compiled_only,
    make,
    play_on,
    replay,
    xgid,
)

from bg_env import BackgammonEnv, InvalidOptionError, Rules

pytestmark = compiled_only


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", IDS)
def test_the_same_seed_gives_the_same_games_case_70(name: str, opponent: str) -> None:
    """One seed at the beginning fixes that game and all that follow."""
    seen = []
    for _ in range(2):
        env = make(name, opponent=OPPONENTS[opponent])
        _, info = env.reset(seed=7)
        seen.append(replay(env, info, 1500))
    assert seen[0] == seen[1]


def test_a_second_reset_with_the_seed_begins_again_case_70() -> None:
    env = make(MONEY, opponent="random")
    seen = []
    for _ in range(2):
        _, info = env.reset(seed=7)
        seen.append(replay(env, info, 400))
    assert seen[0] == seen[1]


def test_other_seeds_give_other_games() -> None:
    env = make(CUBELESS)
    seen = set()
    for seed in range(200):
        _, info = env.reset(seed=seed)
        seen.add(b"".join(replay(env, info, 12)))
    assert len(seen) == 200


def test_without_a_seed_two_environments_play_different_games() -> None:
    seen = set()
    for _ in range(20):
        env = BackgammonEnv("cubeless")
        _, info = env.reset()
        seen.add(b"".join(replay(env, info, 8)))
    assert len(seen) == 20


def test_a_reset_without_a_seed_goes_on_with_the_streams_case_70() -> None:
    """The game after next is not the first one again."""
    env = make(CUBELESS)
    env.reset(seed=5)
    starts = [_opening(env)]
    for _ in range(200):
        env.reset()
        starts.append(_opening(env))
    assert len(set(starts)) > 25
    again = make(CUBELESS)
    again.reset(seed=5)
    other = [_opening(again)]
    for _ in range(200):
        again.reset()
        other.append(_opening(again))
    assert starts == other


def _opening(env: BackgammonEnv) -> tuple[int, Any]:
    return env.state.on_roll, env.state.dice


@pytest.mark.parametrize("disturb", ["numpy", "random", "action_space", "np_random"])
def test_games_do_not_depend_on_any_other_generator_case_70(disturb: str) -> None:
    def noise(env: BackgammonEnv) -> None:
        actions: dict[str, Callable[[], object]] = {
            "numpy": lambda: np.random.seed(3),  # noqa: NPY002
            "random": lambda: random.seed(3),
            "action_space": lambda: env.action_space.seed(3),
            "np_random": lambda: env.np_random.random(17),
        }
        actions[disturb]()

    quiet, noisy = make(MONEY, opponent="random"), make(MONEY, opponent="random")
    _, info = quiet.reset(seed=9)
    _, other = noisy.reset(seed=9)
    for _ in range(20):
        noise(noisy)
        assert replay(quiet, info, 20) == replay(noisy, other, 20)
        _, info = quiet.reset()
        _, other = noisy.reset()


def test_playing_leaves_the_global_generators_alone_case_70() -> None:
    before = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    env = make(MONEY, opponent="random", illegal_action="random_legal")
    _, info = env.reset(seed=1)
    replay(env, info, 500)
    after = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    assert before == after


def test_the_action_space_has_a_seed_of_its_own() -> None:
    """`reset(seed=)` does not fix what `action_space.sample` draws."""
    env = make(CUBELESS)
    env.action_space.seed(1)
    first = [int(env.action_space.sample()) for _ in range(5)]
    env.reset(seed=99)
    env.action_space.seed(1)
    assert [int(env.action_space.sample()) for _ in range(5)] == first


@pytest.mark.parametrize("name", IDS)
def test_wrappers_change_nothing_about_the_dice_case_70(name: str) -> None:
    env, bare = gymnasium.make(name), make(name)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=7)
    bare.reset(seed=7)
    for _ in range(300):
        action = any_of(info["action_mask"], rng)
        observation, _, terminated, _, info = env.step(action)
        same, _, _, _, _ = bare.step(action)
        np.testing.assert_array_equal(observation, same)
        if terminated:
            _, info = env.reset()
            bare.reset()


def test_the_dice_do_not_depend_on_what_an_opponent_draws() -> None:
    """Dice and choices are two streams: whatever is chosen, the same dice."""
    text = xgid(START, START, turn=-1, dice="31")
    for seed in range(30):
        states = []
        for opponent in ("random", "pubeval"):
            env = make(CUBELESS, opponent=opponent, seat=0)
            env.reset(seed=seed, options={"xgid": text})
            states.append(env.state)
        drawing, plain = states
        assert drawing.dice == plain.dice
        assert drawing.record["dice_stream"] == plain.record["dice_stream"]
        assert drawing.record["choice_stream"] != plain.record["choice_stream"]


def test_opening_rolls_and_dice_are_fair() -> None:
    """30 ordered openings at 1/30; later throws at 1/36 (chi-square, 4 σ)."""
    env = make(CUBELESS, auto_pass=True)
    env.reset(seed=2)
    openings = np.zeros((7, 7))
    for _ in range(3000):
        env.reset()
        openings[env.state.dice] += 1
    assert np.trace(openings) == 0
    cells = openings[1:, 1:][~np.eye(6, dtype=bool)]
    assert np.abs(cells - 100).max() < 45
    rolls = np.zeros((7, 7))
    text = xgid(START, START)
    for _ in range(3600):
        env.reset(options={"xgid": text})
        rolls[env.state.dice] += 1
    assert np.abs(rolls[1:, 1:] - 100).max() < 45


# --- seats --------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_a_chosen_seat_is_kept(seat: int) -> None:
    env = make(MATCH, opponent="random", seat=seat)
    _, info = env.reset(seed=1)
    for _ in range(10):
        assert env.seat == seat
        assert info["current_player"] == seat
        play_on(env, info)
        _, info = env.reset()


def test_a_random_seat_is_drawn_anew_at_every_reset() -> None:
    env = make(CUBELESS, opponent="random")
    seats = []
    env.reset(seed=1)
    for _ in range(400):
        _, info = env.reset()
        assert info["current_player"] == env.seat
        seats.append(env.seat)
    assert 150 < sum(seats) < 250
    assert any(seats[i] != seats[i + 1] for i in range(10))


def test_the_seat_says_nothing_about_who_begins() -> None:
    env = make(CUBELESS, opponent="random")
    env.reset(seed=1)
    begins = []
    for _ in range(600):
        env.reset()
        begins.append(env.state.turn == 1)
    assert 240 < sum(begins) < 360
    for seat in (0, 1):
        env = make(CUBELESS, opponent="random", seat=seat)
        env.reset(seed=1)
        begins = []
        for _ in range(400):
            env.reset()
            begins.append(env.state.turn == 1)
        assert 150 < sum(begins) < 250


def test_self_play_has_no_seat() -> None:
    env = make(CUBELESS)
    env.reset(seed=1)
    assert env.seat is None
    for seat in (0, 1):
        with pytest.raises(InvalidOptionError, match="self-play"):
            make(CUBELESS, seat=seat)


@pytest.mark.parametrize("seat", [2, -1, "0", None, True, 0.0])
def test_a_seat_is_random_0_or_1(seat: Any) -> None:
    with pytest.raises(InvalidOptionError, match="seat"):
        make(CUBELESS, opponent="random", seat=seat)


def test_the_learner_of_either_seat_gets_the_same_reward_for_the_same_win() -> None:
    for seat in (0, 1):
        env = make(CUBELESS, opponent="random", seat=seat)
        sides = ({3: 1}, {8: 15}) if seat == 0 else ({8: 15}, {3: 1})
        text = xgid(*sides, turn=1 if seat == 0 else -1, dice="65")
        _, info = env.reset(options={"xgid": text})
        assert env.step(codes_of(info["action_mask"])[0])[1] == 2.0


def test_an_even_match_warns_once_when_it_is_made() -> None:
    with pytest.warns(UserWarning, match="odd"):
        env = make(MONEY, rules=Rules(match_length=4))
    env.reset(seed=1)
