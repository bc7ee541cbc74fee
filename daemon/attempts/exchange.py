"""One exchange under way: signals into the reading, early events into the log beside it, stalls noticed."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import aclosing
from typing import Final

import structlog

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.reading import AttemptReading
from daemon.transport.contract import Connected, PreparedRequest, Sent, Signal, Transport
from daemon.wire.contract import WireRequest
from schemas.clocks import Clock
from schemas.events import ConnectionFacts, FirstToken, RequestSent
from schemas.log import LogWriter

_NS_PER_S: Final = 1_000_000_000

_log = structlog.get_logger(__name__)


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
        # Now and not when the request has been sent: hashing megabytes would hold up the first bytes' times.
        self._payload_sha256 = hashlib.sha256(wire.body).hexdigest()
        self._intended_wall_ns = intended_wall_ns
        self._log = log
        self._clock = clock
        self._connection = ConnectionFacts()
        self._appending: list[asyncio.Task[object]] = []
        self._watching: asyncio.TimerHandle | None = None

    async def run(self, transport: Transport, request: PreparedRequest) -> None:
        """Return at the protocol's end, at the transport's, or when nothing meaningful came for too long.

        When cancelled, the reading is told first. A failure of ours closes the attempt and is logged.
        """
        silence_s = request.limits.silence_s
        try:
            async with asyncio.timeout(None) as limit, aclosing(transport.exchange(request)) as signals:
                self._watch(limit, silence_s)
                async for signal in signals:
                    self._take(signal)
                    if self.reading.finished:
                        break
        except asyncio.CancelledError:
            self.reading.abandon("stopping", "the daemon stopped", self._clock.mono_ns())
            raise
        except TimeoutError as problem:
            if limit.expired():
                self.reading.abandon("stalled", f"no token for {silence_s:g} s", self._clock.mono_ns())
            else:
                self._break(problem)
        except Exception as problem:  # noqa: BLE001  # a defect met with one answer may not end all measuring
            self._break(problem)
        finally:
            if self._watching is not None:
                self._watching.cancel()

    async def appended(self) -> None:
        """Wait until the early events are durable, so that the completion comes after them."""
        await asyncio.gather(*self._appending)

    def _break(self, problem: Exception) -> None:
        _log.error(
            "an exchange broke; this is a defect of Messwerk",
            endpoint=self.identity.endpoint,
            attempt=str(self.identity.attempt),
            exc_info=problem,
        )
        message = f"Messwerk itself failed while reading: {type(problem).__name__}; its log has the traceback"
        self.reading.abandon("crash", message, self._clock.mono_ns())

    def _watch(self, limit: asyncio.Timeout, silence_s: float) -> None:
        """Look again when the attempt would count as stalled: one timer an exchange, none a token."""
        deadline_ns = self.reading.stalled_at_mono_ns(silence_s)
        now_ns = self._clock.mono_ns()
        loop = asyncio.get_running_loop()
        if deadline_ns is not None and now_ns >= deadline_ns:
            limit.reschedule(loop.time())
            return
        ahead_s = silence_s if deadline_ns is None else (deadline_ns - now_ns) / _NS_PER_S
        # A microsecond more, so that rounding never wakes the watch just before the deadline, again and again.
        self._watching = loop.call_later(ahead_s + 1e-6, self._watch, limit, silence_s)

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
            payload_sha256=self._payload_sha256,
            payload_bytes=len(self._wire.body),
            parameters=dict(self._wire.parameters),
            intended_wall_ns=self._intended_wall_ns,
            sent_wall_ns=signal.wall_ns,
            sent_mono_ns=signal.mono_ns,
            connection=self._connection,
            clock=self.reading.clock,
        )
