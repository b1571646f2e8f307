"""Benchmarks: each asserts a count before it times, and reports a median.

Run on one core (``taskset -c 0 bg-env bench``): ratios in one run mean more than
figures from different ones.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from bg_env.encoding import make_encoder
from bg_env.envs.registration import IDS
from bg_env.errors import BgEnvError
from bg_env.evaluation import bench_vector
from bg_env.evaluation._bench_kernels import play_random_games
from bg_env.rules._plays import count_plays
from bg_env.rules.batch import States, new_states, seed_states
from bg_env.rules.movegen import PlayBuffers, legal_plays, perft
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

Report = Callable[[str], None]

_CUBELESS: Final = Rules.preset("cubeless")
_MAX_TURNS: Final = 1000
_SEED: Final = 20260101


@dataclass(frozen=True)
class Measure:
    """One line of the report."""

    name: str
    value: float
    unit: str
    target: str
    note: str = ""

    def __str__(self) -> str:
        number = f"{self.value:,.3g}" if self.value < 1000 else f"{self.value:,.0f}"
        note = f"  ({self.note})" if self.note else ""
        return f"{self.name:<52} {number:>12} {self.unit:<10} {self.target}{note}"


def run(quick: bool = False, report: Report = print) -> dict[str, Any]:
    """Run all benchmarks and report each line as soon as it is measured.

    Args:
        quick: A tenth of the work: shows that they run, not how fast.
        report: Called with one line of text per measure.

    Returns:
        A JSON-serialisable dict: machine, and the measures by name.

    Raises:
        BgEnvError: A count was wrong, so a time would mean nothing.
    """
    scale = 0.1 if quick else 1.0
    report(machine())
    measures: list[Measure] = []
    for benchmark in (
        generation,
        _random_games,
        _batch_steps,
        _vector_steps,
        _single_step,
        _start_up,
    ):
        for measure in benchmark(scale):
            measures.append(measure)
            report(str(measure))
    return {
        "machine": machine(),
        "quick": quick,
        "measures": {m.name: asdict(m) for m in measures},
    }


def machine() -> str:
    """Processor, cores and versions in one line."""
    import numba

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    return (
        f"{_processor()}, {cores} core(s) used, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}"
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _check(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise BgEnvError(
            f"Benchmark {what}: counted {got!r}, which should be {wanted!r}."
        )


def _median_time(work: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# --- legal plays -----------------------------------------------------------------


def random_positions(count: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Boards int8[count, 2, 32] and rolls int8[count, 2] from random games."""
    play = bench_vector.KernelPlay(_CUBELESS, count)
    rng = np.random.default_rng(_SEED)
    for _ in range(60):
        play.step()
    states = play.states
    return (
        np.ascontiguousarray(states["board"]),
        rng.integers(1, 7, (len(states), 2)).astype(np.int8),
    )


def generation(scale: float) -> list[Measure]:
    """Whole legal plays of random-game positions, in a kernel and by gnubg-nn."""
    _check("perft(start, 1)", perft(Position.start(), 1), 447)
    boards, rolls = random_positions(4000)
    buffers = PlayBuffers()
    words = boards.view(np.uint64)

    def generate(repeat: int) -> int:
        return count_plays(
            boards, words, rolls, buffers.arrays, buffers.scratch, repeat
        )

    sample = range(0, len(boards), 40)
    wanted = sum(_plays_of(boards[i], rolls[i]) for i in sample)
    part = np.ascontiguousarray(boards[::40])
    counted = count_plays(
        part, part.view(np.uint64), rolls[::40], buffers.arrays, buffers.scratch, 1
    )
    _check("plays of random positions", counted, wanted)
    repeat = max(1, int(40 * scale))
    seconds = _median_time(lambda: generate(repeat))
    rate = len(boards) * repeat / seconds
    lines = [Measure("legal-play generation", rate, "rolls/s", "target 1.6 M")]
    peer = _gnubg_rate(boards, rolls, scale)
    if peer:
        lines.append(Measure("gnubg_nn.moves from Python", peer, "rolls/s", ""))
        lines.append(Measure("ratio to gnubg_nn.moves", rate / peer, "×", "target 10"))
    return lines


def _plays_of(board: NDArray[np.int8], roll: NDArray[np.int8]) -> int:
    plays = legal_plays(Position.from_board(board), (int(roll[0]), int(roll[1])))
    return len(plays) if plays[0].moves else 0


def _gnubg_rate(
    boards: NDArray[np.int8], rolls: NDArray[np.int8], scale: float
) -> float | None:
    """Rolls per second of GNU Backgammon's generator, None where not installed."""
    try:
        import gnubg_nn
    except ImportError:
        return None
    count = max(200, int(2000 * scale))
    todo = []
    for board, roll in zip(boards[:count], rolls[:count], strict=True):
        rows = (board[1, 1:26].tolist(), board[0, 1:26].tolist())
        todo.append((rows, int(roll[0]), int(roll[1])))
    seconds = _median_time(lambda: [gnubg_nn.moves(b, x, y) for b, x, y in todo], 3)
    return len(todo) / seconds


