"""The command line as it is, whose Kafka consumers are missed within seconds when they were killed."""

from __future__ import annotations

from daemon.cli import main
from projections.kafka import client

client._SESSION_MS = 2_000  # type: ignore[misc]  # a constant in the product
client._HEARTBEAT_MS = 500  # type: ignore[misc]  # the same
main()
