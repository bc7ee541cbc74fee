"""Usage as the Anthropic Messages dialect reports it: cached input apart, counters cumulative over the stream.

Pure arithmetic over JSON objects. What a token costs is not known here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from daemon.wire.counters import RAW_BYTES, count, inner, kept
from schemas.events.attempts import UsageReported


def merged_usage(before: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """Join two reports of one message: the first has the input, later ones the output, and some have both.

    Counters are cumulative, so the larger one counts; null says nothing. What would grow without bound is
    replaced by what was said last.
    """
    merged = dict(before)
    for name, value in said.items():
        if value is None:
            continue
        old, new = count(before.get(name)), count(value)
        merged[name] = old if old is not None and new is not None and old > new else value
    return merged if len(msgspec.json.encode(merged)) <= RAW_BYTES else said


def read_messages_usage(usage: dict[str, Any]) -> tuple[UsageReported, Decimal | None, bool]:
    """Return the counts; this dialect has no cost, and its output count is never unclear.

    Input is what was sent: ``input_tokens`` + ``cache_creation_input_tokens`` + ``cache_read_input_tokens``,
    since the service counts each token in one of the three. Thinking is included in the output.
    """
    plain = count(usage.get("input_tokens"))
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    reported = UsageReported(
        input_tokens=None if plain is None else plain + (cached or 0) + (written or 0),
        output_tokens=count(usage.get("output_tokens")),
        cached_input_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=count(inner(usage.get("output_tokens_details")).get("thinking_tokens")),
        raw=kept(usage),
    )
    return reported, None, False
