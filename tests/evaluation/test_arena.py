"""The arena: what it plays, what it counts, and what it must not depend on."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from arena_agents import (
    AnyDecision,
    AnyPlay,
    FirstPlay,
    Interrupting,
    LastPlay,
    OneMove,
    play_one_by_one,
)

from bg_env._jit import DISABLED
from bg_env.errors import (
    EngineError,
    IllegalPlayError,
    InvalidOptionError,
    InvalidPositionError,
    UnknownNameError,
)
from bg_env.evaluation import evaluate
from bg_env.evaluation.arena import _waves
from bg_env.rules.decisions import ROLL
from bg_env.rules.options import Rules
from bg_env.rules.position import Position

MONEY = Rules(resign="offer", beavers=2, jacoby=True, automatic_doubles=1)
MATCH = Rules(match_length=3, resign="offer")

compiled_only = pytest.mark.skipif(DISABLED, reason="thousands of games need the JIT")


def measured(result):
    """All of a result but the time it took, as JSON values."""
    values = result.to_dict()
    for key in ("seconds", "games_per_second"):
        del values[key]
    return values


# --- the same games as one by one -----------------------------------------------------


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    ("a", "b", "rules"),
    [
        (AnyPlay(), LastPlay(), Rules(cube=False)),
        (FirstPlay(), OneMove(), Rules(cube=False, start="nackgammon")),
        (AnyDecision(), AnyPlay(), MONEY),
        (AnyDecision(), AnyDecision(), MONEY),
        (AnyDecision(), AnyPlay(), MATCH),
    ],
    ids=["plays", "moves", "cube", "both cubes", "matches"],
)
def test_the_arena_plays_what_single_games_play(a, b, rules, paired):
    games = play_one_by_one(a, b, rules, units=14, seed=3, paired=paired)
    result = evaluate(a, b, games=14, seed=3, rules=rules, paired=paired)
    every = [net for nets in games.nets for net in nets]
    assert result.played == len(every)
    assert result.points_per_game == pytest.approx(np.mean(every))
    assert result.turns_per_game == pytest.approx(np.mean(games.turns))
    assert result.first_mover_win_share == pytest.approx(np.mean(games.first_won))
    assert result.truncated == 0
    assert not result.interrupted
    assert kinds_of(result) == kinds_by_hand(games)
    assert dataclasses.astuple(result.endings) == tuple(
        games.endings.count(ending) for ending in (1, 2, 3, 4)
    )


def kinds_of(result):
    return [
        dataclasses.astuple(side)
        for side in (result.outcomes.won, result.outcomes.lost)
    ]


def kinds_by_hand(games):
    counts = {True: [0] * 4, False: [0] * 4}
    for won, level, ending in zip(games.won, games.levels, games.endings, strict=True):
        counts[won][3 if ending == 2 else level - 1] += 1
    return [tuple(counts[True]), tuple(counts[False])]


@pytest.mark.parametrize("paired", [True, False])
def test_the_standard_error_is_that_of_pair_means_when_paired(paired):
    a, b = AnyPlay(), LastPlay()
    rules = Rules(cube=False)
    games = play_one_by_one(a, b, rules, units=20, seed=9, paired=paired)
    values = np.array(games.nets)[:, 0]
    if paired:
        values = values.reshape(10, 2).mean(axis=1)
    expected = values.std(ddof=1) / len(values) ** 0.5
    result = evaluate(a, b, games=20, seed=9, paired=paired)
    assert result.standard_error == pytest.approx(expected)
    low, high = result.interval
    assert low < result.points_per_game < high


def test_a_match_counts_once_however_many_games_it_has():
    a, b = AnyDecision(), AnyPlay()
    games = play_one_by_one(a, b, MATCH, units=16, seed=4, paired=True)
    wins = np.array([nets[-1] > 0 for nets in games.nets])
    result = evaluate(a, b, games=16, seed=4, rules=MATCH)
    assert (result.matches.won, result.matches.lost) == (wins.sum(), (~wins).sum())
    assert result.matches.share == pytest.approx(wins.mean())
    means = wins.reshape(8, 2).mean(axis=1)
    assert result.matches.standard_error == pytest.approx(means.std(ddof=1) / 8**0.5)
    assert result.played > 16
    assert result.to_dict()["unit"] == "match"


def test_single_games_have_no_match_figures():
    assert evaluate(FirstPlay(), LastPlay(), games=2).matches is None


# --- pairs ----------------------------------------------------------------------------


def test_an_agent_without_chance_is_exactly_even_with_itself_on_paired_dice():
    result = evaluate(FirstPlay(), FirstPlay(), games=60)
    assert (result.points_per_game, result.standard_error) == (0.0, 0.0)
    assert result.outcomes.won == result.outcomes.lost


def test_unpaired_games_each_have_their_own_dice():
    result = evaluate(FirstPlay(), FirstPlay(), games=60, paired=False)
    assert result.standard_error > 0


def test_what_a_wins_from_b_is_what_b_loses_to_a():
    one = evaluate(FirstPlay(), LastPlay(), games=40)
    other = evaluate(LastPlay(), FirstPlay(), games=40)
    assert one.points_per_game == -other.points_per_game
    assert one.standard_error == pytest.approx(other.standard_error)
    assert one.outcomes.won == other.outcomes.lost


def test_an_odd_number_leaves_the_last_game_without_a_partner():
    games = play_one_by_one(
        AnyPlay(), LastPlay(), Rules(cube=False), units=7, seed=0, paired=True
    )
    result = evaluate(AnyPlay(), LastPlay(), games=7)
    assert result.played == 7
    assert result.points_per_game == pytest.approx(np.mean(games.nets))


def test_one_game_has_no_standard_error():
    result = evaluate(FirstPlay(), LastPlay(), games=1)
    assert result.played == 1
    assert result.standard_error is None
    assert result.interval is None


# --- what the result does not depend on -----------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 7, 2048])
@pytest.mark.parametrize(
    "options",
    [{}, {"paired": False}, {"rules": MATCH, "games": 13}, {"max_turns": 60}],
    ids=["paired", "unpaired", "matches", "capped"],
)
def test_the_batch_size_changes_nothing(batch_size, options):
    a, b = AnyPlay(), OneMove()
    options = {"games": 37, "seed": 11, **options}
    result = evaluate(a, b, batch_size=batch_size, **options)
    usual = evaluate(a, b, **options)
    assert result == usual
    assert measured(result) == measured(usual)


def test_the_seed_decides_and_another_seed_differs():
    results = [evaluate(AnyPlay(), LastPlay(), games=30, seed=s) for s in (5, 5, 6)]
    assert results[0] == results[1]
    assert results[0] != results[2]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("batch_size", [1, 7, 33, 2048])
def test_waves_cover_every_game_once_and_never_split_a_pair(batch_size, paired):
    waves = list(_waves(1000, batch_size, paired))
    ends = [first + count for first, count in waves]
    assert [first for first, _ in waves] == [0, *ends[:-1]]
    assert ends[-1] == 1000
    assert max(count for _, count in waves) <= batch_size + paired
    if paired:
        assert all(first % 2 == 0 for first, _ in waves)


# --- turn cap and interrupts ----------------------------------------------------------


def test_a_game_of_exactly_the_cap_counts_and_a_longer_one_is_truncated():
    games = play_one_by_one(
        FirstPlay(), LastPlay(), Rules(cube=False), units=12, seed=0, paired=True
    )
    cap = sorted(games.turns)[6]
    kept = [
        nets[0] for nets, t in zip(games.nets, games.turns, strict=True) if t <= cap
    ]
    result = evaluate(FirstPlay(), LastPlay(), games=12, max_turns=cap)
    assert result.played == len(kept)
    assert result.truncated == 12 - len(kept) > 0
    assert result.points_per_game == pytest.approx(np.mean(kept))
    assert result.turns_per_game <= cap


def test_a_cap_is_never_a_draw():
    result = evaluate(FirstPlay(), LastPlay(), games=10, max_turns=3)
    assert (result.played, result.truncated) == (0, 10)
    assert result.points_per_game is None
    assert result.outcomes.won.total == result.outcomes.lost.total == 0


def test_a_match_with_a_capped_game_counts_nowhere():
    result = evaluate(AnyPlay(), LastPlay(), games=10, rules=MATCH, max_turns=80)
    counted = result.matches.won + result.matches.lost
    assert counted + result.truncated == 10
    assert 0 < result.truncated < 10
    assert result.outcomes.won.total + result.outcomes.lost.total == result.played


def test_an_interrupt_leaves_what_the_finished_waves_measured():
    interrupted = evaluate(Interrupting(250), LastPlay(), games=10_000)
    assert interrupted.interrupted
    assert interrupted.games == 10_000
    assert interrupted.played in (32, 32 + 64, 32 + 64 + 128)
    whole = evaluate(FirstPlay(), LastPlay(), games=interrupted.played)
    same = dataclasses.replace(whole, games=10_000, interrupted=True)
    assert interrupted == same


def test_an_interrupt_in_the_first_wave_leaves_nothing_and_no_error():
    result = evaluate(Interrupting(3), LastPlay(), games=100)
    assert result.interrupted
    assert (result.played, result.points_per_game) == (0, None)


class _Greedy(FirstPlay):
    """Goes on to roll for its opponent when its own play is over."""

    def plays(self, states, streams):
        codes = super().plays(states, streams)
        codes[np.arange(len(codes)), (codes > 0).sum(axis=1).clip(max=3)] = ROLL
        return codes


def test_an_agent_cannot_decide_for_its_opponent():
    with pytest.raises(IllegalPlayError, match="number 2 of"):
        evaluate(_Greedy(), LastPlay(), games=2)


class _Failing(Interrupting):
    """An engine that fails where the other agent is interrupted."""

    def choose(self, *arguments):
        try:
            return super().choose(*arguments)
        except KeyboardInterrupt:
            raise EngineError("The engine ended twice.") from None


def test_an_engine_that_fails_leaves_what_the_finished_waves_measured():
    stopped = evaluate(_Failing(250), LastPlay(), games=10_000)
    assert stopped.stopped_by == "The engine ended twice."
    assert not stopped.interrupted
    assert stopped == dataclasses.replace(
        evaluate(Interrupting(250), LastPlay(), games=10_000),
        interrupted=False,
        stopped_by="The engine ended twice.",
    )
    assert "Stopped early" in map(str, stopped.table().columns[0].cells)
    assert "stopped by an engine" in str(stopped)


def test_an_engine_that_fails_before_anything_is_measured_raises():
    with pytest.raises(EngineError, match="ended twice"):
        evaluate(_Failing(3), LastPlay(), games=100)


def test_an_interrupt_from_the_progress_report_ends_as_cleanly():
    def stop(done, total):
        if done >= 40:
            raise KeyboardInterrupt

    result = evaluate(FirstPlay(), LastPlay(), games=1000, progress=stop)
    assert result.interrupted
    assert result.played == 32


def test_progress_only_rises_and_ends_with_everything():
    seen = []
    evaluate(
        FirstPlay(), LastPlay(), games=90, progress=lambda *pair: seen.append(pair)
    )
    done = [count for count, _ in seen]
    assert done == sorted(done)
    assert seen[-1] == (90, 90)


# --- agents that do what they must not ------------------------------------------------


class Passing(FirstPlay):
    name = "passing"

    def act(self, states, streams):
        return np.zeros(len(states), np.int64)

    def plays(self, states, streams):
        return np.zeros((len(states), 4), np.int16)


class Scribbling(FirstPlay):
    name = "scribbling"

    def choose(self, states, boards, offsets, streams):
        chosen = super().choose(states, boards, offsets, streams)
        states["board"] = 0
        states["dice_stream"] = 1
        states["score"] = 99
        return chosen


def test_an_illegal_decision_raises_and_names_agent_and_position():
    with pytest.raises(IllegalPlayError, match=r"'passing'.* position "):
        evaluate(Passing(), FirstPlay(), games=4)


def test_an_agent_cannot_change_the_games_it_is_shown():
    honest = evaluate(FirstPlay(), LastPlay(), games=20)
    scribbled = evaluate(Scribbling(), LastPlay(), games=20)
    assert dataclasses.replace(scribbled, a="first") == honest


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"games": 0}, InvalidOptionError, "games is a whole number, 1 or more, not 0"),
        ({"games": -3}, InvalidOptionError, "-3"),
        ({"games": 2.0}, InvalidOptionError, "2.0"),
        ({"games": True}, InvalidOptionError, "True"),
        ({"games": "10"}, InvalidOptionError, "'10'"),
        ({"seed": -1}, InvalidOptionError, "seed is a whole number, 0 or more, not -1"),
        ({"seed": 2**64}, InvalidOptionError, "at most"),
        ({"max_turns": 0}, InvalidOptionError, "max_turns"),
        ({"max_turns": 2**31}, InvalidOptionError, "max_turns"),
        ({"batch_size": 0}, InvalidOptionError, "batch_size"),
        ({"paired": "no"}, InvalidOptionError, "paired is True or False, not 'no'"),
        ({"rules": 7}, InvalidOptionError, "rules is a bg_env.Rules"),
        ({"rules": "monopoly"}, UnknownNameError, "'monopoly'"),
        ({"a": "nobody"}, UnknownNameError, "'nobody'"),
        ({"b": object()}, InvalidOptionError, "An agent is a name or has a name"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(change, error, words):
    arguments = {"a": FirstPlay(), "b": LastPlay(), **change}
    with pytest.raises(error) as raised:
        evaluate(arguments.pop("a"), arguments.pop("b"), **arguments)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_start_from_which_nobody_can_move_is_refused():
    wall = {point: 2 for point in range(1, 7)}
    stuck = Position.from_points({**wall, 25: 3}, {**wall, 25: 3})
    with pytest.raises(InvalidPositionError, match="Neither side can ever move"):
        evaluate(FirstPlay(), LastPlay(), rules=Rules(start=stuck.id))


def test_rules_may_be_named_and_are_cubeless_money_by_default():
    default = evaluate(FirstPlay(), LastPlay(), games=4)
    assert default.rules == Rules(cube=False)
    named = evaluate(FirstPlay(), LastPlay(), games=4, rules="cubeless")
    assert named == default


@pytest.mark.parametrize(
    "preset", ["standard", "cubeless", "match", "timed", "household", "us-tournament"]
)
def test_every_preset_can_be_evaluated(preset):
    result = evaluate(AnyPlay(), AnyPlay(), games=4, rules=preset)
    assert result.truncated == 0
    assert result.played >= 4
    assert result.outcomes.won.total + result.outcomes.lost.total == result.played


# --- known figures --------------------------------------------------------------------


def shares_by_kind(result):
    won, lost = result.outcomes.won, result.outcomes.lost
    counts = (
        won.singles + lost.singles,
        won.gammons + lost.gammons,
        won.backgammons + lost.backgammons,
    )
    return [count / result.played for count in counts]


@compiled_only
@pytest.mark.parametrize(
    ("games", "slack"),
    [(3000, 0.04), pytest.param(20_000, 0.015, marks=pytest.mark.heavy)],
)
def test_random_play_has_its_known_shares_and_length(games, slack):
    result = evaluate("random", "random", games=games)
    assert shares_by_kind(result) == pytest.approx([0.38, 0.365, 0.255], abs=slack)
    assert result.first_mover_win_share == pytest.approx(0.506, abs=slack)
    assert result.turns_per_game == pytest.approx(96.8, abs=100 * slack)
    assert abs(result.points_per_game) < 4 * result.standard_error


@compiled_only
@pytest.mark.parametrize(
    ("games", "slack"),
    [(2000, 0.06), pytest.param(10_000, 0.025, marks=pytest.mark.heavy)],
)
def test_pubeval_wins_two_and_a_half_points_a_game_from_random(games, slack):
    result = evaluate("pubeval", "random", games=games)
    assert result.points_per_game == pytest.approx(2.505, abs=slack)
    assert result.standard_error < 0.8 / games**0.5


@compiled_only
def test_paired_dice_make_the_error_smaller_between_equals():
    paired = evaluate("pubeval", "pubeval", games=400)
    assert paired.points_per_game == 0  # no chance in it but the dice
    close = evaluate("pubeval", "pip-race", games=2000)
    loose = evaluate("pubeval", "pip-race", games=2000, paired=False)
    assert close.standard_error < loose.standard_error
