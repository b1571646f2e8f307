"""The bit sets of points, compiled and interpreted, against plain loops."""

import numpy as np
import pytest
import random_positions
import reference
from support import as_reference

from bg_env import _jit
from bg_env._jit import interpreted
from bg_env.rules import _bits
from bg_env.rules._bits import (
    bear_off_sources,
    blocked_points,
    blots_of_other,
    has_all_home,
    occupied_after,
    occupied_points,
    sources_of,
)

POSITIONS = random_positions.many(300, seed=5)


def both(kernel):
    """The compiled kernel and its plain Python."""
    return [
        pytest.param(kernel, id="compiled"),
        pytest.param(interpreted(kernel), id="plain"),
    ]


def mask_of(points):
    """The mask of a set of points."""
    return sum(1 << point for point in points)


def occupied_by_hand(side):
    """Points and bar where a side has a checker."""
    return mask_of(point for point in range(1, 26) if side[point])


def blocked_by_hand(side):
    """Points, in the other side's numbering, that a side blocks (R9)."""
    return mask_of(25 - point for point in range(1, 25) if side[point] >= 2)


@pytest.mark.parametrize("ask", both(occupied_points))
def test_occupied_points_are_those_with_a_checker(ask):
    for position in POSITIONS:
        words = position.to_board().view(np.uint64)
        assert ask(words, 0) == occupied_by_hand(position.mover)
        assert ask(words, 1) == occupied_by_hand(position.opponent)


@pytest.mark.parametrize("ask", both(blocked_points))
def test_blocked_points_are_those_of_two_or_more_opposing_checkers(ask):
    for position in POSITIONS:
        words = position.to_board().view(np.uint64)
        assert ask(words, 1) == blocked_by_hand(position.opponent)
        assert ask(words, 0) == blocked_by_hand(position.mover)


@pytest.mark.parametrize("ask", both(blots_of_other))
def test_blots_of_the_other_side_are_its_single_checkers_on_points(ask):
    # R10, in the mover's numbering; checkers on the bar are no blots
    for position in POSITIONS:
        words = position.to_board().view(np.uint64)
        single = [p for p in range(1, 25) if position.opponent[p] == 1]
        assert ask(words, 1) == mask_of(25 - point for point in single)


@pytest.mark.parametrize("place", range(26))
def test_every_count_on_every_place_is_seen_alone(place):
    board = np.zeros((2, 32), np.int8)
    words = board.view(np.uint64)
    for count in range(16):
        board[1, place] = count
        occupied = 1 << place if place and count else 0
        assert occupied_points(words, 1) == occupied
        blocked = 1 << (25 - place) if 1 <= place <= 24 and count >= 2 else 0
        assert blocked_points(words, 1) == blocked
        assert occupied_points(words, 0) == blocked_points(words, 0) == 0


@pytest.mark.parametrize("count", range(16))
def test_full_rows_do_not_spill_from_one_place_into_the_next(count):
    board = np.full((2, 32), count, np.int8)
    words = board.view(np.uint64)
    assert occupied_points(words, 0) == (_bits.POINTS_AND_BAR if count else 0)
    assert blocked_points(words, 0) == ((1 << 25) - 2 if count >= 2 else 0)


@pytest.mark.parametrize("ask", both(sources_of))
def test_sources_of_a_die_are_the_moves_the_rule_book_allows_at_once(ask):
    # R9, R12, R14, R15; nothing is asked of the other die
    for position in POSITIONS:
        occupied = occupied_by_hand(position.mover)
        blocked = blocked_by_hand(position.opponent)
        for die in range(1, 7):
            expected = mask_of(reference.single_moves(as_reference(position), die))
            assert ask(occupied, blocked, die) == expected, (position, die)


@pytest.mark.parametrize("ask", both(bear_off_sources))
def test_a_die_bears_off_from_its_point_or_else_the_highest_below(ask):
    # R15, all 63 ways to occupy a home board
    for points in range(1, 64):
        occupied = points << 1
        highest = occupied.bit_length() - 1
        for die in range(1, 7):
            exact = occupied & (1 << die)
            expected = exact or (1 << highest if highest < die else 0)
            assert ask(occupied, die) == expected
    assert ask(0, 6) == 0


@pytest.mark.parametrize("ask", both(has_all_home))
def test_all_are_home_when_nobody_stands_above_the_6_point_or_on_the_bar(ask):
    # R14
    for point in range(1, 26):
        assert bool(ask(1 << point)) == (point <= 6)
        assert bool(ask(1 << point | 1 << 6)) == (point <= 6)
    assert ask(0)


@pytest.mark.parametrize("ask", both(occupied_after))
def test_the_last_checker_of_a_point_leaves_it_empty(ask):
    occupied = mask_of([8, 5])
    assert ask(occupied, 2, 8, 3) == mask_of([8, 5])
    assert ask(occupied, 1, 8, 3) == mask_of([5])
    assert ask(occupied, 2, 8, 6) == mask_of([8, 5, 2])
    assert ask(occupied, 1, 8, 6) == mask_of([5, 2])
    assert ask(occupied, 1, 5, 5) == mask_of([8])
    assert ask(occupied, 1, 5, 6) == mask_of([8])


# --- bit scans ------------------------------------------------------------------


@_jit.kernel
def scans(bits, found):
    """Write lowest bit, highest bit and number of bits to ``found`` int64[3]."""
    found[0] = _jit.lowest_bit(bits)
    found[1] = _jit.highest_bit(bits)
    found[2] = _jit.count_bits(bits)


@pytest.mark.parametrize("ask", both(scans))
@pytest.mark.parametrize(
    "bits",
    [1, 2, 3, 6, 1 << 25, (1 << 26) - 2, 1 << 62, (1 << 62) | 1, (1 << 63) - 1],
)
def test_bit_scans_are_those_of_python(ask, bits):
    found = np.zeros(3, np.int64)
    ask(bits, found)
    lowest = min(i for i in range(64) if bits >> i & 1)
    assert found.tolist() == [lowest, bits.bit_length() - 1, bits.bit_count()]
