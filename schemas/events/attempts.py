"""Events of one request on the wire: sent, first token, completed.

They hold what was seen. Which of it counts as TTFT or as a failure rate is a projection's business.
All ``*_us`` fields of one attempt are microseconds since the first byte of its request was handed to the
socket, unless they are durations of a connection phase, which lie before that moment.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.base import Event
from schemas.events.runs import AccountRole, Scenario
from schemas.timeline import Timeline

AttemptStatus = Literal["response", "error", "cancelled", "not-completed"]

FailureClass = Literal[
    "dns",
    "connect",
    "tls",
    "connection-lost",
    "timeout-connect",
    "timeout-first-byte",
    "timeout-total",
    "stalled",
    "rate-limited",
    "overloaded",
    "authentication",
    "credit",
    "not-found",
    "invalid-request",
    "moderation",
    "server-error",
    "http-status",
    "stream-error",
    "truncated",
    "protocol",
    "over-limit",
    "refused-locally",
    "stopping",
    "crash",
]
"""What went wrong, as seen from here. ``refused-locally``: never sent, the reason is in the message."""

ClockKind = Literal["user-space", "kernel", "simulated"]


class ConnectionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """How the request reached the server. Durations are None for phases that did not take place.

    local_address: of this machine, without the port. via_proxy: ``peer`` is the account's proxy. Both are None in
        events from before they were told.
    """

    reused: bool | None = None
    peer: str | None = None
    http_version: str | None = None
    tls_version: str | None = None
    dns_us: int | None = None
    connect_us: int | None = None
    tls_us: int | None = None
    local_address: str | None = None
    via_proxy: bool | None = None


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """The timing block, the same in every case; None for what did not happen.

    request_written_us: the last byte of the request was handed to the socket.
    first_byte_us: the first byte of the response, headers included, arrived.
    headers_us: status and headers were complete.
    complete_us: the read that carried the protocol's end of answer.
    end_us: the attempt was over, however it ended.
    """

    clock: ClockKind
    sent_wall_ns: int | None = None
    sent_mono_ns: int | None = None
    request_written_us: int | None = None
    first_byte_us: int | None = None
    headers_us: int | None = None
    complete_us: int | None = None
    end_us: int | None = None


class StrainFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What held up the event loop that measured, from the request to the end of the exchange; None is unknown.

    With a measuring process it is that one's loop. Times from the kernel do not suffer until tokens arrive
    faster than the loop comes back; times from user space do at once.
    loop_lag_max_us: the longest that a sleeper woke too late.
    gc_pauses, gc_longest_us: collections of garbage and the longest of them, which is None of none.
    user_space_reads: reads that the kernel gave no usable time; None where no times come from the kernel.
    """

    loop_lag_max_us: int | None = None
    gc_pauses: int | None = None
    gc_longest_us: int | None = None
    user_space_reads: int | None = None


class UsageReported(msgspec.Struct, frozen=True, kw_only=True):
    """Token counts as the provider reports them, under one set of names; absent is None, zero is 0.

    input_tokens is everything sent, cached or not. output_tokens is everything generated and billed,
    reasoning included. ``raw`` is the provider's own object as JSON text, so that another reading of it
    stays possible.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    raw: str | None = None


class ReceivedText(msgspec.Struct, frozen=True, kw_only=True):
    """Text of one channel. ``text`` is None when it lies in the blob store or may only appear as a hash."""

    sha256: str
    characters: int
    tokens: int
    chunks: int
    text: str | None = None
    blob: str | None = None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why an attempt has no complete answer. ``message`` is bounded and free of secrets."""

    kind: FailureClass
    message: str
    code: str | None = None
    body: str | None = None
    retry_after_s: float | None = None


class RequestSent(Event, frozen=True, kw_only=True):
    """The bytes of a request were handed to the socket.

    clock: the kind of times that its transport takes of what comes back.
    """

    TYPE: ClassVar[str] = "request-sent"

    attempt: UUID
    run: UUID
    request: UUID
    endpoint: str
    account: str
    sequence: int
    retry_of: UUID | None
    payload_sha256: str
    payload_bytes: int
    parameters: dict[str, Any]
    intended_wall_ns: int
    sent_wall_ns: int
    sent_mono_ns: int
    connection: ConnectionFacts
    clock: ClockKind | None = None


class FirstToken(Event, frozen=True, kw_only=True):
    """The first reasoning or answer token arrived: evidence while in flight, not the source of TTFT."""

    TYPE: ClassVar[str] = "first-token"

    attempt: UUID
    channel: Literal["reasoning", "answer", "tool", "refusal"]
    elapsed_us: int


class AttemptCompleted(Event, frozen=True, kw_only=True):
    """An attempt is over. Exactly one for every planned attempt and every retry.

    ``ordinal`` numbers attempts to the same endpoint within a run (``parallel-10`` has ten).
    ``flags`` are observations that do not decide the status, for example ``no-done-marker``.
    ``role`` tells whose figures are shown: those of measuring accounts, while others check them.
    """

    TYPE: ClassVar[str] = "attempt-completed"

    attempt: UUID
    run: UUID
    request: UUID
    endpoint: str
    account: str
    suite: str
    workload: str
    scenario: Scenario
    slot: str | None
    ordinal: int
    sequence: int
    retry_of: UUID | None
    status: AttemptStatus
    failure: Failure | None
    http_status: int | None
    headers: tuple[tuple[str, str], ...]
    connection: ConnectionFacts
    timing: Timing
    timeline: Timeline
    usage: UsageReported | None
    cost_reported_usd: Decimal | None
    returned_model: str | None
    returned_provider: str | None
    fingerprint: str | None
    response_id: str | None
    finish_reason: str | None
    answer: ReceivedText | None
    reasoning: ReceivedText | None
    tokenizer: str
    prompt_sha256: str | None
    prompt_tokens: int | None
    min_output_tokens: int | None
    prompt_task: str | None = None
    reasoning_announced: bool = False
    flags: tuple[str, ...] = ()
    strain: StrainFacts = StrainFacts()
    role: AccountRole = "measuring"
