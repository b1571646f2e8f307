"""XGIDs: a whole game in one line; upper case is player 0."""

import pytest
from notation_rows import ident_rows, position_of_row, sample_rows

from bg_env.errors import InvalidNotationError, InvalidPositionError
from bg_env.notation import format_xgid, parse_xgid
from bg_env.rules.decisions import (
    BEAVER,
    DOUBLE,
    DROP,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING

pytestmark = pytest.mark.filterwarnings("ignore:A match to:UserWarning")

START = "-b----E-C---eE---c-e----B-"


def _check_row(row):
    """Every field of a row, which are told from the side of the player on roll."""
    state = parse_xgid(row["xgid"])
    on_roll = 0 if row["xgid_turn"] == 1 else 1
    other = 1 - on_roll
    owner = {None: None, "mover": on_roll, "opp": other}[row["cube_owner"]]
    assert state.position == position_of_row(row)
    assert state.position.id == row["position_id"]
    assert (state.cube, state.cube_owner) == (row["cube"], owner)
    assert state.on_roll == on_roll
    assert state.score[on_roll] == row["score_mover"]
    assert state.score[other] == row["score_opp"]
    assert state.match_length == row["match_length"]
    assert state.crawford is row["crawford"]
    assert state.rules.jacoby is row["jacoby"]
    assert (state.rules.beavers > 0) is row["beaver"]
    assert state.dice == (tuple(row["dice"]) if row["dice"] else None)
    assert (state.phase == DOUBLED) is row["doubled"]
    assert state.to_act == (other if row["doubled"] else on_roll)
    assert format_xgid(state) == row["xgid"]


def test_the_sample_xgids_are_read_and_written_back():
    for row in sample_rows("xgid"):
        _check_row(row)


def test_all_xgids_of_the_corpus_are_read_and_written_back():
    for row in ident_rows("xgid"):
        _check_row(row)


# --- single fields -------------------------------------------------------------------


def test_case_33_after_a_take_only_the_taker_may_turn_the_cube():
    text = "XGID=--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8"
    state = parse_xgid(text)
    assert (state.cube, state.cube_owner, state.rules.max_cube) == (2, 0, 256)
    mine = parse_xgid(text.replace(":21:", ":00:"))
    assert mine.is_legal(DOUBLE)
    theirs = parse_xgid(text.replace(":1:21:", ":-1:00:"))
    assert (theirs.on_roll, theirs.cube_owner) == (1, 0)
    assert not theirs.is_legal(DOUBLE)


@pytest.mark.parametrize("turn", ["1", "-1"])
def test_case_36_nobody_may_double_in_the_crawford_game(turn):
    state = parse_xgid(f"XGID={START}:0:0:{turn}:00:4:2:1:5:10")
    assert state.crawford
    assert state.legal_decisions() == [ROLL]


def test_case_37_a_one_point_match_has_no_cube():
    state = parse_xgid(f"XGID={START}:0:0:1:31:0:0:0:1:10")
    assert (state.match_length, state.crawford) == (1, False)
    before = parse_xgid(f"XGID={START}:0:0:1:00:0:0:0:1:10")
    assert before.legal_decisions() == [ROLL]


def test_case_44_letters_and_scores_keep_their_owner_when_lower_case_is_on_roll():
    text = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"
    state = parse_xgid(text)
    assert state.on_roll == 1
    assert state.score == (4, 0)
    assert state.position_of(0).mover[25] == 1
    assert state.position.opponent[25] == 1  # upper case, seen by lower case
    assert state.position.mover[21] == 2  # the b at place 4
    assert format_xgid(state) == text


def test_case_45_score_and_crawford_field():
    state = parse_xgid(f"XGID={START}:0:0:1:31:4:2:1:5:10")
    assert state.position == Position.start()
    assert (state.match_length, state.score) == (5, (4, 2))
    assert (state.crawford, state.dice) == (True, (3, 1))


def test_a_player_at_match_point_without_the_crawford_flag_is_post_crawford():
    state = parse_xgid(f"XGID={START}:0:0:1:00:4:2:0:5:10")
    assert not state.crawford
    assert state.is_legal(DOUBLE)


@pytest.mark.parametrize(
    ("letters", "count", "side"),
    [
        ("-b----E-C---eE---c-e----BA", 16, "upper"),
        ("ab----E-C---eE---c-e----B-", 16, "lower"),
        ("-b----E-C---eE---c-e--O-B-", 30, "upper"),
    ],
)
def test_case_47_sixteen_checkers_are_refused_with_count_and_side(letters, count, side):
    with pytest.raises(InvalidPositionError, match=f"{side} case has {count} checkers"):
        parse_xgid(f"XGID={letters}:0:0:1:31:0:0:0:0:10")


def test_case_48_checkers_on_both_bars():
    text = "XGID=b---A-E-C---dE---c-ea----A:0:0:1:00:0:0:0:0:10"
    state = parse_xgid(text)
    assert state.position.id == "0OfgAWDI5+ADQA"
    assert format_xgid(state) == text


@pytest.mark.parametrize("dice", ["16", "61", "33"])
def test_the_dice_keep_their_order(dice):
    text = f"XGID={START}:0:0:-1:{dice}:0:0:0:0:6"
    assert format_xgid(parse_xgid(text)) == text


def test_prefix_and_white_space_may_differ_on_input():
    text = f"XGID={START}:0:0:1:31:0:0:0:0:10"
    for other in (text.removeprefix("XGID="), f"  {text}\n"):
        assert format_xgid(parse_xgid(other)) == text


@pytest.mark.parametrize(
    ("bits", "jacoby", "beavers"),
    [(0, False, 0), (1, True, 0), (2, False, 3), (3, True, 3)],
)
def test_field_8_in_money_play_is_jacoby_and_beavers(bits, jacoby, beavers):
    state = parse_xgid(f"XGID={START}:0:0:1:31:0:0:{bits}:0:10")
    assert (state.rules.jacoby, state.rules.beavers) == (jacoby, beavers)


def test_an_even_match_is_read_without_a_warning_since_somebody_else_made_it():
    state = parse_xgid(f"XGID={START}:0:0:1:31:0:0:0:4:10")  # warnings are errors here
    assert state.match_length == 4


def test_a_higher_cube_in_the_middle_is_an_automatic_double():
    text = f"XGID={START}:2:0:1:00:0:0:1:0:10"
    state = parse_xgid(text)
    assert (state.cube, state.cube_owner) == (4, None)
    assert format_xgid(state) == text


# --- cube actions --------------------------------------------------------------------


def test_a_pending_double_has_the_cube_before_it_and_the_doubler_on_roll():
    state = GameState.from_position(Position.start(), cube=2, cube_owner=0)
    state.apply(DOUBLE)
    text = format_xgid(state)
    assert text == f"XGID={START}:1:1:1:D:0:0:0:0:6"
    back = parse_xgid(text)
    assert (back.on_roll, back.to_act, back.cube) == (0, 1, 2)
    assert back.legal_decisions() == [TAKE, DROP]
    back.apply(TAKE)
    assert (back.cube, back.cube_owner) == (4, 1)


@pytest.mark.parametrize(
    ("actions", "letter", "to_act", "drop"),
    [
        ((DOUBLE,), "D", 0, 2),
        ((DOUBLE, BEAVER), "B", 1, 4),
        ((DOUBLE, BEAVER, BEAVER), "R", 0, 8),
    ],
)
def test_double_beaver_and_raccoon_are_letters(actions, letter, to_act, drop):
    state = GameState.from_position(
        Position.start(), rules=Rules(beavers=3), on_roll=1, cube=2, cube_owner=1
    )
    for action in actions:
        state.apply(action)
    text = format_xgid(state)
    assert text == f"XGID={START}:1:-1:-1:{letter}:0:0:2:0:6"
    back = parse_xgid(text)
    assert (back.record == state.record).all()
    assert back.to_act == to_act
    back.apply(DROP)
    assert (back.points, back.winner) == (drop, 1 - to_act)


# --- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{START}:0:0:1:31:0:0:0:0", "10 fields"),
        (f"{START}:0:0:1:31:0:0:0:0:10:0", "10 fields.*not 11"),
        ("", "10 fields"),
        (None, "text"),
        (f"{START}-:0:0:1:31:0:0:0:0:10", "26 characters long, not 27"),
        (f"{START[1:]}:0:0:1:31:0:0:0:0:10", "26 characters long, not 25"),
        ("-b----P-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "'P' would be 16"),
        ("-b----E-C---eE---c-z----B-:0:0:1:31:0:0:0:0:10", "'z' would be 26"),
        ("-b----5-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "'5'"),
        ("-b----É-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "'É'"),
        ("Ab----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "'A' stands at place 0"),
        ("-b----E-C---eE---c-e----Ba:0:0:1:31:0:0:0:0:10", "'a' stands at place 25"),
        (f"{START}:x:0:1:31:0:0:0:0:10", "cube is a whole number.*'x'"),
        (f"{START}:-1:0:1:31:0:0:0:0:10", "cube is a whole number.*'-1'"),
        (f"{START}:01:1:1:31:0:0:0:0:10", "cube is a whole number.*'01'"),
        (f"{START}:11:1:1:31:0:0:0:0:10", "the cube is.*0 to 10, not '11'"),
        (f"{START}:0:1:1:31:0:0:0:0:10", "a cube of 1 is in the middle"),
        (f"{START}:1:2:1:31:0:0:0:0:10", "cube owner is 0, 1 or -1.*'2'"),
        (f"{START}:0:0:0:31:0:0:0:0:10", "turn is 1 or -1.*'0'"),
        (f"{START}:0:0:1:07:0:0:0:0:10", "two dice of 1 to 6.*'07'"),
        (f"{START}:0:0:1:3:0:0:0:0:10", "two dice of 1 to 6.*'3'"),
        (f"{START}:0:0:1:d:0:0:0:0:10", "two dice of 1 to 6.*'d'"),
        (f"{START}:0:0:1::0:0:0:0:10", "two dice of 1 to 6"),
        (f"{START}:0:0:1:31:5:0:0:5:10", "0 to 4 in a match to 5"),
        (f"{START}:0:0:1:31:-1:0:0:0:10", "score is a whole number.*'-1'"),
        (f"{START}:0:0:1:31:0:0:4:0:10", "Jacoby and beavers is.*0 to 3, not '4'"),
        (f"{START}:0:0:1:31:0:0:2:5:10", "Crawford field is.*0 to 1, not '2'"),
        (f"{START}:0:0:1:31:0:0:1:5:10", "no Crawford game"),
        (f"{START}:0:0:1:31:4:4:1:5:10", "no Crawford game"),
        (f"{START}:0:0:1:31:0:0:1:1:10", "no Crawford game"),
        (f"{START}:1:1:1:31:4:2:1:5:10", "the Crawford game has no cube"),
        (f"{START}:1:1:1:31:0:0:0:1:10", "a one-point match has no cube"),
        (f"{START}:1:0:1:31:0:0:0:5:10", "needs an owner"),
        (f"{START}:0:0:1:31:0:0:0:99999:10", "match_length"),
        (f"{START}:0:0:1:31:0:0:0:0:31", "highest cube is.*0 to 30, not '31'"),
        (f"{START}:0:0:1:D:4:2:1:5:10", "Crawford game.*cannot have doubled"),
        (f"{START}:0:0:1:D:0:0:0:1:10", "one-point match has no cube"),
        (f"{START}:1:-1:1:D:0:0:0:0:10", "the cube belongs to the other player"),
        (f"{START}:6:1:1:D:0:0:0:0:6", "the cube stands at 64 and goes to 64"),
        (f"{START}:0:0:1:B:0:0:0:0:10", "allow 0 beavers"),
        (f"{START}:0:0:1:R:0:0:0:5:10", "allow 0 beavers"),
    ],
)
def test_text_that_is_no_xgid_is_refused(text, named):
    with pytest.raises(InvalidNotationError, match=named) as caught:
        parse_xgid(text)
    assert repr(text) in str(caught.value)


def test_a_game_that_is_over_is_refused():
    with pytest.raises(InvalidPositionError, match="over"):
        parse_xgid("XGID=-b------------------------:0:0:1:00:0:0:0:0:10")


def _money(**changes):
    return GameState.from_position(Position.start(), **changes)


def _after(state, *codes):
    for code in codes:
        state.apply(code)
    return state


@pytest.mark.parametrize(
    ("state", "named"),
    [
        (GameState.new(), "opening roll is not made"),
        (_after(_money(), DOUBLE, DROP), "over"),
        (_after(_money(dice=(3, 1)), move_code(8, 3)), r"\(3, 1\) only \(1,\) is left"),
        (_after(_money(dice=(3, 3)), move_code(8, 3)), r"only \(3, 3, 3\) is left"),
        (_after(_money(rules=Rules(resign="offer")), RESIGN_SINGLE), "resignation"),
        (
            _after(_money(rules=Rules(beavers=3)), DOUBLE, BEAVER, BEAVER, BEAVER),
            "not 3 beavers",
        ),
        (GameState.from_position(Position.start("hypergammon")), r"\(3, 3\) checkers"),
        (_money(rules=Rules(max_cube=None)), "max_cube"),
    ],
)
def test_what_an_xgid_cannot_say_is_refused(state, named):
    with pytest.raises(InvalidNotationError, match=named):
        format_xgid(state)


def test_a_first_turn_that_awaits_its_roll_is_refused():
    state = GameState.new(Rules(opening_reroll=True))
    state.apply(ROLL)
    assert (state.phase, state.turn) == (BEFORE_ROLL, 1)
    with pytest.raises(InvalidNotationError, match="first turn"):
        format_xgid(state)


def test_every_turn_of_random_games_is_written_and_read_back():
    for seed in range(12):
        state = GameState.new(Rules(match_length=3), seed=seed)
        state.apply(ROLL)
        while not state.is_over:
            if state.phase != MOVING or len(state.dice_left) == _moves_of(state.dice):
                _check_comes_back(state)
            legal = state.legal_decisions()
            state.apply(legal[(7 * state.turn + seed) % len(legal)])


def _moves_of(dice):
    return 4 if dice[0] == dice[1] else 2


def _check_comes_back(state):
    back = parse_xgid(format_xgid(state))
    for name in ("position", "on_roll", "dice", "cube", "cube_owner", "phase"):
        assert getattr(back, name) == getattr(state, name), name
    assert back.legal_decisions() == state.legal_decisions()
