"""Match ids, and whole games as ``POSITIONID:MATCHID``."""

import dataclasses

import pytest
from notation_rows import ident_rows, sample_rows

from bg_env.errors import InvalidNotationError, InvalidPositionError
from bg_env.notation import (
    MatchId,
    format_gnu_id,
    parse_gnu_id,
    parse_xgid,
)
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    DOUBLE,
    DROP,
    REFUSE,
    RESIGN_GAMMON,
    ROLL,
    TAKE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING

pytestmark = pytest.mark.filterwarnings("ignore:A match to:UserWarning")

START = "4HPwATDgc/ABMA"
BEAVERS = Rules(beavers=4)


def _check_raw(row):
    """The id has the fields that GNU reads from it, and is written back the same."""
    match = MatchId.parse(row["match_id"])
    raw = row.get("fields") or row["gnubg_decode"]
    read = dataclasses.asdict(match)
    assert read.pop("jacoby") == (raw["jacoby_bit"] == 0)
    assert read == {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in raw.items()
        if name not in ("jacoby_bit", "rest")
    }
    assert match.text == str(match) == row["match_id"]


def _with_players_swapped(match):
    return dataclasses.replace(
        match,
        cube_owner=-1 if match.cube_owner < 0 else 1 - match.cube_owner,
        on_roll=1 - match.on_roll,
        turn=1 - match.turn,
        score=match.score[::-1],
    )


def _check_against_gnu(row):
    """The GNU id of an XGID is what GNU itself reports.

    GNU makes the player on roll its player 1 when it reads an XGID, so the players
    are the other way round if lower case is on roll; and it loses pending doubles.
    """
    text = format_gnu_id(parse_xgid(row["xgid"]))
    position_id, match_id = text.split(":")
    assert position_id == row["position_id"]
    match = MatchId.parse(match_id)
    if row["xgid_turn"] == -1:
        match = _with_players_swapped(match)
    if row["doubled"]:
        assert (match.doubled, match.turn) == (True, 0)
        match = dataclasses.replace(match, doubled=False, turn=1)
    assert match.text == row["match_id"]


@pytest.mark.parametrize("kind", ["xgid", "matchid"])
def test_the_sample_match_ids_have_the_fields_gnu_reads(kind):
    for row in sample_rows(kind):
        _check_raw(row)


@pytest.mark.parametrize("kind", ["xgid", "matchid"])
def test_all_match_ids_of_the_corpus_have_the_fields_gnu_reads(kind):
    for row in ident_rows(kind):
        _check_raw(row)


def test_the_gnu_ids_of_the_sample_xgids_are_gnus_own():
    for row in sample_rows("xgid"):
        _check_against_gnu(row)


def test_the_gnu_ids_of_all_xgids_of_the_corpus_are_gnus_own():
    for row in ident_rows("xgid"):
        _check_against_gnu(row)


def _is_a_game(row):
    """GNU can write anything; this is what can come up in a game in progress."""
    match = MatchId.parse(row["match_id"])
    cubeless = match.crawford or match.match_length == 1
    owned_by_other = match.cube_owner == 1 - match.on_roll
    return match.game_state == 1 and not (
        (match.cube == 1 and match.cube_owner >= 0)
        or (match.cube > 1 and match.match_length and match.cube_owner < 0)
        or (cubeless and (match.cube > 1 or match.doubled))
        or (match.doubled and (match.cube == 4096 or owned_by_other))
    )


def test_the_gnu_ids_of_the_corpus_are_read_and_written_back_if_they_can_be():
    read = 0
    for row in ident_rows("matchid"):
        text = f"{row['position_id']}:{row['match_id']}"
        if _is_a_game(row):
            assert format_gnu_id(parse_gnu_id(text)) == text
            read += 1
        else:
            with pytest.raises(InvalidNotationError):
                parse_gnu_id(text)
    assert read >= 150


def test_case_45_the_crawford_game_as_a_gnu_id():
    text = f"{START}:8ImlACAAIAAE"
    state = parse_gnu_id(text)
    assert state.rules.match_length == 5
    assert (state.score, state.crawford, state.dice) == ((4, 2), True, (3, 1))
    assert (state.on_roll, state.to_act, state.phase) == (0, 0, MOVING)
    assert format_gnu_id(state) == text
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"
    assert format_gnu_id(parse_xgid(xgid)) == text


# --- states ----------------------------------------------------------------------


def _money(**changes):
    return GameState.from_position(Position.start(), **changes)


