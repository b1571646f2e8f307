"""Match equity tables: the chance to win the match at each score."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bg_env.equity._kernels import chances_after, match_chance, match_chances
from bg_env.errors import InvalidOptionError, UnknownNameError

DEFAULT_TABLE: Final = "kazaross-xg2"

_FILES: Final = {DEFAULT_TABLE: "kazaross_xg2.json"}

# The shipped table was written from 32-bit floats: pre[i, j] + pre[j, i] misses 1
# by up to 3e-8. What is further off than this is not a match equity table.
TOLERANCE: Final = 1e-6


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Match-winning chances by score, without regard to whose turn it is. Frozen.

    Attributes:
        name: What it is called.
        pre: ``float64[N, N]``: chance of a player i + 1 points away against one
            j + 1 away, before the Crawford game and, where one of them is 1 away,
            in it. ``pre[i, j] + pre[j, i]`` is 1 within `TOLERANCE`.
        post_crawford_trailer: ``float64[N]``: chance of a player i + 1 points away
            against one who is 1 away, once the Crawford game is over.

    Raises:
        InvalidOptionError: Arrays of other shapes, a number that is no chance, or
            two that do not add up to 1.

    >>> load_table("kazaross-xg2").mwc(5, 5, crawford_over=False)
    0.5
    """

    name: str
    pre: NDArray[np.float64]
    post_crawford_trailer: NDArray[np.float64]

    def __post_init__(self) -> None:
        pre = _frozen_array(self.name, "pre", self.pre)
        post = _frozen_array(
            self.name, "post_crawford_trailer", self.post_crawford_trailer
        )
        _check_shapes(self.name, pre, post)
        _check_chances(self.name, pre, post)
        object.__setattr__(self, "pre", pre)
        object.__setattr__(self, "post_crawford_trailer", post)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.pre, self.post_crawford_trailer)

    @property
    def longest_match(self) -> int:
        """The longest match it covers, in points: N."""
        return int(self.pre.shape[0])

    def mwc(self, away_0: int, away_1: int, crawford_over: bool) -> float:
        """Chance to win the match of the player who is `away_0` points away.

        Args:
            away_0: Points he still needs; 0 or less = he has won the match.
            away_1: Points his opponent still needs.
            crawford_over: The Crawford game has been played (or the rule is off).
                It matters where a player is 1 away; the Crawford game itself has
                False.

        Raises:
            InvalidOptionError: A score beyond the table, or both have won.
        """
        self._check_score(away_0, away_1)
        chance = match_chance(
            self.pre,
            self.post_crawford_trailer,
            int(away_0),
            int(away_1),
            bool(crawford_over),
        )
        return float(chance)

    def mwc_array(
        self, away_0: ArrayLike, away_1: ArrayLike, crawford_over: ArrayLike
    ) -> NDArray[np.float64]:
        """`mwc` of many scores at once; the arguments broadcast.

        Raises:
            InvalidOptionError: As `mwc`, naming the first such score.
        """
        first, second, over = np.broadcast_arrays(
            np.asarray(away_0, np.int64),
            np.asarray(away_1, np.int64),
            np.asarray(crawford_over, np.bool_),
        )
        self._check_scores(first, second)
        out = np.empty(first.size, np.float64)
        match_chances(
            self.pre,
            self.post_crawford_trailer,
            np.ascontiguousarray(first).reshape(-1),
            np.ascontiguousarray(second).reshape(-1),
            np.ascontiguousarray(over).reshape(-1),
            out,
        )
        return out.reshape(first.shape)

    def check_match_length(self, match_length: int) -> None:
        """Refuse money play and matches longer than the table.

        Raises:
            InvalidOptionError: Such a match length.
        """
        if match_length <= 0:
            raise InvalidOptionError(
                f"Match equity needs a match; match_length is {match_length!r}."
            )
        if match_length > self.longest_match:
            raise InvalidOptionError(
                f"A match to {match_length!r} is longer than match equity table "
                f"{self.name!r} covers; its limit is {self.longest_match} points."
            )

    def _check_score(self, away_0: int, away_1: int) -> None:
        if away_0 <= 0 and away_1 <= 0:
            raise InvalidOptionError(
                f"Both players cannot have won the match: away_0={away_0!r}, "
                f"away_1={away_1!r}."
            )
        if min(away_0, away_1) > 0:
            self.check_match_length(max(away_0, away_1))

    def _check_scores(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        low, high = np.minimum(first, second), np.maximum(first, second)
        wrong = (high <= 0) | ((low > 0) & (high > self.longest_match))
        if wrong.any():
            index = tuple(np.argwhere(wrong)[0])
            self._check_score(int(first[index]), int(second[index]))


def state_mwc(states: NDArray[Any], table: MatchEquityTable) -> NDArray[np.float64]:
    """Match-winning chance of player 0 in each game, from the score alone.

    Of a finished game: at the start of the next one, with the points just won. Of
    an unfinished one: at its own start. A player who is 1 away has the numbers of
    the Crawford game if that game is (next) to be played, those after it otherwise
    (also with the Crawford rule off).

    Args:
        states: ``STATE_DTYPE[B]``; games of a match.
        table: Which table.

    Returns:
        ``float64[B]``.

    Raises:
        InvalidOptionError: Money play, or a match longer than the table.
    """
    lengths = states["match_length"]
    if len(lengths):
        table.check_match_length(int(lengths.min()))
        table.check_match_length(int(lengths.max()))
    out = np.empty(len(states), np.float64)
    chances_after(table.pre, table.post_crawford_trailer, states, out)
    return out


def table_names() -> tuple[str, ...]:
    """The names `load_table` knows, sorted."""
    return tuple(sorted(_FILES))


def load_table(name: str | os.PathLike[str] = DEFAULT_TABLE) -> MatchEquityTable:
    """A match equity table by name, or from a file of your own.

    Args:
        name: One of `table_names`, or the path of a JSON file with the keys ``pre``
            (N lists of N chances) and ``post_crawford_trailer`` (N chances), and
            perhaps ``name``. A text counts as a path if it ends in ``.json``.

    Raises:
        UnknownNameError: No such name.
        InvalidOptionError: A file that cannot be read or is damaged.
    """
    if isinstance(name, str) and name in _FILES:
        return _shipped_table(name)
    if isinstance(name, os.PathLike) or str(name).endswith(".json"):
        return _table_of_file(Path(name))
    raise UnknownNameError.of("match equity table", name, _FILES)


@functools.cache
def _shipped_table(name: str) -> MatchEquityTable:
    file = resources.files("bg_env.equity") / "data" / _FILES[name]
    return _table_of_text(name, file.read_text(encoding="utf-8"))


def _table_of_file(path: Path) -> MatchEquityTable:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOptionError(
            f"Match equity table {str(path)!r} cannot be read: {error}."
        ) from error
    return _table_of_text(path.stem, text)


def _table_of_text(name: str, text: str) -> MatchEquityTable:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidOptionError(
            f"Match equity table {name!r} is not JSON: {error}."
        ) from error
    if not isinstance(content, dict):
        raise InvalidOptionError(
            f"Match equity table {name!r} needs an object with 'pre' and "
            f"'post_crawford_trailer', not {type(content).__name__}."
        )
    for key in ("pre", "post_crawford_trailer"):
        if key not in content:
            raise InvalidOptionError(f"Match equity table {name!r} lacks {key!r}.")
    return MatchEquityTable(
        name=str(content.get("name", name)),
        pre=content["pre"],
        post_crawford_trailer=content["post_crawford_trailer"],
    )


def _frozen_array(name: str, key: str, values: Any) -> NDArray[np.float64]:
    """A read-only copy; ragged lists and texts are refused."""
    try:
        array = np.array(values, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(
            f"Match equity table {name!r}: {key!r} is not an array of numbers: {error}."
        ) from error
    array.setflags(write=False)
    return array


def _check_shapes(
    name: str, pre: NDArray[np.float64], post: NDArray[np.float64]
) -> None:
    size = pre.shape[0] if pre.ndim else 0
    if pre.shape != (size, size) or post.shape != (size,) or size == 0:
        raise InvalidOptionError(
            f"Match equity table {name!r} needs 'pre' of N x N and "
            f"'post_crawford_trailer' of N numbers, not {pre.shape!r} and "
            f"{post.shape!r}."
        )


def _check_chances(
    name: str, pre: NDArray[np.float64], post: NDArray[np.float64]
) -> None:
    for key, values in (("pre", pre), ("post_crawford_trailer", post)):
        wrong = ~((values >= 0.0) & (values <= 1.0))  # NaN is wrong too
        if wrong.any():
            place = np.argwhere(wrong)[0].tolist()
            raise InvalidOptionError(
                f"Match equity table {name!r}: {key}{place} is "
                f"{float(values[tuple(place)])!r}; a chance is 0 to 1."
            )
    miss = np.abs(pre + pre.T - 1.0)
    if miss.max() > TOLERANCE:
        i, j = (int(index) for index in np.unravel_index(miss.argmax(), miss.shape))
        raise InvalidOptionError(
            f"Match equity table {name!r}: pre[{i}, {j}] and pre[{j}, {i}] are "
            f"{float(pre[i, j])!r} and {float(pre[j, i])!r}; they must add up to 1."
        )
    if abs(float(post[0]) - 0.5) > TOLERANCE:
        raise InvalidOptionError(
            f"Match equity table {name!r}: post_crawford_trailer[0] is "
            f"{float(post[0])!r}; with both players 1 away it is 0.5."
        )
