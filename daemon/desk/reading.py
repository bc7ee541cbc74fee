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
    AccountsCompared,
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


def case_or_look_named(log: BrowsableLog, named: str) -> UUID:
    """Find a case as :func:`case_named` does, or else a look likewise. Raises :class:`DeskError`.

    A case comes first: it has the beginning of the look that opened it.
    """
    wanted = named.strip().lower()
    cases = {each for each in read_cases(log) if wanted and _is(str(each), wanted)}
    looks = {
        event.look
        for _, event in _events(log, AccountsCompared)
        if isinstance(event, AccountsCompared) and wanted and _is(str(event.look), wanted)
    }
    found = cases or looks
    if len(found) == 1:
        return found.pop()
    if found:
        raise DeskError(f"{named!r} may be any of {', '.join(sorted(map(str, found)))}; give more of its id")
    raise DeskError(
        f"no case or look {named!r} in this log; `messwerk integrity list` shows the cases, and `messwerk log tail` "
        "the looks (accounts-compared)"
    )


def _is(identifier: str, wanted: str) -> bool:
    return identifier.startswith(wanted) or identifier.endswith(wanted)


def _events(log: BrowsableLog, kind: type[Event]) -> Iterator[tuple[Envelope, Event]]:
    for stored in stored_of_type(log, kind.TYPE):
        event = decode_event(stored.envelope)
        if event is not None:
            yield stored.envelope, event
