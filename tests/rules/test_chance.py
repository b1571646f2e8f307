"""Dice: what may come, laying them down, queues, streams, copies, exact chances."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from played_games import (
    bytes_of,
    game_at,
    needs_compiled,
    play,
    start_game,
    won_at_once,
)

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules.decisions import DOUBLE, DROP, RESIGN_SINGLE, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.movegen import ROLLS
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL, MOVING, OPENING, QUEUE_SIZE

# --- what may come ------------------------------------------------------------------


def test_a_later_roll_has_21_outcomes() -> None:
    """R6: doubles at 1/36, the others at 2/36; the sum is 1."""
    outcomes = start_game().chance_outcomes()
    assert len(outcomes) == 21
    assert [roll for roll, _ in outcomes] == list(ROLLS)
    for (a, b), probability in outcomes:
        assert probability == (1 if a == b else 2) / 36
    assert math.fsum(probability for _, probability in outcomes) == 1


def test_the_opening_has_30_outcomes() -> None:
    """R5: (die of player 0, die of player 1) at 1/30 each; who starts matters."""
    outcomes = GameState.new().chance_outcomes()
    assert len(outcomes) == 30
    assert {a == b for (a, b), _ in outcomes} == {False}
    assert {probability for _, probability in outcomes} == {1 / 30}
    assert math.fsum(probability for _, probability in outcomes) == 1
    starts = []
    for throw, _ in outcomes:
        state = GameState.new()
        state.set_dice(*throw)
        starts.append(state.on_roll)
    assert starts.count(0) == starts.count(1) == 15


@pytest.mark.parametrize("automatic", [1, 2])
def test_the_opening_has_36_outcomes_while_a_tie_would_double(automatic: int) -> None:
    """R23: and 30 once the ties of the game are used up."""
    state = GameState.new(Rules(automatic_doubles=automatic))
    for _ in range(automatic):
        outcomes = state.chance_outcomes()
        assert len(outcomes) == 36
        assert {probability for _, probability in outcomes} == {1 / 36}
        assert math.fsum(probability for _, probability in outcomes) == 1
        state.set_dice(3, 3)
    assert len(state.chance_outcomes()) == 30


def test_after_an_opening_reroll_any_roll_may_come() -> None:
    """R5: opening_reroll: 30 outcomes, then 21."""
    state = GameState.new(Rules(opening_reroll=True))
    assert len(state.chance_outcomes()) == 30
    state.set_dice(2, 1)
    assert len(state.chance_outcomes()) == 21


def rolled() -> GameState:
    """The dice are on the table."""
    return start_game(dice=(3, 1))


def half_played() -> GameState:
    """One die is left."""
    return play(rolled(), (8, 3))


def doubled() -> GameState:
    """A double awaits its answer."""
    return play(start_game(), DOUBLE)


def resigning() -> GameState:
    """A resignation awaits its answer, before the roll."""
    return play(start_game(rules=Rules(resign="offer")), RESIGN_SINGLE)


def finished() -> GameState:
    """The game is over."""
    return won_at_once({1: 14})


@pytest.mark.parametrize("moment", [rolled, half_played, doubled, resigning, finished])
def test_where_no_roll_is_awaited_none_can_be_laid_down(
    moment: Callable[[], GameState],
) -> None:
    """R6, R20, R28: set_dice and chance_outcomes refuse; the state is untouched."""
    state = moment()
    before = bytes_of(state)
    assert not state.awaits_dice
    with pytest.raises(IllegalActionError, match="set_dice"):
        state.set_dice(6, 5)
    with pytest.raises(IllegalActionError, match="chance_outcomes"):
        state.chance_outcomes()
    assert bytes_of(state) == before


@pytest.mark.parametrize(
    "dice",
    [(0, 1), (7, 1), (1, 7), (-1, 3), (1.5, 2), ("3", 1), (None, 1),
     (float("inf"), 1), (float("nan"), 1)],
)  # fmt: skip
def test_dice_that_are_none_are_refused(dice: tuple[Any, Any]) -> None:
    """R5, R6: 1 to 6, two of them; the value is named, the state untouched."""
    for state in (GameState.new(), start_game()):
        before = bytes_of(state)
        with pytest.raises(InvalidOptionError, match="dice of 1 to 6") as caught:
            state.set_dice(*dice)
        assert repr(dice) in str(caught.value)
        with pytest.raises(InvalidOptionError):
            state.set_dice_queue([(1, 2), dice])
        assert bytes_of(state) == before


@pytest.mark.parametrize("throw", [(1, 1), (6, 6)])
def test_an_opening_tie_cannot_be_laid_down(throw: tuple[int, int]) -> None:
    """R5: it is rolled again; the dice are named."""
    state = GameState.new()
    before = bytes_of(state)
    with pytest.raises(InvalidOptionError, match="tie") as caught:
        state.set_dice(*throw)
    assert str(throw) in str(caught.value)
    assert bytes_of(state) == before


# --- queues and streams -------------------------------------------------------------


def test_a_queue_fixes_the_coming_rolls_and_then_the_stream_goes_on() -> None:
    """R6: four rolls of a queue, the next as if there had been none."""
    queued, free = start_game(seed=5), start_game(seed=5)
    free.apply(ROLL)
    throws = [(1, 1), (6, 5), (2, 1), (3, 3)]
    queued.set_dice_queue(throws)
    for expected in [*throws, free.dice]:
        queued.apply(ROLL)
        assert queued.dice == expected
        player = queued.on_roll
        while queued.on_roll == player:
            queued.apply(queued.legal_decisions()[0])


def test_a_new_queue_replaces_the_old_one() -> None:
    """R6: also in the middle of it, and an empty one ends it."""
    state = start_game(seed=5)
    state.set_dice_queue([(1, 1)] * 3)
    state.set_dice_queue([(6, 4)])
    trial = state.clone()
    trial.apply(ROLL)
    assert trial.dice == (6, 4)
    state.set_dice_queue([])
    fresh = start_game(seed=5)
    for game in (state, fresh):
        game.apply(ROLL)
    assert state.dice == fresh.dice


def test_a_queue_has_room_for_256_rolls() -> None:
    """R6: one more is refused, the number is named, the old queue stays."""
    state = start_game()
    state.set_dice_queue([(6, 6)] * QUEUE_SIZE)
    before = bytes_of(state)
    with pytest.raises(InvalidOptionError, match="257"):
        state.set_dice_queue([(1, 2)] * (QUEUE_SIZE + 1))
    assert bytes_of(state) == before


def test_the_same_seed_has_the_same_dice_for_the_whole_match() -> None:
    """R6: and another seed others."""

    def dice_of(seed: int) -> list[tuple[int, int] | None]:
        state = GameState.new(Rules(match_length=5), seed=seed)
        seen = []
        while len(seen) < 120:
            if state.is_over:
                if state.is_match_over:
                    break
                state.next_game()
            code = state.legal_decisions()[-1 if state.phase == MOVING else 0]
            state.apply(code)
            if code == ROLL:
                seen.append(state.dice)
        return seen

    assert dice_of(1) == dice_of(1)
    assert dice_of(1) != dice_of(2)
    assert dice_of(-1) == dice_of(2**64 - 1)


@needs_compiled
def test_dice_are_fair() -> None:
    """R6: 36,000 rolls of one game's stream: 1,000 of each ordered pair."""
    state = GameState.new(Rules(cube=False), seed=12)
    counts = np.zeros((7, 7), np.int64)
    state.apply(ROLL)
    for _ in range(36_000):
        state.record["phase"] = BEFORE_ROLL
        state.apply(ROLL)
        counts[state.dice] += 1  # type: ignore[index]
    expected = counts[1:, 1:] - 1000
    assert counts.sum() == 36_000
    assert abs(expected).max() < 160  # five standard deviations
    assert (expected**2 / 1000).sum() < 80  # chi-square, 35 degrees of freedom


