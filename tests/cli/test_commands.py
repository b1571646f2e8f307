"""Each command through typer's runner: output, exit status, one line for an error."""

from __future__ import annotations

import json
import re
from importlib.metadata import version

import pytest
from arena_agents import AnyPlay, FirstPlay, Interrupting, LastPlay
from command_runner import run

from bg_env import agent

OPENING = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    """Agents that play fast, forgotten after the test."""
    monkeypatch.setattr(agent, "_registered", {})
    agent.register_agent("first", FirstPlay)
    agent.register_agent("last", LastPlay)
    agent.register_agent("any", AnyPlay)
    agent.register_agent("stopped", lambda: Interrupting(150))


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


# --- evaluate -------------------------------------------------------------------------


def test_evaluate_prints_a_plain_table_in_80_columns():
    result = run("evaluate", "first", "last", "--games", "20", "--seed", "3")
    assert result.exit_code == 0
    assert "first against last" in result.stdout
    assert "cubeless money" in result.stdout
    assert "paired, seed 3" in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == ""


def test_evaluate_passes_on_what_it_is_told(tmp_path):
    path = tmp_path / "result.json"
    result = run(
        "evaluate", "any", "last", "--games", "6", "--seed", "9", "--unpaired",
        "--rules", "match", "--match-length", "3", "--no-cube", "--max-turns", "500",
        "--json", str(path),
    )  # fmt: skip
    assert result.exit_code == 0
    values = json.loads(path.read_text())
    assert values["rules"]["match_length"] == 3
    assert values["rules"]["cube"] is False
    told = ("a", "b", "games", "seed", "paired", "max_turns", "unit")
    assert [values[key] for key in told] == ["any", "last", 6, 9, False, 500, "match"]
    assert "Share of matches won" in result.stdout


@pytest.mark.parametrize(
    ("options", "length", "cube"),
    [
        ([], 0, False),
        (["--rules", "standard"], 0, True),
        (["--cube"], 0, True),
        (["--match-length", "3"], 3, True),
        (["--rules", "match"], 7, True),
        (["--rules", "household", "--match-length", "5"], 5, False),
    ],
)
def test_rules_follow_from_the_options(options, length, cube):
    result = run("evaluate", "first", "last", "--games", "2", "--json", "-", *options)
    rules = json.loads(result.stdout)["rules"]
    assert (rules["match_length"], rules["cube"]) == (length, cube)


def test_json_on_stdout_is_alone_there_and_the_table_is_on_stderr():
    result = run("evaluate", "first", "last", "--games", "4", "--json", "-")
    assert json.loads(result.stdout)["played"] == 4
    assert "first against last" in result.stderr


def test_one_game_is_no_error_and_shows_no_nan():
    result = run("evaluate", "first", "last", "--games", "1", "--json", "-")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["standard_error"] is None
    assert "n/a" in result.stderr
    assert "nan" not in (result.stdout + result.stderr).lower()


def test_an_interrupt_prints_and_writes_what_was_measured(tmp_path):
    path = tmp_path / "result.json"
    result = run("evaluate", "stopped", "last", "--json", str(path))
    assert result.exit_code == 130
    assert "10,000 games were asked for" in result.stdout
    assert lines_of(result.stderr) == ["bg-env: interrupted"]
    values = json.loads(path.read_text())
    assert values["interrupted"] is True
    assert values["played"] == 32


