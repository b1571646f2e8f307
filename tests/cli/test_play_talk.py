"""`bg-env play` without a terminal: what is typed, what is answered, what is kept."""

from __future__ import annotations

import random
import string

import pytest
from arena_agents import AnyPlay, FirstPlay
from play_script import (
    Doubling,
    HandTime,
    Player,
    Resigning,
    Script,
    obvious,
    said,
    talk_of,
)

from bg_env import agent as agents
from bg_env.cli._play_files import Keeper, Settings, load_table, read_settings
from bg_env.cli._play_talk import TableTalk
from bg_env.errors import EngineError
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.table import Match, Session

NAMES = ("You", "Bea")


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    monkeypatch.setattr(agents, "_registered", {"first": FirstPlay})


def match_at(position=None, *, agent="first", length=5, time_source=None, **details):
    """A match in the midst of a game; on roll is the person."""
    rules = details.pop("rules", Rules(match_length=length, resign="offer"))
    state = GameState.from_position(
        position or Position.start(), rules=rules, seed=4, **details
    )
    kind = Match if rules.match_length else Session
    more = {} if time_source is None else {"time_source": time_source}
    return kind(state=state, players=(None, agent), names=NAMES, **more)


def side(**places):
    """26 counts of a side: p6=3 puts three checkers on the 6 point."""
    counts = [0] * 26
    for place, count in places.items():
        counts[int(place[1:])] = count
    counts[0] = 15 - sum(counts)
    return tuple(counts)


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


# --- the cube and resigning -----------------------------------------------------------


def test_a_double_is_taken_or_dropped():
    state = GameState.from_position(
        Position.start(), rules=Rules(match_length=5, resign="offer"), on_roll=1
    )
    taken = Match(state=state, players=(None, Doubling()), names=NAMES)
    screen = said(taken, ["roll", "t"])
    assert screen.prompts[0] == "take or drop> "
    assert "You take" in screen.text
    assert (taken.game.cube, taken.game.cube_owner) == (2, 0)
    dropped = Match(state=state, players=(None, Doubling()), names=NAMES)
    screen = said(dropped, ["pass", "quit"])
    assert "You drop; Bea wins a single game, 1 point" in screen.text
    assert "Score: You 0, Bea 1, match to 5." in screen.text
    assert screen.prompts[-1] == "next game> "


def test_a_double_is_beavered_where_the_rules_have_it():
    rules = Rules(beavers=1, resign="offer")
    state = GameState.from_position(Position.start(), rules=rules, on_roll=1)
    session = Session(state=state, players=(None, Doubling()), names=NAMES)
    screen = said(session, ["beaver"])
    assert screen.prompts[0] == "take, drop or beaver> "
    assert "You beaver to 4" in screen.text


def test_a_resignation_is_refused_and_accepted():
    state = GameState.from_position(
        Position.start(), rules=Rules(match_length=5, resign="offer"), on_roll=1
    )
    match = Match(state=state, players=(None, Resigning()), names=NAMES)
    screen = said(match, ["roll", "accept", "quit"])
    assert screen.prompts[0] == "accept or refuse> "
    assert "roll is not possible now (awaited: accept or refuse)" in screen.text
    assert match.score == (2, 0)


def test_resigning_asks_whether_it_is_meant():
    match = match_at()
    lines = ["resign", "", "resign g", "no", "resign backgammon", "YES", "quit"]
    screen = said(match, lines)
    assert screen.text.count("Nothing is resigned.") == 2
    assert match.score == (0, 3)


def test_a_level_that_was_refused_cannot_be_offered_again():
    match = match_at()
    screen = said(match, ["resign single", "y", "resign single"])
    assert "Bea refuses" in screen.text
    assert "You can resign gammon or resign backgammon" in screen.text


# --- dice thrown by hand --------------------------------------------------------------


def test_all_dice_can_be_thrown_by_hand():
    match = Match(5, seed=3, players=(None, FirstPlay()), names=NAMES)
    lines = ["roll", "77", "roll 3", "33", "3 1", "8/5 6/5", "", "6-4", "roll 52"]
    screen = said(match, lines, hand_dice=True)
    assert screen.prompts[0] == "opening dice: yours, then Bea's> "
    assert "type the roll, such as 31" in screen.text
    assert "'77' is no roll; type two dice of 1 to 6" in screen.text
    assert "Opening roll: You begin with 31" in screen.text
    assert "dice of Bea> " in screen.prompts
    assert "your dice or double> " in screen.prompts
    assert "An opening tie (3, 3) is rolled again" in screen.text
    assert [(event.kind, event.dice) for event in match.game.history] == [
        ("roll", (3, 1)), ("play", (3, 1)),
        ("roll", (6, 4)), ("play", (6, 4)),
        ("roll", (5, 2)),
    ]  # fmt: skip


