"""The same figures for programs: CSV and JSON, with definitions, limits and checkpoints beside them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from dashboards.page.figures import to_csv
from dashboards.publication.contract import Snapshot
from dashboards.publication.limits import LIMITS
from dashboards.publication.wording import iso
from projections.queries.contract import QueryTable
from schemas.metrics import METRICS

FORMAT: Final = "messwerk-publication/1"
"""First field of ``figures.json``; the number goes up when a reader of the old form would misread the new one."""


def data_files(snapshot: Snapshot) -> dict[str, bytes]:
    """Make every file for programs, by name."""
    found = {f"{name}.csv": to_csv(answer).encode() for name, answer in snapshot.answers.items()}
    beside = _beside(snapshot)
    for name, answer in snapshot.answers.items():
        found[f"{name}.json"] = _json({**beside, name: _table(answer)})
    tables = {name: _table(answer) for name, answer in snapshot.answers.items()}
    found["figures.json"] = _json({**beside, **tables})
    found["checkpoints.jsonl"] = b"".join(
        msgspec.json.encode({"source": each.source, "size": each.size, "root": each.root, "time": iso(each.time)})
        + b"\n"
        for each in snapshot.checkpoints
    )
    return found


def _beside(snapshot: Snapshot) -> dict[str, Any]:
    definitions = snapshot.definitions
    return {
        "format": FORMAT,
        "moment": iso(snapshot.moment),
        "history_start": iso(snapshot.history_start),
        "checkpoints": [
            {"source": each.source, "size": each.size, "root": each.root, "time": iso(each.time)}
            for each in snapshot.checkpoints
        ],
        "definitions": {"id": definitions.id, **msgspec.to_builtins(definitions)},
        "metrics": [
            {
                "id": each.id,
                "version": each.version,
                "stamp": each.stamp(definitions),
                "title": each.title,
                "unit": each.unit,
                "text": each.text_under(definitions),
            }
            for each in METRICS
        ],
        "limits": list(LIMITS),
    }


def _table(answer: QueryTable) -> dict[str, Any]:
    return {
        "description": answer.query.description,
        "columns": [
            {"name": column.name, "unit": column.unit, "metric": column.metric, "description": column.description}
            for column in answer.query.columns
        ],
        "rows": [_plain(row) for row in answer.dicts()],
    }


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: iso(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _json(content: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
