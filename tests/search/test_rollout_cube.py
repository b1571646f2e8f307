"""Cubeful rollouts are right where the answer is known, and on average everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from cube_positions import FixedChances
from slow_search import Exact, Pips, Small

from bg_env import GameState, InvalidOptionError, Position, Rules, legal_plays
from bg_env.equity import bearoff
from bg_env.search import MoveFilter, Stop, cube_decision, rollout, rollout_plays
from bg_env.search.rollout_cube import rollout_cube, rollout_cubeful_plays

RACE = Position.from_points({6: 2, 4: 1, 3: 1}, {5: 2, 4: 1, 2: 1})
SHORT = Position.from_points({6: 1, 4: 1, 3: 1}, {5: 1, 4: 1, 1: 1})
CONTACT = Position.from_points({24: 1, 6: 4, 4: 3, 3: 2}, {20: 1, 4: 5, 2: 4})
START = Position.start()
DEAD_CUBE = Rules(cube=False)


def money(position, **details):
    return GameState.from_position(position, **details)


def exact(position):
    """No double, double and take of a cube in the middle, by the tables."""
    known, equities = bearoff.bearoff_equities(position.to_board()[None])
    assert known.all()
    return equities[0, 0], 2 * equities[0, 2]


# --- known answers ------------------------------------------------------------------


@pytest.mark.parametrize("position", [RACE, SHORT], ids=["race", "short"])
@pytest.mark.parametrize("evaluator", [Exact(), Pips()], ids=["exact", "pips"])
def test_races_come_out_as_the_tables_of_the_cube_say(position, evaluator):
    result = rollout_cube(evaluator, money(position), trials=432, bearoff=False)
    no_double, double_take = exact(position)
    assert result.double_take is not None
    for rolled, true in (
        (result.no_double, no_double),
        (result.double_take, double_take),
    ):
        assert rolled.equity == pytest.approx(
            true, abs=4 * rolled.standard_error + 1e-3
        )


def test_with_the_right_evaluator_luck_leaves_hardly_any_doubt():
    result = rollout_cube(Exact(), money(RACE), trials=108, bearoff=False)
    assert result.no_double.standard_error < 0.002
    raw = rollout_cube(Exact(), money(RACE), trials=108, bearoff=False, luck=False)
    assert raw.no_double.standard_error > 0.05


def test_where_the_tables_are_exact_trials_end_at_once():
    result = rollout_cube(Pips(), money(RACE), trials=36)
    no_double, double_take = exact(RACE)
    assert result.no_double.equity == pytest.approx(no_double, abs=1e-5)
    assert result.double_take.equity == pytest.approx(double_take, abs=1e-5)
    assert result.gain == pytest.approx(double_take - no_double, abs=1e-5)
    assert result.gain_error == pytest.approx(0, abs=1e-9)


def test_one_roll_decides_and_the_take_costs_as_much_as_the_drop():
    last = Position.from_points({6: 1}, {1: 1})
    result = rollout_cube(Pips(), money(last), trials=36, bearoff=False)
    assert result.no_double.equity == pytest.approx(0.5)
    assert result.double_take.equity == pytest.approx(1)
    assert result.decision.double[0]
    assert result.decision.take[0]


def test_a_cube_that_is_not_in_use_is_a_rollout_without_one():
    state = money(START, rules=DEAD_CUBE)
    cubeful = rollout_cube(Small(), state, trials=72, seed=3, truncate=3)
    plain = rollout(Small(), START, trials=72, seed=3, truncate=3).positions[0]
    assert cubeful.double_take is None
    assert cubeful.gain is None
    assert not cubeful.decision.available[0]
    assert cubeful.no_double.equity == pytest.approx(plain.equity, abs=1e-5)
    assert cubeful.no_double.cubeless == pytest.approx(plain.equity, abs=1e-5)
    np.testing.assert_allclose(cubeful.no_double.chances, plain.chances, atol=1e-5)


def test_at_the_last_score_equity_is_the_chance_to_win_the_game():
    state = money(START, rules=Rules(match_length=3), score=(2, 2))
    result = rollout_cube(Small(), state, trials=36, seed=1, truncate=3)
    win = result.no_double.chances[0]
    assert result.no_double.equity == pytest.approx(2 * win - 1, abs=1e-4)


def test_a_gammon_counts_single_under_jacoby_until_the_cube_is_turned():
    """R22: the same game, the cube in the middle and turned."""
    gammonish = Position.from_points({1: 2}, {23: 15})
    state = money(gammonish, rules=Rules(jacoby=True))
    result = rollout_cube(FixedChances(1, 1, 1, 0, 0), state, trials=36)
    assert result.no_double.equity == pytest.approx(1)
    assert result.double_take.equity == pytest.approx(6)
    turned = money(gammonish, rules=Rules(jacoby=True), cube=2, cube_owner=0)
    assert rollout_cube(
        FixedChances(1, 1, 1, 0, 0), turned, trials=36
    ).no_double.equity == pytest.approx(3)


# --- right on average ---------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        money(CONTACT),
        money(CONTACT, cube=2, cube_owner=0),
        money(CONTACT, rules=Rules(match_length=5), score=(1, 3)),
    ],
    ids=["middle", "own", "match"],
)
def test_to_take_luck_off_changes_nothing_on_average(state):
    with_luck, without = (
        rollout_cube(
            Pips(), state, trials=360, seed=seed, luck=luck, truncate=7
        ).no_double
        for seed, luck in ((1, True), (2, False))
    )
    doubt = np.hypot(with_luck.standard_error, without.standard_error)
    assert abs(with_luck.equity - without.equity) < 4 * doubt
    assert with_luck.standard_error < without.standard_error


def test_stakes_that_a_double_raises_are_in_the_result():
    bold = FixedChances(0.75, 0, 0, 0, 0)
    result = rollout_cube(
        bold, money(CONTACT), trials=36, luck=False, bearoff=False
    ).rollout
    assert not np.mod(result.equities[0], 1).any()
    assert np.abs(result.equities[0]).max() >= 4
    assert np.abs(result.equities[1]).min() >= 2


def test_a_double_that_is_too_strong_ends_trials_with_the_cube_as_it_is():
    sure = FixedChances(0.97, 0, 0, 0, 0)
    result = rollout_cube(sure, money(CONTACT), trials=36, luck=False)
    # the other is on roll after the first turn, is as sure, and doubles him out
    np.testing.assert_array_equal(result.rollout.equities[0], -1)
    np.testing.assert_array_equal(result.rollout.equities[1], -2)


def test_cut_short_after_a_turn_it_is_a_search_of_one_ply():
    state = money(START, rules=Rules(match_length=7), score=(2, 4))
    result = rollout_cube(Pips(), state, trials=1296, truncate=1, luck=False)
    searched = cube_decision(Pips(), state.record, 1).equities
    assert result.no_double.equity == pytest.approx(searched.no_double[0], abs=1e-4)
    assert result.double_take.equity == pytest.approx(searched.double_take[0], abs=1e-4)


# --- plays --------------------------------------------------------------------------


def test_plays_without_a_cube_are_those_of_the_cubeless_rollout():
    state = money(START, rules=DEAD_CUBE, dice=(4, 2))
    plays = legal_plays(START, (4, 2))[:3]
    options = {"plays": plays, "trials": 72, "seed": 5, "truncate": 3}
    cubeful = rollout_cubeful_plays(Small(), state, **options)
    plain = rollout_plays(Small(), START, (4, 2), **options)
    assert [rolled.play for rolled in cubeful.plays] == [
        rolled.play for rolled in plain.plays
    ]
    for mine, theirs in zip(cubeful.plays, plain.plays, strict=True):
        assert mine.worth.equity == pytest.approx(theirs.worth.equity, abs=1e-5)
        assert mine.behind == pytest.approx(theirs.behind, abs=1e-5)


def test_plays_of_a_known_race_are_worth_what_the_tables_say():
    state = money(RACE, dice=(2, 1))
    result = rollout_cubeful_plays(Exact(), state, trials=36, plays=MoveFilter(4, 9))
    for rolled in result.plays:
        board = rolled.play.result.to_board()[::-1][None]
        known, equities = bearoff.bearoff_equities(np.ascontiguousarray(board))
        assert known.all()
        kept, doubled = equities[0, 0], min(2 * equities[0, 2], 1)
        assert rolled.worth.equity == pytest.approx(-max(kept, doubled), abs=1e-5)


def test_confidence_drops_plays_that_are_worse():
    state = money(CONTACT, dice=(6, 5))
    result = rollout_cubeful_plays(
        Pips(),
        state,
        plays=MoveFilter(3, 9),
        trials=360,
        truncate=3,
        stop=Stop(confidence=0.9, least=36),
    )
    assert result.rollout.ended in ("confidence", "trials")
    assert result.plays[0].behind == 0


def test_a_roll_that_cannot_be_played_has_one_candidate():
    shut = Position.from_points({25: 1, 6: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    result = rollout_cubeful_plays(
        Pips(), money(shut, dice=(6, 5)), trials=36, truncate=2
    )
    assert [rolled.play.moves for rolled in result.plays] == [()]


# --- the same every time, and refusals ----------------------------------------------


def test_the_same_call_gives_the_same_result_and_a_longer_one_begins_with_it():
    short, long = (
        rollout_cube(Small(), money(CONTACT), trials=trials, seed=9, truncate=3)
        for trials in (36, 108)
    )
    for mine, theirs in zip(short.rollout.equities, long.rollout.equities, strict=True):
        np.testing.assert_array_equal(mine, theirs[:36])


def test_looking_ahead_in_trials_works_and_costs_no_fairness():
    result = rollout_cube(Pips(), money(SHORT), trials=36, plies=1, bearoff=False)
    assert result.no_double.equity == pytest.approx(exact(SHORT)[0], abs=0.2)


def test_an_interrupt_keeps_what_is_finished():
    def stop(done, wanted):
        if done > 36:
            raise KeyboardInterrupt

    result = rollout_cube(Pips(), money(CONTACT), trials=108, truncate=2, progress=stop)
    assert result.rollout.interrupted
    assert result.no_double.trials == 36


@pytest.mark.parametrize(
    ("roll_out", "message"),
    [
        (lambda: rollout_cube(Small(), money(RACE, dice=(3, 1))), "before the roll"),
        (lambda: rollout_cubeful_plays(Small(), money(RACE)), "a roll to be played"),
        (lambda: rollout_cube(Small(), RACE), "GameState"),
        (lambda: rollout_cube(Small(), money(RACE), trials=35), "36 or more"),
        (lambda: rollout_cube(Small(), money(RACE), plies=7), "plies"),
        (
            lambda: rollout_cube(Small(), money(RACE), stop=Stop(confidence=0.9)),
            "confidence",
        ),
        (
            lambda: rollout_cubeful_plays(
                Small(), money(RACE, dice=(3, 1)), plays=legal_plays(RACE, (6, 5))
            ),
            "legal Play",
        ),
    ],
)
def test_what_cannot_be_rolled_out_is_refused_in_a_sentence(roll_out, message):
    with pytest.raises(InvalidOptionError, match=message):
        roll_out()