def test_a_match_of_even_length_is_played_with_a_warning_in_one_line():
    result = run("evaluate", "first", "last", "--games", "2", "--match-length", "2")
    assert result.exit_code == 0
    assert len(lines_of(result.stderr)) == 1
    assert result.stderr.startswith("bg-env: warning: A match to 2")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody", "last"], "Unknown agent 'nobody'"),
        (["first", "lasd"], "Did you mean 'last'?"),
        (["first:weights.npz", "last"], "takes no path (got 'weights.npz')"),
        (["first@2ply", "last"], "takes no plies"),
        (["first@xply", "last"], "NAME[:PATH][@Nply]"),
        (["", "last"], "not ''"),
        (["first", "last", "--games", "0"], "1 or more, not 0"),
        (["first", "last", "--games", "-7"], "1 or more, not -7"),
        (["first", "last", "--seed", "-1"], "0 or more, not -1"),
        (["first", "last", "--seed", str(2**64)], "at most"),
        (["first", "last", "--max-turns", "0"], "1 or more, not 0"),
        (["first", "last", "--rules", "monopoly"], "Unknown rules preset 'monopoly'"),
        (["first", "last", "--match-length", "0"], "1 point or more, not 0"),
        (["first", "last", "--match-length", "-3"], "1 point or more, not -3"),
        (["first", "last", "--match-length", "99999"], "not 99999"),
        (["first", "last", "--rules", "standard", "--match-length", "0"], "not 0"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(arguments, words):
    result = run("evaluate", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(lines_of(result.stderr)) == 1
    assert result.stderr.startswith("bg-env: ")
    assert words in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "first"],
        ["evaluate", "first", "last", "--games", "many"],
        ["evaluate", "first", "last", "--no-such-option"],
        ["evaluate", "first", "last", "third"],
        ["show"],
        ["show", OPENING, "--viewer", "me"],
        ["no-such-command"],
        ["demo", "--games", "x"],
    ],
)
def test_wrong_usage_is_status_2_without_a_traceback(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(lines_of(result.stderr)) == 1
    assert result.stderr.startswith("bg-env: ")
    assert "Traceback" not in result.output


def test_an_illegal_decision_of_an_agent_is_told_in_one_line():
    class Passing(FirstPlay):
        name = "passing"

        def plays(self, states, streams):
            return super().plays(states, streams) * 0

    agent.register_agent("passing", Passing)
    result = run("evaluate", "passing", "last", "--games", "2")
    assert result.exit_code == 2
    assert "Agent 'passing' made an illegal decision" in result.stderr


# --- where JSON goes ------------------------------------------------------------------


def test_an_impossible_place_is_found_out_before_the_first_game(tmp_path):
    def refuse():
        raise AssertionError("the agent was built")

    agent.register_agent("late", refuse)
    for place in (tmp_path / "no" / "such.json", tmp_path, ""):
        result = run("evaluate", "late", "last", "--json", str(place))
        assert result.exit_code == 2
        assert f"The JSON file {str(place)!r} cannot be written" in result.stderr
        assert len(lines_of(result.stderr)) == 1


def test_a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("what was there before, and longer " * 200)
    path.chmod(0o640)
    assert (
        run("evaluate", "first", "last", "--games", "2", "--json", str(path)).exit_code
        == 0
    )
    assert json.loads(path.read_text())["played"] == 2
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_before_it_plays_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("before")
    assert run("evaluate", "nobody", "last", "--json", str(path)).exit_code == 2
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    link, path = tmp_path / "link.json", tmp_path / "result.json"
    link.symlink_to(path)
    run("evaluate", "first", "last", "--games", "2", "--json", str(link))
    assert link.is_symlink()
    assert json.loads(path.read_text())["played"] == 2


# --- show -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [XGID, XGID.removeprefix("XGID="), f" {XGID} ", OPENING,
     "4HPwATDgc/ABMA:8ImlACAAIAAE"],
)  # fmt: skip
def test_show_draws_every_notation(text):
    result = run("show", text)
    assert result.exit_code == 0
    assert "BAR" in result.stdout
    assert "pips 167" in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_show_seats_the_viewer_and_his_home():
    seats = {
        run("show", XGID, "--viewer", viewer, "--home", home).stdout
        for viewer in "01"
        for home in ("right", "left")
    }
    assert len(seats) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        [""],
        ["4HPwATDgc/ABM"],
        ["4HPwATDgc/ABMA:nonsense"],
        [XGID.replace(":31:", ":71:")],
        [XGID.replace(":31:", ":7:")],
        [XGID.replace("E", "P")],
        [XGID + ":9"],
        ["XGID="],
        [OPENING, "--viewer", "2"],
        [OPENING, "--viewer", "-1"],
        [OPENING, "--home", "up"],
        ["a:b:c"],
        ["\x00"],
    ],
)
def test_show_refuses_what_is_no_position_in_one_line(arguments):
    result = run("show", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(lines_of(result.stderr)) == 1
    assert result.stderr.startswith("bg-env: ")


# --- the others -----------------------------------------------------------------------


def test_agents_lists_each_with_what_it_is():
    result = run("agents")
    assert result.exit_code == 0
    lines = lines_of(result.stdout)
    names = [line.split()[0] for line in lines]
    assert names == agent.agent_names()
    assert all(len(line.split()) > 3 for line in lines if line.startswith("p"))


def test_version_is_that_of_the_package():
    assert run("--version").stdout.strip() == version("bg-env")


def test_help_of_everything_fits_in_80_columns():
    for command in ([], ["evaluate"], ["demo"], ["show"], ["warmup"], ["agents"]):
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= 80
    assert "--match-length" in run("evaluate", "--help").stdout


def test_warmup_reports_the_seconds_of_each_part():
    result = run("warmup")
    assert result.exit_code == 0
    for part in (
        "rules",
        "bear-off tables",
        "agent pubeval",
        "agent random",
        "Backgammon-v0",
        "all",
    ):
        assert re.search(rf"^{part}.* +\d+\.\d s$", result.stdout, re.MULTILINE)


def test_bench_reports_and_writes_what_it_measured(monkeypatch, tmp_path):
    def measure(quick, report):
        report(f"quick={quick}")
        return {"quick": quick}

    monkeypatch.setattr("bg_env.evaluation.bench.run", measure)
    path = tmp_path / "bench.json"
    result = run("bench", "--quick", "--json", str(path))
    assert result.stdout == "quick=True\n"
    assert json.loads(path.read_text()) == {"quick": True}
    result = run("bench", "--json", "-")
    assert json.loads(result.stdout) == {"quick": False}
    assert result.stderr == "quick=False\n"
