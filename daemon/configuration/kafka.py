"""What must hold between the settings of ``[kafka]``, and between them and the size of events."""

from __future__ import annotations

from typing import Any, Final

from daemon.configuration.problems import Problems
from daemon.configuration.reading import Row
from schemas.configuration import KafkaTable, RetentionTable

EVENT_ROOM_BYTES: Final = 512 * 1024
"""What an event may hold besides its texts: the timeline (11 kB for 1,500 reads), usage, a catalogue of hundreds."""

_MOST_TEXTS: Final = 2  # an attempt's answer and its reasoning, each inline up to the bound


def check_kafka(row: Row[KafkaTable], retention: Row[Any] | None, problems: Problems) -> None:
    """Require a topic that can take every event, and security settings that belong together."""
    _check_topic(row, retention, problems)
    _check_tls(row, problems)
    _check_sasl(row, problems)


def _check_topic(row: Row[KafkaTable], retention: Row[Any] | None, problems: Problems) -> None:
    table = row.value
    if row.ok("replication", "min_insync_replicas") and table.min_insync_replicas > table.replication:
        problems.add(
            row.place,
            "min_insync_replicas",
            f"must be at most replication: {table.min_insync_replicas} > {table.replication} refuses every event",
        )
    if not row.ok("message_bytes") or (retention is not None and not retention.ok("answer_inline_bytes")):
        return
    inline = (RetentionTable() if retention is None else retention.value).answer_inline_bytes
    needed = _MOST_TEXTS * inline + EVENT_ROOM_BYTES
    if table.message_bytes < needed:
        problems.add(
            row.place,
            "message_bytes",
            f"must be at least {needed} (twice answer_inline_bytes of [retention], and {EVENT_ROOM_BYTES} for the "
            f"rest of an event), got {table.message_bytes}: an event that Kafka refuses stops the forwarding",
        )


def _check_tls(row: Row[KafkaTable], problems: Problems) -> None:
    if not row.ok("security", "ca_file", "cert_file", "key_file"):
        return
    table = row.value
    if table.security in {"plaintext", "sasl-plaintext"}:
        for field in ("ca_file", "cert_file", "key_file"):
            if getattr(table, field) is not None:
                problems.add(row.place, field, 'needs security = "ssl" or "sasl-ssl"')
    elif table.key_file is not None and table.cert_file is None:
        problems.add(row.place, "cert_file", "missing, and its key is given")


def _check_sasl(row: Row[KafkaTable], problems: Problems) -> None:
    fields = ("sasl_mechanism", "username", "password_env", "password_file")
    if not row.ok("security", *fields):
        return
    table = row.value
    if table.security in {"plaintext", "ssl"}:
        for field in fields:
            if getattr(table, field) is not None:
                problems.add(row.place, field, 'needs security = "sasl-plaintext" or "sasl-ssl"')
        return
    for field in ("sasl_mechanism", "username"):
        if getattr(table, field) is None:
            problems.add(row.place, field, f'missing; security = "{table.security}" needs it')
    if (table.password_env is None) == (table.password_file is None):
        problems.add(row.place, None, "expected exactly one of password_env, password_file")
