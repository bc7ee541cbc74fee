"""Folding batches of events: positions, duplicates, gaps, and that batches do not matter."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_events import NOON, MadeLog, endpoint
from msgspec import Raw

from projections.contract import AnyProjection
from projections.errors import SourceGapError
from projections.folding import Folded, Place, fold_batch
from projections.registry import PROJECTIONS
from schemas.definitions import Definitions
from schemas.errors import DecodeError, UnknownVersionError
from schemas.events import SlotSkipped
from schemas.log import StoredEvent

DEFINITIONS = Definitions()


def made() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"))
    for day in range(3):
        at = NOON - timedelta(days=3 - day)
        log.run(at, {}, {"endpoint": "deep", "ttft_s": 3.0}, {"failure_kind": "rate-limited"}, late=day == 1)
        log.declare(endpoint(quantization=f"q{day}"), endpoint("deep"), at=at)
    log.add(SlotSkipped(slot="s", workload="text-1k", scenario="single", nominal_ns=1, reason="missed"))
    log.add_raw("weather-observed", 3, Raw(b"\xc1 not even msgpack"))
    log.run(NOON, {"account": "guest"}, trigger="command")
    return log


LOG = made()


def restarted(folded: Folded) -> dict[tuple[str, str], Place]:
    """Places as they come back from the store: through their encoding."""
    types: dict[str, AnyProjection] = {projection.name: projection for projection in PROJECTIONS}
    return {
        (name, source): Place(
            place.seq,
            place.event,
            msgspec.msgpack.decode(msgspec.msgpack.encode(place.state), type=types[name].state_type),
        )
        for (name, source), place in folded.places.items()
    }


def fold_in(batches: list[list[StoredEvent]]) -> tuple[dict[str, list[object]], dict[tuple[str, str], Place]]:
    places: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[object]] = {}
    for batch in batches:
        folded = fold_batch(batch, PROJECTIONS, places, DEFINITIONS)
        places |= restarted(folded)
        for table, made_rows in folded.rows.items():
            rows.setdefault(table, []).extend(made_rows)
    return rows, places


ALL_AT_ONCE = fold_in([LOG.events])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, len(LOG.events) - 1), unique=True, max_size=8))
def test_batches_do_not_matter(cuts: list[int]) -> None:
    """Folding in batches of any sizes, with a restart after each, gives the rows and states of one fold from zero."""
    edges = [0, *sorted(cuts), len(LOG.events)]
    batches = [LOG.events[begin:end] for begin, end in pairwise(edges)]
    assert fold_in(batches) == ALL_AT_ONCE


@settings(deadline=None, max_examples=60)
@given(st.integers(0, len(LOG.events) - 1), st.integers(1, 9))
def test_a_repeated_stretch_changes_nothing(begin: int, length: int) -> None:
    """Events that come a second time, as after a broker's retry, are dropped."""
    again = LOG.events[: begin + length] + LOG.events[begin:]
    assert fold_in([again]) == ALL_AT_ONCE


def test_folding_leaves_its_input_alone() -> None:
    """A batch that could not be stored can be folded again, because places are not changed in passing."""
    places: dict[tuple[str, str], Place] = {}
    first = fold_batch(LOG.events, PROJECTIONS, places, DEFINITIONS)
    assert places == {}
    assert fold_batch(LOG.events, PROJECTIONS, places, DEFINITIONS) == first


@pytest.mark.parametrize("missing", [1, 2, len(LOG.events) - 1])
def test_a_gap_stops(missing: int) -> None:
    """A missing position stops the reader with its place and how many events are missing."""
    torn = [stored for stored in LOG.events if stored.envelope.seq != missing]
    with pytest.raises(SourceGapError, match=rf"after position {missing - 1} of 'lab' comes {missing + 1}; 1 event"):
        fold_batch(torn, PROJECTIONS, {}, DEFINITIONS)


def test_an_unknown_version_stops() -> None:
    """A known type in a version from the future stops the reader."""
    log = MadeLog()
    log.add_raw("slot-skipped", 2, Raw(b"\x80"))
    with pytest.raises(UnknownVersionError, match="upgrade Messwerk"):
        fold_batch(log.events, PROJECTIONS, {}, DEFINITIONS)


def test_bytes_that_are_no_event_stop() -> None:
    """An event that cannot be decoded stops the reader and names its position."""
    log = MadeLog()
    log.add_raw("slot-skipped", 1, Raw(b"\x80"))
    with pytest.raises(DecodeError, match=r"event 1 of 'lab' \(slot-skipped v1\)"):
        fold_batch(log.events, PROJECTIONS, {}, DEFINITIONS)


def test_an_unknown_type_is_passed_over() -> None:
    """A type that this build does not know moves the position and gives no row."""
    log = MadeLog()
    log.add_raw("weather-observed", 7, Raw(b"\xc1"))
    folded = fold_batch(log.events, PROJECTIONS, {}, DEFINITIONS)
    assert folded.rows == {}
    assert {place.seq for place in folded.places.values()} == {1}


def test_each_source_has_a_place_of_its_own() -> None:
    """Two daemons' events may interleave; each is followed by its own positions."""
    one, two = MadeLog("one"), MadeLog("two")
    one.open()
    two.open(endpoint(), simulated=True)
    one.run(NOON, {})
    two.run(NOON, {})
    mixed = [stored for pair in zip(one.events, two.events, strict=True) for stored in pair]
    folded = fold_batch(mixed, PROJECTIONS, {}, DEFINITIONS)
    assert [(row.source, row.simulated) for row in folded.rows["attempts"]] == [("one", False), ("two", True)]  # type: ignore[attr-defined]


def test_a_projection_that_lags_catches_up_alone() -> None:
    """Projections at different positions each take only what is new to them."""
    ahead = fold_batch(LOG.events[:10], PROJECTIONS[:1], {}, DEFINITIONS)
    folded = fold_batch(LOG.events, PROJECTIONS, ahead.places, DEFINITIONS)
    whole = fold_batch(LOG.events, PROJECTIONS, {}, DEFINITIONS)
    assert [*ahead.rows["attempts"], *folded.rows["attempts"]] == whole.rows["attempts"]
    assert folded.rows["events"] == whole.rows["events"]
