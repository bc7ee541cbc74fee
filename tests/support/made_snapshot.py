"""A snapshot made by hand, and an ``ask`` that answers the public queries with it: no tables, no clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from dashboards.publication.contract import Snapshot
from dashboards.publication.gathering import gather
from projections.queries.contract import QueryTable
from projections.queries.registry import query_named
from schemas.definitions import Definitions

MOMENT = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)
ROOT = bytes(range(32))

SERIES: Mapping[str, Any] = {
    "source": "lab",
    "vantage": "vienna",
    "provider": "amber",
    "endpoint": "mini",
    "workload": "text-10k",
    "scenario": "single",
}
USUAL: Mapping[str, Any] = {
    **SERIES,
    "model": "mini-1",
    "account_kind": "primary",
    "success_share": 0.975,
    "rate_limited_share": 0.0,
    "below_minimum_share": 0.0,
    "attempts": 24,
    "n": 23,
    "calibrated": 23,
    "out_of_bounds": 0,
    "instrument_error_ms": 0.4,
    "total_assumed": False,
    "assumed": False,
    "simulated": False,
    "measured_again": False,
    "any_out_of_bounds": False,
    "ttft_p50": 0.512,
    "ttft_low": 0.49,
    "ttft_high": 0.53,
    "output_speed_p50": 123.4,
    "output_speed_low": 118.0,
    "output_speed_high": 127.0,
    "p5": 0.4,
    "p50": 0.512,
    "p95": 0.9,
    "unit": "s",
    "metric": "ttft",
    "window_start": MOMENT - timedelta(hours=72),
    "window_end": MOMENT,
    "newest": MOMENT - timedelta(hours=1),
    "time": MOMENT.replace(hour=0, minute=0, second=0) - timedelta(days=1),
    "definition": Definitions().id,
    "checkpoint_size": 4000,
    "checkpoint_root": ROOT.hex(),
    "checkpointed": MOMENT - timedelta(hours=2),
}
OFFICE: Mapping[str, Any] = {
    "task": "invoice",
    "language": "cs",
    "n": 100,
    "fields": 1300,
    "right": 1209,
    "right_share": 0.93,
    "right_low": 0.913,
    "right_high": 0.946,
    "error_free_share": 0.61,
    "error_free_low": 0.512,
    "error_free_high": 0.7,
    "valid_share": 1.0,
    "cost_usd_1000": 1.42,
    "true_cost_usd_1000": 781.42,
    "private_n": 50,
    "private_right_share": 0.921,
    "private_error_free_share": 0.58,
    "data_set": "2",
    "prompts": "1",
    "oldest": MOMENT - timedelta(days=3),
    "definition": "office-fields 1",
}
CHECKPOINT: Mapping[str, Any] = {
    "source": "lab",
    "time": MOMENT - timedelta(hours=2),
    "size": 4000,
    "root": ROOT.hex(),
}


def answer(name: str, *rows: Mapping[str, Any]) -> QueryTable:
    """Answer a query with rows; what a row does not name is NULL."""
    query = query_named(name)
    return QueryTable(query=query, rows=tuple(tuple(row.get(c.name) for c in query.columns) for row in rows))


async def made(
    *rows: Mapping[str, Any],
    statements: tuple[Mapping[str, Any], ...] = (),
    attestations: tuple[Mapping[str, Any], ...] = (),
    office: tuple[Mapping[str, Any], ...] = (),
    checkpoints: tuple[Mapping[str, Any], ...] = (CHECKPOINT,),
    later_checkpoints: Sequence[Mapping[str, Any]] = (),
    definitions: tuple[Definitions, ...] = (Definitions(),),
) -> Snapshot:
    """Gather a snapshot from rows, each of which is on the leaderboard and has a figure and a day.

    later_checkpoints: what each further look at the checkpoints finds instead of those of the first.
    """
    full = [{**USUAL, **row} for row in rows]
    known = [{"definition": each.id, **msgspec.to_builtins(each)} for each in definitions]
    answers = {
        "public-checkpoints": answer("public-checkpoints", *checkpoints),
        "public-leaderboard": answer("public-leaderboard", *full),
        "public-endpoints": answer("public-endpoints", *full),
        "public-history": answer("public-history", *full),
        "public-office": answer("public-office", *({**USUAL, **OFFICE, **row} for row in office)),
        "public-disclosures": answer("public-disclosures", *statements),
        "public-attestations": answer("public-attestations", *attestations),
        "definitions": answer("definitions", *known),
    }

    later = iter(later_checkpoints)

    async def ask(name: str, **_: Any) -> QueryTable:
        found = answers[name]
        if name == "public-checkpoints" and (newer := next(later, None)) is not None:
            answers[name] = answer(name, newer)
        return found

    return await gather(ask, MOMENT)
