"""Networks: weights files that are whole or refused, chances that make sense."""

from __future__ import annotations

import dataclasses
import errno
import os

import numpy as np
import pytest
from bg_agents._inputs import EXPERT, RAW, class_of
from bg_agents._net import forget, sum_board
from bg_agents.nets import Net
from bg_agents.sieves import SieveNet
from bg_agents.td_agent import TdAgent
from random_positions import many

from bg_env import GameState, InvalidOptionError, Position, make_agent
from bg_env.encoding.expert_features import FEATURES, write_features
from bg_env.evaluation import evaluate
from bg_env.rules.movegen import ROLLS, plays_of_boards
from bg_env.search.rolls import equity, other_view, roll_chances
from bg_env.testing import check_evaluator


def random_boards(seed, count):
    return np.stack([position.to_board() for position in many(count, seed)])


@pytest.fixture(scope="module")
def net():
    return Net.shipped("td")


def test_saving_and_loading_is_the_identity(net, tmp_path):
    net.save(tmp_path / "net.npz")
    again = Net.load(tmp_path / "net.npz")
    for mine, other in zip(net.weights, again.weights, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert dict(again.notes) == dict(net.notes)
    assert [path.name for path in tmp_path.iterdir()] == ["net.npz"]


@pytest.mark.parametrize("kept", [0, 1, 100, 5000, -1])
def test_a_truncated_file_is_refused_in_one_sentence(net, tmp_path, kept):
    path = tmp_path / "net.npz"
    net.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    with pytest.raises(InvalidOptionError, match=r"net\.npz.*no whole weights file"):
        Net.load(path)


def test_foreign_files_are_refused_in_one_sentence(tmp_path):
    text = tmp_path / "text.npz"
    text.write_text("not weights")
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, w1=np.zeros(3))
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, head=np.array([{"format": "x"}], dtype=object))
    for path in (text, arrays, pickled, tmp_path):
        with pytest.raises(InvalidOptionError, match="no whole weights file"):
            Net.load(path)
    with pytest.raises(InvalidOptionError, match=r"There is no weights file.*gone"):
        Net.load(tmp_path / "gone.npz")


def test_weights_that_are_no_numbers_are_refused(net):
    w1, b1, w2, b2 = (array.copy() for array in net.weights)
    w2[0, 0] = np.nan
    with pytest.raises(InvalidOptionError, match="w2 have numbers that are not finite"):
        Net(w1, b1, w2, b2)
    with pytest.raises(InvalidOptionError, match="w1 are float32"):
        Net(w1[1:], b1, w2, b2)


@pytest.mark.parametrize("hidden", [0, -1, 5000, 2.5, True, "80"])
def test_impossible_numbers_of_hidden_units_are_refused(hidden):
    with pytest.raises(InvalidOptionError, match="hidden units"):
        Net.random(hidden, 0)


def test_a_full_disk_leaves_the_old_file(net, tmp_path, monkeypatch):
    path = tmp_path / "net.npz"
    net.save(path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidOptionError, match="No space left on device"):
        Net.random(8, 0).save(path)
    assert path.read_bytes() == before
    assert [place.name for place in tmp_path.iterdir()] == ["net.npz"]


def test_a_folder_that_is_missing_is_named(net, tmp_path):
    with pytest.raises(InvalidOptionError, match=r"nowhere.*cannot be written"):
        net.save(tmp_path / "nowhere" / "net.npz")


def test_chances_are_nested_and_no_gammon_is_lost_with_a_checker_off(net):
    boards = random_boards(0, 400)
    rated = net.rate(boards)
    assert ((rated >= 0) & (rated <= 1)).all()
    assert (rated[boards[:, 1, 0] > 0][:, 1:3] == 0).all()
    assert (rated[boards[:, 0, 0] > 0][:, 3:5] == 0).all()


def test_both_views_of_a_position_agree(net):
    boards = random_boards(1, 100)
    after = net.rate(boards)
    before = net.evaluate(np.ascontiguousarray(boards[:, ::-1]))
    np.testing.assert_allclose(before[:, 0], 1 - after[:, 0], rtol=1e-6)
    for mine, theirs in ((1, 3), (2, 4), (3, 1), (4, 2)):  # but for nesting
        assert (before[:, mine] <= after[:, theirs]).all()
        assert np.isclose(before[:, mine], after[:, theirs], atol=0.02).mean() > 0.9


