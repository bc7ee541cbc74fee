"""Tests and estimates for paired measurements, in exact arithmetic where that is affordable.

Pure functions over numbers. What is compared, over which window, and when a difference matters lives in
``comparison.py``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from statistics import NormalDist, median

import msgspec

EXACT_UP_TO = 120
"""So many differences are tested exactly: 14 days of eight runs a day are 112."""

_NORMAL = NormalDist()
# a p-value is never zero; this stands for one that a float cannot hold
_LEAST = sys.float_info.min


class SignedRank(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-rank test: non-zero differences, sum of the ranks of the positive ones, two-sided p-value."""

    n: int
    positive_rank_sum: float
    p_value: float
    exact: bool


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A location with its confidence interval, whose ends are null when too few values bound it."""

    value: float
    low: float | None
    high: float | None

    def as_ratio(self) -> Estimate:
        """Return the ratio whose natural logarithm this is."""
        return Estimate(
            value=math.exp(self.value),
            low=None if self.low is None else math.exp(self.low),
            high=None if self.high is None else math.exp(self.high),
        )


def log_ratio(numerator: float, denominator: float) -> float:
    """Natural logarithm of a ratio of two positive numbers.

    Swapping the two negates it exactly, and scaling two whole numbers alike keeps it exactly, so equal ratios
    stay ties. Raises ``ValueError`` when either is not positive and finite.
    """
    if not (0 < numerator < math.inf and 0 < denominator < math.inf):
        raise ValueError(
            f"a ratio needs two positive finite numbers, got {numerator} and {denominator}; leave such a pair out",
        )
    # log(a) - log(b) would round differently for equal ratios, log(a / b) and log(b / a) for swapped ones
    if numerator >= denominator:
        return math.log(numerator / denominator)
    return -math.log(denominator / numerator)


def signed_rank(differences: Sequence[float]) -> SignedRank:
    """Two-sided Wilcoxon signed-rank test that the differences lie symmetrically about zero.

    Zeros are left out (Wilcoxon 1945), ties get their mid-rank. Up to ``EXACT_UP_TO`` non-zero differences the
    p-value is exact given the ranks seen: each of the 2^n ways to give them signs is equally likely under the
    hypothesis, so ties need no correction (Pratt & Gibbons, Concepts of Nonparametric Theory, 1981, chapter 3).
    Beyond, it is a normal approximation with continuity correction; the variance is a quarter of the sum of the
    squared ranks, which is the tie-corrected one. In the far tails that approximation errs towards a larger p.
    Without any non-zero difference p is 1.
    """
    kept = sorted((d for d in differences if d != 0), key=abs)
    ranks = _doubled_mid_ranks([abs(d) for d in kept])
    positive = sum(rank for rank, d in zip(ranks, kept, strict=True) if d > 0)
    total = sum(ranks)
    smaller = min(positive, total - positive)
    exact = len(kept) <= EXACT_UP_TO
    if not kept:
        p_value = 1.0
    elif exact:
        p_value = min(1.0, 2 * _ways_up_to(ranks, smaller) / (1 << len(kept)))
    else:
        deviation = math.sqrt(sum(rank * rank for rank in ranks)) / 2
        # erfc keeps its digits in the far tail, where one minus erf has none left
        p_value = max(_LEAST, math.erfc(max(0.0, total / 2 - 1 - smaller) / deviation / math.sqrt(2)))
    return SignedRank(n=len(kept), positive_rank_sum=positive / 2, p_value=p_value, exact=exact)


def hodges_lehmann(differences: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Median of the Walsh averages, with the interval that belongs to the signed-rank test.

    The Walsh averages are the means of all pairs of values, each with itself included: n (n + 1) / 2 of them,
    so time and memory grow with the square. The interval runs from the k-th smallest to the k-th largest, with
    the largest k that keeps at least ``confidence`` (Hollander, Wolfe & Chicken, Nonparametric Statistical
    Methods, 3rd edition, 2014, section 3.3). Raises ``ValueError`` without any value.
    """
    if not differences:
        raise ValueError("the location of no values is unknown; ask only where there is at least one pair")
    averages = sorted((a + b) / 2 for i, a in enumerate(differences) for b in differences[i:])
    k = _interval_rank(len(differences), confidence)
    return Estimate(
        value=median(averages),
        low=averages[k - 1] if k else None,
        high=averages[-k] if k else None,
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value of McNemar's test from the two kinds of discordant pairs.

    Given their number, each kind is binomial with one half (McNemar 1947, in its exact form). Without discordant
    pairs p is 1.
    """
    n = only_first + only_second
    tail = sum(math.comb(n, i) for i in range(min(only_first, only_second) + 1))
    return max(_LEAST, min(1.0, 2 * tail / (1 << n)))


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """p-values corrected for testing all of them, in the order given.

    Rejecting those at most q bounds the expected share of false ones among the rejected by q, for independent or
    positively dependent tests (Benjamini & Hochberg, J. R. Statist. Soc. B 57, 1995, 289-300; Benjamini &
    Yekutieli, Ann. Statist. 29, 2001, 1165-1188).
    """
    m = len(p_values)
    corrected = [1.0] * m
    least = 1.0
    order = sorted(range(m), key=lambda i: p_values[i])
    for place in range(m, 0, -1):
        index = order[place - 1]
        least = min(least, p_values[index] * m / place)
        corrected[index] = least
    return tuple(corrected)


def corrected_in_families(families: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """p-values corrected within their family and over the families, in the order given.

    The p-value of a family is Simes's, the least one corrected within it; the families' p-values are corrected
    after Benjamini and Hochberg, and what that adds to a family's is applied to each of its members. Rejecting
    those at most q rejects no more than Benjamini & Bogomolov (J. R. Statist. Soc. B 76, 2014, 297-318), whose
    average share of false ones over the chosen families is at most q. A family with many true effects thus makes
    the others' threshold laxer by one family only, not by each of its effects, as a single correction would.

    Raises ``ValueError`` for a p-value of zero or less.
    """
    if any(p <= 0 for family in families for p in family):
        raise ValueError("a p-value of zero or less cannot be corrected; give the least positive number instead")
    within = [benjamini_hochberg(family) for family in families]
    tested = [index for index, family in enumerate(within) if family]
    least = [min(within[index]) for index in tested]
    over = dict(zip(tested, benjamini_hochberg(least), strict=True))
    return tuple(
        tuple(min(1.0, p * over[index] / min(family)) for p in family) for index, family in enumerate(within)
    )


def _doubled_mid_ranks(ascending: Sequence[float]) -> list[int]:
    """Twice the mid-rank of each value: whole numbers even among ties."""
    ranks: list[int] = []
    for _, group in groupby(ascending):
        size = sum(1 for _ in group)
        ranks += [2 * len(ranks) + size + 1] * size
    return ranks


def _ways_up_to(ranks: Sequence[int], bound: int) -> int:
    """How many of the 2^n subsets of ``ranks`` sum to at most ``bound``.

    The number of subsets per sum is kept in fields of one whole number, wide enough never to overflow, because
    adding a rank is then one shift and one addition of machine words instead of a loop over all sums.
    """
    width = len(ranks) + 1
    step = math.gcd(*ranks)
    ways = 1
    for rank in ranks:
        ways += ways << (rank // step * width)
    upper = ways & ((1 << ((bound // step + 1) * width)) - 1)
    # the sum of a number's digits, modulo the base less one, is the number; the sum is at most 2^n, so it is exact
    return upper % ((1 << width) - 1)


@lru_cache(maxsize=512)
def _interval_rank(n: int, confidence: float) -> int:
    """Largest k with P(rank sum < k) <= (1 - confidence) / 2 among n untied differences; 0 when there is none."""
    tail = (1 - confidence) / 2
    if n > EXACT_UP_TO:
        mean, deviation = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, math.floor(mean + 0.5 + _NORMAL.inv_cdf(tail) * deviation))
    ways = [1]
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    below, k = 0, 0
    while (below + ways[k]) / (1 << n) <= tail:
        below += ways[k]
        k += 1
    return k
