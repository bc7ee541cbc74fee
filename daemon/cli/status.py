"""What ``messwerk status`` gathers and how it words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from daemon.cli.wording import stopped
from daemon.forwarding.backlog import Backlog
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.store.contract import Store

_SLOTS_OVER = timedelta(days=1)
_UNKNOWN = "-"


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """Where one projection is in this daemon's log, and how far it is behind all sources together, in events."""

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
    stops: tuple[Mapping[str, Any], ...] = ()
    declared_lost: Mapping[str, int] = {}
    slots: tuple[Mapping[str, Any], ...]
    figures: tuple[Mapping[str, Any], ...]
    forwarding: Backlog | None = None
    unreachable: str | None = None


async def gather(
    store: Store, *, source: str, log_seq: int, ends: Mapping[str, int], now: datetime, elsewhere: bool
) -> Status:
    """Ask the tables where they stand and what the newest figures are; ``ends`` are newest positions by source."""
    everywhere = (await run_query(store, "positions")).dicts()
    lags = tuple(_lag(projection.name, source, {**ends, source: log_seq}, everywhere) for projection in PROJECTIONS)
    return Status(
        at=now,
        source=source,
        log_seq=log_seq,
        served_by_another_process=elsewhere,
        lags=lags,
        sources=tuple(_source_lag(name, end, everywhere) for name, end in sorted(ends.items())),
        quarantine=_sums((await run_query(store, "quarantine")).dicts()),
        stops=tuple((await run_query(store, "stops")).dicts()),
        declared_lost=_lost((await run_query(store, "declared-lost")).dicts()),
        slots=tuple((await run_query(store, "slots", start=now - _SLOTS_OVER, end=now)).dicts()),
        figures=tuple((await run_query(store, "leaderboard", end=now)).dicts()),
    )


def _sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up records in quarantine by state, over all sources."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["state"]] = found.get(row["state"], 0) + row["n"]
    return found


def _lost(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Add up events declared lost by source."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["source"]] = found.get(row["source"], 0) + row["n"]
    return found


def _lag(name: str, own: str, ends: Mapping[str, int], positions: Sequence[Mapping[str, Any]]) -> Lag:
    rows = {row["source"]: row for row in positions if row["projection"] == name}
    reached = {source: rows[source]["seq"] if source in rows else 0 for source in ends}
    return Lag(
        projection=name,
        seq=reached[own],
        # Tables may be ahead of what is known of another source's end; ahead of one's own log they must not be.
        behind=sum(
            end - reached[source] if source == own else max(0, end - reached[source]) for source, end in ends.items()
        ),
        definition=rows[own]["definition"] if own in rows else "",
    )


def _source_lag(source: str, end: int, positions: Sequence[Mapping[str, Any]]) -> SourceLag:
    reached = {row["projection"]: row["seq"] for row in positions if row["source"] == source}
    least = min(reached.get(projection.name, 0) for projection in PROJECTIONS)
    return SourceLag(source=source, end=end, behind=max(0, end - least))


def worded(status: Status) -> Iterator[str]:
    """Lines for people."""
    own = not status.sources or any(each.source == status.source for each in status.sources)
    yield (
        f"log of {status.source!r}: {status.log_seq} events"
        if own
        else f"no log of {status.source!r} here, and none in the topic"
    )
    yield "tables: " + (
        "served by a running Messwerk"
        if status.served_by_another_process
        else "nobody folds them now (`messwerk project --once` does)"
    )
    if status.unreachable:
        yield f"only this log's events are counted: {status.unreachable}"
    several = not own or len(status.sources) > 1
    longest = max((len(lag.projection) for lag in status.lags), default=0)
    for lag in status.lags:
        state = "up to date" if lag.behind == 0 else f"{lag.behind} events behind"
        yield f"  {lag.projection:<{longest}}  " + (state if several else f"at {lag.seq}, {state}")
    for each in status.sources if several else ():
        yield f"  source {each.source}: {each.end} events, {each.behind} behind"
    for stop in status.stops:
        yield f"  {stopped(stop['source'], stop['seq'], stop['reason'], stop['since'])}"
    for source, events in status.declared_lost.items():
        noun = "event of it is" if events == 1 else "events of it are"
        yield f"  source {source}: {events} {noun} declared lost (`messwerk query declared-lost`)"
    undecided = status.quarantine.get("held", 0) + status.quarantine.get("readable", 0)
    if undecided:
        yield f"  in quarantine: {undecided} (`messwerk quarantine list`)"
    yield ""
    yield from _worded_slots(status.slots)
    yield ""
    yield from _worded_figures(status.figures)


def _worded_slots(slots: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "slots of the last 24 hours"
    places = _places(slots, "source")
    for row in slots:
        what = f"{places[row['source']]}{row['workload']:<10} {row['scenario']:<12}"
        yield (
            f"  {what} run {row['run']} of {row['slots']}, late {row['late']}, "
            f"missed {row['missed']}, otherwise skipped {row['skipped']}; "
            f"attempts ended {row['ended_attempts']} of {row['planned_attempts']}; "
            f"out of bounds {_number(row['out_of_bounds'], 0)}, uncalibrated {row['uncalibrated']}"
        )
    if not slots:
        yield "  none"


def _worded_figures(figures: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield (
        "newest figures (P50 over 72 h, text-100k over 14 days; measuring accounts; "
        "out: attempts measured out of bounds, error: the instrument's own in TTFT)"
    )
    if not figures:
        yield "  none yet"
        return
    places = _places(figures, "vantage")
    from_where = f"{'from':<{len(next(iter(places.values())))}}" if len(places) > 1 else ""
    yield (
        f"  {from_where}{'endpoint':<26} {'workload':<10} {'scenario':<12} {'TTFT s':>8} {'tokens/s':>9} "
        f"{'end s':>8} {'ok':>6} {'n':>5} {'out':>4} {'error ms':>9}  newest"
    )
    for row in figures:
        mark = " (simulated)" if row["simulated"] else ""
        yield (
            f"  {places[row['vantage']]}{row['endpoint']:<26} {row['workload']:<10} {row['scenario']:<12} "
            f"{_number(row['ttft_p50'], 3):>8} "
            f"{_number(row['output_speed_p50'], 1):>9} {_number(row['end_to_end_p50'], 2):>8} "
            f"{row['success_share']:>6.0%} {row['n']:>5} {_number(row['out_of_bounds'], 0):>4} "
            f"{_number(row['instrument_error_ms'], 3):>9}  {row['newest']:%Y-%m-%d %H:%M}Z{mark}"
        )


def _places(rows: Sequence[Mapping[str, Any]], column: str) -> Mapping[str, str]:
    """Return what stands before a row for each place: nothing where there is one alone, else its name, padded."""
    names = sorted({row[column] for row in rows})
    width = max(map(len, names), default=0) + 2
    return {name: f"{name:<{width}}" if len(names) > 1 else "" for name in names}


def _number(value: float | None, digits: int) -> str:
    return _UNKNOWN if value is None else f"{value:.{digits}f}"
