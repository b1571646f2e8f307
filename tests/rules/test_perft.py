"""Perft: leaves of the tree of all rolls and plays, against known and slow counts."""

import numpy as np
import pytest
import reference
from support import CUBELESS, as_reference, boards_of

from bg_env.errors import InvalidOptionError
from bg_env.rules.movegen import ROLLS, legal_plays, perft, plays_of_boards
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

# Case 20: distinct results per roll from the start.
RESULTS_PER_ROLL = {
    11: 42, 21: 15, 22: 75, 31: 16, 32: 17, 33: 73, 41: 14, 42: 18, 43: 17, 44: 52,
    51: 8, 52: 8, 53: 9, 54: 9, 55: 4, 61: 10, 62: 14, 63: 14, 64: 14, 65: 7, 66: 11,
}  # fmt: skip

VARIANTS = ("standard", "nackgammon", "hypergammon", "longgammon")


def perft_by_reference(pair, depth):
    """The slow count of the same tree."""
    mover, opponent = pair
    if depth == 0:
        return 1
    if not any(mover[1:]) or not any(opponent[1:]):
        return 0  # a game that is over has no turns
    leaves = 0
    for dice in ROLLS:
        for after, other in reference.legal_results(pair, dice):
            leaves += perft_by_reference((other, after), depth - 1)
    return leaves


@pytest.mark.parametrize(("roll", "count"), RESULTS_PER_ROLL.items())
def test_case_20_every_opening_roll_has_its_number_of_results(roll, count):
    assert len(legal_plays(Position.start(), divmod(roll, 10))) == count


@pytest.mark.parametrize(("depth", "leaves"), [(0, 1), (1, 447), (2, 202_782)])
def test_case_20_the_start_has_its_number_of_leaves(depth, leaves):
    assert perft(Position.start(), depth) == leaves


def second_turn():
    """All boards after one turn, sides swapped, once for each roll that leads there."""
    plays = [play for dice in ROLLS for play in legal_plays(Position.start(), dice)]
    return [play.result.swapped() for play in plays]


def test_case_20_one_turn_leads_to_406_different_positions():
    assert len(second_turn()) == 447
    assert len(set(second_turn())) == 406


def test_case_20_the_largest_branch_of_the_second_turn_is_94():
    boards = np.repeat(boards_of(second_turn()), len(ROLLS), axis=0)
    rolls = np.tile(np.array(ROLLS, np.int8), (447, 1))
    _, _, offsets = plays_of_boards(boards, rolls)
    assert np.diff(offsets).max() == 94


@pytest.mark.parametrize(
    ("variant", "depth"),
    [*((variant, 1) for variant in VARIANTS), ("hypergammon", 2), ("longgammon", 2)],
)
def test_every_variant_has_the_leaves_of_the_reference(variant, depth):
    start = Position.start(variant)
    expected = perft_by_reference(as_reference(start), depth)
    assert perft(start, depth) == expected


@pytest.mark.heavy
@pytest.mark.parametrize("variant", ["standard", "nackgammon"])
def test_two_turns_have_the_leaves_of_the_reference(variant):
    start = Position.start(variant)
    assert perft(start, 2) == perft_by_reference(as_reference(start), 2)


def test_a_turn_without_a_move_counts_one():
    closed = dict.fromkeys(range(1, 7), 2)
    assert perft(Position.from_points({25: 1}, closed), 1) == 21


def test_a_game_that_is_over_has_no_further_turns():
    # every roll bears off the last checker: nobody has a second turn
    position = Position.from_points({1: 1}, {1: 1})
    assert (perft(position, 1), perft(position, 2)) == (21, 0)


@pytest.mark.parametrize("depth", [1, 2])
def test_positions_of_the_last_moves_have_the_leaves_of_the_reference(depth):
    position = Position.from_points({6: 1, 3: 1, 2: 1}, {20: 1, 4: 2, 1: 1})
    expected = perft_by_reference(as_reference(position), depth)
    assert perft(position, depth) == expected


@pytest.mark.parametrize("depth", [-1, 1.0, "1", None, True])
def test_a_depth_that_is_no_count_of_turns_is_refused(depth):
    with pytest.raises(InvalidOptionError, match="depth of 0 or more"):
        perft(Position.start(), depth)


def test_nackgammon_and_hypergammon_starts_are_those_of_the_rules():
    # R4
    assert CUBELESS.start_position == Position.start()
    for variant, points in {
        "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
        "hypergammon": {24: 1, 23: 1, 22: 1},
        "longgammon": {24: 15},
    }.items():
        start = Rules(start=variant).start_position
        counts = {p: n for p, n in enumerate(start.mover) if n}
        assert counts == points
        assert start.mover == start.opponent
