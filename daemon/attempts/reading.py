"""From a transport's signals to what the log keeps of one attempt. Pure: no clock, no socket, no storage.

Signals go in one at a time; notes of first tokens come out at once, and when the attempt is over, one result
holds everything that the wire said. Who the attempt belongs to is :mod:`daemon.attempts.identity`; what its
figures are is computed from the log, much later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from daemon.attempts.headers import kept_headers
from daemon.attempts.moments import Moments
from daemon.attempts.received import Counted, Received
from daemon.attempts.reported import Reported
from daemon.attempts.result import AttemptResult, without_secrets
from daemon.tokens import TOKENIZER
from daemon.transport.contract import (
    Connected,
    EndCause,
    Ended,
    HeldUp,
    Read,
    Responded,
    Sent,
    Signal,
    Written,
)
from daemon.wire.contract import Chunk, Dialect, EndSeen, ErrorSeen, FlagSeen, Observation, StreamParser
from daemon.wire.redaction import MASK
from schemas.events.attempts import (
    AttemptStatus,
    ClockKind,
    ConnectionFacts,
    Failure,
    FailureClass,
    StrainFacts,
)
from schemas.timeline import Channel

AbandonKind = Literal["stalled", "timeout-total", "cancelled", "stopping", "crash"]
TokenChannel = Literal["reasoning", "answer", "tool", "refusal"]

_CHANNEL_NAMES: dict[Channel, TokenChannel] = {
    Channel.REASONING: "reasoning",
    Channel.ANSWER: "answer",
    Channel.TOOL: "tool",
    Channel.REFUSAL: "refusal",
}
_BODY_BYTES = 64 * 1024
_NS_PER_S = 1_000_000_000


class FirstTokenNote(msgspec.Struct, frozen=True):
    """The first token of a channel arrived; once for each channel."""

    channel: TokenChannel
    elapsed_us: int


class AttemptReading:
    """Reads the signals of one exchange.

    ``secrets`` are the credentials of the request: wherever a server quotes them, they are masked.
    """

    def __init__(self, dialect: Dialect, *, clock: ClockKind, secrets: Sequence[str] = ()) -> None:
        self._dialect = dialect
        self.clock: ClockKind = clock
        self._secrets = tuple(secrets)
        self._connection = ConnectionFacts()
        self._moments = Moments()
        self._parser: StreamParser | None = None
        self._error_body = bytearray()
        self._received = Received()
        self._heard_ns = 0
        self._held_up: HeldUp | None = None
        self._user_space_reads = 0
        self._reported = Reported()
        self._status: AttemptStatus = "response"
        self._failure: Failure | None = None
        self._result: AttemptResult | None = None

    @property
    def finished(self) -> bool:
        """Whether the attempt is over: close the exchange now, even when the server keeps it open."""
        return self._moments.end_ns is not None

    def stalled_at_mono_ns(self, silence_s: float) -> int | None:
        """When the attempt counts as stalled if nothing that means anything arrives before.

        Comments, pings and empty chunks mean nothing. None while no response has begun, because until then
        the transport's own limit holds, and when the attempt is over.
        """
        if self._moments.responded is None or self.finished:
            return None
        return self._heard_ns + round(silence_s * _NS_PER_S)

    def take(self, signal: Signal) -> Sequence[FirstTokenNote]:
        """Take the next signal. Whatever comes after the attempt is over is passed over."""
        if self.finished:
            return ()
        match signal:
            case Read():
                return self._read(signal)
            case Connected():
                self._connection = signal.connection
            case Sent():
                self._moments.sent = signal
            case Written():
                self._moments.written_ns = signal.mono_ns
            case Responded():
                self._begin_response(signal)
            case HeldUp():
                self._held_up = signal
            case Ended():
                return self._exchange_ended(signal.cause, signal.message, signal.mono_ns)
        return ()

    def abandon(self, kind: AbandonKind, message: str, mono_ns: int) -> None:
        """End the attempt from this side. An answer that was already complete stays one.

        ``crash``: reading itself failed, so the parser is not asked for what it still holds.
        """
        if kind == "crash" and not self.finished:
            self._fail(Failure(kind="crash", message=message), mono_ns)
            self._status = "not-completed"
        elif not self.finished:
            self._break_off("stopping" if kind == "cancelled" else kind, message, mono_ns)
            if self._failure is not None and self._failure.kind == "stopping":
                self._status = "cancelled"

    def result(self, *, wall_ns: int | None = None, mono_ns: int | None = None) -> AttemptResult:
        """Everything, counted. Always the same one; slow for long answers, so a worker thread may call it.

        ``wall_ns`` and ``mono_ns`` are both clocks read together after the end; with them a wall clock that
        was stepped since the request was sent is flagged. An attempt left before its end is ``cancelled``.
        """
        if self._result is None:
            if not self.finished:
                self.abandon(
                    "cancelled", "the exchange was left before it ended", mono_ns or self._moments.latest_ns()
                )
            if wall_ns is not None and mono_ns is not None and self._moments.wall_clock_stepped(wall_ns, mono_ns):
                self._reported.flag("wall-clock-stepped")
            self._result = without_secrets(self._assemble(self._received.count()), self._secrets)
        return self._result

    def _begin_response(self, signal: Responded) -> None:
        self._moments.responded = signal
        self._note_user_space(signal, apart=True)
        self._moments.last_read_ns = self._heard_ns = signal.mono_ns
        if 200 <= signal.status < 300:
            media_type = next((value for name, value in signal.headers if name.lower() == "content-type"), "")
            self._parser = self._dialect.parser(media_type)

    def _read(self, signal: Read) -> Sequence[FirstTokenNote]:
        # The head's last read often brings the body's first bytes, too: one read, told of twice.
        self._note_user_space(signal, apart=signal.mono_ns != self._moments.last_read_ns)
        self._moments.last_read_ns = signal.mono_ns
        self._received.begin_read(self._moments.us(signal.mono_ns) or 0, len(signal.data))
        notes: Sequence[FirstTokenNote] = ()
        if self._parser is not None:
            notes = self._observe(self._parser.feed(signal.data), signal.mono_ns)
        else:
            self._heard_ns = signal.mono_ns
            self._error_body += signal.data[: _BODY_BYTES - len(self._error_body)]
            if len(self._error_body) >= _BODY_BYTES:
                self._refused(signal.mono_ns)
        self._received.end_read()
        return notes

    def _note_user_space(self, signal: Responded | Read, *, apart: bool) -> None:
        if signal.user_space:
            self._reported.flag("user-space-read")
            self._user_space_reads += apart

    def _observe(self, observations: Sequence[Observation], mono_ns: int) -> Sequence[FirstTokenNote]:
        if not observations:
            return ()
        notes: list[FirstTokenNote] = []
        for seen in observations:
            match seen:
                case Chunk():
                    if not self._received.has(seen.channel):
                        notes.append(FirstTokenNote(_CHANNEL_NAMES[seen.channel], self._moments.us(mono_ns) or 0))
                    self._received.chunk(seen.channel, seen.text)
                case ErrorSeen():
                    self._fail(seen.failure, mono_ns)
                    break
                case EndSeen():
                    self._complete(mono_ns, marked=True)
                    break
                case _:
                    self._reported.take(seen, mono_ns)
            if not isinstance(seen, FlagSeen):
                self._heard_ns = mono_ns
        if self._received.over_limit and not self.finished:
            self._fail(Failure(kind="over-limit", message="the answer is longer than any that is kept"), mono_ns)
        return notes

    def _exchange_ended(self, cause: EndCause, message: str, mono_ns: int) -> Sequence[FirstTokenNote]:
        if cause != "complete":
            notes = self._break_off(cause, message, mono_ns)
            if self._failure is not None and self._failure.kind == "crash":
                self._status = "not-completed"  # the instrument's failure is none of the service
            return notes
        if self._moments.responded is None:
            self._fail(Failure(kind="protocol", message="the exchange ended without a response"), mono_ns)
            return ()
        if self._parser is None:
            self._refused(mono_ns)
            return ()
        notes = self._drain(self._parser.close())
        if self._reported.finish_reason is not None and not self.finished:
            self._complete(mono_ns, marked=False)
        elif not self.finished:
            what = "the stream ended with neither a finish reason nor an end marker"
            self._fail(Failure(kind="truncated", message=what), mono_ns)
        self._moments.end_ns = mono_ns
        return notes

    def _break_off(self, cause: FailureClass, message: str, mono_ns: int) -> Sequence[FirstTokenNote]:
        """End early: a refusal stays a refusal, and what was complete already stays complete."""
        if self._moments.responded is not None and self._parser is None:
            self._refused(mono_ns)
            return ()
        notes: Sequence[FirstTokenNote] = ()
        mark_due = True
        if self._parser is not None:
            held = self._parser.close()
            mark_due = not any(isinstance(seen, EndSeen) and seen.implied for seen in held)
            notes = self._drain([seen for seen in held if not _cut_short(seen)])
        if self._reported.finish_reason is not None and not self.finished:
            self._reported.flag("cut-after-finish")
            self._complete(mono_ns, marked=False, mark_due=mark_due)
        elif not self.finished:
            self._fail(Failure(kind=cause, message=message or cause), mono_ns)
        self._moments.end_ns = mono_ns
        return notes

    def _drain(self, observations: Sequence[Observation]) -> Sequence[FirstTokenNote]:
        """Observe what the parser still held: its bytes came with the last read, so it happened then."""
        self._received.begin_read(self._moments.us(self._moments.last_read_ns) or 0, 0)
        notes = self._observe(observations, self._moments.last_read_ns)
        self._received.drop_empty_read()
        return notes

    def _complete(self, mono_ns: int, *, marked: bool, mark_due: bool = True) -> None:
        self._moments.complete_ns = mono_ns if marked else self._reported.finish_mono_ns
        self._moments.end_ns = mono_ns
        if not marked:
            if mark_due:
                self._reported.flag("no-done-marker")
        elif self._reported.finish_reason is None:
            self._reported.flag("no-finish-reason")

    def _refused(self, mono_ns: int) -> None:
        """End with the failure that a status other than success, and its body, tell of."""
        responded = self._moments.responded
        if responded is None:
            raise RuntimeError("a refusal without a response: the transport broke its contract")
        wall_ns = self._moments.wall_ns_at(responded.mono_ns)
        body = bytes(self._error_body)
        for secret in self._secrets:
            body = body.replace(secret.encode(), MASK.encode())
        self._fail(self._dialect.failure(responded.status, responded.headers, body, wall_ns), mono_ns)

    def _fail(self, failure: Failure, mono_ns: int) -> None:
        self._status, self._failure, self._moments.end_ns = "error", failure, mono_ns

    def _assemble(self, counted: Counted) -> AttemptResult:
        answer = counted.text(Channel.ANSWER)
        if answer is None and (answer := counted.text(Channel.REFUSAL)) is not None:
            self._reported.flag("refusal")
        if self._received.has(Channel.TOOL):
            self._reported.flag("tool-call")
        responded = self._moments.responded
        return AttemptResult(
            status=self._status,
            failure=self._failure,
            http_status=responded.status if responded else None,
            headers=kept_headers(responded.headers) if responded else (),
            connection=self._connection,
            timing=self._moments.timing(self.clock),
            timeline=counted.timeline,
            usage=self._reported.usage,
            cost_reported_usd=self._reported.cost_usd,
            returned_model=self._reported.identity.model,
            returned_provider=self._reported.identity.provider,
            fingerprint=self._reported.identity.fingerprint,
            response_id=self._reported.identity.response_id,
            finish_reason=self._reported.finish_reason,
            answer=answer,
            reasoning=counted.text(Channel.REASONING),
            tokenizer=TOKENIZER,
            reasoning_announced=self._reported.reasoning_announced,
            flags=self._reported.flags,
            strain=self._strain(),
        )

    def _strain(self) -> StrainFacts:
        held_up = self._held_up
        user_space_reads = self._user_space_reads if self.clock == "kernel" else None
        if held_up is None:
            return StrainFacts(user_space_reads=user_space_reads)
        return StrainFacts(
            loop_lag_max_us=held_up.lag_max_us,
            gc_pauses=held_up.gc_pauses,
            gc_longest_us=held_up.gc_longest_us,
            user_space_reads=user_space_reads,
        )


def _cut_short(seen: Observation) -> bool:
    """Tell whether a parser makes something of an end that the transport has already explained."""
    if isinstance(seen, EndSeen):
        return seen.implied
    return isinstance(seen, ErrorSeen) and seen.failure.kind == "protocol"
