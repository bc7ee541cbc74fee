"""When the first token arrives, and on which channel: the same rules in every dialect."""

from __future__ import annotations

import pytest
from dialect_voices import (
    ANTHROPIC,
    GEMINI,
    RESPONSES,
    VOICES,
    Voice,
    block_delta,
    candidate,
    named,
    responses_end,
    stopped,
)
from played_streams import event

from schemas.timeline import Channel

every_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.name)
WORDS = " one two three four five six seven eight nine ten"


@every_voice
def test_chunks_without_text_are_no_tokens(voice: Voice) -> None:
    """Openings, pings, empty chunks, repetitions and events of unknown kinds are no tokens, each for itself."""
    for empty in voice.empties:
        played = voice.play((50, empty), (200, voice.answer("A")), (700, voice.answer(WORDS)), (701, voice.finish))
        assert [row.elapsed_us for row in played.rows if row.channel] == [200_000, 700_000]
    ended = voice.play((200, voice.answer("A")), (700, voice.answer(WORDS)), (701, voice.finish + voice.end))
    assert ended.metrics.ttft_us == 200_000
    assert ended.metrics.speed is not None
    assert ended.metrics.speed.tokens_per_s == pytest.approx(10 / 0.5)


@every_voice
def test_stream_without_tokens_is_empty(voice: Voice) -> None:
    """A stream that ends as it should and says nothing is empty: no first token, and no figures."""
    played = voice.play(*((2.0 + n, empty) for n, empty in enumerate(voice.empties)), (50, voice.finish + voice.end))
    assert (played.result.status, played.metrics.outcome) == ("response", "empty")
    assert (played.metrics.ttft_us, played.metrics.end_to_end_us, played.metrics.speed) == (None, None, None)


@every_voice
def test_reasoning_first_then_answer_minutes_later(voice: Voice) -> None:
    """TTFT is the first reasoning token, TTFAT the first answer token, end-to-end the end."""
    end = voice.finish + voice.end
    played = voice.play((1175, voice.reasoning("Hm")), (183_581, voice.answer("A")), (192_851, end))
    metrics = played.metrics
    assert (metrics.ttft_us, metrics.ttfat_us, metrics.end_to_end_us) == (1_175_000, 183_581_000, 192_851_000)
    assert played.result.reasoning_announced is True
    assert played.result.reasoning is not None
    assert played.result.reasoning.text == "Hm"


@every_voice
def test_everything_is_reasoning(voice: Voice) -> None:
    """When all text is reasoning there is no first answer token, and never a zero in its place."""
    played = voice.play((100, voice.reasoning("Hm")), (900, voice.finish + voice.end))
    assert (played.metrics.ttft_us, played.metrics.ttfat_us) == (100_000, None)
    assert played.result.answer is None


@every_voice
def test_announced_reasoning_is_no_token(voice: Voice) -> None:
    """Reasoning that is announced and not shown is noted, is no token, and makes the attempt's reasoning hidden."""
    played = voice.play((50, voice.thoughts), (200, voice.answer("A")), (201, voice.finish + voice.end))
    assert (played.metrics.ttft_us, played.result.reasoning_announced, played.metrics.reasoning_hidden) == (
        200_000,
        True,
        True,
    )


@every_voice
def test_hidden_reasoning_uses_the_last_chunks(voice: Voice) -> None:
    """With hidden reasoning, a first burst is left out: speed is taken over the last 80 % of the chunks."""
    reads = [
        (10_000.0, voice.answer(" a" * 50)),
        *((10_000.0 + 100 * i, voice.answer(" b" * 10)) for i in range(1, 10)),
    ]
    played = voice.play(*reads, (10_901, voice.finish + voice.end), reasoning="hidden")
    assert played.metrics.speed is not None
    assert played.metrics.speed.basis == "last-share"
    assert played.metrics.speed.tokens_per_s == pytest.approx(100)


@every_voice
def test_tool_calls_are_a_channel_of_their_own(voice: Voice) -> None:
    """What a tool is called with is neither reasoning nor answer."""
    played = voice.play((100, voice.tool("look")), (300, voice.tool("again")), (301, voice.finish + voice.end))
    assert [(row.elapsed_us, row.channel) for row in played.rows if row.channel] == [
        (100_000, Channel.TOOL),
        (300_000, Channel.TOOL),
    ]
    assert (played.result.answer, "tool-call" in played.result.flags) == (None, True)


@every_voice
def test_last_token_and_not_the_usage_ends_speed(voice: Voice) -> None:
    """Reason, usage and end come after the last token, and speed ends with the token."""
    reads = [(500.0, voice.answer("A")), (1000.0, voice.answer(WORDS))]
    played = voice.play(*reads, (1080, voice.finish), (1082, voice.end or b"\n"))
    assert played.metrics.speed is not None
    assert played.metrics.speed.tokens_per_s == pytest.approx(20)
    assert played.metrics.end_to_end_us == 1_082_000


