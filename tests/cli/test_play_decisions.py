"""`bg-env play` without a terminal: cube, resigning, dice by hand, clock, hints."""

from __future__ import annotations

import pytest
from arena_agents import FirstPlay
from play_script import (
    NAMES,
    Doubling,
    HandTime,
    Player,
    Resigning,
    match_at,
    said,
    side,
    talk_of,
)

from bg_env import agent as agents
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.table import Match, Session


@pytest.fixture(autouse=True)
def known_agents(monkeypatch):
    monkeypatch.setattr(agents, "_registered", {"first": FirstPlay})


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
