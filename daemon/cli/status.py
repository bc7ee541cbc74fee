"""What ``messwerk status`` gathers and how it words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is printed, with ``--json`` as it is here."""

    at: datetime
    source: str
    log_seq: int
    served_by_another_process: bool
    lags: tuple[Lag, ...]
    slots: tuple[Mapping[str, Any], ...]
    figures: tuple[Mapping[str, Any], ...]
    forwarding: Backlog | None = None


async def gather(store: Store, *, source: str, log_seq: int, now: datetime, elsewhere: bool) -> Status:
    """Ask the tables where they stand and what the newest figures are."""
    positions = {
        row["projection"]: row for row in (await run_query(store, "positions")).dicts() if row["source"] == source
    }
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
        slots=tuple((await run_query(store, "slots", start=now - _SLOTS_OVER, end=now)).dicts()),
        figures=tuple((await run_query(store, "leaderboard", end=now)).dicts()),
    )


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
