"""`check_agent`: good agents pass, and every kind of fault is named."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bg_env.agent import make_agent
from bg_env.errors import BgEnvError, InvalidOptionError, UnknownNameError
from bg_env.rules.batch import legal_masks
from bg_env.rules.options import Rules
from bg_env.testing import ConformanceError, check_agent

CUBELESS = "cubeless"
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class LowestCode:
    """Makes the legal decision with the lowest code. Keeps to the contract."""

    name = "lowest-code"

    def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        return legal_masks(states).argmax(axis=1).astype(np.int64)


class Changed(LowestCode):
    """The same, then something is done to its answer."""

    def __init__(self, change: Callable[[Any, Any, Any], Any]) -> None:
        self.change = change

    def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        codes = super().act(states, streams)
        changed = self.change(states, streams, codes)
        return codes if changed is None else changed


class ChangedPlays:
    """`pip-race`, then something is done to its whole plays."""

    name = "changed-plays"

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.agent: Any = make_agent("pip-race")
        self.change = change

    def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        return self.agent.act(states, streams)

    def plays(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        return self.change(self.agent.plays(states, streams))


def any_legal(masks: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The legal code that a number of each game picks."""
    keys = masks * (1 + (numbers[:, None] * np.arange(1, 163)) % 997)
    return keys.argmax(axis=1).astype(np.int64)


def illegal_code(states: Any, streams: Any, codes: Any) -> Any:
    codes[3] = legal_masks(states)[3].argmin()


def changes_a_state(states: Any, streams: Any, codes: Any) -> None:
    states["turn"][0] += 1


def numpy_s_generator(states: Any, streams: Any, codes: Any) -> Any:
    return any_legal(legal_masks(states), np.random.randint(1, 99, len(states)))  # noqa: NPY002


def python_s_generator(states: Any, streams: Any, codes: Any) -> None:
    random.random()


def own_generator() -> Callable[[Any, Any, Any], Any]:
    rng = np.random.default_rng(1)
    return lambda states, streams, codes: any_legal(
        legal_masks(states), rng.integers(1, 99, len(states))
    )


def place_in_the_batch(states: Any, streams: Any, codes: Any) -> Any:
    return any_legal(legal_masks(states), 1 + np.arange(len(states)))


def size_of_the_batch(states: Any, streams: Any, codes: Any) -> Any:
    return any_legal(legal_masks(states), np.full(len(states), 7 + 3 * len(states)))


def first_stream_for_all(states: Any, streams: Any, codes: Any) -> None:
    streams += streams[0] | np.uint64(1)


def stream_that_stays(states: Any, streams: Any, codes: Any) -> Any:
    return any_legal(legal_masks(states), (streams % np.uint64(99)).astype(np.int64))


def stream_by_the_call() -> Callable[[Any, Any, Any], Any]:
    calls = [np.uint64(0)]

    def change(states: Any, streams: Any, codes: Any) -> None:
        calls[0] += np.uint64(1)
        streams += calls[0]

    return change


FAULTS = (
    (illegal_code, "which is not legal in position"),
    (lambda states, streams, codes: codes + 500, r"decides \d+, which is not legal"),
    (changes_a_state, "changes the states it is asked about in act"),
    (numpy_s_generator, "asked again with the same stream"),
    (python_s_generator, "draws from Python's random module"),
    (own_generator(), "asked again with the same stream"),
    (place_in_the_batch, "in another order"),
    (size_of_the_batch, "in a batch of one"),
    (first_stream_for_all, "leaves another stream in a batch"),
    (stream_that_stays, "does not advance it"),
    (stream_by_the_call(), "leaves the stream of one game in two ways"),
    (lambda states, streams, codes: codes.tolist(), "is an array int64.*not a list"),
    (lambda states, streams, codes: codes.astype(np.int32), "int64.*not int32"),
    (lambda states, streams, codes: codes[:, None], r"int64\[\d+\], not int64\[\d+, 1"),
    (lambda states, streams, codes: codes[:-1], "is an array int64"),
)


def without_the_last_move(codes: np.ndarray) -> np.ndarray:
    shorter = codes.copy()
    shorter[:, 1:] = 0
    return shorter


