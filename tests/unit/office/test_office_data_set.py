"""The plan of a data set: shares are exact for any size, and a larger set begins with the smaller one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.workloads.office.dataset import BLOCK, PAIRS, TIERS, VARIANTS, plan
from daemon.workloads.office.shares import controlled, largest_remainders
from schemas.office import FIELDS, Task

TASKS = st.sampled_from(list(FIELDS))


@settings(max_examples=120)
@given(st.integers(1, 700))
def test_shares_of_tiers_and_variants_are_exact_for_any_size(pairs: int) -> None:
    """Tiers, variants and the private third have the counts that largest remainders give."""
    places = plan("invoice", pairs)
    tiers, variants = Counter(place.tier for place in places), Counter(place.variant for place in places)
    assert [tiers[tier] for tier in TIERS] == largest_remainders(pairs, list(TIERS.values()))
    assert [variants[variant] for variant in VARIANTS] == largest_remainders(pairs, list(VARIANTS.values()))
    private = sum(place.split == "private" for place in places)
    assert abs(private - Fraction(pairs, 3)) < 1


@given(TASKS, st.integers(1, 400))
def test_each_pair_has_one_place(task: Task, pairs: int) -> None:
    """Pairs are numbered without gaps, each once, so that none straddles the split; layouts take turns."""
    places = plan(task, pairs)
    assert [place.pair for place in places] == list(range(1, pairs + 1))
    layouts = Counter(place.layout for place in places)
    assert max(layouts.values()) - min(layouts.values()) <= 1 or pairs < len(layouts)


def test_the_private_third_has_the_same_shares() -> None:
    """In a set of 150 pairs the private fifty have exactly the shares of tiers and variants of the whole."""
    private = [place for place in plan("invoice", PAIRS) if place.split == "private"]
    assert len(private) == 50
    assert Counter(place.tier for place in private) == {tier: share * 50 for tier, share in TIERS.items()}
    assert Counter(place.variant for place in private) == {variant: share * 50 for variant, share in VARIANTS.items()}


@given(TASKS, st.integers(1, 300), st.integers(0, 200))
def test_a_larger_set_begins_with_the_full_blocks_of_the_smaller(task: Task, pairs: int, more: int) -> None:
    """Adding pairs changes none of the full blocks that were there."""
    kept = pairs // BLOCK * BLOCK
    assert plan(task, pairs)[:kept] == plan(task, pairs + more)[:kept]


@given(st.integers(0, 60), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_largest_remainders_miss_no_share_by_one(total: int, weights: list[int]) -> None:
    """Counts sum to the total and are less than one off their shares."""
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    counts = largest_remainders(total, shares)
    assert sum(counts) == total
    assert all(abs(count - share * total) < 1 for count, share in zip(counts, shares, strict=True))


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=5),
    st.lists(st.integers(1, 9), min_size=2, max_size=5),
)
def test_tables_are_rounded_to_their_totals(rows: list[int], weights: list[int]) -> None:
    """A table that is rounded has exactly the totals that were asked for."""
    whole = sum(rows)
    columns = largest_remainders(whole, [Fraction(weight, sum(weights)) for weight in weights])
    table = [[Fraction(row * column, max(1, whole)) for column in columns] for row in rows]
    counts = controlled(table, rows, columns)
    assert [sum(row) for row in counts] == rows
    assert [sum(column) for column in zip(*counts, strict=True)] == columns
    assert all(count >= 0 for row in counts for count in row)


def test_totals_that_no_table_has_are_an_error() -> None:
    """Where cells are bounded and the totals cannot be met, that is said."""
    with pytest.raises(ValueError, match="no table"):
        controlled([[Fraction(0), Fraction(0)]], [1], [1, 0], most=[[0, 0]])
