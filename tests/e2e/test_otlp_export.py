"""Telemetry over OTLP/HTTP to a receiver on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from otlp_receiver import Receiver, otlp_receiver

from daemon.telemetry import telemetry
from schemas.catalogue import EndpointFacts
from schemas.clocks import SystemClock
from schemas.configuration import DaemonTable, TelemetryTable
from schemas.ids import UuidFactory


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Serve an OTLP receiver on a free port."""
    with otlp_receiver() as server:
        yield server


def test_metrics_and_traces_reach_a_receiver(receiver: Receiver) -> None:
    """With an address set, what was noted arrives as OTLP at /v1/metrics and /v1/traces of that address."""
    host, port = receiver.server_address[:2]
    endpoint = EndpointFacts(
        name="acme-small", provider="acme", dialect="openai-chat", base_url="http://127.0.0.1/v1", model="small"
    )
    run = UuidFactory(SystemClock())()
    exported = telemetry(
        TelemetryTable(otlp_endpoint=f"http://{host}:{port}/"), DaemonTable(source="alpha", vantage="eu-central")
    )
    exported.attempt_started(endpoint)
    exported.log_appended(0.01, 5)
    exported.run_completed(run, workload="text-1k", slot=None, begin_ns=1, end_ns=2)
    exported.close()

    metrics = [ExportMetricsServiceRequest.FromString(body) for body in receiver.bodies["/v1/metrics"]]
    found = {
        metric.name
        for each in metrics
        for r in each.resource_metrics
        for s in r.scope_metrics
        for metric in s.metrics
    }
    assert {"messwerk.attempts.in_flight", "messwerk.log.events", "messwerk.log.append.duration"} <= found
    attributes = {each.key: each.value.string_value for each in metrics[0].resource_metrics[0].resource.attributes}
    assert attributes["service.name"] == "messwerk"
    assert attributes["service.instance.id"] == "alpha"
    assert attributes["messwerk.vantage"] == "eu-central"

    (traces,) = [ExportTraceServiceRequest.FromString(body) for body in receiver.bodies["/v1/traces"]]
    (span,) = traces.resource_spans[0].scope_spans[0].spans
    assert (span.name, span.trace_id) == ("run text-1k", run.bytes)
