"""The clock at the table (R29): real time by any source, claims at any moment."""

from __future__ import annotations

from typing import Any

import pytest
from table_games import HandTime, everything

from bg_env.errors import (
    IllegalActionError,
    InvalidOptionError,
    UnknownNameError,
)
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.table import CLOCK_PRESETS, Game, Match, TableClock, clock_preset

SHEET_B = Clock()
TIMED = Rules(clock=SHEET_B, resign="offer")


def timed_game(rules: Rules = TIMED, **details: Any) -> tuple[Game, HandTime]:
    """A game in a later turn from the start position, on a clock turned by hand."""
    time = HandTime()
    details = {"rules": rules, **details}
    game = Game.from_position(Position.start(), details=details, time_source=time)
    return game, time


# --- presets ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "length", "expected"),
    [
        ("timed", 7, Clock(turn_seconds=11, reserve_seconds=90)),
        ("us-tournament", 7, (12, 840)),
        ("us-tournament", 11, (12, 1320)),
        ("us-tournament", 4, (12, 480)),
    ],
)
def test_the_times_of_sheet_b_and_of_us_tournaments(
    name: str, length: int, expected: Any
) -> None:
    """R29: 11 s + 90 s a game; 12 s + 2 min a point of the match."""
    clock = clock_preset(name, length)
    if isinstance(expected, Clock):
        assert clock == expected
    else:
        assert (clock.turn_seconds, clock.reserve_seconds) == expected
        assert (clock.renewed, clock.flag, clock.award) == ("match", "loses", "match")


def test_a_clock_preset_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="us-tournament"):
        clock_preset("fide")
    assert CLOCK_PRESETS == ("timed", "us-tournament")


# --- the stopwatch ------------------------------------------------------------------


def test_a_stopwatch_gives_whole_milliseconds_and_keeps_the_rest() -> None:
    time = HandTime()
    clock = TableClock(time)
    time.passes(0.0016)
    assert clock.take() == 0.001
    time.passes(0.0005)
    assert clock.take() == 0.001
    time.passes(2)
    clock.pause()
    clock.pause()
    time.passes(100)
    assert not clock.is_running
    assert clock.elapsed == 2
    clock.resume()
    time.passes(1)
    assert clock.elapsed == 3
    clock.restart()
    assert clock.elapsed == 0


def test_a_source_of_time_that_falls_costs_nothing() -> None:
    time = HandTime()
    clock = TableClock(time)
    time.passes(-50)
    assert clock.elapsed == 0
    time.passes(1e9)
    assert clock.elapsed == 1_000_000


# --- whose time runs ----------------------------------------------------------------


def test_the_time_of_the_player_to_act_runs_as_it_passes() -> None:
    """R29: the turn first, then the reserve; from roll to confirmation one turn."""
    game, time = timed_game()
    time.passes(4)
    assert game.times(0) == (7, 90)
    game.roll((3, 1))
    time.passes(3)
    game.move("8/5")
    game.take_back()
    time.passes(6)
    assert game.times(0) == (0, 88)
    game.play("8/5 6/5", confirm=True)
    assert game.times(0) == (0, 88)
    assert game.times(1) == (11, 90)
    assert [event.elapsed for event in game.history] == [4, 9]
    time.passes(1)
    assert game.times(1) == (10, 90)
    assert game.times(0) == (0, 88)


def test_answering_a_double_is_a_turn_of_its_own() -> None:
    """R29: then the turn of the player who doubled goes on where it stood."""
    game, time = timed_game()
    time.passes(5)
    game.double()
    time.passes(20)
    assert game.times(1) == (0, 81)
    game.take()
    assert game.times(0) == (6, 90)


def test_no_time_passes_before_the_opening_roll_or_after_the_game() -> None:
    """R29: nobody's decision is awaited."""
    time = HandTime()
    game = Game(TIMED, seed=1, time_source=time)
    time.passes(500)
    game.roll((6, 1))
    assert game.times(0) == (11, 90)
    time.passes(2)
    game.play("13/7 8/7", confirm=True)
    assert game.history[-1].elapsed == 2
    game.double()
    game.drop()
    time.passes(500)
    assert game.times(0) == (11, 90)
    assert game.flags == (False, False)


def test_a_refused_decision_takes_no_time_from_the_next_one() -> None:
    """R29: time that passes while wrong things are said is his all the same."""
    game, time = timed_game()
    time.passes(5)
    with pytest.raises(IllegalActionError):
        game.take()
    time.passes(2)
    game.roll()
    assert game.history[-1].elapsed == 7


