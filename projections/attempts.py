"""One row per completed attempt: its facts, its figures, its cost. Averages and medians are queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar
from uuid import UUID

import msgspec

from projections.attempt_table import ATTEMPTS, AttemptRow
from projections.contract import Entry, Insertion, Projection
from projections.costs import cost_usd
from projections.metrics import AttemptMetrics, measure
from projections.tables import Table
from projections.times import maybe_utc, utc
from schemas.catalogue import AccountKind, Price, ReasoningKind, price_on
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    DaemonStarted,
    Event,
    ReceivedText,
    RequestSent,
    RunPlanned,
    UsageReported,
)
from schemas.events.runs import CalibrationBasis

_REMEMBERED_RUNS = 256


class _Endpoint(msgspec.Struct, frozen=True, array_like=True):
    provider: str
    model: str
    reasoning: ReasoningKind
    simulated: bool
    quantization: str | None
    region: str | None
    prices: tuple[Price, ...]


class _Run(msgspec.Struct, frozen=True, array_like=True):
    trigger: str
    late: bool
    calibration: UUID | None = None
    within_bounds: bool | None = None
    basis: CalibrationBasis | None = None


class AttemptsState(msgspec.Struct, frozen=True):
    """What a completed attempt is read beside: the newest catalogue, recent runs, requests under way."""

    vantage: str = ""
    simulated: bool = False
    endpoints: Mapping[str, _Endpoint] = {}
    accounts: Mapping[str, AccountKind] = {}
    runs: Mapping[UUID, _Run] = {}
    intended_ns: Mapping[UUID, int] = {}


class Attempts(Projection[AttemptsState]):
    """See the module."""

    name: ClassVar[str] = "attempts"
    tables: ClassVar[tuple[Table, ...]] = (ATTEMPTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (
        DaemonStarted,
        CatalogueDeclared,
        RunPlanned,
        RequestSent,
        AttemptCompleted,
    )
    state_type = AttemptsState

    def start(self) -> AttemptsState:
        """See :class:`Projection`."""
        return AttemptsState()

    def fold(
        self, state: AttemptsState, entries: Sequence[Entry], definitions: Definitions
    ) -> tuple[AttemptsState, Sequence[Insertion]]:
        """See :class:`Projection`."""
        made: list[Insertion] = []
        under_way = dict(state.intended_ns)
        for entry in entries:
            match entry.event:
                case RequestSent() as sent:
                    under_way[sent.attempt] = sent.intended_wall_ns
                case AttemptCompleted() as completed:
                    intended_ns = under_way.pop(completed.attempt, None)
                    made.append(Insertion(ATTEMPTS, _row(state, entry, completed, intended_ns, definitions)))
                case RunPlanned() as planned:
                    state = _with_run(state, planned)
                case CatalogueDeclared() as declared:
                    state = _with_catalogue(state, declared)
                case DaemonStarted() as started:
                    state = msgspec.structs.replace(state, vantage=started.vantage, simulated=started.simulated)
        return msgspec.structs.replace(state, intended_ns=under_way), made


def _row(
    state: AttemptsState,
    entry: Entry,
    completed: AttemptCompleted,
    intended_ns: int | None,
    definitions: Definitions,
) -> AttemptRow:
    """Row of one attempt. What the catalogue does not know is empty or None; the figures still stand."""
    envelope = entry.envelope
    endpoint = state.endpoints.get(completed.endpoint) or _Endpoint("", "", "unknown", False, None, None, ())  # noqa: FBT003  # positional struct
    run = state.runs.get(completed.run)
    metrics: AttemptMetrics = measure(
        completed, endpoint.reasoning, definitions, columns=entry.columns(completed.timeline)
    )
    timing = completed.timing
    connection, strain = completed.connection, completed.strain
    usage = completed.usage or UsageReported()
    time = utc(envelope.wall_ns if timing.sent_wall_ns is None else timing.sent_wall_ns)
    price = price_on(endpoint.prices, time.date())
    return AttemptRow(
        source=envelope.source,
        seq=envelope.seq,
        time=time,
        ended=utc(envelope.wall_ns),
        intended=maybe_utc(intended_ns),
        vantage=state.vantage,
        provider=endpoint.provider,
        endpoint=completed.endpoint,
        model=endpoint.model,
        region=endpoint.region,
        quantization=endpoint.quantization,
        reasoning=endpoint.reasoning,
        account=completed.account,
        role=completed.role,
        account_kind=state.accounts.get(completed.account),
        suite=completed.suite,
        workload=completed.workload,
        scenario=completed.scenario,
        trigger=run.trigger if run else None,
        late=run.late if run else None,
        calibration=run.calibration if run else None,
        calibration_within_bounds=run.within_bounds if run else None,
        calibration_basis=run.basis if run else None,
        slot=completed.slot,
        run=completed.run,
        attempt=completed.attempt,
        request=completed.request,
        retry_of=completed.retry_of,
        sequence=completed.sequence,
        ordinal=completed.ordinal,
        simulated=state.simulated or endpoint.simulated or timing.clock == "simulated",
        clock=timing.clock,
        status=completed.status,
        outcome=metrics.outcome,
        failure=completed.failure.kind if completed.failure else None,
        failure_message=completed.failure.message if completed.failure else None,
        http_status=completed.http_status,
        ttft_us=metrics.ttft_us,
        ttfat_us=metrics.ttfat_us,
        end_to_end_us=metrics.end_to_end_us,
        output_speed=metrics.speed.tokens_per_s if metrics.speed else None,
        speed_basis=metrics.speed.basis if metrics.speed else None,
        speed_note=metrics.speed.note if metrics.speed else None,
        reasoning_hidden=metrics.reasoning_hidden,
        below_minimum=metrics.below_minimum,
        dns_us=connection.dns_us,
        connect_us=connection.connect_us,
        tls_us=connection.tls_us,
        connection_reused=connection.reused,
        request_written_us=timing.request_written_us,
        first_byte_us=timing.first_byte_us,
        end_us=timing.end_us,
        loop_lag_max_us=strain.loop_lag_max_us,
        gc_pauses=strain.gc_pauses,
        gc_longest_us=strain.gc_longest_us,
        user_space_reads=strain.user_space_reads,
        prompt_tokens=completed.prompt_tokens,
        counted_reasoning_tokens=_counted(completed.reasoning),
        counted_answer_tokens=_counted(completed.answer),
        usage_input_tokens=usage.input_tokens,
        usage_cached_tokens=usage.cached_input_tokens,
        usage_cache_write_tokens=usage.cache_write_tokens,
        usage_output_tokens=usage.output_tokens,
        usage_reasoning_tokens=usage.reasoning_tokens,
        cost_reported_usd=completed.cost_reported_usd,
        cost_usd=cost_usd(completed.usage, price),
        price_valid_from=price.valid_from if price else None,
        min_output_tokens=completed.min_output_tokens,
        prompt_sha256=completed.prompt_sha256,
        prompt_task=completed.prompt_task,
        tokenizer=completed.tokenizer,
        returned_model=completed.returned_model,
        returned_provider=completed.returned_provider,
        fingerprint=completed.fingerprint,
        finish_reason=completed.finish_reason,
        flags=completed.flags,
        definition=definitions.id,
    )


def _counted(text: ReceivedText | None) -> int | None:
    return text.tokens if text else None


def _with_catalogue(state: AttemptsState, declared: CatalogueDeclared) -> AttemptsState:
    endpoints = {
        facts.name: _Endpoint(
            facts.provider,
            facts.model,
            facts.reasoning,
            facts.simulated,
            facts.quantization,
            facts.region,
            facts.prices,
        )
        for facts in declared.endpoints
    }
    accounts = {facts.name: facts.kind for facts in declared.accounts}
    return msgspec.structs.replace(state, vantage=declared.vantage, endpoints=endpoints, accounts=accounts)


def _with_run(state: AttemptsState, planned: RunPlanned) -> AttemptsState:
    """Remember the newest runs; an attempt of an older one has no trigger, which is exact after a restart too."""
    run = _Run(
        planned.trigger,
        planned.late,
        planned.calibration,
        planned.calibration_within_bounds,
        planned.calibration_basis,
    )
    runs = {**state.runs, planned.run: run}
    for oldest in list(runs)[: max(0, len(runs) - _REMEMBERED_RUNS)]:
        del runs[oldest]
    return msgspec.structs.replace(state, runs=runs)