# --- copies -------------------------------------------------------------------------


def test_a_clone_equals_its_original_and_is_independent() -> None:
    """R6: streams, queue and options included."""
    state = GameState.new(Rules(beavers=3), seed=8)
    state.set_dice_queue([(6, 5), (3, 3)])
    state.apply(ROLL)
    copies = [state.clone() for _ in range(200)]
    assert all(copy == state for copy in copies)
    before = bytes_of(state)
    for copy in copies[:3]:
        while not copy.is_over:
            copy.apply(copy.legal_decisions()[0])
    assert bytes_of(state) == before
    assert copies[0] == copies[1] == copies[2]
    assert copies[0] != state


def test_a_clone_sees_the_same_dice_again() -> None:
    """R6: play on, go back, play on: the same rolls."""
    state = GameState.new(Rules(cube=False), seed=3)
    for _ in range(40):
        state.apply(state.legal_decisions()[0])
    kept = state.clone()
    futures = []
    for game in (state, kept):
        rolls = []
        for _ in range(60):
            game.apply(game.legal_decisions()[-1])
            rolls.append(game.dice)
        futures.append(rolls)
    assert futures[0] == futures[1]


def test_states_differ_by_rules_seed_and_position() -> None:
    """R6: equality is of everything."""
    state = GameState.new(seed=1)
    assert state == GameState.new(seed=1)
    assert state != GameState.new(seed=2)
    assert state != GameState.new(Rules(jacoby=True), seed=1)
    assert state != "4HPwATDgc/ABMA"
    assert "4HPwATDgc/ABMA" in repr(state)


# --- exact chances by trying everything ---------------------------------------------


def weight_of(roll: tuple[int, int]) -> Fraction:
    """The exact probability of a roll."""
    return Fraction(1 if roll[0] == roll[1] else 2, 36)


@functools.cache
def chance_of_bearing_off(places: tuple[int, ...]) -> Fraction:
    """Probability that one roll, played best, takes all these checkers off."""
    mover = {point: places.count(point) for point in places}
    state = game_at(mover, {1: 2}, rules=Rules(cube=False))
    total = Fraction(0)
    for roll, _ in state.chance_outcomes():
        trial = state.clone()
        trial.set_dice(*roll)
        total += weight_of(roll) * can_win_now(trial)
    return total