def test_a_pause_stops_the_clock() -> None:
    game, time = timed_game()
    time.passes(1)
    game.pause()
    time.passes(100)
    game.resume()
    time.passes(1)
    assert game.times(0) == (9, 90)


def test_taking_back_a_turn_gives_its_time_back() -> None:
    game, time = timed_game()
    time.passes(50)
    game.roll((3, 1))
    game.undo()
    assert game.times(0) == (11, 90)


def test_without_a_clock_no_time_is_measured() -> None:
    game = Game(seed=1, time_source=HandTime())
    game.roll()
    assert game.history[-1].elapsed == 0
    assert game.times(0) == (0, 0)
    assert game.flags == (False, False)
    game.pause()
    game.resume()
    assert game.tick() is None


# --- claims -------------------------------------------------------------------------


def test_r29_a_claim_works_while_the_flagged_player_is_thinking() -> None:
    """R29: at any moment, whoever is on turn; 2 × cube."""
    game, time = timed_game()
    game.roll((3, 1))
    game.move("8/5")
    time.passes(101)
    assert game.flags == (True, False)
    text = str(game.claim(1))
    assert text == "player 1 claims on time; player 1 wins a gammon, 2 points"
    assert game.moves == ()


@pytest.mark.parametrize("after", ["double", "resign single"])
def test_r29_a_claim_works_while_an_offer_is_pending(after: str) -> None:
    """R29: the cube as before the offer."""
    game, time = timed_game()
    time.passes(150)
    game.do(after)
    assert "claim" in game.legal()
    game.claim()
    assert (game.winner, game.points) == (1, 2)


def test_r29_the_player_who_let_the_flag_fall_plays_on() -> None:
    """R29: until the claim; also beside a lost or complete play."""
    game, time = timed_game()
    time.passes(150)
    game.roll((3, 1))
    game.play("8/5 6/5", confirm=True)
    assert "claim" in game.legal()
    game.roll((6, 5))
    assert "claim" in game.legal()
    game.play("24/13")
    assert game.legal() == ["claim", "confirm", "take back"]
    game.do("claim")
    assert game.winner == 1


@pytest.mark.parametrize("passed", [0, 10, 100.999])
@pytest.mark.parametrize("player", [0, 1, None])
def test_r29_a_claim_without_a_flag_fall_is_refused(
    passed: float, player: int | None
) -> None:
    """R29: one sentence, nothing changed, the clock not even stopped."""
    game, time = timed_game()
    time.passes(passed)
    before = everything(game)
    with pytest.raises(IllegalActionError, match=r"s of reserve\.$") as caught:
        game.claim(player)
    assert "\n" not in str(caught.value)
    assert everything(game) == before
    time.passes(1)
    game.roll()
    assert game.history[-1].elapsed == passed + 1


def test_r29_a_claim_by_nobody_is_refused() -> None:
    """R29."""
    game, _ = timed_game()
    before = everything(game)
    with pytest.raises(InvalidOptionError, match="player is 0 or 1"):
        game.claim(2)
    with pytest.raises(InvalidOptionError, match="player is 0 or 1"):
        game.times(2)
    assert everything(game) == before


def test_r29_where_time_ends_the_game_the_next_decision_comes_too_late() -> None:
    """R29, US tournaments: without a claim, the whole match."""
    rules = Rules.preset("us-tournament", match_length=5)
    game, time = timed_game(rules)
    time.passes(12 + 600)
    assert str(game.roll((3, 1))) == (
        "player 0 is out of time; player 1 wins a single game, 5 points and the match"
    )
    assert game.score == (0, 5)


def test_r29_a_tick_ends_the_game_when_time_has_ended_it() -> None:
    """R29: for boards that ask now and then."""
    rules = Rules.preset("us-tournament", match_length=5)
    game, time = timed_game(rules, score=(4, 1), crawford=False)
    time.passes(611.9)
    assert game.tick() is None
    assert game.history == ()
    time.passes(0.2)
    event = game.tick()
    assert event is not None
    assert event.kind == "time"
    assert game.winner == 1
    assert game.tick() is None


def test_r29_the_reserve_of_a_match_is_not_renewed_in_the_next_game() -> None:
    """R29: ``renewed="match"``; each game's clock begins after its opening roll."""
    time = HandTime()
    match = Match("us-tournament", seed=1, time_source=time)
    match.game.roll((6, 1))
    time.passes(100)
    match.game.play("13/7 8/7", confirm=True)
    match.game.do("double")
    match.game.do("drop")
    time.passes(10_000)
    game = match.next_game()
    time.passes(10_000)
    game.roll((6, 1))
    assert game.times(0) == (12, 840 - 88)
    assert game.times(1) == (12, 840)
