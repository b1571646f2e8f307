"""`bg-env play` as a command: its options, its files, one line for an error."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from arena_agents import AnyPlay, FirstPlay
from typer.testing import CliRunner

from bg_env import agent
from bg_env.cli import app
from bg_env.cli._play_words import COMMANDS
from bg_env.table import Game, Match, Session

PAGE = Path(__file__).parents[2] / "docs" / "play.md"


@pytest.fixture(autouse=True)
def known_agents(monkeypatch, tmp_path):
    """Agents that play fast, and a folder of its own for what is kept."""
    monkeypatch.setattr(agent, "_registered", {})
    agent.register_agent("first", FirstPlay)
    agent.register_agent("any", AnyPlay)
    monkeypatch.setenv("BG_ENV_CACHE", str(tmp_path / "cache"))


def play(*arguments: object, typed: str = "") -> Any:
    """The result of ``bg-env play`` with these arguments and this input."""
    words = ["play", *map(str, arguments)]
    return CliRunner().invoke(app, words, input=typed, env={"COLUMNS": "80"})


def kept_in(tmp_path):
    """The files of the program's own."""
    return sorted((tmp_path / "cache" / "play").glob("*"))


def rules_kept(path):
    return json.loads(path.read_text(encoding="utf-8"))["rules"]


# --- how a match begins ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "length", "cube", "timed"),
    [
        ([], 5, True, False),
        (["--match-length", "3"], 3, True, False),
        (["--money"], 0, True, False),
        (["--rules", "match"], 7, True, False),
        (["--rules", "cubeless"], 0, False, False),
        (["--rules", "cubeless", "--match-length", "1"], 1, False, False),
        (["--rules", "timed"], 0, False, True),
        (["--clock", "us-tournament"], 5, True, True),
        (["--money", "--clock", "timed"], 0, True, True),
    ],
)
def test_the_options_say_what_is_played(options, length, cube, timed, tmp_path):
    path = tmp_path / "match.json"
    result = play("first", *options, "--save", path)
    assert result.exit_code == 0, result.output
    rules = rules_kept(path)
    assert (rules["match_length"], rules["cube"]) == (length, cube)
    assert (rules["clock"] is not None) is timed
    assert rules["resign"] is not None
    made = Match if length else Session
    assert made.load(path).names == ("You", "first")


def test_what_is_typed_is_repeated_so_that_the_output_is_the_whole_talk():
    result = play("first", "--seed", "3", typed="13/8\nundo\nnonsense\n")
    assert result.exit_code == 0
    assert "play 52> 13/8\n" in result.stdout
    assert "play 52, left 2> undo\n" in result.stdout
    assert "The input has ended." in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines()[:-1])) <= 80


def test_a_seed_fixes_the_dice():
    first, second = (play("any", "--seed", "8", typed="log\n") for _ in range(2))
    assert first.stdout.split("go on with")[0] == second.stdout.split("go on with")[0]


