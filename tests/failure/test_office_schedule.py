"""The office tasks by the schedule: weekly slots of a daemon in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from office_running import Documents, sent
from simulated_asking import PRICED_FROM

from daemon import composition
from daemon.composition import Parts, make_daemon
from daemon.configuration import Secrets
from daemon.judging.office.judge import OfficeFields
from daemon.log import BlobStore, InlineLog, SqliteReader
from daemon.paths import DataPaths
from daemon.reference.office.answering import OfficeService
from daemon.reference.office.planning import OfficeModel
from daemon.reference.script import Script
from daemon.reference.service import ReferenceService
from daemon.schedule.waker import LoopWaker
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.telemetry import Telemetry
from daemon.world import simulated_world
from schemas.catalogue import Price
from schemas.configuration import (
    AccountTable,
    Configuration,
    DaemonTable,
    EndpointTable,
    OfficeTable,
    PlanTable,
    ProviderTable,
)
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted, Event, JudgmentRecorded, RunPlanned, SlotSkipped, decode_event

MONDAY_NS = 1_796_083_200_000_000_000 - 5 * 3_600 * 1_000_000_000
DAY_S = 86_400
CONFIGURATION = Configuration(
    daemon=DaemonTable(source="here", vantage="here"),
    office=OfficeTable(pairs=3),
    providers=(ProviderTable(name="reference"),),
    endpoints=(
        EndpointTable(
            name="right",
            provider="reference",
            dialect="openai-chat",
            base_url="http://reference.invalid/right/v1",
            model="right",
            reasoning="none",
            pinned_provider="reference",
            price=(Price(valid_from=PRICED_FROM, input_usd=Decimal(1), output_usd=Decimal(1)),),
        ),
    ),
    accounts=(AccountTable(name="reference", provider="reference", keyless=True),),
    plans=(PlanTable(workload="office", every="7d"),),
)


class Counting(OfficeService):
    """Calls something at its n-th request."""

    def __init__(self, documents: Documents, at: int | None) -> None:
        super().__init__((OfficeModel(name="right", title=""),), sent(documents, 3))
        self.requests = 0
        self.at = at
        self.call: Callable[[], None] = lambda: None

    def begin(self, name: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        self.requests += 1
        if self.requests == self.at:
            self.call()
        return super().begin(name, body, response_id=response_id, wall_ns=wall_ns)


def live(
    root: Path,
    days: float,
    start_ns: int,
    monkeypatch: pytest.MonkeyPatch,
    data: Any = Documents,
    until: int | None = None,
) -> int:
    """Let a daemon live for some days, or until so many requests; return the wall time at its end."""
    office = Counting(Documents(), until)
    service = ReferenceService(
        history_start_ns=start_ns,
        seed="office",
        players=(office,),
    )
    monkeypatch.setattr(composition, "data_set", lambda _table, _lookup: data())
    paths = DataPaths(root)

    async def main(loop: SimulatedLoop) -> int:
        clock = SimulatedClock(loop, start_ns)
        log = InlineLog(paths.log, source="here", clock=clock, commit_every=100)
        history = SqliteReader(paths.log)
        try:
            daemon = make_daemon(
                CONFIGURATION,
                Parts(
                    world=simulated_world(clock, str(start_ns)),
                    transport=SimulatedTransport(service, clock),
                    log=log,
                    history=history,
                    blobs=BlobStore(paths.blobs, clock),
                    keys=Secrets({}),
                    waker=LoopWaker(clock, sweep_s=1800.0),
                    telemetry=Telemetry(),
                    paths=paths,
                ),
            )
            await daemon.start()
            stop = asyncio.Event()
            loop.call_later(days * DAY_S, stop.set)
            office.call = stop.set
            report = await daemon.run(stop)
            assert report.failure is None
        finally:
            history.close()
            await log.close()
        return clock.wall_ns()

    return run_simulated(main)


def events(root: Path) -> list[Event]:
    history = SqliteReader(DataPaths(root).log)
    try:
        return [event for each in history.read_after(0, limit=100_000) if (event := decode_event(each.envelope))]
    finally:
        history.close()


def test_weekly_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first slot asks about everything, later ones plan nothing, and a restart finds every slot dealt with."""
    end_ns = live(tmp_path, 15, MONDAY_NS, monkeypatch)
    live(tmp_path, 1, end_ns + 60_000_000_000, monkeypatch)
    found = events(tmp_path)
    planned = [each for each in found if isinstance(each, RunPlanned)]
    slots = list(dict.fromkeys(each.slot for each in planned))
    assert all(slot is not None and slot.startswith("office@") for slot in slots)
    assert len(slots) >= 2
    assert [(each.workload, len(each.attempts)) for each in planned if each.slot == slots[0]] == [
        ("office-invoice", 6),
        ("office-email", 6),
        ("office-personal", 6),
        ("language-tax", 301),
    ]
    assert not [each for each in planned if each.slot != slots[0] and each.attempts]
    assert not [each for each in found if isinstance(each, SlotSkipped)]
    assert sum(isinstance(each, AttemptCompleted) for each in found) == 319
    assert {each.verdict for each in found if isinstance(each, JudgmentRecorded)} == {True, None}


def test_a_slot_that_broke_off_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that is stopped amid a slot goes on with it at its next start, and asks nothing twice."""
    end_ns = live(tmp_path, 8, MONDAY_NS, monkeypatch, until=9)
    begun = [each for each in events(tmp_path) if isinstance(each, AttemptCompleted) and each.status == "response"]
    live(tmp_path, 1, end_ns + 60_000_000_000, monkeypatch)
    found = events(tmp_path)
    answered = [each for each in found if isinstance(each, AttemptCompleted) and each.status == "response"]
    assert len(begun) == 9
    assert len(answered) == 319
    assert len({each.slot for each in answered}) == 1
    assert not [each for each in found if isinstance(each, SlotSkipped)]


def test_documents_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the salt that the configuration names a slot is skipped with the reason, and the daemon goes on."""

    def no_salt() -> Documents:
        raise ConfigurationError("[office] salt_env names MISSING, and that environment variable is not set")

    live(tmp_path, 8, MONDAY_NS, monkeypatch, no_salt)
    (skipped, *_) = [each for each in events(tmp_path) if isinstance(each, SlotSkipped)]
    assert skipped.workload == "office"
    assert skipped.detail is not None
    assert "MISSING" in skipped.detail


def test_rescoring_supersedes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under another version of the rules every judgment in force is superseded by the next slot, and none edited."""
    end_ns = live(tmp_path, 8, MONDAY_NS, monkeypatch)
    before = [each for each in events(tmp_path) if isinstance(each, JudgmentRecorded)]
    monkeypatch.setattr(OfficeFields, "version", "2")
    live(tmp_path, 8, end_ns + 60_000_000_000, monkeypatch)
    after = [each for each in events(tmp_path) if isinstance(each, JudgmentRecorded)]
    assert after[: len(before)] == before
    assert {each.supersedes for each in after[len(before) :]} == {each.judgment for each in before}
    assert {each.judge.version for each in after[len(before) :]} == {"2"}
