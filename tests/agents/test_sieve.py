"""The sieve: quick worths of plays, what it rules out, how it learns."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest
from bg_agents._inputs import LONGEST, RAW, list_changes
from bg_agents._sieve import least_worth
from bg_agents._sieve_training import learn_rolls, learning_scratch, new_rated
from bg_agents.exact_training import ExactTrainer, sieve_for
from bg_agents.nets import Net
from bg_agents.recipes import ExactRecipe, SieveRecipe
from bg_agents.runs import CHECKPOINT
from bg_agents.sieve_training import SieveTrainer, sift
from bg_agents.sieves import SieveNet
from command_runner import run
from random_positions import many

from bg_env import InvalidOptionError, Position
from bg_env.rules.movegen import ROLLS, plays_of_boards


def plays_of(seed, count):
    boards = np.stack([position.to_board() for position in many(count, seed)])
    rolls = np.array([ROLLS[i % 21] for i in range(count)], np.int8)
    results, _, offsets = plays_of_boards(boards, rolls)
    some = np.concatenate([[True], np.diff(offsets) > 0])
    return results, offsets[some]


def raw_inputs(board):
    empty = np.zeros((1, 2, 32), np.int8)
    units, factors = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.float32)
    number = list_changes(
        empty, empty.view(np.uint64), 0, board[None], board[None].view(np.uint64), 0,
        units, factors,
    )  # fmt: skip
    inputs = np.zeros(RAW)
    inputs[units[:number]] = factors[:number]
    return inputs


def slow_worths(net, boards):
    inputs = np.stack([raw_inputs(board) for board in boards])
    return np.maximum(inputs @ net.w1 + net.b1, 0) @ net.w2


def unfinished(boards):
    return (boards[:, 0, 1:26] != 0).any(axis=1)


# --- what it says -----------------------------------------------------------------


@pytest.mark.parametrize("hidden", [1, 16, 48])
def test_worths_are_those_of_one_rectified_layer_on_the_raw_inputs(hidden):
    net = SieveNet.random(hidden, 3)
    boards, offsets = plays_of(1, 60)
    sieve = net.sieve(8)
    for first, end in itertools.pairwise(offsets):
        part = boards[first:end]
        least_worth(boards.view(np.uint64), first, end, sieve, 0.1)
        said = sieve[2][: end - first]
        slow = slow_worths(net, part)
        live = unfinished(part)
        np.testing.assert_allclose(said[live], slow[live], atol=1e-4)


@pytest.mark.parametrize(("keep", "most"), [(0.1, 4096), (9.0, 3), (0.3, 5), (9.0, 1)])
def test_it_keeps_what_is_near_the_best_and_no_more_than_the_most(keep, most):
    net = SieveNet.random(16, 4)
    boards, offsets = plays_of(2, 80)
    sieve, words = net.sieve(most), boards.view(np.uint64)
    for first, end in itertools.pairwise(offsets):
        part = boards[first:end]
        if not unfinished(part).all():
            continue
        least = least_worth(words, first, end, sieve, keep)
        worths = sieve[2][: end - first]
        kept = worths >= least
        descending = np.sort(worths)[::-1]
        wanted = (worths >= worths.max() - np.float32(keep)) & (
            worths >= descending[:most][-1]
        )
        np.testing.assert_array_equal(kept, wanted)
        assert kept[worths.argmax()]


def test_a_play_that_wins_is_never_ruled_out_and_rules_none_out():
    board = Position.from_points({1: 1, 2: 1}, {6: 15}).to_board()
    boards, _, _ = plays_of_boards(board[None], np.array([[2, 1]], np.int8))
    won = ~unfinished(boards)
    assert won.any()
    assert not won.all()
    sieve = SieveNet.random(8, 0).sieve(1)
    least = least_worth(boards.view(np.uint64), 0, len(boards), sieve, 1e-3)
    worths = sieve[2][: len(boards)]
    assert (worths[won] >= least).all()
    assert (worths[~won] >= least).any()


def test_worths_of_a_roll_are_the_same_whatever_was_looked_at_before():
    boards, offsets = plays_of(3, 40)
    words, sieve = boards.view(np.uint64), SieveNet.random(48, 5).sieve(8)
    for first, end in itertools.pairwise(offsets):
        least = least_worth(words, first, end, sieve, 0.1)
        worths = sieve[2][: end - first].copy()
        fresh = SieveNet.random(48, 5).sieve(8)
        assert least_worth(words, first, end, fresh, 0.1) == least
        np.testing.assert_array_equal(fresh[2][: end - first], worths)


# --- with a network ---------------------------------------------------------------


def with_sieve(net, keep, most=8, seed=1):
    sieve = SieveNet.random(16, seed)
    return dataclasses.replace(net, sieve=sieve, keep=keep, most=most)


def test_a_sieve_that_keeps_everything_changes_no_choice():
    net = Net.shipped("td")
    boards, offsets = plays_of(4, 60)
    plain = net.choose(boards, offsets)
    everything = with_sieve(net, 100.0, 4096).choose(boards, offsets)
    np.testing.assert_array_equal(plain, everything)
    assert (with_sieve(net, 1e-3, 1).choose(boards, offsets) != plain).any()


def test_a_choice_through_a_sieve_is_the_same_alone_as_in_a_batch():
    net = with_sieve(Net.shipped("td-small"), 0.1, 4)
    boards, offsets = plays_of(5, 40)
    together = net.choose(boards, offsets)
    for i in range(len(together)):
        part = np.ascontiguousarray(boards[offsets[i] : offsets[i + 1]])
        alone = net.choose(part, np.array([0, len(part)]))
        assert offsets[i] + alone[0] == together[i]


@pytest.mark.parametrize("name", ["td-small", "td-strong"])
def test_the_shipped_networks_have_sieves_that_cost_next_to_nothing(name, tmp_path):
    net, path = Net.shipped(name), tmp_path / "net.npz"
    net.save(path)
    trainer = SieveTrainer(SieveRecipe(start=(str(path),), games=1), tmp_path / "run")
    rated = new_rated(60)
    rolls = trainer._play(60, 0, rated, 3)
    found = sift(net.sieve, net.keep, net.most, rated, rolls)
    assert found["lost"] < 1e-3
    assert found["kept"] < 8
    assert net.notes["sieve"]["lost"] < 5e-4


# --- files ------------------------------------------------------------------------


def test_saving_and_loading_a_sieve_is_the_identity(tmp_path):
    net = SieveNet.random(12, 2)
    net.save(tmp_path / "sieve.npz")
    again = SieveNet.load(tmp_path / "sieve.npz")
    for mine, other in zip(net.weights, again.weights, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_file_without_a_sieve_is_read_as_before(tmp_path):
    net = Net.shipped("td")
    head = {"format": "bg_env-net-v2", "notes": {}}
    np.savez(tmp_path / "old.npz", head=np.array(json.dumps(head)), **net.named())
    again = Net.load(tmp_path / "old.npz")
    assert again.sieve is None
    assert again.keep == 0
    np.testing.assert_array_equal(again.w1, net.w1)


def test_a_damaged_sieve_is_refused_in_one_sentence(tmp_path):
    net = with_sieve(Net.shipped("td"), 0.1)
    path = tmp_path / "net.npz"
    net.save(path)
    with np.load(path) as data:
        arrays = dict(data)
    for name, changed in {
        "sieve_w1": arrays["sieve_w1"][1:],
        "sieve_b1": np.full_like(arrays["sieve_b1"], np.nan),
        "sieve_w2": arrays["sieve_w2"][None],
    }.items():
        np.savez(path, **{**arrays, name: changed})
        with pytest.raises(InvalidOptionError, match=f"{name[6:]} of a sieve"):
            Net.load(path)
    del arrays["sieve_w1"]
    np.savez(path, **arrays)
    with pytest.raises(InvalidOptionError, match="no whole weights file"):
        Net.load(path)


@pytest.mark.parametrize("hidden", [0, -1, 300, 2.5, True, "16"])
def test_impossible_numbers_of_hidden_units_are_refused(hidden):
    with pytest.raises(InvalidOptionError, match="1 to 256 hidden units"):
        SieveNet.random(hidden, 0)


@pytest.mark.parametrize("most", [0, 5000, 1.5])
def test_impossible_numbers_of_plays_to_keep_are_refused(most):
    with pytest.raises(InvalidOptionError, match="1 to 4096 plays"):
        with_sieve(Net.random(4, 0), 0.1, most)


# --- learning ---------------------------------------------------------------------


def cross_entropy(values, worths, temperature):
    def log_shares(numbers):
        scaled = numbers / temperature
        scaled = scaled - scaled.max()
        return scaled - np.log(np.exp(scaled).sum())

    return -(np.exp(log_shares(values)) * log_shares(worths)).sum()


def test_a_step_goes_downhill_on_the_cross_entropy_of_the_softmaxes():
    boards, offsets = plays_of(6, 12)
    first, end = offsets[3], offsets[4]
    rated = new_rated(1)
    number = end - first
    rated[0][:number] = boards[first:end]
    rated[2][:number] = np.random.default_rng(0).normal(0, 0.2, number)
    rated[3][1] = number
    net = SieveNet.random(6, 7)
    gradients = tuple(np.zeros_like(array) for array in net.weights)
    picks, temperature = np.zeros(1, np.int64), 0.3
    learn_rolls(rated, picks, net.weights, gradients, temperature, *learning_scratch(6))

    def loss(w1, b1, w2):
        inputs = np.stack([raw_inputs(board) for board in boards[first:end]])
        worths = np.maximum(inputs @ w1 + b1, 0) @ w2
        return cross_entropy(rated[2][:number].astype(float), worths, temperature)

    step = 1e-5
    for which in range(3):
        weights = [array.astype(float) for array in net.weights]
        flat = weights[which].reshape(-1)
        for i in np.abs(gradients[which]).reshape(-1).argsort()[-5:]:
            before = flat[i]
            flat[i] = before + step
            high = loss(*weights)
            flat[i] = before - step
            low = loss(*weights)
            flat[i] = before
            downhill = -(high - low) / (2 * step) * temperature
            said = gradients[which].reshape(-1)[i]
            assert said == pytest.approx(downhill, rel=2e-2, abs=1e-4)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "net.npz"
    Net.shipped("td").save(path)
    return str(path)


def recipe(start, games=400, **changes):
    return SieveRecipe(start=(start,), games=games, **{"hidden": 16, **changes})


def test_a_sieve_learns_to_keep_the_best_plays(start, tmp_path):
    trainer = SieveTrainer(recipe(start, games=600, seed=2), tmp_path / "run")
    before = trainer._measured()
    net = trainer.run(measure=False)
    after = net.notes["sieve"]
    assert net.sieve is not None
    assert after["lost"] < 0.25 * before["lost"]
    assert after["missed"] < 0.4 * before["missed"]
    np.testing.assert_array_equal(net.w1, Net.load(start).w1)
    rated, rolls = trainer._test
    assert sift(net.sieve, 100.0, 4096, rated, rolls)["missed"] == 0


def same_sieve(one, other):
    pairs = zip(one.sieve.weights, other.sieve.weights, strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def test_the_same_seed_gives_the_same_sieve_bit_for_bit(start, tmp_path):
    nets = [
        SieveTrainer(recipe(start, seed=seed), tmp_path / name).run(measure=False)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert same_sieve(nets[0], nets[1])
    assert not same_sieve(nets[0], nets[2])


def stop_after_the_first(trainer):
    raise KeyboardInterrupt


def test_an_interrupted_training_goes_on_to_the_same_sieve(start, tmp_path):
    whole = SieveTrainer(recipe(start), tmp_path / "whole").run(measure=False)
    with pytest.raises(KeyboardInterrupt):
        SieveTrainer(recipe(start), tmp_path / "parts").run(
            stop_after_the_first, measure=False
        )
    resumed = SieveTrainer.resume(tmp_path / "parts")
    assert resumed.games_done == 200
    assert same_sieve(whole, resumed.run(measure=False))
    assert (tmp_path / "parts" / CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"start": ()}, "give its file"),
        ({"start": ("a.npz", "b.npz")}, "b.npz"),
        ({"start": ("nowhere.npz",)}, "nowhere.npz"),
        ({"hidden": 0}, "not 0"),
        ({"most": 0}, "not 0"),
        ({"keep": 0}, "not 0"),
        ({"temperature": 0}, "not 0"),
        ({"odd": 2}, "not 2"),
        ({"seconds": 3}, "seconds=3"),
    ],
)
def test_impossible_recipes_are_refused_with_their_value(
    start, tmp_path, changes, named
):
    settings = {"start": (start,), "games": 96, **changes}
    with pytest.raises(InvalidOptionError) as caught:
        SieveTrainer(SieveRecipe(**settings), tmp_path / "run")
    assert named in str(caught.value)


def test_training_on_exact_targets_uses_the_sieve_it_finds_and_hands_it_on(tmp_path):
    first = with_sieve(Net.random(4, 0, expert=True), 0.1, 5)
    paths = [str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]
    first.save(paths[0])
    Net.random(4, 1, expert=True).save(paths[1])
    exact = ExactRecipe(start=tuple(paths), games=48, threads=1)
    net = ExactTrainer(exact, tmp_path / "run").run(measure=False)
    assert net.hidden == 8
    assert same_sieve(net, first)
    assert (net.keep, net.most) == (0.1, 5)
    without = sieve_for(Net.random(4, 0))[0]
    np.testing.assert_array_equal(without[1], Net.shipped("td-small").sieve.b1)


def test_the_command_line_trains_a_sieve_and_resumes(start, tmp_path):
    out = str(tmp_path / "run")
    arguments = ["--start", start, "--games", "20", "--hidden", "8", "--most", "5"]
    first = run("train", "sieve", *arguments, "--out", out)
    assert first.exit_code == 0, first.stderr
    assert Net.load(tmp_path / "run" / "net.npz").most == 5
    longer = run("train", "sieve", "--resume", "--games", "40", "--out", out)
    assert longer.exit_code == 0, longer.stderr
    assert "40 games" in longer.stdout
    without = run("train", "sieve", "--out", str(tmp_path / "other"))
    assert without.exit_code == 2
    assert "give its file" in without.stderr
