"""Stretches of lost positions, and when a source that stopped is tried again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from projections.retries import Again, Retries, Retry
from projections.spans import Span, covers, joined

SPANS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)).map(lambda pair: Span(*sorted(pair))), max_size=8)


def positions(spans: list[Span]) -> set[int]:
    return {seq for span in spans for seq in range(span.first, span.last + 1)}


@given(SPANS)
def test_joining_keeps_every_position(spans: list[Span]) -> None:
    """Joined stretches hold the same positions, in order, and do not touch one another."""
    found = joined(spans)
    assert positions(list(found)) == positions(spans)
    assert all(one.last + 1 < other.first for one, other in pairwise(found))


@given(SPANS, st.integers(1, 40), st.integers(0, 9))
def test_a_gap_is_covered_when_each_position_is(spans: list[Span], first: int, more: int) -> None:
    """A stretch is covered exactly when all of its positions were given up."""
    wanted = Span(first, first + more)
    assert covers(spans, wanted) == (positions([wanted]) <= positions(spans))


def test_waits_double_up_to_the_longest() -> None:
    """Each try in vain doubles the wait until the longest, and stays there however often it was."""
    again = Again(first_s=15.0, longest_s=100.0)
    assert [again.wait_s(tries) for tries in (0, 1, 2, 3, 10_000)] == [15.0, 30.0, 60.0, 100.0, 100.0]


def test_a_source_is_due_when_its_wait_is_over() -> None:
    """A source is due after its wait, waits longer when it stops again, and anew once it has moved."""
    retries = Retries(Again(first_s=10.0, longest_s=100.0))
    retries.stopped("lab", 5, 0.0)
    retries.stopped("lab", 5, 9.0)
    assert retries.due(9.9) == frozenset()
    assert retries.due(10.0) == {"lab"}
    retries.stopped("lab", 5, 10.0)
    assert retries.waiting(15.0) == {"lab": Retry(tries=1, next_in_s=15.0)}
    retries.stopped("lab", 6, 16.0)
    assert retries.waiting(16.0) == {"lab": Retry(tries=0, next_in_s=10.0)}
    retries.forget("lab")
    assert retries.waiting(16.0) == {}
