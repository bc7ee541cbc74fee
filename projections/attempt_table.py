"""The table ``attempts``: its row, column by column, with units. How rows are made is ``projections/attempts.py``."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from projections.tables import MAYBE_NAME, NAME, UTC_TIME, Column, Table, TimedRow
from schemas.catalogue import AccountKind, ReasoningKind
from schemas.events.runs import AccountRole, CalibrationBasis

_US = "Nullable(UInt64)"
_COUNT = "Nullable(UInt64)"
_USD = "Nullable(Decimal(38, 12))"


class AttemptRow(TimedRow, frozen=True, kw_only=True):
    """``time`` is when the request was sent, or, if it never was, when the attempt ended."""

    ended: Annotated[datetime, Column(UTC_TIME, "when the attempt was over, by the wall clock")]
    intended: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "when it was meant to be sent")]
    vantage: Annotated[str, Column(NAME, "where it was measured from")]
    provider: Annotated[str, Column(NAME, "who runs the endpoint")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name in the catalogue")]
    model: Annotated[str, Column(NAME, "model asked for")]
    region: Annotated[str | None, Column(MAYBE_NAME, "endpoint's region")]
    quantization: Annotated[str | None, Column(MAYBE_NAME, "as the provider states it")]
    reasoning: Annotated[ReasoningKind, Column(NAME, "whether the model reasons and shows it, by the catalogue")]
    account: Annotated[str, Column(NAME, "account's name")]
    role: Annotated[AccountRole, Column(NAME, "measuring, or control: another account with the same payload")]
    account_kind: Annotated[AccountKind | None, Column(MAYBE_NAME, "primary, funded, anonymous or provider-given")]
    suite: Annotated[str, Column(NAME, "performance, reasoning, …")]
    workload: Annotated[str, Column(NAME, "workload's name")]
    scenario: Annotated[str, Column(NAME, "single or parallel-10")]
    trigger: Annotated[str | None, Column(MAYBE_NAME, "what started the run")]
    late: Annotated[bool | None, Column("Nullable(Bool)", "the run began late")]
    calibration: Annotated[UUID | None, Column("Nullable(UUID)", "calibration that its run was measured under")]
    calibration_within_bounds: Annotated[bool | None, Column("Nullable(Bool)", "that one's verdict")]
    calibration_basis: Annotated[
        CalibrationBasis | None, Column(MAYBE_NAME, "fresh, recent, older, none or failed; null where not calibrated")
    ]
    slot: Annotated[str | None, Column("Nullable(String)", "slot by its nominal time")]
    run: Annotated[UUID, Column("UUID", "run")]
    attempt: Annotated[UUID, Column("UUID", "attempt")]
    request: Annotated[UUID, Column("UUID", "request, shared by its retries")]
    retry_of: Annotated[UUID | None, Column("Nullable(UUID)", "attempt that this one repeats")]
    sequence: Annotated[int, Column("UInt32", "1 for the first attempt of a request")]
    ordinal: Annotated[int, Column("UInt32", "number within the run, where an endpoint is asked more than once")]
    simulated: Annotated[bool, Column("Bool", "reference endpoint, simulated clock or simulated transport")]
    clock: Annotated[str, Column(NAME, "what took the times")]
    status: Annotated[str, Column(NAME, "as recorded: response, error, cancelled or not-completed")]
    outcome: Annotated[str, Column(NAME, "by definition: ok, empty, truncated, rate-limited, failed, …")]
    failure: Annotated[str | None, Column(MAYBE_NAME, "class of the failure")]
    failure_message: Annotated[str | None, Column("Nullable(String)", "its message")]
    http_status: Annotated[int | None, Column("Nullable(UInt16)", "status of the response")]
    ttft_us: Annotated[int | None, Column(_US, "to the first token, microseconds since the request was sent")]
    ttfat_us: Annotated[int | None, Column(_US, "to the first answer token, microseconds")]
    end_to_end_us: Annotated[int | None, Column(_US, "to the complete answer, microseconds")]
    output_speed: Annotated[float | None, Column("Nullable(Float64)", "o200k_base tokens per second after the first")]
    speed_basis: Annotated[str | None, Column(MAYBE_NAME, "chunks that the speed was taken over")]
    speed_note: Annotated[str | None, Column(MAYBE_NAME, "why there is no speed; empty when there is one")]
    reasoning_hidden: Annotated[bool | None, Column("Nullable(Bool)", "thinking did not reach the client in full")]
    below_minimum: Annotated[bool | None, Column("Nullable(Bool)", "answer shorter than its workload asks for")]
    dns_us: Annotated[int | None, Column(_US, "name look-up, microseconds; before the request, in no TTFT")]
    connect_us: Annotated[int | None, Column(_US, "TCP connect, microseconds; likewise")]
    tls_us: Annotated[int | None, Column(_US, "TLS handshake, microseconds; likewise")]
    connection_reused: Annotated[bool | None, Column("Nullable(Bool)", "an open connection was used again")]
    request_written_us: Annotated[int | None, Column(_US, "last byte of the request handed over, microseconds")]
    first_byte_us: Annotated[int | None, Column(_US, "first byte of the response, microseconds")]
    end_us: Annotated[int | None, Column(_US, "attempt over, microseconds")]
    loop_lag_max_us: Annotated[int | None, Column(_US, "longest lateness of the measuring event loop, microseconds")]
    gc_pauses: Annotated[int | None, Column(_COUNT, "collections of garbage while it was measured")]
    gc_longest_us: Annotated[int | None, Column(_US, "longest of them, microseconds; null when there was none")]
    user_space_reads: Annotated[int | None, Column(_COUNT, "reads without a usable kernel time")]
    prompt_tokens: Annotated[int | None, Column(_COUNT, "prompt, counted in o200k_base tokens")]
    counted_reasoning_tokens: Annotated[int | None, Column(_COUNT, "reasoning received, o200k_base tokens")]
    counted_answer_tokens: Annotated[int | None, Column(_COUNT, "answer received, o200k_base tokens")]
    usage_input_tokens: Annotated[int | None, Column(_COUNT, "input as reported, cached or not")]
    usage_cached_tokens: Annotated[int | None, Column(_COUNT, "of it from a cache, as reported")]
    usage_cache_write_tokens: Annotated[int | None, Column(_COUNT, "of it written to a cache, as reported")]
    usage_output_tokens: Annotated[int | None, Column(_COUNT, "output as reported, reasoning included")]
    usage_reasoning_tokens: Annotated[int | None, Column(_COUNT, "of it reasoning, as reported")]
    cost_reported_usd: Annotated[Decimal | None, Column(_USD, "cost as the provider reports it, USD")]
    cost_usd: Annotated[Decimal | None, Column(_USD, "cost by the price in force that day, USD")]
    price_valid_from: Annotated[date | None, Column("Nullable(Date)", "day from which that price holds")]
    min_output_tokens: Annotated[int | None, Column(_COUNT, "shortest answer that the workload asks for")]
    prompt_sha256: Annotated[str | None, Column("Nullable(String)", "hash of the prompt")]
    prompt_task: Annotated[str | None, Column(MAYBE_NAME, "kind of task, or the prompt's own name in a fixed set")]
    tokenizer: Annotated[str, Column(NAME, "what counted the tokens")]
    returned_model: Annotated[str | None, Column(MAYBE_NAME, "model that the response names")]
    returned_provider: Annotated[str | None, Column(MAYBE_NAME, "provider that the response names")]
    fingerprint: Annotated[str | None, Column(MAYBE_NAME, "system fingerprint of the response")]
    finish_reason: Annotated[str | None, Column(MAYBE_NAME, "why the answer ended, in the provider's word")]
    flags: Annotated[tuple[str, ...], Column("Array(LowCardinality(String))", "observations beside the status")]
    definition: Annotated[str, Column(NAME, "definitions that the figures were made with")]


ATTEMPTS = Table(
    name="attempts",
    row=AttemptRow,
    order_by=("suite", "workload", "endpoint", "time", "source", "seq"),
    granule_rows=1024,  # a month of one endpoint is a few hundred rows: it is read without those of thirty others
    indices=(
        "attempt_index attempt TYPE bloom_filter GRANULARITY 1",
        "run_index run TYPE bloom_filter GRANULARITY 1",
    ),
    comment="one row per completed attempt",
)
