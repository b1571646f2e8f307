"""The cube learnt by self-play: its equities, its targets, its training, its player."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from bg_agents._cube_exact import (
    exact_cube_games,
    new_cube_buffers,
    new_cube_samples,
    place_after_double,
    write_changes,
)
from bg_agents._cube_net import MIRRORED, learn_places, settle
from bg_agents.cube_nets import CubeNet
from bg_agents.cube_training import CubeTrainer
from bg_agents.nets import Net
from bg_agents.players import td_cube
from bg_agents.recipes import CubeRecipe
from bg_agents.runs import CHECKPOINT
from random_positions import many

from bg_env import InvalidOptionError, Rules
from bg_env.agent import make_agent
from bg_env.equity import load_table
from bg_env.equity.bearoff import bearoff_equities
from bg_env.evaluation import evaluate
from bg_env.rules.batch import new_states, seed_states
from bg_env.rules.game import GameState
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, PlayBuffers, plays_of_boards
from bg_env.search._cube_search import search_worths
from bg_env.search.cube import cube_decision, make_cubes
from bg_env.search.learnt_cube import (
    CENTRED,
    JACOBY,
    OTHER,
    OWN,
    PLACES,
    learnt_equities,
)
from bg_env.search.rolls import equity


@pytest.fixture(scope="module")
def net():
    """A network to which the place of the cube makes a difference."""
    chance = np.random.default_rng(1)
    plain = Net.random(12, 5, expert=True, classes=3)
    w2 = plain.w2 + chance.normal(0, 0.5, plain.w2.shape).astype(np.float32)
    return CubeNet(
        Net(plain.w1 * 4, plain.b1, w2, plain.b2),
        chance.normal(0, 0.7, (3, PLACES, 12)).astype(np.float32),
        chance.normal(0, 0.7, (3, PLACES, 5)).astype(np.float32),
    )


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "net.npz"
    Net.random(8, 3, expert=True, classes=3).save(path)
    return str(path)


def boards_of(count, seed=3):
    boards = np.stack([position.to_board() for position in many(count, seed)])
    return np.ascontiguousarray(boards)


def recipe(start, games=288, **changes):
    settings = {"batch": 64, "buffer": 4000, "replay": 1, "threads": 2, "seed": 4}
    return CubeRecipe(start=(start,), games=games, **{**settings, **changes})


def samples_of(net, trace, games=4, room=4000):
    states = new_states(games, Rules.preset("cubeless"))
    seed_states(states, 5)
    plays, samples = PlayBuffers(), new_cube_samples(room)
    game, rolls = new_cube_buffers()
    number = exact_cube_games(
        states, net.weights, net.scratch(), net.net.sieve_scratch()[0], 0.0,
        plays.arrays, plays.scratch, game, rolls, trace, samples,
    )  # fmt: skip
    return samples[0][:number].copy(), samples[2][:number].copy()


# --- equities -------------------------------------------------------------------------


def test_before_it_learns_it_says_what_the_network_says_without_a_cube():
    plain = Net.shipped("td")
    boards = boards_of(40)
    rated = CubeNet.of(plain).rate(boards)
    chances = plain.rate(boards)
    for place in (CENTRED, OWN, OTHER):
        np.testing.assert_allclose(rated[:, place], equity(chances), atol=2e-6)
    np.testing.assert_allclose(rated[:, JACOBY], 2 * chances[:, 0] - 1, atol=2e-6)


def test_the_player_on_roll_sees_the_other_side_of_the_same_equities(net):
    boards = boards_of(30)
    mine = net.cube_equities(boards)
    theirs = net.rate(np.ascontiguousarray(boards[:, ::-1]))
    np.testing.assert_array_equal(mine[:, OWN], -theirs[:, OTHER])
    np.testing.assert_array_equal(mine[:, OTHER], -theirs[:, OWN])
    np.testing.assert_array_equal(mine[:, CENTRED], -theirs[:, CENTRED])
    np.testing.assert_array_equal(mine[:, JACOBY], -theirs[:, JACOBY])


def test_each_place_of_the_cube_adds_to_hidden_units_and_outputs(net):
    boards = boards_of(30, 8)
    for place in (CENTRED, OWN, OTHER):
        moved = Net(
            net.net.w1,
            net.net.b1 + net.to_hidden[:, place],
            net.net.w2,
            net.net.b2 + net.to_outputs[:, place],
        )
        expected = equity(moved.rate(boards))
        np.testing.assert_allclose(net.rate(boards)[:, place], expected, atol=1e-5)


def test_a_finished_game_is_worth_its_points(net):
    board = np.zeros((1, 2, 32), np.int8)
    board[0, 0, 0] = 15
    board[0, 1, 1] = 15
    assert net.rate(board).tolist() == [[2, 2, 2, 1]]
    board[0, 1, 1], board[0, 1, 0] = 14, 1
    assert net.rate(board).tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("rates", "worths"),
    [
        # the other player doubles out of it, and it is dropped
        ([-0.9, -0.7, -0.8, -0.9], [-1, -0.7, -1, -1]),
        # he doubles and it is taken
        ([-0.5, -0.3, -0.55, -0.4], [-0.6, -0.3, -0.6, -0.6]),
        # he does not double
        ([0.1, 0.3, 0.0, 0.2], [0.1, 0.3, 0.0, 0.2]),
        # he is too good to double, but by the Jacoby rule
        ([-1.4, -1.2, -1.4, -0.9], [-1.4, -1.2, -1.4, -1]),
    ],
)
def test_the_other_player_doubles_where_that_is_best_for_him(rates, worths):
    found = np.zeros(PLACES, np.float32)
    settle(np.array(rates, np.float32), False, found)
    np.testing.assert_allclose(found, worths, atol=1e-6)
    settle(np.array(rates, np.float32), True, found)
    np.testing.assert_allclose(found, rates)


@pytest.mark.parametrize(
    ("place", "rates", "expected"),
    [
        (CENTRED, [0.1, 0.3, 0.0, 0.2], CENTRED),
        (OWN, [-0.9, -0.3, -0.9, -0.9], OTHER),  # it is not his to double
        (OTHER, [0.1, 0.3, 0.0, 0.2], OWN),
        (CENTRED, [-0.5, -0.3, -0.5, -0.4], OTHER),  # doubled and taken
        (JACOBY, [-0.5, -0.3, -0.5, -0.4], OTHER),
        (CENTRED, [-0.9, -0.7, -0.8, -0.9], -1),  # dropped
        (JACOBY, [-0.9, -0.7, -0.8, -0.9], -1),
        (JACOBY, [-1.4, -0.9, -1.4, -1.0], JACOBY),  # too good, or as good
    ],
)
def test_a_double_that_is_taken_gives_the_cube_away(place, rates, expected):
    values = np.array([rates], np.float32)
    assert place_after_double(place, values, 0) == expected


# --- learning -------------------------------------------------------------------------


def test_the_gradient_is_that_of_half_the_squared_errors(net):
    boards = boards_of(6, 11)
    words = boards.view(np.uint64)
    targets = np.random.default_rng(2).normal(0, 1, (6, PLACES)).astype(np.float32)

    def loss(weights, p):
        w1, b1, w2, b2, to_hidden, to_outputs = weights
        moved = CubeNet(Net(w1, b1, w2, b2), to_hidden, to_outputs)
        rated = moved.rate(boards[p : p + 1])[0].astype(np.float64)
        return (((rated - targets[p]) ** 2) * [1, 2, 1, 1]).sum() / 2

    back = np.zeros((2, net.hidden), np.float32)
    for p in range(6):
        gradient = tuple(np.zeros_like(array) for array in net.weights)
        arguments = (net.weights, gradient, net.scratch(), back)
        squares = learn_places(boards, words, p, targets, *arguments)
        rated = net.rate(boards[p : p + 1])[0]
        assert squares == pytest.approx(((rated - targets[p]) ** 2).mean(), rel=1e-4)
        for i, part in enumerate(gradient):
            step = 2e-3 * part / max(float(np.linalg.norm(part)), 1e-9)
            changed = [list(net.weights) for _ in range(2)]
            changed[0][i] = net.weights[i] + step
            changed[1][i] = net.weights[i] - step
            fall = loss(changed[1], p) - loss(changed[0], p)
            expected = 2 * float((step * part).sum())
            assert fall == pytest.approx(expected, rel=0.05, abs=2e-5)


def best_by_place(net, boards, rolls):
    """The worth of the best play of each position, slowly: float64[B, 4]."""
    found = []
    for board, roll in zip(boards, rolls, strict=True):
        some = np.array([roll], np.int8)
        plays, _, _ = plays_of_boards(np.ascontiguousarray(board[None]), some)
        if not len(plays):
            plays = board[None]
        rated = net.rate(plays).astype(np.float64)
        over = (plays[:, 0, 1:26].sum(axis=1) == 0)[:, None]
        taken = np.maximum(2 * rated[:, [OWN]], -1)
        worths = np.where(over, rated, np.minimum(rated, taken))
        worths[:, OWN] = rated[:, OWN]
        best = (worths + 0.01 * rated[:, [OWN]]).argmax(axis=0)
        found.append(worths[best, range(PLACES)])
    return np.array(found)


def test_without_a_trace_a_target_is_the_mean_over_the_rolls_that_follow(net):
    boards, targets = samples_of(net, 0.0, games=2)
    some = np.linspace(0, len(boards) - 1, 25).astype(int)
    following = np.ascontiguousarray(boards[some][:, ::-1])
    mean = np.zeros((len(some), PLACES))
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        rolls = [roll] * len(some)
        mean += ways / 36 * best_by_place(net, following, rolls)
    np.testing.assert_allclose(targets[some], -mean[:, MIRRORED], atol=2e-4)


def slow_targets(game, turns, trace):
    """The targets of a game by the formula, from its last turn back."""
    _, _, values, looked, best = game
    change = np.zeros(PLACES)
    targets = []
    for t in range(turns - 2, -1, -1):
        row = values[t + 1].astype(np.float64)
        later = change.copy()
        for place in (CENTRED, OTHER, JACOBY):
            if max(2 * row[OWN], -1) < row[place] and t + 1 < turns - 1:
                later[place] = 2 * change[OWN] if 2 * row[OWN] >= -1 else 0
        corrections = np.where(best[t + 1], later, 0)
        target = looked[t] - trace * corrections[[CENTRED, OTHER, OWN, JACOBY]]
        target = np.clip(target, -3, 3)
        change = target - values[t]
        targets.append(target)
    return np.array(targets)


def test_with_a_trace_targets_are_what_the_formula_says(net):
    states = new_states(8, Rules.preset("cubeless"))
    seed_states(states, 8)
    plays, samples = PlayBuffers(), new_cube_samples(4000)
    game, rolls = new_cube_buffers()
    before, compared = 0, 0
    for count in range(1, 9):  # the buffers keep the last game
        number = exact_cube_games(
            states[:count].copy(), net.weights, net.scratch(),
            net.net.sieve_scratch()[0], 0.0, plays.arrays, plays.scratch, game, rolls,
            0.8, samples,
        )  # fmt: skip
        if number > before:
            expected = slow_targets(game, number - before + 1, 0.8)
            found = samples[2][before:number]
            np.testing.assert_allclose(found, expected, atol=2e-5)
            compared += 1
        before = number
    assert compared >= 6


def test_the_rule_of_targets_leaves_the_exact_equities_of_bear_offs_as_they_are():
    chance = np.random.default_rng(6)
    boards = np.zeros((40, 2, 32), np.int8)
    for board in boards:
        for side in range(2):
            for point in chance.integers(1, 7, chance.integers(1, 6)):
                board[side, point] += 1
            board[side, 0] = 15 - board[side, 1:7].sum()
    known, exact = bearoff_equities(boards)
    assert known.all()
    mean = np.zeros((len(boards), PLACES))
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        for i, board in enumerate(boards):
            some = np.ascontiguousarray(board[None])
            plays, _, _ = plays_of_boards(some, np.array([roll], np.int8))
            worths = [settled_bearoff(play) for play in plays]
            mean[i] += ways / 36 * np.max(worths, axis=0)
    places = [CENTRED, OWN, OTHER]
    np.testing.assert_allclose(mean[:, places], exact, atol=1e-5)
    np.testing.assert_allclose(mean[:, JACOBY], exact[:, 0], atol=1e-5)


def settled_bearoff(play):
    """What a play of a bear-off is worth, by the exact equities of the other player."""
    if not play[0, 1:26].any():
        return np.ones(PLACES)
    _, other = bearoff_equities(np.ascontiguousarray(play[None, ::-1]))
    centred, own, others = other[0]
    rates = np.array([-centred, -others, -own, -centred], np.float32)
    worths = np.zeros(PLACES, np.float32)
    settle(rates, False, worths)
    return worths


def test_with_a_trace_later_corrections_come_back(net):
    boards, targets = samples_of(net, 0.8)
    plain_boards, plain = samples_of(net, 0.0)
    np.testing.assert_array_equal(boards, plain_boards)
    assert np.abs(targets).max() <= 3
    changed = np.abs(targets - plain) > 1e-6
    assert changed.mean(axis=0).min() > 0.2
    ends = np.flatnonzero(~changed.any(axis=1))
    assert len(ends) >= 3  # the last position of each game has nothing to correct


def test_a_correction_counts_twice_after_a_take_and_nothing_after_a_drop():
    changes = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    worths = np.zeros(PLACES, np.float32)
    rows = [
        [0.1, 0.3, 0.0, 0.2],  # not doubled
        [-0.5, -0.3, -0.5, -0.4],  # taken
        [-0.9, -0.7, -0.8, -0.9],  # dropped
    ]
    expected = [[0.1, 0.2, 0.3, 0.4], [0.4, 0.2, 0.4, 0.4], [0, 0.2, 0, 0]]
    for row, wanted in zip(rows, expected, strict=True):
        write_changes(np.array([row], np.float32), 0, False, changes, worths)
        np.testing.assert_allclose(worths, wanted, atol=1e-6)
    write_changes(np.array([rows[2]], np.float32), 0, True, changes, worths)
    np.testing.assert_allclose(worths, changes)


def test_a_game_that_finds_no_room_is_left_out(net):
    boards, _ = samples_of(net, 0.5)
    fewer, _ = samples_of(net, 0.5, room=len(boards) - 1)
    assert 0 < len(fewer) < len(boards)


# --- training -------------------------------------------------------------------------


def test_training_lowers_the_error_and_is_the_same_every_time(start, tmp_path):
    errors = []
    trainer = CubeTrainer(recipe(start, games=960, rate=3e-3), tmp_path / "one")
    net = trainer.run(lambda run: errors.append(run.error), measure=False)
    seen = [error for error in errors if error]
    assert np.mean(seen[-3:]) < 0.7 * np.mean(seen[:2])
    again = CubeTrainer(recipe(start, games=960, rate=3e-3), tmp_path / "two")
    same = again.run(measure=False)
    for mine, theirs in zip(net.weights, same.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert np.abs(net.to_hidden).max() > 0


def test_an_interrupted_training_goes_on_to_the_same_network(start, tmp_path):
    whole = CubeTrainer(recipe(start), tmp_path / "whole").run(measure=False)
    trainer = CubeTrainer(recipe(start), tmp_path / "parts")

    def stop(run):
        if run.games_done >= 96:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.run(stop, measure=False)
    assert (tmp_path / "parts" / CHECKPOINT).exists()
    resumed = CubeTrainer.resume(tmp_path / "parts")
    assert resumed.games_done == 96
    net = resumed.run(measure=False)
    for mine, theirs in zip(net.weights, whole.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_network_that_comes_along_is_named(tmp_path):
    trainer = CubeTrainer(recipe("td-small"), tmp_path / "run")
    np.testing.assert_array_equal(trainer.net.net.w1, Net.shipped("td-small").w1)
    with pytest.raises(InvalidOptionError, match="There is no weights file 'td-none'"):
        CubeTrainer(recipe("td-none"), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_ctrl_c_while_it_is_measured_ends_the_training(start, tmp_path, monkeypatch):
    def interrupted(*arguments, **options):
        result = evaluate(*arguments, **{**options, "games": 2})
        return dataclasses.replace(result, interrupted=True)

    trainer = CubeTrainer(recipe(start, games=96), tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr("bg_agents.runs.evaluate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trainer.run()
    assert trainer.curve == []
    assert CubeTrainer.resume(tmp_path / "run").games_done == 96


def test_the_curve_is_measured_with_the_cube(start, tmp_path):
    trainer = CubeTrainer(recipe(start, games=96), tmp_path / "run")
    trainer.run()
    assert len(trainer.curve) >= 1
    assert set(trainer.curve[0]) >= {"games", "pubeval", "standard_error"}


# --- files and player -----------------------------------------------------------------


def test_saving_and_loading_is_the_identity(net, tmp_path):
    net.copy({"seed": 3}).save(tmp_path / "cube.npz")
    again = CubeNet.load(tmp_path / "cube.npz")
    assert again.notes == {"seed": 3}
    for mine, theirs in zip(net.weights, again.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_networks_of_the_other_kind_are_refused_in_one_sentence(net, tmp_path):
    net.save(tmp_path / "cube.npz")
    Net.random(8, 0).save(tmp_path / "plain.npz")
    with pytest.raises(InvalidOptionError, match=r"\(td:FILE\), not .*\(td-cube:FILE"):
        CubeNet.load(tmp_path / "plain.npz")
    with pytest.raises(InvalidOptionError, match=r"\(td-cube:FILE\), not .*\(td:FILE"):
        Net.load(tmp_path / "cube.npz")
    with pytest.raises(InvalidOptionError, match="There is no weights file"):
        CubeNet.load(tmp_path / "none.npz")


def test_weights_that_do_not_fit_are_refused(net):
    with pytest.raises(InvalidOptionError, match="to_hidden"):
        CubeNet(net.net, net.to_hidden[:2], net.to_outputs)
    bad = net.to_outputs.copy()
    bad[0, 0, 0] = np.nan
    with pytest.raises(InvalidOptionError, match="not finite"):
        CubeNet(net.net, net.to_hidden, bad)


def test_its_player_has_learnt_the_cube_for_others_too(net, tmp_path):
    net.save(tmp_path / "cube.npz")
    boards = boards_of(6)
    player = td_cube(tmp_path / "cube.npz")
    expected = net.cube_equities(boards)
    np.testing.assert_allclose(learnt_equities(player, boards), expected, atol=1e-6)
    assert learnt_equities(make_agent("td-strong"), boards) is None
    state = GameState.new().record
    found = cube_decision(player, state).equities
    alone = net.cube_equities(np.ascontiguousarray(state["board"]))[0]
    assert found.no_double[0] == pytest.approx(float(alone[CENTRED]), abs=1e-6)
    assert found.double_take[0] == pytest.approx(2 * float(alone[OTHER]), abs=1e-6)


def test_looking_ahead_its_player_gives_deeper_equities(net, tmp_path):
    net.save(tmp_path / "cube.npz")
    boards = boards_of(3)
    over = np.zeros((1, 2, 32), np.int8)
    over[0, 0, 1], over[0, 1, 0] = 15, 15
    player = td_cube(tmp_path / "cube.npz", plies=1)
    found = learnt_equities(player, np.concatenate([boards, over]))
    cubes = make_cubes(3, owner=-1)
    deep = search_worths(player.evaluator, boards, cubes, 1, load_table())
    np.testing.assert_allclose(found[:3, OTHER], deep[:, 0], atol=1e-6)
    assert found[3].tolist() == [-2, -2, -2, -1]


def test_its_player_plays_money_and_matches_to_the_end(net, tmp_path):
    net.save(tmp_path / "cube.npz")
    player = td_cube(tmp_path / "cube.npz")
    money = evaluate(player, "random", games=20, seed=1, rules="standard")
    assert money.games == 20
    matches = evaluate(player, "random", games=4, seed=1, rules=Rules(match_length=3))
    assert matches.games >= 4
