"""`bg-env play` in a real terminal: keys are typed, processes killed, nothing is lost."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from support import ROOT, clean_environment

from bg_env.table import Match

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")

# Makes the terminal the one that Ctrl-C comes from, then is the command.
IN_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from bg_env.cli import main
main()
"""
PATIENCE = 240.0  # seconds; the first use compiles
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\x00-\x08\x0e-\x1f]")


class Typist:
    """Somebody at a terminal of 80 columns, in which the command runs."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.master, terminal = pty.openpty()
        size = struct.pack("HHHH", 24, 80, 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, "play", *arguments],
            cwd=ROOT,
            env={**clean_environment(), "TERM": "xterm", **environment},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        self.raw = b""
        self.seen = 0

    def __enter__(self) -> Typist:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        os.close(self.master)

    @property
    def text(self) -> str:
        """All that came, without terminal codes."""
        plain = CONTROL.sub("", self.raw.decode(errors="replace"))
        return plain.replace("\r", "")

    def _more(self, until: float) -> bool:
        """Read what comes; False at the end of the output."""
        ready, _, _ = select.select([self.master], [], [], max(0, until - time.time()))
        assert ready, f"nothing more came after:\n{self.text[-2000:]}"
        chunk = b""
        with contextlib.suppress(OSError):  # Linux says so at the end of the output
            chunk = os.read(self.master, 65536)
        self.raw += chunk
        return bool(chunk)

    def prompt(self) -> str:
        """Wait for the next prompt; "" when the process ends instead."""
        until = time.time() + PATIENCE
        while not re.search(r"\n.*> $", f"\n{self.text[self.seen :]}"):
            if not self._more(until):
                return ""
        return self.text.rpartition("\n")[2]

    def type(self, keys: str) -> str:
        """Type a line, wait for the next prompt, return what came."""
        before = len(self.text)
        os.write(self.master, f"{keys}\n".encode())
        until = time.time() + PATIENCE
        while "\n" not in self.text[before:]:  # the echo
            if not self._more(until):
                break
        self.seen = before + self.text[before:].find("\n") + 1
        self.prompt()
        return " ".join(self.text[before:].split())

    def press(self, key: str, then: str) -> None:
        """Press a key and wait for a text."""
        before, until = len(self.text), time.time() + PATIENCE
        os.write(self.master, key.encode())
        while then not in self.text[before:]:
            if not self._more(until):
                raise AssertionError(f"no {then!r} in {self.text[before:]!r}")
        self.seen = len(self.text[:before])
        self.prompt()

    def kill(self) -> None:
        """SIGKILL, as when the machine fails."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)


WRONG = [
    ("nonsense", "neither a command nor a play"),
    ("", "Awaited:"),
    ("24/1", "is not legal"),
    ("8/9", "is not"),
    ("take", "take is not possible now"),
    ("done", "done is not possible now"),
    ("undo", "no move is open"),
    ("claim", "there is no clock"),
    ("\x01\x0b2 \x7f\x7f", "Awaited:"),
]


def check_wrong_lines(typist: Typist) -> None:
    """Type wrong lines of every kind while a roll is to be played."""
    for keys, words in WRONG:
        assert words in typist.type(keys), keys
    count = int(re.search(r"(\d+) plays are legal", typist.type("plays"))[1])
    assert f"from 1 to {count}, not to {count + 1}" in typist.type(str(count + 1))
    assert "not to 0" in typist.type("0")
    typist.type("1")
    assert "The play is complete" in typist.type("8/5 6/5")
    typist.type("undo all")
    assert re.match("play", typist.prompt())


def go_on(typist: Typist, path, *, most: int) -> bool:
    """Play by numbers until the match is over or `most` lines are typed."""
    was_wrong = False
    for _ in range(most):
        prompt = typist.prompt()
        if not prompt:
            return True
        if prompt.startswith("play ") and not was_wrong:
            if "Only one play" not in typist.text[typist.seen :]:
                check_wrong_lines(typist)
                was_wrong = True
        if prompt.startswith("play "):
            told = typist.type("plays")
            if "Crawford game" in told or "Crawford game" in typist.text[-4000:]:
                assert "nobody doubles" in typist.type("double")
            typist.type("1")
        elif prompt.startswith("roll or double"):
            first = len(Match.load(path).games) == 1
            owned = Match.load(path).game.cube > 1
            typist.type("double" if first and not owned else "roll")
        else:  # Enter confirms a play, or begins the next game
            typist.type("")
    return False


def test_a_match_is_played_to_its_end_over_kills_wrong_lines_and_ctrl_c(tmp_path):
    path = tmp_path / "match.json"
    options = ("random", "--match-length", "3", "--seed", "9", "--save", str(path))
    with Typist(*options) as typist:
        typist.prompt()
        typist.press("\x03", "That line is dropped")
        assert not go_on(typist, path, most=25)
        typist.prompt()
        typist.kill()
        seen = typist.text
    assert "\x1b[1;3" in typist.raw.decode()  # this terminal has colours
    kept = Match.load(path)
    assert kept.log[-1] in " ".join(seen.split()) or kept.log[-1].startswith("random r")

    plain = {"TERM": "dumb", "NO_COLOR": "1"}
    with Typist("--resume", str(path), **plain) as typist:
        typist.prompt()
        again = Match.load(path)
        assert again.log == kept.log
        assert again.game.state == kept.game.state
        assert again.game.moves == kept.game.moves
        typist.type("13/11 13/11 13/11 13/11 13/11 13/11")
        typist.type("quit")
        assert typist.process.wait(timeout=PATIENCE) == 0
    assert f"bg-env play --resume {path}" in typist.text
    assert b"\x1b" not in typist.raw
    assert Match.load(path).log == kept.log

    with Typist("--resume", str(path), NO_COLOR="1", PYTHONUTF8="1") as typist:
        assert go_on(typist, path, most=600)
        assert typist.process.wait(timeout=PATIENCE) == 0
    match = Match.load(path)
    assert match.is_over
    most, least = match.score[match.winner], match.score[1 - match.winner]
    assert f"won the match, {most} to {least}." in typist.text
    assert "nobody doubles" in typist.text
    assert "Traceback" not in typist.text
    assert "\x1b[1;3" not in typist.raw.decode()
    assert max(map(len, typist.text.splitlines())) <= 80 + len(str(path))


def test_ctrl_d_leaves_and_ctrl_c_twice_ends_with_130(tmp_path):
    path = tmp_path / "match.json"
    with Typist("random", "--seed", "3", "--save", str(path)) as typist:
        typist.prompt()
        typist.type("13/8")
        os.write(typist.master, b"\x04")
        typist.seen = len(typist.text)
        typist.prompt()
        assert typist.process.wait(timeout=PATIENCE) == 0
    assert "The input has ended." in typist.text
    assert len(Match.load(path).game.moves) == 1
    with Typist("--resume", str(path)) as typist:
        assert typist.prompt().startswith("play 52, left 2")
        typist.press("\x03", "That line is dropped")
        os.write(typist.master, b"\x03")
        typist.seen = len(typist.text)
        typist.prompt()
        assert typist.process.wait(timeout=PATIENCE) == 130
    assert "bg-env: interrupted" in typist.text
    assert "Traceback" not in typist.text
    assert len(Match.load(path).game.moves) == 1
