"""What the page of one attempt says, put together from its events and from its row in the tables. Pure.

Figures come from the row, because they are conclusions; everything else comes from the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from dashboards.page.attempt_events import AttemptEvents
from dashboards.page.attempt_parts import (
    event_of,
    facts_of,
    failure_of,
    marks_of,
    phases_of,
    reads_of,
    text_of,
    usage_of,
)
from dashboards.page.attempt_shapes import AttemptView, Fact, Received
from schemas.timeline import Channel

_STATES: Final = {"ok": "ok", "rate-limited": "degraded", "cancelled": "no-data", "not-completed": "no-data"}


def attempt_view(
    found: AttemptEvents, received: Received, figures: Sequence[Fact], *, outcome: str, simulated: bool
) -> AttemptView:
    """Put the page together."""
    completed = found.completed
    chunks = [row for row in received.timeline if row.channel is not Channel.NONE]
    return AttemptView(
        id=str(completed.attempt),
        title=f"{completed.workload}, {completed.scenario}",
        endpoint=completed.endpoint,
        simulated=simulated,
        outcome=outcome,
        outcome_state=_STATES.get(outcome, "failed"),
        failure=failure_of(completed),
        figures=list(figures),
        facts=facts_of(found),
        phases=phases_of(completed, chunks),
        marks=marks_of(completed, chunks),
        end_us=completed.timing.end_us,
        timeline=reads_of(received.timeline),
        usage=usage_of(completed),
        parameters={} if found.sent is None else found.sent.parameters,
        texts=[
            text_of(channel, facts, text)
            for channel, facts, text in (
                ("reasoning", completed.reasoning, received.reasoning),
                ("answer", completed.answer, received.answer),
            )
            if facts is not None
        ],
        judgments=[msgspec.to_builtins(judgment) for judgment in found.judgments],
        events=[event_of(logged) for logged in found.events],
    )
