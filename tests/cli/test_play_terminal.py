"""`bg-env play` in a real terminal: keys typed, processes killed, nothing lost."""

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

# Makes the terminal the one that Ctrl-C comes from, then is the command. (What is
# started in the background may ignore Ctrl-C.)
IN_TERMINAL = """
import fcntl, signal, sys, termios
signal.signal(signal.SIGINT, signal.default_int_handler)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from bg_env.cli import main
main()
"""
PATIENCE = 240.0  # seconds; the first use compiles
# Codes of a terminal; what else cannot be seen, but new lines.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\x00-\x08\x0e-\x1f]")


def plain(raw: bytes) -> str:
    """Output without terminal codes."""
    return CONTROL.sub("", raw.decode(errors="replace")).replace("\r", "")


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
        self._mark = 0  # where the answer to the last line begins
        self._is_echoed = False

    def __enter__(self) -> Typist:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        os.close(self.master)

    @property
    def text(self) -> str:
        """All that came, without terminal codes."""
        return plain(self.raw)

    @property
    def answer(self) -> str:
        """What came since the last line was typed, without its echo."""
        text = plain(self.raw[self._mark :])
        return text.partition("\n")[2] if self._is_echoed else text

    def prompt(self, again: bytes = b"") -> str:
        """Wait for the next prompt; "" when the process ends instead.

        Args:
            again: Keys to press once more when nothing happens for a while.
        """
        until = time.time() + PATIENCE
        while not re.search(r"(^|\n)[^\n]+> $", self.answer):
            if again and not self._is_ready(time.time() + 10):
                os.write(self.master, again)
            assert self._is_ready(until), f"nothing came after:\n{self.text[-2000:]}"
            chunk = b""
            with contextlib.suppress(OSError):  # Linux says so at the end of the output
                chunk = os.read(self.master, 65536)
            if not chunk:
                return ""
            self.raw += chunk
        return self.answer.rpartition("\n")[2]

    def _is_ready(self, until: float) -> bool:
        """True as soon as something can be read, False if nothing comes till then."""
        patience = max(0.0, until - time.time())
        return bool(select.select([self.master], [], [], patience)[0])

    def press(self, keys: str, *, again: bool = False) -> str:
        """Press keys, wait for the next prompt or the end, return what came."""
        self._mark, self._is_echoed = len(self.raw), True
        os.write(self.master, keys.encode())
        self.prompt(keys.encode() if again else b"")
        return " ".join(self.answer.split())

    def interrupt(self) -> str:
        """Press Ctrl-C, as `press`.

        A signal that comes between the prompt and the wait for a key is only seen with
        the next key, so it may have to be pressed again.
        """
        time.sleep(0.2)
        return self.press("\x03", again=True)

    def type(self, line: str) -> str:
        """Type a line and Enter."""
        return self.press(f"{line}\n")

    def kill(self) -> None:
        """SIGKILL, as when the machine fails."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)


WRONG = [
    ("nonsense", "neither a command nor a play"),
    ("", "Awaited:"),
    ("24/1", "is not legal"),
    ("8/9", "does not go forward"),
    ("take", "take is not possible now"),
    ("done", "done is not possible now"),
    ("undo", "no move is open"),
    ("claim", "there is no clock"),
    ("2 \x7f\x7f", "Awaited:"),  # typed and rubbed out
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


def go_on(typist: Typist, *, most: int) -> bool:
    """Play by numbers until the match is over or `most` lines are typed.

    Doubles whenever that is asked; a wrong line of every kind at the first roll.
    """
    was_wrong = False
    for _ in range(most):
        prompt = typist.prompt()
        if not prompt:
            return True
        if prompt.startswith("play "):
            if not was_wrong:
                check_wrong_lines(typist)
            was_wrong = True
            if "Crawford game" in typist.answer:
                assert "nobody doubles" in typist.type("double")
            typist.type("plays")
            typist.type("1")
        else:  # Enter confirms a play, or begins the next game
            typist.type("double" if prompt.startswith("roll or double") else "")
    return False


def test_a_match_is_played_to_its_end_over_kills_wrong_lines_and_ctrl_c(tmp_path):
    path = tmp_path / "match.json"
    options = ("random", "--match-length", "3", "--seed", "9", "--save", str(path))
    with Typist(*options) as typist:
        typist.prompt()
        assert "That line is dropped" in typist.interrupt()
        assert not go_on(typist, most=25)
        typist.prompt()
        typist.kill()
        seen = typist.text
    assert "\x1b[1;3" in typist.raw.decode()  # this terminal has colours
    kept = Match.load(path)
    assert kept.log[-1] in " ".join(seen.split()) or kept.log[-1].startswith("random r")

    with Typist("--resume", str(path), TERM="dumb", NO_COLOR="1") as typist:
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
        assert go_on(typist, most=600)
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
        typist.press("\x04")
        assert typist.process.wait(timeout=PATIENCE) == 0
    assert "The input has ended." in typist.text
    assert len(Match.load(path).game.moves) == 1
    with Typist("--resume", str(path)) as typist:
        assert typist.prompt().startswith("play 52, left 2")
        assert "That line is dropped" in typist.interrupt()
        typist.interrupt()
        assert typist.process.wait(timeout=PATIENCE) == 130
    assert "bg-env: interrupted" in typist.text
    assert "Traceback" not in typist.text
    assert len(Match.load(path).game.moves) == 1
