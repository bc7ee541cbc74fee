"""What the events of a case amount to: its state, the measures in force, and what stands of each endpoint. Pure.

The SQL of :mod:`projections.queries.standing` says the same over the tables; a test holds them against each other.
Decisions of any log count for a case, and their order is that of their wall times, then of source and position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal
from uuid import UUID

import msgspec

from schemas.envelope import Envelope
from schemas.events import Event
from schemas.events.integrity import IntegrityDecided, IntegritySuspected, Measure

CaseState = Literal["open", "investigating", "measures-in-force", "cleared"]

IN_FORCE: Final[tuple[Measure, ...]] = ("withhold", "delay", "remove", "re-measure", "delist", "ban", "disclose")
"""Measures that hold until they are lifted or their case is cleared."""

Position = tuple[int, str, int]
"""Wall time in microseconds, which is what tables keep, then source and position in its log."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a person. ``id`` is the decision's own, the event's where it has none."""

    id: UUID
    position: Position
    wall_ns: int
    event: IntegrityDecided


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A suspicion and everything that was decided on it, in order.

    event_id, wall_ns, source, seq: of the event that opened it, the first one where several have the same case.
    effective: decisions that were not lifted, after the newest clearing that was not.
    cleared_ns: wall time of that clearing; None without one.
    """

    suspected: IntegritySuspected
    event_id: UUID
    wall_ns: int
    source: str
    seq: int
    decisions: tuple[Decision, ...]
    effective: tuple[Decision, ...]
    state: CaseState
    cleared_ns: int | None

    @property
    def id(self) -> UUID:
        """The case."""
        return self.suspected.case

    @property
    def in_force(self) -> tuple[Decision, ...]:
        """Measures that hold now."""
        return tuple(each for each in self.effective if each.event.measure in IN_FORCE)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of one endpoint by the measures in force; the newest one gives ``reason`` and ``case``.

    shown_account: whose figures are the published ones; None: those of the accounts that measure as ever.
    withheld: also by a delay that names no end.
    delayed_until_ns: the latest one named; it may have passed.
    banned: a measure on any endpoint of its provider.
    """

    shown_account: str | None
    withheld: bool
    delayed_until_ns: int | None
    removed: bool
    delisted: bool
    banned: bool
    statement: str | None
    reason: str
    case: UUID


def position_of(envelope: Envelope) -> Position:
    """Return where an event stands among those of all logs."""
    return envelope.wall_ns // 1000, envelope.source, envelope.seq


def cases_of(events: Iterable[tuple[Envelope, Event]]) -> Mapping[UUID, Case]:
    """Fold suspicions and decisions, of any logs and in any order, to cases, oldest first."""
    opened: dict[UUID, tuple[Envelope, IntegritySuspected]] = {}
    decided: dict[UUID, list[Decision]] = {}
    for envelope, event in sorted(events, key=lambda each: position_of(each[0])):
        match event:
            case IntegritySuspected():
                opened.setdefault(event.case, (envelope, event))
            case IntegrityDecided():
                decided.setdefault(event.case, []).append(
                    Decision(
                        id=event.decision or envelope.id,
                        position=position_of(envelope),
                        wall_ns=envelope.wall_ns,
                        event=event,
                    )
                )
            case _:
                pass
    return {each: _case(envelope, event, decided.get(each, ())) for each, (envelope, event) in opened.items()}


def standing_of(cases: Iterable[Case], provider_of: Mapping[str, str]) -> Mapping[str, Standing]:
    """Say what stands of each endpoint that a measure in force touches.

    provider_of: of every endpoint that was ever declared, by its newest declaration; a ban of an endpoint that is
        not among them holds for that endpoint alone.
    """
    touching: dict[str, list[tuple[Decision, UUID]]] = {}
    for case in cases:
        endpoint = case.suspected.endpoint
        provider = provider_of.get(endpoint)
        siblings = {each for each, its in provider_of.items() if its == provider} | {endpoint}
        for decision in case.in_force:
            for each in siblings if decision.event.measure == "ban" else (endpoint,):
                touching.setdefault(each, []).append((decision, case.id))
    return {endpoint: _standing(found) for endpoint, found in sorted(touching.items())}


def _case(envelope: Envelope, event: IntegritySuspected, decisions: Sequence[Decision]) -> Case:
    lifted = {each.event.lifts for each in decisions if each.event.measure == "lift"}
    standing = [each for each in decisions if each.event.measure != "lift" and each.id not in lifted]
    cleared = [place for place, each in enumerate(standing) if each.event.measure == "clear"]
    effective = standing[cleared[-1] + 1 :] if cleared else standing
    measures = {each.event.measure for each in effective}
    state: CaseState = "cleared" if cleared else "open"
    if measures & set(IN_FORCE):
        state = "measures-in-force"
    elif "investigate" in measures:
        state = "investigating"
    return Case(
        suspected=event,
        event_id=envelope.id,
        wall_ns=envelope.wall_ns,
        source=envelope.source,
        seq=envelope.seq,
        decisions=tuple(decisions),
        effective=tuple(effective),
        state=state,
        cleared_ns=standing[cleared[-1]].wall_ns if cleared else None,
    )


def _standing(touching: Sequence[tuple[Decision, UUID]]) -> Standing:
    ordered = sorted(touching, key=lambda each: each[0].position)
    events = [decision.event for decision, _ in ordered]
    measures = {event.measure for event in events}
    delays = [event.until_ns for event in events if event.measure == "delay"]
    accounts = [event.account for event in events if event.measure == "re-measure" and event.account is not None]
    statements = [event.statement for event in events if event.measure == "disclose" and event.statement is not None]
    newest, case = ordered[-1]
    return Standing(
        shown_account=accounts[-1] if accounts else None,
        withheld="withhold" in measures or None in delays,
        delayed_until_ns=max((each for each in delays if each is not None), default=None),
        removed="remove" in measures,
        delisted="delist" in measures,
        banned="ban" in measures,
        statement=statements[-1] if statements else None,
        reason=newest.event.reason,
        case=case,
    )
