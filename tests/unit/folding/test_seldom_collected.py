"""Thresholds of the collector while a backlog is folded."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from projections.collecting import seldom_collected


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_thresholds_come_back_when_the_last_is_done() -> None:
    """Two foldings at once, ending in the order in which they began, leave the thresholds as they were."""
    first, second = seldom_collected(), seldom_collected()
    first.__enter__()
    raised = gc.get_threshold()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == raised
    assert raised[0] > 700
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


def test_an_error_brings_them_back() -> None:
    """Folding that fails leaves the thresholds as they were."""
    with pytest.raises(RuntimeError), seldom_collected():
        raise RuntimeError
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_was_told_otherwise_stays_so() -> None:
    """Thresholds that are higher already are kept, and a collector without one is not started."""
    gc.set_threshold(90_000, 10, 10)
    with seldom_collected():
        assert gc.get_threshold() == (90_000, 10, 10)
    gc.set_threshold(0, 10, 10)
    with seldom_collected():
        assert gc.get_threshold()[0] == 0
