"""TD(λ) training: reproducible, interruptible, and it learns."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from bg_agents._inputs import RAW
from bg_agents._net import OUTPUTS
from bg_agents._td import LONGEST_GAME, flip_into, learn
from bg_agents.commands import demo, train
from bg_agents.nets import Net
from bg_agents.td_agent import TdAgent
from bg_agents.training import CHECKPOINT, CURVE, NET, Recipe, Trainer
from command_runner import run

from bg_env import InvalidOptionError, Position
from bg_env.evaluation import evaluate


def same_weights(one: Net, other: Net) -> bool:
    pairs = zip(one.weights, other.weights, strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def trained(folder, games=450, **changes):
    recipe = Recipe(hidden=12, games=games, seed=5, **changes)
    return Trainer(recipe, folder).run(measure=False)


def test_the_same_games_give_the_same_weights_bit_for_bit(tmp_path):
    assert same_weights(trained(tmp_path / "a"), trained(tmp_path / "b"))


def test_another_seed_gives_other_weights(tmp_path):
    recipe = Recipe(hidden=12, games=450, seed=6)
    other = Trainer(recipe, tmp_path / "b").run(measure=False)
    assert not same_weights(trained(tmp_path / "a"), other)


class _StopAtOnce:
    """Reports progress by interrupting the training after some chunks."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def __call__(self, trainer: Trainer) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on_to_the_same_weights(tmp_path):
    whole = trained(tmp_path / "whole", games=900)
    recipe = Recipe(hidden=12, games=900, seed=5)
    with pytest.raises(KeyboardInterrupt):
        Trainer(recipe, tmp_path / "parts").run(_StopAtOnce(2), measure=False)
    resumed = Trainer.resume(tmp_path / "parts")
    assert resumed.games_done == 400
    assert same_weights(whole, resumed.run(measure=False))


def test_a_training_learns(tmp_path):
    net = Trainer(Recipe(hidden=20, games=3000, seed=0), tmp_path).run()
    assert evaluate(TdAgent(net), "random", games=400).points_per_game > 0.5
    curve = [json.loads(line) for line in (tmp_path / CURVE).read_text().splitlines()]
    assert curve[-1]["games"] == 3000
    assert [point["games"] for point in curve] == sorted(p["games"] for p in curve)
    assert net.notes["recipe"]["hidden"] == 20
    assert net.notes["games"] == 3000


def step_towards(board, target, net, into, rate, win_weight=1):
    boards, back = board[None].copy(), np.zeros(net.hidden, np.float32)
    learn(
        boards, boards.view(np.uint64), 0, target, net.weights, into,
        np.float32(rate), np.float32(win_weight), net.scratch(), back,
    )  # fmt: skip


def test_a_step_of_learning_moves_the_chances_towards_the_target():
    net = Net.random(16, 1)
    board = Position.start().to_board()
    target = np.array([0.9, 0.5, 0.1, 0.05, 0.01], np.float32)
    before = net.rate(board[None])[0]
    for _ in range(50):
        step_towards(board, target, net, net.weights, 0.2)
    after = net.rate(board[None])[0]
    assert (np.abs(target - after) < np.abs(target - before)).all()
    np.testing.assert_allclose(after, target, atol=0.1)


@pytest.mark.parametrize(("classes", "win_weight"), [(1, 1), (3, 2)])
def test_a_step_of_learning_follows_the_gradient_of_cross_entropy(classes, win_weight):
    net = Net.random(6, 2, expert=classes > 1, classes=classes)
    board = Position.from_points({6: 5, 8: 4, 13: 4, 24: 2}, {6: 5, 20: 5, 24: 5})
    board = board.to_board()
    c = classes - 1  # seven checkers of the other side are back
    target = np.array([0.7, 0.3, 0.1, 0.2, 0.1], np.float32)
    counts = np.array([win_weight, 1, 1, 1, 1])

    def loss(weights):
        p = Net(*weights).rate(board[None])[0].astype(np.float64)
        each = -(target * np.log(p) + (1 - target) * np.log(1 - p))
        return (counts * each).sum()

    moved = tuple(np.zeros_like(array) for array in net.weights)
    step_towards(board, target, net, moved, 1, win_weight)
    places = [(2, (0, 3)), (2, (4, 1)), (3, (2,)), (1, (4,)), (0, (6 * 4, 2))]
    places += [(0, (RAW, 2)), (0, (RAW + 20, 5))] if classes > 1 else []
    step = 0.05
    for which, index in places:
        up = [array.copy() for array in net.weights]
        down = [array.copy() for array in net.weights]
        up[which][(c, *index)] += step
        down[which][(c, *index)] -= step
        slope = (loss(up) - loss(down)) / (2 * step)
        change = moved[which][(c, *index)]
        assert change == pytest.approx(-slope, rel=0.05, abs=2e-3)
        for other in range(c):
            assert not moved[which][other].any()


