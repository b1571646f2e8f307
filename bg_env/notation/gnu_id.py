"""A whole game as GNU Backgammon writes it: ``POSITIONID:MATCHID``.

GNU's player 1 is the one at the bottom of its board, X; in an XGID he is upper case.
So GNU's player 1 is player 0 here and GNU's player 0 is player 1. The position id is
seen by the player on roll: the opponent's checkers first, his own second.
"""

from __future__ import annotations

from typing import Final

from bg_env.errors import (
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
)
from bg_env.notation._limits import check_can_say, check_cube, check_double
from bg_env.notation.match_id import (
    GAME_DROPPED,
    GAME_OVER,
    GAME_RESIGNED,
    NO_GAME,
    PLAYING,
    MatchId,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules, quiet_rules
from bg_env.rules.position import Position
from bg_env.rules.state import DOUBLED

_HIGHEST_CUBE: Final = 4096  # GNU's own limit (R18)
_BEAVERS_PER_DOUBLE: Final = 3  # what GNU allows (R24)
_RACCOON: Final = 2

_NOT_PLAYING: Final = {
    NO_GAME: "no game has begun",
    GAME_OVER: "the game is over",
    GAME_RESIGNED: "the game was resigned",
    GAME_DROPPED: "the game ended by a drop",
}


def parse_gnu_id(text: str) -> GameState:
    """The game that ``POSITIONID:MATCHID`` describes; GNU's player 1 is player 0.

    The rules are GNU's: match length and Jacoby as the id says, a cube up to 4096,
    resigning by an offer; three beavers exactly if one is pending, as an id does not
    say whether they are allowed. After a beaver it does not say either who owned the
    cube before: the doubler if it was above 1, else nobody.

    Raises:
        InvalidNotationError: Not such a text, not a game in progress, or fields that
            contradict each other.
        InvalidPositionError: A board that cannot be.

    >>> parse_gnu_id("4HPwATDgc/ABMA:8ImlACAAIAAE").score
    (4, 2)
    """
    parts = text.strip().split(":") if isinstance(text, str) else []
    if len(parts) != 2:
        raise InvalidNotationError(
            f"A GNU id is a position id, a colon and a match id, not {text!r}."
        )
    position, match = Position.from_id(parts[0]), MatchId.parse(parts[1])
    try:
        return _state_of(position, match)
    except InvalidPositionError as error:
        raise InvalidPositionError(f"GNU id {text!r}: {error}") from None
    except (InvalidNotationError, InvalidOptionError) as error:
        raise InvalidNotationError(f"GNU id {text!r}: {error}") from None


def format_gnu_id(state: GameState) -> str:
    """``POSITIONID:MATCHID`` of a game; GNU's player 1 is player 0.

    The higher die comes first, as GNU writes it. Options that a match id has no field
    for are left out.

    Raises:
        InvalidNotationError: A state that a GNU id cannot say: the game is over, the
            opening roll not made, the roll half played, more than one raccoon
            pending, another number of checkers, a score above 32767, a cube above
            32768.

    >>> format_gnu_id(GameState.from_position(Position.start(), dice=(3, 1)))
    '4HPwATDgc/ABMA:cIkFAAAAAAAE'
    """
    check_can_say(state, "A GNU id")
    return f"{state.position.id}:{_match_id_of(state).text}"


def _other(player: int) -> int:
    """GNU's number of a player, or the player of GNU's number."""
    return 1 - player


# --- reading ---------------------------------------------------------------------


def _state_of(position: Position, match: MatchId) -> GameState:
    _check_decision(match)
    on_roll = _other(match.on_roll)
    beavers_made = _beavers_made(match)
    owner = None if match.cube_owner < 0 else _other(match.cube_owner)
    if beavers_made:
        owner = on_roll if match.cube >> beavers_made > 1 else None
    length, crawford = match.match_length, match.crawford
    check_cube(length, crawford, match.cube, owner)
    if match.doubled:
        others = owner == _other(on_roll)
        check_double(length, crawford, match.cube, _HIGHEST_CUBE, is_others=others)
    first, second = match.score
    state = GameState.from_position(
        position,
        rules=_rules_of(match, beavers_made),
        on_roll=on_roll,
        dice=match.dice if any(match.dice) else None,
        cube=match.cube,
        cube_owner=owner,
        score=(second, first),
        crawford=crawford,
        doubled=match.doubled,
        beavers_made=beavers_made,
    )
    if match.resigned:
        state.record["offer"] = match.resigned
        state.record["to_act"] = _other(on_roll)
    return state


def _rules_of(match: MatchId, beavers_made: int) -> Rules:
    return quiet_rules(
        match_length=match.match_length,
        jacoby=match.jacoby and not match.match_length,
        beavers=_BEAVERS_PER_DOUBLE if beavers_made else 0,
        max_cube=_HIGHEST_CUBE,
        resign="offer",
    )


def _check_decision(match: MatchId) -> None:
    """Refuse games that are not in progress and offers that nobody can answer."""
    if match.game_state != PLAYING:
        raise InvalidNotationError(
            f"{_NOT_PLAYING[match.game_state]}; only a game in progress can be read."
        )
    if match.doubled and match.resigned:
        raise InvalidNotationError(
            "a double and a resignation cannot both await an answer."
        )
    if match.resigned and match.turn == match.on_roll:
        raise InvalidNotationError(
            f"player {match.on_roll} has resigned, so it is not he who decides now."
        )
    if match.turn != match.on_roll and not (match.doubled or match.resigned):
        raise InvalidNotationError(
            f"player {match.turn} decides in the turn of player {match.on_roll}, "
            f"though nothing was offered."
        )


def _beavers_made(match: MatchId) -> int:
    """Beavers and raccoons of the pending double (R24).

    GNU gives the cube to the doubled player as soon as he beavers, so the owner and
    whose answer is awaited tell them apart.
    """
    if not match.doubled:
        return 0
    others = match.cube_owner == _other(match.on_roll)
    if match.turn == match.on_roll:
        if match.match_length or not others or match.cube < 2:
            raise InvalidNotationError(
                f"player {match.on_roll} answers his own double, though the cube "
                f"shows no beaver."
            )
        return 1
    could_be_raccoon = not match.match_length and match.cube >= 2**_RACCOON
    return _RACCOON if others and could_be_raccoon else 0


# --- writing ---------------------------------------------------------------------


def _match_id_of(state: GameState) -> MatchId:
    if state.beavers_made > _RACCOON:
        raise InvalidNotationError(
            f"A GNU id knows double, beaver and raccoon, not {state.beavers_made} "
            f"beavers and raccoons in a row."
        )
    owner = 1 - state.on_roll if state.beavers_made else state.cube_owner
    first, second = state.score
    high, low = sorted(state.dice or (0, 0), reverse=True)
    return MatchId(
        cube=state.cube,
        cube_owner=-1 if owner is None else _other(owner),
        on_roll=_other(state.on_roll),
        crawford=state.crawford,
        turn=_other(state.to_act),
        doubled=state.phase == DOUBLED,
        resigned=state.offer,
        dice=(high, low),
        match_length=state.match_length,
        score=(second, first),
        jacoby=state.rules.jacoby,
    )
