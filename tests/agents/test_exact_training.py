"""Training on exact targets: reproducible, interruptible, and its targets are right."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from bg_agents._exact import (
    adam_step,
    add_gradient,
    exact_games,
    gradient_scratch,
    new_game_buffers,
    new_samples,
)
from bg_agents.exact_training import ExactTrainer
from bg_agents.nets import Net
from bg_agents.recipes import ExactRecipe
from bg_agents.runs import CHECKPOINT
from bg_agents.training import Trainer

from bg_env import InvalidOptionError, Rules
from bg_env.rules.batch import new_states, seed_states
from bg_env.rules.movegen import PlayBuffers
from bg_env.search.rolls import ROLL_WEIGHTS, other_view, roll_chances


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "net.npz"
    Net.random(8, 3, expert=True, classes=3).save(path)
    return str(path)


def recipe(start, games=288, **changes):
    settings = {"batch": 64, "buffer": 4000, "replay": 1, "threads": 2, "seed": 4}
    return ExactRecipe(start=(start,), games=games, **{**settings, **changes})


def same_weights(one: Net, other: Net) -> bool:
    pairs = zip(one.weights, other.weights, strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def samples_of(net, trace, games=3, room=4000):
    states = new_states(games, Rules.preset("cubeless"))
    seed_states(states, 5)
    plays, samples = PlayBuffers(), new_samples(room)
    game, rolls = new_game_buffers()
    number = exact_games(
        states, net.weights, net.scratch(), net.sieve_scratch()[0], 0.0,
        plays.arrays, plays.scratch, game, rolls, trace, samples,
    )  # fmt: skip
    return samples[0][:number], samples[2][:number], states


def test_without_a_trace_a_target_is_the_mean_over_the_rolls_that_follow():
    net = Net.shipped("td")
    boards, targets, states = samples_of(net, 0.0)
    assert len(boards) == int(states["turn"].sum()) - 3  # not the finished positions
    following = roll_chances(net, np.ascontiguousarray(boards[:, ::-1]))
    mean = (ROLL_WEIGHTS[:, None] * following).sum(axis=1)
    np.testing.assert_allclose(targets, other_view(mean), atol=3e-5)


def test_with_a_full_trace_targets_are_results_without_the_luck():
    net = Net.shipped("td")
    boards, targets, _ = samples_of(net, 1.0)
    plain_boards, plain, _ = samples_of(net, 0.0)
    np.testing.assert_array_equal(boards, plain_boards)
    assert (targets >= 0).all()
    assert (targets <= 1).all()
    ends = np.flatnonzero(np.abs(targets - plain).sum(axis=1) < 1e-6)
    assert len(ends) >= 3  # the last position of each game has nothing to correct
    assert np.abs(targets - plain)[:, 0].max() > 0.02


def test_a_game_that_finds_no_room_is_left_out():
    net = Net.shipped("td")
    boards, _, _ = samples_of(net, 0.5, games=3)
    fewer, _, _ = samples_of(net, 0.5, games=3, room=len(boards) - 1)
    assert 0 < len(fewer) < len(boards)


def test_the_same_games_give_the_same_weights_bit_for_bit(start, tmp_path):
    nets = [
        ExactTrainer(recipe(start), tmp_path / name).run(measure=False)
        for name in ("a", "b")
    ]
    assert same_weights(*nets)
    assert not same_weights(nets[0], Net.load(start))


class _StopAfter:
    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def __call__(self, trainer: ExactTrainer) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on_to_the_same_weights(start, tmp_path):
    whole = ExactTrainer(recipe(start), tmp_path / "whole").run(measure=False)
    with pytest.raises(KeyboardInterrupt):
        ExactTrainer(recipe(start), tmp_path / "parts").run(
            _StopAfter(2), measure=False
        )
    resumed = ExactTrainer.resume(tmp_path / "parts")
    assert resumed.games_done == 192
    assert same_weights(whole, resumed.run(measure=False))


def test_ctrl_c_in_the_middle_of_a_round_waits_for_its_end(
    start, tmp_path, monkeypatch
):
    whole = ExactTrainer(recipe(start), tmp_path / "whole").run(measure=False)
    trainer = ExactTrainer(recipe(start), tmp_path / "parts")
    keep, calls = trainer._keep, []

    def interrupted(samples, number):
        calls.append(number)
        if len(calls) == 3:  # of two threads: in the second round
            os.kill(os.getpid(), signal.SIGINT)
        keep(samples, number)

    monkeypatch.setattr(trainer, "_keep", interrupted)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            trainer.run(measure=False)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert len(calls) == 4
    resumed = ExactTrainer.resume(tmp_path / "parts")
    assert resumed.games_done == 192
    assert same_weights(whole, resumed.run(measure=False))


def test_steps_on_the_same_samples_bring_the_network_to_their_targets():
    boards, targets, _ = samples_of(Net.shipped("td"), 0.0)
    samples = boards, boards.view(np.uint64), targets
    net = Net.random(20, 1)
    gradients, nothing, first, second = (
        [np.zeros_like(array) for array in net.weights] for _ in range(4)
    )
    picks = np.arange(len(boards))
    errors = []
    for step in range(1, 301):
        error = add_gradient(
            samples, picks, net.weights, tuple(gradients), 2.0, *gradient_scratch(
                net.weights
            ),
        )  # fmt: skip
        errors.append(error / len(picks))
        for arrays in zip(net.weights, gradients, nothing, first, second, strict=True):
            adam_step(
                *(array.reshape(-1) for array in arrays), 1 / len(picks), 3e-3, step
            )
    assert not any(array.any() for array in gradients)
    assert errors[-1] < 0.02 * errors[0]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"start": ()}, "give its file"),
        ({"start": ("nowhere.npz",)}, "nowhere.npz"),
        ({"batch": 0}, "not 0"),
        ({"buffer": 10}, "not 10"),
        ({"threads": 0}, "not 0"),
        ({"replay": 1.5}, "1.5"),
        ({"keep": -1}, "-1"),
        ({"seconds": 3}, "seconds=3"),
    ],
)
def test_impossible_recipes_are_refused_with_their_value(
    start, tmp_path, changes, named
):
    settings = {"start": (start,), "games": 96, **changes}
    with pytest.raises(InvalidOptionError) as caught:
        ExactTrainer(ExactRecipe(**settings), tmp_path / "run")
    assert named in str(caught.value)


def test_a_checkpoint_of_another_kind_of_training_is_refused(start, tmp_path):
    ExactTrainer(recipe(start, games=96), tmp_path).run(measure=False)
    assert (tmp_path / CHECKPOINT).exists()
    with pytest.raises(InvalidOptionError, match="not the checkpoint of such a"):
        Trainer.resume(tmp_path)
