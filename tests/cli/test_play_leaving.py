"""`bg-env play` without a terminal: leaving, failures, and what is kept."""

from __future__ import annotations

import pytest
from arena_agents import FirstPlay
from play_script import (
    NAMES,
    Script,
    match_at,
    said,
    talk_of,
)

from bg_env import agent as agents
from bg_env.cli._play_files import Keeper, Settings, load_table, read_settings
from bg_env.cli._play_talk import TableTalk
from bg_env.errors import EngineError
from bg_env.rules.options import Rules
from bg_env.table import Match, Session


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    monkeypatch.setattr(agents, "_registered", {"first": FirstPlay})


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


def test_a_board_that_alternates_is_flipped_to_the_other_side():
    screen = said(lines=["resign", "no", "flip", "flip"], home="alternate")
    drawn = [line[8:13] for line in screen.shown if "24-" in line or "-24" in line]
    assert drawn == ["13-14", "24-23", "13-14"]


def test_going_on_tells_the_last_things_done(tmp_path):
    path = tmp_path / "match.json"
    said(lines=["13/11 13/8", "", "quit"], path=path)
    again = load_table(str(path), (None, FirstPlay()))
    screen = said(again, ["log all", "quit"], path=path)
    assert "Going on with game 1. Score: You 0, Bea 0, match to 5." in screen.text
    assert "You: 52: 13/11 13/8" in screen.text
