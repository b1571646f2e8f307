"""``bg-env analyze``: the board, the best plays, the cube, JSON, plain errors."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from arena_agents import FirstPlay
from command_runner import run
from support import DATA, ORACLE
from typer.testing import CliRunner

from bg_env import agent
from bg_env.cli import app
from bg_env.table import Game, Session

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
        ((PLAY, "--plays", "0"), "Option --plays is"),
        ((PLAY, "--rollout", "7"), "Option --rollout is a whole number, 36 or more"),
        ((PLAY, "--truncate", "7"), "--truncate 7 cuts"),
        ((PLAY, "--worst", "3"), "--worst is for a file of games"),
        ((PLAY, "--json", "/no/such/folder/a.json"), "JSON file"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(arguments, message):
    result = run("analyze", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


# --- recorded games -------------------------------------------------------------------

MATCH = str(DATA / "match3.mat")


@pytest.fixture
def played(tmp_path):
    """Two games of two agents, saved."""
    session = Session(
        "cubeless", seed=4, players=("pips", "first"), names=("Ann", "Bob")
    )
    session.advance()
    session.next_game()
    session.advance()
    session.save(tmp_path / "played")  # the name says nothing
    return tmp_path / "played"


def test_a_match_file_shows_rates_and_the_worst_decisions_with_their_positions():
    text = analyzed(MATCH, "--plies", "1", "--worst", "2")
    assert "white" in text
    assert "Judge" not in text
    assert "Games: 1; judge: pips, looking 1 ahead" in text
    assert "Game by game" not in text  # there is one alone
    for name in ("white", "red"):
        assert f"Worst decisions of {name}" in text
    assert text.count("XGID=") == 4
    assert text.count(", best ") == 4


def test_the_position_of_a_worst_decision_can_be_analysed():
    text = analyzed(MATCH)
    xgid = next(word for word in text.split() if word.startswith("XGID="))
    assert "Judge: pips" in analyzed(xgid)


def test_games_that_were_saved_are_rated_by_player_and_game(played):
    lines = analyzed(str(played)).splitlines()
    rows = [line.split() for line in lines]
    by_game = [row[:2] for row in rows if len(row) == 6 and row[1] in ("Ann", "Bob")]
    assert by_game == [[game, name] for game in ("1", "2") for name in ("Ann", "Bob")]
    assert any("Worst decisions of Bob" in line for line in lines)


def test_a_match_of_the_play_command_is_rated_before_it_is_over(tmp_path, monkeypatch):
    monkeypatch.setenv("BG_ENV_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "mine.json"
    options = ["play", "first", "--hand-dice", "--save", str(path)]
    CliRunner().invoke(app, options, input="")
    result = run("analyze", str(path), "--agent", "pips")
    assert result.exit_code == 2
    assert "has no play and no double yet" in result.stderr
    path.unlink()
    CliRunner().invoke(app, options, input="31\n24/20\n\n61\n\n54\n24/15\n\n")
    text = analyzed(str(path))
    assert "You   first" in text
    assert re.search(r"Unforced plays +2 +1 ", text)


def test_a_rating_is_written_as_json(tmp_path, played):
    path = tmp_path / "rating.json"
    analyzed(str(played), "--json", str(path), "--worst", "1")
    written = json.loads(path.read_text())
    assert written["schema"] == "bg_env.performance/1"
    assert [len(player["worst"]) for player in written["players"]] == [1, 1]
    result = run("analyze", MATCH, "--agent", "pips", "--json", "-")
    assert json.loads(result.stdout)["players"][0]["by_game"][0]["game"] == 1
    assert "Worst decisions of red" in result.stderr


@pytest.mark.parametrize(
    "name",
    ["match1", "match3", "match5a", "match7a", "money4_jacoby",
     "special_beaver_drop_resign"],
)  # fmt: skip
def test_match_files_of_another_program_are_rated(name):
    path = ORACLE / "files" / f"{name}.mat"
    if not path.exists():
        pytest.skip(f"the match file {path.name} is not beside this checkout")
    assert "PR" in analyzed(str(path))


BINARY = b"\x89PNG\r\n\x1a\n\0\0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no recorded games"),
        (BINARY, "holds no recorded games"),
        (b" 5 point match\n", "holds no recorded games"),
        (b'{"kind": "tournament"}', "its kind is 'tournament'"),
        (b"{}", "its kind is None"),
        (b"{", "is no saved game, or damaged: it is no JSON from line 1"),
        (b"{" + BINARY, "is no saved game, or damaged: it is no text"),
        (b" 5 point match\n\n Game 1\n", "has no play and no double yet"),
        (
            b" 5 point match\n\n Game 1\n A : 0      B : 0\n  1) 61: 13/5\n",
            "Game 1, line 5",
        ),
    ],
)
def test_a_file_without_games_is_refused_in_one_line(content, message, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    result = run("analyze", str(path), "--agent", "pips")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.mat",), "There is no file 'nothing.mat' of games"),
        ((str(DATA),), "cannot be read: Is a directory"),
        (("x" * 5000,), "A position id is 14 characters"),
        ((MATCH, "--rollout", "36"), "--rollout is for a position"),
        ((MATCH, "--truncate", "3"), "--truncate is for a position"),
        ((MATCH, "--plays", "5"), "--plays is for a position"),
        ((MATCH, "--seed", "0"), "--seed is for a position"),
        ((MATCH, "--worst", "-1"), "Option --worst is a whole number, 0 or more"),
        ((MATCH, "--plies", "9"), "plies"),
        ((MATCH, "--agent", "first"), "cannot judge recorded games"),
        ((MATCH, "--agent", "nobody"), "nobody"),
    ],
)
def test_what_games_cannot_be_asked_is_one_line_and_status_2(arguments, message):
    result = run("analyze", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_a_single_game_is_rated(tmp_path):
    game = Game(seed=1, players=("pips", "pips"), names=("Ann", "Bob"))
    game.advance()
    game.save(tmp_path / "game.json")
    text = analyzed(str(tmp_path / "game.json"))
    assert "Games: 1; judge: pips" in text
    assert "Worst decisions of Ann" in text
