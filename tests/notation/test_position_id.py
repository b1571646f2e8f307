"""Position ids: encode and decode are inverse, with checkers on the bar too."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from notation_rows import ident_rows, position_of_row, sample_rows

from bg_env.errors import InvalidNotationError, InvalidPositionError
from bg_env.rules.position import Position


def _check(row):
    position = position_of_row(row)
    assert position.id == row["position_id"]
    assert Position.from_id(row["position_id"]) == position
    assert Position.from_id(position.id).id == row["position_id"]


@pytest.mark.parametrize("kind", ["xgid", "matchid"])
def test_every_sample_position_id_is_read_and_written_back(kind):
    for row in sample_rows(kind):
        _check(row)


@pytest.mark.parametrize("kind", ["xgid", "matchid"])
def test_every_position_id_of_the_corpus_is_read_and_written_back(kind):
    for row in ident_rows(kind):
        _check(row)


def test_the_start_has_its_well_known_id():
    assert Position.start().id == "4HPwATDgc/ABMA"


def test_checkers_on_both_bars_survive_the_round_trip():
    position = Position.from_id("0OfgAWDI5+ADQA")
    assert (position.mover[25], position.opponent[25]) == (1, 2)
    assert position.mover[0] == position.opponent[0] == 0
    assert position.id == "0OfgAWDI5+ADQA"


@st.composite
def positions(draw):
    """Any position: checkers of both sides on points the other side leaves free."""
    owners = draw(st.lists(st.sampled_from((0, 1)), min_size=24, max_size=24))
    sides = []
    for player in (0, 1):
        free = [
            point
            for point in range(1, 25)
            if owners[point - 1 if player == 0 else 24 - point] == player
        ]
        places = st.sampled_from([0, 25, *free])
        side = [0] * 26
        for place in draw(st.lists(places, min_size=15, max_size=15)):
            side[place] += 1
        sides.append(tuple(side))
    assume(sides[0][0] < 15 or sides[1][0] < 15)
    return Position(*sides)


@given(positions())
def test_any_position_comes_back_from_its_id(position):
    assert len(position.id) == 14
    assert Position.from_id(position.id) == position


@pytest.mark.parametrize(
    ("text", "error", "named"),
    [
        ("4HPwATDgc/ABM", InvalidNotationError, "14 characters"),
        ("4HPwATDgc/ABMA==", InvalidNotationError, "14 characters"),
        ("4HPwATDgc/AB A", InvalidNotationError, "base64"),
        ("4HPwATDgc/AB_A", InvalidNotationError, "base64"),
        ("//////////////", InvalidNotationError, "//////////////"),
        ("4HPwATDgc/ABMP", InvalidNotationError, "4HPwATDgc/ABMP"),
        (None, InvalidNotationError, "None"),
        ("AAAAAAAAAAAAAA", InvalidPositionError, "borne off"),
    ],
)
def test_text_that_is_no_position_id_is_refused(text, error, named):
    with pytest.raises(error, match=named):
        Position.from_id(text)


def test_an_id_with_sixteen_checkers_is_refused_with_count_and_side():
    # The start, but one of the opponent's checkers is the mover's, on the bar.
    with pytest.raises(InvalidPositionError, match="mover has 16 checkers"):
        Position.from_id("4Dn4ABjwOfgAWA")
