"""Luck: zero in the mean of every roll, out of every game, and never in its course."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pytest
from arena_agents import (
    AnyDecision,
    AnyPlay,
    FirstPlay,
    Interrupting,
    LastPlay,
    OneMove,
    seeded_record,
)

from bg_env._jit import DISABLED
from bg_env.agent import decide
from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.evaluation import evaluate
from bg_env.evaluation._luck import (
    LUCK_SCALE,
    LuckMeter,
    opening_luck,
    roll_luck,
    starting_luck,
)
from bg_env.rules.decisions import ROLL
from bg_env.rules.game import GameState
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.search.rolls import equity, roll_chances

compiled_only = pytest.mark.skipif(DISABLED, reason="many games need the JIT")

CUBELESS = Rules(cube=False)
MONEY = Rules(resign="offer", beavers=2, jacoby=True, automatic_doubles=1)
UNLIMITED = Rules(max_cube=None, beavers=5)
REROLL = Rules(cube=False, opening_reroll=True)
SHORT = Rules(cube=False, start="hypergammon")
LOPSIDED = Position.from_points({24: 2, 6: 5}, {20: 1, 8: 4})


class Noise:
    """Chances that have nothing to do with the game, but are always the same."""

    name = "noise"

    def evaluate(self, boards):
        weights = np.random.default_rng(7).normal(size=(64, 5))
        rated = np.sin(boards.reshape(len(boards), 64) @ weights)
        return (0.5 + 0.5 * rated).astype(np.float32)


class Broken(Noise):
    """Says that nothing is a number."""

    name = "broken"

    def roll_chances(self, boards):
        return np.full((len(boards), 21, 5), np.nan, np.float32)


class OneCheckerEach:
    """Knows all of a race in which each side has one checker left."""

    name = "oracle"

    def evaluate(self, boards):
        chances = np.zeros((len(boards), 5), np.float32)
        for i, board in enumerate(boards):
            chances[i, 0] = winning_chance(Position.from_board(board))
        return chances


@functools.cache
def winning_chance(position):
    """Of the player on roll; no roll leaves a choice."""
    if not any(position.opponent[1:]):
        return 0.0
    total = 0.0
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        after = legal_plays(position, roll)[0].result
        over = not any(after.mover[1:])
        total += ways * (1.0 if over else 1 - winning_chance(after.swapped()))
    return total / 36


# --- the luck of one roll -------------------------------------------------------------


def some_values(rows, seed=0):
    return np.random.default_rng(seed).integers(-(2**26), 2**26, (rows, 21))


def test_luck_is_exactly_zero_in_the_mean_of_the_rolls_of_a_position():
    luck = roll_luck(some_values(200))
    assert (luck @ np.array(ROLL_WAYS) == 0).all()
    assert luck.any()


def test_luck_is_exactly_zero_in_the_mean_of_the_30_openings():
    luck = opening_luck(some_values(2))
    assert luck.sum() == 0
    assert np.count_nonzero(luck) == 30
    assert starting_luck(some_values(2)).sum() == 0


def test_a_real_evaluators_luck_sums_to_exactly_zero():
    meter = LuckMeter(Noise(), CUBELESS)
    boards = np.stack([Position.start().to_board(), LOPSIDED.to_board()])
    assert (roll_luck(meter.values(boards)) @ np.array(ROLL_WAYS) == 0).all()


@functools.cache
def values_by_hand(position):
    """Equity after the best play of each roll for the player on roll, by noise."""
    board = position.to_board()[None]
    return equity(roll_chances(Noise(), board)[0].astype(np.float64)).tolist()


def luck_by_hand(before, after):
    """Of player 0 in one roll, cube at 1, by noise and the outcomes the rules list."""

    def value(state):
        sign = 1 if state.on_roll == 0 else -1
        if state.dice is None:  # the opening has only said who starts
            following = state.chance_outcomes()
        else:
            following = [(state.dice, 1.0)]
        return sign * math.fsum(
            chance * values_by_hand(state.position)[ROLLS.index((max(roll), min(roll)))]
            for roll, chance in following
        )

    mean = 0.0
    for dice, chance in before.chance_outcomes():
        state = before.clone()
        state.set_dice(*dice)
        mean += chance * value(state)
    return value(after) - mean


@pytest.mark.parametrize("on_roll", [0, 1])
@pytest.mark.parametrize("position", [LOPSIDED, Position.start()])
def test_the_luck_of_a_roll_is_its_value_less_the_mean(position, on_roll):
    meter = LuckMeter(Noise(), CUBELESS)
    before = GameState.from_position(position, rules=CUBELESS, on_roll=on_roll)
    for roll in ((6, 1), (1, 6), (3, 3)):
        after = before.clone()
        after.set_dice(*roll)
        luck = meter.luck(after.record)[0] / LUCK_SCALE
        assert luck == pytest.approx(luck_by_hand(before, after), abs=1e-6)


@pytest.mark.parametrize("start", ["standard", LOPSIDED.id])
@pytest.mark.parametrize("rules", [CUBELESS, REROLL], ids=["played", "rolled afresh"])
def test_the_luck_of_the_opening_is_of_30_outcomes_and_who_starts_matters(rules, start):
    rules = dataclasses.replace(rules, start=start)
    meter = LuckMeter(Noise(), rules)
    before = GameState.new(rules)
    outcomes = before.chance_outcomes()
    assert len(outcomes) == 30
    total = 0
    for dice, _ in outcomes:
        after = before.clone()
        after.set_dice(*dice)
        luck = int(meter.luck(after.record)[0])
        by_hand = luck_by_hand(before, after)
        assert luck / LUCK_SCALE == pytest.approx(by_hand, abs=1e-6)
        total += luck
    assert total == 0


def test_at_a_level_start_each_opening_is_as_lucky_for_either_side():
    values = some_values(1).repeat(2, axis=0)
    luck = opening_luck(values)
    assert (luck[0] == -luck[1]).all()


# --- the luck of whole games ----------------------------------------------------------


def adjusted_one_by_one(a, b, rules, *, units, seed):
    """Points without luck of every game, played through `GameState`."""
    return [
        game_without_luck(
            GameState(seeded_record(rules, number, seed, True), rules),
            (a, b),
            number % 2,
        )
        for number in range(units)
    ]


def game_without_luck(state, agents, seat):
    luck = 0.0
    while not state.is_over:
        legal = state.legal_decisions()
        if legal in ([0], [ROLL]):
            codes = legal
        else:
            agent = agents[0] if state.to_act == seat else agents[1]
            streams = state.record["choice_stream"].copy()
            codes = decide(agent, state.record.copy(), streams)[0].tolist()
            state.record["choice_stream"] = streams
        before = state.clone()
        for k, code in enumerate(codes):
            if k == 0 or code:
                state.apply(code)
        if codes[0] == ROLL:
            of_0 = luck_by_hand(before, state)
            luck += state.cube * (of_0 if seat == 0 else -of_0)
    return (state.points if state.winner == seat else -state.points) - luck


@pytest.mark.parametrize(
    ("a", "b", "rules"),
    [
        (FirstPlay(), LastPlay(), SHORT),
        (AnyPlay(), OneMove(), dataclasses.replace(SHORT, opening_reroll=True)),
        (AnyDecision(), AnyPlay(), dataclasses.replace(MONEY, start="hypergammon")),
        (AnyDecision(), AnyDecision(), UNLIMITED),
    ],
    ids=["plays", "rolled afresh", "cube", "cube without limit"],
)
def test_the_arena_takes_out_the_luck_that_single_games_have(a, b, rules):
    values = adjusted_one_by_one(a, b, rules, units=6, seed=5)
    result = evaluate(a, b, games=6, seed=5, rules=rules, luck=Noise())
    adjusted = result.luck_adjusted
    assert adjusted.points_per_game == pytest.approx(np.mean(values), rel=1e-6)
    means = np.array(values).reshape(3, 2).mean(axis=1)
    error = means.std(ddof=1) / 3**0.5
    assert adjusted.standard_error == pytest.approx(error, rel=1e-5)
    low, high = adjusted.interval
    assert low < adjusted.points_per_game < high
    difference = result.points_per_game - adjusted.points_per_game
    assert adjusted.mean_luck == pytest.approx(difference, abs=1e-9)
    assert adjusted.evaluator == "noise"


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (AnyPlay(), LastPlay(), {}),
        (AnyPlay(), OneMove(), {"paired": False, "games": 11}),
        (AnyDecision(), AnyDecision(), {"rules": MONEY}),
        (FirstPlay(), LastPlay(), {"rules": REROLL, "max_turns": 60}),
    ],
    ids=["paired", "unpaired", "cube", "capped"],
)
def test_games_are_the_same_with_and_without_luck(a, b, options):
    options = {"games": 12, "seed": 8, "rules": SHORT, **options}
    plain = evaluate(a, b, **options)
    result = evaluate(a, b, luck=Noise(), **options)
    assert plain.luck_adjusted is None
    assert result.luck_adjusted is not None
    assert dataclasses.replace(result, luck_adjusted=None) == plain


@pytest.mark.parametrize("batch_size", [1, 7])
def test_the_batch_size_changes_nothing_of_luck(batch_size):
    options = {"games": 19, "seed": 2, "luck": Noise(), "rules": SHORT}
    usual = evaluate(AnyPlay(), OneMove(), **options)
    assert evaluate(AnyPlay(), OneMove(), batch_size=batch_size, **options) == usual


@compiled_only
def test_an_exact_evaluator_leaves_no_luck_where_there_is_no_choice():
    start = Position.from_points({12: 1}, {12: 1})
    rules = Rules(cube=False, start=start.id)
    result = evaluate(
        FirstPlay(), LastPlay(), games=40, rules=rules, luck=OneCheckerEach(),
        paired=False,
    )  # fmt: skip
    adjusted = result.luck_adjusted
    assert result.standard_error > 0.1
    assert adjusted.points_per_game == pytest.approx(0, abs=1e-6)
    assert adjusted.standard_error == pytest.approx(0, abs=1e-6)


def check_that_noise_changes_no_mean(games, rules):
    result = evaluate(
        FirstPlay(), LastPlay(), games=games, rules=rules, luck=Noise(), paired=False
    )
    adjusted = result.luck_adjusted
    errors = math.hypot(result.standard_error, adjusted.standard_error)
    assert abs(adjusted.mean_luck) < 3 * errors
    assert adjusted.mean_luck != 0


@compiled_only
def test_the_worst_evaluator_changes_no_mean():
    check_that_noise_changes_no_mean(400, SHORT)


@pytest.mark.heavy
def test_the_worst_evaluator_changes_no_mean_of_many_games():
    check_that_noise_changes_no_mean(10_000, SHORT)


@compiled_only
def test_a_good_evaluator_makes_the_mean_surer():
    result = evaluate("td", "pubeval", games=60, seed=1, luck="td")
    adjusted = result.luck_adjusted
    assert adjusted.evaluator == "td"
    assert adjusted.standard_error < 0.75 * result.standard_error


@pytest.mark.heavy
def test_without_luck_two_agents_are_as_far_apart_as_with_it():
    result = evaluate("td", "pubeval", games=4000, luck="td")
    adjusted = result.luck_adjusted
    assert adjusted.standard_error < 0.6 * result.standard_error
    assert abs(adjusted.mean_luck) < 3 * result.standard_error


def test_truncated_games_count_nowhere():
    capped = evaluate(FirstPlay(), LastPlay(), games=6, max_turns=2, luck=Noise())
    adjusted = capped.luck_adjusted
    assert (adjusted.points_per_game, adjusted.mean_luck) == (None, None)
    assert (adjusted.standard_error, adjusted.interval) == (None, None)


@compiled_only
def test_an_interrupt_leaves_the_luck_of_the_finished_waves():
    stopped = evaluate(
        Interrupting(120), LastPlay(), games=500, rules=SHORT, luck=Noise()
    )
    whole = evaluate(
        FirstPlay(), LastPlay(), games=stopped.played, rules=SHORT, luck=Noise()
    )
    assert stopped.interrupted
    assert stopped.played > 0
    assert stopped.luck_adjusted == whole.luck_adjusted


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"luck": "nobody"}, UnknownNameError, "Unknown agent 'nobody'"),
        ({"luck": "pubeval"}, InvalidOptionError, "'pubeval' cannot measure luck"),
        ({"luck": FirstPlay()}, InvalidOptionError, "cannot measure luck: that takes"),
        ({"luck": 7}, InvalidOptionError, "7 cannot measure luck"),
        ({"luck": Broken()}, InvalidOptionError, "'broken' cannot measure luck"),
        (
            {"luck": Noise(), "rules": Rules(match_length=5)},
            InvalidOptionError,
            "does not go with a match to 5: leave it out",
        ),
    ],
)
def test_luck_that_cannot_be_measured_is_refused_in_one_sentence(options, error, words):
    with pytest.raises(error) as raised:
        evaluate(FirstPlay(), LastPlay(), games=2, **options)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
