"""A log with a writer thread: many tasks append at once and share one transaction and one fsync.

While one commit is under way the next appends gather; they all go into the commit after it. Nothing waits
on purpose, so a lone append costs one fsync and a hundred at once cost two.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from daemon.log.sqlite import CHECKPOINT_EVERY, Draft, LogFile, told_again
from schemas.clocks import Clock
from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import Event
from schemas.log import LogWriter

_Answer = Sequence[Envelope] | LogError


class _Request(msgspec.Struct, frozen=True, eq=False):
    """Drafts to append, or None for a checkpoint, and who waits for them."""

    drafts: Sequence[Draft] | None
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Sequence[Envelope]]


class GroupCommitLog(LogWriter):
    """The daemon's log. One writer thread owns the file; :meth:`append` may be called from any event loop.

    failed: None while it works; afterwards the error that every waiting and later append raises.
    on_failure: called once, **in the writer thread**, when the log becomes unusable; use
        ``loop.call_soon_threadsafe`` in it.
    """

    def __init__(
        self,
        path: Path,
        *,
        source: str,
        clock: Clock,
        checkpoint_every: int = CHECKPOINT_EVERY,
        on_failure: Callable[[LogError], None] | None = None,
    ) -> None:
        self._file = LogFile(path, source=source, clock=clock, checkpoint_every=checkpoint_every)
        self._on_failure = on_failure
        self._queue: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._closing = False
        # Held only to put something into the queue: after the closing mark nothing may follow.
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"log-writer-{source}", daemon=True)
        self._thread.start()

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return self._file.source

    @property
    def failed(self) -> LogError | None:
        """What made this log unusable; None while it works."""
        return self._file.failed

    async def append(self, *events: Event) -> Sequence[Envelope]:
        """See :class:`LogWriter`. A call that is cancelled while it waits is stored all the same."""
        if not events:
            return []
        return await self._submit([self._file.draft(event) for event in events])

    async def checkpoint(self) -> Envelope | None:
        """Append a ``log-checkpointed`` over the log so far; None when nothing came after the last one."""
        envelopes = await self._submit(None)
        return envelopes[0] if envelopes else None

    async def close(self) -> None:
        """See :class:`LogWriter`. Never raises for an earlier failure: whoever appended has heard of it."""
        with self._gate:
            if not self._closing:
                self._closing = True
                self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _submit(self, drafts: Sequence[Draft] | None) -> Sequence[Envelope]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Sequence[Envelope]] = loop.create_future()
        with self._gate:
            if self._closing:
                raise LogError(f"the log {self._file.path} is closed")
            self._file.ensure_usable()
            self._queue.put(_Request(drafts, loop, future))
        return await future

    def _run(self) -> None:
        reported = False
        try:
            more = True
            while more:
                requests, more = self._gather()
                if requests:
                    _tell(requests, self._write(requests))
                if self._file.failed is not None and not reported:
                    reported = True
                    if self._on_failure is not None:
                        self._on_failure(self._file.failed)
        finally:
            self._file.close()
            self._abandon()

    def _abandon(self) -> None:
        """Let nobody in any more, and nobody wait, whatever ended the thread."""
        with self._gate:
            self._closing = True
        requests = []
        while not self._queue.empty():
            request = self._queue.get_nowait()
            if request is not None:
                requests.append(request)
        _tell(requests, [LogError(f"the log {self._file.path} is closed")] * len(requests))

    def _gather(self) -> tuple[list[_Request], bool]:
        """Everything that waits now, and whether anything may follow."""
        requests: list[_Request] = []
        item = self._queue.get()
        while item is not None:
            requests.append(item)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return requests, True
        return requests, False

    def _write(self, requests: Sequence[_Request]) -> Sequence[_Answer]:
        answers: list[_Answer] = []
        try:
            for request in requests:
                if request.drafts is None:
                    envelope = self._file.checkpoint()
                    answers.append([] if envelope is None else [envelope])
                else:
                    answers.append(self._file.stage(request.drafts))
            self._file.commit()
        except LogError as problem:
            failure = problem
        except Exception as problem:  # noqa: BLE001  # a dying thread would leave every waiter waiting for ever
            failure = LogError(f"the writer of {self._file.path} broke: {problem!r}; measuring stops")
            self._file.failed = failure
        else:
            return answers
        return [failure] * len(requests)


def _tell(requests: Sequence[_Request], answers: Sequence[_Answer]) -> None:
    """Answer every waiter, with one wake-up of each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Sequence[Envelope]], _Answer]]] = {}
    for request, answer in zip(requests, answers, strict=True):
        by_loop.setdefault(request.loop, []).append((request.future, answer))
    for loop, pairs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, pairs)
        except RuntimeError:
            # A closed loop has no waiters left to hear the answer; what they appended is stored all the same.
            if not loop.is_closed():
                raise


def _resolve(pairs: Sequence[tuple[asyncio.Future[Sequence[Envelope]], _Answer]]) -> None:
    for future, answer in pairs:
        if future.done():  # its task was cancelled while it waited
            continue
        if isinstance(answer, LogError):
            future.set_exception(told_again(answer))
        else:
            future.set_result(answer)
