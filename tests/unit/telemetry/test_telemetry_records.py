"""What the daemon's telemetry records of attempts, slots and appends, held in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from daemon.telemetry import Telemetry, names, telemetry
from daemon.telemetry.exporting import ExportingTelemetry
from schemas.catalogue import EndpointFacts
from schemas.configuration import DaemonTable, TelemetryTable
from schemas.events import AttemptCompleted, ConnectionFacts, Failure, Timing, UsageReported
from schemas.timeline import Channel, TimelineRow, pack_timeline

RUN = UUID("01931f00-0000-7000-8000-00000000aaaa")
ATTEMPT = UUID("01931f00-0000-7000-8000-00000000bbbb")
ENDPOINT = EndpointFacts(
    name="acme-small",
    provider="acme",
    dialect="openai-chat",
    base_url="https://api.acme.example/v1",
    model="small",
)
SENT_NS = 1_796_000_000_000_000_000
COMPLETED = AttemptCompleted(
    attempt=ATTEMPT,
    run=RUN,
    request=ATTEMPT,
    endpoint="acme-small",
    account="acme-main",
    suite="performance",
    workload="text-1k",
    scenario="single",
    slot="text-1k@2026-11-30T03:00Z",
    ordinal=0,
    sequence=1,
    retry_of=None,
    status="response",
    failure=None,
    http_status=200,
    headers=(),
    connection=ConnectionFacts(),
    timing=Timing(clock="user-space", sent_wall_ns=SENT_NS, sent_mono_ns=1, end_us=2_500_000),
    timeline=pack_timeline(
        [
            TimelineRow(100_000, 50, Channel.NONE, 0),
            TimelineRow(250_000, 60, Channel.ANSWER, 1),
            TimelineRow(2_400_000, 60, Channel.ANSWER, 9),
        ]
    ),
    usage=UsageReported(input_tokens=1_010, output_tokens=12),
    cost_reported_usd=None,
    returned_model="small-0930",
    returned_provider=None,
    fingerprint=None,
    response_id="resp-1",
    finish_reason="stop",
    answer=None,
    reasoning=None,
    tokenizer="o200k_base",
    prompt_sha256=None,
    prompt_tokens=1_000,
    min_output_tokens=1_000,
)


class Recorded:
    """Telemetry whose metrics and spans stay in memory."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self._spans = InMemorySpanExporter()
        self.telemetry = ExportingTelemetry(
            metric_readers=[self._reader],
            span_processors=[SimpleSpanProcessor(self._spans)],
            resource=Resource({"service.name": "messwerk"}),
        )

    def metrics(self) -> dict[str, list[Any]]:
        data = self._reader.get_metrics_data()
        if data is None:
            return {}
        return {
            metric.name: list(metric.data.data_points)
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def spans(self) -> Any:
        return self._spans.get_finished_spans()


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    """Keep telemetry in memory."""
    made = Recorded()
    yield made
    made.telemetry.close()


def test_an_answer_is_recorded_under_the_conventions_names(recorded: Recorded) -> None:
    """Duration, time to the first token-bearing chunk and reported tokens appear with the GenAI attributes."""
    recorded.telemetry.attempt_started(ENDPOINT)
    recorded.telemetry.attempt_completed(COMPLETED, ENDPOINT)
    metrics = recorded.metrics()
    (duration,) = metrics["gen_ai.client.operation.duration"]
    (first,) = metrics["gen_ai.client.operation.time_to_first_chunk"]
    tokens = {point.attributes["gen_ai.token.type"]: point.sum for point in metrics["gen_ai.client.token.usage"]}
    assert (duration.sum, first.sum, tokens) == (2.5, 0.25, {"input": 1_010, "output": 12})
    assert duration.explicit_bounds == names.DURATION_BOUNDS_S
    assert dict(duration.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "acme",
        "gen_ai.request.model": "small",
        "gen_ai.response.model": "small-0930",
        "server.address": "api.acme.example",
        "server.port": 443,
        "messwerk.endpoint": "acme-small",
        "messwerk.account": "acme-main",
        "messwerk.workload": "text-1k",
        "messwerk.scenario": "single",
        "messwerk.status": "response",
    }


def test_attempts_in_flight_return_to_zero(recorded: Recorded) -> None:
    """The gauge rises when an attempt starts and falls when it ends, however it ends."""
    recorded.telemetry.attempt_started(ENDPOINT)
    assert [point.value for point in recorded.metrics()["messwerk.attempts.in_flight"]] == [1]
    recorded.telemetry.attempt_completed(failed("connect"), ENDPOINT)
    assert [point.value for point in recorded.metrics()["messwerk.attempts.in_flight"]] == [0]


def failed(kind: Any) -> AttemptCompleted:
    """Make an attempt that failed before any token."""
    return msgspec.structs.replace(
        COMPLETED,
        status="error",
        failure=Failure(kind=kind, message="it went wrong"),
        timeline=pack_timeline([]),
        usage=None,
        finish_reason=None,
    )


def test_a_failure_is_recorded_by_its_class(recorded: Recorded) -> None:
    """A failed attempt has its class as error.type, a duration, and neither a first chunk nor tokens."""
    recorded.telemetry.attempt_completed(failed("rate-limited"), ENDPOINT)
    metrics = recorded.metrics()
    assert [point.attributes["error.type"] for point in metrics["messwerk.attempts"]] == ["rate-limited"]
    assert [point.count for point in metrics["gen_ai.client.operation.duration"]] == [1]
    assert "gen_ai.client.operation.time_to_first_chunk" not in metrics
    assert "gen_ai.client.token.usage" not in metrics
    (span,) = recorded.spans()
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "it went wrong"


def test_an_attempt_that_was_never_sent_has_no_duration_and_no_span(recorded: Recorded) -> None:
    """What was not sent is counted, and has no times."""
    never = msgspec.structs.replace(failed("stopping"), status="not-completed", timing=Timing(clock="user-space"))
    recorded.telemetry.attempt_completed(never, ENDPOINT)
    metrics = recorded.metrics()
    assert [point.attributes["messwerk.status"] for point in metrics["messwerk.attempts"]] == ["not-completed"]
    assert "gen_ai.client.operation.duration" not in metrics
    assert recorded.spans() == ()


def test_spans_carry_the_ids_of_their_events(recorded: Recorded) -> None:
    """A run and its attempts are one trace whose ids are those of the events, placed at the events' times."""
    recorded.telemetry.attempt_completed(COMPLETED, ENDPOINT)
    recorded.telemetry.run_completed(
        RUN, workload="text-1k", slot=COMPLETED.slot, begin_ns=SENT_NS - 1_000, end_ns=SENT_NS + 3_000_000_000
    )
    attempt, run = recorded.spans()
    assert attempt.context.trace_id == run.context.trace_id == RUN.int
    assert attempt.context.span_id == ATTEMPT.int & (2**64 - 1)
    assert attempt.parent.span_id == run.context.span_id == RUN.int & (2**64 - 1)
    assert run.parent is None
    assert (attempt.start_time, attempt.end_time) == (SENT_NS, SENT_NS + 2_500_000_000)
    assert (attempt.name, attempt.kind) == ("chat small", SpanKind.CLIENT)
    assert attempt.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert attempt.attributes["gen_ai.response.time_to_first_chunk"] == 0.25
    assert attempt.attributes["gen_ai.usage.output_tokens"] == 12


def test_slots_appends_and_lags_are_recorded(recorded: Recorded) -> None:
    """Slots are counted by outcome, appends by events and duration, and a lag shows its newest value."""
    recorded.telemetry.slot("on-time", "text-1k", "single", delay_s=12.0)
    recorded.telemetry.slot("missed", "text-1k", "single")
    recorded.telemetry.log_appended(0.004, 3)
    recorded.telemetry.loop_lag(0.002)
    recorded.telemetry.loop_lag(0.001, "measuring")
    recorded.telemetry.garbage_pause(0.005)
    recorded.telemetry.lag("projection", 40)
    recorded.telemetry.lag("projection", 7)
    metrics = recorded.metrics()
    slots = {point.attributes["messwerk.outcome"]: point.value for point in metrics["messwerk.slots"]}
    assert slots == {"on-time": 1, "missed": 1}
    assert [point.sum for point in metrics["messwerk.slot.delay"]] == [12.0]
    assert [point.value for point in metrics["messwerk.log.events"]] == [3]
    assert [point.sum for point in metrics["messwerk.log.append.duration"]] == [0.004]
    loops = {point.attributes["messwerk.loop"]: point.sum for point in metrics["messwerk.event_loop.lag"]}
    assert loops == {"daemon": 0.002, "measuring": 0.001}
    assert [point.sum for point in metrics["messwerk.garbage.pause"]] == [0.005]
    assert [(p.attributes["messwerk.stage"], p.value) for p in metrics["messwerk.lag.events"]] == [("projection", 7)]


def test_without_an_address_telemetry_is_silent() -> None:
    """Off means off: the base class itself, which keeps nothing and takes every call."""
    silent = telemetry(TelemetryTable(), DaemonTable(source="alpha", vantage="here"))
    assert type(silent) is Telemetry
    silent.attempt_started(ENDPOINT)
    silent.attempt_completed(COMPLETED, ENDPOINT)
    silent.close()
