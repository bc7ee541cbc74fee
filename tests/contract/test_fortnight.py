"""Fourteen days of the full schedule, in seconds: the real daemon, log and rules on a simulated clock."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.app import Daemon
from daemon.attempts.identity import AttemptIdentity, unsent
from daemon.configuration.builtin import DEFAULT_PLANS
from daemon.log import InlineLog, SqliteReader
from daemon.machine import daemon_started
from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunEngine
from daemon.runs.planning import Appointment, Order
from daemon.schedule.slots import plan_from
from daemon.schedule.waker import LoopWaker
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.telemetry import Telemetry
from daemon.workloads.contract import Prompt, Workload
from daemon.world import simulated_world
from schemas.catalogue import AccountFacts, EndpointFacts, ProviderFacts
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    DaemonStarted,
    Event,
    PromptFacts,
    RunPlanned,
    SlotSkipped,
    decode_event,
)
from schemas.log import LogWriter

SECOND_NS = 1_000_000_000
DAY_NS = 86_400 * SECOND_NS
MONDAY_NS = int(datetime(2026, 10, 19, tzinfo=UTC).timestamp()) * SECOND_NS
"""The fortnight after this Monday holds the European change to winter time, a day of 25 local hours."""

CATALOGUE = CatalogueDeclared(
    sha256="",
    vantage="here",
    providers=(ProviderFacts(name="p", title="P", concurrency=4),),
    endpoints=tuple(
        EndpointFacts(name=name, provider="p", dialect="openai-chat", base_url="http://p", model=name, vision=True)
        for name in ("a", "b")
    ),
    accounts=(AccountFacts(name="primary", provider="p", kind="primary"),),
    definitions=Definitions(),
)


class OneLine:
    """A workload of one short prompt, so that the fortnight is about time and not about text."""

    suite, needs_vision, max_output_tokens, nominal_input_tokens, window_s = "performance", False, 1, 1, 1

    def __init__(self, name: str) -> None:
        self.name = name

    def prompts(self, seed: str) -> Sequence[Prompt]:
        facts = PromptFacts(
            generator=self.name,
            generator_version=1,
            seed=seed,
            sha256=seed,
            input_tokens=1,
            min_output_tokens=1,
            max_output_tokens=1,
            task="none",
        )
        return [Prompt(text=seed, facts=facts)]


class TakesAMinute:
    """Sends nothing and takes a minute, as a request would."""

    def __init__(self, log: LogWriter) -> None:
        self._log = log

    async def send(
        self,
        identity: AttemptIdentity,
        order: Order,  # noqa: ARG002  # the contract's
        intended_wall_ns: int,  # noqa: ARG002  # the contract's
        appointment: Appointment | None = None,  # noqa: ARG002  # the contract's
    ) -> Sequence[AttemptCompleted]:
        await asyncio.sleep(60)
        completed = unsent(identity, clock="simulated", kind="refused-locally", message="simulated", status="error")
        await self._log.append(completed)
        return [completed]

    def wind_down(self) -> None:
        pass


def workloads() -> dict[str, Workload]:
    return {plan.workload: OneLine(plan.workload) for plan in DEFAULT_PLANS}


async def live(
    loop: SimulatedLoop, path: Path, begin_ns: int, seconds: float, seed: str, *, nap: float = 0, step_s: int = 0
) -> int:
    """Run one daemon over the log at ``path`` for so long and return the wall time at its end.

    Half way through the machine sleeps for ``nap`` seconds and its wall clock is corrected by ``step_s``.
    """
    clock = SimulatedClock(loop, begin_ns, boot=seed)
    log = InlineLog(path, source="here", clock=clock, commit_every=200)
    history = SqliteReader(path)
    world = simulated_world(clock, seed)
    engine = RunEngine(
        catalogue=CATALOGUE,
        workloads=workloads(),
        log=log,
        sender=TakesAMinute(log),
        budget=DailyBudget(None),
        world=world,
    )
    daemon = Daemon(
        started=daemon_started(configuration_sha256="", vantage="here", simulated=True),
        catalogue=CATALOGUE,
        plans=[plan_from(plan) for plan in DEFAULT_PLANS],
        engine=engine,
        log=log,
        history=history,
        waker=LoopWaker(clock),
        world=world,
        telemetry=Telemetry(),
    )
    await daemon.start()
    stop = asyncio.Event()

    async def end() -> None:
        await asyncio.sleep(seconds / 2)
        if nap:
            clock.sleep_machine(nap)
        clock.step_wall(step_s * SECOND_NS)
        await asyncio.sleep(seconds / 2)
        stop.set()

    ending = asyncio.create_task(end())
    report = await daemon.run(stop, grace_s=300)
    await ending
    assert report.failure is None
    await log.close()
    history.close()
    return clock.wall_ns()


def read(path: Path) -> list[Event]:
    reader = SqliteReader(path)
    stored = reader.read_after(0, limit=1_000_000)
    reader.close()
    return [event for entry in stored if (event := decode_event(entry.envelope)) is not None]


def dealt_with(events: Sequence[Event]) -> Counter[str]:
    return Counter(
        event.slot for event in events if isinstance(event, RunPlanned | SlotSkipped) and event.slot is not None
    )


def slots_of(slots: Counter[str], plan: str) -> list[str]:
    return [slot for slot in slots if slot.startswith(f"{plan}@")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    path = tmp_path_factory.mktemp("fortnight") / "events.sqlite3"
    run_simulated(lambda loop: live(loop, path, MONDAY_NS, 14 * 86_400 - 30, "undisturbed"))
    return read(path)


@pytest.mark.parametrize("workload", ["text-1k", "text-10k", "vision"])
def test_eight_slots_a_day(undisturbed: list[Event], workload: str) -> None:
    """Each 8-a-day workload has 112 slots in 14 days, also over a day of 25 local hours."""
    slots = dealt_with(undisturbed)
    assert len(slots_of(slots, workload)) == 112
    assert set(slots.values()) == {1}
    assert not [event for event in undisturbed if isinstance(event, SlotSkipped)]


def test_a_parallel_run_a_day_at_a_time_of_its_own(undisturbed: list[Event]) -> None:
    """The parallel scenario runs on each of 14 days, each time at another time of day."""
    starts = [
        event.planned_ns for event in undisturbed if isinstance(event, RunPlanned) and event.scenario == "parallel-10"
    ]
    assert [start_ns // DAY_NS for start_ns in starts] == [MONDAY_NS // DAY_NS + day for day in range(14)]
    assert len({start_ns % DAY_NS for start_ns in starts}) == 14


def test_the_long_prompt_runs_once_a_week(undisturbed: list[Event]) -> None:
    """The 100k workload has two slots in a fortnight."""
    assert slots_of(dealt_with(undisturbed), "text-100k") == [
        "text-100k@2026-10-19T00:00Z",
        "text-100k@2026-10-26T00:00Z",
    ]


def test_a_run_sends_one_prompt_to_every_endpoint(undisturbed: list[Event]) -> None:
    """All endpoints of a run get the same prompt, and no two runs share one."""
    runs = [event for event in undisturbed if isinstance(event, RunPlanned)]
    assert all({planned.endpoint for planned in run.attempts} == {"a", "b"} for run in runs)
    assert len({run.prompts[0].sha256 for run in runs}) == len(runs)


def test_every_planned_attempt_is_completed_once(undisturbed: list[Event]) -> None:
    """At the end each planned attempt has exactly one completion."""
    planned = [entry.attempt for event in undisturbed if isinstance(event, RunPlanned) for entry in event.attempts]
    completed = [event.attempt for event in undisturbed if isinstance(event, AttemptCompleted)]
    assert sorted(planned) == sorted(completed)


def test_restarts_repeat_nothing_and_leave_nothing_out(tmp_path: Path) -> None:
    """Over 20 restarts and a sleep of 10 hours every slot is dealt with exactly once, and the sleep's are missed."""
    path = tmp_path / "events.sqlite3"
    chance = random.Random(20)
    cuts = sorted(chance.sample(range(1, 14 * 86_400), 20))
    spans = [end - begin for begin, end in zip([0, *cuts], [*cuts, 14 * 86_400 - 30], strict=True)]
    longest = spans.index(max(spans))

    async def main(loop: SimulatedLoop) -> None:
        now_ns, slept_s = MONDAY_NS, 0.0
        for number, seconds in enumerate(spans):
            nap = 36_000.0 if number == longest else 0.0
            stay_s = max(1.0, seconds - slept_s - nap)
            slept_s = max(0.0, slept_s + nap - seconds)
            now_ns = await live(loop, path, now_ns, stay_s, f"restart {number}", nap=nap)

    run_simulated(main)
    events = read(path)
    slots = dealt_with(events)
    assert sum(isinstance(event, DaemonStarted) for event in events) == 21
    assert set(slots.values()) == {1}
    for workload in ("text-1k", "text-10k", "vision"):
        assert len(slots_of(slots, workload)) == 112
    assert len(slots_of(slots, "text-1k/parallel-10")) == 14
    assert len(slots_of(slots, "text-100k")) == 2
    missed = [event for event in events if isinstance(event, SlotSkipped) and event.reason == "missed"]
    assert 6 <= len(missed) <= 9, "ten hours hold two or three slots of each of three workloads that nobody caught up"


@pytest.mark.parametrize("wrong_s", [-5 * 3600, -3600, 3600, 5 * 3600])
def test_a_clock_that_is_wrong_at_the_start_and_corrected(tmp_path: Path, wrong_s: int) -> None:
    """A wall clock that starts hours wrong and is corrected an hour later repeats no slot and leaves none out."""
    path, day_s = tmp_path / "events.sqlite3", 86_400

    async def main(loop: SimulatedLoop) -> None:
        begin_ns = await live(loop, path, MONDAY_NS, day_s, "before")
        begin_ns += wrong_s * SECOND_NS
        begin_ns = await live(loop, path, begin_ns, 2 * 3600, "wrong", step_s=-wrong_s)
        await live(loop, path, begin_ns, day_s, "after")

    run_simulated(main)
    slots = dealt_with(read(path))
    assert set(slots.values()) == {1}
    moments = sorted(slot.partition("@")[2] for slot in slots_of(slots, "text-10k"))
    assert len(moments) == 17
    assert (moments[0], moments[-1]) == ("2026-10-19T00:00Z", "2026-10-21T00:00Z")
