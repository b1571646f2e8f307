"""The command as a real process: pipes, signals, terminals."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from support import ROOT, clean_environment, run_python

COMMAND = ("-m", "bg_env.cli")

# A process in which somebody presses Ctrl-C after 150 calls of an agent.
INTERRUPTED = """
import os, signal, sys
from arena_agents import FirstPlay
from bg_env.agent import register_agent
from bg_env.cli import main

class Pressing(FirstPlay):
    calls = 0
    def choose(self, *arguments):
        Pressing.calls += 1
        if Pressing.calls == 150:
            os.kill(os.getpid(), signal.SIGINT)
        return super().choose(*arguments)

signal.signal(signal.SIGINT, signal.default_int_handler)
register_agent("pressing", Pressing)
sys.argv[1:] = ["evaluate", "pressing", "pressing", "--games", "100000"]
main()
"""

# A process that plays for ever and says when it has begun.
ENDLESS = """
import signal, sys
from arena_agents import FirstPlay
from bg_env.agent import register_agent
from bg_env.cli import main

class Telling(FirstPlay):
    told = False
    def choose(self, *arguments):
        if not Telling.told:
            print("playing", file=sys.stderr, flush=True)
        Telling.told = True
        return super().choose(*arguments)

signal.signal(signal.SIGINT, signal.default_int_handler)
register_agent("telling", Telling)
sys.argv[1:] = [
    "evaluate", "telling", "telling", "--games", "100000000", "--json", sys.argv[1]
]
main()
"""


# Codes that colour, foreground or background; bold is no colour.
COLOR = re.compile(rb"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)[;m]")
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"


@contextlib.contextmanager
def started(
    arguments, *, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **environment
):
    """A fresh interpreter while it runs; it does not outlive a test that fails.

    A variable of its environment that is None is not there.
    """
    variables = {**clean_environment(), **environment}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={name: value for name, value in variables.items() if value is not None},
        stdout=stdout,
        stderr=stderr,
        text=True,
    )
    with process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def test_evaluate_writes_json_to_a_pipe():
    done = run_python(
        *COMMAND, "evaluate", "random", "pip-race", "--games", "20", "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["played"] == 20
    assert "random against pip-race" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_ctrl_c_prints_what_was_measured_and_ends_with_130():
    done = run_python("-c", INTERRUPTED)
    assert done.returncode == 130, done.stderr
    assert "100,000 games were asked for" in done.stdout
    assert "Points per game" in done.stdout
    assert done.stderr.splitlines()[-1] == "bg-env: interrupted"
    assert "Traceback" not in done.stderr


def test_an_error_is_one_line_and_status_2():
    done = run_python(*COMMAND, "evaluate", "nobody", "random")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [["agents"], ["--version"], ["show", "4HPwATDgc/ABMA"]]
)
def test_a_reader_that_goes_away_is_no_error(arguments):
    with started([*COMMAND, *arguments]) as process:
        process.stdout.close()  # before anything is written
        errors = process.stderr.read()
        assert process.wait(timeout=300) == 0
    assert errors == ""


def test_output_that_the_encoding_cannot_say_is_no_error():
    done = run_python(
        *COMMAND, "show", "4HPwATDgc/ABMA", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "BAR" in done.stdout


def all_of(master):
    """Everything that is written on a terminal until it is closed."""
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so at the end of the output
        while chunk := os.read(master, 4096):
            shown += chunk
    os.close(master)
    return shown


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_progress_bar_is_drawn_on_a_terminal_and_stdout_stays_clean():
    import pty

    master, terminal = pty.openpty()
    command = [*COMMAND, "evaluate", "random", "random", "--games", "300"]
    with started(command, stderr=terminal, TERM="xterm", COLUMNS="80") as process:
        os.close(terminal)
        shown = all_of(master)
        table = process.stdout.read()
    assert process.returncode == 0
    assert b"/300" in shown
    assert "\x1b" not in table
    assert "random against random" in table


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "arguments",
    [["show", XGID], ["analyze", XGID, "--agent", "td"]],
    ids=["show", "analyze"],
)
@pytest.mark.parametrize("unwanted", [None, "1"])
def test_a_terminal_gets_colour_unless_it_is_not_wanted(arguments, unwanted):
    import pty

    master, terminal = pty.openpty()
    command = [*COMMAND, *arguments]
    with started(command, stdout=terminal, TERM="xterm", NO_COLOR=unwanted) as process:
        os.close(terminal)
        shown = all_of(master)
        errors = process.stderr.read()
    assert process.returncode == 0, errors
    assert b"BAR" in shown
    assert bool(COLOR.search(shown)) is (unwanted is None)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_from_outside_ends_it_with_130(tmp_path):
    path = tmp_path / "result.json"
    with started(["-c", ENDLESS, str(path)]) as process:
        assert process.stderr.readline() == "playing\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert errors == "bg-env: interrupted\n"
    assert "100,000,000 games were asked for" in output
    assert json.loads(path.read_text())["interrupted"] is True
    assert list(tmp_path.iterdir()) == [path]
