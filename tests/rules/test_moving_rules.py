"""Rules R1, R2 and R7-R15, each sentence as a position: what may and may not be played.

In every example the mover has checkers on `mover`, the opponent on `opponent` (in the
opponent's own numbering: his point p is the mover's 25 - p). `may` are first moves that
are legal, `not_` first moves that are not, `ends` how many results there are.
"""

from dataclasses import dataclass, field

import pytest
from play_checks import check_masks_along_all_turns, check_plays

from bg_env.rules.movegen import Move, legal_moves, legal_plays
from bg_env.rules.position import Position


@dataclass(frozen=True)
class Example:
    """One sentence of the rules at work."""

    rule: str
    says: str
    mover: dict[int, int]
    opponent: dict[int, int]
    dice: tuple[int, int]
    may: list[tuple[int, int]] = field(default_factory=list)
    not_: list[tuple[int, int]] = field(default_factory=list)
    ends: int | None = None

    @property
    def position(self) -> Position:
        """The position seen by the mover."""
        return Position.from_points(self.mover, self.opponent)


def blocks(*points: int, also: int = 1) -> dict[int, int]:
    """Two opposing checkers on each of the *mover's* points, and one far away."""
    return {**{25 - point: 2 for point in points}, also: 1}


EXAMPLES = [
    Example("R2", "checkers only move forward", {12: 1}, blocks(), (3, 1),
            may=[(12, 3), (12, 1)], ends=1),
    Example("R2", "there is no limit on a stack", {7: 1, 6: 14}, blocks(), (1, 2),
            may=[(7, 1)]),
    Example("R7", "each die is a move of its own", {20: 1, 10: 1}, blocks(), (6, 5),
            may=[(20, 6), (20, 5), (10, 6), (10, 5)], ends=3),
    Example("R7", "both dice with one checker if a point between is open",
            {20: 1}, blocks(14), (6, 5), may=[(20, 5)], not_=[(20, 6)], ends=1),
    Example("R7", "there is no move of the sum", {20: 1}, blocks(14, 15), (6, 5),
            not_=[(20, 6), (20, 5)], ends=1),
    Example("R8", "a double is four moves in any distribution",
            {24: 1, 12: 1}, blocks(also=2), (2, 2), may=[(24, 2), (12, 2)], ends=5),
    Example("R9", "a checker may land on an empty point, its own and a blot",
            {10: 1, 9: 1}, {25 - 8: 1, 1: 1}, (2, 1),
            may=[(10, 1), (10, 2), (9, 1), (9, 2)]),
    Example("R9", "never on two or more opposing checkers",
            {10: 1, 13: 1}, blocks(9), (1, 1), not_=[(10, 1)], may=[(13, 1)]),
    Example("R9", "it may jump over them", {10: 1}, blocks(9, 8, 7, 6, 5), (6, 4),
            not_=[(10, 5)], may=[(10, 6)]),
    Example("R9", "not even in passing", {10: 1}, blocks(9, 8), (2, 1), ends=1,
            not_=[(10, 1), (10, 2)]),
    Example("R10", "hitting is never compulsory", {10: 1, 3: 1}, {25 - 8: 1, 1: 1},
            (2, 1), may=[(10, 1), (10, 2), (3, 1)]),
    Example("R11", "a move that spoils the other die is illegal",
            {11: 1, 4: 14}, {23: 3, 19: 4, 8: 4, 3: 4}, (4, 1),
            may=[(11, 4), (4, 1)], not_=[(11, 1)], ends=1),
    Example("R11", "either die but not both: the larger",
            {20: 1, 1: 14}, {25 - 13: 2, 25 - 17: 0, 3: 3}, (4, 3),
            may=[(20, 4)], not_=[(20, 3)], ends=1),
    Example("R11", "only one of them: that one", {10: 1}, blocks(4, 1), (6, 3),
            may=[(10, 3)], not_=[(10, 6)], ends=1),
    Example("R11", "of a double as many as possible", {20: 1, 19: 1},
            blocks(8, 7), (6, 6), may=[(20, 6), (19, 6)], ends=1),
    Example("R11", "with the last checker on 4 and 6-2 the 6 may not go first",
            {4: 1}, {1: 5}, (6, 2), may=[(4, 2)], not_=[(4, 6)], ends=1),
    Example("R11", "with the last checker on 2 and 5-3 the larger takes it off",
            {2: 1}, {1: 5}, (5, 3), may=[(2, 5)], not_=[(2, 3)], ends=1),
    Example("R12", "checkers on the bar enter before any other move",
            {25: 1, 13: 5}, {1: 1}, (4, 2), may=[(25, 4), (25, 2)], not_=[(13, 4)]),
    Example("R12", "on the point given by one die, never by the sum",
            {25: 1, 13: 5}, blocks(23, 21), (4, 2), ends=1,
            not_=[(25, 4), (25, 2), (13, 4), (13, 2)]),
    Example("R12", "if some but not all can enter, those must",
            {25: 2, 13: 5}, blocks(21), (4, 2), may=[(25, 2)], not_=[(25, 4)], ends=1),
    Example("R12", "the dice that remain are played with any checker",
            {25: 1, 13: 1}, blocks(21), (4, 2), may=[(25, 2)], ends=2),
    Example("R12", "with none able to enter the turn is lost",
            {25: 1, 13: 5}, blocks(24, 23, 22, 21, 20, 19), (4, 2), ends=1,
            not_=[(25, 4), (25, 2), (13, 4), (13, 2)]),
    Example("R13", "with no legal move the turn passes", {7: 1}, blocks(1, 2), (6, 5),
            not_=[(7, 6), (7, 5)], ends=1),
    Example("R14", "no bearing off with a checker outside", {7: 1, 2: 3}, {1: 1},
            (2, 1), may=[(7, 1), (7, 2)], not_=[(2, 2)]),
    Example("R14", "no bearing off with a checker on the bar", {25: 1, 2: 3}, {1: 1},
            (2, 1), may=[(25, 1), (25, 2)], not_=[(2, 2)]),
    Example("R14", "the last checker home lets the other die bear off",
            {7: 1, 2: 1}, {1: 1}, (2, 1), may=[(7, 1), (7, 2), (2, 1)]),
    Example("R15", "exactly its point", {6: 1, 4: 1, 3: 1}, {1: 1}, (4, 3),
            may=[(4, 4), (3, 3), (6, 4), (6, 3)]),
    Example("R15", "with checkers higher up only they may move",
            {6: 1, 3: 1}, {1: 1}, (4, 4), may=[(6, 4)], not_=[(3, 4)]),
    Example("R15", "and if those are blocked the die cannot be played",
            {6: 1, 3: 1}, blocks(2, 1), (4, 5), ends=1,
            not_=[(6, 4), (3, 4), (6, 5), (3, 5)]),
    Example("R15", "with none higher the highest must be borne off",
            {4: 1, 3: 1, 1: 1}, {1: 1}, (6, 5), may=[(4, 6), (4, 5)],
            not_=[(3, 6), (3, 5), (1, 5)], ends=1),
    Example("R15", "bearing off is not compulsory", {5: 1, 2: 1}, {1: 1}, (2, 1),
            may=[(5, 2), (2, 2), (5, 1), (2, 1)]),
]  # fmt: skip


