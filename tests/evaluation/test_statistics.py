"""Means, standard errors and intervals, against numpy and printed tables."""

from __future__ import annotations

import numpy as np
import pytest

from bg_env.evaluation.statistics import ClusterSums, Estimate, student_quantile


def sums_of(x, n):
    return ClusterSums.of(np.array(x, np.int64), np.array(n, np.int64))


def test_single_items_have_the_usual_mean_and_standard_error():
    values = np.array([3, -1, 2, -2, 1, 1, -3])
    estimate = sums_of(values, np.ones(7)).estimate()
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) / 7**0.5)
    assert estimate.count == 7


def test_pairs_have_the_standard_error_of_the_pair_means():
    games = np.array([[3, -1], [2, -2], [1, 1], [-3, 1], [2, 2]])
    estimate = sums_of(games.sum(axis=1), np.full(5, 2)).estimate()
    means = games.mean(axis=1)
    assert estimate.mean == pytest.approx(games.mean())
    assert estimate.standard_error == pytest.approx(means.std(ddof=1) / 5**0.5)


def test_clusters_of_unequal_size_give_the_error_of_a_ratio():
    x, n = np.array([4, 1, -3, 6]), np.array([2, 1, 2, 3])
    estimate = sums_of(x, n).estimate()
    mean = 8 / 8
    spread = ((x - mean * n) ** 2).sum()
    assert estimate.mean == mean
    assert estimate.standard_error == pytest.approx((spread * 4 / 3) ** 0.5 / 8)


def test_clusters_without_items_do_not_count():
    assert sums_of([4, 0, 2], [2, 0, 2]) == sums_of([4, 2], [2, 2])


def test_sums_of_parts_are_the_sums_of_the_whole():
    rng = np.random.default_rng(1)
    x, n = rng.integers(-9, 9, 50), rng.integers(1, 3, 50)
    assert sums_of(x[:17], n[:17]).plus(sums_of(x[17:], n[17:])) == sums_of(x, n)


def test_enormous_cubes_do_not_overflow():
    estimate = sums_of([3 * 2**40, -3 * 2**40], [1, 1]).estimate()
    assert estimate.mean == 0
    assert estimate.standard_error == pytest.approx(3 * 2**40)


def test_a_mean_far_from_zero_loses_no_precision():
    estimate = sums_of([10**12, 10**12 + 1], [1, 1]).estimate()
    assert estimate.standard_error == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([], Estimate(None, None, None, 0)),
        ([-2], Estimate(-2.0, None, None, 1)),
        ([2, 2], Estimate(2.0, 0.0, (2.0, 2.0), 2)),
    ],
)
def test_what_cannot_be_known_is_none(x, expected):
    assert sums_of(x, np.ones(len(x))).estimate() == expected


# Two-sided 95 % points of Student's t, from printed tables.
@pytest.mark.parametrize(
    ("freedom", "printed"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042),
     (120, 1.980), (10**9, 1.960)],
)  # fmt: skip
def test_quantiles_of_student_are_those_of_the_tables(freedom, printed):
    assert student_quantile(freedom) == pytest.approx(printed, rel=0.01)


def test_nineteen_of_twenty_intervals_hold_the_true_mean():
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(2000):
        low, high = sums_of(rng.integers(-3, 4, 8), np.ones(8)).estimate().interval
        hits += low <= 0 <= high
    assert 0.93 < hits / 2000 < 0.97
