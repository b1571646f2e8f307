"""Boards as text."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    IDS,
    MATCH,
    MONEY,
    START,
    any_of,
    codes_of,
    make,
    play_on,
    xgid,
)

from bg_env import BackgammonEnv, InvalidOptionError
from bg_env.rendering.ansi import render


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("name", IDS)
def test_a_board_is_drawn_after_every_step(name: str, opponent: str) -> None:
    env = gymnasium.make(name, render_mode="ansi", opponent=opponent)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    pictures = {env.render()}
    for _ in range(60):
        _, _, terminated, _, info = env.step(any_of(info["action_mask"], rng))
        text = env.render()
        assert isinstance(text, str)
        assert max(map(len, text.splitlines())) <= 78
        pictures.add(text)
        if terminated:
            pictures.add(env.render())
            _, info = env.reset()
    assert len(pictures) > 40


@pytest.mark.parametrize("seat", [0, 1])
def test_the_learner_sits_at_the_bottom(seat: int) -> None:
    env = make(MONEY, render_mode="ansi", opponent="random", seat=seat)
    env.reset(seed=1)
    assert env.render() == render(env.state, viewer=seat)


def test_in_self_play_player_0_sits_at_the_bottom() -> None:
    env = make(MONEY, render_mode="ansi")
    for turn in (1, -1):
        env.reset(options={"xgid": xgid(START, START, turn=turn, dice="61")})
        assert env.render() == render(env.state, viewer=0)
        assert "6-1" in env.render()


def test_the_end_of_a_game_and_an_awaited_first_turn_are_drawn() -> None:
    env = make(CUBELESS, render_mode="ansi", opponent="random", seat=0)
    env.reset(options={"xgid": xgid({8: 15}, {1: 1}, turn=-1, dice="21")})
    assert "O to play 2-1" in env.render()
    env.step(0)
    assert "O wins a gammon: 2 points" in env.render()


def test_without_a_render_mode_nothing_is_drawn() -> None:
    env = make(MONEY)
    env.reset(seed=1)
    assert env.render_mode is None
    assert env.render() is None


@pytest.mark.parametrize("mode", ["human", "rgb_array", "ANSI", 1])
def test_a_render_mode_is_ansi_or_none(mode: object) -> None:
    with pytest.raises(InvalidOptionError, match="render_mode"):
        BackgammonEnv(render_mode=mode)
    assert BackgammonEnv.metadata["render_modes"] == ["ansi"]


def test_a_whole_match_is_drawn() -> None:
    env = make(MATCH, render_mode="ansi")
    _, info = env.reset(seed=1)
    assert codes_of(info["action_mask"])
    play_on(env, info)
    assert "and the match" in env.render()
