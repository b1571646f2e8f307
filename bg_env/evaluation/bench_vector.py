"""Benchmark of the vector environment: steps, turns and games a second, and memory.

A step is one decision of one game. Steps on which a game is reset do not count, though
their time does. Drawing the random actions is not timed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

import gymnasium
import numpy as np
from numpy.typing import NDArray

from bg_env.encoding import Encoder
from bg_env.envs._step import (
    NO_SEAT,
    PLAY,
    REFUSE_ILLEGAL,
    STEP_DTYPE,
    settle_all,
    step_all,
    write_random_codes,
    write_shown_masks,
)
from bg_env.envs.registration import IDS
from bg_env.envs.settings import SELF
from bg_env.envs.vector import BackgammonVectorEnv
from bg_env.errors import BgEnvError
from bg_env.rules._random import seed_streams
from bg_env.rules.batch import new_states, put_states, seed_states, take_states
from bg_env.rules.decisions import DECISIONS
from bg_env.rules.options import Rules

SIZES: Final = (1, 64, 1024, 8192)
OBSERVATIONS: Final = ("raw", "tesauro")
_SEED: Final = 20260101
_MAX_TURNS: Final = 1000
_CHECKED: Final = 16  # games that single environments play once more


@dataclass(frozen=True)
class Count:
    """What has been played: decisions, rolls and finished games."""

    steps: int = 0
    turns: int = 0
    games: int = 0
    illegal: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.steps + other.steps,
            self.turns + other.turns,
            self.games + other.games,
            self.illegal + other.illegal,
        )


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    id: str
    games: int
    observation: str
    steps_per_second: float
    turns_per_second: float
    games_per_second: float

    def __str__(self) -> str:
        return (
            f"{self.id:<22} {self.games:>6,} games {self.observation:<9}"
            f"{self.steps_per_second:>12,.0f} steps/s"
        )


class Play(Protocol):
    """Games played with random decisions: timed and counted."""

    codes: NDArray[np.int64]
    seconds: float

    def step(self) -> Count:
        """One decision in every game."""
        ...


class KernelPlay:
    """Random legal decisions in the step kernel and in that of the masks.

    Attributes:
        states: STATE_DTYPE[B].
        steps: STEP_DTYPE[B].
        codes: int64[B], the actions of the last step.
        seconds: Spent in these kernels, and in that of the encoder, so far.
    """

    def __init__(self, rules: Rules, count: int, encoder: Encoder | None = None):
        self.states = new_states(count, rules)
        seed_states(self.states, _SEED)
        self.steps: NDArray[Any] = np.zeros(count, STEP_DTYPE)
        self.steps["seat"] = NO_SEAT
        settle_all(self.states, self.steps, True, _MAX_TURNS, True)
        self.codes: NDArray[np.int64] = self.steps["code"]
        self.seconds = 0.0
        self._masks = np.zeros((count, DECISIONS), np.int8)
        self._encoder = encoder
        self._observations: NDArray[Any] = np.zeros(0)
        if encoder is not None:
            self._observations = encoder.observe(self.states)
        self._viewers = np.full(count, NO_SEAT, np.int8)
        self._fresh = self.states.copy(), self.steps.copy()

    def step(self) -> Count:
        """One step of all games; finished ones begin anew, which is not timed."""
        states, steps = self.states, self.steps
        write_random_codes(states, states["choice_stream"], self.codes)
        turns = states["turn"].astype(np.int64)
        start = time.perf_counter()
        illegal = step_all(states, steps, PLAY, REFUSE_ILLEGAL, True, _MAX_TURNS)
        self._masks[:] = 0
        write_shown_masks(states, steps, self._masks)
        if self._encoder is not None:
            self._encoder.kernel(states, self._viewers, self._observations)
        self.seconds += time.perf_counter() - start
        ended = np.flatnonzero(steps["status"])
        passed = int((states["turn"] - turns).sum())
        dice = states["dice_stream"][ended]
        put_states(states, ended, take_states(self._fresh[0], ended))
        steps[ended] = self._fresh[1][ended]
        states["dice_stream"][ended] = dice
        return Count(len(states), passed, len(ended), illegal)


class RandomPlay:
    """Random legal decisions in a vector environment, timed and counted.

    Attributes:
        env: The environment, reset.
        codes: int64[B], the actions of the last step.
        seconds: Spent in `env.step` so far.
    """

    def __init__(self, name: str, count: int, observation: str) -> None:
        env = gymnasium.make_vec(
            name,
            num_envs=count,
            vectorization_mode="vector_entry_point",
            observation=observation,
            opponent=SELF,
            copy=True,
        )
        assert isinstance(env, BackgammonVectorEnv)
        self.env = env
        env.reset(seed=_SEED)
        self.codes = np.zeros(count, np.int64)
        self.seconds = 0.0
        self._streams = np.zeros(count, np.uint64)
        seed_streams(np.uint64(_SEED), 0, np.zeros(count, np.uint64), self._streams)
        self._done = np.zeros(count, np.bool_)

    def step(self) -> Count:
        """One step of all games; only `env.step` is timed."""
        env = self.env
        write_random_codes(env.states, self._streams, self.codes)
        turns = env.states["turn"].astype(np.int64)
        start = time.perf_counter()
        _, _, terminated, truncated, infos = env.step(self.codes)
        self.seconds += time.perf_counter() - start
        stepped = ~self._done
        self._done = terminated | truncated
        passed = env.states["turn"] - turns
        finished = _finished_games(infos)
        for place, lengths in finished:
            if not terminated[place]:  # the next game of the match has begun
                passed[place] += sum(lengths)
        return Count(
            steps=int(stepped.sum()),
            turns=int(passed[stepped].sum()),
            games=sum(len(lengths) for _, lengths in finished),
            illegal=int(infos.get("_illegal_action", stepped[:0]).sum()),
        )


def _finished_games(infos: dict[str, Any]) -> list[tuple[int, list[int]]]:
    """(place, turns of each game that ended there) of one step."""
    if "games" in infos:  # an episode is a match
        places = np.flatnonzero(infos["_games"]).tolist()
        return [(i, [game["turns"] for game in infos["games"][i]]) for i in places]
    places = np.flatnonzero(infos.get("_turns", ())).tolist()
    return [(i, [int(infos["turns"][i])]) for i in places]


# --- counts ----------------------------------------------------------------------


def check(name: str, observation: str, steps: int = 300) -> Count:
    """Play a few games, and the same decisions again in single environments.

    Returns:
        What both counted.

    Raises:
        BgEnvError: The counts differ, or a decision was illegal.
    """
    play = RandomPlay(name, _CHECKED, observation)
    total, codes = Count(), []
    for _ in range(steps):
        total += play.step()
        codes.append(play.codes.copy())
    columns = np.array(codes).T.tolist()
    singles = sum(
        (
            _replayed(name, observation, _SEED + i, column)
            for i, column in enumerate(columns)
        ),
        Count(),
    )
    if total.illegal or total != singles:
        raise BgEnvError(
            f"Benchmark of {name}: the vector environment counted {total}, single "
            f"environments {singles}; they should be equal, and nothing illegal."
        )
    return total


def _replayed(name: str, observation: str, seed: int, codes: list[int]) -> Count:
    """What a single environment counts for the same decisions."""
    env = gymnasium.make(name, observation=observation, disable_env_checker=True)
    env.reset(seed=seed)
    total, before, done = Count(), _turn(env), False
    for code in codes:
        if done:
            env.reset()
            before, done = _turn(env), False
            continue
        _, _, terminated, truncated, info = env.step(code)
        done = terminated or truncated
        lengths = [game["turns"] for game in info.get("games", [])]
        if "turns" in info and not lengths:
            lengths = [info["turns"]]
        passed = _turn(env) - before + (0 if terminated else sum(lengths))
        before = _turn(env)
        total += Count(1, passed, len(lengths), int(info.get("illegal_action", False)))
    return total


def _turn(env: gymnasium.Env[Any, Any]) -> int:
    turn: int = env.unwrapped.state.turn  # type: ignore[attr-defined]
    return turn


# --- time ------------------------------------------------------------------------


def measure_kernel(name: str, count: int, scale: float = 1.0) -> Row:
    """Rates of the kernels alone: masks, but no arrays of the caller's own.

    Finished games begin anew outside the time; matches are played game by game.
    """
    play = KernelPlay(Rules.preset(IDS[name]["rules"]), count)
    return _row(name, "mask only", play, scale)


def measure(name: str, count: int, observation: str, scale: float = 1.0) -> Row:
    """Rates of the vector environment with one batch size."""
    return _row(name, observation, RandomPlay(name, count, observation), scale)


def _row(name: str, observation: str, play: Play, scale: float) -> Row:
    """Medians over many blocks of about a millisecond: what disturbs a few is lost."""
    count = len(play.codes)
    budget = (1_500_000 if count >= 64 else 60_000) * scale
    rounds = min(64, max(1, 1024 // count))
    for _ in range(100):
        play.step()  # games should be of all ages
    total, rates = Count(), []
    for _ in range(max(15, int(budget / count / rounds))):
        play.seconds = 0.0
        block = Count()
        for _ in range(rounds):
            block += play.step()
        rates.append(block.steps / play.seconds)
        total += block
    _check_total(name, total)
    rate = statistics.median(rates)
    return Row(
        id=name,
        games=count,
        observation=observation,
        steps_per_second=rate,
        turns_per_second=rate * total.turns / total.steps,
        games_per_second=rate * total.games / total.steps,
    )


def _check_total(name: str, total: Count) -> None:
    if total.illegal:
        raise BgEnvError(
            f"Benchmark of {name}: counted {total.illegal} illegal actions, which "
            f"should be 0."
        )


def rows(scale: float = 1.0) -> Iterator[Row]:
    """The whole table, line by line; counts are checked first.

    Raises:
        BgEnvError: A count was wrong, so a time would mean nothing.
    """
    for name in IDS:
        for count in SIZES:
            yield measure_kernel(name, count, scale)
        for observation in OBSERVATIONS:
            check(name, observation)
            for count in SIZES:
                yield measure(name, count, observation, scale)


def run(
    quick: bool = False, report: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """Measure the whole table.

    Args:
        quick: A tenth of the work: shows that it runs, not how fast.
        report: Called with a line of text per row as soon as it is measured.

    Returns:
        A JSON-serialisable dict: the rows, and the memory per game.
    """
    table = []
    for row in rows(0.1 if quick else 1.0):
        table.append(asdict(row))
        if report:
            report(str(row))
    memory = {name: memory_per_game(name) for name in OBSERVATIONS}
    return {"rows": table, "memory_per_game": memory}


# --- memory ----------------------------------------------------------------------


def memory_per_game(observation: str, count: int = 1024) -> dict[str, float]:
    """Bytes a game: what the environment keeps, and what each step returns."""
    play = RandomPlay("Backgammon-Cubeless-v0", count, observation)
    games = play.env._games
    kept = sum(
        array.nbytes
        for array in vars(games).values()
        if isinstance(array, np.ndarray) and array.base is None and len(array) == count
    )
    lists = games.finished.__sizeof__() + sum(map(list.__sizeof__, games.finished))
    write_random_codes(play.env.states, games.states["choice_stream"], play.codes)
    *arrays, infos = play.env.step(play.codes)
    returned = [*arrays, *infos.values()]
    return {
        "state": float(games.states.itemsize),
        "step": float(games.steps.itemsize),
        "kept": (kept + lists) / count,
        "returned": sum(array.nbytes for array in returned) / count,
    }
