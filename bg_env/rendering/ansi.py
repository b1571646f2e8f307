"""Text boards, drawn the way GNU Backgammon draws them, at most 78 columns wide.

X is player 0, O is player 1, whoever looks. The viewer's home board is at the
bottom, on the right or on the left (R3), and the points have his numbers. A stack
of more than five shows its number in place of the fifth checker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from bg_env.errors import InvalidOptionError
from bg_env.rules.decisions import DOUBLE
from bg_env.rules.game import GameState
from bg_env.rules.position import Position
from bg_env.rules.state import (
    BAR,
    BEFORE_ROLL,
    CLAIMED,
    CRAWFORD_OVER,
    DOUBLED,
    DROPPED,
    OPENING,
    OVER,
    RESIGNED,
)

Home = Literal["right", "left", "alternate"]

LETTERS: Final = ("X", "O")
LEVELS: Final = ("", "a single game", "a gammon", "a backgammon")

_HEIGHT: Final = 5  # rows of checkers in each half
_CUBE_WIDTH: Final = 7
_TEXT_WIDTH: Final = 26
_CUBE_LINES: Final = {"theirs": 1, "middle": 6, "mine": 11}
_LARGEST_FACE: Final = 4096  # larger ones are written as powers of two
_COLOURS: Final = ("\x1b[1;33m", "\x1b[1;36m")
_PLAIN: Final = "\x1b[0m"


@dataclass(frozen=True)
class _Style:
    """The characters a board is drawn with."""

    checkers: tuple[str, str] = LETTERS
    wall: str = "|"
    edge: str = "-"
    corners: tuple[str, str, str, str] = ("+", "+", "+", "+")
    color: bool = False

    def checker(self, player: int) -> str:
        """One checker of a player; always one column wide."""
        symbol = self.checkers[player]
        return f"{_COLOURS[player]}{symbol}{_PLAIN}" if self.color else symbol


def _style_of(unicode: bool, color: bool) -> _Style:
    if unicode:
        return _Style(("●", "○"), "│", "─", ("┌", "┐", "└", "┘"), color)
    return _Style(color=color)


def render(
    state: GameState,
    *,
    viewer: int = 0,
    home: Home = "right",
    names: tuple[str, str] = ("player 0", "player 1"),
    unicode: bool = False,
    color: bool = False,
) -> str:
    """Draw a game as text: board, cube, score, dice, and what is awaited.

    Args:
        state: The game.
        viewer: The player who sits at the bottom.
        home: Where his home board is; "alternate" = on the right in the first, third
            … game of a match, on the left in the others (R3).
        names: What to call player 0 and player 1; too long ones are cut.
        unicode: Draw with lines and discs (● = player 0, ○ = player 1).
        color: Colour the checkers with terminal codes.

    Returns:
        Lines of at most 78 columns, without a newline at the end.

    Raises:
        InvalidOptionError: No such viewer or home.
    """
    if viewer not in (0, 1):
        raise InvalidOptionError(f"viewer is player 0 or 1, not {viewer!r}.")
    is_left = _is_home_left(home, int(state.record["game"][0]))
    style = _style_of(unicode, color)
    board = _board_lines(state.position_of(viewer), viewer, is_left, style)
    cubes = _cube_lines(state, viewer)
    texts = _text_lines(state, viewer, names, style)
    lines = [
        f"{cube:>{_CUBE_WIDTH - 1}} {row}  {text}".rstrip()
        for cube, row, text in zip(cubes, board, texts, strict=True)
    ]
    return "\n".join([*lines, f"{'':{_CUBE_WIDTH}}{status(state, style.checkers)}"])


def render_position(
    position: Position,
    *,
    home: Literal["right", "left"] = "right",
    unicode: bool = False,
    color: bool = False,
) -> str:
    """Draw the checkers alone: X is the player on roll, at the bottom.

    Args:
        position: The checkers.
        home: Where the home board of X is.
        unicode: Draw with lines and discs (● in place of X, ○ in place of O).
        color: Colour the checkers with terminal codes.

    Raises:
        InvalidOptionError: No such home.
    """
    style = _style_of(unicode, color)
    rows = _board_lines(position, 0, _is_home_left(home, 1), style)
    rows[1] += f"  {_checkers_text(position.swapped())}"
    rows[0] += f"  {style.checker(1)}"
    rows[-2] += f"  {_checkers_text(position)}"
    rows[-1] += f"  {style.checker(0)}"
    return "\n".join(rows)


def _is_home_left(home: Any, game: int) -> bool:
    if home not in ("right", "left", "alternate"):
        raise InvalidOptionError(
            f"home is 'right', 'left' or 'alternate', not {home!r}."
        )
    return bool(home == "left" or (home == "alternate" and game % 2 == 0))


# --- the board ---------------------------------------------------------------------


def _board_lines(
    position: Position, viewer: int, is_left: bool, style: _Style
) -> list[str]:
    """The 13 lines of the board, for the viewer whose position it is."""
    top, bottom = _points_in_order(is_left)
    columns = {
        point: _column(*_who_stands(position, viewer, point), style)
        for point in (*top, *bottom)
    }
    theirs = _column(position.opponent[BAR], 1 - viewer, style)
    mine = _column(position.mover[BAR], viewer, style)
    upper = [
        _row([columns[point][i] for point in top], theirs[_HEIGHT - 1 - i], style)
        for i in range(_HEIGHT)
    ]
    lower = [
        _row([columns[point][i] for point in bottom], mine[_HEIGHT - 1 - i], style)
        for i in reversed(range(_HEIGHT))
    ]
    middle = _row(["   "] * 12, "BAR", style)
    return [
        _edge(top, style, style.corners[:2]),
        *upper,
        middle,
        *lower,
        _edge(bottom, style, style.corners[2:]),
    ]


def _points_in_order(is_left: bool) -> tuple[list[int], list[int]]:
    """Points of the upper and of the lower edge, from left to right."""
    top, bottom = list(range(13, 25)), list(range(12, 0, -1))
    return (top[::-1], bottom[::-1]) if is_left else (top, bottom)


def _who_stands(position: Position, viewer: int, point: int) -> tuple[int, int]:
    """How many checkers stand on a point of the viewer's, and whose."""
    if position.mover[point]:
        return position.mover[point], viewer
    return position.opponent[BAR - point], 1 - viewer


