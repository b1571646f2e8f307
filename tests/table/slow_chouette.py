"""R30–R35 once more, told from the list of events of a finished game.

Nothing here looks at a record: cubes are counted from what was said, and the end of
the game on the board is given as the level that was won.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bg_env.rules.decisions import DOUBLE, DROP, ROLL, TAKE


class Ledger:
    """Cubes, payments and seats of one game, followed by its events."""

    def __init__(self, seats: Sequence[int], *, own_cubes: bool, jacoby: bool) -> None:
        self.box, *self.line = seats
        self.own_cubes, self.jacoby = own_cubes, jacoby
        self.members = list(self.line)  # still in
        self.cube = dict.fromkeys(self.line, 1)
        self.is_turned = dict.fromkeys(self.line, False)
        self.changes = dict.fromkeys(seats, 0)
        self.captain = self.line[0]
        self.yes: list[int] = []
        self.offers: list[int] = []

    def follow(self, events: Sequence[Any]) -> None:
        """Read events up to the end of the game or the last move."""
        for event in events:
            if event.decision == DOUBLE:
                self.double(event)
            elif event.decision == ROLL:
                self.yes = []
            elif event.decision in (TAKE, DROP):
                self.answer(event)

    def double(self, event: Any) -> None:
        """A proposal, vote or offer."""
        self.yes.append(event.player)
        if event.player == self.box:
            self.offers += event.members
        elif self.own_cubes:
            self.offers.append(event.player)
        elif len(self.yes) == len(self.members):
            self.offers = list(self.members)

    def answer(self, event: Any) -> None:
        """A take or drop of one member, or of the box."""
        by_box = event.player == self.box
        for member in event.members if by_box else [event.player]:
            self.offers.remove(member)
            if event.decision == TAKE:
                self.cube[member] *= 2
                self.is_turned[member] = True
                continue
            self.pay(member, self.cube[member] * (1 if by_box else -1))
            self.members.remove(member)
            if member == self.captain and not by_box:
                self.line.remove(member)
                self.line.append(member)
        if not self.offers:
            self.yes = []
            if self.members:
                self.captain = next(m for m in self.line if m in self.members)

    def pay(self, member: int, points: int) -> None:
        """The box pays a member; a negative number the other way round."""
        self.changes[member] += points
        self.changes[self.box] -= points

    def end(self, level: int, *, team_won: bool) -> list[int]:
        """Settle with who is left; the seats of the next game.

        Args:
            level: 1, 2 or 3 on the board; 0 = nobody was left.
            team_won: Whether the team has won.
        """
        assert bool(level) == bool(self.members)
        for member in self.members:
            counts = self.is_turned[member] or not self.jacoby
            points = self.cube[member] * (level if counts else 1)
            self.pay(member, points if team_won else -points)
        others = [member for member in self.line if member != self.captain]
        if team_won:
            return [self.captain, *others, self.box]
        return [self.box, *others, self.captain]
