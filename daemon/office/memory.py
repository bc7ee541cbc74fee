"""What the log remembers: replies that were paid for by the key of their ask, and judgments and totals in force.

Only reading, and only forward: each look takes up where the last one ended. Errors, refusals, rate limits and answers
by another provider than the pinned one are no replies, so they are asked for anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final
from uuid import UUID

import msgspec

from daemon.attempts.keeping import kept_text
from daemon.attempts.pinning import OTHER_PROVIDER
from daemon.history import LogHistory
from daemon.log.blobs import BlobStore
from daemon.office.private_store import PrivateStore
from schemas.events import (
    AttemptCompleted,
    DocumentAsked,
    JudgmentRecorded,
    PrivateTotalsRecorded,
    ReceivedText,
    decode_event,
)
from schemas.log import StoredEvent

SUITE: Final = "office"
_BATCH: Final = 1_000
_NO_REPLY: Final = frozenset({"refusal", OTHER_PROVIDER})
_REFUSING: Final = frozenset({"content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"})
_OFFICE_BYTES: Final = msgspec.msgpack.encode(SUITE)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply in the log. ``received`` is None where the answer was empty."""

    attempt: UUID
    asked: DocumentAsked
    received: ReceivedText | None


TotalsKey = tuple[str, str, str]
"""Endpoint, task and language."""


class Memory:
    """Everything of the office tasks that the log holds. ``attempts``: of replies that count, by their keys."""

    def __init__(self, history: LogHistory, blobs: BlobStore, private: PrivateStore) -> None:
        self._history = history
        self._blobs = blobs
        self._private = private
        self._asked: dict[UUID, DocumentAsked] = {}
        self._after: dict[str, int] = {}
        self.replies: dict[str, Reply] = {}
        self.answers: dict[UUID, Reply] = {}
        self.judgments: list[JudgmentRecorded] = []
        self.totals: dict[TotalsKey, PrivateTotalsRecorded] = {}

    async def refresh(self) -> None:
        """Read what is new, a batch at a time, so that what runs beside it is not held up for long."""
        # Completions last: what they answer was told before them, so that no ask can be missing.
        for kind in (DocumentAsked.TYPE, JudgmentRecorded.TYPE, PrivateTotalsRecorded.TYPE, AttemptCompleted.TYPE):
            for batch in self._batches(kind):
                for stored in batch:
                    self._take(stored)
                await asyncio.sleep(0)

    def remember(self, asked: DocumentAsked, completed: AttemptCompleted) -> None:
        """Take note of an attempt that ended just now, as :meth:`refresh` would."""
        self._asked[asked.attempt] = asked
        self._completed(completed)

    def text(self, reply: Reply) -> str | None:
        """Return a reply's text; None where it is kept no longer."""
        received = reply.received
        if received is not None and reply.asked.document.split == "private":
            return self._private.get(received.sha256)
        return kept_text(received, self._blobs)

    def _batches(self, kind: str) -> Iterator[list[StoredEvent]]:
        while batch := list(self._history.of_type(kind, after=self._after.get(kind, 0), limit=_BATCH)):
            self._after[kind] = batch[-1].envelope.seq
            yield batch

    def _take(self, stored: StoredEvent) -> None:
        if stored.envelope.type == AttemptCompleted.TYPE and _OFFICE_BYTES not in bytes(stored.envelope.data):
            return  # most attempts are other suites', and decoding their timelines would take minutes
        match decode_event(stored.envelope):
            case DocumentAsked() as asked:
                self._asked[asked.attempt] = asked
            case AttemptCompleted() as completed if completed.suite == SUITE:
                self._completed(completed)
            case JudgmentRecorded() as judgment if judgment.suite == SUITE:
                self.judgments.append(judgment)
            case PrivateTotalsRecorded() as totals:
                self.totals[totals.endpoint, totals.task, totals.language] = totals

    def _completed(self, completed: AttemptCompleted) -> None:
        asked = self._asked.get(completed.attempt)
        if asked is None or completed.status != "response" or OTHER_PROVIDER in completed.flags:
            return
        reply = Reply(attempt=completed.attempt, asked=asked, received=completed.answer)
        self.answers[completed.attempt] = reply
        if not _refused(completed) and (asked.document.work != "language-tax" or _counted(completed)):
            self.replies[asked.key] = reply


def _refused(completed: AttemptCompleted) -> bool:
    return not _NO_REPLY.isdisjoint(completed.flags) or completed.finish_reason in _REFUSING


def _counted(completed: AttemptCompleted) -> bool:
    return completed.usage is not None and completed.usage.input_tokens is not None
