"""Paired tests and estimates: against scipy, against counting, and the laws they obey."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from daemon.integrity.statistics import (
    EXACT_UP_TO,
    benjamini_hochberg,
    corrected_in_families,
    hodges_lehmann,
    log_ratio,
    mcnemar,
    signed_rank,
)

WHOLE = st.integers(1, 10**12)
PAIRS = st.lists(st.tuples(WHOLE, WHOLE), min_size=1, max_size=30)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def drawn(n: int, seed: int, shift: float = 0.1) -> list[float]:
    source = random.Random(seed)
    return [source.gauss(shift, 1) for _ in range(n)]


def by_counting(differences: list[float]) -> float:
    """Find the two-sided p-value by going through all signs."""
    kept = [d for d in differences if d]
    ranks = stats.rankdata([abs(d) for d in kept])
    total = sum(ranks)
    seen = min(s := sum(r for r, d in zip(ranks, kept, strict=True) if d > 0), total - s)
    sums = [sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in product((0, 1), repeat=len(kept))]
    return min(1.0, 2 * sum(s <= seen for s in sums) / len(sums))


@pytest.mark.parametrize("n", [1, 2, 5, 12, 24, 50, EXACT_UP_TO])
@pytest.mark.parametrize("shift", [0, 0.3, 3])
def test_exact_signed_rank_is_scipys(n: int, shift: float) -> None:
    """Without ties the exact p-value is the one of scipy's exact method."""
    differences = drawn(n, n, shift)
    ours = signed_rank(differences)
    assert ours.exact
    assert ours.n == n
    assert ours.p_value == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize(("n", "step"), [(EXACT_UP_TO + 1, None), (400, None), (200, 0.25), (400, 0.25)])
def test_large_samples_are_scipys_approximation(n: int, step: float | None) -> None:
    """Beyond the exact range the p-value is scipy's corrected normal approximation, with ties and without."""
    differences = [d if step is None else round(d / step) * step for d in drawn(n, 7)]
    ours = signed_rank(differences)
    theirs = stats.wilcoxon(differences, method="asymptotic", correction=True)
    assert not ours.exact
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_ties_and_zeros_are_exact(values: list[int]) -> None:
    """Among ties and zeros the p-value is the share of all sign patterns that are at least as extreme."""
    ours = signed_rank(values)
    assert ours.p_value == pytest.approx(by_counting([float(v) for v in values]) if any(values) else 1.0, rel=1e-12)


def test_no_difference_at_all_is_no_evidence() -> None:
    """Equal values throughout, or none, have p = 1."""
    assert signed_rank([0.0] * 30).p_value == 1.0
    assert signed_rank([]).p_value == 1.0


def test_smallest_reachable_p_value() -> None:
    """Twenty-four differences of one sign have two of the 2^24 patterns."""
    assert signed_rank(range(1, 25)).p_value == 2**-23


@given(PAIRS)
def test_swapping_accounts_inverts_ratio_and_keeps_p(pairs: list[tuple[int, int]]) -> None:
    """Exchanging the two accounts negates every log-ratio and estimate and leaves the p-value as it is."""
    forth = [log_ratio(a, b) for a, b in pairs]
    back = [log_ratio(b, a) for a, b in pairs]
    assert back == [-d for d in forth]
    assert signed_rank(back).p_value == signed_rank(forth).p_value
    here, there = hodges_lehmann(forth), hodges_lehmann(back)
    assert there.value == -here.value
    assert (there.low, there.high) == (
        None if here.high is None else -here.high,
        None if here.low is None else -here.low,
    )
    assert there.as_ratio().value == pytest.approx(1 / here.as_ratio().value)


@given(PAIRS, st.integers(1, 10**6))
def test_unit_of_measurement_does_not_matter(pairs: list[tuple[int, int]], scale: int) -> None:
    """Both accounts' values in another unit give the same log-ratios to the last bit, hence the same test."""
    assert [log_ratio(a * scale, b * scale) for a, b in pairs] == [log_ratio(a, b) for a, b in pairs]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.integers(-8, 8))
def test_scaled_differences_keep_p(differences: list[float], exponent: int) -> None:
    """The signed-rank test sees the order of the differences only."""
    scaled = [math.ldexp(d, exponent) for d in differences if abs(d) > 1e-9 or d == 0]
    kept = [d for d in differences if abs(d) > 1e-9 or d == 0]
    assert signed_rank(scaled).p_value == signed_rank(kept).p_value


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 0), (-1, 2), (math.nan, 1), (1, math.inf)])
def test_impossible_ratio_is_refused(a: float, b: float) -> None:
    """A ratio of anything but two positive finite numbers is an error that names them."""
    with pytest.raises(ValueError, match="two positive finite numbers"):
        log_ratio(a, b)


