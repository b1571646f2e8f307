"""The state of a chouette: seats, who is asked what, and a two-player game per member.

A chouette is several games of two at one board: each member of the team plays one of
his own against the box. The records of these games get the same rolls and the same
moves; only their cubes differ. So every rule of a single game (R1–R23) is the one of
the kernels, and a chouette adds only who decides and who pays (R30–R35).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bg_env.rules._game import is_legal_at
from bg_env.rules.batch import States, legal_masks, new_states
from bg_env.rules.decisions import DOUBLE, DROP, ROLL, TAKE
from bg_env.rules.options import Rules
from bg_env.rules.state import CUBE_IN_USE, DOUBLED, OVER

Stage = Literal["rolling", "doubling", "answering", "moving", "over"]

STAGES: Final[tuple[Stage, ...]] = (
    "rolling",
    "doubling",
    "answering",
    "moving",
    "over",
)

# Players of every record.
BOX: Final = 0
MEMBER: Final = 1

_CODES: Final[dict[Stage, tuple[int, ...]]] = {
    "rolling": (ROLL,),
    "doubling": (ROLL, DOUBLE),
    "answering": (TAKE, DROP),
    "over": (),
}


class Question(NamedTuple):
    """One decision that is asked of somebody."""

    player: int
    """Who decides."""
    members: tuple[int, ...]
    """The members in whose games it counts, in line order."""


class Payment(NamedTuple):
    """Points that one player has paid another."""

    payer: int
    payee: int
    points: int


@dataclass(frozen=True)
class ChouetteState:
    """Everything a chouette is. A transition gives a new one with the same records.

    Attributes:
        rules: The rules of each game.
        own_cubes: Whether each member has a cube of his own (R35).
        records: ``STATE_DTYPE[N]``, by player. A member's record is his game: player
            0 of it is the box, player 1 the member. The record of the box is the
            board itself, without a cube: it goes on as long as anybody plays.
        box: The player in the box.
        line: The others, in order.
        captain: Who moves for the team. While a double is answered it is who was
            captain when it was offered, even if he has dropped.
        stage: What is awaited.
        asked: The decisions that are awaited, in order; the first one is next.
        scores: Points of each player over all games; they add up to 0.
        payments: The payments of this game.
        game: Number of this game; the first is 1.
        team_won: Whether the team has won this game; None while it goes on.
        choices: uint64[1], the stream that agents draw from.
    """

    rules: Rules
    own_cubes: bool
    records: States
    box: int
    line: tuple[int, ...]
    captain: int
    stage: Stage
    asked: tuple[Question, ...]
    scores: tuple[int, ...]
    payments: tuple[Payment, ...]
    game: int
    team_won: bool | None
    choices: NDArray[np.uint64]

    def copy(self) -> ChouetteState:
        """An independent copy."""
        return replace(self, records=self.records.copy(), choices=self.choices.copy())

    @property
    def members_in(self) -> tuple[int, ...]:
        """The members whose games are not settled, in line order."""
        phases = self.records["phase"].tolist()
        return tuple(member for member in self.line if phases[member] != OVER)

    @property
    def offered(self) -> tuple[int, ...]:
        """The members in whose games a double awaits an answer, in line order."""
        phases = self.records["phase"].tolist()
        return tuple(member for member in self.line if phases[member] == DOUBLED)

    @property
    def is_box_on_roll(self) -> bool:
        """True on the turn of the box."""
        return bool(self.records["on_roll"][self.box] == BOX)

    @property
    def roller(self) -> int:
        """Who rolls and moves on this turn (R31)."""
        return self.box if self.is_box_on_roll else self.captain

    def table(self) -> States:
        """The record of the board, ``STATE_DTYPE[1]``, no copy."""
        return self.records[self.box : self.box + 1]

    def may_double(self, member: int) -> bool:
        """True when whoever is on roll may double in this member's game (R18, R19)."""
        return bool(is_legal_at(self.records, member, DOUBLE))

    def legal_mask(self) -> NDArray[np.int8]:
        """What the player asked may decide: a new int8[162], zeros when over."""
        if self.stage == "moving":
            mask: NDArray[np.int8] = legal_masks(self.table())[0]
            return mask
        mask = np.zeros(162, np.int8)
        mask[list(_CODES[self.stage])] = 1
        return mask


def new_records(count: int, box: int, rules: Rules) -> States:
    """The records of a game before its opening roll: the box's without the cube."""
    records = new_states(count, rules)
    records["options"][box] &= ~np.uint32(CUBE_IN_USE)
    records["automatic_doubles"][box] = 0
    return records


def carry_over(before: States, after: States) -> None:
    """Let the dice of one record, stream and queue, go on in others. In place."""
    for name in ("dice_stream", "queue", "queue_next", "queue_length"):
        after[name] = before[name]


def record_asked(state: ChouetteState) -> NDArray[Any]:
    """The game of two in which the present question is asked: a copy, STATE_DTYPE[1].

    Its `to_act` is the side that decides. Of several members it is the first one's.
    """
    member = state.asked[0].members[0]
    record = state.records[member : member + 1].copy()
    record["choice_stream"] = state.choices
    return record
