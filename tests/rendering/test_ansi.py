"""Text boards: exact pictures, both seats, both homes, and reading them back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bg_env._jit import DISABLED
from bg_env.errors import InvalidOptionError
from bg_env.rendering import render, render_position, status
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    CLAIM,
    DOUBLE,
    DROP,
    RESIGN_GAMMON,
    TAKE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position

BORDER_COLUMN = 7  # where the board begins, behind the cube
BEAVERS = Rules(beavers=3, resign="offer")
TWISTED = Position.from_points({6: 7, 25: 2, 13: 3}, {24: 2, 6: 12})
LAST = Position.from_points({1: 1}, {6: 15})

START = """\
       +13-14-15-16-17-18------19-20-21-22-23-24-+  O: player 1
       | X           O    |   | O              X |  pips 167, off 0
       | X           O    |   | O              X |  score 0
       | X           O    |   | O                |
       | X                |   | O                |
       | X                |   | O                |
  [64] |                  |BAR|                  |  money play, cube 1
       | O                |   | X                |
       | O                |   | X                |
       | O           X    |   | X                |
       | O           X    |   | X              O |  score 0
       | O           X    |   | X              O |  pips 167, off 0
       +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: player 0
       X to play 3-1"""

SEEN_BY_THE_OTHER_FROM_THE_LEFT = """\
       +24-23-22-21-20-19------18-17-16-15-14-13-+  X: Ann
       |                X |   |                O |  pips 120, off 1
       |                X |   |                O |  score 2
       |                X |   |                O |
       |                X |   |                  |
       |               12 |   |                  |
       |                  |BAR|                  |  match to 5, cube 2
       |                7 | O |                  |
       |                O | O |                  |
       |                O |   |                  |
       | X              O |   |                  |  score 0
   [2] | X              O |   |                  |  pips 131, off 3
       +-1--2--3--4--5--6-------7--8--9-10-11-12-+  O: Bob
       O to play 5-5"""

CRAWFORD_WITH_LINES = """\
       ┌13─14─15─16─17─18──────19─20─21─22─23─24─┐  ○: player 1
       │                  │   │ ○              ● │  pips 131, off 3
       │                  │   │ ○              ● │  score 4
       │                  │   │ ○                │  reserve 90 s
       │                  │ ○ │ ○                │
       │                  │ ○ │ 7                │
       │                  │BAR│                  │  match to 5, cube 1
       │                  │   │12                │  Crawford game
       │                  │   │ ●                │
       │ ○                │   │ ●                │  reserve 90 s
       │ ○                │   │ ●                │  score 3
       │ ○                │   │ ●                │  pips 120, off 1
       └12─11─10──9──8──7───────6──5──4──3──2──1─┘  ●: player 0
       ○ to roll"""

POSITION = """\
+13-14-15-16-17-18------19-20-21-22-23-24-+  O
| X                |   | O                |  pips 120, off 1
| X                |   | O                |
| X                |   | O                |
|                  |   | O                |
|                  |   |12                |
|                  |BAR|                  |
|                  | X | 7                |
|                  | X | X                |
|                  |   | X                |
|                  |   | X              O |
|                  |   | X              O |  pips 131, off 3
+12-11-10--9--8--7-------6--5--4--3--2--1-+  X"""


def test_the_start_is_drawn_as_people_know_it() -> None:
    """Points 13 to 24 above, 12 to 1 below; a cube of 1 shows 64 (R18)."""
    state = GameState.from_position(Position.start(), dice=(3, 1))
    assert render(state) == START


def test_the_other_seat_with_its_home_on_the_left() -> None:
    """R3: the viewer's home is at the bottom, left as an option; numbers are his."""
    state = GameState.from_position(
        TWISTED,
        on_roll=1,
        dice=(5, 5),
        cube=2,
        cube_owner=1,
        rules=Rules(match_length=5),
        score=(2, 0),
    )
    seen = render(state, viewer=1, home="left", names=("Ann", "Bob"))
    assert seen == SEEN_BY_THE_OTHER_FROM_THE_LEFT


def test_the_crawford_game_has_no_cube() -> None:
    """R26, R29: no cube is drawn; a clock is shown; lines and discs on demand."""
    rules = Rules(match_length=5, clock=Clock())
    state = GameState.from_position(TWISTED, on_roll=1, rules=rules, score=(3, 4))
    assert render(state, unicode=True) == CRAWFORD_WITH_LINES


def test_a_position_is_drawn_for_the_player_on_roll() -> None:
    """X is on roll, at the bottom."""
    assert render_position(TWISTED) == POSITION


# --- reading a board back --------------------------------------------------------


def _cell(line: str, column: int) -> str:
    return line[column : column + 3]


