"""What held up a loop, since any moment, from few kept values."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import deque
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.transport.contract import HeldUp, Signal
from daemon.transport.strain import Maxima, StrainWatch


@pytest.fixture(autouse=True, scope="module")
def no_collections_by_chance() -> Iterator[None]:
    """Collect garbage only where a test does: how much earlier tests have left decides when it would happen."""
    gc.disable()
    yield
    gc.enable()


@given(st.lists(st.integers(0, 50), max_size=60))
def test_maxima_since_any_moment(values: list[int]) -> None:
    """The maximum since every moment is that of all values since, though most of them are forgotten."""
    maxima = Maxima()
    for value in values:
        maxima.add(value)
    assert [maxima.since(count) for count in range(len(values) + 1)] == [
        max(values[count:], default=None) for count in range(len(values) + 1)
    ]


def held_up(signals: deque[Signal]) -> HeldUp:
    (told,) = signals
    assert isinstance(told, HeldUp)
    return told


async def test_a_blocked_loop_and_a_collection_are_told_once() -> None:
    """A loop that was blocked and a collection are told of, first among the signals, and not again."""
    watch = StrainWatch()
    since = watch.watch()
    await asyncio.sleep(0.01)
    gc.collect()
    time.sleep(0.05)  # noqa: ASYNC251  # what must never happen is what is looked for
    await asyncio.sleep(0.01)
    signals: deque[Signal] = deque()
    since.tell(signals)
    told = held_up(signals)
    assert (told.lag_max_us or 0) > 20_000
    assert told.gc_pauses == 1
    assert told.gc_longest_us is not None
    since.tell(signals)
    assert len(signals) == 1
    since.end()


async def test_what_was_before_a_request_is_not_its_own() -> None:
    """Strain from before the beginning is another exchange's, even while both are watched together."""
    watch = StrainWatch()
    first, second = watch.watch(), watch.watch()
    gc.collect()
    second.begin()
    signals: deque[Signal] = deque()
    second.tell(signals)
    assert held_up(signals) == HeldUp(None, 0, None)
    second.end()
    first.tell(signals)
    assert signals[0] != HeldUp(None, 0, None)
    first.end()


async def test_nothing_is_watched_after_the_last_end() -> None:
    """When nobody watches, no collection is noted and no timer is left."""
    watch = StrainWatch()
    callbacks = len(gc.callbacks)
    since = watch.watch()
    assert len(gc.callbacks) == callbacks + 1
    since.end()
    assert len(gc.callbacks) == callbacks
    gc.collect()
    assert watch.take().gc_pauses == 0
