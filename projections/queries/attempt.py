"""One attempt: its facts, its timeline, its events."""

from __future__ import annotations

from typing import Final

from projections.attempt_table import ATTEMPTS
from projections.queries.contract import (
    ColumnKind,
    NamedQuery,
    Parameter,
    ResultColumn,
    array,
    label,
    measured,
    text,
    time,
)
from projections.queries.fragments import OWN_NAMES
from projections.tables import Column

_ATTEMPT: Final = Parameter(name="attempt", type="UUID", description="attempt's identifier", required=True)


def _kind(column: Column) -> ColumnKind:
    if "DateTime" in column.type:
        return "time"
    if column.type.startswith("Array"):
        return "array"
    if "Bool" in column.type:
        return "flag"
    if any(numeric in column.type for numeric in ("Int", "Float", "Decimal")):
        return "number"
    return "text"


def _unit(name: str) -> str:
    for ending, unit in (("_us", "us"), ("_tokens", "tokens"), ("_usd", "USD")):
        if name.endswith(ending):
            return unit
    return "tokens/s" if name == "output_speed" else ""


_METRICS: Final = {
    "ttft_us": "ttft",
    "ttfat_us": "ttfat",
    "output_speed": "output-speed",
    "end_to_end_us": "end-to-end",
    "prompt_tokens": "counted-tokens",
    "counted_reasoning_tokens": "counted-tokens",
    "counted_answer_tokens": "counted-tokens",
    "usage_input_tokens": "billed-tokens",
    "usage_cached_tokens": "billed-tokens",
    "usage_cache_write_tokens": "billed-tokens",
    "usage_output_tokens": "billed-tokens",
    "usage_reasoning_tokens": "billed-tokens",
    "cost_usd": "cost",
    "cost_reported_usd": "cost-reported",
}


def _selected(name: str, column: Column) -> str:
    if "UUID" in column.type:
        return f"toString({name}) AS {name}"
    return f"toFloat64({name}) AS {name}" if "Decimal" in column.type else name


FACTS: Final = NamedQuery(
    name="attempt",
    title="Attempt",
    description="Everything that is known of one attempt, with its figures under the definition that it names.",
    shape="record",
    parameters=(_ATTEMPT,),
    columns=(
        *(
            ResultColumn(
                name=entry.name,
                kind=_kind(entry.column),
                unit=_unit(entry.name),
                description=entry.column.comment,
                metric=_METRICS.get(entry.name, ""),
            )
            for entry in ATTEMPTS.columns
        ),
        measured("cost_difference_usd", "cost-difference", "cost as reported minus cost by the price in force"),
    ),
    sql=f"""
SELECT {", ".join(_selected(entry.name, entry.column) for entry in ATTEMPTS.columns)},
       toFloat64(cost_reported_usd - cost_usd) AS cost_difference_usd
FROM attempts FINAL
WHERE attempt = {{attempt:UUID}}
{OWN_NAMES}
""",
)

TIMELINE: Final = NamedQuery(
    name="attempt-timeline",
    title="Timeline",
    description="Arrival of every chunk. Chunks that came in one read share its time; the first of them holds the "
    "read's bytes. Texts are missing when they are private or lie in the blob store.",
    shape="record",
    parameters=(_ATTEMPT,),
    columns=(
        array("elapsed_us", "us", "arrival since the first byte of the request was handed to the socket"),
        array("read_bytes", "bytes", "bytes of the read; 0 for its further chunks"),
        array("channel", "", "0 none, 1 reasoning, 2 answer, 3 tool, 4 refusal"),
        array("tokens", "tokens", "o200k_base tokens of the chunk"),
        text("answer", "answer"),
        text("answer_sha256", "hash of the answer"),
        text("answer_blob", "the answer's place in the blob store"),
        text("reasoning", "reasoning"),
        text("reasoning_sha256", "hash of the reasoning"),
        text("reasoning_blob", "the reasoning's place in the blob store"),
    ),
    sql=f"""
SELECT elapsed_us, read_bytes, channel, tokens, answer, answer_sha256, answer_blob,
       reasoning, reasoning_sha256, reasoning_blob
FROM timelines FINAL
WHERE attempt = {{attempt:UUID}}
{OWN_NAMES}
""",
)

EVENTS: Final = NamedQuery(
    name="attempt-events",
    title="Events",
    all_accounts=True,
    description="Every event about one attempt and its run, in the order of the log.",
    shape="table",
    parameters=(_ATTEMPT,),
    columns=(
        time("by the daemon's wall clock"),
        label("source", "daemon whose log holds it"),
        ResultColumn(name="seq", kind="number", description="position in that log"),
        label("type"),
        label("id"),
        text("json", "envelope and event, without timeline and texts"),
    ),
    sql=f"""
SELECT time, source, seq, type, toString(id) AS id, json
FROM events FINAL
WHERE attempt = {{attempt:UUID}}
   OR (type = 'run-planned' AND run IN (SELECT run FROM attempts FINAL WHERE attempt = {{attempt:UUID}}))
ORDER BY source, seq
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (FACTS, TIMELINE, EVENTS)
