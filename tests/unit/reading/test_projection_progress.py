"""The service around a runner: how far it is behind, when it is stalled, and what it does about trouble."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

import pytest
from aiohttp.test_utils import TestClient, TestServer

from projections.errors import HealthPortError, QuarantineLimitError, SourceUnreachableError, StalledError, StoreError
from projections.health import make_health, serve_health
from projections.progress import Sighting, Watchdog, lag, waiting
from projections.retries import Again, Retry
from projections.runner import Runner
from projections.service import ProjectionService, Rhythm
from projections.source import EventSource
from schemas.log import StoredEvent


def test_lag_counts_what_is_there_and_not_folded() -> None:
    """Lag is by source, never negative, and counts a source that was not folded at all from its beginning."""
    assert lag({"a": 10, "b": 4, "c": 2}, {"a": 7, "c": 9}) == {"a": 3, "b": 4, "c": 0}
    assert waiting({"a": 3, "b": 4}, {"b"}) == 3


def test_the_watchdog_counts_only_stillness_with_work_to_do() -> None:
    """Time counts while something waits and neither folding nor reading moves; an idle reader is never stalled."""
    dog = Watchdog(0.0)
    dog.see(Sighting(folded=5, read=5, behind=3), 10.0)
    dog.see(Sighting(folded=5, read=5, behind=3), 30.0)
    assert dog.still_s(30.0) == 20.0
    dog.see(Sighting(folded=5, read=9, behind=3), 40.0)
    assert dog.still_s(40.0) == 0.0
    dog.see(Sighting(folded=5, read=9, behind=None), 50.0)
    assert dog.still_s(50.0) == 10.0
    dog.see(Sighting(folded=5, read=9, behind=0), 60.0)
    assert dog.still_s(60.0) == 0.0


class End(EventSource):
    """A source of which only the end is known."""

    def __init__(self, end: int) -> None:
        self.end = end

    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:  # noqa: ARG002  # nothing to read
        return ()

    async def ends(self) -> Mapping[str, int]:
        return {"lab": self.end}

    async def identify(self, source: str, seq: int) -> UUID | None:  # noqa: ARG002  # nothing to find
        return None


class Steps:
    """Stands in for a runner: each step does what it is told, the last one over and over."""

    def __init__(self, *steps: Exception | int) -> None:
        self.steps = list(steps)
        self.stopped: dict[str, Exception] = {}
        self.positions = {"lab": 0}

    async def open(self) -> None:
        pass

    def retries(self, now_s: float) -> dict[str, Retry]:
        return {source: Retry(tries=2, next_in_s=7.0) for source in self.stopped if now_s >= 0}

    async def step(self, _: EventSource) -> int:
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, Exception):
            raise step
        self.positions["lab"] += step
        return step


def service_over(steps: Steps, end: int, stall_s: float = 1000.0, **given: Any) -> ProjectionService:
    rhythm = Rhythm(look_s=0.001, watch_s=0.001, stall_s=stall_s)
    return ProjectionService(cast("Runner", steps), End(end), ("attempts",), rhythm=rhythm, **given)


async def until(true: Any) -> None:
    for _ in range(5000):
        if true():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("waited in vain")


async def test_trouble_that_passes_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that is away makes the service unready with the reason, and it goes on when the broker is back."""
    monkeypatch.setattr("projections.service._AGAIN_S", 0.001)
    steps = Steps(SourceUnreachableError("no broker"))
    told: list[int] = []
    service = service_over(steps, 4, tell_lag=told.append)
    stop = asyncio.Event()
    running = asyncio.create_task(service.run(stop))
    await until(lambda: service.report().phase == "trouble")
    assert (service.report().ready, service.report().trouble) == (False, "no broker")
    steps.steps = [4, 0]
    await until(lambda: service.report().ready and service.report().lag == {"lab": 0})
    stop.set()
    await running
    assert {4, 0} <= set(told)


async def test_too_much_undecodable_waits_for_people_and_is_tried_again() -> None:
    """Above the limits the service is unready and says when it tries again; after a decision it goes on."""
    steps = Steps(QuarantineLimitError("11 undecodable records", source="lab"))
    service = service_over(steps, 4, stall_s=0.02, again=Again(first_s=0.01, longest_s=0.02))
    stop = asyncio.Event()
    running = asyncio.create_task(service.run(stop))
    await until(lambda: (retry := service.report().trouble_retry) is not None and retry.tries > 3)
    report = service.report()
    assert (report.phase, report.ready, report.trouble) == ("trouble", False, "11 undecodable records")
    steps.steps = [4, 0]
    await until(lambda: service.report().ready and service.report().trouble_retry is None)
    stop.set()
    await running


async def test_trouble_that_does_not_pass_ends_the_service() -> None:
    """What waiting cannot mend is raised, so that the process ends with the reason."""
    with pytest.raises(StoreError, match="no such table"):
        await service_over(Steps(StoreError("no such table")), 4).run(asyncio.Event())


async def test_a_stalled_service_is_unready_and_then_ends() -> None:
    """Events that wait while nothing moves end the service with an error that says how many."""
    service = service_over(Steps(0), 7, stall_s=0.05)
    running = asyncio.create_task(service.run(asyncio.Event()))
    await until(lambda: service.report().phase == "stalled")
    assert not service.report().ready
    with pytest.raises(StalledError, match="7 events wait"):
        await running


async def test_a_source_that_stopped_is_no_stall() -> None:
    """What waits for people makes the service unready, with the reason, and does not end it."""
    steps = Steps(0)
    steps.stopped = {"lab": StoreError("a gap")}
    service = service_over(steps, 7, stall_s=0.02)
    stop = asyncio.Event()
    running = asyncio.create_task(service.run(stop))
    await asyncio.sleep(0.1)
    assert (service.report().phase, service.report().ready) == ("folding", False)
    assert service.report().stopped == {"lab": "a gap"}
    assert service.report().retries == {"lab": Retry(tries=2, next_in_s=7.0)}
    stop.set()
    await running


async def test_health_and_readiness_over_http() -> None:
    """Health fails only when nothing moves; readiness also while starting; both carry the report."""
    service = service_over(Steps(0), 0)
    async with TestClient(TestServer(make_health(service.report))) as client:
        assert (await client.get("/health")).status == 200
        answer = await client.get("/ready")
        assert (answer.status, (await answer.json())["phase"]) == (503, "starting")


async def test_a_taken_port_is_said_with_its_remedy() -> None:
    """A health port that something else holds is an error of configuration that names the setting."""
    report = service_over(Steps(0), 0).report
    async with serve_health(report, "127.0.0.1", 0) as address:
        with pytest.raises(HealthPortError, match="health_port"):
            async with serve_health(report, "127.0.0.1", int(address.rpartition(":")[2])):
                raise AssertionError("two listen on one port")
