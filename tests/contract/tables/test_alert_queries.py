"""Every alert on the real engine: with data for which it fires, and with data for which it does not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint, ns

from dashboards.alerts import ALERTS, Alert, Firing, firing
from projections.queries.registry import query_named, run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import CalibrationCompleted, CalibrationFigure, IntegrityDecided, IntegritySuspected, SlotSkipped

pytestmark = pytest.mark.clickhouse

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BY_ID: Mapping[str, Alert] = {alert.id: alert for alert in ALERTS}


async def folded(store: ClickHouseStore, log: MadeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def fired(store: ClickHouseStore, alert_id: str, now: datetime = NOON) -> list[Firing]:
    """Return the rows for which an alert fires at that moment."""
    alert = BY_ID[alert_id]
    span = {"start": now - timedelta(seconds=alert.over_s), "end": now}
    taken = {parameter.name for parameter in query_named(alert.query).parameters}
    asked = {name: value for name, value in span.items() if name in taken}
    return list(firing(alert, await run_query(store, alert.query, **asked)))


def opened(*names: str) -> MadeLog:
    log = MadeLog()
    log.open(*(endpoint(name) for name in names or ("mini",)))
    return log


@pytest.mark.parametrize("alert", ALERTS, ids=BY_ID)
async def test_empty_tables_wake_nobody(store: ClickHouseStore, alert: Alert) -> None:
    """Without any row no alert fires."""
    assert await fired(store, alert.id) == []


@pytest.mark.parametrize(
    ("failures", "successes", "fires"), [(0, 3, False), (1, 19, False), (1, 18, True), (3, 0, True)]
)
async def test_success_low(store: ClickHouseStore, failures: int, successes: int, fires: bool) -> None:  # noqa: FBT001  # a parameter
    """Under 95 % of the last hour fires, 95 % does not; what was before the hour or cancelled does not count."""
    log = opened("mini", "good")
    log.run(NOON - 2 * HOUR, *({"failure_kind": "overloaded"},) * 50)
    attempts: list[dict[str, Any]] = [{"failure_kind": "overloaded"}] * failures + [{}] * successes
    log.run(NOON - HOUR / 2, *attempts, {"endpoint": "good"})
    log.run(NOON - HOUR / 2, *({"failure_kind": "overloaded", "account": "guest", "role": "control"},) * 9)
    await folded(store, log)
    found = await fired(store, "success-low")
    assert [one.labels["endpoint"] for one in found] == (["mini"] if fires else [])
    if fires:
        assert found[0].value == pytest.approx(successes / (successes + failures))


async def test_no_success_for_two_periods(store: ClickHouseStore) -> None:
    """An endpoint that failed in the last slots fires when its newest success is two periods old, and not before."""
    log = opened("mini", "good")
    log.run(NOON - 9 * HOUR, {}, {"endpoint": "good"})
    for hours in (6, 3):
        log.run(NOON - hours * HOUR, {"failure_kind": "overloaded"}, {"endpoint": "good"})
    await folded(store, log)
    assert await fired(store, "no-success", NOON - 3 * HOUR - timedelta(minutes=1)) == []
    (found,) = await fired(store, "no-success", NOON)
    assert (found.labels["endpoint"], found.labels["workload"]) == ("mini", "text-10k")
    assert found.value == pytest.approx(3.0, abs=0.01)


async def test_no_success_when_the_daemon_is_silent(store: ClickHouseStore) -> None:
    """A source that writes nothing any more fires for everything that it had planned."""
    log = opened("mini")
    for hours in (15, 12, 9):
        log.run(NOON - hours * HOUR, {})
    await folded(store, log)
    assert await fired(store, "no-success", NOON - 4 * HOUR) == []
    assert [one.labels["endpoint"] for one in await fired(store, "no-success", NOON)] == ["mini"]


async def test_no_success_of_what_never_succeeded(store: ClickHouseStore) -> None:
    """Without any success the time since the first slot counts."""
    log = opened("mini")
    for hours in (12, 9, 6, 3):
        log.run(NOON - hours * HOUR, {"failure_kind": "overloaded"})
    await folded(store, log)
    (found,) = await fired(store, "no-success", NOON)
    assert found.value == pytest.approx(4.0, abs=0.01)


async def test_no_success_of_what_is_measured_no_more(store: ClickHouseStore) -> None:
    """A workload that the source goes on without, and an endpoint of no newer catalogue, wake nobody."""
    log = opened("mini", "gone")
    for hours in (60, 57):
        log.run(NOON - hours * HOUR, {}, {"endpoint": "gone"}, workload="text-1k")
    log.declare(endpoint("mini"), at=NOON - 50 * HOUR)
    for hours in range(48, 0, -3):
        log.run(NOON - hours * HOUR, {}, workload="text-10k")
    await folded(store, log)
    assert await fired(store, "no-success", NOON) == []


@pytest.mark.parametrize(
    ("today", "metrics"),
    [
        ({"ttft_s": 0.5, "speed": 100.0}, []),
        ({"ttft_s": 0.54, "speed": 100.0}, []),
        ({"ttft_s": 0.8, "speed": 100.0}, ["ttft"]),
        ({"ttft_s": 0.2, "speed": 100.0}, ["ttft"]),
        ({"ttft_s": 0.5, "speed": 60.0}, ["output-speed"]),
    ],
    ids=["as ever", "within a tenth", "slower", "faster", "slower tokens"],
)
async def test_off_band(store: ClickHouseStore, today: dict[str, Any], metrics: list[str]) -> None:
    """A day whose P50 lies outside the band of the 14 days before fires, in either direction and by metric."""
    log = opened()
    for days in range(14, 0, -1):
        for hours in (6, 12, 18):
            wobble = 0.005 * ((days + hours) % 3)
            log.run(NOON - days * DAY - hours * HOUR, {"ttft_s": 0.5 + wobble, "speed": 100.0})
    for hours in (18, 12, 6):
        log.run(NOON - hours * HOUR, today)
    await folded(store, log)
    assert [one.labels["metric"] for one in await fired(store, "off-band")] == metrics


async def test_a_wide_band_bears_more(store: ClickHouseStore) -> None:
    """What swings day by day has a wide band: a value that would be outside of a quiet one is inside."""
    log = opened()
    for days in range(14, 0, -1):
        log.run(NOON - days * DAY - HOUR, {"ttft_s": 0.3 if days % 2 else 0.7})
    log.run(NOON - HOUR, {"ttft_s": 0.8})
    await folded(store, log)
    assert await fired(store, "off-band") == []


async def test_too_few_days_make_no_band(store: ClickHouseStore) -> None:
    """With figures of four days nothing is said about a fifth."""
    log = opened()
    for days in range(4, 0, -1):
        log.run(NOON - days * DAY - HOUR, {"ttft_s": 0.5})
    log.run(NOON - HOUR, {"ttft_s": 5.0})
    await folded(store, log)
    assert await fired(store, "off-band") == []


async def test_integrity_case(store: ClickHouseStore) -> None:
    """A case that was opened within the day fires with its endpoint and accounts; a decision does not."""
    log = opened()
    for at, name in ((NOON - 2 * DAY, "old"), (NOON - HOUR, "mini")):
        log.add(
            IntegritySuspected(
                case=UUID(int=1),
                endpoint=name,
                workload="text-10k",
                account="guest",
                compared_with="main",
                window_start_ns=ns(at - DAY),
                window_end_ns=ns(at),
                evidence=(),
                definition="d",
            ),
            at,
        )
    log.add(IntegrityDecided(case=UUID(int=1), measure="clear", person="p", reason="r"), NOON - HOUR)
    await folded(store, log)
    (found,) = await fired(store, "integrity-case")
    assert found.labels == {"source": "lab", "endpoint": "mini", "account": "guest", "compared_with": "main"}


async def test_projection_lag(store: ClickHouseStore) -> None:
    """Projections whose newest event is older than four hours fire, each by its name; younger ones do not."""
    log = opened()
    log.run(NOON - 5 * HOUR, {})
    await folded(store, log)
    assert await fired(store, "projection-lag", NOON - 2 * HOUR) == []
    found = await fired(store, "projection-lag", NOON)
    assert {one.labels["projection"] for one in found} == {projection.name for projection in PROJECTIONS}
    assert found[0].value == pytest.approx(5 * 3600, abs=11)
    log.run(NOON - HOUR, {})
    await folded(store, log)
    assert await fired(store, "projection-lag", NOON) == []


def calibrated(*verdicts: tuple[str, bool], tls: bool = False) -> CalibrationCompleted:
    """Make a calibration with a figure for each statistic and verdict."""
    return CalibrationCompleted(
        calibration=UUID(int=9),
        transport="process",
        tls=tls,
        within_bounds=dict(verdicts)["p50"],
        streams=1,
        figures=tuple(
            CalibrationFigure(
                profile="steady",
                metric="ttft",
                statistic=statistic,  # type: ignore[arg-type]
                unit="ms",
                n=10,
                truth=100.0,
                measured=100.1 if within else 120.0,
                error=0.1 if within else 20.0,
                within_bounds=within,
            )
            for statistic, within in verdicts
        ),
    )


@pytest.mark.parametrize(
    ("newest", "fires"),
    [((("p50", True), ("p99", False)), False), ((("p50", False), ("p99", False)), True)],
    ids=["a median within", "a median out"],
)
async def test_calibration_off(store: ClickHouseStore, newest: tuple[tuple[str, bool], ...], fires: bool) -> None:  # noqa: FBT001  # a parameter
    """The newest calibration alone is looked at, plain and over TLS, and its medians alone."""
    log = opened()
    log.add(calibrated(("p50", fires)), NOON - 2 * HOUR)
    log.add(calibrated(*newest), NOON - HOUR)
    log.add(calibrated(("p50", True), tls=True), NOON - HOUR)
    await folded(store, log)
    assert [one.labels for one in await fired(store, "calibration-off")] == (
        [{"source": "lab", "transport": "process", "way": "plain"}] if fires else []
    )


@pytest.mark.parametrize(("reason", "fires"), [("missed", True), ("over-budget", False)])
async def test_slots_missed(store: ClickHouseStore, reason: Any, fires: bool) -> None:  # noqa: FBT001  # a parameter
    """Missed slots recorded within the day fire, whenever they were due; slots skipped for another reason do not."""
    log = opened()
    log.add(
        SlotSkipped(
            slot="text-10k@2026-11-28T12:00Z",
            workload="text-10k",
            scenario="single",
            nominal_ns=ns(NOON - 2 * DAY),
            reason=reason,
        ),
        NOON - HOUR,
    )
    log.run(NOON - HOUR, {})
    await folded(store, log)
    found = await fired(store, "slots-missed")
    assert [(one.labels["workload"], one.value) for one in found] == ([("text-10k", 1.0)] if fires else [])
