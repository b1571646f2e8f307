"""`bg-env play` without a terminal: a whole match, wrong lines, a turn."""

from __future__ import annotations

import random
import string

import pytest
from arena_agents import AnyPlay, FirstPlay
from play_script import (
    NAMES,
    Player,
    match_at,
    obvious,
    said,
    side,
    talk_of,
)

from bg_env import agent as agents
from bg_env.cli._play_files import load_table
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.table import Match


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    monkeypatch.setattr(agents, "_registered", {"first": FirstPlay})


# --- a whole match --------------------------------------------------------------------


@pytest.mark.parametrize("unicode", [False, True])
def test_a_match_is_played_to_its_end_within_80_columns(unicode):
    player = Player(obvious)
    match = Match(3, seed=9, players=(None, AnyPlay()), names=NAMES)
    talk, screen = talk_of(match, player, unicode=unicode)
    player.talk = talk
    talk.run()
    assert match.is_over
    winner, loser = match.winner, 1 - match.winner
    assert f"{NAMES[winner]} ha" in screen.shown[-1]
    assert screen.shown[-1].endswith(
        f"won the match, {match.score[winner]} to {match.score[loser]}."
    )
    assert screen.widest <= 80
    assert "\x1b" not in screen.text
    assert screen.text.isascii() is not unicode
    told = [line for line in match.log if line[:5] not in ("Bea r", "Game ")]
    for line in told:
        assert " ".join(line.split()) in screen.text


def test_after_every_line_the_file_holds_the_match_as_it_is(tmp_path):
    path = tmp_path / "match.json"
    lines = 0

    def checked(talk):
        nonlocal lines
        lines += 1
        if lines % 4 == 1:
            kept = load_table(str(path), (None, None))
            assert kept.game.state == talk.play.game.state
            assert kept.game.moves == talk.play.game.moves
            assert kept.log == talk.play.table.log
        if lines % 7 == 0:
            return "nonsense"
        return obvious(talk)

    player = Player(checked)
    match = Match(1, seed=9, players=(None, AnyPlay()), names=NAMES)
    talk, _ = talk_of(match, player, path=path)
    player.talk = talk
    talk.run()
    assert lines > 40
    assert load_table(str(path), (None, None)).winner == match.winner


# --- wrong lines ----------------------------------------------------------------------

WRONG = [
    ("", "Awaited: play 52"),
    ("   ", "Awaited: play 52"),
    ("xyzzy", "'xyzzy' is neither a command nor a play"),
    ("you and me", "neither a command nor a play"),
    ("\x00\x1b[2J", "neither a command nor a play"),
    ("24/1", "'24/1' with 5-2 is not legal"),
    ("24-1", "'24-1' with 5-2 is not legal"),
    ("6/1*", "is not legal"),
    ("8/5/", "is not like 13/8"),
    ("13/8 13/8 13/8", "is not legal"),
    ("bar/20", "is not legal"),
    ("(no play)", "is not legal"),
    ("7", "There is no list to choose 7 from"),
    ("99999999999999999999", "There is no list"),
    ("3 1", "neither a command nor a play"),
    ("١٢", "neither a command nor a play"),
    ("roll", "roll is not possible now (awaited: play 52)"),
    ("roll 31", "roll is not possible now"),
    ("double", "one doubles before the roll"),
    ("take", "take is not possible now"),
    ("drop", "drop is not possible now"),
    ("beaver", "beaver is not possible now"),
    ("accept", "accept is not possible now"),
    ("refuse", "refuse is not possible now"),
    ("claim", "there is no clock"),
    ("done", "done is not possible now"),
    ("undo", "no move is open"),
    ("next", "next is not possible now"),
    ("d", "'d' can mean double or drop or done"),
    ("help me", "help takes nothing after it; leave out 'me'"),
    ("plays now", "plays takes nothing after it"),
    ("resign all", "not resign 'all'"),
    ("board mine", "Type board or board theirs"),
    ("log some", "Type log or log all"),
    ("save", "has no file yet"),
    ("x" * 5000, "has 5,000 characters"),
]


@pytest.mark.parametrize(("line", "words"), WRONG, ids=[repr(w[0])[:20] for w in WRONG])
def test_a_wrong_line_is_answered_and_changes_nothing(line, words):
    talk, screen = talk_of(lines=[line])
    before = Match(5, seed=3, players=(None, "first"), names=NAMES)
    before.do("roll")
    talk.run()
    assert words in screen.text
    assert talk.play.game.state == before.game.state
    assert talk.play.game.moves == ()
    assert screen.widest <= 80
    assert screen.prompts == ["play 52> ", "play 52> "]


