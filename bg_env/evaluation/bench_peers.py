"""Benchmark of other backgammon environments beside the vector environment.

The unit is the checker move: one checker moved by one die. All play random legal
decisions, whose drawing is not timed, and make after each what a learner needs:

* **OpenSpiel**: `apply_action` (also of the dice), the observation tensor and the mask
  of legal actions. An action is a roll's whole play, half a play for doubles; its
  passed halves are no checker moves. A turn is a roll of the dice.
* **pgx**: `step` of a batch, compiled, which brings mask and observation; the best of
  several batch sizes counts. An action is a checker move, or a pass, which is none.
* **gnubg-nn**: all legal plays of a roll, beside the generator of this package.
* **bg-env**: `BackgammonVectorEnv` with 1,024 games. A step is a checker move in
  cubeless play. Passes are played within a step.
"""

from __future__ import annotations

import importlib
import itertools
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from bg_env.errors import BgEnvError
from bg_env.evaluation import bench_vector
from bg_env.evaluation.bench_vector import Count, Play
from bg_env.rules.movegen import legal_moves, legal_plays
from bg_env.rules.position import Position

Report = Callable[[str], None]

PGX_SIZES: Final = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
_ID: Final = "Backgammon-Cubeless-v0"
_SEED: Final = 20260101


@dataclass(frozen=True)
class Rate:
    """How fast one environment plays; turns are 0 where nobody counts them."""

    name: str
    moves_per_second: float
    turns_per_second: float = 0.0

    def __str__(self) -> str:
        turns = self.turns_per_second
        more = f"{turns:>12,.0f} turns/s" if turns else ""
        return f"{self.name:<44}{self.moves_per_second:>12,.0f} moves/s{more}"


def run(quick: bool = False, report: Report = print) -> dict[str, Any]:
    """Measure the peers that are installed, and this package on the same work.

    Args:
        quick: A tenth of the work: shows that it runs, not how fast.
        report: Called with each line of text.

    Returns:
        A JSON-serialisable dict: rates and ratios by the peer's name, and the names of
        those that are missing.

    Raises:
        BgEnvError: A count was wrong, so a time would mean nothing.
    """
    scale = 0.1 if quick else 1.0
    figures: dict[str, Any] = {"missing": []}
    for name, module, measure in (
        ("OpenSpiel", "pyspiel", _beside_open_spiel),
        ("pgx", "pgx", _beside_pgx),
        ("gnubg-nn", "gnubg_nn", _beside_gnubg),
    ):
        if _load(module) is None:
            figures["missing"].append(name)
            report(f"{name} is not installed: pip install 'bg-env[bench]'")
        else:
            figures[name] = measure(scale, report)
    return figures


