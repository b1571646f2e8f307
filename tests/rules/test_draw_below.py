"""`draw_below`: random numbers from the streams of games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bg_env.errors import InvalidOptionError
from bg_env.rules._random import below
from bg_env.rules.chance import draw_below


def streams_of(count: int) -> np.ndarray:
    return np.random.default_rng(3).integers(2**64, size=count, dtype=np.uint64)


def test_it_draws_what_the_kernels_draw_and_advances_each_stream_once() -> None:
    streams = streams_of(50)
    same = streams.copy()
    drawn = draw_below(streams, 7)
    assert drawn.tolist() == [below(same, i, 7) for i in range(50)]
    assert streams.tolist() == same.tolist()


def test_each_game_may_have_its_own_limit() -> None:
    limits = np.arange(1, 51)
    drawn = draw_below(streams_of(50), limits)
    assert drawn.dtype == np.int64
    assert ((drawn >= 0) & (drawn < limits)).all()
    assert drawn[0] == 0


def test_all_numbers_are_equally_likely() -> None:
    """Chi-squared with 5 degrees of freedom; 0.1 % is at 20.5."""
    counts = np.bincount(draw_below(streams_of(60_000), 6), minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 20.5


def test_no_games_draw_nothing() -> None:
    assert draw_below(np.zeros(0, np.uint64), 6).tolist() == []


@pytest.mark.parametrize("limits", [0, -1, 2**32, 1.5, [1, 2], [1, 0, 2], "six"])
def test_limits_that_cannot_be_are_refused(limits: Any) -> None:
    streams = streams_of(3)
    before = streams.tolist()
    with pytest.raises(InvalidOptionError):
        draw_below(streams, limits)
    assert streams.tolist() == before


def test_other_numbers_are_no_streams() -> None:
    with pytest.raises(InvalidOptionError, match="uint64"):
        draw_below(np.zeros(3), 6)  # type: ignore[arg-type]
