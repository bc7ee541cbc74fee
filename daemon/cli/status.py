"""What ``messwerk status`` gathers and how it words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from daemon.forwarding.backlog import Backlog
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.store.contract import Store

_SLOTS_OVER = timedelta(days=1)
_UNKNOWN = "-"


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How far one projection is behind the log, in events."""

    projection: str
    seq: int
    behind: int
    definition: str


class SourceLag(msgspec.Struct, frozen=True, kw_only=True):
    """How far the projection that is furthest behind is behind one source of the topic or log, in events."""

    source: str
    end: int
    behind: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is printed, with ``--json`` as it is here."""

    at: datetime
    source: str
    log_seq: int
    served_by_another_process: bool
    lags: tuple[Lag, ...]
    sources: tuple[SourceLag, ...]
    quarantine: Mapping[str, int]
    slots: tuple[Mapping[str, Any], ...]
    figures: tuple[Mapping[str, Any], ...]
    forwarding: Backlog | None = None


async def gather(
    store: Store, *, source: str, log_seq: int, ends: Mapping[str, int], now: datetime, elsewhere: bool
) -> Status:
    """Ask the tables where they stand and what the newest figures are; ``ends`` are newest positions by source."""
    everywhere = (await run_query(store, "positions")).dicts()
    positions = {row["projection"]: row for row in everywhere if row["source"] == source}
    lags = tuple(
        Lag(
            projection=projection.name,
            seq=positions[projection.name]["seq"] if projection.name in positions else 0,
            behind=log_seq - (positions[projection.name]["seq"] if projection.name in positions else 0),
            definition=positions[projection.name]["definition"] if projection.name in positions else "",
        )
        for projection in PROJECTIONS
    )
    return Status(
        at=now,
        source=source,
        log_seq=log_seq,
        served_by_another_process=elsewhere,
        lags=lags,
        sources=tuple(_source_lag(name, end, everywhere) for name, end in sorted(ends.items())),
        quarantine=_sums((await run_query(store, "quarantine")).dicts()),
        slots=tuple((await run_query(store, "slots", start=now - _SLOTS_OVER, end=now)).dicts()),
        figures=tuple((await run_query(store, "leaderboard", end=now)).dicts()),
    )


def _sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up records in quarantine by state, over all sources."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["state"]] = found.get(row["state"], 0) + row["n"]
    return found


def _source_lag(source: str, end: int, positions: Sequence[Mapping[str, Any]]) -> SourceLag:
    reached = {row["projection"]: row["seq"] for row in positions if row["source"] == source}
    least = min(reached.get(projection.name, 0) for projection in PROJECTIONS)
    return SourceLag(source=source, end=end, behind=max(0, end - least))


def worded(status: Status) -> Iterator[str]:
    """Lines for people."""
    yield f"log of {status.source!r}: {status.log_seq} events"
    yield "tables: " + (
        "served by a running Messwerk"
        if status.served_by_another_process
        else "nobody folds them now (`messwerk project --once` does)"
    )
    for lag in status.lags:
        state = "up to date" if lag.behind == 0 else f"{lag.behind} events behind"
        yield f"  {lag.projection:<14} at {lag.seq}, {state}"
    for each in status.sources if len(status.sources) > 1 else ():
        yield f"  source {each.source}: {each.end} events, {each.behind} behind"
    undecided = status.quarantine.get("held", 0) + status.quarantine.get("readable", 0)
    if undecided:
        yield f"  in quarantine: {undecided} (`messwerk quarantine list`)"
    yield ""
    yield "slots of the last 24 hours"
    for row in status.slots:
        yield (
            f"  {row['workload']:<10} {row['scenario']:<12} run {row['run']} of {row['slots']}, late {row['late']}, "
            f"missed {row['missed']}, otherwise skipped {row['skipped']}; "
            f"attempts ended {row['ended_attempts']} of {row['planned_attempts']}; "
            f"out of bounds {_number(row['out_of_bounds'], 0)}, uncalibrated {row['uncalibrated']}"
        )
    if not status.slots:
        yield "  none"
    yield ""
    yield (
        "newest figures (P50 over 72 h, text-100k over 14 days; primary accounts; "
        "out: attempts measured out of bounds, error: the instrument's own in TTFT)"
    )
    if not status.figures:
        yield "  none yet"
        return
    yield (
        f"  {'endpoint':<26} {'workload':<10} {'scenario':<12} {'TTFT s':>8} {'tokens/s':>9} {'end s':>8} "
        f"{'ok':>6} {'n':>5} {'out':>4} {'error ms':>9}  newest"
    )
    for row in status.figures:
        mark = " (simulated)" if row["simulated"] else ""
        yield (
            f"  {row['endpoint']:<26} {row['workload']:<10} {row['scenario']:<12} {_number(row['ttft_p50'], 3):>8} "
            f"{_number(row['output_speed_p50'], 1):>9} {_number(row['end_to_end_p50'], 2):>8} "
            f"{row['success_share']:>6.0%} {row['n']:>5} {_number(row['out_of_bounds'], 0):>4} "
            f"{_number(row['instrument_error_ms'], 3):>9}  {row['newest']:%Y-%m-%d %H:%M}Z{mark}"
        )


def _number(value: float | None, digits: int) -> str:
    return _UNKNOWN if value is None else f"{value:.{digits}f}"