def test_anthropic_thinking_that_is_not_shown() -> None:
    """Thinking block at 50, signature at 400, text at 500, pings between: the first token is the text."""
    start = named("content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""})
    played = ANTHROPIC.play(
        (50, start),
        (100, named("ping")),
        (400, block_delta("signature_delta", signature="QUJD")),
        (450, named("ping")),
        (500, block_delta("text_delta", text="A")),
        (501, ANTHROPIC.finish + ANTHROPIC.end),
    )
    assert (played.metrics.ttft_us, played.result.reasoning_announced) == (500_000, True)


def test_anthropic_blocks_that_begin_with_text() -> None:
    """Text, thinking and a tool's name that stand in a block's start are read, in their channels."""
    blocks = [
        {"type": "thinking", "thinking": "Hm"},
        {"type": "text", "text": "A"},
        {"type": "tool_use", "id": "t", "name": "look", "input": {}},
    ]
    starts = [named("content_block_start", index=n, content_block=block) for n, block in enumerate(blocks)]
    played = ANTHROPIC.play((100, b"".join(starts)), (101, stopped("tool_use", output_tokens=3) + ANTHROPIC.end))
    assert [row.channel for row in played.rows if row.channel] == [Channel.REASONING, Channel.ANSWER, Channel.TOOL]
    assert played.result.finish_reason == "tool_use"


def test_gemini_thought_and_text_in_one_chunk() -> None:
    """A chunk with a thought part and a text part is read twice, both at its time."""
    both = event(candidate({"text": "Hm", "thought": True}, {"text": "A"}))
    metrics = GEMINI.play((200, both), (201, GEMINI.finish)).metrics
    assert (metrics.ttft_us, metrics.ttfat_us) == (200_000, 200_000)


def test_gemini_text_and_usage_in_one_last_chunk() -> None:
    """Text, reason and usage in the last chunk, with CRLF, are all kept."""
    used = {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}
    last = event(candidate({"text": " b"}, finish="STOP", usageMetadata=used)).replace(b"\n", b"\r\n")
    played = GEMINI.play((100, GEMINI.answer("a")), (200, last))
    result = played.result
    assert result.answer is not None
    assert result.usage is not None
    assert (result.answer.text, result.finish_reason, result.usage.output_tokens, result.flags) == (
        "a b",
        "STOP",
        2,
        (),
    )
    assert played.metrics.end_to_end_us == 200_000


def test_gemini_function_call_with_arguments() -> None:
    """A function call's name and arguments are text of the tool channel, the arguments as they were sent."""
    call = b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":{"at": 1.50}}}]}}]}\n\n'
    played = GEMINI.play((100, call), (101, GEMINI.finish))
    assert [row.channel for row in played.rows if row.channel] == [Channel.TOOL, Channel.TOOL]


def test_gemini_second_candidate_is_nobodys() -> None:
    """Only the first candidate is read: one answer was asked for."""
    two = {"candidates": [{"content": {"parts": [{"text": t}]}, "index": n} for n, t in enumerate("AB")]}
    played = GEMINI.play((100, event(two)), (200, GEMINI.finish))
    assert played.result.answer is not None
    assert played.result.answer.text == "A"


@pytest.mark.parametrize(
    "kind",
    ["response.reasoning_text.delta", "response.reasoning_summary_text.delta", "response.reasoning_summary.delta"],
)
def test_responses_reasoning_by_all_its_names(kind: str) -> None:
    """Reasoning text and summaries of it are one channel, whatever the event's name."""
    metrics = RESPONSES.play(
        (100, named(kind, delta="Hm")), (900, RESPONSES.answer("A")), (901, RESPONSES.end)
    ).metrics
    assert (metrics.ttft_us, metrics.ttfat_us) == (100_000, 900_000)


def test_responses_refusal_is_a_channel_of_its_own() -> None:
    """A refusal's text is kept, on its own channel, and flagged."""
    said = named("response.refusal.delta", delta="I cannot")
    played = RESPONSES.play((100, said), (200, RESPONSES.end))
    assert played.result.answer is not None
    assert (played.result.answer.text, played.result.flags) == ("I cannot", ("refusal",))
    assert Channel.REFUSAL in {row.channel for row in played.rows}


def test_responses_tool_names_are_tokens() -> None:
    """A function call's name, which comes with its item, is text of the tool channel."""
    added = named("response.output_item.added", item={"type": "function_call", "name": "look", "arguments": ""})
    played = RESPONSES.play((100, added), (200, RESPONSES.tool('{"at":1}')), (201, RESPONSES.end))
    assert [(row.elapsed_us, row.channel) for row in played.rows if row.channel] == [
        (100_000, Channel.TOOL),
        (200_000, Channel.TOOL),
    ]


def test_responses_type_stands_in_data_or_name() -> None:
    """An event's type is read from its data, or from its name where the data have none."""
    nameless = event({"type": "response.output_text.delta", "delta": "a"})
    typeless = b"event: response.output_text.delta\n" + event({"delta": " b"})
    played = RESPONSES.play((100, nameless), (200, typeless), (201, RESPONSES.end))
    assert played.result.answer is not None
    assert played.result.answer.text == "a b"


def test_responses_output_that_was_never_streamed() -> None:
    """An output that comes only with the last event arrived all at once: read once, no speed, flagged."""
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "A" + WORDS}]},
    ]
    played = RESPONSES.play((500, responses_end("completed", output=output)))
    assert played.result.answer is not None
    assert played.result.reasoning is not None
    assert (played.result.reasoning.text, played.result.answer.text, played.result.flags) == (
        "Hm",
        "A" + WORDS,
        ("not-streamed",),
    )
    streamed = RESPONSES.play((400, RESPONSES.answer("A")), (500, responses_end("completed", output=output)))
    assert streamed.result.answer is not None
    assert streamed.result.answer.text == "A"
