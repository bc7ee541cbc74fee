"""Gathering the page of one attempt from three named queries."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from dashboards.page.attempt_events import gather
from dashboards.page.attempt_shapes import AttemptView, Fact, Received
from dashboards.page.attempt_view import attempt_view
from dashboards.page.contract import Ask
from dashboards.page.errors import BadRequestError, NotFoundError
from dashboards.page.figures import plain, unit_of
from projections.queries.contract import QueryTable
from schemas.timeline import Channel, TimelineRow

_FIGURES: Final = (
    ("ttft_us", "Time to first token", None),
    ("ttfat_us", "Time to first answer token", None),
    ("output_speed", "Output speed", "speed_basis"),
    ("end_to_end_us", "End-to-end response time", None),
    ("counted_reasoning_tokens", "Reasoning received", None),
    ("counted_answer_tokens", "Answer received", None),
    ("below_minimum", "Shorter than its workload asks for", None),
    ("reasoning_hidden", "Reasoning hidden", None),
    ("cost_usd", "Cost", "price_valid_from"),
    ("cost_difference_usd", "Cost reported minus cost", None),
    ("late", "Run began late", None),
    ("calibration_within_bounds", "Measured within bounds", "calibration_basis"),
    ("loop_lag_max_us", "Measuring held up by its loop", None),
    ("gc_longest_us", "Measuring held up by garbage collection", None),
    ("user_space_reads", "Reads without a kernel time", None),
    ("definition", "Definition", None),
)
"""Column of the row, title, and the column that says more about it."""

_NOTES: Final = {"price_valid_from": "by the price valid from ", "calibration_basis": "calibration: "}


def read_attempt_id(text: str) -> UUID:
    """Read an identifier in a path. Raises :class:`BadRequestError`."""
    try:
        return UUID(text)
    except ValueError as problem:
        raise BadRequestError("an attempt is named by its UUID", where="attempt") from problem


async def describe_attempt(ask: Ask, attempt: UUID) -> AttemptView:
    """Gather it. Raises :class:`NotFoundError` for an attempt that has not ended, and what ``ask`` raises."""
    facts = await ask("attempt", attempt=attempt)
    lines = await ask("attempt-events", attempt=attempt)
    found = gather(lines.column("json"))
    if not facts.rows or found is None:
        raise NotFoundError(
            f"no attempt {attempt} has ended, as far as the tables have come; try again in a moment", where="attempt"
        )
    row = facts.dicts()[0]
    return attempt_view(
        found,
        _received(await ask("attempt-timeline", attempt=attempt)),
        _figures(facts, row),
        outcome=str(row["outcome"]),
        simulated=bool(row["simulated"]),
    )


def _received(answer: QueryTable) -> Received:
    if not answer.rows:
        return Received()
    row = answer.dicts()[0]
    columns = zip(row["elapsed_us"], row["read_bytes"], row["channel"], row["tokens"], strict=True)
    return Received(
        timeline=[TimelineRow(elapsed, size, Channel(channel), tokens) for elapsed, size, channel, tokens in columns],
        answer=row["answer"],
        reasoning=row["reasoning"],
    )


def _figures(answer: QueryTable, row: dict[str, Any]) -> list[Fact]:
    units = {column.name: unit_of(column) for column in answer.query.columns}
    facts = []
    for name, title, about in _FIGURES:
        more = row[about] if about else None
        note = f"{_NOTES.get(about or '', '')}{more}" if more else None
        if name == "output_speed" and row["speed_note"]:
            note = row["speed_note"]
        facts.append(Fact(title=title, value=plain(row[name]), unit=units[name], note=note))
    return facts
