"""Intervals and comparisons of the office tasks: against scipy, by hand, and the laws they obey."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from daemon.judging.intervals import Interval, wilson
from daemon.judging.office.uncertainty import (
    FEWEST_UNITS,
    REPLICATES,
    Counts,
    compared,
    difference_interval,
    share_interval,
    weights,
)


def documents(n: int, chance: float, seed: int, fields: int = 13) -> dict[str, Counts]:
    """Documents of which a fifth is bad throughout, so that fields fail together."""
    source = random.Random(seed)
    made = {}
    for number in range(n):
        of_this = chance - 0.3 if source.random() < 0.2 else chance
        made[f"invoice-{number:04d}"] = (sum(source.random() < of_this for _ in range(fields)), fields)
    return made


@pytest.mark.parametrize(("part", "whole"), [(0, 1), (1, 1), (0, 150), (150, 150), (61, 100), (93, 150), (1, 3000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_wilson_is_scipys(part: int, whole: int, confidence: float) -> None:
    """The interval of a share of documents is scipy's Wilson interval without correction."""
    ours = wilson(part, whole, confidence)
    theirs = stats.binomtest(part, whole).proportion_ci(confidence, method="wilson")
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_by_hand() -> None:
    """Of nothing there is no interval, 5 of 10 is the textbook's 0.2366 to 0.7634, and no share is refused."""
    assert wilson(0, 0) is None
    half = wilson(5, 10)
    assert half is not None
    assert (round(half.low, 4), round(half.high, 4)) == (0.2366, 0.7634)
    with pytest.raises(ValueError, match="no share"):
        wilson(3, 2)


def test_weights_are_poisson_of_mean_one() -> None:
    """How often documents are drawn is Poisson with mean 1, by a chi-squared test over 200,000 draws."""
    drawn = [weight for number in range(200) for weight in weights(f"document-{number}")]
    counts = [drawn.count(k) for k in range(5)] + [sum(weight >= 5 for weight in drawn)]
    chances = [*stats.poisson.pmf(range(5), 1), stats.poisson.sf(4, 1)]
    assert stats.chisquare(counts, [chance * len(drawn) for chance in chances]).pvalue > 0.001


def test_weights_never_change() -> None:
    """The draws of a name are the same on every machine and for ever."""
    assert weights("invoice-0001")[:12] == FIRST_WEIGHTS
    assert len(weights("invoice-0001")) == REPLICATES


FIRST_WEIGHTS = (0, 0, 1, 0, 1, 1, 1, 1, 2, 1, 1, 0)


def scipys(counts: Mapping[str, Counts]) -> Interval:
    rights, judgeds = np.array(list(counts.values())).T
    found = stats.bootstrap(
        (rights, judgeds),
        lambda right, judged, axis=-1: right.sum(axis=axis) / judged.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    return Interval(low=found.low, high=found.high)


@pytest.mark.parametrize(("n", "chance"), [(40, 0.9), (150, 0.93), (150, 0.97)])
def test_shares_are_resampled_as_scipy_does(n: int, chance: float) -> None:
    """The interval by document is that of scipy's bootstrap of documents, within a sixth of its length."""
    counts = documents(n, chance, seed=n)
    ours, theirs = share_interval(counts), scipys(counts)
    assert ours is not None
    tolerance = (theirs.high - theirs.low) / 6
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=tolerance)


def test_fields_that_fail_together_widen_the_interval() -> None:
    """Ten documents of a hundred wholly wrong tell less than a tenth of all fields wrong here and there."""
    together = {f"d-{number}": (0 if number % 10 == 0 else 10, 10) for number in range(100)}
    apart = {f"d-{number}": (9, 10) for number in range(100)}
    apart["d-0"] = (10, 10)
    wide, narrow = share_interval(together), share_interval(apart)
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > 0.1
    assert narrow.high - narrow.low < 0.01


def test_where_nothing_differs_there_is_no_interval() -> None:
    """Twenty documents without a mistake do not prove that there never will be one: there is no interval."""
    assert share_interval({f"d-{number}": (13, 13) for number in range(20)}) is None


def test_differences_are_resampled_in_pairs() -> None:
    """The interval of a difference is scipy's paired bootstrap, within a sixth of its length."""
    first, second = documents(120, 0.95, seed=1), documents(120, 0.92, seed=2)
    ours = difference_interval({name: (first[name], second[name]) for name in first})
    columns = np.array([(*first[name], *second[name]) for name in first]).T
    theirs = stats.bootstrap(
        tuple(columns),
        lambda a, of_a, b, of_b, axis=-1: a.sum(axis) / of_a.sum(axis) - b.sum(axis) / of_b.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert ours is not None
    tolerance = (theirs.high - theirs.low) / 6
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=tolerance)


def test_what_both_share_is_no_difference() -> None:
    """A model against itself differs by nothing, and nothing tells how far others may differ."""
    counts = documents(50, 0.9, seed=3)
    same = compared({name: (each, each) for name, each in counts.items()})
    assert (same.difference, same.interval, same.p_value) == (0.0, None, 1.0)


def test_two_models_by_hand() -> None:
    """One document right with the first alone and six with the second alone: p is 2 x (1 + 7) / 2^7 = 0.125."""
    made: dict[str, tuple[Counts, Counts]] = {"a": ((10, 10), (9, 10))}
    made |= {f"b{number}": ((8, 10), (10, 10)) for number in range(6)}
    made |= {f"c{number}": ((10, 10), (10, 10)) for number in range(3)}
    found = compared(made)
    assert (found.documents, found.only_first, found.only_second, found.p_value) == (10, 1, 6, 0.125)
    assert found.difference == pytest.approx(88 / 100 - 99 / 100)
    assert found.p_value == pytest.approx(stats.binomtest(1, 7).pvalue)


def test_few_documents_have_no_interval() -> None:
    """Of fewer than ten documents, and of none, there is no interval."""
    assert share_interval(documents(FEWEST_UNITS - 1, 0.9, seed=4)) is None
    assert share_interval({}) is None
    assert compared({}).difference is None


@settings(max_examples=20, deadline=None)
@given(st.permutations(sorted(documents(12, 0.8, seed=5).items())))
def test_order_changes_nothing(items: list[tuple[str, Counts]]) -> None:
    """Documents in another order have the same interval, to the last bit."""
    assert share_interval(dict(items)) == share_interval(documents(12, 0.8, seed=5))