def test_chances_seen_by_the_other_player_swap_wins_and_losses():
    values = np.array([0.6, 0.2, 0.05, 0.1, 0.01], np.float32)
    flipped, back = np.zeros((2, OUTPUTS), np.float32)
    flip_into(values, flipped)
    np.testing.assert_allclose(flipped, [0.4, 0.1, 0.01, 0.2, 0.05], rtol=1e-6)
    flip_into(flipped, back)
    np.testing.assert_allclose(back, values, rtol=1e-6)


def test_a_game_too_long_is_not_learnt_from():
    assert LONGEST_GAME >= 1000


# --- folders and options ----------------------------------------------------------


def test_a_folder_with_a_training_is_not_overwritten(tmp_path):
    trained(tmp_path)
    before = (tmp_path / CHECKPOINT).read_bytes()
    with pytest.raises(InvalidOptionError, match="has a training already"):
        trained(tmp_path)
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_resuming_needs_a_checkpoint(tmp_path):
    with pytest.raises(InvalidOptionError, match="no training to go on with"):
        Trainer.resume(tmp_path)
    Net.random(4, 0).save(tmp_path / CHECKPOINT)
    with pytest.raises(
        InvalidOptionError, match="not the checkpoint of such a training"
    ):
        Trainer.resume(tmp_path)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seconds": 5.0}, "seconds=5.0 and games=10"),
        ({"games": 0}, "0"),
        ({"games": 2.5}, "2.5"),
        ({"hidden": 0}, "not 0"),
        ({"seed": -1}, "-1"),
        ({"rate": 0.0}, "0.0"),
        ({"rate": float("nan")}, "nan"),
        ({"trace": 1.5}, "1.5"),
        ({"last_rate": "fast"}, "'fast'"),
        ({"last_trace": -0.1}, "-0.1"),
        ({"classes": 4, "expert": True}, "not 4"),
        ({"classes": 3}, "classes=3"),
        ({"win_weight": 0}, "not 0"),
        ({"average": 1}, "not 1"),
    ],
)
def test_impossible_recipes_are_refused_with_their_value(changes, named):
    with pytest.raises(InvalidOptionError) as caught:
        Recipe(**{"games": 10, **changes})
    assert named in str(caught.value)


def test_the_command_line_trains_resumes_and_refuses(tmp_path):
    out = str(tmp_path / "run")
    first = run("train", "td", "--hidden", "8", "--games", "300", "--out", out)
    assert first.exit_code == 0, first.stderr
    assert "300 games" in first.stdout
    assert {NET, CHECKPOINT, CURVE} <= {
        path.name for path in (tmp_path / "run").iterdir()
    }
    again = run("train", "td", "--games", "300", "--out", out)
    assert again.exit_code == 2
    assert "has a training already" in again.stderr
    longer = run("train", "td", "--resume", "--games", "500", "--out", out)
    assert longer.exit_code == 0
    assert "500 games" in longer.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--hidden", "0"],
        ["--games", "0"],
        ["--games", "5", "--seconds", "5"],
        ["--out", "/proc/nowhere"],
        ["--resume"],
    ],
)
def test_bad_training_options_are_one_line_and_status_2(arguments, tmp_path):
    given = ["train", "td", *arguments]
    if "--out" not in arguments:
        given += ["--out", str(tmp_path / "run")]
    result = run(*given)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_the_demo_trains_plays_and_prints_a_table(tmp_path):
    result = run(
        "demo", "--seconds", "0.3", "--games", "20", "--out", str(tmp_path / "demo")
    )
    assert result.exit_code == 0, result.stderr
    for name in ("random", "pip-race", "pubeval", "trained"):
        assert name in result.stdout
    assert (tmp_path / "demo" / NET).exists()


def test_commands_have_help():
    assert train.info.help
    assert demo.__doc__


# --- killed ------------------------------------------------------------------------

_SLOW = """
import sys
from bg_agents import runs, training
runs._CHECKPOINT_SECONDS = 0.05
training._CHUNK = 20
recipe = training.Recipe(hidden=8, games=10**7, seed=1)
trainer = (training.Trainer.resume(sys.argv[1]) if sys.argv[2] == "resume" else
           training.Trainer(recipe, sys.argv[1]))
print("training", flush=True)
trainer.run(measure=False)
"""


def kill_while_training(folder, mode: str, seconds: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(folder), mode], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"training\n"
    deadline = time.monotonic() + 60
    while not (folder / CHECKPOINT).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.heavy)])
def test_killing_loses_no_checkpoint_and_leaves_no_broken_file(tmp_path, kills):
    rng = random.Random(kills)
    folder = tmp_path / "run"
    done = 0
    for number in range(kills):
        kill_while_training(folder, "resume" if number else "new", rng.random())
        trainer = Trainer.resume(folder)
        assert trainer.games_done >= done
        done = trainer.games_done
        assert {path.name for path in folder.iterdir()} <= {CHECKPOINT, CURVE}
    assert done > 0
