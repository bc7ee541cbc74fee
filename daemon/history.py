"""Reads from the log what the daemon needs of its past: open attempts, slots dealt with, today's spending.

Only reading; what follows from it is decided in :mod:`daemon.recovery`, :mod:`daemon.schedule.slots` and
:mod:`daemon.runs.budget`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Protocol

from daemon.office.contract import WORKLOADS
from daemon.office.plans import OFFICE, office_plans
from daemon.recovery import unfinished
from daemon.runs.budget import cost_of, utc_day
from daemon.schedule.slots import Plan
from schemas.catalogue import EndpointFacts
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    DaemonStarted,
    DaemonStopped,
    Event,
    RunPlanned,
    SlotSkipped,
    decode_event,
)
from schemas.log import StoredEvent

_BATCH: Final = 1000
_CATALOGUES: Final = 100


class LogHistory(Protocol):
    """A log that can also be read by type, newest first or in order."""

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`schemas.log.LogReader`."""

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        """Return the newest ``limit`` events of a type, oldest first."""

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        """Return up to ``limit`` events of a type after a position, in order."""


def possibly_open(log: LogHistory) -> Iterator[Event]:
    """Yield every known event from the oldest run that can still be open on; nothing when no run can.

    Every start closes what lies before it. After it, the schedule never begins a run while the one before it
    of the same plan is under way, so of scheduled runs only each plan's newest can be open.
    """
    starts = log.tail(1, kind=DaemonStarted.TYPE)
    if not starts:
        return
    oldest: dict[tuple[str, ...], int] = {}
    for stored in stored_of_type(log, RunPlanned.TYPE, after=starts[0].envelope.seq):
        run = decode_event(stored.envelope)
        if isinstance(run, RunPlanned):
            scheduled = run.trigger == "schedule"
            plan = (run.workload, run.scenario) if scheduled else (str(run.run),)
            oldest[plan] = stored.envelope.seq
    if not oldest:
        return
    seq = min(oldest.values()) - 1
    while batch := log.read_after(seq, limit=_BATCH):
        for stored in batch:
            event = decode_event(stored.envelope)
            if event is not None:
                yield event
        seq = batch[-1].envelope.seq


def ends_in_a_simulation(log: LogHistory) -> bool:
    """Tell whether the log breaks off inside a simulated history, whose daemon started and never stopped."""
    starts, stops = log.tail(1, kind=DaemonStarted.TYPE), log.tail(1, kind=DaemonStopped.TYPE)
    if not starts or (stops and stops[0].envelope.seq > starts[0].envelope.seq):
        return False
    started = decode_event(starts[0].envelope)
    return isinstance(started, DaemonStarted) and started.simulated


def last_dealt_ns(log: LogHistory, plans: Sequence[Plan]) -> Mapping[str, int]:
    """Nominal time of the newest slot that ran or was skipped, by the plan's key; absent for new plans."""
    wanted = {plan.key for plan in plans}
    newest: dict[str, int] = {}
    for kind in (RunPlanned.TYPE, SlotSkipped.TYPE):
        recent = log.tail(_BATCH, kind=kind)
        found = _newest_nominal(recent)
        # A rare plan's last slot may lie before a thousand others; then all are read: slow, and right. That it
        # was found among the other kind proves nothing: it may have run once, and been skipped ever since.
        if len(recent) == _BATCH and not wanted <= found.keys():
            found = _newest_nominal(stored_of_type(log, kind))
        for key, nominal_ns in found.items():
            newest[key] = max(newest.get(key, nominal_ns), nominal_ns)
    return newest


WorstCase = Callable[[AttemptCompleted, EndpointFacts], Decimal]
"""What an attempt at an endpoint may have cost at most."""


def spent_today_usd(
    log: LogHistory, endpoints: Mapping[str, EndpointFacts], worst_usd: WorstCase, now_wall_ns: int
) -> Decimal:
    """Amount that attempts sent on the current UTC day count against the budget.

    Those that a crash left open count too, and those at endpoints that are no longer configured.
    """
    today = utc_day(now_wall_ns)
    known: Mapping[str, EndpointFacts] = endpoints
    total = Decimal(0)
    for wall_ns, completed in (*_ended_since(log, today), *_left_open(log)):
        if utc_day(completed.timing.sent_wall_ns or wall_ns) != today:
            continue
        if completed.endpoint not in known:
            known = {**_declared_before(log), **endpoints}
        facts = known.get(completed.endpoint)
        if facts is not None:
            total += cost_of(completed, facts, worst_usd(completed, facts), today)
    return total


def _ended_since(log: LogHistory, day: date) -> Iterator[tuple[int, AttemptCompleted]]:
    limit = _BATCH
    while True:
        recent = log.tail(limit, kind=AttemptCompleted.TYPE)
        if len(recent) < limit or utc_day(recent[0].envelope.wall_ns) < day:
            break
        limit *= 4
    for stored in recent:
        if utc_day(stored.envelope.wall_ns) >= day:
            completed = decode_event(stored.envelope)
            if isinstance(completed, AttemptCompleted):
                yield stored.envelope.wall_ns, completed


def _left_open(log: LogHistory) -> Iterator[tuple[int, AttemptCompleted]]:
    for completed in unfinished(possibly_open(log), clock="user-space"):
        if completed.timing.sent_wall_ns is not None:
            yield completed.timing.sent_wall_ns, completed


def _declared_before(log: LogHistory) -> Mapping[str, EndpointFacts]:
    """Every endpoint that the newest catalogues declare, as the newest of them has it."""
    found: dict[str, EndpointFacts] = {}
    for stored in log.tail(_CATALOGUES, kind=CatalogueDeclared.TYPE):
        declared = decode_event(stored.envelope)
        if isinstance(declared, CatalogueDeclared):
            found.update((endpoint.name, endpoint) for endpoint in declared.endpoints)
    return found


def stored_of_type(log: LogHistory, kind: str, *, after: int = 0) -> Iterator[StoredEvent]:
    """Yield every event of a type after a position, in order."""
    while batch := log.of_type(kind, after=after, limit=_BATCH):
        yield from batch
        after = batch[-1].envelope.seq


def _newest_nominal(events: Iterable[StoredEvent]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for stored in events:
        event = decode_event(stored.envelope)
        if isinstance(event, RunPlanned | SlotSkipped) and event.nominal_ns is not None:
            key = _key(event)
            if key is None:
                continue
            newest[key] = max(newest.get(key, event.nominal_ns), event.nominal_ns)
    return newest


def _key(event: RunPlanned | SlotSkipped) -> str | None:
    """Return the key of the plan whose slot is dealt with by an event; None where more of the slot is to come.

    One slot of the office tasks is several runs; it is dealt with when the last one is planned, so that a slot that
    broke off before is taken up at the next start.
    """
    key = event.workload if event.scenario == "single" else f"{event.workload}/{event.scenario}"
    if isinstance(event, SlotSkipped) or event.slot is None or event.suite != OFFICE:
        return key
    plan = office_plans().get(event.slot.partition("@")[0])
    if plan is None:
        return key
    return plan.name if event.workload == WORKLOADS[plan.works[-1]] else None
