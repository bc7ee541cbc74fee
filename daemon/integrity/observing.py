"""From the events of one request to what is compared of it. Pure; figures are computed by the read side's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from daemon.integrity.known_answers import gives_known_answer
from daemon.integrity.pairs import Measured, Outcome
from schemas.catalogue import ReasoningKind
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted

AttemptOutcome = Literal["ok", "empty", "truncated", "failed", "rate-limited", "cancelled", "not-completed"]


class AttemptFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one attempt as tables hold them; None for what it has not."""

    outcome: AttemptOutcome
    ttft_us: int | None = None
    ttfat_us: int | None = None
    end_to_end_us: int | None = None
    output_speed: float | None = None


FiguresOf = Callable[[AttemptCompleted, ReasoningKind], AttemptFigures]
"""Computes figures by the definitions that published ones use."""

AccountFigures = Callable[[Definitions], FiguresOf]
"""Gives what computes figures by these definitions."""

_OUTCOMES: Final[Mapping[AttemptOutcome, Outcome]] = {
    "ok": "answered",
    "empty": "failed",
    "truncated": "failed",
    "failed": "failed",
    "rate-limited": "rate-limited",
}
"""What was ended from here says nothing of the service and is not compared."""


def measured_of(completed: AttemptCompleted, figures: AttemptFigures) -> Measured | None:
    """Return what is compared of an attempt; None for one that was not sent, or that was ended from here."""
    outcome = _OUTCOMES.get(figures.outcome)
    if outcome is None or completed.timing.sent_mono_ns is None:
        return None
    if outcome != "answered":
        refused = completed.failure is not None and completed.failure.kind == "invalid-request"
        return Measured(outcome=outcome, context_refused=refused)
    answer = completed.answer
    return Measured(
        outcome=outcome,
        ttft_ns=_ns(figures.ttft_us),
        ttfat_ns=_ns(figures.ttfat_us),
        output_speed=figures.output_speed,
        end_to_end_ns=_ns(figures.end_to_end_us),
        answer_tokens=None if answer is None else answer.tokens,
        returned_model=completed.returned_model,
        fingerprint=completed.fingerprint,
        input_tokens=None if completed.usage is None else completed.usage.input_tokens,
        right=gives_known_answer(completed.workload, completed.prompt_task, None if answer is None else answer.text),
    )


def deterministic(parameters: Mapping[str, Any]) -> bool:
    """Whether a request asked for temperature 0, in whatever place its dialect has for it."""
    for name, value in parameters.items():
        if name == "temperature":
            return bool(value == 0)
        if isinstance(value, Mapping) and deterministic(value):
            return True
    return False


def _ns(us: int | None) -> int | None:
    return None if us is None else us * 1_000
