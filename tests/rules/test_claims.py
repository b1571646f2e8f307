"""Running out of time (R29): who is flagged, who may claim, what it is worth."""

from __future__ import annotations

from typing import Any

import pytest
from played_games import (
    HOME_ALONE,
    bear_off_last,
    bytes_of,
    game_at,
    play,
    start_game,
    timed,
    times,
)

from bg_env.errors import IllegalActionError
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    CLAIM,
    DOUBLE,
    DROP,
    PASS,
    REFUSE,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.state import BORNE_OFF, CLAIMED

BOTH = pytest.mark.parametrize("player", [0, 1])
CLOSED = dict.fromkeys(range(1, 7), 2)
GAMMON = {8: 15}


def flagged(loser: int, *, on_roll: int = 0, **options: Any) -> GameState:
    """A game at the start of a turn of `on_roll`; `loser` has no reserve left."""
    state = start_game(rules=timed(**options), on_roll=on_roll)
    state.record["reserve"][0, loser] = 0
    return state


# --- flagged ------------------------------------------------------------------------


@BOTH
def test_a_flagged_player_plays_on(player: int) -> None:
    """R29: no reserve left, nobody claims: he may even win."""
    state = game_at(HOME_ALONE, {1: 2}, rules=timed(), on_roll=player)
    state.apply(ROLL, elapsed=500)
    assert state.reserve[player] == 0
    assert not state.is_over
    state.apply(state.legal_decisions()[0])
    assert (state.winner, state.ending) == (player, BORNE_OFF)


@BOTH
def test_the_opponent_of_a_flagged_player_may_claim_at_his_decisions(
    player: int,
) -> None:
    """R29: at each of them; the flagged player himself has no claim."""
    state = flagged(1 - player, on_roll=player)
    assert state.legal_decisions() == [ROLL, DOUBLE, CLAIM]
    state.set_dice(6, 5)
    for move in ((24, 6), (18, 5)):
        assert state.is_legal(CLAIM)
        play(state, move)
    assert state.to_act == 1 - player
    assert not state.is_legal(CLAIM)
    with pytest.raises(IllegalActionError, match="161"):
        state.apply(CLAIM)


def test_a_claim_is_legal_when_passing_taking_and_accepting_too() -> None:
    """R29: every kind of decision of the opponent."""
    lost = game_at({25: 1, 6: 5}, CLOSED, rules=timed(), dice=(6, 5))
    lost.record["reserve"][0, 1] = 0
    assert lost.legal_decisions() == [PASS, CLAIM]
    asked = play(flagged(0, beavers=1), DOUBLE)
    assert asked.legal_decisions() == [TAKE, DROP, BEAVER, CLAIM]
    offered = play(flagged(0, resign="offer"), RESIGN_SINGLE)
    assert offered.legal_decisions() == [ACCEPT, REFUSE, CLAIM]
    for state, winner in ((lost, 0), (asked, 1), (offered, 1)):
        state.apply(CLAIM)
        assert (state.winner, state.cube, state.points) == (winner, 1, 2)


def test_whoever_has_time_left_is_not_claimed_against() -> None:
    """R29: one millisecond is time."""
    state = start_game(rules=timed())
    state.apply(ROLL, elapsed=100.999)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match=r"0\.001 s"):
        state.claim(1)
    assert bytes_of(state) == before
    state.pass_time(0.001)
    state.claim(1)
    assert state.winner == 1


@BOTH
@pytest.mark.parametrize("by_decision", [True, False])
def test_a_claim_is_worth_a_gammon(player: int, by_decision: bool) -> None:
    """R29: 2 × cube, never a backgammon, by decision or at any time."""
    state = flagged(1 - player, on_roll=player)
    if by_decision:
        state.apply(CLAIM)
    else:
        state.claim(player)
    assert (state.winner, state.level, state.points) == (player, 2, 2)
    assert state.ending == CLAIMED
    assert state.score == ((2, 0) if player == 0 else (0, 2))


@BOTH
@pytest.mark.parametrize("on_roll", [0, 1])
def test_a_claim_is_possible_whoever_is_on_turn(player: int, on_roll: int) -> None:
    """R29: `claim(player)` works while the flagged player himself is thinking."""
    state = flagged(1 - player, on_roll=on_roll)
    state.claim(player)
    assert (state.winner, state.points) == (player, 2)


def test_a_claim_is_a_gammon_even_if_the_loser_has_borne_off() -> None:
    """R29: and no backgammon if he is still on the bar."""
    for loser in ({1: 2}, {25: 2, 24: 13}):
        state = game_at(loser, {8: 15}, rules=timed())
        state.pass_time(101)
        state.claim(1)
        assert (state.level, state.points) == (2, 2)


@pytest.mark.parametrize(
    ("decisions", "cube", "points"),
    [((), 1, 2), ((DOUBLE,), 1, 2), ((DOUBLE, TAKE), 2, 4), ((DOUBLE, BEAVER), 2, 4),
     ((DOUBLE, BEAVER, BEAVER), 4, 8), ((DOUBLE, BEAVER, TAKE), 4, 8),
     ((RESIGN_SINGLE + 2,), 1, 2), ((DOUBLE, TAKE, RESIGN_SINGLE), 2, 4)],
)  # fmt: skip
@BOTH
def test_a_claim_takes_the_cube_as_before_the_pending_offer(
    player: int, decisions: tuple[int, ...], cube: int, points: int
) -> None:
    """R29: also while a double, beaver or resignation is pending, by either player."""
    state = start_game(rules=timed(beavers=3, resign="offer"))
    play(state, *decisions)
    state.record["reserve"][0, 1 - player] = 0
    state.claim(player)
    assert (state.cube, state.winner, state.points) == (cube, player, points)
    assert state.offer == 0


