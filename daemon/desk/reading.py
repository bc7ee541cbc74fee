"""What persons look at before they decide: cases, attestations and the newest catalogue, read from one log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from daemon.desk.inbox import DeskError
from daemon.history import stored_of_type
from daemon.log.browsable import BrowsableLog
from schemas.cases import Case, cases_of
from schemas.envelope import Envelope
from schemas.events import (
    AttestationRecorded,
    CatalogueDeclared,
    Event,
    IntegrityDecided,
    IntegritySuspected,
    decode_event,
)


def read_cases(log: BrowsableLog) -> Mapping[UUID, Case]:
    """Fold this log's suspicions and decisions to cases, oldest first."""
    return cases_of([*_events(log, IntegritySuspected), *_events(log, IntegrityDecided)])


def read_attestations(log: BrowsableLog) -> Sequence[tuple[Envelope, AttestationRecorded]]:
    """Every attestation of this log, oldest first."""
    return [
        (envelope, event)
        for envelope, event in _events(log, AttestationRecorded)
        if isinstance(event, AttestationRecorded)
    ]


def newest_catalogue(log: BrowsableLog) -> CatalogueDeclared:
    """Return what is measured. Raises :class:`DeskError` where nothing was ever declared."""
    for stored in log.tail(1, kind=CatalogueDeclared.TYPE):
        event = decode_event(stored.envelope)
        if isinstance(event, CatalogueDeclared):
            return event
    raise DeskError(f"no catalogue in {log.path} yet: start the daemon once, it declares what it measures")


def case_named(cases: Mapping[UUID, Case], named: str) -> Case:
    """Find a case by its id, or by a beginning or end of it that no other case has. Raises :class:`DeskError`."""
    wanted = named.strip().lower()
    found = [case for each, case in cases.items() if wanted and _is(str(each), wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(str(case.id) for case in found)
        raise DeskError(f"{named!r} may be any of {several}; give more of its id")
    raise DeskError(f"no case {named!r} in this log; `messwerk integrity list` shows them all with their ids")


def _is(identifier: str, wanted: str) -> bool:
    return identifier.startswith(wanted) or identifier.endswith(wanted)


def _events(log: BrowsableLog, kind: type[Event]) -> Iterator[tuple[Envelope, Event]]:
    for stored in stored_of_type(log, kind.TYPE):
        event = decode_event(stored.envelope)
        if event is not None:
            yield stored.envelope, event