def _count(cells: list[str]) -> dict[str, int]:
    """Letter and number of a stack: five cells, the first checker first."""
    text = "".join(cells)
    number = re.search(r"\d+", text)
    letter = next((c for c in text if c in "XO"), "")
    return {letter: int(number[0]) if number else text.count(letter)} if letter else {}


def _read(text: str, column: int = BORDER_COLUMN) -> dict[str, list[int]]:
    """Counts by letter: places 0..25 in the numbers that are written on the board."""
    lines = [line[column:].ljust(43) for line in text.splitlines()[:13]]
    sides = {"X": [0] * 26, "O": [0] * 26}
    columns = [1 + 3 * i for i in range(6)] + [24 + 3 * i for i in range(6)]
    for edge, rows in ((0, range(1, 6)), (12, range(11, 6, -1))):
        for place in columns:
            point = int(_cell(lines[edge], place).strip("-"))
            stack = _count([_cell(lines[row], place) for row in rows])
            for letter, number in stack.items():
                sides[letter][point] = number
    for rows in (range(5, 0, -1), range(7, 12)):
        stack = _count([_cell(lines[row], 20) for row in rows])
        for letter, number in stack.items():
            sides[letter][25] = number
    tray = {line[45:46]: line for line in (lines[0], lines[12])}
    for letter, row in ((lines[0][45], 1), (lines[12][45], 11)):
        assert letter in tray
        off = re.search(r"off (\d+)", lines[row])
        assert off
        sides[letter][0] = int(off[1])
    return sides


def _owners_numbers(counts: list[int]) -> tuple[int, ...]:
    """The same counts with the points numbered from the other side."""
    return (counts[0], *counts[24:0:-1], counts[25])


def _random_position(rng: np.random.Generator) -> Position:
    points = rng.permutation(np.arange(1, 25))
    share = rng.integers(1, 12)
    sides = []
    for chosen in (points[:share], 25 - points[share : share + rng.integers(1, 12)]):
        places = [0, 25, *chosen.tolist()]
        weights = rng.dirichlet(np.full(len(places), 0.4))
        counts = np.zeros(26, int)
        counts[places] = rng.multinomial(14, weights)
        counts[places[-1]] += 1
        sides.append(tuple(counts.tolist()))
    return Position(*sides)


@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("home", ["right", "left"])
def test_boards_can_be_read_back(viewer: int, home: Any) -> None:
    """R3: display changes nothing; every checker is there, from both seats."""
    rng = np.random.default_rng(viewer)
    for number in range(20 if DISABLED else 150):
        position = _random_position(rng)
        on_roll = number % 2
        state = GameState.from_position(position, on_roll=on_roll)
        text = render(state, viewer=viewer, home=home)
        sides = _read(text)
        mine, theirs = ("X", "O") if viewer == 0 else ("O", "X")
        seen = Position(tuple(sides[mine]), _owners_numbers(sides[theirs]))
        assert seen == state.position_of(viewer)
        assert max(map(len, text.splitlines())) <= 78