def can_win_now(state: GameState) -> bool:
    """True when some play of the dice on the table ends the game."""
    if state.is_over:
        return True
    if state.on_roll == 1:
        return False
    followers = []
    for code in state.legal_decisions():
        follower = state.clone()
        follower.apply(code)
        followers.append(follower)
    return any(can_win_now(follower) for follower in followers)


@pytest.mark.parametrize(
    ("places", "ways"),
    [((6,), 27), ((5,), 31), ((4,), 34), ((3,), 36), ((2,), 36), ((1,), 36),
     ((5, 2), 19), ((4, 3), 17), ((6, 1), 15), ((3, 3), 17), ((2, 2), 26),
     ((4, 4), 11), ((1, 1), 36), ((2, 1), 36), ((3, 1), 34), ((4, 1), 29),
     ((5, 1), 23), ((3, 2), 25), ((4, 2), 23), ((6, 2), 13), ((5, 3), 14),
     ((6, 3), 10), ((5, 4), 10), ((6, 4), 8), ((5, 5), 6), ((6, 5), 6),
     ((6, 6), 4), ((1, 1, 1), 6), ((1, 1, 1, 1), 6), ((2, 2, 2, 2), 5),
     ((6, 6, 6, 6), 1), ((1, 1, 1, 1, 1), 0)],
)  # fmt: skip
def test_chances_to_bear_off_in_one_roll(places: tuple[int, ...], ways: int) -> None:
    """R11, R14, R15, case 43: all 21 rolls and all plays of each."""
    assert chance_of_bearing_off(places) == Fraction(ways, 36)


def best_equity(state: GameState, player: int) -> Fraction:
    """Exact value of a state for `player`, both sides choosing their best.

    Written for the last rolls of a race: every roll, play and cube decision.
    """
    if state.is_over:
        sign = 1 if state.winner == player else -1
        return Fraction(sign * state.points)
    choices = []
    for code in state.legal_decisions():
        if code == ROLL:
            choices.append(value_of_rolling(state, player))
            continue
        follower = state.clone()
        follower.apply(code)
        choices.append(best_equity(follower, player))
    return max(choices) if state.to_act == player else min(choices)


def value_of_rolling(state: GameState, player: int) -> Fraction:
    """The mean over the 21 rolls."""
    value = Fraction(0)
    for roll, _ in state.chance_outcomes():
        follower = state.clone()
        follower.set_dice(*roll)
        value += weight_of(roll) * best_equity(follower, player)
    return value


def last_roll(point: int, cube: int = 1, **details: Any) -> GameState:
    """One checker on `point` against one that is off with any roll."""
    owner = 0 if cube > 1 else None
    return game_at({point: 1}, {1: 1}, cube=cube, cube_owner=owner, **details)


@pytest.mark.parametrize(("point", "ways"), [(6, 27), (5, 31), (4, 34), (3, 36)])
@pytest.mark.parametrize("cube", [1, 2])
def test_last_roll_doubles_have_their_exact_values(
    point: int, ways: int, cube: int
) -> None:
    """R19-R21, case 43: with 27 of 36, taking a double costs exactly the drop."""
    state = last_roll(point, cube)
    winning = Fraction(ways, 36)
    equity = 2 * winning - 1
    without_cube = last_roll(point, rules=Rules(cube=False))
    assert value_of_rolling(without_cube, 0) == equity
    take, drop = play(state.clone(), DOUBLE, TAKE), play(state.clone(), DOUBLE, DROP)
    assert best_equity(drop, 0) == cube
    assert best_equity(take, 0) == 2 * cube * equity
    assert best_equity(state, 0) == cube * min(1, 2 * equity)


def test_taking_the_last_double_against_27_and_31_winning_rolls() -> None:
    """R20, case 43: exactly 1.0 = a drop; 1.444 for the doubler: to be dropped."""
    even = play(last_roll(6), DOUBLE, TAKE)
    assert best_equity(even, 0) == 1
    bad = play(last_roll(5), DOUBLE, TAKE)
    assert float(best_equity(bad, 1)) == pytest.approx(-1.444, abs=5e-4)
    assert best_equity(bad, 1) == Fraction(-52, 36)


def test_with_a_dead_double_the_last_roll_is_worth_the_match() -> None:
    """R19, R26: in the Crawford game the same position has no double at all."""
    rules = Rules(match_length=3)
    crawford = last_roll(6, rules=rules, score=(2, 0))
    assert crawford.legal_decisions() == [ROLL]
    assert value_of_rolling(crawford, 0) == Fraction(1, 2)
    after = last_roll(6, rules=rules, score=(2, 1), crawford=False)
    assert after.legal_decisions() == [ROLL, DOUBLE]


def test_rolling_at_the_opening_keeps_the_phase_until_the_dice_differ() -> None:
    """R5, R23: a tie laid down leaves the opening as it is."""
    state = GameState.new(Rules(automatic_doubles=2))
    for cube in (2, 4):
        state.set_dice(6, 6)
        assert (state.phase, state.cube) == (OPENING, cube)
    state.set_dice(6, 1)
    assert state.phase == MOVING
