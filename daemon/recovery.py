"""What a daemon must know of its past before it measures, folded from its own log. Pure.

After a crash some attempts are open: planned or sent, and never completed. They are closed as
``not-completed`` before anything else happens. The log also tells which slots were dealt with, and what the
current day has cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from daemon.attempts.identity import AttemptIdentity, RunIdentity, unsent
from schemas.events import AttemptCompleted, Event, PlannedAttempt, RequestSent, RunPlanned
from schemas.events.attempts import ClockKind


class _Open(msgspec.Struct, frozen=True):
    identity: AttemptIdentity
    sent: RequestSent | None = None


def unfinished(events: Iterable[Event], *, clock: ClockKind) -> list[AttemptCompleted]:
    """Close every attempt that ``events`` plan or send and do not complete, in order of their appearance.

    ``events`` are in order and begin no later than the oldest run that can be open. A sent request whose run
    lies before them belongs to a run that is known to be closed, and so does its completion.
    clock: of the transport that measures now; for attempts of which nothing says what theirs was.
    """
    runs: dict[UUID, RunPlanned] = {}
    planned_requests: dict[UUID, PlannedAttempt] = {}
    still_open: dict[UUID, _Open] = {}
    for event in events:
        match event:
            case RunPlanned():
                runs[event.run] = event
                for planned in event.attempts:
                    planned_requests[planned.attempt] = planned
                    identity = AttemptIdentity(
                        run=_run_identity(event),
                        attempt=planned.attempt,
                        request=planned.attempt,
                        endpoint=planned.endpoint,
                        account=planned.account,
                        ordinal=planned.ordinal,
                        role=planned.role,
                        prompt=event.prompts[planned.ordinal % len(event.prompts)] if event.prompts else None,
                    )
                    still_open[planned.attempt] = _Open(identity)
            case RequestSent() if event.run in runs:
                still_open[event.attempt] = _Open(_sent_identity(event, runs, planned_requests), event)
            case AttemptCompleted():
                still_open.pop(event.attempt, None)
            case _:
                pass
    return [
        unsent(
            entry.identity,
            clock=(entry.sent and entry.sent.clock) or clock,
            kind="crash",
            message=(
                "the daemon ended while this request was under way"
                if entry.sent
                else "the daemon ended before this request was sent"
            ),
            sent=entry.sent,
        )
        for entry in still_open.values()
    ]


def _run_identity(planned: RunPlanned) -> RunIdentity:
    return RunIdentity(
        run=planned.run,
        suite=planned.suite,
        workload=planned.workload,
        scenario=planned.scenario,
        slot=planned.slot,
    )


def _sent_identity(
    sent: RequestSent, runs: Mapping[UUID, RunPlanned], planned_requests: Mapping[UUID, PlannedAttempt]
) -> AttemptIdentity:
    planned, request = runs[sent.run], planned_requests[sent.request]
    return AttemptIdentity(
        run=_run_identity(planned),
        attempt=sent.attempt,
        request=sent.request,
        endpoint=sent.endpoint,
        account=sent.account,
        ordinal=request.ordinal,
        role=request.role,
        sequence=sent.sequence,
        retry_of=sent.retry_of,
        prompt=planned.prompts[request.ordinal % len(planned.prompts)] if planned.prompts else None,
    )