def test_the_agent_may_double_before_its_roll_by_hand():
    state = GameState.from_position(
        Position.start(), rules=Rules(match_length=5, resign="offer"), on_roll=1
    )
    match = Match(state=state, players=(None, Doubling()), names=NAMES)
    screen = said(match, ["take", "double", "resign", "12"], hand_dice=True)
    assert screen.prompts[:2] == ["take or drop> ", "dice of Bea> "]
    assert "double is not possible now" in screen.text
    assert "resign is not possible now" in screen.text
    assert match.game.history[2].dice == (1, 2)


# --- the clock ------------------------------------------------------------------------


def timed_match(flag, clock):
    time = Clock(turn_seconds=10, reserve_seconds=60, flag=flag)
    rules = Rules(match_length=5, resign="offer", clock=time)
    return match_at(rules=rules, time_source=clock)


def test_the_prompt_shows_the_time_left():
    clock = HandTime()

    def slow(talk):
        clock.passes(12)
        return "score"

    player = Player(slow)
    talk, screen = talk_of(timed_match("claim", clock), player)
    player.talk = talk
    player.choose = lambda talk: slow(talk) if len(screen.prompts) < 3 else "quit"
    talk.run()
    assert screen.prompts == [
        "[10 + 60 s] roll or double> ",
        "[0 + 58 s] roll or double> ",
        "[0 + 46 s] roll or double> ",
    ]
    assert "0 s of the turn and 58 s in reserve" in screen.text
    assert "claim" not in talk.play.commands


def test_time_that_runs_out_ends_the_game_before_the_line_counts():
    clock = HandTime()
    match = timed_match("loses", clock)

    def late(talk):
        clock.passes(71)
        return "quit" if match.game.is_over else "roll"

    player = Player(late)
    talk, screen = talk_of(match, player)
    player.talk = talk
    talk.run()
    assert "You are out of time; Bea wins" in screen.text
    assert match.score[1] > 0


def test_a_game_is_claimed_when_the_opponent_has_no_time_left():
    clock = HandTime()

    class Slow(FirstPlay):
        def choose(self, states, boards, offsets, streams):
            clock.passes(200)
            return super().choose(states, boards, offsets, streams)

    rules = Rules(match_length=5, resign="offer", clock=Clock())
    match = match_at(rules=rules, agent=Slow(), time_source=clock)
    screen = said(match, ["claim", "roll", "plays", "1", "", "claim", "quit"])
    assert "Bea has time left" in screen.text
    assert "You claim on time" in screen.text
    assert match.score == (2, 0)


# --- leaving --------------------------------------------------------------------------


def test_the_end_of_the_input_keeps_the_match_and_says_how_to_go_on(tmp_path):
    path = tmp_path / "my match.json"
    screen = said(lines=["13/8"], path=path)
    assert "The input has ended." in screen.text
    assert screen.shown[-1] == f"  bg-env play --resume '{path}'"
    kept = load_table(str(path), (None, None))
    assert kept.game.moves != ()


def test_ctrl_c_drops_a_line_and_leaves_when_pressed_twice(tmp_path):
    path = tmp_path / "match.json"
    lines = [KeyboardInterrupt, "13/8", KeyboardInterrupt, KeyboardInterrupt]
    talk, screen = talk_of(lines=lines, path=path)
    with pytest.raises(KeyboardInterrupt):
        talk.run()
    assert screen.text.count("That line is dropped") == 2
    assert "--resume" in screen.shown[-1]
    assert load_table(str(path), (None, None)).game.moves == talk.play.game.moves != ()


def test_ctrl_c_at_a_question_resigns_nothing():
    match = match_at()
    said(match, ["resign", KeyboardInterrupt, "quit"])
    assert match.game.history == ()


def test_ctrl_c_while_an_agent_thinks_leaves_with_the_last_state_kept(tmp_path):
    path = tmp_path / "match.json"

    class Stopped(FirstPlay):
        def choose(self, states, boards, offsets, streams):
            raise KeyboardInterrupt

    match = match_at(agent=Stopped())
    talk, _ = talk_of(match, ["roll", "plays", "1", ""], path=path)
    with pytest.raises(KeyboardInterrupt):
        talk.run()
    kept = load_table(str(path), (None, None))
    assert kept.game.log[1].startswith("You: ")
    assert kept.log == match.log


