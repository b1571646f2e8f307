"""Means with standard errors from clusters of games that belong together.

A cluster is a pair of games with the same dice, or one game (or match) alone. All
sums are kept as exact integers, so that a figure depends on the games alone and not
on the order or the batches they were played in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, how sure it is, and over how many items it was taken.

    Attributes:
        mean: None without a single item.
        standard_error: None with fewer than two clusters.
        interval: 95 % confidence interval, None where `standard_error` is.
        count: Items (games or matches) in the mean.
    """

    mean: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    count: int


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Exact sums over clusters of x (what was won) and n (items, at least one).

    The mean is Σx / Σn. Its squared standard error is
    G / (G − 1) · Σ(x − mean · n)² / (Σn)² over G clusters: with two games in each
    cluster, the usual one of the mean of the pair means.
    """

    clusters: int = 0
    x: int = 0
    n: int = 0
    xx: int = 0
    xn: int = 0
    nn: int = 0

    @classmethod
    def of(cls, x: NDArray[Any], n: NDArray[np.int64]) -> ClusterSums:
        """Sums over ``x`` and ``n``, without clusters of no items.

        Args:
            x: int64[G], or object[G] of whole numbers that need more room.
            n: int64[G].

        >>> ClusterSums.of(np.array([4, 0, 7]), np.array([2, 2, 0])).estimate().mean
        1.0
        """
        some = n > 0
        # Python's integers: a square may need more than 64 bits.
        own: NDArray[Any] = x[some].astype(object)
        items: NDArray[Any] = n[some].astype(object)
        return cls(
            clusters=len(own),
            x=int(own.sum()),
            n=int(items.sum()),
            xx=int((own * own).sum()),
            xn=int((own * items).sum()),
            nn=int((items * items).sum()),
        )

    def plus(self, other: ClusterSums) -> ClusterSums:
        """The sums over the clusters of both."""
        return ClusterSums(
            self.clusters + other.clusters,
            self.x + other.x,
            self.n + other.n,
            self.xx + other.xx,
            self.xn + other.xn,
            self.nn + other.nn,
        )

    def estimate(self, scale: int = 1) -> Estimate:
        """The mean, its standard error and its 95 % confidence interval.

        Args:
            scale: How many units of x are one of the result.
        """
        if not self.n:
            return Estimate(None, None, None, 0)
        mean = self.x / (self.n * scale)
        if self.clusters < 2:
            return Estimate(mean, None, None, self.n)
        x, n = self.x, self.n
        # Σ(x − mean · n)² · (Σn)², without rounding.
        spread = n**2 * self.xx - 2 * x * n * self.xn + x**2 * self.nn
        variance = spread * self.clusters / ((self.clusters - 1) * n**4 * scale**2)
        error = math.sqrt(variance)
        reach = error * student_quantile(self.clusters - 1)
        return Estimate(mean, error, (mean - reach, mean + reach), self.n)


def student_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Half-width of a two-sided interval in standard errors, by Student's t.

    Source: Abramowitz and Stegun, 26.7.5 (below 1 % off from 2 degrees of freedom on);
    exact for 1.

    >>> round(student_quantile(1), 2), round(student_quantile(10**6), 3)
    (12.71, 1.96)
    """
    tail = (1 + confidence) / 2
    if freedom == 1:
        return math.tan(math.pi * (tail - 0.5))
    z = NormalDist().inv_cdf(tail)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(t / freedom**k for k, t in enumerate(terms, start=1))
