"""From one completed attempt to its figures: TTFT, TTFAT, output speed, end-to-end, outcome.

Pure, and the only place with these formulas; averages and medians over attempts are queries. Elapsed times
count from the first byte of the request handed to the socket, in microseconds. Whatever is unknown or
undefined is None, never 0. The definitions restate Artificial Analysis' performance methodology 2.2.0; where
that leaves a choice, the docstring of the function says which one was taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import compress
from math import floor
from typing import Final, Literal

import msgspec

from schemas.catalogue import ReasoningKind
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted
from schemas.timeline import Channel, TimelineColumns, unpack_columns

Outcome = Literal["ok", "empty", "truncated", "rate-limited", "failed", "cancelled", "not-completed"]
"""``ok`` alone enters latency and speed figures; ``cancelled`` and ``not-completed`` are no fault of a service."""

SpeedBasis = Literal["all-chunks", "last-share"]

SpeedNote = Literal["", "no-tokens", "one-arrival", "window-too-short"]
"""Why an ``ok`` attempt has no output speed; empty when it has one."""


_NONE: Final = bytes([Channel.NONE])
_REASONING: Final = bytes([Channel.REASONING])


class Chunks(msgspec.Struct, frozen=True, gc=False):
    """Token-bearing chunks of an attempt in order of arrival, as columns; ``channel`` holds one a byte."""

    elapsed_us: Sequence[int]
    channel: bytes
    tokens: Sequence[int]

    def __len__(self) -> int:
        """Count of chunks."""
        return len(self.channel)


def token_chunks(columns: TimelineColumns) -> Chunks:
    """Leave out the reads that carried no token."""
    channel = columns.channel
    if Channel.NONE not in channel:
        return Chunks(columns.elapsed_us, channel, columns.tokens)
    return Chunks(
        list(compress(columns.elapsed_us, channel)),
        channel.translate(None, _NONE),
        list(compress(columns.tokens, channel)),
    )


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """Output speed in o200k_base tokens a second, or the reason why there is none."""

    tokens_per_s: float | None
    basis: SpeedBasis
    note: SpeedNote = ""


class AttemptMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one attempt. All but ``outcome`` are None unless the outcome is ``ok``."""

    outcome: Outcome
    ttft_us: int | None = None
    ttfat_us: int | None = None
    end_to_end_us: int | None = None
    speed: Speed | None = None
    reasoning_hidden: bool | None = None
    below_minimum: bool | None = None


def measure(
    completed: AttemptCompleted,
    reasoning: ReasoningKind,
    definitions: Definitions,
    *,
    columns: TimelineColumns | None = None,
) -> AttemptMetrics:
    """Figures of an attempt at an endpoint whose model reasons as the catalogue says.

    ``columns`` are those of its timeline, if they are unpacked already.
    Raises :class:`schemas.errors.DecodeError` when the timeline's columns do not fit one another.
    """
    chunks = token_chunks(unpack_columns(completed.timeline) if columns is None else columns)
    outcome = outcome_of(completed, has_tokens=len(chunks) > 0)
    if outcome != "ok":
        return AttemptMetrics(outcome=outcome)
    hidden = hides_reasoning(completed, reasoning, chunks)
    timing = completed.timing
    return AttemptMetrics(
        outcome=outcome,
        ttft_us=chunks.elapsed_us[0],
        ttfat_us=first_answer_us(chunks),
        end_to_end_us=timing.end_us if timing.complete_us is None else timing.complete_us,
        speed=output_speed(chunks, hidden=hidden, definitions=definitions),
        reasoning_hidden=hidden,
        below_minimum=below_minimum(completed),
    )


def outcome_of(completed: AttemptCompleted, *, has_tokens: bool) -> Outcome:
    """Class of an attempt for availability.

    A complete response without a single token is ``empty``: the service answered, and said nothing.
    """
    match completed.status:
        case "response":
            return "ok" if has_tokens else "empty"
        case "cancelled" | "not-completed":
            return completed.status
        case "error":
            kind = completed.failure.kind if completed.failure else None
            if kind == "rate-limited":
                return "rate-limited"
            return "truncated" if kind == "truncated" else "failed"


def first_answer_us(chunks: Chunks) -> int | None:
    """TTFAT: arrival of the first token after any thinking. Tool calls and refusals are answers too."""
    answering = len(chunks.channel.lstrip(_REASONING))
    return chunks.elapsed_us[-answering] if answering else None


def hides_reasoning(completed: AttemptCompleted, reasoning: ReasoningKind, chunks: Chunks) -> bool:
    """Tell whether this attempt's thinking did not reach the client in full.

    The catalogue's ``hidden`` and ``none`` decide. Otherwise the attempt speaks: reasoning was announced or
    billed, and none of it was streamed.
    """
    if reasoning in {"hidden", "none"}:
        return reasoning == "hidden"
    billed = completed.usage is not None and bool(completed.usage.reasoning_tokens)
    return (billed or completed.reasoning_announced) and Channel.REASONING not in chunks.channel


def output_speed(chunks: Chunks, *, hidden: bool, definitions: Definitions) -> Speed:
    """Tokens received per second after the first token.

    (tokens - tokens of the first chunk) / (last arrival - first arrival). With hidden reasoning only the
    last ``definitions.last_share`` of the n chunks count: the first floor((1 - share) n) are dropped, the
    first one kept starts the clock, and its own tokens do not count. Undefined when everything arrived at
    once, and not believed when the window is shorter than ``definitions.short_window_us``.
    """
    basis: SpeedBasis = "last-share" if hidden else "all-chunks"
    first = dropped_chunks(len(chunks), definitions.last_share) if hidden else 0
    if first >= len(chunks):
        return Speed(tokens_per_s=None, basis=basis, note="no-tokens")
    window_us = chunks.elapsed_us[-1] - chunks.elapsed_us[first]
    if window_us == 0:
        return Speed(tokens_per_s=None, basis=basis, note="one-arrival")
    if window_us < definitions.short_window_us:
        return Speed(tokens_per_s=None, basis=basis, note="window-too-short")
    tokens = sum(chunks.tokens[first + 1 :])
    return Speed(tokens_per_s=tokens * 1_000_000 / window_us, basis=basis)


def dropped_chunks(count: int, last_share: float) -> int:
    """floor((1 - share) * count), in exact arithmetic: 1 - 0.8 in binary floats would keep one chunk too many."""
    return floor(_first_share(last_share) * count)


@cache
def _first_share(last_share: float) -> Fraction:
    return 1 - Fraction(str(last_share))


def below_minimum(completed: AttemptCompleted) -> bool | None:
    """Tell whether the answer has fewer tokens than its workload asks for; None where it asks for none."""
    if completed.min_output_tokens is None:
        return None
    answered = completed.answer.tokens if completed.answer else 0
    return answered < completed.min_output_tokens
