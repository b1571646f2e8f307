"""`Position`: ids both ways, what cannot be, and what a value of it can do."""

import dataclasses
import pickle

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_positions, positions
from support import (
    as_reference,
    boards_of,
    data_rows,
    ids_of_boards,
    oracle_rows,
    position_of_row,
)

from bg_env.errors import InvalidNotationError, InvalidPositionError, UnknownNameError
from bg_env.rules.position import STARTS, Position

START_ID = "4HPwATDgc/ABMA"
BOTH_BARS_ID = "0OfgAWDI5+ADQA"
START_SIDE = (0, *(0, 0, 0, 0, 0, 5, 0, 3), *(0, 0, 0, 0, 5), *(0,) * 10, 2, 0)

quick = settings(deadline=None)


# --- ids ----------------------------------------------------------------------


def check_ids(rows):
    """Id to position and back, by two writers of ids."""
    places = [position_of_row(row) for row in rows]
    by_hand = ids_of_boards(boards_of(places))
    for row, position, other in zip(rows, places, by_hand, strict=True):
        assert position.id == other == row["id"]
        assert Position.from_id(row["id"]) == position


@pytest.mark.parametrize("name", ["legal_sample", "hard_sample", "cube_sample"])
def test_ids_of_the_samples_are_read_and_written(name):
    check_ids(data_rows(name))


@pytest.mark.parametrize("name", ["legal", "hard", "cube", "eval", "play"])
def test_ids_of_every_corpus_are_read_and_written(name):
    check_ids(oracle_rows(name))


def test_every_after_position_of_the_corpus_has_an_id_that_is_read_and_written():
    for row in oracle_rows("hard"):
        for text in row["after"]:
            assert Position.from_id(text).id == text


@quick
@given(any_positions())
def test_writing_an_id_and_reading_it_gives_the_position_back(position):
    assert Position.from_id(position.id) == position
    assert position.id == reference.position_id(as_reference(position))
    assert as_reference(position) == reference.position_from_id(position.id)


@quick
@given(positions("three_checkers"))
def test_an_id_of_a_variant_needs_its_number_of_checkers(position):
    again = Position.from_id(position.id, checkers=3)
    assert again == position
    assert Position.from_id(position.id).mover[0] == position.mover[0] + 12


def test_the_start_has_its_known_id():
    assert Position.start().id == START_ID
    assert Position.from_id(START_ID) == Position.start()
    assert Position.start().mover == Position.start().opponent == START_SIDE


def test_case_48_checkers_on_both_bars_survive_writing_and_reading():
    # XGID=b---A-E-C---dE---c-ea----A
    position = Position.from_points(
        {4: 1, 6: 5, 8: 3, 13: 5, 25: 1},
        {25: 2, 13: 4, 8: 3, 6: 5, 5: 1},
    )
    assert position.id == BOTH_BARS_ID
    assert Position.from_id(BOTH_BARS_ID) == position
    assert (position.mover[25], position.opponent[25]) == (1, 2)
    assert (position.mover[0], position.opponent[0]) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        START_ID[:-1],
        START_ID + "A",
        "4HPwATDgc/ABM",
        "4HPwATDgc/AB==",
        "4HPwATDgc/ABM!",
        "4HPwATDgc_ABMA",
        "4HPwATDgc/ABM\n",
        "é" * 14,
        "4HPwATDgc/ABMB",  # unused low bits set
        "4HPwATDgc/ABcA",  # a bit left over behind both sides
        "////////////8A",  # ones without end
        None,
        14,
        b"4HPwATDgc/ABMA",
    ],
)
def test_text_that_is_no_id_is_refused_and_named(text):
    with pytest.raises((InvalidNotationError, InvalidPositionError)) as caught:
        Position.from_id(text)
    assert repr(text) in str(caught.value) or "checkers" in str(caught.value)


@quick
@given(any_positions(), st.integers(0, 13), st.sampled_from("ABCQgw159+/"))
def test_a_damaged_id_is_refused_or_is_the_id_of_another_position(position, at, letter):
    text = position.id[:at] + letter + position.id[at + 1 :]
    try:
        read = Position.from_id(text)
    except (InvalidNotationError, InvalidPositionError):
        return
    assert read.id == text


@given(st.text(max_size=20))
def test_any_text_is_refused_or_read_back(text):
    try:
        read = Position.from_id(text)
    except (InvalidNotationError, InvalidPositionError):
        return
    assert read.id == text


def test_an_id_with_both_sides_on_a_point_is_refused():
    text = reference.position_id(
        (reference.START[0], (0, 15, *(0,) * 24))  # the mover's 24-point too
    )
    with pytest.raises(InvalidPositionError, match="24-point"):
        Position.from_id(text)


# --- what cannot be --------------------------------------------------------------


def side(**counts):
    """26 counts: ``side(p6=5, bar=1, off=9)``."""
    row = [0] * 26
    for name, count in counts.items():
        row[{"off": 0, "bar": 25}.get(name) or int(name.strip("pofbar") or 0)] = count
    return tuple(row)


GOOD = side(off=10, p6=5)


def test_case_47_sixteen_checkers_are_refused_with_count_and_side():
    points = {24: 2, 13: 5, 8: 3, 6: 5, 25: 1}
    with pytest.raises(InvalidPositionError, match="mover has 16 checkers"):
        Position.from_points(points, STARTS["standard"])
    with pytest.raises(InvalidPositionError, match="opponent has 16 checkers"):
        Position.from_points(STARTS["standard"], points)
    with pytest.raises(InvalidPositionError, match="mover has 16 checkers"):
        Position(side(off=1, p6=15), GOOD)


