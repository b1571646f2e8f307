"""Memory for kernels: with room around it, what is learnt does not depend on where."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from bg_agents._exact import add_gradient
from bg_agents._memory import ROOM, apart, zeros_like
from bg_agents._net import rating_scratch
from bg_agents.nets import Net
from random_positions import many


def ends(array):
    """The first and last address of an array."""
    return array.ctypes.data, array.ctypes.data + array.nbytes


def test_arrays_have_a_kibibyte_between_them():
    arrays = [apart(3, 8) for _ in range(20)] + list(rating_scratch(3, 8)[2:5])
    for one, other in combinations(arrays, 2):
        (start, end), (first, last) = ends(one), ends(other)
        assert first - end >= 4 * ROOM or start - last >= 4 * ROOM


def test_they_are_zeros_of_the_shapes_asked_for():
    net = Net.random(8, 1)
    made = zeros_like(net.weights)
    assert [a.shape for a in made] == [a.shape for a in net.weights]
    assert all(a.dtype == np.float32 and not a.any() for a in made)
    assert all(a.flags.c_contiguous for a in made)


def packed(arrays, order):
    """Copies of small arrays, one right behind the other in memory in some order."""
    raw = np.zeros(sum(array.size for array in arrays) + 64, np.float32)
    found, place = list(arrays), 0
    for i in order:
        size = arrays[i].size
        found[i] = raw[place : place + size].reshape(arrays[i].shape)
        found[i][:] = arrays[i]
        place += size
    return found


def test_gradients_do_not_depend_on_where_the_weights_lie():
    net = Net.random(8, 3, expert=True, classes=3)
    boards = np.ascontiguousarray(np.stack([p.to_board() for p in many(60, 3)]))
    targets = np.random.default_rng(0).random((60, 5)).astype(np.float32)
    samples = boards, boards.view(np.uint64), targets
    results = []
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(3)
        w1, *rest = net.weights
        b1, w2, b2 = packed(rest, order)
        gradient = zeros_like(net.weights)
        scratch, back = rating_scratch(3, 8), apart(8)
        picks = np.arange(60)
        add_gradient(samples, picks, (w1, b1, w2, b2), gradient, 2.0, scratch, back)
        results.append(np.concatenate([part.ravel() for part in gradient]))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
