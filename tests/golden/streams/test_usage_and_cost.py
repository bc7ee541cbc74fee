"""Odd chunks, usage and cost as they are reported."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from played_streams import DONE, STOP, c, event, play, usage

from schemas.events import UsageReported


def reported(**counters: Any) -> UsageReported:
    usage_seen = play((1, c("A") + STOP + usage(**counters) + DONE)).result.usage
    assert usage_seen is not None
    return usage_seen


def test_azure_opens_with_filter_results() -> None:
    """A first chunk with empty choices and filter results is no token and no problem."""
    first = event({"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]})
    played = play((50, first), (100, c("A")), (200, STOP + DONE))
    assert (played.metrics.ttft_us, played.metrics.outcome) == (100_000, "ok")


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
        {"choices": None, "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
        {"usage": {"prompt_tokens": 3, "completion_tokens": 1}},
        {"x_groq": {"id": "r", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}},
        {"choices": [{"delta": {}, "usage": {"prompt_tokens": 3, "completion_tokens": 1}}]},
    ],
    ids=["empty", "null", "missing", "groq", "moonshot"],
)
def test_usage_is_found_wherever_it_stands(chunk: dict[str, Any]) -> None:
    """Usage is read with empty, null or missing choices, and from where relays put it; it is no token."""
    played = play((100, c("A")), (200, STOP + event(chunk)), (201, DONE))
    assert played.result.usage is not None
    assert (played.result.usage.input_tokens, played.result.usage.output_tokens) == (3, 1)
    assert sum(row.tokens for row in played.rows) == 1


def test_usage_on_every_chunk_is_not_added_up() -> None:
    """Cumulative usage on every chunk counts as its last value."""
    chunks = [event({"choices": [{"delta": {"content": "x"}}], "usage": {"completion_tokens": n}}) for n in (1, 2, 3)]
    played = play((1, b"".join(chunks) + STOP + DONE))
    assert played.result.usage is not None
    assert played.result.usage.output_tokens == 3


def test_absent_is_null_and_zero_is_zero() -> None:
    """A counter that is absent is null; one that is 0 is 0."""
    counters = reported(prompt_tokens=0, prompt_tokens_details={"cached_tokens": 0})
    assert (counters.input_tokens, counters.cached_input_tokens) == (0, 0)
    assert (counters.output_tokens, counters.reasoning_tokens, counters.cache_write_tokens) == (None, None, None)


def test_no_usage_is_null() -> None:
    """A stream without usage has none."""
    assert play((1, c("A") + STOP + DONE)).result.usage is None


def test_cached_tokens_are_part_of_input() -> None:
    """Input includes the cached tokens: 20212, of which 16298 were cached."""
    counters = reported(prompt_tokens=20212, completion_tokens=931, prompt_tokens_details={"cached_tokens": 16298})
    assert (counters.input_tokens, counters.cached_input_tokens, counters.output_tokens) == (20212, 16298, 931)


@pytest.mark.parametrize(
    ("counters", "output", "reasoning"),
    [
        ((10120, 1499, 2809, 14428), 4308, 2809),
        ((100, 500, 300, 600), 500, 300),
        ((100, 500, 300, None), 500, 300),
        ((None, 500, 300, None), 500, 300),
        ((100, 500, 0, 612), 500, 0),
        ((100, 500, None, 612), 500, None),
        ((100, 500, 300, 777), None, 300),
        ((100, 50, 300, None), None, 300),
    ],
    ids=[
        "on top",
        "included",
        "included, no total",
        "no prompt",
        "no reasoning",
        "reasoning not told",
        "odd total",
        "more than all",
    ],
)
def test_reasoning_included_or_on_top(
    counters: tuple[int | None, int | None, int | None, int | None], output: int | None, reasoning: int | None
) -> None:
    """The total tells whether reasoning is included in the output or comes on top; else the output is unknown."""
    prompt, completion, thought, total = counters
    raw = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    raw = {name: value for name, value in raw.items() if value is not None}
    details = {} if thought is None else {"completion_tokens_details": {"reasoning_tokens": thought}}
    played = play((1, c("A") + STOP + usage(**raw, **details) + DONE))
    assert played.result.usage is not None
    assert (played.result.usage.output_tokens, played.result.usage.reasoning_tokens) == (output, reasoning)
    assert ("usage-unclear" in played.result.flags) == (output is None)


@pytest.mark.parametrize("nonsense", [-1, "7", True, 1.5, [], 2**60])
def test_counters_that_count_nothing_are_null(nonsense: object) -> None:
    """A counter that is negative, text, a truth value, a fraction or absurdly large is null."""
    assert reported(prompt_tokens=nonsense, completion_tokens=1).input_tokens is None


def test_the_providers_own_object_is_kept() -> None:
    """The usage object itself is kept as JSON, so that it can be read differently later."""
    own = {"prompt_tokens": 1, "completion_tokens": 2, "new_counter": {"x": 1.5}}
    raw = reported(**own).raw
    assert raw is not None
    assert msgspec.json.decode(raw) == own


def test_reported_cost_is_exact() -> None:
    """A cost in usage is kept as the decimal number that was sent."""
    assert play(
        (1, c("A") + STOP + usage(completion_tokens=1, cost=0.005565) + DONE)
    ).result.cost_reported_usd == Decimal("0.005565")


@pytest.mark.parametrize("cost", [None, "0.1", -1, True, {"total_cost": 1}, 1e300])
def test_a_cost_that_is_none_is_null(cost: object) -> None:
    """A cost that is no sensible amount is null."""
    assert play((1, c("A") + STOP + usage(completion_tokens=1, cost=cost) + DONE)).result.cost_reported_usd is None


def test_who_answered_is_kept() -> None:
    """Model, provider, fingerprint and response id are kept as the response gave them."""
    names = {"id": "gen-1", "model": "m-0613", "provider": "Acme", "system_fingerprint": "fp_1"}
    played = play(
        (1, event({"choices": [], "id": "gen-1", "model": ""}) + event({"choices": [], **names}) + c("A") + STOP)
    )
    result = played.result
    assert (result.response_id, result.returned_model, result.returned_provider, result.fingerprint) == (
        "gen-1",
        "m-0613",
        "Acme",
        "fp_1",
    )
