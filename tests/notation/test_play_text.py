"""Plays as text: what is written, what is read, what is refused."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notation_rows import load_reference, oracle_rows, position_of_row, sample_rows

from bg_env.errors import (
    IllegalPlayError,
    InvalidNotationError,
    InvalidOptionError,
)
from bg_env.notation import NO_PLAY, format_play, parse_moves, parse_play, parse_xgid
from bg_env.rules.movegen import ROLLS, Move, legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

START = Position.start()
RULE_BOOK = load_reference()


def _at(xgid):
    """The position and roll of an XGID."""
    state = parse_xgid(xgid)
    return state.position, state.dice


def _text_of(text, position, dice):
    """A text read and written again."""
    return format_play(position, parse_play(text, position, dice).moves)


# Two ways from 24 to 13 with 6-5: over a blot on the 18-point, or the empty 19.
TWO_WAYS = Position.from_points({24: 1, 6: 14}, {7: 1, 3: 14})
# The same with another blot on the 13-point, where both ways end.
TWO_WAYS_AND_A_BLOT = Position.from_points({24: 1, 6: 14}, {7: 1, 12: 1, 3: 13})
# Only the way over the blot: the 19-point is held.
ONE_WAY = Position.from_points({24: 1, 6: 14}, {7: 1, 6: 14})

CASE_10 = _at("XGID=----A--------------bcccbb-:0:0:1:62:0:0:0:0:10")
CASE_12 = _at("XGID=------E-C---bE---c-cbb-c-B:0:0:1:63:0:0:0:0:10")
CASE_14 = _at("XGID=-bA--bF-C-a-bB---cad--B--A:0:0:1:55:0:0:0:0:10")
CASE_16 = _at("XGID=-bL----------C-----cccbb--:0:0:1:66:0:0:0:0:10")
CLOSED_OUT = _at("XGID=------E-E----D-----cccbbbA:0:0:1:11:0:0:0:0:10")


# --- writing ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "moves", "text"),
    [
        (START, [], "(no play)"),
        (START, [(6, 1), (8, 3)], "8/5 6/5"),
        (START, [(13, 5), (8, 3)], "13/5"),
        (START, [(13, 5), (13, 3)], "13/10 13/8"),
        (START, [(13, 5), (13, 5)], "13/8(2)"),
        (START, [(6, 2), (8, 2), (6, 2), (8, 2)], "8/4(2)"),
        (START, [(13, 3), (10, 3), (13, 3), (6, 3)], "13/7 13/10 6/3"),
        (START, [(24, 6)], "24/18"),
        (TWO_WAYS, [(24, 6), (18, 5)], "24/18*/13"),
        (TWO_WAYS, [(24, 5), (19, 6)], "24/13"),
        (TWO_WAYS_AND_A_BLOT, [(24, 6), (18, 5)], "24/18*/13*"),
        (TWO_WAYS_AND_A_BLOT, [(24, 5), (19, 6)], "24/13*"),
        (Position.from_points({25: 1}, {1: 1}), [(25, 1)], "bar/24*"),
        (Position.from_points({25: 2}, {1: 2}), [(25, 3), (25, 3)], "bar/22(2)"),
        (Position.from_points({6: 1, 4: 1}, {6: 2}), [(6, 6), (4, 4)], "6/off 4/off"),
        (Position.from_points({8: 2}, {20: 1}), [(8, 3), (8, 3)], "8/5*(2)"),
        (Position.from_points({8: 1, 6: 1}, {20: 1}), [(8, 3), (6, 1)], "8/5* 6/5"),
        (Position.from_points({8: 1, 6: 1}, {20: 1}), [(6, 1), (8, 3)], "8/5* 6/5"),
        (
            Position.from_points({6: 3}, {22: 1, 24: 1}),
            [(6, 3), (3, 3), (6, 3)],
            "6/3*/off 6/3",
        ),
    ],
)
def test_moves_are_written_as_players_write_them(position, moves, text):
    assert format_play(position, [Move(*move) for move in moves]) == text


@pytest.mark.parametrize(
    ("moves", "named"),
    [
        ([(7, 1)], "7/6.*no checker"),
        ([(25, 1)], "bar/24.*no checker"),
        ([(24, 1), (24, 1), (24, 1)], "24/23.*no checker"),
        ([(6, 5)], "6/1.*held"),
    ],
)
def test_moves_that_cannot_be_made_are_not_written(moves, named):
    with pytest.raises(IllegalPlayError, match=named):
        format_play(START, [Move(*move) for move in moves])


# --- reading: one legal result -----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "8/5 6/5",
        "6/5 8/5",
        "  8/5   6/5 ",
        "8/5, 6/5",
        "8/5,6/5",
        "8/5;6/5",
        "8/5 - 6/5",
        "8/5-6/5",
        "8-5 6-5",
        "8 - 5, 6 - 5",
        "8–5 6–5",
        "8 / 5  6 / 5",
        "8/5(1) 6/5 (1)",
        "08/05 06/05",
    ],
)
def test_case_49_order_and_separators_do_not_matter(text):
    assert _text_of(text, START, (3, 1)) == "8/5 6/5"
    assert _text_of(text, START, (1, 3)) == "8/5 6/5"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("24/18*/13", "24/18*/13"),
        ("24/18* 18/13", "24/18*/13"),
        ("18/13 24/18*", "24/18*/13"),
        ("24/18/13", "24/18*/13"),
        ("24/18 18/13", "24/18*/13"),
        ("24/13", "24/13"),
        ("24/19/13", "24/13"),
        ("24/19 19/13", "24/13"),
    ],
)
def test_case_49_stops_and_hits_tell_two_ways_apart(text, written):
    assert _text_of(text, TWO_WAYS, (6, 5)) == written


@pytest.mark.parametrize(
    "text", ["24/18*/13", "24/18* 18/13", "24/18/13", "24/13", "24-13"]
)
def test_case_49_where_there_is_one_way_the_hit_may_be_left_out(text):
    assert _text_of(text, ONE_WAY, (6, 5)) == "24/18*/13"


@pytest.mark.parametrize(
    "text", ["bar/22", "BAR/22", "Bar/22", "25/22", "25-22", "bar/22 pass", "bar/22 -"]
)
def test_case_12_entering_one_of_two_checkers_is_the_whole_play(text):
    position, dice = CASE_12
    assert _text_of(text, position, dice) == "bar/22"


@pytest.mark.parametrize(
    "text", ["4/off", "4/0", "4/OFF", "4/2/off", "4/2 2/off", "2/off 4/2", "4-off"]
)
def test_case_10_the_last_checker_may_be_said_to_go_off_at_once(text):
    position, dice = CASE_10
    play = parse_play(text, position, dice)
    assert play.moves == (Move(4, 2), Move(2, 6))
    assert play.result.mover[0] == 15


def test_case_14_an_abbreviated_double_needs_its_last_move():
    position, dice = CASE_14
    assert len(legal_plays(position, dice)) == 8
    for last in ("8/3", "13/8"):
        play = parse_play(f"bar/10* {last}", position, dice)
        assert play == parse_play(f"bar/20/15/10* {last}", position, dice)
        assert format_play(position, play.moves).split()[0] == "bar/10*"
    with pytest.raises(IllegalPlayError, match=r"incomplete.*bar/10\* 13/8.*8/3"):
        parse_play("bar/10*", position, dice)
    with pytest.raises(IllegalPlayError, match="not legal"):
        parse_play("bar/5", position, dice)


def test_case_14_the_beginning_of_a_play_can_be_read_as_moves():
    position, dice = CASE_14
    moves = (Move(25, 5), Move(20, 5), Move(15, 5))
    assert parse_moves("bar/10*", position, dice) == moves
    assert parse_moves("bar/10", position, dice) == moves
    assert format_play(position, moves) == "bar/10*"
    with pytest.raises(IllegalPlayError):
        parse_moves("bar/5", position, dice)


def test_a_single_bear_off_is_read_with_the_smallest_die_that_does_it():
    position = Position.from_points({4: 2}, {6: 2})
    for dice in ((6, 4), (4, 6)):
        assert parse_moves("4/off", position, dice) == (Move(4, 4),)


def test_case_16_a_double_played_three_times_is_whole():
    position, dice = CASE_16
    for text in ("13/7(3)", "13/7(3) pass", "13/7 13/7 13/7", "13/7(2) 13/7"):
        assert _text_of(text, position, dice) == "13/7(3)"


@pytest.mark.parametrize("text", ["13/7", "13/7(2)"])
def test_a_part_of_the_only_legal_play_is_enough(text):
    position, dice = CASE_16
    assert _text_of(text, position, dice) == "13/7(3)"


@pytest.mark.parametrize("text", ["13/7 pass", "13/7(2), cannot move"])
def test_a_part_that_says_it_is_all_is_refused(text):
    position, dice = CASE_16
    with pytest.raises(IllegalPlayError, match=r"incomplete.*13/7\(3\)"):
        parse_play(text, position, dice)


@pytest.mark.parametrize(
    "text",
    [NO_PLAY, "no play", "pass", "PASS", "-", "--", "Cannot move", "no move", "dance"],
)
def test_nothing_is_played_where_nothing_can_be(text):
    position, dice = CLOSED_OUT
    play = parse_play(text, position, dice)
    assert (play.moves, play.result) == ((), position)
    assert parse_moves(text, position, dice) == ()


def test_the_least_waste_option_decides_what_is_legal():
    # R16: 6/2 3/off wastes nothing, 6/3 3/off one pip.
    position = Position.from_points({6: 1, 3: 1}, {6: 2})
    assert _text_of("6/3 3/off", position, (4, 3)) == "6/off"
    rules = Rules(least_waste=True)
    assert parse_play("6/2 3/off", position, (4, 3), rules=rules)
    with pytest.raises(IllegalPlayError):
        parse_play("6/3 3/off(1)", position, (4, 3), rules=rules)


# --- reading: refused ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("8/4 8/5", "legal is"),
        ("6/5(2) 8/7", "legal is"),
        ("13/7", "legal is"),
        ("bar/24", "legal is"),
        ("8/off", "legal is"),
        ("8/5* 6/5", "marks a hit where none is"),
        ("24/23 24/22/20", "legal is"),
        ("8/5", "incomplete.*'8/5 6/5'"),
        ("pass", "a move is possible"),
        ("8/5 pass", "incomplete"),
        ("13/10 13/12 8/5 6/5 24/23", "legal is"),
    ],
)
def test_a_play_that_is_not_legal_is_refused_with_roll_and_position(text, named):
    with pytest.raises(IllegalPlayError, match=named) as caught:
        parse_play(text, START, (3, 1))
    for part in (repr(text), "3-1", START.id):
        assert part in str(caught.value)


@pytest.mark.parametrize("text", ["bar/24", "13/12", "6/5 6/5"])
def test_moves_are_refused_where_nothing_can_be_played(text):
    position, dice = CLOSED_OUT
    for parse in (parse_play, parse_moves):
        with pytest.raises(IllegalPlayError, match=r"no move is; say '\(no play\)'"):
            parse(text, position, dice)


def test_text_that_can_mean_two_plays_is_refused_with_both():
    # Both ways hit on the 13-point, which is not marked; only one hits on the way.
    with pytest.raises(InvalidNotationError) as caught:
        parse_play("24/13", TWO_WAYS_AND_A_BLOT, (6, 5))
    for part in ("'24/18*/13*'", "'24/13*'", TWO_WAYS_AND_A_BLOT.id, "6-5"):
        assert part in str(caught.value)
    assert _text_of("24/13*", TWO_WAYS_AND_A_BLOT, (6, 5)) == "24/13*"
    assert _text_of("24/18/13", TWO_WAYS_AND_A_BLOT, (6, 5)) == "24/18*/13*"


def test_a_stop_on_a_held_point_is_refused_even_if_the_end_can_be_reached():
    with pytest.raises(IllegalPlayError):
        parse_play("24/19/13", ONE_WAY, (6, 5))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "''"),
        ("   ", "text"),
        (None, "None"),
        (31, "31"),
        ("hello", "'hello'"),
        ("8", "'8'"),
        ("8/", "'8/'"),
        ("8/5/", "'8/5/'"),
        ("8//5", "'8//5'"),
        ("8/5x", "'8/5x'"),
        ("8/5(2", r"'8/5\(2'"),
        ("8/5(0)", "counts 0 checkers"),
        ("8/5(5)", "counts 5 checkers"),
        ("5/8", "'5/8' does not go forward"),
        ("8/8", "'8/8' does not go forward"),
        ("off/8", "does not go forward"),
        ("8/bar", "does not go forward"),
        ("8/5 26/22", "26 is no place"),
        ("99/22", "99 is no place"),
        ("6/off*", "a hit off the board"),
        ("24*/18", r"'24\*/18'"),
        ("-8/5 6/-5", "'6/'"),
        ("8/5 nothing", "'nothing'"),
        ("13/٨", "'13/٨'"),
    ],
)
def test_text_that_is_no_play_is_refused(text, named):
    for parse in (parse_play, parse_moves):
        with pytest.raises(InvalidNotationError, match=named):
            parse(text, START, (3, 1))


def test_a_roll_that_is_none_is_refused():
    with pytest.raises(InvalidOptionError):
        parse_play("8/5 6/5", START, (7, 1))


# --- every legal play comes back -----------------------------------------------------


def _check_plays_come_back(position, dice, plays):
    texts = set()
    for play in plays:
        text = format_play(position, play.moves)
        assert parse_play(text, position, dice).result == play.result, text
        assert parse_moves(text, position, dice)[: len(play.moves)], text
        texts.add(text)
    assert len(texts) == len(plays)


@cache
def _known_positions():
    """The positions of the sample, and of a few random games."""
    positions = [position_of_row(row) for row in sample_rows("xgid")]
    chooser = random.Random(5)
    for _ in range(8):
        position = START
        while position.mover[0] < 15 and position.opponent[0] < 15:
            positions.append(position)
            plays = legal_plays(position, chooser.choice(ROLLS))
            position = chooser.choice(plays).result.swapped()
    return positions


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_every_legal_play_comes_back_from_its_text(data):
    position = data.draw(st.sampled_from(_known_positions()))
    dice = data.draw(st.sampled_from(ROLLS))
    plays = [play for play in legal_plays(position, dice) if play.moves]
    _check_plays_come_back(position, dice, plays[:40])


def test_every_legal_play_of_the_hard_positions_comes_back_from_its_text():
    for row in oracle_rows("hard")[::3]:
        position, dice = Position.from_id(row["id"]), tuple(row["dice"])
        plays = [play for play in legal_plays(position, dice) if play.moves]
        _check_plays_come_back(position, dice, plays)


def test_legal_plays_of_the_corpus_come_back_from_their_text():
    for row in oracle_rows("legal")[::100]:
        position, dice = Position.from_id(row["id"]), tuple(row["dice"])
        plays = [play for play in legal_plays(position, dice) if play.moves]
        _check_plays_come_back(position, dice, plays[::5])


# --- against the rule book: every reading, by brute force ----------------------------


def _makes(sequence, journeys):
    """Whether a sequence of moves is exactly these journeys, in some assignment."""
    if not sequence:
        return not journeys
    (source, die), *later = sequence
    target = max(source - die, 0)
    for index, (here, stop, *rest) in enumerate(journeys):
        if here == source and target >= stop:
            others = [*journeys[:index], *journeys[index + 1 :]]
            left = [target, *rest] if target == stop else [target, stop, *rest]
            if _makes(later, [*others, left] if len(left) > 1 else others):
                return True
    return False


def _readings(position, dice, journeys):
    """The results of all legal sequences that make these journeys, with their hits."""
    sides = (position.mover, position.opponent)
    found = {}
    for sequence in RULE_BOOK.legal_sequences(sides, dice):
        if _makes(sequence, journeys):
            result, hits = sides, set()
            for source, die in sequence:
                if source > die and result[1][25 - source + die] == 1:
                    hits.add(source - die)
                result = RULE_BOOK.make_move(result, source, die)
            found[Position(*result)] = frozenset(hits)
    return found


def _merge_some(sequence, choose):
    """The moves of a sequence as journeys, some of those of one checker merged."""
    journeys = []
    for source, die in sequence:
        target = max(source - die, 0)
        earlier = [journey for journey in journeys if journey[-1] == source]
        if earlier and choose():
            earlier[0].append(target)
        else:
            journeys.append([source, target])
    return [
        [journey[0], *(stop for stop in journey[1:-1] if choose()), journey[-1]]
        for journey in journeys
    ]


def _write(journeys, hits, choose):
    """Text of journeys with some of the hits marked."""
    words, marked = [], set()
    for journey in journeys:
        names = []
        for index, place in enumerate(journey):
            name = {25: "bar", 0: "off"}.get(place, str(place))
            if index and place in hits and choose():
                name += "*"
                marked.add(place)
            names.append(name)
        words.append("/".join(names))
    return " ".join(words), marked


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_text_means_what_brute_force_over_the_rule_book_says(data):
    position = data.draw(st.sampled_from(_known_positions()))
    dice = data.draw(st.sampled_from([(a, b) for a, b in ROLLS if a != b or a > 3]))
    sides = (position.mover, position.opponent)
    sequence = data.draw(st.sampled_from(RULE_BOOK.legal_sequences(sides, dice)))
    if not sequence:
        return
    chooser = random.Random(data.draw(st.integers(0, 2**32)))
    journeys = _merge_some(sequence, lambda: chooser.random() < 0.5)
    chooser.shuffle(journeys)
    readings = _readings(position, dice, journeys)
    own_hits = readings[_result_of(sides, sequence)]
    text, marked = _write(journeys, own_hits, lambda: chooser.random() < 0.7)
    fitting = [result for result, hits in readings.items() if marked <= hits]
    exact = [result for result in fitting if readings[result] == marked]
    meant = exact or fitting
    if len(meant) == 1:
        assert parse_play(text, position, dice).result == meant[0]
    else:
        with pytest.raises(InvalidNotationError):
            parse_play(text, position, dice)


def _result_of(sides, sequence):
    for source, die in sequence:
        sides = RULE_BOOK.make_move(sides, source, die)
    return Position(*sides)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_a_part_of_a_play_is_enough_exactly_if_one_legal_play_contains_it(data):
    position = data.draw(st.sampled_from(_known_positions()))
    dice = data.draw(st.sampled_from([(a, b) for a, b in ROLLS if a != b]))
    sides = (position.mover, position.opponent)
    sequences = RULE_BOOK.legal_sequences(sides, dice)
    source = st.integers(2, 25)
    word = st.tuples(source, st.integers(0, 24)).filter(lambda word: word[0] > word[1])
    part = st.sampled_from([move for moves in sequences for move in moves] or [(8, 3)])
    word |= part.map(lambda move: (move[0], max(move[0] - move[1], 0)))
    words = data.draw(st.lists(word, min_size=1, max_size=2))
    journeys = [list(word) for word in words]
    text, _ = _write(journeys, set(), bool)
    whole = _readings(position, dice, journeys)
    without_hits = {result for result, hits in whole.items() if not hits}
    longer = (
        _result_of(sides, sequence)
        for sequence in sequences
        if _contains(sequence, journeys)
    )
    meant = without_hits or set(whole) or set(longer)
    if len(meant) == 1:
        play = parse_play(text, position, dice)
        assert play.result in meant
        assert play in legal_plays(position, dice)
    else:
        with pytest.raises((IllegalPlayError, InvalidNotationError)) as caught:
            parse_play(text, position, dice)
        assert ("not legal" in str(caught.value)) is (not meant)


def _contains(sequence, journeys):
    """Whether some of a sequence's moves are exactly these journeys."""
    parts = [[]]
    for move in sequence:
        parts += [[*part, move] for part in parts]
    return any(_makes(part, [list(journey) for journey in journeys]) for part in parts)
