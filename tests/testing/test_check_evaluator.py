"""`check_evaluator`: a good one passes, and every kind of fault is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bg_env.testing import ConformanceError, check_evaluator

PLACES = np.arange(26)


class Pips:
    """Chances by the pip count. Keeps to the contract."""

    name = "pips"

    def evaluate(self, boards: np.ndarray) -> np.ndarray:
        mine, theirs = (boards[:, :, :26].astype(np.float64) @ PLACES).T
        win = 1 / (1 + np.exp((mine - theirs - 4) / 12))
        chances = np.stack(
            [win, win * 0.3, win * 0.01, (1 - win) * 0.3, (1 - win) * 0.01], axis=1
        )
        chances[boards[:, 1, 0] > 0, 1:3] = 0
        chances[boards[:, 0, 0] > 0, 3:5] = 0
        lost = (boards[:, 1, 1:26] == 0).all(axis=1)
        chances[lost] = self.of_lost_games(boards[lost])
        return chances.astype(np.float32)

    def of_lost_games(self, boards: np.ndarray) -> np.ndarray:
        chances = np.zeros((len(boards), 5))
        none_off = boards[:, 0, 0] == 0
        far = (boards[:, 0, 19:26] > 0).any(axis=1)
        chances[none_off, 3] = 1
        chances[none_off & far, 4] = 1
        return chances


class Changed(Pips):
    """The same, then something is done to it."""

    def __init__(self, change: Callable[[Any, Any], Any]) -> None:
        self.change = change

    def evaluate(self, boards: np.ndarray) -> np.ndarray:
        chances = super().evaluate(boards)
        changed = self.change(boards, chances)
        return chances if changed is None else changed


def put(column: int, value: float) -> Callable[[Any, Any], None]:
    """One chance of some ordinary boards is another."""

    def change(boards: Any, chances: Any) -> None:
        ordinary = boards[:, :, 0].sum(axis=1) == 0
        chances[ordinary, column] = value

    return change


def gammons_after_bearing_off(row: int, column: int) -> Callable[[Any, Any], None]:
    def change(boards: Any, chances: Any) -> None:
        some = (boards[:, row, 0] > 0) & (boards[:, :, 1:26].sum(axis=2) > 0).all(
            axis=1
        )
        chances[some, 0] = 0.5
        chances[some, column] = 0.001

    return change


def changes_a_board(boards: Any, chances: Any) -> None:
    boards[0, 0, 6] += 1


def own_generator() -> Callable[[Any, Any], Any]:
    rng = np.random.default_rng(1)
    return lambda boards, chances: (
        chances * rng.uniform(0.9, 1, (len(chances), 1)).astype(np.float32)
    )


def numpy_s_generator(boards: Any, chances: Any) -> None:
    np.random.random()  # noqa: NPY002


def place_in_the_batch(boards: Any, chances: Any) -> Any:
    shrink = 1 - 0.01 * (np.arange(len(boards)) % 7)
    return (chances * shrink[:, None]).astype(np.float32)


def size_of_the_batch(boards: Any, chances: Any) -> Any:
    return chances * np.float32(0.9) if len(boards) == 1 else chances


def wrong_at_the_end(boards: Any, chances: Any) -> None:
    lost = (boards[:, 1, 1:26] == 0).all(axis=1)
    chances[lost, 4] = 0


def still_hoping(boards: Any, chances: Any) -> None:
    lost = (boards[:, 1, 1:26] == 0).all(axis=1)
    chances[lost, 0] = 0.001
    chances[lost, 3:] = 0


FAULTS = (
    (put(0, 1.2), "win is a chance of 0 to 1"),
    (put(1, -0.1), "win gammon is a chance of 0 to 1"),
    (put(4, np.nan), "lose backgammon is a chance of 0 to 1"),
    (put(2, np.inf), "win backgammon is a chance of 0 to 1"),
    (put(1, 0.999), "win is at least win gammon"),
    (put(2, 0.5), "win gammon is at least win backgammon"),
    (put(3, 0.999), "1 − win is at least lose gammon"),
    (put(4, 0.9), "lose gammon is at least lose backgammon"),
    (gammons_after_bearing_off(1, 1), "opponent has borne off a checker"),
    (gammons_after_bearing_off(0, 3), "player on roll has borne off a checker"),
    (changes_a_board, "changes the boards"),
    (own_generator(), "asked again"),
    (numpy_s_generator, "draws from NumPy's global generator"),
    (place_in_the_batch, "in another order"),
    (size_of_the_batch, "alone"),
    (wrong_at_the_end, "which the opponent has won"),
    (still_hoping, "which the opponent has won"),
    (lambda boards, chances: chances.tolist(), "is an array float32.*not a list"),
    (lambda boards, chances: chances.astype(float), "float32.*not float64"),
    (lambda boards, chances: chances[:, :4].copy(), r"5\], not float32\[\d+, 4"),
)


def test_an_evaluator_that_keeps_to_the_contract_passes() -> None:
    check_evaluator(Pips())
    check_evaluator(Pips(), seed=5)


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_a_fault_of_an_evaluator_is_named(change: Any, message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_evaluator(Changed(change))


def test_what_does_not_evaluate_is_no_evaluator() -> None:
    class Silent:
        name = "silent"

    with pytest.raises(ConformanceError, match=r"has no method evaluate\(boards\)"):
        check_evaluator(Silent())  # type: ignore[arg-type]


def test_an_evaluator_needs_a_name() -> None:
    evaluator = Pips()
    evaluator.name = ""
    with pytest.raises(ConformanceError, match="needs a name"):
        check_evaluator(evaluator)
