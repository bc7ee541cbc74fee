"""What is compared: one request of each of two accounts with the same payload, and what was seen of each.

Both structs are arrays on the wire, so that a pair has one canonical form: its fields in the order given here.
A field is added at the end, never moved.
"""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID

import msgspec

Outcome = Literal["answered", "failed", "rate-limited"]

Metric = Literal[
    "ttft",
    "ttfat",
    "output-speed",
    "end-to-end",
    "answer-length",
    "error-share",
    "rate-limited-share",
    "context-refused-share",
    "returned-model",
    "fingerprint",
    "input-tokens",
    "wrong-answer-share",
    "answer-disagreement",
]
"""In the order in which evidence states them; ``docs/methodology.md`` says what each is tested by."""

ALL_WORKLOADS: Final = "all"
"""Stands for a workload's name where the pairs of all workloads were compared together."""


class Measured(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One request of one account. What is unknown, or not valid for its metric, is null.

    output_speed: in tokens per second. answer_tokens: counted in the received answer.
    context_refused: the service found the request invalid, as it does when a prompt is too long for it.
    returned_model, fingerprint: what the service calls its model and its configuration.
    input_tokens: the prompt's, as the provider counts them.
    right: the answer agrees with the known one; null where none is known.
    """

    outcome: Outcome
    ttft_ns: int | None = None
    ttfat_ns: int | None = None
    output_speed: float | None = None
    end_to_end_ns: int | None = None
    answer_tokens: int | None = None
    context_refused: bool = False
    returned_model: str | None = None
    fingerprint: str | None = None
    input_tokens: int | None = None
    right: bool | None = None


class Pair(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """The same payload from both accounts at the same moment: same run, same ordinal.

    ``at_ns`` orders the runs in time; any time of the run will do.
    answers_agree: both answers at temperature 0 are the same text; null where either is missing.
    controls_agree: the same of the other account and a further one that does not measure either: how often
        answers of two ordinary accounts agree is what ``answers_agree`` is held against.
    """

    run: UUID
    ordinal: int
    at_ns: int
    primary: Measured
    other: Measured
    workload: str = ""
    answers_agree: bool | None = None
    controls_agree: bool | None = None
