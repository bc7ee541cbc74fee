"""Carries out one run: plans it in the log, sends its requests within limits, and closes every one of them.

What is due and when is the schedule's business; one request is :mod:`daemon.attempts.sending`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol
from uuid import UUID

import msgspec

from daemon.attempts.identity import AttemptIdentity, RunIdentity, unsent
from daemon.calibration.contract import UNCALIBRATED, Calibrator, RunCalibration
from daemon.runs.budget import IMAGE_TOKENS, DailyBudget, cost_of, utc_day, worst_case_usd
from daemon.runs.gates import Gates
from daemon.runs.muster import Muster, Place
from daemon.runs.planning import (
    Appointment,
    Order,
    able_endpoints,
    in_ordinal_order,
    in_pairs,
    orders,
    output_limit_tokens,
    run_prompts,
)
from daemon.uninterrupted import uninterrupted
from daemon.workloads.contract import Prompt, Workload
from daemon.world import World
from schemas.catalogue import EndpointFacts
from schemas.errors import LogError, MesswerkError
from schemas.events import AttemptCompleted, CatalogueDeclared, RunPlanned, SlotSkipped
from schemas.events.attempts import ClockKind
from schemas.events.runs import Scenario, SkipReason, Trigger
from schemas.log import LogWriter


class Sender(Protocol):
    """Sends one request and its retries; appends its events and returns the last attempt."""

    async def send(
        self, identity: AttemptIdentity, order: Order, intended_wall_ns: int, appointment: Appointment | None = None
    ) -> Sequence[AttemptCompleted]:
        """Return every attempt made, in order. When cancelled, record that first.

        appointment: with whom the first attempt goes out; further ones are each account's own.
        """

    def wind_down(self) -> None:
        """Make no further attempt at any request."""


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. ``endpoints`` empty: all that can do it."""

    workload: str
    scenario: Scenario = "single"
    trigger: Trigger = "schedule"
    slot: str | None = None
    nominal_ns: int | None = None
    late: bool = False
    endpoints: tuple[str, ...] = ()


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run. ``skipped`` tells why nothing was sent; otherwise every attempt is here."""

    run: UUID | None
    attempts: tuple[AttemptCompleted, ...] = ()
    skipped: SkipReason | None = None
    detail: str | None = None


_STOPPED: Final = RunSummary(run=None, skipped="stopping", detail="the daemon stopped before the run was planned")
"""Goes with no event: the slot has not been dealt with, so the next start runs it late or records it as missed."""


class Suite(Protocol):
    """Runs workloads in its own way, such as over a data set; closes every attempt that it plans."""

    async def run(self, request: RunRequest) -> RunSummary:
        """See :meth:`RunEngine.run`."""

    def wind_down(self) -> None:
        """Send nothing more."""


class RunEngine:
    """Runs workloads over the endpoints of a catalogue, one request at a time per endpoint.

    Where a provider has several accounts, each request goes out from all of them together.
    pair: else the measuring accounts ask alone.
    calibrator: asked before each run of the schedule; None where nothing is to be calibrated.
    clock_kind: of the transport's times; default: of the world's.
    gates: shared with whatever else asks the same endpoints; made here by default.
    suites: carry out the workloads that they are named by.
    """

    def __init__(  # noqa: PLR0913  # given everything it uses
        self,
        *,
        catalogue: CatalogueDeclared,
        workloads: Mapping[str, Workload],
        log: LogWriter,
        sender: Sender,
        budget: DailyBudget,
        world: World,
        calibrator: Calibrator | None = None,
        clock_kind: ClockKind | None = None,
        pair: bool = True,
        gates: Gates | None = None,
        suites: Mapping[str, Suite] | None = None,
    ) -> None:
        self._suites = suites or {}
        self._pair = pair
        self.clock_kind = clock_kind or world.clock_kind
        self._calibrator = calibrator
        self._in_flight = 0
        self._catalogue = catalogue
        self._workloads = workloads
        self._log = log
        self._sender = sender
        self._budget = budget
        self._world = world
        self._winding_down = asyncio.Event()
        self._muster = Muster()
        self._gates = gates or gates_of(catalogue)
        for provider in catalogue.providers:
            asking = sum(account.provider == provider.name for account in catalogue.accounts) if pair else 1
            if asking > provider.concurrency:
                raise ValueError(
                    f"{asking} accounts ask {provider.name} at once, more than {provider.concurrency} place(s)"
                )

    def wind_down(self) -> None:
        """Send nothing more: what is under way may come to its end, and what waits is closed unsent."""
        self._winding_down.set()
        self._sender.wind_down()
        for suite in self._suites.values():
            suite.wind_down()

    async def run(self, request: RunRequest) -> RunSummary:
        """Plan, send and close a run; a slot that cannot run is recorded as skipped.

        Raises :class:`schemas.errors.LogError` when the log fails. When cancelled, every attempt that is
        still open is closed first: under way as ``cancelled``, not yet sent as ``not-completed``.
        """
        suite = self._suites.get(request.workload)
        if suite is not None:
            return await suite.run(request)
        workload = self._workloads[request.workload]
        endpoints = able_endpoints(self._catalogue.endpoints, workload, request.endpoints)
        if not endpoints:
            return await self._skip(request, "no-endpoints", "no enabled endpoint can do this workload")
        if self._calibrator is None or request.trigger != "schedule":
            return await self._run(request, workload, endpoints, None)
        with self._muster.joined() as place:
            return await self._run(request, workload, endpoints, place)

    async def _calibration(self, request: RunRequest, place: Place | None) -> RunCalibration:
        """Ask the calibrator, once whoever began with this run is prepared, too; not longer than until a stop."""
        if self._calibrator is None or place is None:
            return UNCALIBRATED
        await place.ready()
        asking = asyncio.ensure_future(
            self._calibrator.before_run(request.scenario, in_flight=lambda: self._in_flight > 0)
        )
        stopping = asyncio.ensure_future(self._winding_down.wait())
        try:
            await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            asking.cancel()
            await asyncio.wait({asking})
        return UNCALIBRATED if asking.cancelled() else asking.result()

    async def _run(
        self,
        request: RunRequest,
        workload: Workload,
        endpoints: Sequence[EndpointFacts],
        place: Place | None,
    ) -> RunSummary:
        prompts = await self._world.offload(run_prompts, workload, request.scenario, self._world.new_seed())
        if self._winding_down.is_set():
            return _STOPPED
        ordered = orders(endpoints, self._catalogue.accounts, prompts, self._world.new_id, pair=self._pair)
        if not ordered:
            return await self._skip(request, "no-endpoints", "no endpoint has an account to measure with")
        refusal = self._budget.refusal(
            sum((self._worst_case_usd(order) for order in ordered), start=Decimal(0)),
            utc_day(self._world.clock.wall_ns()),
        )
        if refusal is not None:
            return await self._skip(request, "over-budget", refusal)
        for order in ordered:
            self._budget.reserve(order.attempt, self._worst_case_usd(order))
        try:
            calibration = await self._calibration(request, place)
            if self._winding_down.is_set():
                return _STOPPED
            self._in_flight += 1
            try:
                return await self._carry_out(request, workload.suite, prompts, ordered, calibration)
            finally:
                self._in_flight -= 1
        finally:
            for order in ordered:
                self._budget.release(order.attempt)

    async def _carry_out(
        self,
        request: RunRequest,
        suite: str,
        prompts: Sequence[Prompt],
        ordered: list[Order],
        calibration: RunCalibration,
    ) -> RunSummary:
        # Which endpoint comes first must not be the same each time: hours of the day would become endpoints' hours.
        self._world.shuffle(ordered)
        ordered = in_ordinal_order(ordered)
        identity = RunIdentity(
            run=self._world.new_id(),
            suite=suite,
            workload=request.workload,
            scenario=request.scenario,
            slot=request.slot,
        )
        planned = RunPlanned(
            run=identity.run,
            suite=identity.suite,
            workload=identity.workload,
            scenario=identity.scenario,
            trigger=request.trigger,
            slot=request.slot,
            nominal_ns=request.nominal_ns,
            planned_ns=self._world.clock.wall_ns(),
            late=request.late,
            prompts=tuple(prompt.facts for prompt in prompts),
            attempts=tuple(order.planned() for order in ordered),
            calibration=calibration.calibration,
            calibration_within_bounds=calibration.within_bounds,
            calibration_basis=calibration.basis,
        )
        waiting = {order.attempt: order for order in ordered}
        try:
            # A cancelled append is stored all the same, so whatever it plans must be closed like the rest.
            await uninterrupted(self._log.append(planned))
            attempts = await self._send_all(identity, ordered, waiting)
        except LogError:
            if self._log.failed is not None:
                waiting.clear()  # nothing can be recorded any more: the next start closes what is open
            raise
        finally:
            if waiting:
                await uninterrupted(self._close_unsent(identity, tuple(waiting.values())))
        return RunSummary(run=identity.run, attempts=tuple(attempts))

    async def _send_all(
        self, run: RunIdentity, ordered: Sequence[Order], waiting: dict[UUID, Order]
    ) -> list[AttemptCompleted]:
        """Send everything; an order leaves ``waiting`` when the sender takes it, who then sees to its end."""
        try:
            async with asyncio.TaskGroup() as group:
                by_endpoint: dict[str, list[Order]] = {}
                for order in ordered:
                    by_endpoint.setdefault(order.endpoint.name, []).append(order)
                send = self._send_parallel if run.scenario == "parallel-10" else self._send_in_turn
                tasks = [group.create_task(send(run, batch, waiting)) for batch in by_endpoint.values()]
        except* MesswerkError as failures:
            raise _first(failures) from None
        return [completed for task in tasks for completed in task.result()]

    async def _send_in_turn(
        self, run: RunIdentity, batch: Sequence[Order], waiting: dict[UUID, Order]
    ) -> Sequence[AttemptCompleted]:
        """Send a run's requests to one endpoint, each waiting anew: sixty in a queue would hold up other runs."""
        attempts: list[AttemptCompleted] = []
        for pair in in_pairs(batch):
            endpoint = pair[0].endpoint
            async with self._gates.single(endpoint.provider, endpoint.name, len(pair)):
                attempts += await self._send_together(run, pair, waiting)
        return attempts

    async def _send_parallel(
        self, run: RunIdentity, batch: Sequence[Order], waiting: dict[UUID, Order]
    ) -> Sequence[AttemptCompleted]:
        async with self._gates.whole_provider(batch[0].endpoint.provider), asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._send_together(run, pair, waiting)) for pair in in_pairs(batch)]
        return [completed for task in tasks for completed in task.result()]

    async def _send_together(
        self, run: RunIdentity, pair: Sequence[Order], waiting: dict[UUID, Order]
    ) -> Sequence[AttemptCompleted]:
        """Send one payload from all accounts that ask; they go out in the order of ``pair``, which was drawn."""
        if len(pair) == 1:
            return await self._send(run, pair[0], waiting, None)
        meeting = str(self._world.new_id())
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._send(run, order, waiting, Appointment(meeting, len(pair), place)))
                for place, order in enumerate(pair)
            ]
        return [completed for task in tasks for completed in task.result()]

    async def _send(
        self, run: RunIdentity, order: Order, waiting: dict[UUID, Order], appointment: Appointment | None
    ) -> Sequence[AttemptCompleted]:
        if self._winding_down.is_set():
            return ()
        del waiting[order.attempt]
        attempts = await self._sender.send(
            AttemptIdentity.first(run, order), order, self._world.clock.wall_ns(), appointment
        )
        for completed in attempts:
            self._count_cost(completed, order)
        self._budget.release(order.attempt)
        return attempts

    def _count_cost(self, completed: AttemptCompleted, order: Order) -> None:
        day = utc_day(completed.timing.sent_wall_ns or self._world.clock.wall_ns())
        self._budget.spend(cost_of(completed, order.endpoint, self._worst_case_usd(order), day), day)

    def _worst_case_usd(self, order: Order) -> Decimal:
        facts = order.prompt.facts
        input_tokens = facts.input_tokens + IMAGE_TOKENS * len(order.prompt.images)
        limit = output_limit_tokens(order.endpoint, facts.max_output_tokens)
        return worst_case_usd(order.endpoint, input_tokens, limit, utc_day(self._world.clock.wall_ns()))

    async def _close_unsent(self, run: RunIdentity, unsent_orders: Sequence[Order]) -> None:
        await self._log.append(
            *(
                unsent(
                    AttemptIdentity.first(run, order),
                    clock=self.clock_kind,
                    kind="stopping",
                    message="the daemon stopped before this request was sent",
                )
                for order in unsent_orders
            )
        )

    async def _skip(self, request: RunRequest, reason: SkipReason, detail: str) -> RunSummary:
        if request.slot is not None and request.nominal_ns is not None:
            await self._log.append(
                SlotSkipped(
                    slot=request.slot,
                    workload=request.workload,
                    scenario=request.scenario,
                    nominal_ns=request.nominal_ns,
                    reason=reason,
                    detail=detail,
                )
            )
        return RunSummary(run=None, skipped=reason, detail=detail)


def gates_of(catalogue: CatalogueDeclared) -> Gates:
    """Make the gates of every provider."""
    return Gates({provider.name: provider.concurrency for provider in catalogue.providers})


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first single error of a group: a parallel batch fails as a group within the run's group."""
    problem: BaseException = failures
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem
