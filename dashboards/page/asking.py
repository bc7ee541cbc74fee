"""Asking a panel's query for a reader's choice: which parameters it gets, and how its steps divide the span."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from dashboards.page.contract import Ask
from dashboards.page.parameters import Choice
from dashboards.panels import Panel, Step
from projections.queries.contract import QueryTable
from projections.queries.registry import query_named

_STEPS_S: Final = (300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 2 * 86_400, 7 * 86_400)
_POINTS: Final = 150
_CELLS: Final = 120
_SLOT_S: Final = 3 * 3600
"""Period of the 8-a-day workloads: a finer cell would be empty between two slots."""


def step_s(span_ms: int, step: Step) -> int:
    """Width of a step in seconds, so that a span has a readable number of them."""
    span_s = max(1, span_ms // 1000)
    if step == "span":
        return span_s + 1
    finest, most = (_SLOT_S, _CELLS) if step == "slots" else (_STEPS_S[0], _POINTS)
    return next((size for size in _STEPS_S if size >= finest and span_s / size <= most), _STEPS_S[-1])


def takes_step(panel: Panel) -> bool:
    """Tell whether the panel's query divides its span."""
    return any(parameter.name == "step_s" for parameter in query_named(panel.query).parameters)


def aligned(choice: Choice, panel: Panel) -> Choice:
    """Let steps begin at multiples of themselves, so that a refresh does not shift every point."""
    if not takes_step(panel) or panel.step == "span":
        return choice
    width_ms = step_s(choice.to_ms - choice.from_ms, panel.step) * 1000
    return msgspec.structs.replace(choice, from_ms=choice.from_ms - choice.from_ms % width_ms)


async def ask_panel(ask: Ask, panel: Panel, choice: Choice, width_s: int | None) -> QueryTable:
    """Answer a panel's query, in steps of ``width_s`` where it takes steps. Raises what ``ask`` raises."""
    arguments: dict[str, Any] = dict(panel.constants)
    for parameter in query_named(panel.query).parameters:
        if parameter.name in panel.parameters:
            value = choice.variables.get(panel.parameters[parameter.name], "")
            listed = (value,) if value else ()
            arguments[parameter.name] = listed if parameter.type == "Array(String)" else value
        match parameter.name:
            case "start":
                arguments["start"] = moment(choice.from_ms)
            case "end":
                arguments["end"] = moment(choice.to_ms)
            case "step_s":
                arguments["step_s"] = width_s
    return await ask(panel.query, **arguments)


def moment(ms: int) -> datetime:
    """Milliseconds since 1970 as an aware time."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
