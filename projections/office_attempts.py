"""Attempts of the office tasks beside what they asked about: cost, latency and tokens of every ask, a row each.

Of a private document a row has no more than the event has: a keyed hash, and neither pair nor tier, variant or
layout; queries add such rows up and never show one. Which asks belong to an answer is found when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, ClassVar, Final
from uuid import UUID

import msgspec

from projections.contract import Entry, Insertion, Projection
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    DaemonStarted,
    DocumentAsked,
    Event,
    UsageReported,
)
from schemas.events.attempts import FailureClass
from schemas.events.runs import AccountRole

REFUSED: Final[frozenset[FailureClass]] = frozenset(
    {
        "dns",
        "connect",
        "tls",
        "timeout-connect",
        "rate-limited",
        "overloaded",
        "authentication",
        "credit",
        "not-found",
        "invalid-request",
        "moderation",
        "refused-locally",
    }
)
"""Failures before anything was generated: without reported use there is none whose cost could be unknown."""

MOST_OPEN_ASKS: Final = 4096
"""An ask before a crash may have no completion; the oldest ones are forgotten."""

OTHER_PROVIDER: Final = "other-provider"
"""Flag of an attempt that another provider than the pinned one answered: paid for, and no answer."""

_COUNT = "Nullable(UInt64)"


class OfficeAttemptRow(TimedRow, frozen=True, kw_only=True):
    """``time`` is when the request was sent, or, if it never was, when the attempt ended."""

    vantage: Annotated[str, Column(NAME, "where it was measured from")]
    provider: Annotated[str, Column(NAME, "who runs the endpoint")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name in the catalogue")]
    model: Annotated[str, Column(NAME, "model asked for")]
    account: Annotated[str, Column(NAME, "account's name")]
    role: Annotated[AccountRole, Column(NAME, "measuring, or control")]
    simulated: Annotated[bool, Column("Bool", "reference endpoint, simulated clock or simulated transport")]
    run: Annotated[UUID, Column("UUID", "run")]
    attempt: Annotated[UUID, Column("UUID", "attempt")]
    work: Annotated[str, Column(NAME, "invoice, email, personal, or language-tax")]
    language: Annotated[str, Column(NAME, "language of what was sent")]
    split: Annotated[str, Column(NAME, "open, or private: in totals alone")]
    data_set: Annotated[str, Column(NAME, "version of the data set or corpus")]
    document: Annotated[str, Column("String", "document or paragraph; a keyed hash of a private one")]
    pair: Annotated[str | None, Column("Nullable(String)", "shared with the twin in the other language")]
    tier: Annotated[str | None, Column(MAYBE_NAME, "how an invoice reaches the model")]
    variant: Annotated[str | None, Column(MAYBE_NAME, "kind of invoice")]
    layout: Annotated[str | None, Column(MAYBE_NAME, "layout, shape or kind of text")]
    prompt_version: Annotated[str, Column(NAME, "version of the prompt")]
    kind: Annotated[str, Column(NAME, "first, without-schema, or again after invalid JSON")]
    with_schema: Annotated[bool, Column("Bool", "a JSON Schema was sent")]
    repetition: Annotated[int, Column("UInt32", "1 unless the same is asked several times")]
    answered: Annotated[bool, Column("Bool", "a complete response came from the pinned provider, whatever it said")]
    own_end: Annotated[bool, Column("Bool", "ended by us: cancelled, stopped or crashed")]
    failure: Annotated[str | None, Column(MAYBE_NAME, "class of the failure")]
    latency_us: Annotated[int | None, Column(_COUNT, "from the request to the complete answer, microseconds")]
    input_tokens: Annotated[int | None, Column(_COUNT, "input as reported")]
    output_tokens: Annotated[int | None, Column(_COUNT, "output as reported, reasoning included")]
    cost_usd: Annotated[Decimal | None, Column("Nullable(Decimal(38, 12))", "cost as the API returns it, USD")]
    may_cost: Annotated[bool, Column("Bool", "not refused before anything was generated: null cost is unknown")]


OFFICE_ATTEMPTS = Table(
    name="office_attempts",
    row=OfficeAttemptRow,
    order_by=("work", "endpoint", "document", "time", "source", "seq"),
    indices=("attempt_index attempt TYPE bloom_filter GRANULARITY 1",),
    comment="one row per completed attempt that asked about an office document or a paragraph",
)


class _Endpoint(msgspec.Struct, frozen=True, array_like=True):
    provider: str
    model: str
    simulated: bool


class OfficeAttemptsState(msgspec.Struct, frozen=True):
    """The newest catalogue, and asks whose attempt is under way."""

    vantage: str = ""
    simulated: bool = False
    endpoints: Mapping[str, _Endpoint] = {}
    asked: Mapping[UUID, DocumentAsked] = {}


class OfficeAttempts(Projection[OfficeAttemptsState]):
    """See the module."""

    name: ClassVar[str] = "office-attempts"
    tables: ClassVar[tuple[Table, ...]] = (OFFICE_ATTEMPTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (
        DaemonStarted,
        CatalogueDeclared,
        DocumentAsked,
        AttemptCompleted,
    )
    state_type = OfficeAttemptsState

    def start(self) -> OfficeAttemptsState:
        """See :class:`Projection`."""
        return OfficeAttemptsState()

    def fold(
        self,
        state: OfficeAttemptsState,
        entries: Sequence[Entry],
        definitions: Definitions,  # noqa: ARG002  # rows hold facts alone
    ) -> tuple[OfficeAttemptsState, Sequence[Insertion]]:
        """See :class:`Projection`."""
        made: list[Insertion] = []
        asked = dict(state.asked)
        for entry in entries:
            match entry.event:
                case DocumentAsked() as ask:
                    asked[ask.attempt] = ask
                    if len(asked) > MOST_OPEN_ASKS:
                        del asked[next(iter(asked))]
                case AttemptCompleted() as completed:
                    known = asked.pop(completed.attempt, None)
                    if known is not None:
                        made.append(Insertion(OFFICE_ATTEMPTS, _row(state, entry, completed, known)))
                case CatalogueDeclared() as declared:
                    endpoints = {
                        facts.name: _Endpoint(facts.provider, facts.model, facts.simulated)
                        for facts in declared.endpoints
                    }
                    state = msgspec.structs.replace(state, vantage=declared.vantage, endpoints=endpoints)
                case DaemonStarted() as started:
                    state = msgspec.structs.replace(state, vantage=started.vantage, simulated=started.simulated)
        return msgspec.structs.replace(state, asked=asked), made


def _row(
    state: OfficeAttemptsState, entry: Entry, completed: AttemptCompleted, ask: DocumentAsked
) -> OfficeAttemptRow:
    envelope, timing, document = entry.envelope, completed.timing, ask.document
    endpoint = state.endpoints.get(completed.endpoint) or _Endpoint("", "", False)  # noqa: FBT003  # positional struct
    failure = completed.failure.kind if completed.failure else None
    usage = completed.usage or UsageReported()
    answered = completed.status == "response" and OTHER_PROVIDER not in completed.flags
    return OfficeAttemptRow(
        source=envelope.source,
        seq=envelope.seq,
        time=utc(envelope.wall_ns if timing.sent_wall_ns is None else timing.sent_wall_ns),
        vantage=state.vantage,
        provider=endpoint.provider,
        endpoint=completed.endpoint,
        model=endpoint.model,
        account=completed.account,
        role=completed.role,
        simulated=state.simulated or endpoint.simulated or timing.clock == "simulated",
        run=completed.run,
        attempt=completed.attempt,
        work=document.work,
        language=document.language,
        split=document.split,
        data_set=document.data_set,
        document=document.id,
        pair=document.pair,
        tier=document.tier,
        variant=document.variant,
        layout=document.layout,
        prompt_version=ask.prompt_version,
        kind=ask.kind,
        with_schema=ask.schema_sha256 is not None,
        repetition=ask.repetition,
        answered=answered,
        own_end=completed.status in {"cancelled", "not-completed"},
        failure=failure,
        latency_us=(timing.complete_us or timing.end_us) if answered else None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=completed.cost_reported_usd,
        may_cost=not (failure in REFUSED and completed.usage is None),
    )
