"""What a daemon reads of its past from a real log, however much lies between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from daemon.attempts.identity import AttemptIdentity, RunIdentity, unsent
from daemon.history import last_dealt_ns, possibly_open, spent_today_usd
from daemon.log import InlineLog, SqliteReader
from daemon.machine import daemon_started
from daemon.recovery import unfinished
from daemon.schedule.slots import Plan
from schemas.catalogue import EndpointFacts, Price
from schemas.clocks import ManualClock
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    ConnectionFacts,
    PlannedAttempt,
    RequestSent,
    RunPlanned,
    SlotSkipped,
    UsageReported,
)
from schemas.events.runs import Trigger

NOON_NS = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
HOUR_NS = 3_600 * 1_000_000_000


ENDPOINT = EndpointFacts(name="e", provider="p", dialect="openai-chat", base_url="http://e", model="m")
WORST = Decimal(7)


def at_worst(completed: AttemptCompleted, endpoint: EndpointFacts) -> Decimal:
    assert completed.endpoint == endpoint.name
    return WORST


class Past:
    """A log being written, with short words for what happened."""

    def __init__(self, path: Path) -> None:
        self.clock = ManualClock(NOON_NS)
        self.log = InlineLog(path, source="here", clock=self.clock)
        self.reader = SqliteReader(path)

    async def started(self) -> None:
        await self.log.append(daemon_started(configuration_sha256="", vantage="here", simulated=False))

    async def run(self, number: int, workload: str, *, trigger: Trigger = "schedule", done: bool = True) -> UUID:
        attempt, run = UUID(int=number), UUID(int=1000 + number)
        await self.log.append(
            RunPlanned(
                run=run,
                suite="performance",
                workload=workload,
                scenario="single",
                trigger=trigger,
                slot=f"{workload}@{number}",
                nominal_ns=number * HOUR_NS,
                planned_ns=number * HOUR_NS,
                late=False,
                prompts=(),
                attempts=(PlannedAttempt(attempt=attempt, endpoint="e", account="a"),),
            )
        )
        if done:
            await self.log.append(self.completion(attempt, run, workload))
        return attempt

    def completion(self, attempt: UUID, run: UUID, workload: str) -> AttemptCompleted:
        identity = AttemptIdentity(
            run=RunIdentity(run=run, suite="performance", workload=workload, scenario="single", slot=None),
            attempt=attempt,
            request=attempt,
            endpoint="e",
            account="a",
            ordinal=0,
        )
        return unsent(identity, clock="user-space", kind="connect", message="refused", status="error")

    def sending(self, attempt: UUID, run: UUID) -> RequestSent:
        return RequestSent(
            attempt=attempt,
            run=run,
            request=attempt,
            endpoint="e",
            account="a",
            sequence=1,
            retry_of=None,
            payload_sha256="",
            payload_bytes=1,
            parameters={},
            intended_wall_ns=self.clock.wall_ns(),
            sent_wall_ns=self.clock.wall_ns(),
            sent_mono_ns=self.clock.mono_ns(),
            connection=ConnectionFacts(),
        )

    def open_attempts(self) -> list[UUID]:
        return [closed.attempt for closed in unfinished(possibly_open(self.reader), clock="user-space")]


@pytest.fixture
async def past(tmp_path: Path) -> AsyncIterator[Past]:
    past = Past(tmp_path / "events.sqlite3")
    yield past
    past.reader.close()
    await past.log.close()


async def test_a_rare_run_is_found_open_behind_many_others(past: Past) -> None:
    """A weekly run that is still open is found however many runs of other plans have ended since."""
    await past.started()
    weekly = await past.run(1, "text-100k", done=False)
    for number in range(2, 40):
        await past.run(number, "text-1k")
    newest = await past.run(40, "text-10k", done=False)
    assert past.open_attempts() == [weekly, newest]


async def test_runs_by_command_may_overlap(past: Past) -> None:
    """Runs that somebody ordered may be under way at once, so each of them can be open."""
    await past.started()
    first = await past.run(1, "text-1k", trigger="command", done=False)
    second = await past.run(2, "text-1k", trigger="command", done=False)
    assert past.open_attempts() == [first, second]


async def test_what_an_earlier_start_closed_stays_closed(past: Past) -> None:
    """Nothing from before the newest start is looked at again."""
    await past.started()
    await past.run(1, "text-1k", done=False)
    await past.started()
    assert past.open_attempts() == []
    assert list(possibly_open(past.reader)) == []


async def test_the_newest_slot_of_each_plan_is_found(past: Past) -> None:
    """Both runs and skipped slots count as dealt with, also those behind a thousand others."""
    await past.run(1, "text-100k")
    await past.log.append(
        *(
            SlotSkipped(slot=f"s{n}", workload="text-1k", scenario="single", nominal_ns=n * HOUR_NS, reason="missed")
            for n in range(2, 1200)
        )
    )
    for number in range(1200, 2300):
        await past.run(number, "vision")
    plans = [
        Plan(workload=name, scenario="single", period_ns=HOUR_NS, moment="aligned", jitter_ns=0)
        for name in ("text-1k", "text-100k", "vision", "text-10k")
    ]
    assert dict(last_dealt_ns(past.reader, plans)) == {
        "text-1k": 1199 * HOUR_NS,
        "text-100k": HOUR_NS,
        "vision": 2299 * HOUR_NS,
    }


async def test_a_plan_that_ran_once_and_was_skipped_since(past: Past) -> None:
    """A rare plan's skipped slot counts although a thousand other skips follow it and its last run is near."""
    await past.run(1, "text-100k")
    await past.log.append(
        *(
            SlotSkipped(slot=f"s{n}", workload=name, scenario="single", nominal_ns=n * HOUR_NS, reason="over-budget")
            for n, name in ((2, "text-100k"), *((n, "text-1k") for n in range(3, 1200)))
        )
    )
    weekly = Plan(workload="text-100k", scenario="single", period_ns=168 * HOUR_NS, moment="aligned", jitter_ns=0)
    assert last_dealt_ns(past.reader, [weekly])["text-100k"] == 2 * HOUR_NS