@pytest.mark.parametrize("home", ["right", "left"])
def test_positions_can_be_read_back(home: Any) -> None:
    """Without a game around them too."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        position = _random_position(rng)
        sides = _read(render_position(position, home=home), column=0)
        assert Position(tuple(sides["X"]), _owners_numbers(sides["O"])) == position


def test_home_can_change_sides_after_every_game() -> None:
    """R3: alternate = right in the first game, left in the second."""
    state = GameState.from_position(LAST, dice=(6, 5))
    right = render(state, home="right")
    assert render(state, home="alternate") == right
    state.apply(move_code(1, 6))
    state.next_game()
    assert render(state, home="alternate") == render(state, home="left")
    assert render(state, home="alternate") != render(state, home="right")


def test_both_seats_show_the_same_letters() -> None:
    """X is player 0 for whoever looks."""
    state = GameState.from_position(TWISTED)
    mine, theirs = (_read(render(state, viewer=viewer)) for viewer in (0, 1))
    for letter in "XO":
        assert tuple(theirs[letter]) == _owners_numbers(mine[letter])


@pytest.mark.parametrize(
    ("owner", "viewer", "line"),
    [(None, 0, 6), (0, 0, 11), (1, 0, 1), (0, 1, 1), (1, 1, 11), (None, 1, 6)],
)
def test_the_cube_lies_on_its_owners_side(
    owner: int | None, viewer: int, line: int
) -> None:
    """In the middle, or at the edge of the player who may turn it."""
    state = GameState.from_position(Position.start(), cube=4, cube_owner=owner)
    lines = render(state, viewer=viewer).splitlines()
    assert [i for i, text in enumerate(lines) if "[4]" in text] == [line]


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        (Rules(), True),
        (Rules(cube=False), False),
        (Rules(match_length=1), False),
        (Rules(match_length=3), True),
    ],
)
def test_a_game_without_a_cube_shows_none(rules: Rules, shown: bool) -> None:
    """R18, R26."""
    assert ("[64]" in render(GameState.new(rules))) is shown


def test_huge_numbers_keep_the_width() -> None:
    """Long matches, long names, a cube without a limit."""
    with pytest.warns(UserWarning, match="odd"):
        rules = Rules(match_length=32766, max_cube=None, clock=Clock())
    state = GameState.from_position(
        Position.start(), rules=rules, cube=2**40, cube_owner=0, score=(32764, 12345)
    )
    text = render(state, names=("a very long name indeed, sir", "b" * 50))
    assert "[2^40]" in text
    assert "match to 32766, cube 2^40" in text
    assert max(map(len, text.splitlines())) <= 78


def test_colour_changes_nothing_but_the_colour() -> None:
    """Taking the terminal codes away gives the plain board."""
    state = GameState.from_position(TWISTED, dice=(6, 1))
    coloured = render(state, color=True)
    assert coloured != render(state)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(state)


def test_plain_boards_are_ascii() -> None:
    """Readable in every terminal."""
    assert render(GameState.from_position(TWISTED)).isascii()
    assert render_position(TWISTED).isascii()


# --- the line below ---------------------------------------------------------------


def _game(*codes: int, position: Position = LAST, **options: Any) -> GameState:
    state = GameState.from_position(position, **options)
    for code in codes:
        state.apply(code)
    return state


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (GameState.new(), "opening: both roll one die"),
        (_game(), "X to roll or double"),
        (_game(on_roll=1, rules=Rules(cube=False)), "O to roll"),
        (_game(cube=2, cube_owner=1), "X to roll"),
        (_game(dice=(6, 1)), "X to play 6-1"),
        (_game(dice=(1, 6)), "X to play 1-6"),
        (
            _game(move_code(6, 1), position=TWISTED.swapped(), dice=(6, 1), on_roll=1),
            "O to play 6-1, left 6",
        ),
        (
            _game(
                move_code(6, 1),
                position=TWISTED.swapped(),
                dice=(1, 1),
            ),
            "X to play 1-1, left 1 1 1",
        ),
        (_game(DOUBLE), "X doubles to 2, O answers"),
        (_game(DOUBLE, on_roll=1), "O doubles to 2, X answers"),
        (_game(DOUBLE, BEAVER, rules=BEAVERS), "O beavers to 4, X answers"),
        (_game(DOUBLE, BEAVER, BEAVER, rules=BEAVERS), "X raccoons to 8, O answers"),
        (
            _game(DOUBLE, BEAVER, BEAVER, BEAVER, rules=BEAVERS),
            "O turns the cube to 16, X answers",
        ),
        (_game(DOUBLE, TAKE), "X to roll"),
        (
            _game(RESIGN_GAMMON, rules=BEAVERS),
            "X offers to resign a gammon, O answers",
        ),
        (_game(DOUBLE, DROP), "O drops, X wins a single game: 1 point"),
        (
            _game(RESIGN_GAMMON, ACCEPT, rules=BEAVERS),
            "X resigns, O wins a gammon: 2 points",
        ),
        (_game(move_code(1, 6), dice=(6, 5)), "X wins a gammon: 2 points"),
        (
            _game(move_code(1, 6), dice=(6, 5), on_roll=1, rules=Rules(match_length=3)),
            "O wins a gammon: 2 points",
        ),
        (
            _game(move_code(1, 6), dice=(6, 5), rules=Rules(match_length=1)),
            "X wins a gammon: 2 points and the match",
        ),
    ],
)
def test_the_line_below_says_what_is_awaited(state: GameState, text: str) -> None:
    """Whose turn, the dice left, pending offers, results."""
    assert status(state) == text
    assert render(state).splitlines()[-1] == " " * BORDER_COLUMN + text


def test_a_win_on_time_is_named() -> None:
    """R29: the opponent's time is up."""
    state = GameState.from_position(LAST, rules=Rules(clock=Clock()))
    state.record["reserve"][0, 1] = 0
    state.apply(CLAIM)
    assert status(state) == "O is out of time, X wins a gammon: 2 points"


def test_finished_games_are_drawn_with_all_checkers_off() -> None:
    """The last position stays on the board."""
    state = _game(move_code(1, 6), dice=(6, 5))
    assert "off 15" in render(state).splitlines()[11]


@pytest.mark.parametrize("viewer", [2, -1, "white", None])
def test_viewers_that_are_no_players_are_refused(viewer: Any) -> None:
    """The message names the value."""
    with pytest.raises(InvalidOptionError, match="viewer is player 0 or 1"):
        render(GameState.new(), viewer=viewer)


def test_homes_that_do_not_exist_are_refused() -> None:
    """The message names the value."""
    with pytest.raises(InvalidOptionError, match="not 'top'"):
        render(GameState.new(), home="top")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="not 'top'"):
        render_position(LAST, home="top")  # type: ignore[arg-type]
