"""Telemetry that goes somewhere: OpenTelemetry metrics, and spans made from finished attempts.

A span is made after the fact from the event, so nothing of this runs between a request and its answer. A
run's trace id is the run's UUID, and a span's id is the end of its run's or attempt's UUID: whoever reads a
trace finds the events, and the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from daemon.telemetry import names
from daemon.telemetry.contract import LagStage, LoopName, SlotOutcome, Telemetry
from schemas.catalogue import EndpointFacts
from schemas.events import AttemptCompleted
from schemas.events.runs import Scenario
from schemas.timeline import Channel, unpack_timeline

_SCOPE: Final = "messwerk"
_LOW_64_BITS: Final = (1 << 64) - 1
_MICROSECONDS_PER_S: Final = 1_000_000

Attributes = dict[str, str | int | float | Sequence[str]]


class ExportingTelemetry(Telemetry):
    """Records through readers and processors that are given, so that a test can hold them in memory."""

    def __init__(
        self,
        *,
        metric_readers: Sequence[MetricReader],
        span_processors: Sequence[SpanProcessor],
        resource: Resource,
    ) -> None:
        self._ids = _IdsOfEvents()
        self._metrics = MeterProvider(metric_readers, resource=resource, shutdown_on_exit=False)
        self._traces = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        for processor in span_processors:
            self._traces.add_span_processor(processor)
        self._tracer = self._traces.get_tracer(_SCOPE)
        self._lags: dict[LagStage, int] = {}
        meter = self._metrics.get_meter(_SCOPE)
        self._duration = meter.create_histogram(
            names.OPERATION_DURATION,
            unit="s",
            description="From the first byte sent to the end of the attempt.",
            explicit_bucket_boundaries_advisory=names.DURATION_BOUNDS_S,
        )
        self._first_chunk = meter.create_histogram(
            names.TIME_TO_FIRST_CHUNK,
            unit="s",
            description="From the first byte sent to the first chunk that carried a token.",
            explicit_bucket_boundaries_advisory=names.FIRST_CHUNK_BOUNDS_S,
        )
        self._tokens = meter.create_histogram(
            names.TOKEN_USAGE,
            unit="{token}",
            description="Tokens as the provider reported them.",
            explicit_bucket_boundaries_advisory=names.TOKEN_BOUNDS,
        )
        self._attempts = meter.create_counter(names.ATTEMPTS, unit="{attempt}", description="Attempts that ended.")
        self._in_flight = meter.create_up_down_counter(
            names.ATTEMPTS_IN_FLIGHT, unit="{attempt}", description="Attempts under way."
        )
        self._slots = meter.create_counter(names.SLOTS, unit="{slot}", description="Slots by what became of them.")
        self._delay = meter.create_histogram(
            names.SLOT_DELAY,
            unit="s",
            description="From a slot's nominal time to its start.",
            explicit_bucket_boundaries_advisory=names.DELAY_BOUNDS_S,
        )
        self._events = meter.create_counter(names.LOG_EVENTS, unit="{event}", description="Events made durable.")
        self._append = meter.create_histogram(
            names.LOG_APPEND_DURATION,
            unit="s",
            description="From handing events over to their being durable.",
            explicit_bucket_boundaries_advisory=names.APPEND_BOUNDS_S,
        )
        self._loop_lag = meter.create_histogram(
            names.LOOP_LAG,
            unit="s",
            description="By how much an event loop was late.",
            explicit_bucket_boundaries_advisory=names.APPEND_BOUNDS_S,
        )
        self._garbage_pause = meter.create_histogram(
            names.GARBAGE_PAUSE,
            unit="s",
            description="The longest collection of garbage in a second of measuring.",
            explicit_bucket_boundaries_advisory=names.APPEND_BOUNDS_S,
        )
        self._backlog_bytes = meter.create_gauge(
            names.BACKLOG_BYTES, unit="By", description="Bytes in the log that are not forwarded yet."
        )
        self._backlog_age = meter.create_gauge(
            names.BACKLOG_AGE, unit="s", description="How long the oldest event has waited to be forwarded."
        )
        meter.create_observable_gauge(
            names.LAG_EVENTS, [self._observe_lags], unit="{event}", description="Events not yet taken from the log."
        )

    def attempt_started(self, endpoint: EndpointFacts) -> None:
        """See :class:`Telemetry`."""
        self._in_flight.add(1, _of_endpoint(endpoint))

    def attempt_completed(self, completed: AttemptCompleted, endpoint: EndpointFacts) -> None:
        """See :class:`Telemetry`."""
        where = _of_endpoint(endpoint)
        self._in_flight.add(-1, where)
        attributes: Attributes = {
            **where,
            names.WORKLOAD: completed.workload,
            names.SCENARIO: completed.scenario,
            names.ACCOUNT: completed.account,
            names.STATUS: completed.status,
        }
        if completed.returned_model is not None:
            attributes[names.RESPONSE_MODEL] = completed.returned_model
        if completed.failure is not None:
            attributes[names.ERROR_TYPE] = completed.failure.kind
        self._attempts.add(1, attributes)
        if completed.timing.sent_wall_ns is None:
            return
        first_chunk_s = _first_token_s(completed)
        if completed.timing.end_us is not None:
            self._duration.record(completed.timing.end_us / _MICROSECONDS_PER_S, attributes)
        if first_chunk_s is not None and completed.status == "response":
            self._first_chunk.record(first_chunk_s, attributes)
        if completed.usage is not None:
            for kind, tokens in (("input", completed.usage.input_tokens), ("output", completed.usage.output_tokens)):
                if tokens is not None:
                    self._tokens.record(tokens, {**attributes, names.TOKEN_TYPE: kind})
        self._span_of(completed, endpoint, attributes, first_chunk_s)

    def slot(self, outcome: SlotOutcome, workload: str, scenario: Scenario, *, delay_s: float | None = None) -> None:
        """See :class:`Telemetry`."""
        attributes: Attributes = {names.WORKLOAD: workload, names.SCENARIO: scenario, names.OUTCOME: outcome}
        self._slots.add(1, attributes)
        if delay_s is not None:
            self._delay.record(delay_s, attributes)

    def run_completed(self, run: UUID, *, workload: str, slot: str | None, begin_ns: int, end_ns: int) -> None:
        """See :class:`Telemetry`."""
        attributes: Attributes = {names.RUN: str(run), names.WORKLOAD: workload}
        if slot is not None:
            attributes[names.SLOT] = slot
        self._ids.announce(run, run)
        span = self._tracer.start_span(
            f"run {workload}", context=Context(), attributes=attributes, start_time=begin_ns
        )
        span.end(end_ns)

    def log_appended(self, duration_s: float, events: int) -> None:
        """See :class:`Telemetry`."""
        self._append.record(duration_s)
        self._events.add(events)

    def lag(self, stage: LagStage, events: int) -> None:
        """See :class:`Telemetry`."""
        self._lags[stage] = events

    def backlog(self, size_bytes: int, age_s: float) -> None:
        """See :class:`Telemetry`."""
        self._backlog_bytes.set(size_bytes)
        self._backlog_age.set(age_s)

    def loop_lag(self, duration_s: float, loop: LoopName = "daemon") -> None:
        """See :class:`Telemetry`."""
        self._loop_lag.record(duration_s, {names.LOOP: loop})

    def garbage_pause(self, duration_s: float) -> None:
        """See :class:`Telemetry`."""
        self._garbage_pause.record(duration_s)

    def close(self) -> None:
        """See :class:`Telemetry`."""
        self._traces.shutdown()
        self._metrics.shutdown()

    def _observe_lags(self, _options: CallbackOptions) -> Sequence[Observation]:
        return [Observation(events, {names.STAGE: stage}) for stage, events in self._lags.items()]

    def _span_of(
        self, completed: AttemptCompleted, endpoint: EndpointFacts, common: Attributes, first_chunk_s: float | None
    ) -> None:
        begin_ns = completed.timing.sent_wall_ns
        if begin_ns is None:
            return
        attributes: Attributes = {
            **common,
            names.RUN: str(completed.run),
            names.ATTEMPT: str(completed.attempt),
        }
        optional: dict[str, str | int | float | None] = {
            names.SLOT: completed.slot,
            names.HTTP_STATUS_CODE: completed.http_status,
            names.RESPONSE_ID: completed.response_id,
            names.RESPONSE_TIME_TO_FIRST_CHUNK: first_chunk_s,
            names.USAGE_INPUT_TOKENS: completed.usage.input_tokens if completed.usage else None,
            names.USAGE_OUTPUT_TOKENS: completed.usage.output_tokens if completed.usage else None,
        }
        attributes.update({name: value for name, value in optional.items() if value is not None})
        if completed.finish_reason is not None:
            attributes[names.RESPONSE_FINISH_REASONS] = (completed.finish_reason,)
        self._ids.announce(completed.run, completed.attempt)
        parent = SpanContext(
            completed.run.int, completed.run.int & _LOW_64_BITS, is_remote=False, trace_flags=_SAMPLED
        )
        span = self._tracer.start_span(
            f"chat {endpoint.model}",
            context=set_span_in_context(NonRecordingSpan(parent)),
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=begin_ns,
        )
        if completed.failure is not None:
            span.set_status(Status(StatusCode.ERROR, completed.failure.message))
        # Wall time places the span, the monotonic durations of the event measure it.
        span.end(begin_ns + (completed.timing.end_us or 0) * 1000)


_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)


class _IdsOfEvents(IdGenerator):
    """Gives the next span the ids of the run and attempt that it is about."""

    def __init__(self) -> None:
        self._run = UUID(int=1)
        self._subject = UUID(int=1)

    def announce(self, run: UUID, subject: UUID) -> None:
        """Name what the next span is about."""
        self._run, self._subject = run, subject

    def generate_span_id(self) -> int:
        """Return the end of the subject's UUID."""
        return self._subject.int & _LOW_64_BITS

    def generate_trace_id(self) -> int:
        """Return the run's UUID."""
        return self._run.int


def _of_endpoint(endpoint: EndpointFacts) -> Attributes:
    parts = urlsplit(endpoint.base_url)
    return {
        names.OPERATION_NAME: "chat",
        names.PROVIDER_NAME: endpoint.provider,
        names.REQUEST_MODEL: endpoint.model,
        names.ENDPOINT: endpoint.name,
        names.SERVER_ADDRESS: parts.hostname or "",
        names.SERVER_PORT: parts.port or (443 if parts.scheme == "https" else 80),
    }


def _first_token_s(completed: AttemptCompleted) -> float | None:
    """Seconds to the first row that carries a token; None without one."""
    for row in unpack_timeline(completed.timeline):
        if row.channel is not Channel.NONE:
            return row.elapsed_us / _MICROSECONDS_PER_S
    return None
