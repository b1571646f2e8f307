"""A live clock for people: it measures what the rules count (R29).

The rules know how time is taken from a turn and a reserve; they are told how much has
passed. `TableClock` says how much, by any source of time.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Final

from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.rules.options import Clock, Rules

CLOCK_PRESETS: Final = ("timed", "us-tournament")

_LONGEST: Final = 1_000_000.0  # seconds; the most that the rules take at once


class TableClock:
    """A stopwatch that gives away whole milliseconds and keeps the rest.

    >>> seconds = iter([0.0, 4.5, 4.5, 4.5])
    >>> clock = TableClock(lambda: next(seconds))
    >>> clock.elapsed, clock.take()
    (4.5, 4.5)
    >>> clock.elapsed
    0.0
    """

    def __init__(
        self,
        time_source: Callable[[], float] = time.monotonic,
        *,
        elapsed: float = 0.0,
    ) -> None:
        """Begin to run.

        Args:
            time_source: Gives seconds that never fall; any zero.
            elapsed: Seconds that have passed already.

        Raises:
            InvalidOptionError: No source of time.
        """
        if not callable(time_source):
            raise InvalidOptionError(
                f"A time source is a function that returns seconds, such as "
                f"time.monotonic, not {time_source!r}."
            )
        self._source = time_source
        self._passed = elapsed
        self._since: float | None = self._source()

    @property
    def is_running(self) -> bool:
        """False while paused."""
        return self._since is not None

    @property
    def elapsed(self) -> float:
        """Seconds since time was last taken, pauses left out, in whole milliseconds."""
        passed = self._passed
        if self._since is not None:
            passed += self._source() - self._since
        return int(min(max(passed, 0.0), _LONGEST) * 1000 + 1e-6) / 1000

    def take(self) -> float:
        """Seconds elapsed, which from now on are counted no more."""
        taken = self.elapsed
        self.forget(taken)
        return taken

    def forget(self, seconds: float) -> None:
        """Count these seconds no more; they belong to a decision that was made."""
        self._passed -= seconds

    def restart(self) -> None:
        """Begin again at zero; a paused clock stays paused."""
        self._passed = 0.0
        if self._since is not None:
            self._since = self._source()

    def pause(self) -> None:
        """Stop; pausing twice does nothing more."""
        if self._since is not None:
            self._passed += self._source() - self._since
            self._since = None

    def resume(self) -> None:
        """Go on after a pause."""
        if self._since is None:
            self._since = self._source()


def clock_preset(name: str, match_length: int = 7) -> Clock:
    """The times of a preset, for the rules of any game.

    Args:
        name: "timed" (sheet B: 11 s a turn, 90 s in reserve for each game, a claim
            wins a gammon) or "us-tournament" (12 s a turn, 2 minutes a point of the
            match, running out loses the match).
        match_length: Of the match, for "us-tournament".

    Raises:
        UnknownNameError: No clock of that name.
        InvalidOptionError: No such match.

    >>> clock_preset("us-tournament", 5).reserve_seconds
    600.0
    """
    if name not in CLOCK_PRESETS:
        raise UnknownNameError.of("clock", name, CLOCK_PRESETS)
    options = {"match_length": match_length} if name == "us-tournament" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an even length is no clock's
        clock = Rules.preset(name, **options).clock
    assert clock is not None  # both presets have one
    return clock
