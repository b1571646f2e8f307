"""``bg-env analyze``: the board, the best plays, the cube, JSON, plain errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from arena_agents import FirstPlay
from command_runner import run

from bg_env import agent

PLAY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"
CUBE = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:0:0:0:0:10"


class Pips(FirstPlay):
    """Thinks that the pip count is all there is."""

    name = "pips"

    def evaluate(self, boards):
        pips = boards[:, :, 1:26].astype(np.float64) @ np.arange(1, 26)
        chances = np.zeros((len(boards), 5), np.float32)
        chances[:, 0] = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / 20))
        return chances


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    """Agents that are fast, forgotten after the test."""
    monkeypatch.setattr(agent, "_registered", {})
    agent.register_agent("first", FirstPlay)
    agent.register_agent("pips", Pips)


def analyzed(*arguments):
    result = run("analyze", *arguments, "--agent", "pips")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80
    return result.stdout


def test_a_roll_shows_the_board_and_then_the_best_plays():
    text = analyzed(PLAY, "--plays", "3")
    board, plays = text.index("Crawford game"), text.index("equity")
    assert board < plays
    assert "best 3 of 16 plays" in text
    assert "kazaross-xg2" in text
    assert "Judge: pips" in text


def test_before_the_roll_it_shows_what_to_do_about_the_cube():
    text = analyzed(CUBE)
    for word in ("No redouble", "Redouble, take", "Redouble, pass", "+1.000"):
        assert word in text


def test_the_player_on_roll_sits_at_the_bottom():
    other = CUBE.replace(":1:1:1:00", ":1:1:-1:21")
    lines = analyzed(other).splitlines()
    assert "player 0" in lines[0]


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cAkAAAAAAAAA"])
def test_ids_are_read_too(text):
    assert "No double" in analyzed(text)


def test_a_position_that_begins_with_a_dash_is_no_option():
    assert "best 5 of" in analyzed(PLAY.removeprefix("XGID="))


def test_a_rollout_is_as_long_and_as_short_as_asked_for():
    text = analyzed(PLAY, "--rollout", "36", "--truncate", "1", "--plays", "2")
    assert "36 trials" in text
    again = analyzed(PLAY, "--rollout", "36", "--truncate", "1", "--plays", "2")
    assert text == again
    other = analyzed(
        PLAY, "--rollout", "36", "--truncate", "3", "--plays", "2", "--seed", "1"
    )
    assert text != other


def test_json_goes_to_a_file_or_to_stdout_alone(tmp_path):
    path = tmp_path / "analysis.json"
    analyzed(CUBE, "--plies", "1", "--json", str(path))
    written = json.loads(path.read_text())
    assert written["kind"] == "cube"
    assert written["plies"] == 1
    result = run("analyze", PLAY, "--agent", "pips", "--json", "-")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["plays"][0]["plies"] == 0
    assert "Crawford game" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("XGID=zzz",), "XGID 'XGID=zzz'"),
        (("zzz",), "zzz"),
        ((PLAY, "--agent", "first"), "cannot analyse"),
        ((PLAY, "--agent", "nobody"), "nobody"),
        ((PLAY, "--plies", "9"), "plies"),
        ((PLAY, "--plays", "0"), "plays"),
        ((PLAY, "--rollout", "7"), "36 or more"),
        ((PLAY, "--truncate", "7"), "rollout"),
        ((PLAY, "--json", "/no/such/folder/a.json"), "JSON file"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(arguments, message):
    result = run("analyze", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
