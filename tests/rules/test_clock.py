"""The clock (R29): whose time runs, how answers pause it, when it is renewed."""

from __future__ import annotations

from typing import Any

import numpy as np
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

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules.decisions import (
    BEAVER,
    CLAIM,
    DOUBLE,
    PASS,
    REFUSE,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.state import OPENING

BOTH = pytest.mark.parametrize("player", [0, 1])
CLOSED = dict.fromkeys(range(1, 7), 2)
GAMMON = {8: 15}

# --- whose time runs ----------------------------------------------------------------


def test_the_clock_of_the_preset_is_eleven_and_ninety_seconds() -> None:
    """R29: sheet B; without the option there is no clock."""
    state = GameState.new(Rules.preset("timed"))
    assert times(state, 0) == times(state, 1) == (11, 90)
    assert Rules().clock is None
    assert Rules.preset("timed").clock == Clock()


@BOTH
@pytest.mark.parametrize(
    ("elapsed", "turn", "reserve"),
    [(0, 11, 90), (4, 7, 90), (11, 0, 90), (11.001, 0, 89.999), (31, 0, 70),
     (100.999, 0, 0.001), (101, 0, 0), (5000, 0, 0)],
)  # fmt: skip
def test_turn_time_runs_first_then_the_reserve(
    player: int, elapsed: float, turn: float, reserve: float
) -> None:
    """R29: of the player to act; the other loses nothing."""
    state = start_game(rules=timed(), on_roll=player)
    state.apply(ROLL, elapsed=elapsed)
    assert times(state, player) == (turn, reserve)
    assert times(state, 1 - player) == (11, 90)


def test_a_turn_from_double_or_roll_to_the_last_move_shares_one_turn_time() -> None:
    """R29: 3 s to roll, 4 s for the first move, 6 s for the second: 2 s of reserve."""
    state = start_game(rules=timed())
    state.set_dice_queue([(6, 5)])
    state.apply(ROLL, elapsed=3)
    state.apply(move_code(24, 6), elapsed=4)
    assert times(state, 0) == (4, 90)
    state.apply(move_code(18, 5), elapsed=6)
    assert times(state, 0) == (0, 88)


@BOTH
def test_turn_time_is_full_at_each_new_turn_and_never_accumulates(player: int) -> None:
    """R29: whatever was left of the last one."""
    state = start_game(rules=timed(), on_roll=player)
    for elapsed in (1, 0.5, 9, 2):
        mover = state.on_roll
        assert times(state, mover)[0] == 11
        state.set_dice(6, 5)
        state.apply(state.legal_decisions()[0], elapsed=elapsed)
        while state.on_roll == mover:
            state.apply(state.legal_decisions()[0])
    assert times(state, player) == (11, 90)


def test_the_reserve_only_falls() -> None:
    """R29: 20 s at each of ten turns: 9 s a turn."""
    state = start_game(rules=timed())
    for turn in range(1, 6):
        for player in (0, 1):
            state.set_dice(1, 1)
            state.apply(state.legal_decisions()[-1], elapsed=20)
            while state.on_roll == player:
                state.apply(state.legal_decisions()[-1])
            assert state.reserve[player] == 90 - 9 * turn


def test_a_lost_roll_costs_its_turn_too() -> None:
    """R29, case 80: a forced pass takes the time it takes."""
    state = game_at({25: 1, 6: 5}, CLOSED, rules=timed())
    state.set_dice(6, 5)
    state.apply(PASS, elapsed=13)
    assert state.reserve == (88, 90)


def test_no_clock_runs_before_the_opening_roll() -> None:
    """R29: nobody's decision is awaited there, and neither player is to blame."""
    state = GameState.new(timed(), seed=3)
    state.pass_time(500)
    state.apply(ROLL, elapsed=500)
    assert times(state, 0) == times(state, 1) == (11, 90)
    with pytest.raises(IllegalActionError, match="90 s"):
        state.claim(1)


@pytest.mark.parametrize("options", [{}, {"resign": "offer"}])
def test_without_a_clock_no_time_runs(options: dict[str, Any]) -> None:
    """R29: elapsed time is passed in and changes nothing; nobody can claim."""
    slow, fast = start_game(rules=Rules(**options)), start_game(rules=Rules(**options))
    for state, elapsed in ((slow, 10_000.0), (fast, 0.0)):
        state.set_dice(6, 5)
        state.apply(move_code(24, 6), elapsed=elapsed)
    assert bytes_of(slow) == bytes_of(fast)
    with pytest.raises(IllegalActionError, match="no clock"):
        slow.claim(1)


# --- answering ----------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("question", "answer"), [(DOUBLE, TAKE), (RESIGN_SINGLE, REFUSE)]
)
def test_an_answer_is_a_turn_of_its_own(
    player: int, question: int, answer: int
) -> None:
    """R29: full turn time for the answerer; then the asker's goes on as it stood."""
    state = start_game(rules=timed(resign="offer"), on_roll=player)
    other = 1 - player
    state.apply(question, elapsed=4)
    assert times(state, other) == (11, 90)
    state.apply(answer, elapsed=13)
    assert times(state, other)[1] == 88
    assert times(state, player) == (7, 90)
    state.apply(ROLL, elapsed=8)
    assert times(state, player) == (0, 89)


def test_the_answerer_has_a_full_turn_afterwards() -> None:
    """R29: his own turn does not suffer from what the answer took."""
    state = start_game(rules=timed())
    state.apply(DOUBLE)
    state.apply(TAKE, elapsed=10)
    state.set_dice(6, 5)
    play(state, (24, 6), (18, 5))
    assert times(state, 1) == (11, 90)


