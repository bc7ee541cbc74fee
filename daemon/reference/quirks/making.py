"""Short ways to write the collection down: moments, right values, and takes for several forms at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from daemon.reference.quirks.contract import At, Counts, Form, Outcome, Part, Right, Take
from daemon.reference.quirks.forms import FORMS, new_voice
from daemon.reference.quirks.words import PLAIN
from schemas.events.attempts import FailureClass

WORDS = " one two three four five six seven eight nine ten"
"""Ten tokens."""

OUTCOMES: dict[FailureClass, Outcome] = {"truncated": "truncated", "rate-limited": "rate-limited"}


def at(ms: float, *parts: Part) -> At:
    """Name everything that is written at one moment."""
    return At(ms, parts)


def good(ttft: float, end: float, *, answer: str | None = "A", tokens: int = 1, **more: Any) -> Right:
    """Right value of a response: an answer in one chunk, with usage of 7 and 3, unless told otherwise."""
    speed = more.get("tokens_per_s")
    reasoning = more.get("reasoning")
    values: dict[str, Any] = {
        "ttft_ms": ttft,
        "ttfat_ms": ttft,
        "end_ms": end,
        "over_ms": end,
        "answer": answer,
        "answer_tokens": tokens,
        "chunks": 1,
        "speed_note": "one-arrival" if speed is None else "",
        "finish_reason": "natural",
        "usage": PLAIN,
        "reasoning_announced": reasoning is not None,
        "reasoning_hidden": False,
    }
    return Right(**(values | more))


def empty(over: float, **more: Any) -> Right:
    """Right value of a response without a token: no figures at all."""
    values: dict[str, Any] = {"finish_reason": "natural", "usage": PLAIN, "chunks": 0}
    return Right(outcome="empty", over_ms=over, **(values | more))


def bad(failure: FailureClass, over: float, *, answer: str | None = "A", tokens: int = 1, **more: Any) -> Right:
    """Right value of a failure: its class, no figures, and what had come. Usage None: what the opening told."""
    return Right(
        status="error",
        outcome=OUTCOMES.get(failure, "failed"),
        failure=failure,
        over_ms=over,
        answer=answer,
        answer_tokens=tokens,
        **({"chunks": tokens} | more),
    )


def everywhere(
    *steps: At,
    right: Right,
    forms: Iterable[Form] = FORMS,
    but: Mapping[Form, Mapping[str, Any]] | None = None,
    **take: Any,
) -> dict[Form, tuple[Take, ...]]:
    """Make the same take for several forms; ``but`` says what of the right value differs in a form."""
    return {form: (one(form, *steps, right=right, but=(but or {}).get(form), **take),) for form in forms}


def one(form: Form, *steps: At, right: Right, but: Mapping[str, Any] | None = None, **take: Any) -> Take:
    """Make a take for a form, its words for a finish reason put in, and the usage that its opening tells."""
    voice = new_voice(form)
    words = {"natural": voice.reason, "length": voice.limit_reason}
    opened = any("opening" in step.parts for step in steps)
    known = right.usage if right.usage is not None or not opened else voice.opened
    reason = right.finish_reason
    right = msgspec.structs.replace(right, finish_reason=reason and words.get(reason, reason), usage=known)
    return Take(steps=steps, right=msgspec.structs.replace(right, **(but or {})), **take)


def by_hand(
    steps: Mapping[Form, tuple[At, ...]], *, right: Right, but: Mapping[Form, Mapping[str, Any]] | None = None
) -> dict[Form, tuple[Take, ...]]:
    """Make takes from each form's own steps."""
    return {form: (one(form, *own, right=right, but=(but or {}).get(form)),) for form, own in steps.items()}


def after(
    first: Mapping[Form, tuple[Take, ...]], then: Mapping[Form, tuple[Take, ...]]
) -> dict[Form, tuple[Take, ...]]:
    """Let the takes of ``then`` follow those of ``first``."""
    return {form: (*takes, *then[form]) for form, takes in first.items()}


def counts(**values: int | None) -> Counts:
    """Name counts that are not all told."""
    return Counts(**values)