def test_if_both_are_flagged_the_first_claim_wins() -> None:
    """R29: whoever makes it."""
    for player in (0, 1):
        state = flagged(0)
        state.record["reserve"][0, 1] = 0
        state.claim(player)
        assert state.winner == player
        with pytest.raises(IllegalActionError, match="over"):
            state.claim(1 - player)
        assert state.winner == player
    both = flagged(0)
    both.record["reserve"][0, 1] = 0
    both.apply(CLAIM, elapsed=3)
    assert both.winner == 0


def test_a_claim_in_time_of_ones_own_flag_counts() -> None:
    """R29: his own clock runs out as he claims; the first claim wins all the same."""
    state = flagged(1)
    state.apply(CLAIM, elapsed=1000)
    assert (state.reserve, state.winner) == ((0, 0), 0)


def test_a_game_won_before_a_claim_stands() -> None:
    """R29: on the board; afterwards there is nothing to claim."""
    state = flagged(0)
    state.record["board"] = game_at(HOME_ALONE, GAMMON).record["board"]
    bear_off_last(state)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match="over"):
        state.claim(1)
    assert bytes_of(state) == before
    assert (state.winner, state.points) == (0, 2)
    state.pass_time(1000)
    assert bytes_of(state) == before


# --- what it is worth ---------------------------------------------------------------


@pytest.mark.parametrize("taken", [False, True])
@pytest.mark.parametrize(("award", "level"), [("gammon", 2), ("single", 1)])
@pytest.mark.parametrize("jacoby", [False, True])
def test_jacoby_touches_a_claim(
    award: Any, level: int, jacoby: bool, taken: bool
) -> None:
    """R29, R22: gammon × cube, × 1 under Jacoby without a double taken."""
    state = start_game(rules=timed(Clock(award=award), jacoby=jacoby))
    if taken:
        play(state, DOUBLE, TAKE)
    state.pass_time(101)
    state.claim(1)
    factor = 1 if jacoby and not taken else level
    assert (state.level, state.points) == (level, (2 if taken else 1) * factor)


def test_a_claim_may_be_worth_the_whole_match() -> None:
    """R29: the option award="match"."""
    rules = timed(Clock(award="match"), match_length=7)
    state = start_game(rules=rules, score=(5, 1))
    state.pass_time(101)
    state.claim(1)
    assert state.score == (5, 7)
    assert (state.points, state.level) == (6, 1)
    assert state.is_match_over
    assert (state.winner, state.ending) == (1, CLAIMED)


@pytest.mark.parametrize(("score", "over"), [((0, 1), False), ((0, 5), True)])
def test_a_claim_in_a_match_is_a_gammon_of_the_match(
    score: tuple[int, int], over: bool
) -> None:
    """R29: award="gammon": 2 × cube are added."""
    state = start_game(rules=timed(match_length=7), score=score)
    state.pass_time(101)
    state.claim(1)
    assert state.score == (0, score[1] + 2)
    assert state.is_match_over is over


# --- lost without a claim -----------------------------------------------------------


@BOTH
def test_us_tournament_loses_the_match_at_once(player: int) -> None:
    """R29, presets: 12 s a turn, 2 min × N for the match, no claim is needed."""
    rules = Rules.preset("us-tournament", match_length=5)
    state = start_game(rules=rules, on_roll=player, score=(3, 3))
    assert times(state, player) == (12, 600)
    state.apply(ROLL, elapsed=611.999)
    assert not state.is_over
    state.apply(state.legal_decisions()[0], elapsed=0.001)
    assert state.is_match_over
    assert (state.winner, state.ending) == (1 - player, CLAIMED)
    assert state.score[1 - player] == 5
    assert state.score[player] == 3


def test_a_decision_that_comes_too_late_decides_nothing() -> None:
    """R29: the clock runs before the decision: a winning move is not made."""
    rules = timed(Clock(flag="loses"))
    state = game_at(HOME_ALONE, GAMMON, rules=rules, dice=(6, 5))
    state.apply(move_code(1, 6), elapsed=200)
    assert (state.winner, state.ending, state.points) == (1, CLAIMED, 2)
    assert state.position.mover[1] == 1


def test_running_out_while_a_double_is_pending_loses_the_old_stake() -> None:
    """R29: the answerer is out of time: the cube as before the offer, a gammon."""
    state = start_game(rules=timed(Clock(flag="loses")))
    state.apply(DOUBLE)
    state.apply(TAKE, elapsed=101)
    assert (state.winner, state.cube, state.points) == (0, 1, 2)


@pytest.mark.parametrize("length", [1, 3, 7, 11])
def test_the_reserve_of_us_tournament_grows_with_the_match(length: int) -> None:
    """R29, presets: 2 minutes a point."""
    clock = Rules.preset("us-tournament", match_length=length).clock
    assert clock is not None
    assert clock.reserve_seconds == 120 * length
    assert (clock.turn_seconds, clock.renewed) == (12, "match")
    assert (clock.flag, clock.award) == ("loses", "match")
