"""Usage as the two OpenAI dialects and their relatives report it, brought under one set of names.

Pure arithmetic over one JSON object. What a token costs is not known here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from daemon.wire.counters import count, first_count, inner, kept
from schemas.events.attempts import UsageReported

_MOST_USD = Decimal(1_000_000)


class Output(NamedTuple):
    """Everything generated, and whether the report leaves it open."""

    tokens: int | None
    unclear: bool


def read_usage(usage: dict[str, Any]) -> tuple[UsageReported, Decimal | None, bool]:
    """Return the counts, the cost in USD where reported, and whether the output count is unclear.

    Input includes cached tokens, as OpenAI has it. Counters that are absent or no count are None.
    """
    of_input = inner(usage.get("prompt_tokens_details"))
    of_output = inner(usage.get("completion_tokens_details"))
    prompt = count(usage.get("prompt_tokens"))
    completion = count(usage.get("completion_tokens"))
    reasoning = first_count(of_output.get("reasoning_tokens"), usage.get("reasoning_tokens"))
    output = output_tokens(prompt, completion, reasoning, count(usage.get("total_tokens")))
    reported = UsageReported(
        input_tokens=prompt,
        output_tokens=output.tokens,
        cached_input_tokens=first_count(
            of_input.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),  # DeepSeek
            usage.get("cached_tokens"),  # Moonshot
        ),
        cache_write_tokens=first_count(
            of_input.get("cache_write_tokens"),  # OpenRouter
            usage.get("cache_creation_input_tokens"),  # relays in front of Anthropic
        ),
        reasoning_tokens=reasoning,
        raw=kept(usage),
    )
    return reported, _cost(usage.get("cost")), output.unclear


def read_responses_usage(usage: dict[str, Any]) -> tuple[UsageReported, Decimal | None, bool]:
    """As :func:`read_usage`, under the names of the Responses dialect."""
    prompt = count(usage.get("input_tokens"))
    completion = count(usage.get("output_tokens"))
    of_input = inner(usage.get("input_tokens_details"))
    reasoning = count(inner(usage.get("output_tokens_details")).get("reasoning_tokens"))
    output = output_tokens(prompt, completion, reasoning, count(usage.get("total_tokens")))
    reported = UsageReported(
        input_tokens=prompt,
        output_tokens=output.tokens,
        cached_input_tokens=count(of_input.get("cached_tokens")),
        cache_write_tokens=count(of_input.get("cache_write_tokens")),
        reasoning_tokens=reasoning,
        raw=kept(usage),
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


def _cost(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    cost = Decimal(str(value))
    return cost if cost.is_finite() and 0 <= cost <= _MOST_USD else None
