"""Whether an ordinary account gets the same: what was compared, suspected, decided and attested, a row each.

Rows are facts and never change. A case's state and what stands of an endpoint are computed when they are asked
for: :mod:`projections.queries.standing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, UTC_TIME, Column, Table, TimedRow
from projections.times import maybe_utc, utc
from schemas.events import AccountsCompared, AttestationRecorded, Event, IntegrityDecided, IntegritySuspected
from schemas.events.integrity import AccountEvidence, ComparedRows, ComparisonVerdict, Measure

_NUMBER = "Nullable(Float64)"
_COUNT = "Nullable(UInt64)"


class ComparisonRow(TimedRow, frozen=True, kw_only=True):
    """One metric of one look. Ratios are the other account's value over the measuring account's."""

    look: Annotated[UUID, Column("UUID", "look: everything that was tested and corrected together")]
    place: Annotated[int, Column("UInt32", "place within the look's evidence of this endpoint and pair")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name")]
    account: Annotated[str, Column(NAME, "account whose figures are shown")]
    compared_with: Annotated[str, Column(NAME, "the other account")]
    metric: Annotated[str, Column(NAME, "what was compared")]
    workload: Annotated[str | None, Column(MAYBE_NAME, "workload, or all")]
    window_h: Annotated[int | None, Column("Nullable(UInt32)", "length of the window, hours")]
    window_start: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "begin of the window")]
    window_end: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "end of the window")]
    pairs: Annotated[int, Column("UInt64", "pairs compared")]
    runs: Annotated[int | None, Column(_COUNT, "runs that had the metric from both accounts")]
    ratio: Annotated[
        float | None, Column(_NUMBER, "median of the runs' ratios, the other account over the measuring one")
    ]
    low: Annotated[float | None, Column(_NUMBER, "lower end of the interval of the Hodges-Lehmann ratio")]
    high: Annotated[float | None, Column(_NUMBER, "upper end of that interval")]
    p_value: Annotated[float | None, Column(_NUMBER, "of this test alone")]
    corrected_p_value: Annotated[float | None, Column(_NUMBER, "corrected over everything tested in the look")]
    account_share: Annotated[float | None, Column(_NUMBER, "of a share, that of the measuring account")]
    compared_share: Annotated[float | None, Column(_NUMBER, "of a share, that of the other account")]
    verdict: Annotated[ComparisonVerdict | None, Column(MAYBE_NAME, "material, not-material or unknown")]
    rows_sha256: Annotated[str | None, Column("Nullable(String)", "hash over what the window was compared from")]
    first_seq: Annotated[int | None, Column(_COUNT, "first attempt of the window in the source's log")]
    last_seq: Annotated[int | None, Column(_COUNT, "last attempt of the window in the source's log")]
    parameters: Annotated[str, Column(NAME, "id of the comparison's parameters")]
    max_start_skew_ms: Annotated[float | None, Column(_NUMBER, "pairs begun further apart were not compared")]
    definition: Annotated[str, Column(NAME, "definitions that the figures were made with")]


class CaseRow(TimedRow, frozen=True, kw_only=True):
    """One suspicion. ``time`` is when it was recorded."""

    case_id: Annotated[UUID, Column("UUID", "case")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name")]
    workload: Annotated[str, Column(NAME, "workload, or all")]
    account: Annotated[str, Column(NAME, "account whose figures are shown")]
    compared_with: Annotated[str, Column(NAME, "the other account")]
    window_start: Annotated[datetime, Column(UTC_TIME, "begin of what was looked at")]
    window_end: Annotated[datetime, Column(UTC_TIME, "end of what was looked at")]
    findings: Annotated[int, Column("UInt32", "metrics found to differ materially")]
    evidence: Annotated[str, Column("String", "the findings, JSON")]
    rows: Annotated[str, Column("String", "what they were found from, with hashes, JSON")]
    look: Annotated[UUID | None, Column("Nullable(UUID)", "look that found it; none for a person's suspicion")]
    person: Annotated[str | None, Column("Nullable(String)", "who suspected; none for the program")]
    reason: Annotated[str | None, Column("Nullable(String)", "why that person did")]
    parameters: Annotated[str | None, Column(MAYBE_NAME, "id of the comparison's parameters")]
    definition: Annotated[str, Column(NAME, "definitions that the figures were made with")]


class DecisionRow(TimedRow, frozen=True, kw_only=True):
    """One decision of a person, also one that takes another back."""

    case_id: Annotated[UUID, Column("UUID", "case")]
    decision: Annotated[UUID, Column("UUID", "decision; the event's id where it has none of its own")]
    measure: Annotated[Measure, Column(NAME, "what was decided")]
    person: Annotated[str, Column("String", "who decided")]
    reason: Annotated[str, Column("String", "why, in that person's words")]
    account: Annotated[str | None, Column(MAYBE_NAME, "with re-measure, the account that is shown from then on")]
    until: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "with delay, when figures are shown again")]
    lifts: Annotated[UUID | None, Column("Nullable(UUID)", "with lift, the decision that is taken back")]
    statement: Annotated[str | None, Column("Nullable(String)", "with disclose, what the public is told")]


class AttestationRow(TimedRow, frozen=True, kw_only=True):
    """What a provider confirmed of an endpoint; the newest one counts."""

    endpoint: Annotated[str, Column(NAME, "endpoint's name")]
    statement: Annotated[str, Column("String", "in the provider's words")]
    stated_by: Annotated[str, Column("String", "who confirmed it, and where that can be found")]
    model_version: Annotated[str | None, Column("Nullable(String)", "model version")]
    quantization: Annotated[str | None, Column(MAYBE_NAME, "precision or quantization")]
    context_tokens: Annotated[int | None, Column(_COUNT, "context length, tokens")]
    public_standard_offer: Annotated[bool | None, Column("Nullable(Bool)", "it is the public standard offer")]


COMPARISONS = Table(
    name="comparisons",
    row=ComparisonRow,
    order_by=("endpoint", "metric", "time", "source", "seq", "place"),
    comment="every metric of every look at two accounts",
)
CASES = Table(name="cases", row=CaseRow, order_by=("source", "seq"), comment="suspicions, by the program or a person")
DECISIONS = Table(name="decisions", row=DecisionRow, order_by=("source", "seq"), comment="what persons decided")
ATTESTATIONS = Table(
    name="attestations", row=AttestationRow, order_by=("source", "seq"), comment="what providers confirmed"
)


class Integrity(EachByItself):
    """See the module."""

    name: ClassVar[str] = "integrity"
    tables: ClassVar[tuple[Table, ...]] = (COMPARISONS, CASES, DECISIONS, ATTESTATIONS)
    reads: ClassVar[tuple[type[Event], ...]] = (
        AccountsCompared,
        IntegritySuspected,
        IntegrityDecided,
        AttestationRecorded,
    )

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        match entry.event:
            case AccountsCompared() as compared:
                yield from _comparisons(entry, compared)
            case IntegritySuspected() as suspected:
                yield Insertion(CASES, _case(entry, suspected))
            case IntegrityDecided() as decided:
                yield Insertion(DECISIONS, _decision(entry, decided))
            case AttestationRecorded() as attested:
                yield Insertion(ATTESTATIONS, _attestation(entry, attested))


def _comparisons(entry: Entry, compared: AccountsCompared) -> Iterator[Insertion]:
    windows = {rows.window_h: rows for rows in compared.rows}
    for place, found in enumerate(compared.evidence):
        window = None if found.window_h is None else windows.get(found.window_h)
        yield Insertion(COMPARISONS, _comparison(entry, compared, place, found, window))


def _comparison(
    entry: Entry, compared: AccountsCompared, place: int, found: AccountEvidence, window: ComparedRows | None
) -> ComparisonRow:
    return ComparisonRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        look=compared.look,
        place=place,
        endpoint=compared.endpoint,
        account=compared.account,
        compared_with=compared.compared_with,
        metric=found.metric,
        workload=found.workload,
        window_h=found.window_h,
        window_start=None if window is None else utc(window.start_ns),
        window_end=None if window is None else utc(window.end_ns),
        pairs=found.pairs,
        runs=found.runs,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
        corrected_p_value=found.corrected_p_value,
        account_share=found.primary,
        compared_share=found.other,
        verdict=found.verdict,
        rows_sha256=None if window is None else window.sha256,
        first_seq=None if window is None else window.first_seq,
        last_seq=None if window is None else window.last_seq,
        parameters=compared.parameters,
        max_start_skew_ms=compared.max_start_skew_ms,
        definition=compared.definition,
    )


def _case(entry: Entry, suspected: IntegritySuspected) -> CaseRow:
    return CaseRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        case_id=suspected.case,
        endpoint=suspected.endpoint,
        workload=suspected.workload,
        account=suspected.account,
        compared_with=suspected.compared_with,
        window_start=utc(suspected.window_start_ns),
        window_end=utc(suspected.window_end_ns),
        findings=len(suspected.evidence),
        evidence=msgspec.json.encode(suspected.evidence).decode(),
        rows=msgspec.json.encode(suspected.rows).decode(),
        look=suspected.look,
        person=suspected.person,
        reason=suspected.reason,
        parameters=suspected.parameters,
        definition=suspected.definition,
    )


def _decision(entry: Entry, decided: IntegrityDecided) -> DecisionRow:
    return DecisionRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        case_id=decided.case,
        decision=decided.decision or entry.envelope.id,
        measure=decided.measure,
        person=decided.person,
        reason=decided.reason,
        account=decided.account,
        until=maybe_utc(decided.until_ns),
        lifts=decided.lifts,
        statement=decided.statement,
    )


def _attestation(entry: Entry, attested: AttestationRecorded) -> AttestationRow:
    return AttestationRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        endpoint=attested.endpoint,
        statement=attested.statement,
        stated_by=attested.by,
        model_version=attested.model_version,
        quantization=attested.quantization,
        context_tokens=attested.context_tokens,
        public_standard_offer=attested.public_standard_offer,
    )