BAD = [
    ("negative", side(off=16, p3=-1), GOOD, "mover has -1 checkers on place 3"),
    ("negative off", side(off=-1, p3=4), GOOD, "place 0"),
    ("too short", GOOD[:25], GOOD, "mover needs 26 counts"),
    ("too long", (*GOOD, 0), GOOD, "mover needs 26 counts"),
    ("no checker", side(), GOOD, "mover has 0 checkers"),
    ("one point", side(p20=1), side(p5=2), "20-point"),
    ("all off", side(off=15), side(off=15), "Both sides have borne off"),
]


@pytest.mark.parametrize(
    ("mover", "opponent", "message"), [bad[1:] for bad in BAD], ids=[b[0] for b in BAD]
)
def test_a_board_that_cannot_be_is_refused(mover, opponent, message):
    with pytest.raises(InvalidPositionError, match=message):
        Position(mover, opponent)
    mirrored = message.replace("mover has", "opponent has")
    mirrored = mirrored.replace("mover needs", "opponent needs")
    mirrored = mirrored.replace("20-point", "5-point")
    with pytest.raises(InvalidPositionError, match=mirrored):
        Position(opponent, mover)


@pytest.mark.parametrize("count", [1.5, 1.0, "1", None])
def test_counts_that_are_no_whole_numbers_are_refused(count):
    row = list(GOOD)
    row[7] = count
    for build in (
        lambda: Position(row, GOOD),
        lambda: Position.from_points({7: count}, {1: 1}),
    ):
        with pytest.raises(InvalidPositionError, match="on place 7; counts are whole"):
            build()


def test_lists_and_numpy_counts_become_tuples_of_ints():
    position = Position(list(GOOD), np.array(GOOD, np.int8))
    assert position == Position(GOOD, GOOD)
    assert hash(position) == hash(Position(GOOD, GOOD))
    assert {type(count) for count in position.opponent} == {int}
    assert Position.from_points({6: np.int8(5)}, {6: 5}) == Position(GOOD, GOOD)


@pytest.mark.parametrize("point", [0, 26, -1, 100, 6.5, "6", None])
def test_points_that_do_not_exist_are_refused(point):
    with pytest.raises(InvalidPositionError, match=f"on {point!r}"):
        Position.from_points({point: 1}, {1: 1})


@pytest.mark.parametrize("checkers", [0, 16, -1])
def test_a_side_owns_one_to_fifteen_checkers(checkers):
    with pytest.raises(InvalidPositionError, match=f"checkers={checkers}"):
        Position.from_points({1: 1}, {1: 1}, checkers=checkers)


def test_one_side_may_have_borne_off_all():
    won = Position.from_points({}, {6: 3})
    assert won.mover == side(off=15)
    assert won.swapped().opponent == side(off=15)


def test_an_unknown_start_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="hypergammon"):
        Position.start("hyper-gammon")


# --- a value ------------------------------------------------------------------


def test_equal_positions_are_equal_and_hash_alike():
    one, other = Position.start(), Position.from_id(START_ID)
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, one.swapped()}) == 1  # the start is its own mirror
    assert one != Position.start("nackgammon")
    assert one != START_ID


def test_a_position_is_frozen():
    position = Position.start()
    with pytest.raises(dataclasses.FrozenInstanceError):
        position.mover = GOOD
    with pytest.raises((AttributeError, TypeError)):
        position.colour = "white"


def test_a_position_is_pickled_and_copied():
    position = Position.from_id(BOTH_BARS_ID)
    assert pickle.loads(pickle.dumps(position)) == position


@quick
@given(any_positions())
def test_a_position_written_as_text_is_read_by_python(position):
    assert eval(repr(position), {"Position": Position}) == position


def test_a_variant_written_as_text_is_read_by_python():
    position = Position.start("hypergammon")
    assert eval(repr(position), {"Position": Position}) == position


@quick
@given(any_positions())
def test_swapping_twice_changes_nothing(position):
    assert position.swapped().swapped() == position
    assert position.swapped().mover == position.opponent
    assert position.swapped().pips == position.pips[::-1]


@quick
@given(any_positions())
def test_a_board_gives_the_position_back(position):
    board = position.to_board()
    assert (board.dtype, board.shape) == (np.dtype(np.int8), (2, 32))
    assert not board[:, 26:].any()
    assert Position.from_board(board) == position


def test_a_board_is_a_copy():
    position = Position.start()
    position.to_board()[:] = 7
    assert Position.from_id(START_ID) == position


def test_a_board_that_cannot_be_is_refused_on_reading():
    board = Position.start().to_board()
    board[0, 24] = 3
    with pytest.raises(InvalidPositionError, match="16 checkers"):
        Position.from_board(board)


@quick
@given(any_positions())
def test_pips_are_the_points_times_the_checkers_the_bar_being_25(position):
    assert position.pips == (
        reference.pips(position.mover),
        reference.pips(position.opponent),
    )


def test_the_start_is_167_pips_for_both():
    assert Position.start().pips == (167, 167)
    assert Position.start("nackgammon").pips == (194, 194)
    assert Position.start("hypergammon").pips == (69, 69)


def test_checkers_count_those_off():
    assert Position.from_points({1: 1}, {25: 2}).checkers == (15, 15)
    assert Position.start("hypergammon").checkers == (3, 3)


def test_points_that_are_not_named_hold_nobody():
    position = Position.from_points({6: 2}, {25: 1}, checkers=4)
    assert position.mover == side(off=2, p6=2)
    assert position.opponent == side(off=3, bar=1)
