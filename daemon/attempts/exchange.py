"""One exchange under way: signals into the reading, early events into the log beside it, stalls noticed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.reading import AttemptReading
from daemon.transport.contract import Connected, PreparedRequest, Sent, Signal, Transport
from daemon.wire.contract import WireRequest
from schemas.clocks import Clock
from schemas.events import ConnectionFacts, FirstToken, RequestSent
from schemas.log import LogWriter

_NS_PER_S: Final = 1_000_000_000


class Exchange:
    """Carries one attempt's exchange to its end. ``reading`` holds the outcome afterwards, whatever it was."""

    def __init__(
        self,
        identity: AttemptIdentity,
        wire: WireRequest,
        reading: AttemptReading,
        *,
        intended_wall_ns: int,
        log: LogWriter,
        clock: Clock,
    ) -> None:
        self.identity = identity
        self.reading = reading
        self._wire = wire
        self._intended_wall_ns = intended_wall_ns
        self._log = log
        self._clock = clock
        self._connection = ConnectionFacts()
        self._appending: list[asyncio.Task[object]] = []

    async def run(self, transport: Transport, request: PreparedRequest) -> None:
        """Return at the protocol's end, at the transport's, or when nothing meaningful came for too long.

        When cancelled, the reading is told first.
        """
        silence_s = request.limits.silence_s
        async with aclosing(transport.exchange(request)) as signals:
            while not self.reading.finished:
                try:
                    signal = await self._next(signals, silence_s)
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    self.reading.abandon("stalled", f"no token for {silence_s:g} s", self._clock.mono_ns())
                    break
                except asyncio.CancelledError:
                    self.reading.abandon("stopping", "the daemon stopped", self._clock.mono_ns())
                    raise
                self._take(signal)

    async def appended(self) -> None:
        """Wait until the early events are durable, so that the completion comes after them."""
        for task in self._appending:
            await task

    async def _next(self, signals: AsyncGenerator[Signal, None], silence_s: float) -> Signal:
        deadline_ns = self.reading.stalled_at_mono_ns(silence_s)
        if deadline_ns is None:
            return await anext(signals)
        ahead_s = (deadline_ns - self._clock.mono_ns()) / _NS_PER_S
        async with asyncio.timeout(max(0.0, ahead_s)):
            return await anext(signals)

    def _take(self, signal: Signal) -> None:
        if isinstance(signal, Connected):
            self._connection = signal.connection
        elif isinstance(signal, Sent):
            self._append(self._request_sent(signal))
        for note in self.reading.take(signal):
            self._append(FirstToken(attempt=self.identity.attempt, channel=note.channel, elapsed_us=note.elapsed_us))

    def _append(self, event: RequestSent | FirstToken) -> None:
        # Beside the reading, never in its way: the next bytes may already be here.
        task = asyncio.get_running_loop().create_task(self._log.append(event))
        self._appending.append(task)

    def _request_sent(self, signal: Sent) -> RequestSent:
        identity = self.identity
        return RequestSent(
            attempt=identity.attempt,
            run=identity.run.run,
            request=identity.request,
            endpoint=identity.endpoint,
            account=identity.account,
            sequence=identity.sequence,
            retry_of=identity.retry_of,
            payload_sha256=hashlib.sha256(self._wire.body).hexdigest(),
            payload_bytes=len(self._wire.body),
            parameters=dict(self._wire.parameters),
            intended_wall_ns=self._intended_wall_ns,
            sent_wall_ns=signal.wall_ns,
            sent_mono_ns=signal.mono_ns,
            connection=self._connection,
        )