def test_numbers_out_of_the_list_are_answered():
    screen = said(lines=["plays", "0", "9", "-1", "99999999999999999999999", "8"])
    assert "8 plays are legal" in screen.text
    assert "goes from 1 to 8, not to 0." in screen.text
    assert "goes from 1 to 8, not to 9." in screen.text
    assert screen.prompts[-1].startswith("Enter confirms 52: 8/3 6/4")


def test_any_line_at_all_is_answered():
    dice = random.Random(6)
    letters = [
        *(string.printable * 2),
        "\x00",
        "\x7f",
        "é",
        "●",
        "\ud800",
        "\U0001f600",
    ]
    starts = ["", "resign ", "undo ", "board ", "13/", "(", "roll ", "log ", "8-"]
    lines = [
        dice.choice(starts) + "".join(dice.choices(letters, k=dice.randrange(9)))
        for _ in range(400)
    ]
    lines = [
        line for line in lines if line.strip().lower() not in ("quit", "q", "exit")
    ]
    screen = said(lines=lines, unicode=True)
    assert len(screen.prompts) > 400
    assert screen.widest <= 80


@pytest.mark.parametrize(
    ("score", "words"),
    [((4, 2), "in the Crawford game nobody doubles"), ((0, 0), "")],
)
def test_doubling_where_the_rules_allow_it_and_not_in_the_crawford_game(score, words):
    match = match_at(score=score)
    talk, screen = talk_of(match, ["double"])
    talk.run()
    assert words in screen.text
    assert match.game.cube == (1 if words else 2)


def test_only_the_owner_of_the_cube_may_double():
    match = match_at(cube=2, cube_owner=1, agent="first")
    screen = said(match, ["double"])
    assert "Bea owns the cube" in screen.text


def test_a_game_without_a_cube_says_so():
    session = match_at(rules=Rules(cube=False, resign="offer"))
    screen = said(session, ["double"])
    assert "this game has no cube" in screen.text


# --- a turn ---------------------------------------------------------------------------


def test_moves_are_made_one_by_one_taken_back_and_confirmed():
    talk, screen = talk_of(
        lines=[
            "13/8",
            "undo",
            "24/22",
            "13/8",
            "undo all",
            "13/8 13/11",
            "2",
            "",
            "log",
        ]
    )
    talk.run()
    assert screen.prompts[1] == "play 52, left 2> "
    assert screen.prompts[2] == "play 52> "
    assert screen.prompts[4] == "Enter confirms 52: 24/22 13/8> "
    assert screen.prompts[5] == "play 52> "
    assert talk.play.game.log[1] == "You: 52: 13/11 13/8"


def test_a_number_takes_the_open_moves_back_first():
    screen = said(lines=["plays", "24/22", "2"])
    assert screen.prompts[-1] == "Enter confirms 52: 13/11 13/8> "


def test_a_complete_play_takes_no_more_moves():
    screen = said(lines=["13/11 13/8", "8/5"])
    assert "The play is complete: Enter confirms it" in screen.text


def test_a_confirmed_play_is_final():
    screen = said(lines=["13/11 13/8", "done", "undo"])
    assert "a play that is confirmed is final" in screen.text


def test_the_list_of_a_turn_is_forgotten_in_the_next():
    screen = said(lines=["plays", "1", "", "roll", "1"])
    assert "There is no list to choose 1 from" in screen.text


def test_the_only_legal_play_is_laid_down_and_can_be_taken_back():
    position = Position(side(p1=1), side(p5=2, p6=2))
    match = match_at(position, dice=(6, 1))
    talk, screen = talk_of(match, ["undo", "board", "1/off"])
    talk.run()
    assert "Only one play is legal: 1/off." in screen.text
    assert screen.text.count("Only one play") == 1
    assert screen.prompts[0] == "Enter confirms 61: 1/off> "
    assert screen.prompts[1] == "play 61> "


def test_a_lost_roll_waits_for_enter():
    closed = side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p8=3)
    position = Position(side(p25=1, p6=2), closed)
    match = match_at(position, dice=(6, 5))
    talk, screen = talk_of(match, ["25/20", "plays", ""])
    talk.run()
    assert "No play is legal: Enter passes the turn." in screen.text
    assert match.game.log[0] == "You: 65: (no play)"


def test_the_roll_needs_no_word_where_nothing_else_can_be_done():
    match = match_at(score=(4, 0))  # the Crawford game
    screen = said(match)
    assert "You roll" in screen.text
    assert screen.prompts[0].startswith("play ")


@pytest.mark.parametrize(
    ("typed", "done"), [("rol", "You roll"), ("dou", "You double"), ("D", "You double")]
)
def test_the_beginning_of_a_command_is_enough(typed, done):
    assert done in said(match_at(), [typed]).text
