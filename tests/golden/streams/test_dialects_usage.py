"""Usage as each dialect reports it: what is included in what, and what it costs."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from dialect_voices import (
    ANTHROPIC,
    GEMINI,
    GEMINI_ARRAY,
    RESPONSES,
    Voice,
    candidate,
    element,
    named,
    stopped,
)
from played_streams import Played, event, play

from projections.costs import cost_usd
from schemas.catalogue import Price
from schemas.events import UsageReported

PRICE = Price(
    valid_from=date(2026, 1, 1),
    input_usd=Decimal("0.5"),
    output_usd=Decimal(3),
    cached_input_usd=Decimal("0.05"),
    cache_write_usd=Decimal("0.625"),
)


def responses_usage(**counters: Any) -> UsageReported:
    end = named("response.completed", response={"usage": counters})
    usage = RESPONSES.play((1, RESPONSES.answer("A")), (2, end)).result.usage
    assert usage is not None
    return usage


def messages_usage(start: dict[str, Any], *deltas: dict[str, Any]) -> UsageReported:
    opening = named("message_start", message={"id": "m", "usage": start})
    said = b"".join(stopped(None, **counters) for counters in deltas)
    answered = ANTHROPIC.answer("A") + said + stopped("end_turn") + ANTHROPIC.end
    played = play((2, opening), (3, answered), spoken="anthropic-messages")
    assert played.result.usage is not None
    return played.result.usage


def gemini_played(*usages: dict[str, Any]) -> Played:
    chunks = b"".join(event({"usageMetadata": counters}) for counters in usages)
    return GEMINI.play((1, GEMINI.answer("A")), (2, chunks), (3, event(candidate(finish="STOP"))))


def gemini_usage(*usages: dict[str, Any]) -> UsageReported:
    usage = gemini_played(*usages).result.usage
    assert usage is not None
    return usage


def counts(usage: UsageReported) -> tuple[int | None, ...]:
    """Input, of it cached, of it written to a cache, output, of it reasoning."""
    return (
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    )


def test_the_same_request_costs_the_same_in_every_dialect() -> None:
    """Input 20212 of which 16298 cached and output 931 cost 0.005565 USD, however a dialect counts them."""
    openai = responses_usage(input_tokens=20212, input_tokens_details={"cached_tokens": 16298}, output_tokens=931)
    anthropic = messages_usage(
        {
            "input_tokens": 3914,
            "cache_read_input_tokens": 16298,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        },
        {"output_tokens": 931},
    )
    gemini = gemini_usage(
        {
            "promptTokenCount": 20212,
            "cachedContentTokenCount": 16298,
            "candidatesTokenCount": 900,
            "thoughtsTokenCount": 31,
        }
    )
    for usage in (openai, anthropic, gemini):
        assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (20212, 16298, 931)
        cost = cost_usd(msgspec.structs.replace(usage, cache_write_tokens=0), PRICE)
        assert cost is not None
        assert cost == Decimal("0.0055649")
        assert round(cost, 6) == Decimal("0.005565")


def test_responses_counters() -> None:
    """Cached input is part of the input and reasoning part of the output: 500 of which 300 leave 200 of answer."""
    usage = responses_usage(
        input_tokens=100,
        input_tokens_details={"cached_tokens": 64},
        output_tokens=500,
        output_tokens_details={"reasoning_tokens": 300},
        total_tokens=600,
    )
    assert counts(usage) == (100, 64, None, 500, 300)


@pytest.mark.parametrize(
    ("counters", "output", "flags"),
    [
        ((10120, 1499, 2809, 14428), 4308, ()),
        ((100, 500, 300, 600), 500, ()),
        ((100, 500, 300, 777), None, ("usage-unclear",)),
    ],
    ids=["on top", "included", "odd total"],
)
def test_responses_reasoning_on_top_or_included(
    counters: tuple[int, int, int, int], output: int | None, flags: tuple[str, ...]
) -> None:
    """In the Responses dialect too the total tells whether reasoning comes on top (xAI) or is included."""
    sent, generated, thought, total = counters
    told = {
        "input_tokens": sent,
        "output_tokens": generated,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": total,
    }
    played = RESPONSES.play((1, RESPONSES.answer("A")), (2, named("response.completed", response={"usage": told})))
    assert played.result.usage is not None
    assert (played.result.usage.output_tokens, played.result.flags) == (output, flags)
    assert played.result.reasoning_announced is True


def test_responses_cost_is_exact() -> None:
    """A cost in usage, as routers report it, is kept as the decimal number that was sent."""
    end = named("response.completed", response={"usage": {"output_tokens": 1, "cost": 0.005565}})
    assert RESPONSES.play((1, end)).result.cost_reported_usd == Decimal("0.005565")


def test_anthropic_output_is_cumulative() -> None:
    """Output 1 at the start, then 10, then 15 is 15."""
    usage = messages_usage({"input_tokens": 7, "output_tokens": 1}, {"output_tokens": 10}, {"output_tokens": 15})
    assert counts(usage) == (7, None, None, 15, None)


def test_anthropic_cached_input_is_apart() -> None:
    """Input is what was sent: plain, read from the cache and written to it; each part keeps its price."""
    usage = messages_usage(
        {
            "input_tokens": 100,
            "cache_creation_input_tokens": 2000,
            "cache_read_input_tokens": 3000,
            "output_tokens": 1,
        },
        {"output_tokens": 50},
    )
    assert counts(usage) == (5100, 3000, 2000, 50, None)
    assert cost_usd(usage, PRICE) == (50 + Decimal("0.625") * 2000 + Decimal("0.05") * 3000 + 150) / 1_000_000


def test_anthropic_usage_is_joined_from_its_events() -> None:
    """Later events add what they know and repeat what they do not: null and less say nothing."""
    usage = messages_usage(
        {"input_tokens": 0, "cache_read_input_tokens": None, "output_tokens": 1},
        {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 10},
        {"input_tokens": 0, "output_tokens": 12, "output_tokens_details": {"thinking_tokens": 5}},
    )
    assert counts(usage) == (10, 3, None, 12, 5)
    assert usage.raw is not None
    assert msgspec.json.decode(usage.raw)["output_tokens_details"] == {"thinking_tokens": 5}


def test_anthropic_usage_cannot_grow_without_end() -> None:
    """Counters of ever new names are not collected: what was said last is kept, and no raw text beyond its bound."""
    deltas = [{f"counter_{n}": "x" * 1000, "output_tokens": n} for n in range(100)]
    usage = messages_usage({"input_tokens": 7}, *deltas)
    assert usage.output_tokens == 99
    assert usage.raw is None or len(usage.raw) <= 16 * 1024


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ((55021, 923, 785, 56729), (55021, 1708, 785)),
        ((55021, 923, 785, None), (55021, 1708, 785)),
        ((100, 500, 300, 600), (100, 500, 300)),
        ((100, 500, None, 600), (100, 500, None)),
        ((100, None, 785, 885), (100, 785, 785)),
        ((100, None, 785, None), (100, None, 785)),
        ((100, None, None, 100), (100, None, None)),
        ((None, 923, 785, None), (None, 1708, 785)),
        ((100, 0, 0, 100), (100, 0, 0)),
        ((100, 500, 300, 777), (100, None, 300)),
    ],
    ids=[
        "on top",
        "no total",
        "included",
        "no thoughts",
        "cut while thinking",
        "cut, no total",
        "not begun",
        "no prompt",
        "zeroes",
        "odd total",
    ],
)
def test_gemini_output_is_candidates_and_thoughts(
    counters: tuple[int | None, ...], expected: tuple[int | None, ...]
) -> None:
    """Output is candidates + thoughts unless the total says otherwise; what does not add up is unknown."""
    names = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount")
    told = {name: value for name, value in zip(names, counters, strict=True) if value is not None}
    played = gemini_played(told)
    usage = played.result.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == expected
    assert ("usage-unclear" in played.result.flags) == (counters == (100, 500, 300, 777))


def test_gemini_usage_on_every_chunk_is_not_added_up() -> None:
    """Usage on every chunk is cumulative: the last one counts."""
    assert gemini_usage(*({"promptTokenCount": 7, "candidatesTokenCount": n} for n in (1, 2, 3))).output_tokens == 3


def test_gemini_tools_put_tokens_into_the_input() -> None:
    """What tools put into the prompt is input, and the total agrees."""
    usage = gemini_usage(
        {
            "promptTokenCount": 100,
            "toolUsePromptTokenCount": 40,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 6,
            "totalTokenCount": 151,
        }
    )
    assert (usage.input_tokens, usage.output_tokens) == (140, 11)


@pytest.mark.parametrize("voice", [GEMINI, GEMINI_ARRAY], ids=lambda voice: voice.name)
def test_gemini_usage_alone_is_no_token(voice: Voice) -> None:
    """A chunk with usage and missing candidates is read, and is no token."""
    write = element if voice is GEMINI_ARRAY else event
    late = write({"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 1, "totalTokenCount": 8}})
    played = voice.play((100, voice.answer("A")), (900, late), (901, voice.end))
    assert played.result.usage is not None
    assert played.result.usage.output_tokens == 1
    assert [row.elapsed_us for row in played.rows if row.channel] == [100_000]


def test_absent_is_null_and_zero_is_zero() -> None:
    """A counter that is absent is null, one that is 0 is 0, and one that counts nothing is null."""
    assert counts(responses_usage(input_tokens=0, output_tokens="7")) == (0, None, None, None, None)
    assert counts(messages_usage({"input_tokens": 0, "cache_read_input_tokens": 0})) == (0, 0, None, None, None)
    assert counts(gemini_usage({"promptTokenCount": 0, "candidatesTokenCount": -1})) == (0, None, None, None, None)


@pytest.mark.parametrize("voice", [RESPONSES, ANTHROPIC, GEMINI], ids=lambda voice: voice.name)
def test_no_usage_is_null(voice: Voice) -> None:
    """A stream without usage has none."""
    opening = named("message_start", message={"id": "m"}) if voice is ANTHROPIC else b""
    ends = {
        "openai-responses": named("response.completed"),
        "anthropic-messages": stopped("end_turn") + ANTHROPIC.end,
    }
    end = ends.get(voice.dialect, event({"candidates": [{"finishReason": "STOP"}]}))
    bare = msgspec.structs.replace(voice, opening=opening or b": hello\n\n")
    result = bare.play((1, voice.answer("A")), (2, end)).result
    assert (result.status, result.usage) == ("response", None)


@pytest.mark.parametrize(
    ("voice", "response_id"),
    [(RESPONSES, "resp_1"), (ANTHROPIC, "msg_1"), (GEMINI, "r-1"), (GEMINI_ARRAY, "r-1")],
    ids=["openai-responses", "anthropic-messages", "gemini", "gemini, JSON array"],
)
def test_who_answered_is_kept(voice: Voice, response_id: str) -> None:
    """The model that answered and the response's id are kept as the response gave them."""
    result = voice.play((100, voice.answer("A")), (200, voice.finish + voice.end)).result
    assert (result.returned_model, result.response_id) == ("m-1", response_id)