def sums_of(net, boards, places, *, anew):
    """Sums of the hidden layer of some boards, each from the last one or anew."""
    last, last_words, last_features, totals, *rest = net.scratch()
    forget(net.b1, last_words, last_features, totals)
    sums, classes = [], []
    for p in places:
        if anew:
            forget(net.b1, last_words, last_features, totals)
        c, _ = sum_board(
            boards, boards.view(np.uint64), p, net.w1,
            last, last_words, last_features, totals, *rest[:3],
        )  # fmt: skip
        sums.append(totals[c].copy())
        classes.append(c)
    return np.array(sums), classes


@pytest.mark.parametrize(("expert", "classes"), [(False, 1), (True, 1), (True, 3)])
def test_changing_the_sums_equals_summing_anew(expert, classes):
    net = Net.random(16, 3, expert=expert, classes=classes)
    boards = random_boards(2, 60)
    rolls = np.array([ROLLS[i % 21] for i in range(len(boards))], np.int8)
    results, _, _ = plays_of_boards(boards, rolls)
    places = range(0, len(results), 3)
    changed, kinds = sums_of(net, results, places, anew=False)
    summed, same_kinds = sums_of(net, results, places, anew=True)
    np.testing.assert_allclose(changed, summed, atol=2e-4)
    assert kinds == same_kinds
    assert len(set(kinds)) == classes


def test_inputs_are_the_documented_units():
    net = Net.random(1, 0)
    net.w1[0] = np.arange(RAW, dtype=np.float32)[:, None]
    board = Position.from_points({6: 5, 25: 2}, {1: 2}).to_board()
    total = sums_of(net, board[None], [0], anew=True)[0][0]
    six, bar, off = 6 * 4, 25 * 4, 0
    expected = six + (six + 1) + (six + 2) + 2 * 0.5 * (six + 3)
    expected += 2 * 0.5 * bar + 8 / 15 * off
    expected += 104 * 13 / 15 + (104 + 4) + (104 + 5)
    assert total[0] == pytest.approx(expected, rel=1e-5)


def test_the_inputs_of_expert_networks_are_the_raw_units_and_the_features():
    net = Net.random(1, 0, expert=True)
    net.w1[0] = 0
    board = Position.from_points({6: 5, 24: 2, 13: 8}, {6: 5, 8: 10}).to_board()
    features = np.zeros(FEATURES, np.float32)
    write_features(board, 0, features)
    for i in range(FEATURES):
        net.w1[0, RAW + i] = 1
        total = sums_of(net, board[None], [0], anew=True)[0][0]
        assert total[0] == pytest.approx(features[i], abs=1e-6)
        net.w1[0, RAW + i] = 0


@pytest.mark.parametrize(
    ("mine", "theirs", "of_two", "of_three"),
    [
        ({6: 15}, {6: 15}, 0, 0),  # nobody can be hit
        ({12: 2, 6: 13}, {12: 2, 6: 13}, 0, 0),  # just past each other
        ({13: 2, 6: 13}, {13: 2, 6: 13}, 1, 1),
        ({24: 2, 6: 13}, {6: 13, 8: 2}, 1, 1),
        ({24: 2, 20: 1, 6: 12}, {6: 13, 8: 2}, 1, 2),  # three back
        ({6: 13, 8: 2}, {24: 2, 25: 1, 6: 12}, 1, 2),  # the other side, one on the bar
    ],
)
def test_positions_are_in_the_documented_class(mine, theirs, of_two, of_three):
    board = Position.from_points(mine, theirs).to_board()
    features = np.zeros(FEATURES, np.float32)
    write_features(board, 0, features)
    assert [class_of(features, n) for n in (1, 2, 3)] == [0, of_two, of_three]


def test_classes_need_the_features():
    with pytest.raises(InvalidOptionError, match="3 classes needs the hand-made"):
        Net.random(4, 0, classes=3)
    assert Net.random(4, 0, expert=True, classes=3).w1.shape == (3, EXPERT, 4)


