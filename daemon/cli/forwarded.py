"""How ``messwerk status`` words what waits to be forwarded to Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from daemon.cli.asking import Installation, open_log
from daemon.forwarding.backlog import Backlog, backlog
from schemas.configuration import KafkaTable


def look_at_backlog(place: Installation) -> Backlog | None:
    """Return what waits in this place's log; None without brokers, or without a log here."""
    if not place.configuration.kafka.bootstrap or not place.paths.log.exists():
        return None
    with open_log(place) as reader:
        return backlog(place.paths, reader)


def worded_backlog(found: Backlog, table: KafkaTable, now: datetime) -> Iterator[str]:
    """Lines for people: how far, what waits and for how long, why, and what to look at."""
    age_s = found.age_s(int(now.timestamp() * 1e9))
    waiting = "nothing waits" if age_s is None else f"{found.events} events ({found.bytes} bytes) wait, {age_s:.0f} s"
    yield f"forwarded to topic {table.topic!r}: up to {found.forwarded_seq}; {waiting}"
    standing = found.standing
    if standing is None:
        yield "  no daemon has forwarded yet"
    elif standing.reason is not None:
        since = datetime.fromtimestamp(standing.since_ns / 1e9, UTC)
        yield f"  {standing.state} since {since:%Y-%m-%d %H:%M:%S}Z: {standing.reason}"
    for warning in found.warnings(table):
        yield f"  {warning}"
