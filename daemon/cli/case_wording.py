"""How cases are worded for people and for other programs. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

import msgspec

from daemon.log.summary import utc
from schemas.cases import Case, CaseState, Decision
from schemas.envelope import Envelope
from schemas.events import AttestationRecorded, IntegritySuspected
from schemas.events.integrity import AccountEvidence, ComparedRows, Measure

_JOINING: Final = frozenset("\u00ad\u200c\u200d")
"""Soft hyphen, non-joiner and joiner, which joins several signs to one."""


class ToldDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision as ``--json`` prints it. ``in_force``: neither lifted nor before the newest clearing."""

    decision: UUID
    time: str
    measure: Measure
    person: str
    reason: str
    account: str | None
    until: str | None
    lifts: UUID | None
    statement: str | None
    in_force: bool


class ToldAttestation(msgspec.Struct, frozen=True, kw_only=True):
    """An attestation as ``--json`` prints it."""

    time: str
    attestation: AttestationRecorded


class ToldCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case as ``--json`` prints it. ``event``, ``source``, ``seq``: of what opened it."""

    case: UUID
    state: CaseState
    opened: str
    event: UUID
    source: str
    seq: int
    suspected: IntegritySuspected
    decisions: tuple[ToldDecision, ...]
    attestations: tuple[ToldAttestation, ...] = ()


Attested = Sequence[tuple[Envelope, AttestationRecorded]]


def told_case(case: Case, attested: Attested = ()) -> ToldCase:
    """Lay a case out for other programs."""
    return ToldCase(
        case=case.id,
        state=case.state,
        opened=utc(case.wall_ns),
        event=case.event_id,
        source=case.source,
        seq=case.seq,
        suspected=case.suspected,
        decisions=tuple(
            ToldDecision(
                decision=each.id,
                time=utc(each.wall_ns),
                measure=each.event.measure,
                person=each.event.person,
                reason=each.event.reason,
                account=each.event.account,
                until=None if each.event.until_ns is None else utc(each.event.until_ns),
                lifts=each.event.lifts,
                statement=each.event.statement,
                in_force=each in case.effective,
            )
            for each in case.decisions
        ),
        attestations=tuple(
            ToldAttestation(time=utc(envelope.wall_ns), attestation=event) for envelope, event in attested
        ),
    )


def case_line(case: Case) -> str:
    """Say a case in one line."""
    found = case.suspected
    measures = ", ".join(each.event.measure for each in case.in_force)
    return (
        f"{case.id}  {utc(case.wall_ns)}  {case.state:<17}  {printable(found.endpoint)}, {_accounts(found)}, "
        f"{len(found.evidence)} findings{f'; {measures}' if measures else ''}"
    )


def case_report(case: Case, attested: Attested) -> Iterator[str]:
    """Say everything about a case."""
    found = case.suspected
    yield f"case        {case.id}"
    yield f"state       {case.state}"
    yield f"opened      {utc(case.wall_ns)}, event {case.seq} of {case.source}, {_opener(found)}"
    yield f"endpoint    {printable(found.endpoint)}"
    yield f"accounts    {_accounts(found)}"
    yield f"workload    {printable(found.workload)}"
    yield f"window      {utc(found.window_start_ns)} to {utc(found.window_end_ns)}"
    yield f"definition  {found.definition}{f', parameters {found.parameters}' if found.parameters else ''}"
    yield ""
    yield "evidence" if found.evidence else "evidence: none was given with it"
    yield from (f"  {evidence_line(each)}" for each in found.evidence)
    if found.rows:
        yield "compared from"
        yield from (f"  {_rows(each)}" for each in found.rows)
    yield "decisions" if case.decisions else "decisions: none yet; `messwerk integrity decide --help`"
    for each in case.decisions:
        yield from (f"  {line}" for line in _decision(each, case))
    for envelope, event in attested:
        yield f"attested    {utc(envelope.wall_ns)} by {printable(event.by)}: {printable(event.statement)}"
    yield ""
    if found.look is None:
        yield "nothing to recompute: a person opened this case, no comparison did"
    else:
        yield f"to compare again from the log: messwerk integrity recompute {case.id}"
    yield f"to prove that its event stands in the log: messwerk log prove {case.event_id}"


def evidence_line(found: AccountEvidence) -> str:
    """Say one finding with n, figure, interval and corrected p."""
    about = f"{found.metric}, {found.workload or 'all'}" + (f", {found.window_h} h" if found.window_h else "")
    figure = "no ratio" if found.ratio is None else f"ratio {found.ratio:.3f}"
    if found.low is not None and found.high is not None:
        figure += f" ({found.low:.3f} to {found.high:.3f})"
    if found.primary is not None and found.other is not None:
        figure = f"{found.primary:.1%} against {found.other:.1%}"
    p = "no test" if found.corrected_p_value is None else f"corrected p {found.corrected_p_value:.2g}"
    runs = "" if found.runs is None else f" in {found.runs} runs"
    return f"{about}: {figure}, {p}, n {found.pairs} pairs{runs}, {found.verdict or 'no verdict'}"


def printable(text: str) -> str:
    """Leave no control characters in what came from outside: they would rewrite the terminal.

    Spaces of every kind stay, and what only joins or breaks words.
    """
    return "".join(each if each.isprintable() or _is_harmless(each) else "\N{REPLACEMENT CHARACTER}" for each in text)


def _is_harmless(character: str) -> bool:
    return unicodedata.category(character) == "Zs" or character in _JOINING


def _accounts(found: IntegritySuspected) -> str:
    return f"{printable(found.account)} against {printable(found.compared_with) or 'no other account'}"


def _opener(found: IntegritySuspected) -> str:
    if found.person is None:
        return "by the comparison"
    return f"by {printable(found.person)}: {printable(found.reason or '')}"


def _rows(rows: ComparedRows) -> str:
    span = "no events" if rows.first_seq is None else f"events {rows.first_seq} to {rows.last_seq}"
    return f"{rows.window_h} h: {rows.pairs} pairs in {rows.runs} runs, {span}, SHA-256 {rows.sha256}"


def _decision(decision: Decision, case: Case) -> Iterator[str]:
    event = decision.event
    ended = "" if decision in case.effective or event.measure == "lift" else " (lifted, or ended by clearing)"
    yield f"{utc(decision.wall_ns)}  {event.measure}{ended}  decision {decision.id}"
    yield f"  {printable(event.person)}: {printable(event.reason)}"
    if event.account is not None:
        yield f"  account {printable(event.account)}"
    if event.until_ns is not None:
        yield f"  until {utc(event.until_ns)}"
    if event.lifts is not None:
        yield f"  lifts decision {event.lifts}"
    if event.statement is not None:
        yield f"  statement: {printable(event.statement)}"
