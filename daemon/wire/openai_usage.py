"""Usage as the OpenAI chat dialect and its relatives report it, brought under one set of names.

Pure arithmetic over one JSON object. What a token costs is not known here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from schemas.events.attempts import UsageReported

_RAW_BYTES = 16 * 1024
_MOST_TOKENS = 2**53
_MOST_USD = Decimal(1_000_000)


class Output(NamedTuple):
    """Everything generated, and whether the report leaves it open."""

    tokens: int | None
    unclear: bool


def read_usage(usage: dict[str, Any]) -> tuple[UsageReported, Decimal | None, bool]:
    """Return the counts, the cost in USD where reported, and whether the output count is unclear.

    Input includes cached tokens, as OpenAI has it. Counters that are absent or no count are None.
    """
    of_input = _object(usage.get("prompt_tokens_details"))
    of_output = _object(usage.get("completion_tokens_details"))
    prompt = _count(usage.get("prompt_tokens"))
    completion = _count(usage.get("completion_tokens"))
    reasoning = _first_count(of_output.get("reasoning_tokens"), usage.get("reasoning_tokens"))
    output = output_tokens(prompt, completion, reasoning, _count(usage.get("total_tokens")))
    encoded = msgspec.json.encode(usage)
    reported = UsageReported(
        input_tokens=prompt,
        output_tokens=output.tokens,
        cached_input_tokens=_first_count(
            of_input.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),  # DeepSeek
            usage.get("cached_tokens"),  # Moonshot
        ),
        cache_write_tokens=_first_count(
            of_input.get("cache_write_tokens"),  # OpenRouter
            usage.get("cache_creation_input_tokens"),  # relays in front of Anthropic
        ),
        reasoning_tokens=reasoning,
        raw=encoded.decode() if len(encoded) <= _RAW_BYTES else None,
    )
    return reported, _cost(usage.get("cost")), output.unclear


def output_tokens(prompt: int | None, completion: int | None, reasoning: int | None, total: int | None) -> Output:
    """Everything generated, reasoning included, from counters that providers add up in two ways.

    OpenAI's completion count includes reasoning; xAI's does not. The total tells: prompt + completion +
    reasoning = total means that reasoning comes on top, prompt + completion = total that it is included.
    Any other total leaves it unknown. Without a total OpenAI's definition holds as long as it can.
    """
    if completion is None or not reasoning:
        return Output(completion, unclear=False)
    if prompt is None or total is None:
        return Output(completion, unclear=False) if reasoning <= completion else Output(None, unclear=True)
    if prompt + completion == total and reasoning <= completion:
        return Output(completion, unclear=False)
    if prompt + completion + reasoning == total:
        return Output(completion + reasoning, unclear=False)
    return Output(None, unclear=True)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None


def _first_count(*values: object) -> int | None:
    return next((count for value in values if (count := _count(value)) is not None), None)


def _cost(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    cost = Decimal(str(value))
    return cost if cost.is_finite() and 0 <= cost <= _MOST_USD else None
