"""What the log remembers of rubric tasks: what was asked, answered and judged, and which requests have their reply.

A request is known by the hash of its bytes: only the same words to the same model, with the same parameters, are the
same. Errors and answers by another provider than the pinned one are no replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from uuid import UUID

import msgspec

from daemon.attempts.keeping import kept_text
from daemon.attempts.pinning import OTHER_PROVIDER
from daemon.history import LogHistory, stored_of_type
from daemon.judging.rubric.gathering import SUITE, Group, Timed, gathered
from daemon.log.blobs import BlobStore
from daemon.rubric.contract import JUDGING
from schemas.events import AttemptCompleted, Event, JudgmentRecorded, RequestSent, decode_event
from schemas.events.rubric import RubricAsked

_SUITE_BYTES: Final = msgspec.msgpack.encode(SUITE)


class AskKey(msgspec.Struct, frozen=True):
    """What makes two asks of a task the same; ``payload_sha256`` is of the request's bytes."""

    endpoint: str
    catalogue: str
    task: str
    language: str
    task_sha256: str
    repetition: int
    payload_sha256: str

    @property
    def group(self) -> GroupKey:
        """What it is reported on with."""
        return GroupKey(self.endpoint, self.catalogue, self.language, self.repetition)


class GroupKey(msgspec.Struct, frozen=True):
    """What is reported on together, within one run."""

    endpoint: str
    catalogue: str
    language: str
    repetition: int


class ReplyKey(msgspec.Struct, frozen=True):
    """What makes two judging requests the same. about: the prompt's task, which names answer and criterion."""

    endpoint: str
    about: str
    payload_sha256: str


class RubricMemory:
    """Everything of rubric tasks that the log held when :meth:`read` was called.

    replies: of judging models.
    """

    def __init__(self, history: LogHistory, blobs: BlobStore) -> None:
        self._history = history
        self._blobs = blobs
        self._timed: list[Timed] = []
        self._answered: set[tuple[AskKey, UUID]] = set()
        self._last: dict[AskKey, tuple[int, UUID]] = {}
        self._fruitless: dict[GroupKey, UUID] = {}
        self.replies: dict[ReplyKey, AttemptCompleted] = {}

    def read(self) -> None:
        """Read the log, from the first rubric task that was ever asked."""
        first = self._history.of_type(RubricAsked.TYPE, limit=1)
        if not first:
            return
        after = first[0].envelope.seq - 1
        asked: dict[UUID, RubricAsked] = {}
        for event in self._of(RubricAsked.TYPE, after):
            if isinstance(event, RubricAsked):
                asked[event.attempt] = event
        for _ in self._of(JudgmentRecorded.TYPE, after):
            pass
        ended = [each for each in self._of(AttemptCompleted.TYPE, after) if isinstance(each, AttemptCompleted)]
        replied = {each.attempt: each for each in ended if _is_reply(each)}
        for place, sent in enumerate(self._sent(after)):
            completed, about = replied.get(sent.attempt), asked.get(sent.attempt)
            if about is not None:
                key = ask_key(about, sent.payload_sha256)
                self._last[key] = place, about.run
                if completed is not None:
                    self._answered.add((key, about.run))
            elif completed is not None and completed.workload == JUDGING:
                reply = ReplyKey(completed.endpoint, completed.prompt_task or "", sent.payload_sha256)
                self.replies[reply] = completed
        fruitful = {(key.group, run) for key, run in self._answered}
        newest = {group_key(each): each.run for each in asked.values()}
        self._fruitless = {group: run for group, run in newest.items() if (group, run) not in fruitful}

    def begun(self, asks: Iterable[AskKey]) -> dict[GroupKey, UUID]:
        """Return the runs that began what these asks go on with.

        Of each group, the last run that sent one of these very requests; where none did, the last run of all if it
        has no answer.
        """
        last: dict[GroupKey, tuple[int, UUID]] = {}
        for ask in asks:
            if ask in self._last:
                last[ask.group] = max(self._last[ask], last.get(ask.group, self._last[ask]))
        return self._fruitless | {group: run for group, (_, run) in last.items()}

    def is_answered(self, ask: AskKey, run: UUID | None) -> bool:
        """Tell whether an ask has its answer in a run."""
        return run is not None and (ask, run) in self._answered

    def groups(self, catalogue: str) -> tuple[Group, ...]:
        """Return what was asked of a catalogue with its answers and judgments in force."""
        return gathered(self._timed, catalogue)

    def text(self, completed: AttemptCompleted) -> str | None:
        """Return a reply's text; None where it is kept no longer."""
        return kept_text(completed.answer, self._blobs)

    def _of(self, kind: str, after: int) -> Iterator[Event]:
        for stored in stored_of_type(self._history, kind, after=after):
            # Most attempts are other suites', and decoding their timelines would take minutes.
            if kind == RubricAsked.TYPE or _SUITE_BYTES in bytes(stored.envelope.data):
                event = decode_event(stored.envelope)
                if event is not None:
                    self._timed.append((stored.envelope.wall_ns, event))
                    yield event

    def _sent(self, after: int) -> Iterable[RequestSent]:
        for stored in stored_of_type(self._history, RequestSent.TYPE, after=after):
            event = decode_event(stored.envelope)
            if isinstance(event, RequestSent):
                yield event


def ask_key(asked: RubricAsked, payload_sha256: str) -> AskKey:
    """Return the key of an ask that was told."""
    return AskKey(
        asked.endpoint,
        asked.catalogue,
        asked.task,
        asked.language,
        asked.task_sha256,
        asked.repetition,
        payload_sha256,
    )


def group_key(asked: RubricAsked) -> GroupKey:
    """Return the group of an ask that was told."""
    return GroupKey(asked.endpoint, asked.catalogue, asked.language, asked.repetition)


def _is_reply(completed: AttemptCompleted) -> bool:
    return completed.suite == SUITE and completed.status == "response" and OTHER_PROVIDER not in completed.flags
