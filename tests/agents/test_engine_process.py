"""The process of an engine: crashes, interrupts, forks, copies, threads."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bg_agents.engines import EngineError, EngineProcess, worker
from support import run_python

from bg_env.errors import BgEnvError
from bg_env.rules.position import Position

START = Position.start()
BOARDS = np.stack([START.to_board()] * 3)

# An engine that gives plies / 100 as every chance, and fails where it is told to.
PROGRAM = f"""
import importlib.util, os, pathlib, sys, time
import numpy as np

spec = importlib.util.spec_from_file_location("worker", {worker.__file__!r})
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
flag = pathlib.Path(__file__).with_name("once")


def rate(boards, plies):
    if plies == 7 or (plies == 6 and not flag.exists()):
        flag.touch()
        os._exit(3)
    if plies == 8:
        raise ValueError("no such depth")
    if plies == 9:
        time.sleep(60)
    print("engines talk")
    return np.full((len(boards), 5), plies / 100, np.float32)


def fails():
    raise RuntimeError("its weights are missing")


worker.ENGINES.update(fake=lambda: rate, broken=fails)
worker.main()
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "fake.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


@pytest.fixture
def process(program: str) -> Iterator[EngineProcess]:
    made = EngineProcess("fake", program)
    yield made
    made.close()


def is_running(pid: int) -> bool:
    """True while a process of that number is there and not merely unburied."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def ends_soon(pid: int) -> bool:
    until = time.monotonic() + 30
    while is_running(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


linux = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks processes up in /proc"
)
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def test_a_batch_is_answered_in_one_array_whatever_the_engine_prints(
    process: EngineProcess,
) -> None:
    chances = process.rate(BOARDS, 2)
    assert chances.dtype == np.float32
    assert chances.tolist() == np.full((3, 5), 0.02, np.float32).tolist()


def test_nothing_is_started_before_the_first_question(process: EngineProcess) -> None:
    assert process.pid is None
    process.rate(BOARDS, 0)
    assert process.pid is not None


def test_boards_of_more_bytes_than_a_pipe_holds_are_answered(
    process: EngineProcess,
) -> None:
    many = np.tile(BOARDS, (20_000, 1, 1))
    assert (process.rate(many, 1) == np.float32(0.01)).all()


def test_an_engine_that_dies_is_started_again_and_answers(
    process: EngineProcess,
) -> None:
    process.rate(BOARDS, 0)
    first = process.pid
    assert (process.rate(BOARDS, 6) == np.float32(0.06)).all()
    assert process.pid != first


def test_an_engine_that_dies_twice_is_an_error_that_names_the_position(
    process: EngineProcess,
) -> None:
    said = rf"'fake' ended twice \(exit status 3\) while it rated 3 .*{START.id}"
    with pytest.raises(EngineError, match=said):
        process.rate(BOARDS, 7)
    assert issubclass(EngineError, BgEnvError)
    assert (process.rate(BOARDS, 1) == np.float32(0.01)).all()


def test_what_an_engine_says_against_a_question_is_an_error_and_it_lives_on(
    process: EngineProcess,
) -> None:
    process.rate(BOARDS, 1)
    first = process.pid
    with pytest.raises(EngineError, match="'fake' refused: ValueError: no such depth"):
        process.rate(BOARDS, 8)
    assert (process.rate(BOARDS, 1) == np.float32(0.01)).all()
    assert process.pid == first


def test_an_engine_that_cannot_start_says_why(program: str) -> None:
    broken = EngineProcess("broken", program)
    with pytest.raises(EngineError, match="refused: RuntimeError: its weights"):
        broken.rate(BOARDS, 0)
    assert broken.pid is None


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    lost = EngineProcess("fake", str(tmp_path / "lost.py"))
    with pytest.raises(EngineError, match="ended twice"):
        lost.rate(BOARDS, 0)


@linux
def test_an_interrupt_ends_the_process_and_the_next_question_starts_another(
    process: EngineProcess,
) -> None:
    process.rate(BOARDS, 0)
    first = process.pid
    assert first is not None
    main = threading.main_thread().ident
    waiting = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
    waiting.start()
    with pytest.raises(KeyboardInterrupt):
        process.rate(BOARDS, 9)
    waiting.join()
    assert ends_soon(first)
    assert (process.rate(BOARDS, 1) == np.float32(0.01)).all()


@posix
def test_the_terminal_s_interrupt_does_not_reach_the_process(
    process: EngineProcess,
) -> None:
    process.rate(BOARDS, 0)
    assert process.pid is not None
    assert os.getpgid(process.pid) != os.getpgid(0)


@linux
def test_the_process_ends_with_the_object(program: str) -> None:
    process = EngineProcess("fake", program)
    process.rate(BOARDS, 0)
    pid = process.pid
    assert pid is not None
    del process
    assert ends_soon(pid)


def started_by_script(program: str, last: str) -> int:
    """The process that a script asked; `last` is how the script ends."""
    code = (
        "import os, signal, numpy as np\n"
        "from bg_agents.engines import EngineProcess\n"
        "from bg_env.rules.position import Position\n"
        f"process = EngineProcess('fake', {program!r})\n"
        "boards = Position.start().to_board()[None]\n"
        "process.rate(boards, 1)\n"
        "print(process.pid, flush=True)\n"
        f"{last}\n"
    )
    done = run_python("-W", "error", "-c", code, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return int(done.stdout.split()[0])


@linux
@pytest.mark.parametrize(
    "last",
    ["", "raise SystemExit(1)", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"],
)
def test_the_process_ends_with_the_program(program: str, last: str) -> None:
    assert ends_soon(started_by_script(program, last))


@linux
def test_the_process_ends_with_the_program_although_a_fork_of_it_lives_on(
    program: str,
) -> None:
    last = (
        "import time\n"
        "if os.fork() == 0:\n"
        "    os.close(1); os.close(2)\n"
        "    time.sleep(20)\n"
        "os._exit(0)"
    )
    assert ends_soon(started_by_script(program, last))


@posix
def test_a_fork_asks_a_process_of_its_own_and_leaves_the_parent_s_alone(
    program: str,
) -> None:
    last = (
        "before = process.pid\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    good = (process.rate(boards, 2) == np.float32(0.02)).all()\n"
        "    raise SystemExit(0 if good and process.pid != before else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0, 'the fork was not answered'\n"
        "assert (process.rate(boards, 3) == np.float32(0.03)).all()\n"
        "assert process.pid == before"
    )
    started_by_script(program, last)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda process: pickle.loads(pickle.dumps(process))]
)
def test_a_copy_has_a_process_of_its_own(process: EngineProcess, copied) -> None:
    process.rate(BOARDS, 0)
    other = copied(process)
    assert (other.rate(BOARDS, 1) == np.float32(0.01)).all()
    assert other.pid != process.pid
    other.close()
    assert (process.rate(BOARDS, 2) == np.float32(0.02)).all()


def test_threads_share_a_process_and_each_gets_its_own_answer(
    process: EngineProcess,
) -> None:
    wrong = []

    def ask(plies: int) -> None:
        for _ in range(50):
            if not (process.rate(BOARDS, plies) == np.float32(plies / 100)).all():
                wrong.append(plies)

    threads = [threading.Thread(target=ask, args=(plies,)) for plies in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