def with_a_move_too_many(codes: np.ndarray) -> np.ndarray:
    longer = codes.copy()
    longer[:, 3] = np.where(longer[:, 3] == 0, 1, longer[:, 3])
    longer[:, 2] = np.where(longer[:, 2] == 0, 1, longer[:, 2])
    return longer


PLAY_FAULTS = (
    (without_the_last_move, "leaves part of the turn unplayed"),
    (with_a_move_too_many, "is not legal in position"),
    (lambda codes: codes.astype(np.int64), r"int16\[\d+, 4\], not int64"),
    (lambda codes: codes[:, 0], r"int16\[\d+, 4\], not int16"),
)


@pytest.mark.parametrize("name", ["random", "pip-race", "pubeval"])
def test_every_baseline_agent_passes(name: str) -> None:
    check_agent(name, games=2)


def test_an_agent_that_only_acts_passes() -> None:
    check_agent(LowestCode(), rules=[CUBELESS, "match"], games=2)


def test_an_agent_that_draws_from_its_streams_passes() -> None:
    def drawn(states: Any, streams: Any, codes: Any) -> Any:
        streams += GOLDEN
        numbers = (streams >> np.uint64(40)).astype(np.int64) % 99
        return any_legal(legal_masks(states), numbers)

    check_agent(Changed(drawn), rules=CUBELESS, games=0)


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_a_fault_of_act_is_named(change: Any, message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_agent(Changed(change), rules=CUBELESS, games=0)


@pytest.mark.parametrize(("change", "message"), PLAY_FAULTS)
def test_a_fault_of_plays_is_named(change: Any, message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_agent(ChangedPlays(change), rules=CUBELESS, games=0)


def test_what_is_illegal_only_in_its_own_games_is_found() -> None:
    """Positions that random games never show: a side about to bear off its last."""

    def illegal_near_the_end(states: Any, streams: Any, codes: Any) -> None:
        nearly = states["board"][:, 0, 0] >= 14
        codes[nearly] = 161

    class PlaysWell(Changed):
        def __init__(self) -> None:
            super().__init__(illegal_near_the_end)
            self.agent: Any = make_agent("pubeval")

        def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
            codes = self.agent.act(states, streams)
            self.change(states, streams, codes)
            return codes

    check_agent(PlaysWell(), rules=Rules(cube=False), games=0)
    with pytest.raises(ConformanceError, match="in a game against itself: Agent"):
        check_agent(PlaysWell(), rules=Rules(cube=False), games=8)


def test_an_agent_without_a_cube_policy_of_its_own_fails_only_with_the_cube() -> None:
    """An agent that moves wherever it is asked is none for cube games."""

    def only_moves(states: Any, streams: Any, codes: Any) -> None:
        codes[states["phase"] == 3] = 151  # rolls where a double awaits an answer

    check_agent(Changed(only_moves), rules=CUBELESS, games=2)
    with pytest.raises(ConformanceError, match="phase 'answer to a double'"):
        check_agent(Changed(only_moves), rules="standard", games=0)


@pytest.mark.parametrize("name", ["", "  ", None, 7, "two\nlines"])
def test_an_agent_needs_a_name(name: Any) -> None:
    agent = LowestCode()
    agent.name = name
    with pytest.raises(ConformanceError, match="needs a name in one line of text"):
        check_agent(agent)


def test_what_cannot_act_is_no_agent() -> None:
    class Silent:
        name = "silent"

    with pytest.raises(ConformanceError, match=r"has no method act\(states, streams\)"):
        check_agent(Silent())  # type: ignore[arg-type]
    with pytest.raises(ConformanceError, match="has no method act"):
        check_agent(LowestCode)  # type: ignore[arg-type]


def test_the_error_is_one_of_the_project_and_an_assertion() -> None:
    """Pytest shows it as a failure; `except BgEnvError` catches it."""
    assert issubclass(ConformanceError, BgEnvError)
    assert issubclass(ConformanceError, AssertionError)


def test_names_that_nobody_has_are_errors_of_the_caller() -> None:
    with pytest.raises(UnknownNameError, match="nobody"):
        check_agent("nobody")
    with pytest.raises(UnknownNameError, match="chess"):
        check_agent("random", rules="chess")
    with pytest.raises(InvalidOptionError, match="rules are"):
        check_agent("random", rules=[])
    with pytest.raises(InvalidOptionError, match="rules are"):
        check_agent("random", rules=[7])  # type: ignore[list-item]