@pytest.mark.parametrize("n", [6, 15, 24, 112, EXACT_UP_TO + 5])
def test_interval_belongs_to_the_test(n: int) -> None:
    """The interval holds just the shifts that the test does not reject at its level."""
    differences = drawn(n, 3 * n)
    estimate = hodges_lehmann(differences)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < estimate.value < estimate.high
    for end, outward in ((estimate.low, -1), (estimate.high, 1)):
        outside = [d - end - outward * 1e-9 for d in differences]
        inside = [d - end + outward * 1e-9 for d in differences]
        assert stats.wilcoxon(outside, method="exact").pvalue <= 0.0505
        assert stats.wilcoxon(inside, method="exact").pvalue > 0.0495


def test_few_values_bound_nothing() -> None:
    """Five values cannot bound a location with 95 % confidence, six can."""
    assert hodges_lehmann([1, 2, 3, 4, 5]).low is None
    assert hodges_lehmann([1, 2, 3, 4, 5, 6]).low == 1


def test_location_of_nothing_is_refused() -> None:
    """Without a value there is no location to state."""
    with pytest.raises(ValueError, match="no values"):
        hodges_lehmann([])


def test_location_resists_an_outlier() -> None:
    """One absurd value moves the location only a little."""
    assert hodges_lehmann([0.9, 1.0, 1.1, 1.0, 1e9]).value == pytest.approx(1.05)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    """McNemar's exact test is scipy's two-sided binomial test on the discordant pairs."""
    theirs = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(theirs, rel=1e-9)
    assert mcnemar(first, second) == mcnemar(second, first)


@given(P_VALUES)
def test_benjamini_hochberg_is_scipys(p_values: list[float]) -> None:
    """Corrected p-values are those of scipy's false discovery control, in the order given."""
    assert benjamini_hochberg(p_values) == pytest.approx(list(stats.false_discovery_control(p_values)))


@given(P_VALUES)
def test_correction_keeps_order_and_never_helps(p_values: list[float]) -> None:
    """A smaller p-value never becomes the larger corrected one, and none falls below what it was."""
    corrected = benjamini_hochberg(p_values)
    ordered = [c for _, c in sorted(zip(p_values, corrected, strict=True))]
    assert ordered == sorted(ordered)
    assert all(p <= c * (1 + 1e-12) <= 1 + 1e-12 for p, c in zip(p_values, corrected, strict=True))


@given(P_VALUES, st.data())
def test_stronger_evidence_weakens_no_other(p_values: list[float], data: st.DataObject) -> None:
    """Lowering one p-value raises no corrected p-value."""
    index = data.draw(st.integers(0, len(p_values) - 1))
    lower = [p / 2 if i == index else p for i, p in enumerate(p_values)]
    assert all(
        a <= b * (1 + 1e-12) for a, b in zip(benjamini_hochberg(lower), benjamini_hochberg(p_values), strict=True)
    )


@given(st.lists(st.lists(st.floats(1e-9, 1), max_size=6), max_size=6))
def test_families_are_corrected_within_and_over(families: list[list[float]]) -> None:
    """A family's least corrected p-value is its Simes p-value corrected over the families; none becomes smaller."""
    corrected = corrected_in_families(families)
    simes = [min(benjamini_hochberg(f)) for f in families if f]
    assert [min(c) for c in corrected if c] == pytest.approx(list(benjamini_hochberg(simes)))
    assert [len(c) for c in corrected] == [len(f) for f in families]
    for family, own in zip(families, corrected, strict=True):
        assert all(p <= c * (1 + 1e-9) for p, c in zip(family, own, strict=True))


def test_one_family_is_corrected_as_ever() -> None:
    """With one family, and with families of one, the correction is Benjamini and Hochberg's."""
    p_values = [0.001, 0.02, 0.03, 0.5]
    assert corrected_in_families([p_values])[0] == pytest.approx(benjamini_hochberg(p_values))
    apart = corrected_in_families([[p] for p in p_values])
    assert [p for (p,) in apart] == pytest.approx(benjamini_hochberg(p_values))


def test_many_effects_of_one_family_help_others_once() -> None:
    """Twenty effects at one endpoint make a weak finding at another no easier than one effect does."""
    weak = [0.004] + [1.0] * 3
    one, many = [1e-9], [1e-9] * 20
    assert corrected_in_families([many, weak])[1] == pytest.approx(corrected_in_families([one, weak])[1])
    assert benjamini_hochberg([*many, *weak])[20] < corrected_in_families([many, weak])[1][0]


def test_certainty_is_never_zero() -> None:
    """However far the evidence goes, a p-value stays above zero, so that it can be corrected."""
    assert 0 < signed_rank(range(1, 10_001)).p_value < 1e-300
    assert 0 < mcnemar(0, 5_000) < 1e-300
    with pytest.raises(ValueError, match="zero or less"):
        corrected_in_families([[0.5], [0.0]])