def _after(state, *codes):
    for code in codes:
        state.apply(code)
    return state


STATES = {
    "before a roll": lambda: _money(on_roll=1),
    "a roll": lambda: _money(on_roll=1, dice=(6, 2)),
    "an owned cube": lambda: _money(cube=8, cube_owner=1, score=(3, 17)),
    "automatic doubles": lambda: _money(cube=4),
    "jacoby": lambda: _money(rules=Rules(jacoby=True), dice=(3, 1)),
    "a double": lambda: _after(_money(on_roll=1), DOUBLE),
    "a redouble": lambda: _after(_money(cube=2, cube_owner=0), DOUBLE),
    "a beaver": lambda: _after(_money(rules=BEAVERS), DOUBLE, BEAVER),
    "a raccoon": lambda: _after(_money(rules=BEAVERS), DOUBLE, BEAVER, BEAVER),
    "a redouble beavered": lambda: _after(
        _money(rules=BEAVERS, on_roll=1, cube=2, cube_owner=1), DOUBLE, BEAVER
    ),
    "a resignation": lambda: _after(
        _money(rules=Rules(resign="offer"), on_roll=1), RESIGN_GAMMON
    ),
    "a resignation after the roll": lambda: _after(
        _money(rules=Rules(resign="offer"), dice=(5, 5)), RESIGN_GAMMON
    ),
    "a match": lambda: _money(
        rules=Rules(match_length=7), score=(3, 5), cube=2, cube_owner=0, dice=(4, 4)
    ),
    "post-Crawford": lambda: _money(
        rules=Rules(match_length=7), score=(6, 5), crawford=False
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_comes_back_from_its_gnu_id(name):
    state = STATES[name]()
    back = parse_gnu_id(format_gnu_id(state))
    for field in (
        "position", "on_roll", "to_act", "phase", "cube", "cube_owner", "score",
        "crawford", "match_length", "offer", "beavers_made",
    ):  # fmt: skip
        assert getattr(back, field) == getattr(state, field), field
    assert sorted(back.dice or ()) == sorted(state.dice or ())
    assert back.rules.jacoby == state.rules.jacoby
    assert format_gnu_id(back) == format_gnu_id(state)


def test_gnus_player_1_is_player_0():
    match = MatchId.parse(format_gnu_id(STATES["an owned cube"]()).split(":")[1])
    assert (match.on_roll, match.turn, match.cube_owner) == (1, 1, 0)
    assert match.score == (17, 3)


def test_a_pending_double_can_be_answered_after_reading():
    state = parse_gnu_id(format_gnu_id(STATES["a double"]()))
    assert (state.phase, state.on_roll, state.to_act) == (DOUBLED, 1, 0)
    assert state.legal_decisions() == [TAKE, DROP]


def test_a_pending_beaver_and_raccoon_can_be_answered_after_reading():
    beaver = parse_gnu_id(format_gnu_id(STATES["a beaver"]()))
    assert (beaver.cube, beaver.to_act, beaver.on_roll) == (2, 0, 0)
    beaver.apply(TAKE)
    assert (beaver.cube, beaver.cube_owner) == (4, 1)
    raccoon = parse_gnu_id(format_gnu_id(STATES["a raccoon"]()))
    raccoon.apply(DROP)
    assert (raccoon.points, raccoon.winner) == (4, 0)


def test_a_pending_resignation_can_be_answered_after_reading():
    state = parse_gnu_id(format_gnu_id(STATES["a resignation"]()))
    assert (state.phase, state.on_roll, state.to_act) == (BEFORE_ROLL, 1, 0)
    assert state.legal_decisions() == [ACCEPT, REFUSE]
    state.apply(ACCEPT)
    assert (state.winner, state.points) == (0, 2)


# --- refusals ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("8ImlACAAIAA", "12 characters"),
        ("8ImlACAAIAAEE", "12 characters"),
        (b"8ImlACAAIAAE", "12 characters"),
        ("8ImlACAA AAE", "base64"),
        ("8ImlACAAIA==", "base64"),
        ("8ImlACAAIAAM", "bits set after the last field"),
        ("YImlACAAIAAE", "cube owner 2"),
        ("8A2lACAAIAAE", "game_state of 0 to 4, not 5"),
    ],
)
def test_text_that_is_no_match_id_is_refused(text, named):
    with pytest.raises(InvalidNotationError, match=named):
        MatchId.parse(text)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"cube": 3}, "power of two, not 3"),
        ({"cube": 65536}, "cube of 1 to 32768, not 65536"),
        ({"cube_owner": 2}, "cube_owner of -1 to 1, not 2"),
        ({"on_roll": True}, "on_roll of 0 to 1, not True"),
        ({"match_length": 32768}, "match_length of 0 to 32767, not 32768"),
        ({"score": (0, -1)}, "score of 0 to 32767, not -1"),
        ({"dice": (7, 1)}, "dice of 0 to 6, not 7"),
        ({"dice": (0, 1)}, r"rolled or neither, not \(0, 1\)"),
        ({"resigned": 4}, "resigned of 0 to 3, not 4"),
    ],
)
def test_a_value_without_room_in_a_match_id_is_refused(changes, named):
    with pytest.raises(InvalidNotationError, match=named):
        MatchId(**changes)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"game_state": 0}, "no game has begun"),
        ({"game_state": 2}, "the game is over"),
        ({"game_state": 3}, "the game was resigned"),
        ({"game_state": 4}, "the game ended by a drop"),
        ({"turn": 1}, "player 1 decides in the turn of player 0"),
        ({"doubled": True, "turn": 1, "resigned": 1}, "cannot both await"),
        ({"resigned": 2}, "player 0 has resigned"),
        ({"doubled": True}, "answers his own double"),
        ({"doubled": True, "turn": 1, "dice": (3, 1)}, "dice"),
        ({"doubled": True, "turn": 1, "cube": 2, "cube_owner": 1}, "other player"),
        ({"doubled": True, "turn": 1, "match_length": 1}, "one-point match"),
        ({"doubled": True, "turn": 1, "cube": 4096, "cube_owner": 0}, "goes to 4096"),
        ({"cube_owner": 1}, "a cube of 1 is in the middle"),
        ({"cube": 8192}, "The cube goes to 4096, not to 8192"),
        ({"cube": 2, "match_length": 5}, "needs an owner"),
        ({"cube": 2, "cube_owner": 0, "match_length": 1}, "one-point match"),
        ({"crawford": True}, "no Crawford game"),
        ({"crawford": True, "match_length": 5, "score": (4, 4)}, "no Crawford game"),
        (
            {"match_length": 5, "score": (4, 0), "crawford": True, "cube": 2},
            "the Crawford game has no cube",
        ),
        ({"match_length": 5, "score": (5, 0)}, "0 to 4 in a match to 5"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(fields, named):
    text = f"{START}:{MatchId(**fields).text}"
    with pytest.raises(InvalidNotationError, match=named) as caught:
        parse_gnu_id(text)
    assert text in str(caught.value)


@pytest.mark.parametrize("text", [START, f"{START}:", "", ":".join("abc"), None])
def test_text_that_is_no_gnu_id_is_refused(text):
    with pytest.raises(InvalidNotationError):
        parse_gnu_id(text)


def test_a_position_that_is_over_is_refused():
    position = Position.from_points({}, {6: 2})
    with pytest.raises(InvalidPositionError, match="over"):
        parse_gnu_id(f"{position.id}:{MatchId().text}")


def test_a_gnu_id_may_have_white_space_around():
    assert parse_gnu_id(f"  {START}:8ImlACAAIAAE\n").match_length == 5


@pytest.mark.parametrize(
    ("state", "named"),
    [
        (GameState.new(), "opening roll"),
        (_after(_money(), DOUBLE, DROP), "over"),
        (_after(_money(dice=(3, 1)), move_code(8, 3)), r"only \(1,\) is left"),
        (_after(_money(dice=(3, 3)), move_code(8, 3)), r"only \(3, 3, 3\) is left"),
        (
            _after(_money(rules=BEAVERS), DOUBLE, BEAVER, BEAVER, BEAVER),
            "not 3 beavers",
        ),
        (GameState.from_position(Position.start("hypergammon")), r"\(3, 3\) checkers"),
        (_money(score=(40000, 0)), "score of 0 to 32767, not 40000"),
        (
            _money(rules=Rules(max_cube=None), cube=65536),
            "cube of 1 to 32768, not 65536",
        ),
    ],
)
def test_what_a_gnu_id_cannot_say_is_refused(state, named):
    with pytest.raises(InvalidNotationError, match=named):
        format_gnu_id(state)


def test_a_first_turn_that_awaits_its_roll_is_refused():
    state = GameState.new(Rules(opening_reroll=True))
    state.apply(ROLL)
    assert (state.phase, state.turn) == (BEFORE_ROLL, 1)
    with pytest.raises(InvalidNotationError, match="first turn"):
        format_gnu_id(state)