def _column(count: int, player: int, style: _Style) -> list[str]:
    """A stack of checkers as five cells of three columns, the first one first."""
    cells = [
        f" {style.checker(player)} " if place < count else "   "
        for place in range(_HEIGHT)
    ]
    if count > _HEIGHT:
        cells[-1] = f"{count:>2} "
    return cells


def _row(cells: list[str], bar: str, style: _Style) -> str:
    wall = style.wall
    left, right = "".join(cells[:6]), "".join(cells[6:])
    return f"{wall}{left}{wall}{bar}{wall}{right}{wall}"


def _edge(points: list[int], style: _Style, corners: tuple[str, ...]) -> str:
    edge = style.edge
    cells = [f"{point:{edge}>2}{edge}" for point in points]
    left, right = "".join(cells[:6]), "".join(cells[6:])
    return f"{corners[0]}{left}{edge * 5}{right}{corners[1]}"


# --- beside the board ----------------------------------------------------------------


def _cube_lines(state: GameState, viewer: int) -> list[str]:
    """The cube on the line of its owner; none where a game is played without."""
    lines = [""] * (2 * _HEIGHT + 3)
    if state.rules.cube and not state.crawford and state.match_length != 1:
        owner = state.cube_owner
        place = "middle" if owner is None else "mine" if owner == viewer else "theirs"
        face = 64 if state.cube == 1 else state.cube  # R18: there is no 1 on it
        lines[_CUBE_LINES[place]] = f"[{_cube_text(face)}]"
    return lines


def _cube_text(value: int) -> str:
    return str(value) if value <= _LARGEST_FACE else f"2^{value.bit_length() - 1}"


def _text_lines(
    state: GameState, viewer: int, names: tuple[str, str], style: _Style
) -> list[str]:
    theirs = _player_lines(state, 1 - viewer, names, style)
    mine = _player_lines(state, viewer, names, style)
    game = [_game_text(state), _crawford_text(state)]
    return [*theirs, "", "", *game, "", *mine[::-1]]


def _player_lines(
    state: GameState, player: int, names: tuple[str, str], style: _Style
) -> list[str]:
    """Four lines about a player, the outermost first."""
    clock = f"reserve {state.reserve[player]:g} s" if state.rules.clock else ""
    return [
        f"{style.checker(player)}: {names[player][: _TEXT_WIDTH - 3]}",
        _checkers_text(state.position_of(player)),
        f"score {state.score[player]}",
        clock,
    ]


def _checkers_text(position: Position) -> str:
    return f"pips {position.pips[0]}, off {position.mover[0]}"


def _game_text(state: GameState) -> str:
    length = state.match_length
    kind = f"match to {length}" if length else "money play"
    return f"{kind}, cube {_cube_text(state.cube)}" if state.rules.cube else kind


def _crawford_text(state: GameState) -> str:
    if state.crawford:
        return "Crawford game"
    is_past = int(state.record["crawford"][0]) == CRAWFORD_OVER
    return "after the Crawford game" if is_past else ""


# --- what is awaited ------------------------------------------------------------------


def status(state: GameState, symbols: tuple[str, str] = LETTERS) -> str:
    """One line of text: whose turn it is, the dice, or how the game ended.

    Args:
        state: The game.
        symbols: What to call player 0 and player 1.
    """
    mover, actor = symbols[state.on_roll], symbols[state.to_act]
    phase = state.phase
    if phase == OVER:
        return _result_text(state, symbols)
    if state.offer:
        return f"{mover} offers to resign {LEVELS[state.offer]}, {actor} answers"
    if phase == OPENING:
        return "opening: both roll one die"
    if phase == DOUBLED:
        return f"{symbols[1 - state.to_act]} {_double_text(state)}, {actor} answers"
    if phase == BEFORE_ROLL:
        return f"{mover} to roll" + (" or double" if state.is_legal(DOUBLE) else "")
    return f"{mover} to play {_dice_text(state)}"


def _double_text(state: GameState) -> str:
    """How the cube was turned last, and to what (R20, R24)."""
    words = ("doubles", "beavers", "raccoons")
    word = words[state.beavers_made] if state.beavers_made < 3 else "turns the cube"
    return f"{word} to {_cube_text(2 * state.cube)}"


def _dice_text(state: GameState) -> str:
    first, second = state.dice or (0, 0)
    whole = 4 if first == second else 2
    if len(state.dice_left) == whole:
        return f"{first}-{second}"
    return f"{first}-{second}, left {' '.join(map(str, state.dice_left))}"


def _result_text(state: GameState, symbols: tuple[str, str]) -> str:
    winner = state.winner or 0
    loser = symbols[1 - winner]
    reasons = {
        DROPPED: f"{loser} drops, ",
        RESIGNED: f"{loser} resigns, ",
        CLAIMED: f"{loser} is out of time, ",
    }
    points = f"{state.points} point{'' if state.points == 1 else 's'}"
    text = (
        f"{reasons.get(state.ending, '')}{symbols[winner]} wins "
        f"{LEVELS[state.level]}: {points}"
    )
    is_last = state.match_length and state.is_match_over
    return f"{text} and the match" if is_last else text
