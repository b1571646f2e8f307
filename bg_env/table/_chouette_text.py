"""A chouette as text: the board, and the seats with cubes and scores."""

from __future__ import annotations

from typing import Final

from bg_env.rendering.ansi import Home, render
from bg_env.rules.game import GameState
from bg_env.table._chouette_game import Chouette

_NAME_WIDTH: Final = 24


def render_chouette(
    chouette: Chouette, *, viewer: int | None = None, home: Home = "right"
) -> str:
    """Draw board and seats, at most 78 columns wide.

    X is the box, O the team. The cube beside the board is that of the captain.

    Args:
        chouette: The game.
        viewer: The player whose side is at the bottom; None = the captain's.
        home: Where that side's home board is, as in `bg_env.rendering.render`.
    """
    side = int(viewer is None or viewer != chouette.box)
    box, captain = chouette.names[chouette.box], chouette.names[chouette.captain]
    board = render(_shown(chouette), viewer=side, home=home, names=(box, captain))
    seats = [_seat(chouette, player) for player in (chouette.box, *chouette.line)]
    return "\n".join([board, *seats, _awaited(chouette)])


def _shown(chouette: Chouette) -> GameState:
    """The game to draw: the captain's, or the board alone once he is out."""
    captain = chouette.captain
    is_in = chouette.is_over or captain in chouette.members_in
    game = chouette.game_of(captain if is_in else chouette.box)
    scores = chouette.scores
    game.record["score"] = (scores[chouette.box], scores[captain])
    return game


def _seat(chouette: Chouette, player: int) -> str:
    """One line about a player: seat, name, whether he is in, cube, score."""
    name = chouette.names[player][:_NAME_WIDTH]
    role, cube = "box", ""
    if player != chouette.box:
        role = "captain" if player == chouette.captain else "line"
        value, owner = chouette.cube_of(player)
        is_in = player in chouette.members_in
        cube = f"cube {value} {owner}" if is_in else "out"
        if not chouette.rules.cube:
            cube = "" if is_in else "out"
    row = f"{role:<7}  {name:<{_NAME_WIDTH}}  {chouette.scores[player]:+5d}  {cube}"
    return row.rstrip()


def _awaited(chouette: Chouette) -> str:
    if chouette.is_over:
        return f"game {chouette.game} is over: {chouette.result.winner} wins"
    asked = chouette.asked[0]
    name = chouette.names[asked.player][:_NAME_WIDTH]
    about = ""
    if chouette.own_cubes and chouette.stage in ("doubling", "answering"):
        member = chouette.names[asked.members[0]][:_NAME_WIDTH]
        about = f", cube of {member}"
    return f"{chouette.stage}: asked is {name}{about}"