def test_the_home_board_can_be_on_the_left():
    result = play("first", "--seed", "3", "--home", "left")
    assert re.search(r"24.23.22.21", result.stdout)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Say whom to play"),
        (["nobody"], "Unknown agent 'nobody'"),
        (["first", "--hints", "nobody"], "Unknown agent 'nobody'"),
        (["first", "--match-length", "0"], "A match is to 1 point or more, not 0"),
        (["first", "--match-length", "x"], "Invalid value"),
        (["first", "--money", "--match-length", "3"], "leave one of the two out"),
        (["first", "--money", "--rules", "match"], "leave one of the two out"),
        (["first", "--money", "--clock", "us-tournament"], "needs a match"),
        (["first", "--rules", "poker"], "Unknown rules preset 'poker'"),
        (["first", "--clock", "sundial"], "Unknown clock 'sundial'"),
        (["first", "--home", "up"], "--home is right, left or alternate, not 'up'"),
        (["first", "--save", "/nowhere/at/all.json"], "cannot be written"),
        (["--resume", "nowhere.json"], "cannot be read"),
        (["--resume", "x.json", "--seed", "3"], "leave --seed out"),
        (["--resume", "x.json", "--money"], "leave --money out"),
        (["--resume", "x.json", "--save", "y.json"], "leave --save out"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_in_one_line(arguments, words):
    result = play(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


def test_a_match_of_even_length_is_played_with_a_warning_in_one_line():
    result = play("first", "--match-length", "2")
    assert result.exit_code == 0
    assert result.stderr.startswith("bg-env: warning: A match to 2")
    assert len(result.stderr.splitlines()) == 1


# --- files ----------------------------------------------------------------------------


def test_without_a_name_a_match_is_kept_until_it_is_over(tmp_path):
    result = play("first", "--seed", "3", typed="13/8\n")
    (path,) = kept_in(tmp_path)
    assert str(path) in result.stdout.splitlines()[-1]
    again = play("--resume", path, typed="resign backgammon\ny\nquit\n")
    assert "play 52, left 2> resign" in again.stdout
    assert "resign is not possible now: moves are open" in again.stdout
    assert kept_in(tmp_path) == [path]
    end = "undo\nresign backgammon\ny\n\nresign backgammon\ny\n"
    over = play("--resume", path, typed=end * 2)
    assert "first has won the match" in over.stdout
    assert kept_in(tmp_path) == []


def test_every_match_has_a_file_of_its_own(tmp_path):
    for _ in range(3):
        play("first")
    assert [path.name for path in kept_in(tmp_path)] == [
        f"match-{number}.json" for number in (1, 2, 3)
    ]
    assert "--resume" in play().stderr


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    path = tmp_path / "match.json"
    play("first", "--save", path)
    before = path.read_bytes()
    result = play("any", "--save", path)
    assert result.exit_code == 2
    assert "is there already" in result.stderr
    assert path.read_bytes() == before


def test_going_on_keeps_opponent_side_and_dice_by_hand(tmp_path):
    path = tmp_path / "match.json"
    play("first", "--hand-dice", "--save", path, typed="31\nflip\n8/5 6/5\n")
    again = play("--resume", path)
    assert "You play first" in again.stdout
    assert "Enter confirms 31: 8/5 6/5> " in again.stdout
    assert re.search(r"24.23.22.21", again.stdout)
    by_hand = json.loads(path.read_text(encoding="utf-8"))["play"]
    assert by_hand["hand_dice"] is True
    other = play("any", "--resume", path, "--no-hand-dice", "--home", "right")
    assert other.exit_code == 0
    settings = json.loads(path.read_text(encoding="utf-8"))["play"]
    assert settings == {
        "agent": "any", "hints": "td", "home": "right", "hand_dice": False
    }  # fmt: skip


def test_a_match_that_is_over_only_says_how_it_ended(tmp_path):
    path = tmp_path / "match.json"
    options = ("--match-length", "1", "--hand-dice", "--save", path)
    play("first", *options, typed="31\nresign backgammon\ny\n")
    again = play("--resume", path)
    assert again.exit_code == 0
    assert "first has won the match, 3 to 0." in again.stdout
    assert path.exists()


def test_a_match_saved_by_a_program_can_be_played_on(tmp_path):
    path = tmp_path / "match.json"
    Match(3, seed=3, names=("Ann", "Bea")).save(path)
    result = play("--resume", path)
    assert result.exit_code == 2
    assert "does not say who the opponent was" in result.stderr
    assert "You play Bea, a match to 3" in play("first", "--resume", path).stdout


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "game"}, "a single game"),
        ({"kind": "tournament"}, "is no saved game, or damaged"),
        ({"play": 3}, "is no saved game, or damaged"),
        ({"play": {"agent": "first"}}, "is no saved game, or damaged"),
        ({"play": {"agent": 1, "hints": "td"}}, "is no saved game, or damaged"),
        (
            {"play": {"agent": "first", "hints": "td", "home": "up"}},
            "is no saved game, or damaged",
        ),
        ({"games": []}, "is no saved game, or damaged"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(change, words, tmp_path):
    path = tmp_path / "match.json"
    play("first", "--save", path)
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **change}), encoding="utf-8")
    result = play("--resume", path)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "or damaged: it is no text."),
        (b"", "or damaged: it is no JSON from line 1, column 1 on."),
        (b'{"kind":\n}', "or damaged: it is no JSON from line 2, column 1 on."),
    ],
)
def test_a_file_of_bytes_is_refused_in_one_clear_line(content, words, tmp_path):
    path = tmp_path / "photo.png"
    path.write_bytes(content)
    result = play("first", "--resume", path)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_single_game_is_no_match(tmp_path):
    path = tmp_path / "game.json"
    Game(seed=1).save(path)
    assert "a single game" in play("first", "--resume", path).stderr


# --- the page -------------------------------------------------------------------------


def test_the_page_tells_every_command_and_option():
    text = PAGE.read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`{name}" in text, name
    shown = play("--help").stdout
    for option in set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}:
        assert f"`{option}" in text or f"/{option}" in text, option


def test_the_talk_of_the_page_happens():
    text = PAGE.read_text(encoding="utf-8")
    talk = re.search(r"```text\n\$ bg-env play (.*?)\n(.*?)```", text, re.DOTALL)
    assert talk is not None
    typed = "".join(
        f"{line.partition('> ')[2]}\n" for line in talk[2].splitlines() if "> " in line
    )
    result = play(*talk[1].split(), typed=typed)
    assert result.stdout.startswith(talk[2].split("…")[0])
