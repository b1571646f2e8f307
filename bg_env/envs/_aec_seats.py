"""What a player of a chouette sees beside the board: seats, votes and cubes."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.table.chouette import BOX, MEMBER, STAGES, ChouetteState

_GLOBAL: Final = (
    "I am in the box",
    "I am captain",
    "I am a member still in this game",
    "I am asked",
)
_LAST: Final = "games still to come, as a share of the episode"
PLACE: Final = (
    "still in this game",
    "is captain",
    "is to be asked, now or later in this round",
    "the question now asked counts in his game",
    "a double in his game awaits an answer",
    "log2 of his cube / 10 (before a double that awaits an answer)",
    "the box owns his cube",
    "he (or the team) owns his cube",
    "a double was taken in his game",
)
_CUBE_TOP: Final = 4.0  # log2 of the highest cube of a record, / 10

Part = tuple[int, int, str]


def seats_layout(players: int) -> tuple[Part, ...]:
    """The index table of the seats: (start, stop, meaning), from 0."""
    places = players - 1
    meanings = [(1, meaning) for meaning in _GLOBAL]
    meanings.append((places, "my place in the line, one of as many as there are"))
    meanings.append((len(STAGES), f"what is awaited, one of: {', '.join(STAGES)}"))
    meanings.append((1, _LAST))
    for place in range(places):
        meanings += [(1, f"place {place + 1} of the line: {text}") for text in PLACE]
    table: list[Part] = []
    start = 0
    for size, meaning in meanings:
        table.append((start, start + size, meaning))
        start += size
    return tuple(table)


def seats_size(players: int) -> int:
    """How many numbers `write_seats` gives."""
    return seats_layout(players)[-1][1]


def seats_high(players: int) -> NDArray[np.float32]:
    """The highest value of each number, float32[size]; the lowest is 0."""
    high = np.ones(seats_size(players), np.float32)
    cube = PLACE.index(next(text for text in PLACE if text.startswith("log2")))
    first = seats_size(players) - len(PLACE) * (players - 1)
    high[first + cube :: len(PLACE)] = _CUBE_TOP
    return high


def write_seats(
    state: ChouetteState, player: int, games_left: float
) -> NDArray[np.float32]:
    """The seats as a player sees them: a new float32[size].

    Args:
        state: The chouette.
        player: Whose view it is.
        games_left: Games still to come, as a share of the episode.
    """
    own = [
        player == state.box,
        player == state.captain,
        player in state.members_in,
        bool(state.asked) and player == state.asked[0].player,
        *(player == member for member in state.line),
        *(state.stage == stage for stage in STAGES),
        games_left,
    ]
    return np.array([*own, *_places(state)], np.float32)


def _places(state: ChouetteState) -> list[float]:
    """Nine numbers for each place of the line, in line order."""
    about = state.asked[0].members if state.asked else ()
    to_ask = {question.player for question in state.asked}
    members_in, offered = state.members_in, state.offered
    numbers: list[float] = []
    for member in state.line:
        numbers += [
            member in members_in,
            member == state.captain,
            member in to_ask,
            member in about,
            member in offered,
            *_cube_of(state, member),
        ]
    return numbers


def _cube_of(state: ChouetteState, member: int) -> tuple[float, bool, bool, bool]:
    """Value, whether box or member owns it, whether a double was taken."""
    record = state.records[member]
    owner = int(record["cube_owner"])
    value = math.log2(int(record["cube"])) / 10
    return value, owner == BOX, owner == MEMBER, int(record["cube_turned"]) != 0