def _load(module: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def _check(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise BgEnvError(
            f"Benchmark of {what}: counted {got!r}, which should be {wanted!r}."
        )


def _ours(observation: str, scale: float) -> Rate:
    """The vector environment with 1,024 games."""
    bench_vector.check(_ID, observation)
    row = bench_vector.measure(_ID, 1024, observation, scale)
    name = f"bg-env, 1,024 games, mask and {observation}"
    return Rate(name, row.steps_per_second, row.turns_per_second)


def _compared(peer: Rate, ours: Rate, report: Report) -> dict[str, Any]:
    """Report both rates, and how many times faster ours is."""
    ratio = ours.moves_per_second / peer.moves_per_second
    report(str(peer))
    report(str(ours))
    report(f"{'ratio':<44}{ratio:>12,.1f} ×")
    return {"peer": asdict(peer), "bg_env": asdict(ours), "ratio": ratio}


def _rate(name: str, play: Play, rounds: int, block: int) -> Rate:
    """The median over blocks of steps."""
    total, rates = Count(), []
    for _ in range(rounds):
        play.seconds = 0.0
        count = _counted(play, block)
        rates.append(count.steps / play.seconds)
        total += count
    rate = statistics.median(rates)
    return Rate(name, rate, rate * total.turns / total.steps)


def _counted(play: Play, steps: int) -> Count:
    return sum((play.step() for _ in range(steps)), Count())


# --- OpenSpiel --------------------------------------------------------------------


class OpenSpielPlay:
    """Random games in OpenSpiel, one after the other.

    Attributes:
        seconds: Spent in OpenSpiel so far, drawing left out.
        codes: int64[1], the last action.
    """

    def __init__(self, pyspiel: Any) -> None:
        self.game = pyspiel.load_game("backgammon")
        self.seconds = 0.0
        self.codes = np.zeros(1, np.int64)
        self._random = np.random.default_rng(_SEED)
        self._state = self.game.new_initial_state()
        self._roll()

    def _roll(self) -> bool:
        """Roll where the dice are to be rolled; whether they were."""
        if not self._state.is_chance_node():
            return False
        outcomes, chances = zip(*self._state.chance_outcomes(), strict=True)
        place = np.searchsorted(np.cumsum(chances), self._random.random())
        self._apply(outcomes[min(int(place), len(outcomes) - 1)])
        return True

    def _apply(self, action: int) -> None:
        start = time.perf_counter()
        self._state.apply_action(action)
        self.seconds += time.perf_counter() - start

    def step(self) -> Count:
        """One action, and the roll after it; the next game after the last."""
        legal = self._state.legal_actions()
        action = legal[int(self._random.random() * len(legal))]
        self.codes[0] = action
        self._apply(action)
        over = bool(self._state.is_terminal())
        if over:
            self._state = self.game.new_initial_state()
        turns = int(self._roll())
        start = time.perf_counter()
        self._state.observation_tensor()
        self._state.legal_actions_mask()
        self.seconds += time.perf_counter() - start
        return Count(checkers_moved(action), turns, int(over))


def checkers_moved(action: int) -> int:
    """Checker moves in an action of OpenSpiel: two digits of 26, 25 is a pass."""
    first, second = divmod(action % 676, 26)
    return int(first != 25) + int(second != 25)


def check_open_spiel(pyspiel: Any) -> None:
    """Refuse to time other rules, or a play that does not repeat itself."""
    state = pyspiel.load_game("backgammon").new_initial_state()
    found = 0
    for roll, _ in state.chance_outcomes():  # each roll once for either player
        child = state.child(roll)
        found += len({str(child.child(action)) for action in child.legal_actions()})
    rolls = itertools.combinations(range(1, 7), 2)
    plays = sum(len(legal_plays(Position.start(), roll)) for roll in rolls)
    _check("OpenSpiel's opening plays", found, 2 * plays)
    first, second = (_counted(OpenSpielPlay(pyspiel), 300) for _ in range(2))
    _check("OpenSpiel's games", first, second)


def _beside_open_spiel(scale: float, report: Report) -> dict[str, Any]:
    pyspiel = _load("pyspiel")
    check_open_spiel(pyspiel)
    play = OpenSpielPlay(pyspiel)
    name = "OpenSpiel, observation and mask"
    peer = _rate(name, play, max(15, int(300 * scale)), 100)
    return _compared(peer, _ours("tesauro", scale), report)


# --- pgx --------------------------------------------------------------------------


class PgxPlay:
    """Random games in a batch of pgx, compiled by jax.

    Attributes:
        seconds: Spent in the compiled `step` so far.
        codes: int64[B], the last actions.
    """

    def __init__(self, pgx: Any, count: int) -> None:
        jax = importlib.import_module("jax")
        env = pgx.make("backgammon")
        compiled = jax.jit
        self.jax = jax
        self.seconds = 0.0
        self.codes = np.zeros(count, np.int64)
        self._key = jax.random.PRNGKey(_SEED)
        self._step = compiled(jax.vmap(env.step))
        self._draw = compiled(self._drawn, static_argnums=1)
        self._replace = compiled(self._replaced)
        self.fresh = compiled(jax.vmap(env.init))(jax.random.split(self._key, count))
        self._state = self.fresh

    def _drawn(self, key: Any, count: int, mask: Any) -> Any:
        """(next key, legal actions, a key for each game)."""
        random, numpy = self.jax.random, self.jax.numpy
        key, first, second = random.split(key, 3)
        actions = random.categorical(first, numpy.where(mask, 0.0, -1e9), axis=-1)
        return key, actions, random.split(second, count)

    def _replaced(self, state: Any, fresh: Any) -> Any:
        """`state`, with fresh games in place of finished ones."""
        done = state.terminated

        def choose(new: Any, old: Any) -> Any:
            shape = done.shape + (1,) * (new.ndim - 1)
            return self.jax.numpy.where(done.reshape(shape), new, old)

        return self.jax.tree_util.tree_map(choose, fresh, state)

    def step(self) -> Count:
        """One action in every game; finished ones begin anew, which is not timed."""
        jax, mask = self.jax, self._state.legal_action_mask
        drawn = self._draw(self._key, len(self.codes), mask)
        self._key, actions, keys = jax.block_until_ready(drawn)
        start = time.perf_counter()
        state = jax.block_until_ready(self._step(self._state, actions, keys))
        self.seconds += time.perf_counter() - start
        self.codes[:] = actions
        legal = np.asarray(mask)[np.arange(len(self.codes)), self.codes]
        moved = int((self.codes >= 6).sum())  # those below are passes
        games = int(np.asarray(state.terminated).sum())
        self._state = self._replace(state, self.fresh)
        return Count(moved, 0, games, int((~legal).sum()))


def check_pgx(pgx: Any, count: int = 64) -> None:
    """Refuse to time other rules, or a play that does not repeat itself."""
    start = PgxPlay(pgx, count).fresh
    found = np.asarray(start.legal_action_mask).sum(axis=1).tolist()
    rolls = [(int(a) + 1, int(b) + 1) for a, b in np.asarray(start._dice)]
    wanted = [len(legal_moves(Position.start(), roll)) for roll in rolls]
    _check("pgx's opening moves", found, wanted)
    first, second = (_counted(PgxPlay(pgx, count), 150) for _ in range(2))
    _check("pgx's games", first, second)
    _check("pgx's illegal actions", first.illegal, 0)


def pgx_rates(pgx: Any, sizes: Iterable[int], scale: float) -> list[Rate]:
    """The rate of each batch size; half a game is played before the time counts."""
    rates = []
    for size in sizes:
        play = PgxPlay(pgx, size)
        _counted(play, max(5, int(60 * scale)))
        rounds = max(5, int(60_000 * scale / size))
        rates.append(_rate(f"pgx, {size:,} games", play, min(rounds, 300), 1))
    return rates


def _beside_pgx(scale: float, report: Report) -> dict[str, Any]:
    pgx = _load("pgx")
    check_pgx(pgx)
    rates = pgx_rates(pgx, PGX_SIZES if scale >= 1 else PGX_SIZES[:2], scale)
    for rate in rates:
        report(str(rate))
    best = max(rates, key=lambda rate: rate.moves_per_second)
    figures = _compared(best, _ours("raw", scale), report)
    return {**figures, "sizes": [asdict(rate) for rate in rates]}


# --- gnubg-nn ---------------------------------------------------------------------


def _beside_gnubg(scale: float, report: Report) -> dict[str, Any]:
    from bg_env.evaluation.bench import generation

    figures = {}
    for measure in generation(scale):
        figures[measure.name] = measure.value
        report(str(measure))
    return figures