async def test_only_the_current_day_counts_against_the_budget(past: Past) -> None:
    """Spending before midnight UTC does not count today."""
    endpoint = ENDPOINT
    paid = msgspec.structs.replace(
        past.completion(UUID(int=1), UUID(int=2), "text-1k"), cost_reported_usd=Decimal("0.25")
    )
    past.clock.step_wall(-13 * HOUR_NS)
    await past.log.append(paid)
    past.clock.step_wall(13 * HOUR_NS)
    await past.log.append(paid, paid)
    assert spent_today_usd(past.reader, {"e": endpoint}, at_worst, NOON_NS) == Decimal("0.5")


async def test_what_a_crash_left_open_counts_against_the_budget(past: Past) -> None:
    """A request that was sent and never ended counts as its worst case before anybody has closed it."""
    await past.started()
    attempt = await past.run(1, "text-1k", done=False)
    await past.run(2, "vision", done=False)
    await past.log.append(past.sending(attempt, UUID(int=1001)))
    assert spent_today_usd(past.reader, {"e": ENDPOINT}, at_worst, NOON_NS) == WORST


async def test_an_endpoint_that_is_configured_no_more_counts_against_the_budget(past: Past) -> None:
    """What was spent today at an endpoint that has left the configuration since is not forgotten."""
    gone = msgspec.structs.replace(
        ENDPOINT, prices=(Price(valid_from=date(2026, 1, 1), input_usd=Decimal(1), output_usd=Decimal(4)),)
    )
    await past.log.append(
        CatalogueDeclared(
            sha256="", vantage="here", providers=(), endpoints=(gone,), accounts=(), definitions=Definitions()
        )
    )
    completed = past.completion(UUID(int=1), UUID(int=2), "text-1k")
    used = UsageReported(input_tokens=1_000_000, output_tokens=500_000)
    timing = msgspec.structs.replace(completed.timing, sent_wall_ns=NOON_NS)
    await past.log.append(msgspec.structs.replace(completed, usage=used, timing=timing))
    assert spent_today_usd(past.reader, {}, at_worst, NOON_NS) == Decimal(3)
