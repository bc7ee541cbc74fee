"""Asks an endpoint the same until there is an answer, or no hope of one, by ordinary attempts.

What the next ask says and what an attempt means is the caller's: see :class:`Matter`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.keeping import Keeper
from daemon.runs.course import Answered, Send, Trouble, Unanswered
from daemon.runs.means import Means
from daemon.runs.planning import Order
from daemon.runs.spending import Purse
from daemon.wire.contract import Ask
from schemas.events import AttemptCompleted, Event

C = TypeVar("C", bound=Trouble)
E = TypeVar("E", bound=Event | None)


class Matter(Protocol[E, C]):
    """What is asked about; ``E`` is the event that says so, if any, ``C`` what it has met so far."""

    @property
    def explaining(self) -> Collection[str]:
        """Flags of an attempt that was refused for something else than asking for usage."""

    def told(self, identity: AttemptIdentity, course: C) -> E:
        """Return what the log is told before the request is sent."""

    def ask(self, course: C) -> Ask:
        """Word it."""

    def keeper(self, course: C) -> Keeper:
        """Return what keeps the attempt's texts."""

    def after(
        self, told: E, course: C, completed: AttemptCompleted, *, usage_suspected: bool
    ) -> Send[C] | Answered | Unanswered:
        """Take note of an attempt, and decide."""


class Ended(Generic[C]):
    """What became of it: every attempt, how the last one was asked, and how it ended."""

    def __init__(self, made: list[AttemptCompleted], course: C, end: Answered | Unanswered) -> None:
        self.made = made
        self.course = course
        self.end = end


async def persist(
    means: Means, purse: Purse, identity: AttemptIdentity, order: Order, matter: Matter[E, C], course: C
) -> Ended[C]:
    """Ask to the end; the purse is charged with every attempt, and has an amount reserved for the first one.

    The first attempt has ``identity`` and is sent in any case. When cancelled, the attempt under way is recorded
    first.
    """
    endpoint, made = order.endpoint, list[AttemptCompleted]()
    while True:
        told = matter.told(identity, course)
        async with means.gates.single(endpoint.provider, endpoint.name):
            if told is not None:
                await means.log.append(told)
            completed, usage_suspected = await means.sender.send_once(
                identity, order, matter.ask(course), matter.keeper(course), explaining=matter.explaining
            )
        purse.spend(order, completed)
        made.append(completed)
        step = matter.after(told, course, completed, usage_suspected=usage_suspected)
        if not isinstance(step, Send):
            return Ended(made, course, step)
        course = step.course
        await _pause(means, step.wait_s)
        if not _may_go_on(means, purse, order):
            return Ended(made, course, Unanswered("stopped"))
        identity = identity.retry(means.world.new_id())


def _may_go_on(means: Means, purse: Purse, order: Order) -> bool:
    """Tell whether one more attempt may be sent, whose cost is then kept in place of the last one's."""
    purse.release(order)
    if means.stopping.is_set() or purse.refusal(order) is not None:
        return False
    purse.reserve(order)
    return True


async def _pause(means: Means, wait_s: float) -> None:
    if wait_s > 0:
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await means.stopping.wait()
