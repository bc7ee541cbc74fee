"""The daemon's own metrics and traces, by OpenTelemetry; off unless an address is configured.

``contract`` says what can be noted, ``exporting`` turns it into metrics and spans, and :func:`telemetry`
chooses between silence and export.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Final

from daemon.known_secrets import remember_headers
from daemon.telemetry.contract import LagStage, SlotOutcome, Telemetry
from schemas.configuration import DaemonTable, TelemetryTable

__all__ = ["LagStage", "SlotOutcome", "Telemetry", "telemetry"]

_EXPORT_TIMEOUT_S: Final = 5.0
_CREDENTIALS: Final = tuple(f"OTEL_EXPORTER_OTLP_{which}HEADERS" for which in ("", "METRICS_", "TRACES_"))


def telemetry(table: TelemetryTable, daemon: DaemonTable, *, interval_s: float = 60.0) -> Telemetry:
    """Return silent telemetry, or one that exports to ``otlp_endpoint`` every ``interval_s``.

    The address is the base of OTLP over HTTP: ``/v1/metrics`` and ``/v1/traces`` are appended. Credentials
    for a collector are given in ``OTEL_EXPORTER_OTLP_HEADERS``, as with any OpenTelemetry exporter.
    """
    if table.otlp_endpoint is None:
        return Telemetry()
    # The SDK and its exporters take a third of a second to import; only whoever exports pays for it.
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415  # see above
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  # see above
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415  # see above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  # see above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  # see above

    from daemon.telemetry.exporting import ExportingTelemetry  # noqa: PLC0415  # see above

    # The exporters quote what they cannot read of it.
    for name in _CREDENTIALS:
        remember_headers(os.environ.get(name, ""))
    base = table.otlp_endpoint.rstrip("/")
    return ExportingTelemetry(
        metric_readers=[
            PeriodicExportingMetricReader(
                OTLPMetricExporter(f"{base}/v1/metrics", timeout=_EXPORT_TIMEOUT_S),
                export_interval_millis=interval_s * 1000,
            )
        ],
        span_processors=[BatchSpanProcessor(OTLPSpanExporter(f"{base}/v1/traces", timeout=_EXPORT_TIMEOUT_S))],
        resource=Resource.create(
            {
                "service.name": "messwerk",
                "service.version": version("messwerk"),
                "service.instance.id": daemon.source,
                "messwerk.vantage": daemon.vantage,
            }
        ),
    )
