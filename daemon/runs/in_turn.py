"""Plans asks as one run in the log, and carries them out: endpoints side by side, each one ask at a time.

Every planned attempt is closed, however the run ends. What an ask is, and when an endpoint is asked no more, is the
caller's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from daemon.attempts.identity import AttemptIdentity, RunIdentity, unsent
from daemon.runs.means import Means
from daemon.runs.planning import Order
from daemon.runs.spending import Purse
from daemon.uninterrupted import uninterrupted
from daemon.workloads.contract import Prompt
from schemas.errors import MesswerkError
from schemas.events import RunPlanned
from schemas.events.runs import Trigger

Errand = Callable[[AttemptIdentity], Awaitable[bool]]
"""Carries one order out from its first attempt to its end; False where its endpoint is to be asked no more."""

Lane = Sequence[tuple[Order, Errand]]
"""What one endpoint is asked, in order."""


class InTurn:
    """One run. ``told``: called with how many orders are dealt with, of how many, at the start and after each.

    ``stopped``: why it ended before its end, or None.
    """

    def __init__(self, means: Means, purse: Purse, told: Callable[[int, int], None]) -> None:
        self._means = means
        self._purse = purse
        self._told = told
        self._waiting: dict[UUID, Order] = {}
        self._done = self._planned = 0
        self.stopped: str | None = None

    async def carry_out(  # what the log says of a run
        self,
        identity: RunIdentity,
        prompts: Sequence[Prompt],
        lanes: Sequence[Lane],
        *,
        trigger: Trigger = "command",
        nominal_ns: int | None = None,
        late: bool = False,
    ) -> None:
        """Plan and carry out. prompts: by the ordinals of the orders.

        When cancelled, whatever is planned is closed first. Raises :class:`schemas.errors.LogError` when the log
        fails.
        """
        means = self._means
        ordered = [order for lane in lanes for order, _ in lane]
        planned = RunPlanned(
            run=identity.run,
            suite=identity.suite,
            workload=identity.workload,
            scenario=identity.scenario,
            trigger=trigger,
            slot=identity.slot,
            nominal_ns=nominal_ns,
            planned_ns=means.world.clock.wall_ns(),
            late=late,
            prompts=tuple(prompt.facts for prompt in prompts),
            attempts=tuple(order.planned() for order in ordered),
        )
        self._waiting = {order.attempt: order for order in ordered}
        self._planned = len(ordered)
        self._told(self._done, self._planned)
        try:
            # A cancelled append is stored all the same, so whatever it plans must be closed like the rest.
            await uninterrupted(means.log.append(planned))
            async with asyncio.TaskGroup() as group:
                for lane in lanes:
                    group.create_task(self._send(identity, lane))
        except* MesswerkError as failures:
            if means.log.failed is not None:
                self._waiting.clear()  # nothing can be recorded any more: the next start closes what is open
            raise failures.exceptions[0] from None
        finally:
            if self._waiting:
                await uninterrupted(self._close_unsent(identity))

    async def _send(self, run: RunIdentity, lane: Lane) -> None:
        for order, errand in lane:
            if self._means.stopping.is_set():
                self.stopped = self.stopped or "it was told to stop"
            refusal = None if self.stopped else self._purse.refusal(order)
            if refusal is not None:
                self.stopped = refusal
            if self.stopped is not None:
                return
            del self._waiting[order.attempt]
            self._purse.reserve(order)
            try:
                goes_on = await errand(AttemptIdentity.first(run, order))
            finally:
                self._purse.release(order)
            if not goes_on:
                return
            self._done += 1
            self._told(self._done, self._planned)

    async def _close_unsent(self, run: RunIdentity) -> None:
        why = self.stopped or "every further request to this endpoint would be refused alike, or the run was ended"
        closed = [
            unsent(AttemptIdentity.first(run, order), clock=self._means.clock_kind, kind="stopping", message=why)
            for order in self._waiting.values()
        ]
        await self._means.log.append(*closed)
