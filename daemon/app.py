"""The daemon: closes what a crash left open, then runs slots until it is told to stop or the log fails.

It is given everything it uses, so the same object measures real services on the machine's clock and plays
weeks of simulated history. Command line, signals and other processes are not here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import structlog

from daemon.checkpoints import DAY_NS, checkpoint_due_ns
from daemon.history import LogHistory, last_dealt_ns, possibly_open
from daemon.integrity.daily import DailyLook
from daemon.recovery import unfinished
from daemon.runs.engine import RunEngine, RunRequest, RunSummary
from daemon.schedule.slots import Due, Missed, Plan, Rhythm, Slot
from daemon.schedule.waker import Waker
from daemon.telemetry import Telemetry
from daemon.world import World
from schemas.errors import MesswerkError
from schemas.events import CatalogueDeclared, DaemonStarted, DaemonStopped, SlotSkipped
from schemas.events.lifecycle import StopReason
from schemas.events.runs import SkipReason
from schemas.log import LogWriter

GRACE_S: Final = 20.0
"""How long a stopping daemon waits for requests under way before it cancels them."""

_WAS_NOT_THERE: Final = "the daemon was not running, or did not follow this plan"
_CLOCK_WENT_AHEAD: Final = "the machine slept, or its wall clock was set ahead"

_log = structlog.get_logger(__name__)


class StopReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a daemon ended: orderly, or because of ``failure``."""

    finished_in_flight: int
    cancelled_in_flight: int
    failure: MesswerkError | None = None