@pytest.mark.parametrize("resign_at_roll", [True, False])
def test_two_questions_in_one_turn_pause_it_twice(resign_at_roll: bool) -> None:
    """R29: 2 s, an offer refused, 3 s, a double taken or a second offer: 6 s left."""
    state = start_game(rules=timed(resign="offer"))
    state.apply(RESIGN_SINGLE, elapsed=2)
    state.apply(REFUSE, elapsed=10)
    if resign_at_roll:
        state.apply(RESIGN_SINGLE + 1, elapsed=3)
        state.apply(REFUSE, elapsed=11)
    else:
        state.apply(DOUBLE, elapsed=3)
        state.apply(TAKE, elapsed=11)
    assert times(state, 0) == (6, 90)
    assert state.reserve == (90, 90)


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4])
def test_beavers_are_answered_in_turns_of_their_own(turns: int) -> None:
    """R29, R24: whoever answers has 11 s; the doubler's 5 s wait for the last take."""
    state = start_game(rules=timed(beavers=4))
    state.apply(DOUBLE, elapsed=6)
    for _ in range(turns):
        answerer = state.to_act
        assert times(state, answerer)[0] == 11
        state.apply(BEAVER, elapsed=8)
    assert times(state, state.to_act)[0] == 11
    state.apply(TAKE, elapsed=10)
    assert state.to_act == 0
    assert times(state, 0) == (5, 90)
    assert state.reserve == (90, 90)


def test_answers_use_the_reserve_of_whoever_answers() -> None:
    """R29, R24: 15 s for each answer: A 4 s twice, B 4 s twice."""
    state = start_game(rules=timed(beavers=3))
    state.apply(DOUBLE)
    for code in (BEAVER, BEAVER, BEAVER, TAKE):
        state.apply(code, elapsed=15)
    assert state.reserve == (82, 82)
    assert times(state, 0)[0] == 11


def test_a_refused_offer_in_the_middle_of_the_dice_pauses_too() -> None:
    """R29, R28: offered before the first move."""
    state = start_game(rules=timed(resign="offer"), dice=(6, 5))
    state.apply(RESIGN_SINGLE, elapsed=9)
    state.apply(REFUSE, elapsed=1)
    state.apply(move_code(24, 6), elapsed=3)
    assert times(state, 0) == (0, 89)


# --- renewed ------------------------------------------------------------------------


@pytest.mark.parametrize(("renewed", "reserve"), [("game", 90), ("match", 70)])
def test_the_reserve_is_renewed_each_game_or_once_per_match(
    renewed: Any, reserve: float
) -> None:
    """R29: sheet B is silent; each game by default."""
    rules = timed(Clock(renewed=renewed), match_length=7)
    state = game_at(HOME_ALONE, GAMMON, rules=rules)
    state.pass_time(31)
    bear_off_last(state)
    state.next_game()
    assert times(state, 0) == (11, reserve)
    assert times(state, 1) == (11, 90)
    assert Clock().renewed == "game"


def test_a_flag_of_an_earlier_game_counts_while_the_reserve_is_not_renewed() -> None:
    """R29: flagged until the reserve is filled again: claimable in the next game."""
    for renewed, claimable in (("match", True), ("game", False)):
        rules = timed(Clock(renewed=renewed), match_length=7)  # type: ignore[arg-type]
        state = game_at(HOME_ALONE, GAMMON, rules=rules)
        state.pass_time(500)
        bear_off_last(state)
        state.next_game()
        assert state.phase == OPENING
        state.set_dice(1, 6)
        assert state.is_legal(CLAIM) is claimable


# --- time as it is passed in --------------------------------------------------------


def test_games_replay_exactly_from_decisions_and_times() -> None:
    """R29: elapsed time comes in with each action, nothing else is measured."""
    rules = timed(beavers=2, resign="offer", jacoby=True)
    rng = np.random.default_rng(29)
    first, script = GameState.new(rules, seed=4), []
    while not first.is_over and len(script) < 300:
        code = int(rng.choice(first.legal_decisions()))
        elapsed = float(rng.integers(0, 15_000)) / 1000
        script.append((code, elapsed))
        first.apply(code, elapsed=elapsed)
    second = GameState.new(rules, seed=4)
    for code, elapsed in script:
        second.apply(code, elapsed=elapsed)
    assert first == second


@pytest.mark.parametrize("elapsed", [3, 3.0, np.int64(3), np.float32(3)])
def test_seconds_may_be_any_number(elapsed: Any) -> None:
    """R29: whole or not, from Python or NumPy."""
    state = start_game(rules=timed())
    state.apply(ROLL, elapsed=elapsed)
    assert times(state, 0) == (8, 90)


@pytest.mark.parametrize("elapsed", [-1, -0.001, float("nan"), 2e6, "3", None, True])
def test_impossible_times_are_refused(elapsed: Any) -> None:
    """R29: negative, no number, more than the clock can hold; nothing is changed."""
    state = start_game(rules=timed())
    before = bytes_of(state)
    for act in (
        lambda: state.apply(ROLL, elapsed=elapsed),
        lambda: state.pass_time(elapsed),
    ):
        with pytest.raises(InvalidOptionError, match=str(elapsed)):
            act()
    assert bytes_of(state) == before


def test_an_illegal_decision_costs_no_time() -> None:
    """R29: it is refused before the clock runs."""
    state = start_game(rules=timed())
    before = bytes_of(state)
    with pytest.raises(IllegalActionError):
        state.apply(TAKE, elapsed=30)
    assert bytes_of(state) == before
