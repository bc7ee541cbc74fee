"""Plays a quirk's take through the reading of an attempt without waiting, and compares with what is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from played_streams import SENT_WALL_NS, Played, at, opening

from daemon.attempts.reading import AttemptReading, FirstTokenNote
from daemon.reference.quirks.contract import Counts, Form, Right, Take
from daemon.reference.quirks.forms import DIALECTS
from daemon.reference.quirks.rendering import headers, writes
from daemon.transport.contract import EndCause, Ended, Read
from daemon.wire.registry import dialect
from schemas.timeline import Channel

SILENCE_S = 60.0


def replay(take: Take, form: Form) -> Played:
    """Read a take as the daemon would: it gives up in silence, and looks no further when an answer is over."""
    played, _ = replayed(take, form)
    return played


def replayed(take: Take, form: Form) -> tuple[Played, Sequence[FirstTokenNote]]:
    """Read a take, and return what came of it and the first tokens that were told of on the way."""
    reading = AttemptReading(dialect(DIALECTS[form]), clock="simulated")
    notes: list[FirstTokenNote] = []
    parts = writes(take, form)
    head_ms = min([take.head_ms, *(part.ms for part in parts[:1])])
    for signal in opening(take.status, headers(take, form, SENT_WALL_NS + round(head_ms * 1e6)), head_ms):
        reading.take(signal)
    for part in parts:
        give_up(reading, at(part.ms))
        notes += reading.take(Read(at(part.ms), part.data))
    if take.ending == "open":
        give_up(reading, None)
    else:
        cause: EndCause = "complete" if take.ending == "complete" else "connection-lost"
        notes += reading.take(Ended(at(parts[-1].ms), cause))
    return Played(reading.result(), "unknown"), notes


def give_up(reading: AttemptReading, until_ns: int | None) -> None:
    """Abandon an attempt that stalls before the next read."""
    due_ns = reading.stalled_at_mono_ns(SILENCE_S)
    if due_ns is not None and (until_ns is None or due_ns < until_ns):
        reading.abandon("stalled", "no token in time", due_ns)


def made_of(played: Played) -> Right:
    """Put what came of an attempt into the words of a right value."""
    result, metrics = played.result, played.metrics
    usage, answer, reasoning, speed = result.usage, result.answer, result.reasoning, metrics.speed
    return Right(
        status=result.status,
        outcome=metrics.outcome,  # type: ignore[arg-type]  # a stop of the daemon is no quirk
        failure=result.failure.kind if result.failure else None,
        retry_after_s=result.failure.retry_after_s if result.failure else None,
        ttft_ms=in_ms(metrics.ttft_us),
        ttfat_ms=in_ms(metrics.ttfat_us),
        end_ms=in_ms(metrics.end_to_end_us),
        over_ms=in_ms(result.timing.end_us) or 0.0,
        tokens_per_s=speed.tokens_per_s if speed else None,
        speed_note=speed.note if speed else "",
        answer=answer.text if answer else None,
        answer_tokens=answer.tokens if answer else 0,
        reasoning=reasoning.text if reasoning else None,
        reasoning_tokens=reasoning.tokens if reasoning else 0,
        chunks=sum(1 for row in played.rows if row.channel is not Channel.NONE),
        reasoning_announced=result.reasoning_announced,
        reasoning_hidden=metrics.reasoning_hidden,
        finish_reason=result.finish_reason,
        usage=None
        if usage is None
        else Counts(
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_input_tokens,
            usage.cache_write_tokens,
            usage.reasoning_tokens,
        ),
        cost_usd=result.cost_reported_usd,
        flags=result.flags,
    )


def in_ms(us: int | None) -> float | None:
    """Microseconds as milliseconds; None stays None."""
    return None if us is None else us / 1000


def comparable(right: Right, *without: str) -> dict[str, Any]:
    """Lay a right value out for comparison, times and speeds as near as their arithmetic allows."""
    laid_out = {name: value for name, value in msgspec.structs.asdict(right).items() if name not in without}
    for name in ("ttft_ms", "ttfat_ms", "end_ms", "over_ms", "tokens_per_s"):
        if laid_out.get(name) is not None:
            laid_out[name] = pytest.approx(laid_out[name])
    return laid_out
