"""``bg-env evaluate`` with ``--luck`` and ``--error-rate``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from arena_agents import FirstPlay, LastPlay
from command_runner import run
from support import DATA

from bg_env import agent

SAMPLE = str(DATA / "play_sample.jsonl")


class Even(FirstPlay):
    """Plays the first play and thinks that all positions are even."""

    name = "even"

    def evaluate(self, boards):
        return np.full((len(boards), 5), (0.5, 0, 0, 0, 0), np.float32)


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    """Agents that play fast, forgotten after the test."""
    monkeypatch.setattr(agent, "_registered", {})
    agent.register_agent("first", FirstPlay)
    agent.register_agent("last", LastPlay)
    agent.register_agent("even", Even)


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


def test_luck_is_shown_beside_the_raw_figures_and_written(tmp_path):
    path = tmp_path / "result.json"
    result = run(
        "evaluate", "first", "last", "--games", "4", "--luck", "even",
        "--json", str(path),
    )  # fmt: skip
    assert result.exit_code == 0
    assert "Points per game" in result.stdout
    assert "Without luck" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert json.loads(path.read_text())["luck_adjusted"]["evaluator"] == "even"


def test_an_error_rate_shows_judge_divisor_and_factor_in_80_columns():
    result = run("evaluate", "first", "--error-rate", SAMPLE)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "play_sample.jsonl" in result.stdout
    assert "500 × " in result.stdout
    assert "/ 60 unforced decisions" in result.stdout
    assert "Worst decisions" in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_error_rate_on_stdout_is_alone_there():
    result = run("evaluate", "first", "--error-rate", SAMPLE, "--json", "-")
    values = json.loads(result.stdout)
    assert (values["agent"], values["unforced"]) == ("first", 60)
    assert "Errors of first" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["first"], "needs an opponent, the argument B, or judged positions"),
        (["first", "last", "--luck", "nobody"], "Unknown agent 'nobody'"),
        (["first", "last", "--luck", "last"], "Agent 'last' cannot measure luck"),
        (
            ["first", "last", "--luck", "even", "--match-length", "3"],
            "does not go with a match to 3",
        ),
        (["first", "--error-rate", "nowhere"], "There is no file 'nowhere'"),
        (["nobody", "--error-rate", SAMPLE], "Unknown agent 'nobody'"),
        (["first", "last", "--error-rate", SAMPLE], "leave the opponent 'last' out"),
        (["first", "--error-rate", SAMPLE, "--games", "9"], "leave the option --games"),
        (["first", "--error-rate", SAMPLE, "--unpaired"], "--paired or --unpaired"),
        (["first", "--error-rate", SAMPLE, "--no-cube"], "--cube or --no-cube"),
        (["first", "--error-rate", SAMPLE, "--luck", "even"], "the option --luck out"),
        (["first", "--error-rate", SAMPLE, "--seed", "-1"], "0 or more, not -1"),
    ],
)
def test_what_cannot_be_measured_is_one_line_and_status_2(arguments, words):
    result = run("evaluate", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(lines_of(result.stderr)) == 1
    assert result.stderr.startswith("bg-env: ")
    assert words in result.stderr


def test_a_line_that_is_wrong_is_told_with_its_number(tmp_path):
    path = tmp_path / "wrong.jsonl"
    lines = (DATA / "play_sample.jsonl").read_text().splitlines()[:3]
    path.write_text("\n".join([*lines, lines[0].replace('"dice":[', '"dice":[7,')]))
    result = run("evaluate", "first", "--error-rate", str(path))
    assert result.exit_code == 2
    assert len(lines_of(result.stderr)) == 1
    assert f"Line 4 of {str(path)!r}: A roll is two dice" in result.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "is no text; judged positions are lines of JSON"),
        (b"\0\x01\x02\n", r"Line 1 of FILE is no JSON: '\x00\x01\x02'."),
        (b"\x1f\x8b\x08\0\0", "The packed file FILE is damaged after line 0"),
    ],
)
def test_a_file_of_bytes_is_refused_in_one_clear_line(content, words, tmp_path):
    path = tmp_path / "photo.png"
    path.write_bytes(content)
    result = run("evaluate", "first", "--error-rate", str(path))
    assert result.exit_code == 2
    assert words.replace("FILE", repr(str(path))) in result.stderr
    assert "codec" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.strip().isprintable()
