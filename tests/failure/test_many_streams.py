"""Three hundred long streams at once in one daemon: what the log holds of them, and what goes on beside them."""

from __future__ import annotations

from collections import Counter

import pytest
from daemons import assert_closed
from many_streams import Streamed, Streams, stream_through
from transports import socket_transports

from daemon.attempts.received import text_sha256
from schemas.events import SlotSkipped
from schemas.timeline import Channel, unpack_timeline

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif("process" not in socket_transports(), reason="memory is read as Linux tells it"),
]

STREAMS = Streams()
MOST_BYTES = 400_000_000


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> Streamed:
    """Read them once for all of these tests."""
    return stream_through(tmp_path_factory.mktemp("streams"), STREAMS)


def test_nothing_of_any_stream_is_lost(streamed: Streamed) -> None:
    """Each of 300 streams has one end, with all its 2,000 chunks, its whole text and every byte that was sent."""
    assert_closed(streamed.events)
    assert len(streamed.answers) == len(streamed.long_run.attempts) == STREAMS.count == 300
    assert Counter(each.status for each in streamed.answers) == {"response": 300}
    answers = [each.answer for each in streamed.answers if each.answer is not None]
    assert {(each.chunks, each.text, each.sha256) for each in answers} == {
        (2_000, STREAMS.answer, text_sha256(STREAMS.answer))
    }
    assert {each.finish_reason for each in streamed.answers} == {"stop"}
    rows = [list(unpack_timeline(each.timeline)) for each in streamed.answers]
    assert {sum(row.read_bytes for row in each) for each in rows} == {STREAMS.body_bytes}
    assert {sum(row.channel is Channel.ANSWER for row in each) for each in rows} == {2_000}


def test_the_server_wrote_what_was_read(streamed: Streamed) -> None:
    """The server was asked 300 times, wrote each stream to its end, and no answer has more reads than writes."""
    written = [len(stream.writes) for stream in streamed.truth if stream.name.startswith("stream-")]
    writes = STREAMS.tokens // STREAMS.per_write
    assert written == [writes] * 300
    for each in streamed.answers:
        reads = sum(row.read_bytes > 0 for row in unpack_timeline(each.timeline))
        assert 1 <= reads <= writes + 1


def test_all_that_was_acknowledged_is_in_the_log(streamed: Streamed) -> None:
    """The log's events are those that it acknowledged, in order and without a gap."""
    assert [each.seq for each in streamed.told] == list(range(1, len(streamed.told) + 1))
    assert 0 <= len(streamed.events) - len(streamed.told) <= 1, "a checkpoint at the end, at most"


def test_the_schedule_goes_on(streamed: Streamed) -> None:
    """Slots that come while the streams are under way are planned on time, and none after the first is skipped."""
    assert len(streamed.slots_meanwhile) >= 2
    # The first is caught up on at the start, which may be just before the second: then that one is rightly skipped.
    first_ns = min(event.nominal_ns for event in streamed.runs() if event.scenario == "single")
    skipped = {event.nominal_ns for event in streamed.events if isinstance(event, SlotSkipped)}
    assert skipped <= {first_ns + STREAMS.slot_s * 1_000_000_000}


def test_memory_stays_below_its_bound(streamed: Streamed) -> None:
    """The daemon's process never holds 400 MB, and its measuring process does not either."""
    assert streamed.peaks.daemon_bytes < MOST_BYTES
    assert streamed.peaks.measuring_bytes is not None
    assert streamed.peaks.measuring_bytes < MOST_BYTES