def test_a_merged_network_says_the_mean_of_the_log_odds():
    nets = [Net.random(8, seed, expert=True, classes=3) for seed in (1, 2)]
    boards = random_boards(4, 50)
    boards = boards[(boards[:, :, 0] == 0).all(axis=1)]
    odds = [np.log(r / (1 - r)) for r in (net.rate(boards) for net in nets)]
    merged = Net.merged(nets).rate(boards)
    np.testing.assert_allclose(merged, 1 / (1 + np.exp(-sum(odds) / 2)), atol=1e-5)
    with pytest.raises(InvalidOptionError, match="same inputs and classes"):
        Net.merged([nets[0], Net.random(8, 0)])


class _Plain:
    """An evaluator without a way of its own to play all rolls."""

    name = "plain"

    def __init__(self, net):
        self.net = net

    def evaluate(self, boards):
        return other_view(self.net.rate(boards[:, ::-1]))


def test_all_rolls_at_once_are_what_the_plays_say_one_by_one(net):
    boards = random_boards(5, 80)
    fast = net.roll_chances(boards)
    slow = roll_chances(_Plain(net), boards)
    assert fast.shape == (80, 21, 5)
    np.testing.assert_allclose(fast, slow, atol=2e-5)


def with_sieve(net, keep, most=8):
    sieve = SieveNet.random(4, 1)
    return dataclasses.replace(net, sieve=sieve, keep=keep, most=most)


def test_a_sieve_rules_out_plays(net):
    boards = random_boards(6, 40)
    whole = equity(net.roll_chances(boards))
    sieved = equity(with_sieve(net, 1e-6).roll_chances(boards))
    assert (sieved <= whole + 1e-4).all()
    assert (sieved < whole - 0.01).any()
    same = with_sieve(net, 100.0, 4096).roll_chances(boards)
    np.testing.assert_allclose(equity(same), whole, atol=1e-4)


def test_a_sieve_is_part_of_the_file_and_of_the_choice(net, tmp_path):
    sieved = with_sieve(net, 1e-6)
    sieved.save(tmp_path / "net.npz")
    again = Net.load(tmp_path / "net.npz")
    assert again.keep == 1e-6
    boards = random_boards(7, 40)
    rolls = np.array([ROLLS[i % 21] for i in range(len(boards))], np.int8)
    results, _, offsets = plays_of_boards(boards, rolls)
    some = np.concatenate([[True], np.diff(offsets) > 0])
    plain, strained = net.choose(results, offsets[some]), again.choose(
        results, offsets[some]
    )  # fmt: skip
    np.testing.assert_array_equal(strained, sieved.choose(results, offsets[some]))
    values = equity(net.rate(results))
    assert (values[plain] >= values[strained] - 1e-5).all()
    assert (plain != strained).any()


def test_the_shipped_network_beats_pubeval():
    result = evaluate("td", "pubeval", games=2000, seed=1)
    assert result.points_per_game > 0.25


def test_a_weights_file_plays_as_the_network_it_holds(net, tmp_path):
    net.save(tmp_path / "net.npz")
    position = Position.start()
    named = make_agent(f"td:{tmp_path / 'net.npz'}")
    assert named.name.startswith("td:")
    for roll in ROLLS:
        assert named.best_play(position, roll) == TdAgent(net).best_play(position, roll)


def test_the_best_play_is_the_one_of_highest_equity(net):
    agent = TdAgent(net)
    state = GameState.from_position(Position.start(), dice=(4, 2))
    results, _, _ = plays_of_boards(state.record["board"], np.array([[4, 2]], np.int8))
    chances = net.rate(results)
    equity = 2 * chances[:, 0] - 1 + chances[:, 1:3].sum(1) - chances[:, 3:5].sum(1)
    best = Position.from_board(results[equity.argmax()])
    assert agent.best_play(Position.start(), (4, 2)).result == best


def test_the_shipped_network_is_an_evaluator_by_our_own_check():
    check_evaluator(TdAgent())


def test_chances_of_outcomes_are_nested_although_the_outputs_are_independent(net):
    board = Position.from_id("XgIA9TH+DQAAAA").to_board()
    win, gammon, backgammon, lost_gammon, lost_backgammon = net.evaluate(board[None])[0]
    assert win >= gammon >= backgammon
    assert 1 - win >= lost_gammon >= lost_backgammon