def name_of(example):
    """Rule and sentence."""
    return f"{example.rule}: {example.says}"


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_a_sentence_of_the_rules_holds_in_its_position(example):
    position = example.position
    moves = legal_moves(position, example.dice)
    for move in example.may:
        assert Move(*move) in moves
    for move in example.not_:
        assert Move(*move) not in moves
    if example.ends is not None:
        assert len(legal_plays(position, example.dice)) == example.ends
    check_plays(position, example.dice)
    check_masks_along_all_turns(position, example.dice)


def test_r1_the_start_is_the_one_of_the_rule_sheets():
    # R1
    start = Position.start()
    assert {p: n for p, n in enumerate(start.mover) if n} == {24: 2, 13: 5, 8: 3, 6: 5}
    assert start == start.swapped()


def test_r10_a_hit_checker_goes_to_its_owners_bar_and_enters_from_there():
    # R10, R12
    position = Position.from_points({10: 1, 3: 1}, {25 - 8: 1, 1: 1})
    hit = Position.from_points({8: 1, 2: 1}, {25: 1, 1: 1})
    assert hit in {play.result for play in legal_plays(position, (2, 1))}
    assert {move.source for move in legal_moves(hit.swapped(), (4, 2))} == {25}


def test_r14_a_checker_hit_during_the_bear_off_comes_home_first():
    # R14: nothing is borne off while it is away
    for place in (25, 24, 18, 12, 7):
        position = Position.from_points({place: 1, 3: 2}, {2: 5})
        moves = legal_moves(position, (3, 1))
        assert Move(3, 3) not in moves
        assert moves
