"""`Chouette`: three and more players, one in the box against a team (R30–R35)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules._random import below
from bg_env.rules.decisions import DECISIONS, PASS, ROLL, decision_name
from bg_env.rules.game import GameState, queue_dice
from bg_env.rules.options import Rules
from bg_env.table import _chouette_rules as transitions
from bg_env.table._chouette_setup import (
    checked_code,
    checked_names,
    checked_order,
    checked_rules,
    streams_of,
)
from bg_env.table._chouette_sheet import GameRow
from bg_env.table._chouette_state import (
    ChouetteState,
    Payment,
    Question,
    Stage,
    record_asked,
)

_LEVELS: Final = ("", "single", "gammon", "backgammon")


class ChouetteEvent(NamedTuple):
    """One decision of a game of the chouette."""

    player: int
    decision: int
    members: tuple[int, ...]
    """The members in whose games it counted."""
    dice: tuple[int, int] | None
    """The roll that came of it."""


class Chouette:
    """Several players at one board, over the records and kernels of the game of two.

    One player is in the *box* and plays against all others, the *line*; its first
    member still in the game is the *captain*, who moves for the team. Players are 0,
    1, 2 … for the whole session; `names` are for people.

    >>> chouette = Chouette(["Ann", "Bob", "Cat", "Dan"], seed=3)
    >>> chouette.box, chouette.line, chouette.captain
    (1, (2, 0, 3), 2)
    >>> chouette.apply(chouette.to_act, ROLL)
    >>> chouette.stage, sum(chouette.scores)
    ('moving', 0)
    """

    def __init__(
        self,
        players: int | Sequence[str] = 4,
        *,
        rules: Rules | str | None = None,
        own_cubes: bool = False,
        seed: int = 0,
        order: Sequence[int] | None = None,
    ) -> None:
        """Seat the players for the first game.

        Args:
            players: How many, or their names; three or more.
            rules: A `Rules` or the name of a preset: money play, without beavers,
                resigning and clock.
            own_cubes: Each member has a cube of his own with the box (R35).
            seed: Fixes all dice, and what agents draw.
            order: The player in the box, then the line; None: they roll for it (R30).

        Raises:
            InvalidOptionError: Fewer than three players, or values that cannot be.
            UnknownNameError: No preset of that name.
        """
        self.names = checked_names(players)
        self.rules = checked_rules(rules, own_cubes)
        self.order_throws: list[tuple[int, int]] = []
        """The dice rolled for the seats: (player, die), as they were rolled."""
        self.history: list[ChouetteEvent] = []
        """The decisions of this game."""
        self.advice: list[tuple[int, str]] = []
        """What members have advised on the present decision: (player, text)."""
        dice, choices = streams_of(seed)
        if order is None:
            seats = transitions.roll_order(
                range(len(self.names)), lambda player: self._seat_die(player, dice)
            )
        else:
            seats = checked_order(order, len(self.names))
        self._state = transitions.first_game(
            seats, self.rules, own_cubes, dice, choices
        )
        self._first_line = self._state.line

    def _seat_die(self, player: int, dice: NDArray[np.uint64]) -> int:
        die = int(below(dice, 0, 6)) + 1
        self.order_throws.append((player, die))
        return die

    # --- what it is -----------------------------------------------------------

    @property
    def own_cubes(self) -> bool:
        """Whether each member has a cube of his own (R35)."""
        return self._state.own_cubes

    @property
    def box(self) -> int:
        """The player in the box."""
        return self._state.box

    @property
    def line(self) -> tuple[int, ...]:
        """All others, in order, also those who are out of this game."""
        return self._state.line

    @property
    def captain(self) -> int:
        """Who moves for the team: the first in line who is still in (R31, R32).

        While a double is being answered: who was captain when it was offered.
        """
        return self._state.captain

    @property
    def members_in(self) -> tuple[int, ...]:
        """The members still in this game, in line order."""
        return self._state.members_in

    @property
    def stage(self) -> Stage:
        """What is awaited: rolling, doubling, answering, moving, or over."""
        return self._state.stage

    @property
    def to_act(self) -> int | None:
        """The player who is asked now; None when the game is over."""
        asked = self._state.asked
        return asked[0].player if asked else None

    @property
    def asked(self) -> tuple[Question, ...]:
        """All decisions awaited now, in order; the first one is asked.

        Others follow where several have to vote or to answer.
        """
        return self._state.asked

    @property
    def is_over(self) -> bool:
        """True when this game is over."""
        return self._state.stage == "over"

    @property
    def team_won(self) -> bool | None:
        """Whether the team has won this game; None while it goes on."""
        return self._state.team_won

    @property
    def game(self) -> int:
        """Number of this game; the first is 1."""
        return self._state.game

    @property
    def turn(self) -> int:
        """Turns begun in this game; the first is 1."""
        return int(self._state.table()["turn"][0])

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of every player over all games; they add up to 0 (R33)."""
        return self._state.scores

    @property
    def payments(self) -> tuple[Payment, ...]:
        """What has been paid in this game, in order (R33)."""
        return self._state.payments

    @property
    def next_order(self) -> tuple[int, ...]:
        """Box and line of the next game (R34).

        Raises:
            IllegalActionError: This game is not over.
        """
        self._check_over("The seats of the next game")
        return transitions.next_order(self._state)

    def cube_of(self, member: int) -> tuple[int, str]:
        """Value of a member's cube, and who owns it: middle, box or team.

        While he is offered a double: the value before it. With one cube, all members
        still in have the same.
        """
        state = self.game_of(member)
        owner = ("box", "team")[state.cube_owner] if state.cube_owner in (0, 1) else ""
        return state.cube, owner or "middle"

    def game_of(self, member: int) -> GameState:
        """A member's game with the box, as a copy: 0 is the box, 1 the member.

        For the player in the box it is the board alone, without a cube.
        """
        self._check_player(member)
        return GameState(self._state.records[member : member + 1].copy(), self.rules)

    def state_asked(self) -> GameState:
        """The game of two in which the present question is asked, as a copy.

        Raises:
            IllegalActionError: This game is over.
        """
        self._check_running()
        return GameState(record_asked(self._state), self.rules)

    @property
    def state(self) -> ChouetteState:
        """Everything as one value, no copy; not to be changed."""
        return self._state

    @property
    def choice_stream(self) -> NDArray[np.uint64]:
        """uint64[1]: what agents draw from, advanced in place."""
        return self._state.choices

    # --- what may happen ----------------------------------------------------------

    def legal_decisions(self, player: int) -> list[int]:
        """What a player may decide now, ascending; nothing if he is not asked."""
        return np.flatnonzero(self.legal_mask(player)).tolist()

    def legal_mask(self, player: int) -> NDArray[np.int8]:
        """The same as a new int8[162]."""
        self._check_player(player)
        if player != self.to_act:
            return np.zeros(DECISIONS, np.int8)
        return self._state.legal_mask()

    def apply(self, player: int, decision: int) -> None:
        """Carry out a decision of a player.

        Asked for a double, 151 (roll) says no and 152 (double) says yes: of the
        captain it is his proposal, of other members their vote (R32). The box with
        several cubes is asked about one after the other (R35).

        Raises:
            IllegalActionError: He is not asked now, or may not decide this; nothing
                has changed.
        """
        self._check_player(player)
        self._check_running()
        code = checked_code(decision)
        if player != self.to_act:
            raise IllegalActionError(self._not_asked(player, code))
        if not self._state.legal_mask()[code]:
            raise IllegalActionError(self._not_legal(player, code))
        members = self._state.asked[0].members
        had_dice = self.dice is not None
        self._state = transitions.apply(self._state, code)
        rolled = self.dice if code == ROLL and not had_dice else None
        self.history.append(ChouetteEvent(player, code, members, rolled))
        self.advice.clear()

    def play_forced(self) -> int:
        """Roll and pass while nothing else can be decided; how many times."""
        played = 0
        while (code := self.forced_decision()) is not None:
            self.apply(self._state.asked[0].player, code)
            played += 1
        return played

    def forced_decision(self) -> int | None:
        """The roll or pass that is all the player asked can decide, else None."""
        if self._state.stage not in ("rolling", "moving"):
            return None
        mask = self._state.legal_mask()
        for code in (ROLL, PASS):
            if mask[code]:
                return code
        return None

    def advise(self, player: int, text: str) -> None:
        """Let a member advise the team's present decision; without effect (R31).

        It stands in `advice` until the decision is made.

        Raises:
            IllegalActionError: He is in the box, out of this game or the one who
                decides, or the decision is not the team's.
        """
        self._check_player(player)
        self._check_running()
        if player not in self.advisers:
            raise IllegalActionError(
                f"Player {self._named(player)} cannot advise now: advice comes from "
                f"members still in this game on a decision of another member; "
                f"asked is player {self._named(self._state.asked[0].player)}."
            )
        self.advice.append((player, str(text)))

    @property
    def advisers(self) -> tuple[int, ...]:
        """The members who may advise the player asked (R31)."""
        if self.to_act in (None, self.box):
            return ()
        return tuple(m for m in self.members_in if m != self.to_act)

    # --- dice -----------------------------------------------------------------------

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll being played, None while there is none."""
        return GameState(self._state.table(), self.rules).dice

    def set_dice_queue(self, rolls: Iterable[tuple[int, int]]) -> None:
        """Fix the coming rolls (at most 256); after them the stream goes on.

        At the opening the first die is the box's, the second the captain's.

        Raises:
            InvalidOptionError: Not dice, or more than 256 rolls.
        """
        records = self._state.records
        throws = list(rolls)
        for player in range(len(self.names)):
            queue_dice(records[player : player + 1], throws)

    # --- games and copies -----------------------------------------------------------

    @property
    def result(self) -> GameRow:
        """What this finished game came to: a row of the score sheet.

        Raises:
            IllegalActionError: This game is not over.
        """
        self._check_over("A result")
        state = self._state
        changes = [0] * len(self.names)
        for payer, payee, points in state.payments:
            changes[payer] -= points
            changes[payee] += points
        return GameRow(
            game=state.game,
            box=state.box,
            line=self._first_line,
            captain=state.captain,
            winner="team" if state.team_won else "box",
            outcome=self._outcome(),
            changes=tuple(changes),
        )

    def _outcome(self) -> str:
        """single, gammon or backgammon on the board; dropped if nobody was left."""
        table = self._state.table()
        return _LEVELS[int(table["level"][0])] or "dropped"

    def next_game(self) -> None:
        """Take the seats of the next game (R34); everyone is in again.

        Raises:
            IllegalActionError: This game is not over.
        """
        self._check_over("The next game")
        self._state = transitions.next_game(self._state)
        self._first_line = self._state.line
        self.history = []

    def clone(self) -> Chouette:
        """An independent copy, streams included."""
        copy = object.__new__(Chouette)
        copy.__dict__.update(self.__dict__)
        copy._state = self._state.copy()
        copy.history = list(self.history)
        copy.advice = list(self.advice)
        copy.order_throws = list(self.order_throws)
        return copy

    def __repr__(self) -> str:
        line = " ".join(self.names[player] for player in self.line)
        return (
            f"<Chouette game {self.game}: box {self.names[self.box]}, line {line}, "
            f"{self.stage}, scores {self.scores}>"
        )

    # --- refusing ---------------------------------------------------------------------

    def _named(self, player: int) -> str:
        return f"{player} ({self.names[player]})"

    def _check_player(self, player: Any) -> None:
        whole = isinstance(player, int | np.integer) and not isinstance(player, bool)
        if not whole or not 0 <= player < len(self.names):
            raise InvalidOptionError(
                f"A player is a whole number of 0 to {len(self.names) - 1}, "
                f"not {player!r}."
            )

    def _check_running(self) -> None:
        if self.is_over:
            raise IllegalActionError(
                f"Game {self.game} is over; call next_game() to go on."
            )

    def _check_over(self, what: str) -> None:
        if not self.is_over:
            raise IllegalActionError(
                f"{what} must wait until game {self.game} is over; asked now is "
                f"player {self._named(self._state.asked[0].player)}."
            )

    def _not_asked(self, player: int, code: int) -> str:
        asked = self._named(self._state.asked[0].player)
        if player != self.box and player not in self.members_in:
            return (
                f"Player {self._named(player)} is out of this game, so "
                f"{decision_name(code)!r} is not his to decide; asked now is player "
                f"{asked}."
            )
        return (
            f"Player {self._named(player)} is not asked now, so "
            f"{decision_name(code)!r} must wait; asked is player {asked}."
        )

    def _not_legal(self, player: int, code: int) -> str:
        legal = self.legal_decisions(player)
        shown = ", ".join(f"{c} ({decision_name(c)})" for c in legal[:8])
        more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
        return (
            f"Decision {code!r} ({decision_name(code)}) is not legal for player "
            f"{self._named(player)} while {self.stage}; legal: {shown}{more}."
        )
