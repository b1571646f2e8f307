"""Rollouts are right on average, as sure as they say, and the same every time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bg_agents.td_agent import TdAgent
from slow_search import Exact, Pips, Small

from bg_env import InvalidOptionError, InvalidPositionError, Position
from bg_env.equity import bearoff
from bg_env.rules.movegen import ROLLS, legal_plays
from bg_env.search import (
    MoveFilter,
    Stop,
    _rollout_run,
    equity,
    lookahead_chances,
    other_view,
    rollout,
    rollout_plays,
)
from bg_env.search._rollout_dice import TrialDice, mean_and_error, rolls_of

RACE = Position.from_points({6: 2, 4: 1, 3: 1}, {5: 2, 4: 1, 2: 1})
OTHER_RACE = Position.from_points({5: 1, 2: 3}, {6: 1, 1: 3})
CONTACT = Position.from_points({24: 1, 6: 4, 4: 3, 3: 2}, {20: 1, 4: 5, 2: 4})


def exact(position):
    board = position.to_board()[None]
    known, chances = bearoff.bearoff_chances(board)
    assert known.all()
    return chances[0].astype(float)


def board_of(position):
    return position.to_board()[None]


@pytest.fixture(scope="module")
def td():
    return TdAgent()


# --- dice ---------------------------------------------------------------------------


def throws_of(seed, lane, first, count, turns=3):
    dice = TrialDice(seed, lane, first, count)
    return np.stack([dice.throw() for _ in range(turns)])


def test_each_throw_comes_once_in_a_block_first_and_second():
    throws = throws_of(5, 0, 0, 2 * 1296)
    for turn in (0, 1):
        for block in throws[turn].reshape(-1, 36):
            assert sorted(block.tolist()) == list(range(36))
    pairs = 36 * throws[0] + throws[1]
    for block in pairs.reshape(2, 1296):
        assert len(set(block.tolist())) == 1296


def test_later_throws_are_random():
    third = throws_of(5, 0, 0, 36_000)[2]
    counts = np.bincount(third, minlength=36)
    assert ((counts - 1000) ** 2 / 1000).sum() < 70  # chi square, 35 degrees


def test_dice_depend_on_seed_lane_and_number_alone():
    whole = throws_of(5, 1, 0, 100)
    np.testing.assert_array_equal(throws_of(5, 1, 40, 60), whole[:, 40:])
    for seed, lane in ((6, 1), (5, 2)):
        assert (throws_of(seed, lane, 0, 100) == whole).mean() < 0.2


def test_throws_make_the_rolls_in_their_order():
    dice, place = rolls_of(np.arange(36))
    assert [ROLLS[p] for p in place] == [tuple(pair) for pair in dice.tolist()]
    assert np.bincount(place).tolist() == [1 if a == b else 2 for a, b in ROLLS]


# --- standard errors ----------------------------------------------------------------


def test_what_each_of_two_throws_decides_is_no_doubt_in_whole_blocks():
    # the second throw of trial t is number (t // 36 + t) % 36 of its order
    trials = np.arange(36 * 5)
    values = (trials % 36) ** 2 + 7.0 * ((trials // 36 + trials) % 36)
    mean, error = mean_and_error(values[:, None])
    np.testing.assert_allclose(mean, values[:36].mean())
    assert error[0] < 1e-6
    assert mean_and_error(values[:160, None])[1][0] > 0.1


def test_with_few_blocks_the_error_is_the_usual_one():
    values = np.random.default_rng(0).normal(size=(107, 2))
    _, error = mean_and_error(values)
    np.testing.assert_allclose(error, values.std(axis=0, ddof=1) / math.sqrt(107))


def test_errors_of_independent_trials_are_the_usual_ones():
    values = np.random.default_rng(1).normal(size=(36 * 100 + 7, 1))
    _, error = mean_and_error(values)
    usual = values.std(ddof=1) / math.sqrt(len(values))
    np.testing.assert_allclose(error[0], usual, rtol=0.03)


@pytest.mark.parametrize("luck", [False, True])
def test_small_rollouts_spread_as_their_errors_say(luck):
    scores = []
    for seed in range(80):
        result = rollout(
            Pips(), RACE, trials=108, seed=seed, truncate=4, luck=luck, bearoff=False
        ).positions[0]
        scores.append((result.equity, result.standard_error))
    equities, errors = np.array(scores).T
    ratio = equities.std(ddof=1) / math.sqrt((errors**2).mean())
    assert 0.8 < ratio < 1.2


# --- what positions are worth -------------------------------------------------------


def test_a_rollout_finds_what_the_tables_know():
    result = rollout(Exact(), RACE, trials=1296, luck=False, bearoff=False)
    found = result.positions[0]
    assert abs(found.equity - equity(exact(RACE))) < 3 * found.standard_error
    assert 0.005 < found.standard_error < 0.03
    assert found.chances[1:] == (0, 0, 0, 0)


def test_without_luck_a_perfect_player_leaves_no_doubt():
    for place in (RACE, OTHER_RACE):
        result = rollout(Exact(), place, trials=72, bearoff=False).positions[0]
        np.testing.assert_allclose(result.chances, exact(place), atol=1e-5)
        assert result.standard_error < 1e-5


def test_a_trial_ends_where_the_tables_are_exact():
    result = rollout(Small(), RACE, trials=36, luck=False).positions[0]
    np.testing.assert_allclose(result.chances, exact(RACE), atol=1e-6)
    assert result.standard_error == 0


@pytest.mark.parametrize("make", [Pips, Small])
def test_luck_taken_off_changes_no_mean(make):
    place = Position.from_points({7: 1, 3: 2}, {20: 1, 3: 2}, checkers=3)
    raw, adjusted = (
        rollout(make(), place, trials=720, luck=luck, bearoff=False, seed=4)
        for luck in (False, True)
    )
    one, other = raw.positions[0], adjusted.positions[0]
    for a, b, e, f in zip(
        (*one.chances, one.equity),
        (*other.chances, other.equity),
        (*one.chance_errors, one.standard_error),
        (*other.chance_errors, other.standard_error),
        strict=True,
    ):
        assert abs(a - b) <= 3.5 * math.hypot(e, f) + 1e-9


def test_a_good_evaluator_makes_a_rollout_surer(td):
    raw, adjusted = (
        rollout(td, CONTACT, trials=144, luck=luck).positions[0]
        for luck in (False, True)
    )
    assert adjusted.standard_error < raw.standard_error / 2
    apart = math.hypot(raw.standard_error, adjusted.standard_error)
    assert abs(raw.equity - adjusted.equity) < 3 * apart


def test_one_turn_without_luck_is_one_ply(td):
    # the value after the roll less its luck is the mean of the rolls, in every trial
    result = rollout(td, CONTACT, trials=36, truncate=1).positions[0]
    deep = lookahead_chances(td, board_of(CONTACT), 1)[0]
    np.testing.assert_allclose(result.chances, deep, atol=1e-4)
    assert result.standard_error < 1e-4


def test_all_first_rolls_once_with_luck_are_one_ply(td):
    result = rollout(td, CONTACT, trials=108, truncate=1, luck=False).positions[0]
    deep = lookahead_chances(td, board_of(CONTACT), 1)[0]
    np.testing.assert_allclose(result.chances, deep, atol=1e-4)
    assert result.standard_error < 1e-6


def test_plays_and_horizons_may_be_looked_at_deeper(td):
    result = rollout(td, CONTACT, trials=36, truncate=1, plies=1, luck=False)
    deep = lookahead_chances(td, board_of(CONTACT), 2)[0]
    assert abs(result.positions[0].equity - equity(deep)) < 0.05
    with_luck = rollout(td, CONTACT, trials=36, truncate=2, plies=1).positions[0]
    assert abs(with_luck.equity - equity(deep)) < 0.1


def test_games_that_are_over_are_worth_what_they_ended_with():
    lost = Position.from_points({8: 15}, {})
    result = rollout(Small(), [lost, RACE], trials=36)
    assert result.positions[0].chances == (0, 0, 0, 1, 0)
    assert result.positions[0].equity == -2
    assert result.positions[0].standard_error == 0


def test_gammons_are_counted_for_the_right_side(td):
    # the opponent is about to bear off his last checker
    doomed = Position.from_points({23: 2, 20: 13}, {1: 1})
    result = rollout(td, doomed, trials=36).positions[0]
    np.testing.assert_allclose(result.chances, (0, 0, 0, 1, 1), atol=1e-9)
    winning = Position.from_points({1: 1}, {23: 2, 20: 13})
    result = rollout(td, winning, trials=36).positions[0]
    np.testing.assert_allclose(result.chances, (1, 1, 1, 0, 0), atol=1e-9)


# --- the same every time ------------------------------------------------------------


def test_the_seed_fixes_everything(td):
    first, again, other = (
        rollout(td, CONTACT, trials=72, truncate=5, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.equities, again.equities)
    assert first.positions == again.positions
    assert first.positions != other.positions


def test_a_trial_is_the_same_in_any_rollout(td, monkeypatch):
    many = rollout(td, [CONTACT, RACE], trials=144, truncate=4)
    few = rollout(td, CONTACT, trials=72, truncate=4)
    np.testing.assert_array_equal(few.equities[0], many.equities[0][:72])
    monkeypatch.setattr(_rollout_run, "_GAMES", 72)
    small = rollout(td, [CONTACT, RACE], trials=144, truncate=4)
    for one, other in zip(small.equities, many.equities, strict=True):
        np.testing.assert_array_equal(one, other)


def test_boards_may_be_given_in_place_of_positions(td):
    by_board = rollout(td, board_of(RACE), trials=36, bearoff=False)
    by_position = rollout(td, RACE, trials=36, bearoff=False)
    assert by_board.positions == by_position.positions


# --- plays --------------------------------------------------------------------------


def test_plays_are_seen_by_the_side_that_has_moved(td):
    place, dice = CONTACT, (6, 1)
    plays = legal_plays(place, dice)[:3]
    compared = rollout_plays(td, place, dice, plays=plays, trials=36, truncate=3)
    following = [play.result.swapped() for play in plays]
    plain = rollout(td, following, trials=36, truncate=3)
    for seen, behind in zip(compared.rollout.positions, plain.positions, strict=True):
        np.testing.assert_allclose(
            seen.chances, other_view(np.array(behind.chances)), atol=1e-12
        )
    equities = [rolled.worth.equity for rolled in compared.plays]
    assert equities == sorted(equities, reverse=True)
    assert compared.best == compared.plays[0].play
    assert compared.plays[0].behind == 0


def test_differences_of_paired_plays_are_surer(td):
    place, dice = Position.start(), (3, 1)
    both = legal_plays(place, dice)[:2]
    paired, apart = (
        rollout_plays(
            td, place, dice, plays=both, trials=72, truncate=6, luck=False, paired=pair
        )
        for pair in (True, False)
    )
    sure, unsure = (result.plays[1].behind_error for result in (paired, apart))
    assert sure < unsure
    one, other = apart.rollout.positions
    assert unsure == pytest.approx(math.hypot(one.standard_error, other.standard_error))
    assert paired.rollout.positions[0] == apart.rollout.positions[0]
    assert paired.rollout.positions[1] != apart.rollout.positions[1]


def test_a_play_that_wins_is_worth_exactly_that():
    place = Position.from_points({1: 2}, {1: 1, 6: 13})
    result = rollout_plays(Small(), place, (2, 1), trials=36)
    assert result.plays[0].worth.equity == 1
    assert result.plays[0].worth.standard_error == 0


def test_hopeless_plays_are_dropped_and_the_rest_goes_on(td):
    place, dice = Position.start(), (3, 1)
    plays = legal_plays(place, dice)
    stop = Stop(confidence=0.99, least=36)
    result = rollout_plays(
        td, place, dice, plays=plays, trials=1296, truncate=2, stop=stop
    )
    assert result.rollout.ended == "confidence"
    assert [rolled.dropped for rolled in result.plays] == [False] + [True] * 15
    assert all(rolled.worth.trials < 1296 for rolled in result.plays)
    assert result.plays[-1].behind > 0
    made = result.best.result.mover  # 8/5 6/5: everybody's play
    assert (made[5], made[6], made[8]) == (2, 4, 2)


def test_the_plays_to_compare_may_be_left_to_a_filter(td):
    for most in (1, 3):
        result = rollout_plays(
            td, Position.start(), (4, 2), plays=MoveFilter(most, 3.0), trials=36,
            truncate=1,
        )  # fmt: skip
        assert len(result.plays) == most
    only = Position.from_points({25: 1, 6: 2}, {p: 2 for p in range(1, 7)})
    stuck = rollout_plays(td, only, (6, 6), trials=36, truncate=1)
    assert [rolled.play.moves for rolled in stuck.plays] == [()]


# --- ends ---------------------------------------------------------------------------


def test_ctrl_c_keeps_the_waves_that_are_finished(td):
    def interrupt(done, total):
        assert total == 1296
        if done > 60:
            raise KeyboardInterrupt

    result = rollout(td, CONTACT, trials=1296, truncate=4, progress=interrupt)
    assert result.interrupted
    assert result.ended == "interrupt"
    assert result.positions[0].trials == 36
    whole = rollout(td, CONTACT, trials=36, truncate=4)
    assert result.positions == whole.positions
    assert not whole.interrupted


def test_ctrl_c_before_anything_is_finished_goes_through(td):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rollout(td, CONTACT, trials=72, progress=interrupt)


def test_progress_rises_to_the_end(td):
    seen = []
    rollout(
        td, [CONTACT, RACE], trials=100, truncate=3,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert seen[-1] == (100, 100)


def test_a_rollout_ends_when_it_is_sure_enough(td):
    stop = Stop(standard_error=0.02)
    result = rollout(td, [CONTACT, RACE], trials=12_960, truncate=4, stop=stop)
    assert result.ended == "standard error"
    for found in result.positions:
        assert found.standard_error <= 0.02
        assert 144 <= found.trials < 12_960


def test_a_rollout_ends_when_its_time_is_over(td):
    stop = Stop(seconds=1e-9)
    result = rollout(td, CONTACT, truncate=2, stop=stop)
    assert (result.ended, result.positions[0].trials) == ("seconds", 36)
    assert result.seconds > 0


def test_results_are_said_in_a_line_each(td):
    text = str(rollout(td, CONTACT, trials=36, truncate=1))
    assert "standard error" in text
    assert "(36 trials)" in text
    lines = str(
        rollout_plays(td, Position.start(), (3, 1), trials=36, truncate=1)
    ).splitlines()
    assert lines[0].startswith("8/5 6/5: +")
    low, high = (
        rollout(td, RACE, trials=36, luck=False, bearoff=False).positions[0].interval
    )
    assert low < high


# --- what is refused ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"trials": 35}, "trials is a whole number of 36 or more, not 35"),
        ({"trials": 72.0}, r"trials is a whole number of 36 or more, not 72\.0"),
        ({"trials": 2**33}, r"at most 2\*\*32 trials"),
        ({"seed": -1}, "seed is a whole number of 0 or more, not -1"),
        ({"seed": 2**64}, r"A seed is at most 2\*\*64"),
        ({"truncate": 0}, "truncate is a whole number of 1 or more, not 0"),
        ({"plies": 9}, "0 to 4 whole plies ahead, not 9"),
        ({"stop": Stop(confidence=0.9)}, r"confidence=0\.9\) compares the plays"),
    ],
)
def test_impossible_arguments_are_refused(td, arguments, said):
    with pytest.raises(InvalidOptionError, match=said):
        rollout(td, RACE, **arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"standard_error": 0}, "standard_error above 0 or None, not 0"),
        ({"seconds": "9"}, "seconds above 0 or None, not '9'"),
        ({"confidence": 1.0}, r"above 0\.5 and below 1, or None, not 1\.0"),
        ({"least": 10}, "least is a whole number of 36 or more, not 10"),
    ],
)
def test_impossible_stops_are_refused(arguments, said):
    with pytest.raises(InvalidOptionError, match=said):
        Stop(**arguments)


def test_positions_that_are_none_are_refused(td):
    with pytest.raises(InvalidPositionError, match="A position is a"):
        rollout(td, ["4HPwATDgc/ABMA"])
    with pytest.raises(InvalidOptionError, match="There must be a position"):
        rollout(td, [])


def test_plays_of_other_rolls_are_refused(td):
    other = legal_plays(Position.start(), (6, 5))
    with pytest.raises(InvalidOptionError, match=r"legal Play of roll \[3, 1\]"):
        rollout_plays(td, Position.start(), (3, 1), plays=other)
    with pytest.raises(InvalidOptionError, match="There must be a play"):
        rollout_plays(td, Position.start(), (3, 1), plays=[])
