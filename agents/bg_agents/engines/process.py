"""`EngineProcess`: an engine that another process runs, asked with whole batches."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import weakref
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents.engines import worker
from bg_env.errors import EngineError
from bg_env.rules.position import Position

_OUTCOMES: Final = 5


class _Ended(Exception):
    """The process ended before it had answered."""


class EngineProcess:
    """One engine in a process of its own: a crash of it does not end this program.

    The process is started by the first question and ends with this object, with this
    program, and with Ctrl-C in the middle of a question. If it dies it is started
    again, once for a question. Threads may share it and wait for each other; a copy,
    pickled or forked, starts a process of its own.
    """

    def __init__(self, engine: str, program: str = worker.__file__) -> None:
        """Remember which engine; nothing is started yet.

        Args:
            engine: One of `bg_agents.engines.worker.ENGINES`.
            program: The file of a Python program that serves it in the same way.
        """
        self.engine = engine
        self.program = program
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: Any = None

    @property
    def pid(self) -> int | None:
        """The number of the running process; None before the first question."""
        return self._process.pid if self._process is not None else None

    def rate(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        """The five chances of the player on roll, as the engine has them.

        Args:
            boards: int8[B, 2, 32], row 0 on roll, both sides with checkers left.
            plies: How far to look ahead.

        Returns:
            float32[B, 5].

        Raises:
            EngineError: The engine cannot be started, died twice, or refused.
        """
        if self._owner != os.getpid():  # forked: the process belongs to the parent
            self._forget()
        with self._lock:
            with contextlib.suppress(_Ended):
                return self._asked(boards, plies)
            try:
                return self._asked(boards, plies)
            except _Ended as ended:
                raise EngineError(
                    f"The engine {self.engine!r} ended twice ({ended}) while it rated "
                    f"{len(boards)} positions, the first {_id_of(boards)}; make the "
                    f"agent anew, and leave this position out if it happens again."
                ) from None

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._owner == os.getpid():
            with self._lock:
                self._stop()

    def _asked(self, boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        """One question and its answer; what interrupts it ends the process."""
        try:
            process = self._started()
            head = worker.REQUEST.pack(len(boards), plies)
            _send(process, head + np.ascontiguousarray(boards, np.int8).tobytes())
            answer = self._answer(process, len(boards))
        except (OSError, EOFError):
            raise _Ended(self._stop()) from None
        except EngineError:
            raise
        except BaseException:
            self._stop()
            raise
        return np.frombuffer(answer, np.float32).reshape(len(boards), _OUTCOMES)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        self._process = _start(self.engine, self.program)
        self._finalizer = weakref.finalize(self, _end, self._process, self._owner)
        try:
            self._answer(self._process, 0)
        except EngineError:
            self._stop()
            raise
        return self._process

    def _answer(self, process: subprocess.Popen[bytes], count: int) -> bytearray:
        """The float32[count, 5] of an answer as bytes."""
        (said,) = worker.ANSWER.unpack(_receive(process, worker.ANSWER.size))
        if said < 0:
            words = _receive(process, -said).decode(errors="replace")
            raise EngineError(f"The engine {self.engine!r} refused: {words}.")
        if said != count:
            raise EOFError
        return _receive(process, 4 * _OUTCOMES * count)

    def _stop(self) -> str:
        """End the process and say how it ended."""
        process, self._process = self._process, None
        if process is None:
            return "it did not start"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)  # one that has died may need a moment to say how
        alive = process.poll() is None
        self._finalizer()
        return "unfinished" if alive else f"exit status {process.returncode}"

    def _forget(self) -> None:
        """Leave the parent's process to the parent."""
        if self._finalizer is not None:
            self._finalizer()
        self._begin()

    def __reduce__(self) -> tuple[type[EngineProcess], tuple[str, str]]:
        return EngineProcess, (self.engine, self.program)


def _start(engine: str, program: str) -> subprocess.Popen[bytes]:
    """The program of the engine, out of the reach of the terminal's Ctrl-C."""
    apart: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        apart = {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        [sys.executable, "-P", program, engine],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # a fork must not have a copy of bytes yet to be written
        **apart,
    )


def _send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    rest = memoryview(data)
    while rest:
        rest = rest[process.stdin.write(rest) :]


def _receive(process: subprocess.Popen[bytes], size: int) -> bytearray:
    assert process.stdout is not None
    data = bytearray()
    while len(data) < size:
        part = process.stdout.read(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a process that this program started; in a fork only let go of it."""
    if os.getpid() == owner:
        process.kill()
    else:
        process.returncode = 0  # nothing to wait for here
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    if os.getpid() == owner:
        process.wait()


def _id_of(boards: NDArray[np.int8]) -> str:
    return Position.from_board(boards[0]).id
