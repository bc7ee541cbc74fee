"""Reads records of text reviews from a log."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from daemon.history import LogHistory, stored_of_type
from daemon.review.judgments import SUITE
from daemon.review.records import READ, ReviewRecord, fold_records
from schemas.events import AttemptCompleted, Event, JudgmentRecorded, ReviewFileRecorded, decode_event
from schemas.log import StoredEvent

_SHARED: Final = frozenset({AttemptCompleted.TYPE, JudgmentRecorded.TYPE})
_REVIEW_BYTES: Final = msgspec.msgpack.encode(SUITE)


def read_records(log: LogHistory) -> Mapping[str, ReviewRecord]:
    """Read every record of a log, by name. Nothing of it lies before its first ``review-file-recorded``."""
    first = log.of_type(ReviewFileRecorded.TYPE, limit=1)
    return fold_records(_events(log, first[0].envelope.seq - 1)) if first else {}


def _events(log: LogHistory, after: int) -> Iterator[Event]:
    streams = [stored_of_type(log, kind.TYPE, after=after) for kind in READ]
    for stored in heapq.merge(*streams, key=lambda each: each.envelope.seq):
        event = decode_event(stored.envelope) if _may_be_ours(stored) else None
        if event is not None:
            yield event


def _may_be_ours(stored: StoredEvent) -> bool:
    """Tell, without decoding it, whether an event can be of reviews: most attempts are other suites'."""
    envelope = stored.envelope
    return envelope.type not in _SHARED or _REVIEW_BYTES in bytes(envelope.data)
