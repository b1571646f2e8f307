"""Match equity tables: values, symmetry, scores of states, damaged files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bg_env._jit import interpreted
from bg_env.equity import (
    MatchEquityTable,
    _kernels,
    load_table,
    state_mwc,
    table_names,
)
from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.rules.state import (
    BEFORE_ROLL,
    CRAWFORD_GAME,
    CRAWFORD_NOT_YET,
    CRAWFORD_OVER,
    CRAWFORD_RULE,
    CUBE_IN_USE,
    OVER,
    STATE_DTYPE,
)

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "met_kazaross_xg2.json"
TABLE = load_table("kazaross-xg2")


def _states(*rows: dict[str, Any]) -> np.ndarray:
    states = np.zeros(len(rows), STATE_DTYPE)
    states["options"] = CRAWFORD_RULE | CUBE_IN_USE
    states["phase"] = BEFORE_ROLL
    states["winner"] = -1
    for state, row in zip(states, rows, strict=True):
        for field, value in row.items():
            state[field] = value
    return states


def test_both_chances_of_a_score_add_up_to_one_case_79() -> None:
    """CASES 79: MWC(i, j) + MWC(j, i) = 1."""
    for crawford_over in (False, True):
        for i in range(1, 26):
            for j in range(1, 26):
                both = TABLE.mwc(i, j, crawford_over) + TABLE.mwc(j, i, crawford_over)
                assert both == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize(
    ("away_0", "away_1", "crawford_over", "chance"),
    [
        (5, 5, False, 0.5),
        (2, 1, True, 0.48803),  # gnubg's post-Crawford 2-away trailer
        (3, 1, True, 0.32264),
        (1, 2, True, 1 - 0.48803),
        (1, 2, False, 0.67736),  # the Crawford game
        (2, 1, False, 0.32264),
        (1, 1, False, 0.5),
        (1, 1, True, 0.5),
        (4, 2, True, TABLE.pre[3, 1]),  # nobody is 1 away: the flag says nothing
        (0, 3, False, 1.0),
        (-2, 3, True, 1.0),
        (3, 0, False, 0.0),
        (0, 40, False, 1.0),  # a match that is won needs no table
    ],
)
def test_a_score_has_the_chance_of_the_table(
    away_0: int, away_1: int, crawford_over: bool, chance: float
) -> None:
    """CASES 79: the values of a named table."""
    assert TABLE.mwc(away_0, away_1, crawford_over) == pytest.approx(chance, abs=1e-6)


def test_being_closer_is_never_worse() -> None:
    """Chances grow with every point won."""
    assert (np.diff(TABLE.pre, axis=0) < 0).all()
    assert (np.diff(TABLE.pre, axis=1) > 0).all()
    assert (np.diff(TABLE.post_crawford_trailer) < 0).all()


def test_the_array_form_equals_the_single_form() -> None:
    """One number at a time or all at once."""
    away_0, away_1 = np.meshgrid(np.arange(-1, 26), np.arange(1, 26))
    for over in (False, True):
        chances = TABLE.mwc_array(away_0, away_1, over)
        assert chances.shape == away_0.shape
        for index in np.ndindex(away_0.shape):
            single = TABLE.mwc(int(away_0[index]), int(away_1[index]), over)
            assert chances[index] == single


@pytest.mark.parametrize(
    ("away_0", "away_1", "words"),
    [
        (26, 3, "A match to 26 .* limit is 25"),
        (3, 40, "A match to 40 .* limit is 25"),
        (0, 0, "Both players cannot have won"),
        (-1, 0, "Both players cannot have won"),
    ],
)
def test_scores_beyond_the_table_are_refused(
    away_0: int, away_1: int, words: str
) -> None:
    """The message names the length and the limit."""
    with pytest.raises(InvalidOptionError, match=words):
        TABLE.mwc(away_0, away_1, crawford_over=False)
    with pytest.raises(InvalidOptionError, match=words):
        TABLE.mwc_array([2, away_0], [2, away_1], [False, False])


@pytest.mark.parametrize(
    ("state", "chance"),
    [
        # A match to 7; R26 says which game comes next.
        ({"score": (0, 0)}, 0.5),
        ({"score": (3, 5)}, TABLE.pre[3, 1]),
        ({"score": (6, 4), "crawford": CRAWFORD_GAME}, TABLE.pre[0, 2]),
        (
            {"score": (6, 4), "crawford": CRAWFORD_OVER},
            1 - TABLE.post_crawford_trailer[2],
        ),
        (
            {"score": (6, 4), "crawford": CRAWFORD_NOT_YET, "options": CUBE_IN_USE},
            1 - TABLE.post_crawford_trailer[2],
        ),
        # finished games: what follows
        (
            {"score": (6, 4), "crawford": CRAWFORD_NOT_YET, "phase": OVER},
            TABLE.pre[0, 2],
        ),
        (
            {"score": (6, 4), "crawford": CRAWFORD_GAME, "phase": OVER},
            1 - TABLE.post_crawford_trailer[2],
        ),
        (
            {"score": (4, 6), "crawford": CRAWFORD_OVER, "phase": OVER},
            TABLE.post_crawford_trailer[2],
        ),
        (
            {"score": (6, 4), "options": CUBE_IN_USE, "phase": OVER},
            1 - TABLE.post_crawford_trailer[2],
        ),
        ({"score": (6, 6), "crawford": CRAWFORD_GAME, "phase": OVER}, 0.5),
        ({"score": (7, 6), "phase": OVER}, 1.0),
        ({"score": (2, 9), "phase": OVER}, 0.0),
    ],
)
def test_a_state_has_the_chance_of_the_game_to_come(
    state: dict[str, Any], chance: float
) -> None:
    """R26: one Crawford game, then the numbers after it."""
    states = _states({"match_length": 7, **state})
    assert state_mwc(states, TABLE) == pytest.approx([chance], abs=1e-12)


@pytest.mark.parametrize("length", [0, 26])
def test_states_without_a_match_or_beyond_the_table_are_refused(length: int) -> None:
    """One such game in a batch is enough."""
    states = _states({"match_length": 7}, {"match_length": length})
    with pytest.raises(InvalidOptionError, match=f"{length}"):
        state_mwc(states, TABLE)


def test_no_states_have_no_chances() -> None:
    """An empty batch is a batch."""
    assert state_mwc(_states(), TABLE).shape == (0,)


def test_interpreted_and_compiled_chances_are_equal() -> None:
    """The kernel as plain Python gives the same numbers."""
    rng = np.random.default_rng(1)
    away_0, away_1 = rng.integers(1, 26, (2, 200))
    away_0[::10] = 0
    crawford_over = rng.random(200) < 0.5
    slow = np.empty(200)
    interpreted(_kernels.match_chances)(
        TABLE.pre, TABLE.post_crawford_trailer, away_0, away_1, crawford_over, slow
    )
    assert np.array_equal(slow, TABLE.mwc_array(away_0, away_1, crawford_over))


def test_tables_are_found_by_name() -> None:
    """Near misses are named."""
    assert table_names() == ("kazaross-xg2",)
    assert load_table() is load_table("kazaross-xg2")
    assert TABLE.longest_match == 25
    with pytest.raises(UnknownNameError, match="Did you mean 'kazaross-xg2'"):
        load_table("kazaross")


def test_a_table_cannot_be_changed() -> None:
    """All users share one table."""
    with pytest.raises(ValueError, match="read-only"):
        TABLE.pre[0, 0] = 1.0


def test_the_shipped_table_is_that_of_the_oracle() -> None:
    """Not a digit is lost."""
    if not ORACLE.exists():
        pytest.skip(f"the oracle corpus {ORACLE} is not there")
    content = json.loads(ORACLE.read_text())
    assert np.array_equal(TABLE.pre, content["pre"])
    assert np.array_equal(TABLE.post_crawford_trailer, content["post_crawford_trailer"])


def _content() -> dict[str, Any]:
    return {
        "name": "two points",
        "pre": [[0.5, 0.7], [0.3, 0.5]],
        "post_crawford_trailer": [0.5, 0.45],
    }


def test_a_table_of_ones_own_is_read_from_a_file(tmp_path: Path) -> None:
    """A path or a text ending in .json."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(_content()))
    for given in (path, str(path)):
        table = load_table(given)
        assert table.name == "two points"
        assert table.mwc(2, 1, crawford_over=True) == 0.45
        with pytest.raises(InvalidOptionError, match=r"'two points' .* limit is 2"):
            table.mwc(3, 1, crawford_over=False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pre": [[0.5, 0.7], [0.4, 0.5]]}, r"pre\[0, 1\] and pre\[1, 0\] .* add up"),
        ({"pre": [[0.5, 1.7], [-0.7, 0.5]]}, r"pre\[0, 1\] is 1.7; a chance is 0 to 1"),
        ({"pre": [[0.5, float("nan")], [0.3, 0.5]]}, r"pre\[0, 1\] is nan"),
        ({"pre": [[0.5, 0.7]]}, "N x N"),
        ({"pre": []}, "N x N"),
        ({"pre": 3}, "N x N"),
        ({"pre": [[0.5, 0.7], [0.3]]}, "'pre' is not an array of numbers"),
        ({"pre": "half"}, "'pre' is not an array of numbers"),
        ({"pre": None}, "N x N"),
        ({"post_crawford_trailer": [0.5]}, r"\(2, 2\) and \(1,\)"),
        ({"post_crawford_trailer": [0.4, 0.3]}, r"post_crawford_trailer\[0\] is 0.4"),
    ],
)
def test_damaged_tables_are_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    """The message names the table and the place."""
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps({**_content(), **change}))
    with pytest.raises(InvalidOptionError, match=words):
        load_table(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"{", "'damaged' is not JSON"),
        (b"", "'damaged' is not JSON"),
        (b"[1, 2]", "needs an object with 'pre'"),
        (b'{"pre": [[0.5]]}', "lacks 'post_crawford_trailer'"),
        (b'{"post_crawford_trailer": [0.5]}', "lacks 'pre'"),
        (b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_files_that_hold_no_table_are_refused(
    tmp_path: Path, text: bytes, words: str
) -> None:
    """Not JSON, no object, no arrays, no text."""
    path = tmp_path / "damaged.json"
    path.write_bytes(text)
    with pytest.raises(InvalidOptionError, match=words):
        load_table(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path is in the message."""
    with pytest.raises(InvalidOptionError, match=r"nowhere\.json' cannot be read"):
        load_table(tmp_path / "nowhere.json")


def test_a_table_survives_pickling() -> None:
    """Workers get a copy that cannot be changed either."""
    copy = pickle.loads(pickle.dumps(TABLE))
    assert np.array_equal(copy.pre, TABLE.pre)
    assert copy.name == TABLE.name
    assert not copy.pre.flags.writeable


def test_the_same_table_can_be_built_from_arrays() -> None:
    """Lists and arrays will do."""
    table = MatchEquityTable("mine", TABLE.pre, TABLE.post_crawford_trailer)
    assert table.mwc(4, 3, crawford_over=False) == TABLE.mwc(4, 3, crawford_over=False)
