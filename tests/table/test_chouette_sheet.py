"""Sessions and score sheets: who decides, what is written down, and in what form."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from chouette_play import RandomPlayer
from rich.console import Console

from bg_env.errors import (
    IllegalActionError,
    IllegalPlayError,
    InvalidNotationError,
    InvalidOptionError,
    UnknownNameError,
)
from bg_env.rules.decisions import DOUBLE, DROP, TAKE
from bg_env.table.chouette import (
    Chouette,
    ChouetteSession,
    GameRow,
    ScoreSheet,
    play_sessions,
)

NAMES = ("Ann", "Bob", "Cat")
ROW = GameRow(1, 2, (0, 1), 0, "team", "gammon", (2, 2, -4))
OTHER = GameRow(2, 0, (1, 2), 2, "box", "dropped", (3, -1, -2))


def sheet() -> ScoreSheet:
    """Two games of three players."""
    made = ScoreSheet(NAMES, own_cubes=True)
    made.add(ROW)
    made.add(OTHER)
    return made


def test_the_totals_are_the_sums_of_the_rows() -> None:
    """R33: and they add up to zero."""
    assert ScoreSheet(NAMES).totals == (0, 0, 0)
    assert sheet().totals == (5, 1, -6)


def test_the_table_has_a_row_for_each_game_and_the_totals() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(sheet().table())
    lines = capture.get().splitlines()
    assert "Chouette, own cubes" in lines[0]
    cells = [[cell.strip() for cell in line.strip("│┃ ").replace("┃", "│").split("│")]
             for line in lines if "│" in line or "┃" in line]  # fmt: skip
    assert cells == [
        ["game", "box", "captain", "won by", "Ann", "Bob", "Cat"],
        ["1", "Cat", "Ann", "team, gammon", "+2", "+2", "-4"],
        ["2", "Ann", "Cat", "box, dropped", "+3", "-1", "-2"],
        ["total", "", "", "", "+5", "+1", "-6"],
    ]


def test_json_says_everything_and_is_read_back() -> None:
    text = sheet().to_json()
    data = json.loads(text)
    assert (data["format"], data["version"]) == ("bg-env chouette", 1)
    assert data["players"] == list(NAMES)
    assert data["totals"] == [5, 1, -6]
    assert data["games"][0]["changes"] == [2, 2, -4]
    assert ScoreSheet.from_json(text) == sheet()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        sheet().to_json().replace('"version": 1', '"version": 2'),
        sheet().to_json().replace("bg-env chouette", "something else"),
        sheet().to_json().replace('"captain": 0', '"chief": 0'),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidNotationError, match="score sheet"):
        ScoreSheet.from_json(text)


def test_a_row_that_does_not_add_up_is_refused() -> None:
    """R33."""
    for changes in ((1, 1, 1), (1, -1)):
        row = GameRow(1, 2, (0, 1), 0, "team", "single", changes)
        with pytest.raises(InvalidOptionError, match="add up to 0"):
            sheet().add(row)
    text = sheet().to_json().replace("-4", "-5")
    with pytest.raises(InvalidOptionError, match="add up to 0"):
        ScoreSheet.from_json(text)


def test_agents_and_functions_sit_at_one_table() -> None:
    """R34: the sheet's rows follow the rotation of the seats."""
    session = ChouetteSession(
        ["random", RandomPlayer(1), RandomPlayer(2), "pubeval"],
        names=["Ann", "Bob", "Cat", "Dan"],
        seed=6,
    )
    rows = session.play(8).games
    assert [row.game for row in rows] == list(range(1, 9))
    assert session.chouette.game == 9
    for row, following in itertools.pairwise(rows):
        expected = row.captain if row.winner == "team" else row.box
        assert following.box == expected


def test_a_function_sees_everything() -> None:
    seen: list[tuple[str, int]] = []

    def watch(chouette: Chouette, player: int) -> int:
        assert player == chouette.to_act
        seen.append((chouette.stage, player))
        legal = chouette.legal_decisions(player)
        return next((code for code in (DOUBLE, DROP) if code in legal), legal[0])

    session = ChouetteSession([watch] * 3, seed=1)
    session.play(2)
    assert {stage for stage, _ in seen} == {"doubling", "answering", "moving"}
    assert {row.outcome for row in session.sheet.games} == {"dropped"}


class Wrong:
    """An agent that always takes, whatever is asked."""

    name = "wrong"

    def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Take."""
        return np.full(len(states), TAKE)


def test_an_illegal_decision_is_the_fault_of_who_made_it() -> None:
    session = ChouetteSession([Wrong()] * 3, seed=1)
    with pytest.raises(IllegalPlayError, match="'wrong' made an illegal decision"):
        session.play()
    session = ChouetteSession([lambda chouette, player: TAKE] * 3, seed=1)
    with pytest.raises(IllegalActionError, match="153"):
        session.play()


def test_what_cannot_be_a_session_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="three or more players, not 2"):
        ChouetteSession(["random"] * 2)
    with pytest.raises(InvalidOptionError, match="not 3"):
        ChouetteSession(["random", "random", 3])  # type: ignore[list-item]
    with pytest.raises(InvalidOptionError, match="an agent, its name, or a function"):
        ChouetteSession([Wrong] * 3)  # type: ignore[list-item]
    with pytest.raises(InvalidOptionError, match="3 players need as many names"):
        ChouetteSession(["random"] * 3, names=["Ann", "Bob"])
    with pytest.raises(UnknownNameError, match="gnubgg"):
        ChouetteSession(["random", "random", "gnubgg"])
    with pytest.raises(InvalidOptionError, match="not -1"):
        play_sessions([], -1)