class Daemon:
    """Follows its plans through time and hands due slots to the engine."""

    def __init__(  # noqa: PLR0913  # given everything it uses
        self,
        *,
        started: DaemonStarted,
        catalogue: CatalogueDeclared,
        plans: Sequence[Plan],
        engine: RunEngine,
        log: LogWriter,
        history: LogHistory,
        waker: Waker,
        world: World,
        telemetry: Telemetry,
        look: DailyLook | None = None,
    ) -> None:
        self._started = started
        self._catalogue = catalogue
        self._plans = plans
        self._engine = engine
        self._log = log
        self._history = history
        self._waker = waker
        self._world = world
        self._telemetry = telemetry
        self._look = look
        self._running: dict[str, asyncio.Task[RunSummary]] = {}
        self._failure: MesswerkError | None = None
        self._over = asyncio.Event()
        self._rhythms: Sequence[Rhythm] = ()
        self._ticked = False
        self._silent: set[str] = set()
        self._checkpoint_due_ns = 0

    async def start(self) -> None:
        """Open the log's next chapter: recover, say who starts, declare what is measured. One transaction."""
        opened_before = unfinished(possibly_open(self._history), clock=self._engine.clock_kind)
        await self._log.append(self._started, *opened_before, self._catalogue)
        if opened_before:
            _log.warning("closed attempts that an earlier end left open", attempts=len(opened_before))
        if self._look is not None:
            self._look.resume()
        self._checkpoint_due_ns = checkpoint_due_ns(self._history) or self._world.clock.wall_ns() + DAY_NS
        dealt = last_dealt_ns(self._history, self._plans)
        self._rhythms = [Rhythm(plan, self._world.draw, dealt.get(plan.key)) for plan in self._plans]

    async def run(self, stop: asyncio.Event, *, grace_s: float = GRACE_S) -> StopReport:
        """Run slots until ``stop`` is set or something fails, then finish or cancel what is in flight.

        Call :meth:`start` first. Does not close the log.
        """
        if not stop.is_set():
            self._waker.start(self._wake)
            await self._wake()
        stopping = asyncio.ensure_future(stop.wait())
        failing = asyncio.ensure_future(self._over.wait())
        await asyncio.wait({stopping, failing}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        failing.cancel()
        self._waker.stop()
        return await self._wind_down(grace_s)

    async def stopped(self, reason: StopReason, report: StopReport | None = None) -> None:
        """Close the log's chapter: say why, and seal it with a checkpoint over everything."""
        report = report or StopReport(finished_in_flight=0, cancelled_in_flight=0)
        await self._log.append(
            DaemonStopped(
                reason=reason,
                detail=None if report.failure is None else str(report.failure),
                finished_in_flight=report.finished_in_flight,
                cancelled_in_flight=report.cancelled_in_flight,
            )
        )
        await self._log.checkpoint()

    def fail(self, problem: MesswerkError) -> None:
        """Stop measuring because of a problem that no later request can escape, such as a full disk."""
        if self._failure is None:
            self._failure = problem
            _log.error("measuring stops", reason=str(problem))
        self._over.set()

    @property
    def in_flight(self) -> Mapping[str, asyncio.Task[RunSummary]]:
        """Runs under way, by their plan's key."""
        return self._running

    def next_slot(self) -> tuple[Slot, int] | None:
        """Return the slot that begins next and the wall time at which it will; None without plans."""
        now_ns = self._world.clock.wall_ns()
        upcoming = [rhythm.upcoming(now_ns) for rhythm in self._rhythms]
        return min(upcoming, key=lambda slot_and_moment: slot_and_moment[1], default=None)

    async def _wake(self) -> None:
        """Deal with what is due. An error must not be left to the waker: it would go on, and nothing would run."""
        if self._over.is_set():
            return
        try:
            await self._tick()
        except MesswerkError as problem:
            self.fail(problem)
        except Exception as problem:  # noqa: BLE001  # whatever it is, measuring must stop aloud
            _log.exception("the schedule broke")
            self.fail(MesswerkError(f"the schedule broke: {problem!r}; this is a defect of Messwerk"))

    async def _tick(self) -> None:
        now_ns = self._world.clock.wall_ns()
        absence = _CLOCK_WENT_AHEAD if self._ticked else _WAS_NOT_THERE
        self._ticked = True
        for rhythm in self._rhythms:
            await self._deal(rhythm.plan, rhythm.decide(now_ns), absence)
            self._tell_silence(rhythm, now_ns)
        moments = [rhythm.upcoming(now_ns)[1] for rhythm in self._rhythms]
        if self._look is not None:
            self._look.begin_if_due()
            moments.append(self._look.next_ns())
        moments.append(await self._checkpoint_if_due(now_ns))
        self._waker.wake_at(min(moments))

    async def _checkpoint_if_due(self, now_ns: int) -> int:
        """Let no day pass without a checkpoint; return when the next one is due."""
        if now_ns >= self._checkpoint_due_ns:
            due_ns = checkpoint_due_ns(self._history)  # a look or the 1,000th event may have had one made
            if due_ns is None or not now_ns < due_ns <= now_ns + DAY_NS:
                await self._log.checkpoint()
                due_ns = now_ns + DAY_NS
            self._checkpoint_due_ns = due_ns
        return self._checkpoint_due_ns

    def _tell_silence(self, rhythm: Rhythm, now_ns: int) -> None:
        """Warn, once, when a plan has to wait for its wall clock to catch up: else its silence looks like health."""
        until_ns = rhythm.silent_until_ns(now_ns)
        if until_ns is None:
            self._silent.discard(rhythm.plan.key)
        elif rhythm.plan.key not in self._silent:
            self._silent.add(rhythm.plan.key)
            _log.warning(
                "slots to come are dealt with already: the wall clock was ahead, or is behind now",
                plan=rhythm.plan.key,
                nothing_before=Slot(rhythm.plan, until_ns).name,
            )

    async def _deal(self, plan: Plan, decisions: Sequence[Due | Missed], absence: str) -> None:
        skipped = [_skipped(decision, "missed", absence) for decision in decisions if isinstance(decision, Missed)]
        for decision in decisions:
            if not isinstance(decision, Due):
                continue
            if plan.key in self._running:
                skipped.append(_skipped(decision, "overlapping", "the slot before it is still running"))
            else:
                self._begin(plan, decision)
        for event in skipped:
            self._telemetry.slot(event.reason, event.workload, event.scenario)
        if skipped:
            await self._log.append(*skipped)

    def _begin(self, plan: Plan, due: Due) -> None:
        request = RunRequest(
            workload=plan.workload,
            scenario=plan.scenario,
            slot=due.slot.name,
            nominal_ns=due.slot.nominal_ns,
            late=due.late,
            endpoints=plan.endpoints,
        )
        begin_ns = self._world.clock.wall_ns()
        self._telemetry.slot(
            "late" if due.late else "on-time",
            plan.workload,
            plan.scenario,
            delay_s=(begin_ns - due.slot.nominal_ns) / 1e9,
        )
        task = asyncio.get_running_loop().create_task(self._engine.run(request), name=due.slot.name)
        self._running[plan.key] = task
        task.add_done_callback(lambda done: self._finished(plan, begin_ns, done))
        _log.info("slot begins", slot=due.slot.name, late=due.late)

    def _finished(self, plan: Plan, begin_ns: int, task: asyncio.Task[RunSummary]) -> None:
        self._running.pop(plan.key, None)
        if task.cancelled():
            return
        problem = task.exception()
        if problem is None:
            summary = task.result()
            if summary.run is not None:
                self._telemetry.run_completed(
                    summary.run,
                    workload=plan.workload,
                    slot=task.get_name(),
                    begin_ns=begin_ns,
                    end_ns=self._world.clock.wall_ns(),
                )
            _log.info(
                "slot ends", slot=task.get_name(), attempts=len(summary.attempts), skipped=summary.skipped or "no"
            )
        elif isinstance(problem, MesswerkError):
            self.fail(problem)
        else:
            # A defect of ours: the log holds what happened, and a silent daemon would be worse than none.
            _log.error("a run broke", slot=task.get_name(), exc_info=problem)
            self.fail(
                MesswerkError(f"the run of slot {task.get_name()} broke: {problem!r}; this is a defect of Messwerk")
            )

    async def _wind_down(self, grace_s: float) -> StopReport:
        self._engine.wind_down()
        if self._look is not None:
            await self._look.stop()
        tasks = set(self._running.values())
        finished: set[asyncio.Task[RunSummary]] = set()
        if tasks:
            _log.info("waiting for requests under way", runs=len(tasks), at_most_s=grace_s)
            finished, late = await asyncio.wait(tasks, timeout=0 if self._failure else grace_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
        report = StopReport(
            finished_in_flight=len(finished),
            cancelled_in_flight=len(tasks) - len(finished),
            failure=self._failure,
        )
        if self._log.failed is None:
            await self.stopped("error" if self._failure else "signal", report)
        return report


def _skipped(decision: Due | Missed, reason: SkipReason, detail: str) -> SlotSkipped:
    slot = decision.slot
    return SlotSkipped(
        slot=slot.name,
        workload=slot.plan.workload,
        scenario=slot.plan.scenario,
        nominal_ns=slot.nominal_ns,
        reason=reason,
        detail=detail,
    )
