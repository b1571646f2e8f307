"""Messages of the library in the words of the command line: options, not arguments."""

from __future__ import annotations

import json

import pytest
import typer
from arena_agents import FirstPlay
from command_runner import run
from typer.main import get_command

from bg_env import agent
from bg_env.cli import app
from bg_env.cli._options import in_options

PLAY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    """An agent that plays fast, forgotten after the test."""
    monkeypatch.setattr(agent, "_registered", {})
    agent.register_agent("first", FirstPlay)


def options_of(name):
    """The parameters of a command."""
    return get_command(app).get_command(None, name).params


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Argument games is 1 or more.", "Option --games is 1 or more."),
        ("Option max_turns is whole.", "Option --max-turns is whole."),
        ("Training option seed is whole.", "Option --seed is whole."),
        ("match_length is 0.", "--match-length is 0."),
        ("That needs match_length=7.", "That needs --match-length 7."),
        ("luck='td' is not so.", "--luck 'td' is not so."),
        ("It needs timed=True, or cube=True.", "It needs --timed, or --cube."),
        ("Say cube=False or timed=False.", "Say --no-cube or no --timed."),
        ("It has luck=None.", "It has no --luck."),
        ("It has seed=-3.", "It has --seed -3."),
        ("games is a number.", "--games is a number."),
        # what is no argument
        ("Games and rules differ.", "Games and rules differ."),
        ("The games is over.", "The games is over."),
        (
            "The file 'games=5 max_turns' is not.",
            "The file 'games=5 max_turns' is not.",
        ),
        ("Argument gamesters is 1.", "Argument gamesters is 1."),
        ("The option --max-turns is there.", "The option --max-turns is there."),
        ("Option jacoby=True is for money.", "Option jacoby=True is for money."),
        ("a.games=3 and x-games=3", "a.games=3 and x-games=3"),
    ],
)
def test_arguments_become_options_and_words_stay_words(message, words):
    assert in_options(message, options_of("evaluate")) == words
    assert in_options(words, options_of("evaluate")) == words


def test_a_command_without_options_changes_nothing():
    assert in_options("Argument games is 1.", options_of("agents")) == (
        "Argument games is 1."
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "first", "first", "--games", "0"], "Option --games is a whole"),
        (["evaluate", "first", "first", "--max-turns", "0"], "Option --max-turns is"),
        (["evaluate", "first", "first", "--batch-size", "0"], "Option --batch-size is"),
        (["evaluate", "first", "first", "--seed", "-1"], "Option --seed is"),
        (
            ["evaluate", "first", "first", "--match-length", "99999"],
            "Option --match-length is",
        ),
        (["show", "4HPwATDgc/ABMA", "--viewer", "2"], "--viewer is player 0 or 1"),
        (["show", "4HPwATDgc/ABMA", "--home", "up"], "--home is 'right'"),
        (["play", "first", "--rules", "us-tournament", "--match-length", "9001"],
         "Option --match-length is"),
        (["train", "td", "--out", "OUT", "--last-rate", "50"], "Option --last-rate is"),
        (["train", "td", "--out", "OUT", "--classes", "2"],
         "Option --classes 2 needs --expert."),
        (["train", "td", "--out", "OUT", "--seconds", "5", "--games", "9"],
         "not --seconds 5.0 and --games 9"),
        (["demo", "--seconds", "-1", "--out", "OUT"], "Option --seconds is"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_option_that_was_typed(arguments, words, tmp_path):
    out = str(tmp_path / "out")
    result = run(*(out if word == "OUT" else word for word in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_commands_of_other_packages_speak_of_their_own_options(monkeypatch):
    from bg_env.cli import _group
    from bg_env.errors import InvalidOptionError

    others = typer.Typer()

    @others.callback()
    def root() -> None:
        """Others."""

    @others.command("one")
    def one(how_many: int = 3, games: int = 1) -> None:
        """One."""
        raise InvalidOptionError(f"Argument how_many is even, not {how_many!r}.")

    @others.command("two")
    def two(few: int = 3) -> None:
        """Two."""
        raise InvalidOptionError("The folder has another training, with games=1.")

    command = get_command(others)
    monkeypatch.setattr(_group, "plugin_commands", lambda: {"others": object()})
    monkeypatch.setattr(_group, "description", lambda point: "Others.")
    monkeypatch.setattr(_group, "load_command", lambda point: command)
    first, second = run("others", "one"), run("others", "two")
    assert first.stderr == "bg-env: Option --how-many is even, not 3.\n"
    assert second.stderr.endswith("another training, with games=1.\n")


# --- what is played is said -----------------------------------------------------------


def printed(*options):
    result = run("evaluate", "first", "first", "--games", "2", *options)
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    return " ".join(result.stdout.split())


def test_the_clock_stands_among_the_rules_that_are_named():
    words = "clock of 11 s a turn and 90 s a game, then a gammon may be claimed"
    assert words in printed("--rules", "timed", "--timed")
    still = printed("--rules", "timed")
    assert f"{words} (the clock stood still)" in still
    assert "stood still" not in printed("--rules", "timed", "--timed")
    assert "clock" not in printed()


def test_a_match_by_the_cubeless_preset_is_named_as_one_without_a_cube():
    text = printed("--rules", "cubeless", "--match-length", "3")
    assert "Rules match to 3, no cube" in text
    assert "match to 3 with the cube" in printed("--match-length", "3")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rules", "cubeless", "--match-length", "3"], "a match to 3, no cube;"),
        (["--match-length", "3"], "a match to 3;"),
        (["--rules", "cubeless"], "for money, no cube;"),
        (["--money"], "for money;"),
        (["--rules", "cubeless", "--match-length", "1"], "a match to 1;"),
    ],
)
def test_play_says_where_there_is_no_cube(options, words, tmp_path, monkeypatch):
    monkeypatch.setenv("BG_ENV_CACHE", str(tmp_path / "cache"))
    result = run("play", "first", *options)
    assert words in result.stdout
    assert json.loads(next((tmp_path / "cache" / "play").iterdir()).read_text())


def test_a_clock_that_costs_the_match_needs_one():
    result = run("play", "first", "--rules", "standard", "--clock", "us-tournament")
    assert result.exit_code == 2
    assert "--clock us-tournament needs a match" in result.stderr