def _random_games(scale: float) -> list[Measure]:
    """Whole games of random plays inside one kernel."""
    count = max(200, int(10_000 * scale))
    buffers = PlayBuffers()

    def play() -> States:
        states = new_states(count, _CUBELESS)
        seed_states(states, _SEED)
        play_random_games(states, buffers.arrays, buffers.scratch, _MAX_TURNS)
        return states

    finished = play()
    _check("finished games", int((finished["winner"] >= 0).sum()), count)
    seconds = _median_time(play)
    turns = float(finished["turn"].mean())
    return [
        Measure("random full-turn games", count / seconds, "games/s", "target 15 k",
                f"{turns:.1f} turns a game")
    ]  # fmt: skip


# --- steps -----------------------------------------------------------------------


def _batch_steps(scale: float) -> list[Measure]:
    """The step kernel on 1,024 games, self-play, random legal decisions."""
    lines = []
    for observation in (None, "raw", "tesauro"):
        rate = _batch_rate(observation, max(50, int(500 * scale)))
        name = f"batch of 1,024 games, mask and {observation or 'no observation'}"
        target = {"raw": "target 5 M", "tesauro": "target 1.5 M"}.get(
            observation or "", ""
        )
        lines.append(Measure(name, rate, "steps/s", target))
    return lines


def _batch_rate(observation: str | None, rounds: int) -> float:
    """Steps per second; sampling of actions and restarts are not counted."""
    encoder = make_encoder(observation) if observation else None
    play = bench_vector.KernelPlay(_CUBELESS, 1024, encoder)
    rates = []
    for _ in range(rounds):
        play.seconds = 0.0
        count = play.step()
        _check("illegal random steps", count.illegal, 0)
        rates.append(count.steps / play.seconds)
    return statistics.median(rates)


def _vector_steps(scale: float) -> list[Measure]:
    """The vector environment with 1,024 games: `bench_vector` has the whole table."""
    lines = []
    for name in IDS:
        for observation, target in (("raw", "target 5 M"), ("tesauro", "target 1.5 M")):
            bench_vector.check(name, observation)
            row = bench_vector.measure(name, 1024, observation, scale)
            lines.append(
                Measure(
                    f"{name}, 1,024 games, mask and {observation}",
                    row.steps_per_second,
                    "steps/s",
                    target if name == "Backgammon-Cubeless-v0" else "",
                    f"{row.turns_per_second:,.0f} turns/s, "
                    f"{row.games_per_second:,.0f} games/s",
                )
            )
    for observation in bench_vector.OBSERVATIONS:
        memory = bench_vector.memory_per_game(observation)
        lines.append(
            Measure(
                f"memory per game, {observation}",
                memory["kept"] + memory["returned"],
                "bytes",
                "",
                f"{memory['returned']:,.0f} of them returned by a step",
            )
        )
    return lines


def _single_step(scale: float) -> list[Measure]:
    """``env.step`` through `gymnasium.make`, default observation, self-play."""
    env = gymnasium.make("Backgammon-Cubeless-v0")
    _, info = env.reset(seed=_SEED)
    rng = np.random.default_rng(_SEED)
    times = []
    for _ in range(max(500, int(20_000 * scale))):
        action = rng.choice(info["action_mask"].nonzero()[0])
        start = time.perf_counter_ns()
        _, _, terminated, truncated, info = env.step(action)
        times.append(time.perf_counter_ns() - start)
        if terminated or truncated:
            _, info = env.reset()
    return [
        Measure("env.step, median", statistics.median(times) / 1000, "µs", "target 10")
    ]


# --- start-up --------------------------------------------------------------------

_PROBE: Final = """
import json, time
start = time.perf_counter()
import numba, gymnasium
base = time.perf_counter() - start
import bg_env
env = gymnasium.make("Backgammon-Cubeless-v0")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].nonzero()[0][0]))
seconds = time.perf_counter() - start - base
try:
    with open("/proc/self/status") as file:
        peak = next(int(row.split()[1]) for row in file if row.startswith("VmHWM"))
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([seconds, base, peak / 1024]))
"""


def _start_up(scale: float) -> list[Measure]:
    """Import to first step in a fresh process, with an empty and a filled cache."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _probe(cache)
        warm = [_probe(cache) for _ in range(1 if scale < 1 else 5)]
    median = [statistics.median(column) for column in zip(*warm, strict=True)]
    return [
        Measure("cold start, import to first step", cold[0], "s", "target 10",
                f"over {cold[1]:.2f} s for numba and gymnasium"),
        Measure("warm start, import to first step", median[0], "s", "target 0.4"),
        Measure("memory, cold", cold[2], "MB", "target 270"),
        Measure("memory, warm", median[2], "MB", "target 220"),
    ]  # fmt: skip


def _probe(cache: str) -> list[float]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    values: list[float] = json.loads(done.stdout)
    return values