def test_an_agent_that_fails_is_one_sentence_and_the_match_is_kept(tmp_path):
    path = tmp_path / "match.json"

    class Broken(FirstPlay):
        def choose(self, states, boards, offsets, streams):
            raise ZeroDivisionError("no plan")

    talk, screen = talk_of(
        match_at(agent=Broken()), ["roll", "plays", "1", ""], path=path
    )
    with pytest.raises(EngineError, match="'first' failed: ZeroDivisionError: no plan"):
        talk.run()
    assert "--resume" in screen.shown[-1]
    assert load_table(str(path), (None, None)).log == talk.play.table.log


def test_a_session_ends_with_its_sheet():
    session = Session(
        Rules(resign="offer"), seed=2, players=(None, FirstPlay()), names=NAMES
    )
    screen = said(session, ["resign backgammon", "y", "", "quit"])
    assert "Game 2." in screen.text
    assert "Bea 3 0, 3 (a backgammon, cube 1)" in screen.text


# --- keeping --------------------------------------------------------------------------


def test_a_match_that_cannot_be_kept_goes_on_and_can_be_saved_elsewhere(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    path, other = away / "match.json", tmp_path / "other.json"

    def lines():
        yield "13/8"
        path.unlink()
        away.rmdir()
        yield "13/11"
        yield f"save {other}"
        yield "quit"

    screen = said(lines=lines(), path=path)
    assert "cannot be written" in screen.text
    assert "(save FILE keeps the match elsewhere.)" in screen.text
    assert f"The match is kept in {other}." in "".join(screen.shown) or other.exists()
    assert len(load_table(str(other), (None, None)).game.moves) == 2


def test_saving_in_another_file_moves_the_match_there(tmp_path):
    own, named = tmp_path / "own.json", tmp_path / "named.json"
    taken = tmp_path / "taken.json"
    taken.write_text("mine")
    match = Match(5, seed=3, players=(None, FirstPlay()), names=NAMES)
    lines = [f"save {taken}", f"save {named}", "13/8", "save", "quit"]
    screen = Script(lines)
    TableTalk(
        match, Settings("first", "first"), screen, Keeper(own, is_own=False)
    ).run()
    assert "is there already" in screen.text
    assert taken.read_text() == "mine"
    assert not own.exists()
    assert len(load_table(str(named), (None, None)).game.moves) == 1


def test_a_finished_match_stays_in_a_file_that_was_named_only(tmp_path):
    for is_own in (True, False):
        path = tmp_path / f"{is_own}.json"
        match = match_at(length=1)
        screen = Script(["resign backgammon", "yes"])
        TableTalk(
            match, Settings("first", "first"), screen, Keeper(path, is_own=is_own)
        ).run()
        assert match.is_over
        assert path.exists() is is_own


def test_settings_are_kept_and_the_board_can_be_flipped(tmp_path):
    path = tmp_path / "match.json"
    screen = said(lines=["flip", "board theirs"], path=path, hand_dice=False)
    assert "+24-23-22-21-20-19" in screen.text
    assert read_settings(str(path)) == Settings("first", "first", home="left")


def test_going_on_tells_the_last_things_done(tmp_path):
    path = tmp_path / "match.json"
    said(lines=["13/11 13/8", "", "quit"], path=path)
    again = load_table(str(path), (None, FirstPlay()))
    screen = said(again, ["log all", "quit"], path=path)
    assert "Going on with game 1. Score: You 0, Bea 0, match to 5." in screen.text
    assert "You: 52: 13/11 13/8" in screen.text


# --- hints ----------------------------------------------------------------------------


def test_hints_rate_plays_and_the_cube(monkeypatch):
    monkeypatch.setattr(agents, "_registered", {"first": FirstPlay})
    screen = said(match_at(), ["hint", "roll", "hint", "2"], hints="td")
    assert "td says: No double, take." in screen.text
    assert "Equity of no double" in screen.text
    assert "says td:" in screen.text
    assert screen.prompts[-1].startswith("Enter confirms")
    assert screen.widest <= 80


def test_an_agent_that_rates_nothing_says_what_it_would_do():
    screen = said(match_at(), ["hint", "roll", "hint"], hints="first")
    assert "first would roll." in screen.text
    assert "first would play" in screen.text


def test_answers_to_doubles_and_resignations_have_hints():
    rules = Rules(match_length=5, resign="offer")
    state = GameState.from_position(Position.start(), rules=rules, on_roll=1)
    match = Match(state=state, players=(None, Doubling()), names=NAMES)
    assert "td says: Take." in said(match, ["hint"], hints="td").text
    match = Match(state=state, players=(None, Resigning()), names=NAMES)
    assert "td would accept." in said(match, ["hint"], hints="td").text


def test_a_lost_roll_has_no_hint():
    closed = side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p8=3)
    match = match_at(Position(side(p25=1, p6=2), closed), dice=(6, 5))
    assert "There is nothing to choose" in said(match, ["hint"]).text
