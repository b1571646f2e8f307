"""The command as a real process: pipes, signals, terminals."""

from __future__ import annotations

import contextlib
import json
import os
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


@contextlib.contextmanager
def started(arguments, *, stderr=subprocess.PIPE, **environment):
    """A fresh interpreter while it runs; it does not outlive a test that fails."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**clean_environment(), **environment},
        stdout=subprocess.PIPE,
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


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_progress_bar_is_drawn_on_a_terminal_and_stdout_stays_clean():
    import pty

    master, terminal = pty.openpty()
    shown = b""
    command = [*COMMAND, "evaluate", "random", "random", "--games", "300"]
    with started(command, stderr=terminal, TERM="xterm", COLUMNS="80") as process:
        os.close(terminal)
        with contextlib.suppress(OSError):  # Linux says so at the end of the output
            while chunk := os.read(master, 4096):
                shown += chunk
        table = process.stdout.read()
    os.close(master)
    assert process.returncode == 0
    assert b"/300" in shown
    assert "\x1b" not in table
    assert "random against random" in table


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
