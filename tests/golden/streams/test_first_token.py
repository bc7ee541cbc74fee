"""When the first token of a stream arrives, in every way that servers open their streams."""

from __future__ import annotations

import pytest
from played_streams import DONE, STOP, c, delta, event, play, r, usage

from schemas.timeline import Channel

ROLE_EMPTY = delta(role="assistant", content="")
ROLE_NULL = delta(role="assistant", content=None)
ROLE_ALONE = delta(role="assistant")
END = STOP + DONE
WORDS = " one two three four five six seven eight nine ten"


def test_empty_content_is_no_token() -> None:
    """A role chunk with empty content is no token: the first token is the first text, and speed starts there."""
    played = play((50, ROLE_EMPTY), (200, c("A")), (700, c(WORDS)), (701, END))
    assert played.metrics.ttft_us == 200_000
    assert played.metrics.speed is not None
    assert played.metrics.speed.tokens_per_s == pytest.approx(10 / 0.5)


@pytest.mark.parametrize("role", [ROLE_NULL, ROLE_ALONE], ids=["null", "absent"])
def test_null_or_absent_content_is_no_token(role: bytes) -> None:
    """A role chunk with null content, or none, is no token."""
    assert play((5, role), (214, c("A")), (215, END)).metrics.ttft_us == 214_000


def test_stream_without_tokens_is_empty() -> None:
    """A comment, a role and the end marker make an empty response: no first token, and no figures."""
    played = play((1, b": ping\n\n"), (5, ROLE_EMPTY), (50, DONE))
    assert (played.result.status, played.metrics.outcome) == ("response", "empty")
    assert (played.metrics.ttft_us, played.metrics.end_to_end_us, played.metrics.speed) == (None, None, None)


def test_reasoning_first_then_answer_minutes_later() -> None:
    """TTFT is the first reasoning token, TTFAT the first answer token, end-to-end the end."""
    metrics = play((1175, r("Hm")), (183_581, c("A")), (192_851, END)).metrics
    assert (metrics.ttft_us, metrics.ttfat_us, metrics.end_to_end_us) == (1_175_000, 183_581_000, 192_851_000)


def test_reasoning_by_its_other_name() -> None:
    """``delta.reasoning`` means the same as ``delta.reasoning_content``."""
    metrics = play((100, delta(reasoning="Hm")), (900, c("A")), (901, END)).metrics
    assert (metrics.ttft_us, metrics.ttfat_us) == (100_000, 900_000)


def test_everything_is_reasoning() -> None:
    """When all text is reasoning there is no first answer token, and never a zero in its place."""
    played = play((100, r("Hm")), (900, END))
    assert (played.metrics.ttft_us, played.metrics.ttfat_us) == (100_000, None)
    assert played.result.answer is None


@pytest.mark.parametrize(
    "both",
    [
        {"reasoning": "Let me see", "reasoning_details": [{"type": "reasoning.text", "text": "Let me see"}]},
        {"reasoning": "Let me see", "reasoning_content": "Let me see"},
        {"reasoning": "", "reasoning_details": [{"type": "reasoning.summary", "summary": "Let me see"}]},
    ],
    ids=["details", "two names", "details alone"],
)
def test_reasoning_said_twice_counts_once(both: dict[str, object]) -> None:
    """The same reasoning under two names in one chunk is counted once."""
    played = play((100, delta(**both)), (900, c("A")), (901, END))
    assert played.result.reasoning is not None
    assert (played.result.reasoning.text, played.result.reasoning.tokens) == ("Let me see", 3)


def test_reasoning_repeated_as_details_in_later_chunks_counts_once() -> None:
    """Where reasoning comes as text, its repetition as details in a chunk of its own is passed over."""
    details = delta(reasoning_details=[{"type": "reasoning.text", "text": "Let me"}])
    played = play((100, r("Let me")), (101, details), (102, r(" see")), (900, c("A")), (901, END))
    assert played.result.reasoning is not None
    assert played.result.reasoning.text == "Let me see"


def test_content_as_a_list_of_parts() -> None:
    """Content may be a list: a thinking part is reasoning, a text part is answer."""
    thinking = delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}])
    text = delta(content=[{"type": "text", "text": "A"}])
    metrics = play((100, thinking), (300, text), (301, END)).metrics
    assert (metrics.ttft_us, metrics.ttfat_us) == (100_000, 300_000)


def test_one_chunk_with_a_thought_and_a_text() -> None:
    """Parts of both kinds in one chunk are both read, with the same time."""
    parts = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "A"}]
    metrics = play((200, delta(content=parts)), (201, END)).metrics
    assert (metrics.ttft_us, metrics.ttfat_us) == (200_000, 200_000)


def test_hidden_reasoning_uses_the_last_chunks() -> None:
    """With hidden reasoning, a first burst is left out: speed is taken over the last 80 % of the chunks."""
    reads = [(10_000.0, c(" a" * 50)), *((10_000.0 + 100 * i, c(" b" * 10)) for i in range(1, 10))]
    played = play(*reads, (10_901, END), reasoning="hidden")
    assert played.metrics.speed is not None
    assert played.metrics.speed.basis == "last-share"
    assert played.metrics.speed.tokens_per_s == pytest.approx(100)


def test_announced_reasoning_does_not_inflate_speed() -> None:
    """Billed but unseen reasoning is never divided by a short burst of answer; the window is too short to tell."""
    counters = {"prompt_tokens": 9, "completion_tokens": 520, "completion_tokens_details": {"reasoning_tokens": 500}}
    reads = [(10_000.0 + 2.5 * i, c(" a")) for i in range(20)]
    played = play(*reads, (10_060, STOP + usage(**counters) + DONE))
    assert played.result.reasoning_announced is True
    assert played.metrics.reasoning_hidden is True
    assert played.metrics.speed is not None
    assert (played.metrics.speed.tokens_per_s, played.metrics.speed.note) == (None, "window-too-short")


def test_encrypted_reasoning_is_announced_not_shown() -> None:
    """Encrypted reasoning details announce reasoning and are no tokens."""
    hidden = delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "QUJD"}])
    played = play((50, hidden), (200, c("A")), (201, END))
    assert (played.metrics.ttft_us, played.result.reasoning_announced, played.result.reasoning) == (
        200_000,
        True,
        None,
    )


def test_usage_only_chunk_is_no_token() -> None:
    """A late chunk with usage alone changes no time."""
    played = play((100, c("A")), (900, usage(prompt_tokens=1, completion_tokens=1)), (901, END))
    assert played.metrics.ttft_us == 100_000
    assert [row.channel for row in played.rows] == [Channel.ANSWER, Channel.NONE, Channel.NONE]


def test_last_token_and_not_the_usage_ends_speed() -> None:
    """With the last token at 1000, usage at 1080 and the end at 1082, speed ends at 1000."""
    played = play((500, c("A")), (1000, c(WORDS)), (1080, STOP + usage(completion_tokens=11)), (1082, DONE))
    assert played.metrics.speed is not None
    assert played.metrics.speed.tokens_per_s == pytest.approx(20)
    assert played.metrics.end_to_end_us == 1_082_000


def test_tool_calls_are_a_channel_of_their_own() -> None:
    """Names and arguments of tool calls are tokens that are neither reasoning nor answer."""
    call = delta(tool_calls=[{"index": 0, "id": "x", "function": {"name": "look", "arguments": '{"at":'}}])
    more = delta(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}])
    played = play((100, ROLE_NULL), (200, call), (300, more), (301, delta(finish="tool_calls") + DONE))
    assert [(row.elapsed_us, row.channel) for row in played.rows if row.channel] == [
        (200_000, Channel.TOOL),
        (200_000, Channel.TOOL),
        (300_000, Channel.TOOL),
    ]
    assert (played.result.answer, "tool-call" in played.result.flags) == (None, True)


def test_refusal_is_a_channel_of_its_own() -> None:
    """A refusal's text is kept, on its own channel, and flagged."""
    played = play((100, delta(refusal="I can")), (200, delta(refusal="not")), (201, END))
    assert played.result.answer is not None
    assert played.result.answer.text == "I cannot"
    assert (played.result.flags, {row.channel for row in played.rows[:2]}) == (("refusal",), {Channel.REFUSAL})


def test_second_choice_is_nobodys() -> None:
    """Only the first choice is read: one answer was asked for."""
    two = event({"choices": [{"index": 0, "delta": {"content": "A"}}, {"index": 1, "delta": {"content": "B"}}]})
    played = play((100, two), (200, END))
    assert played.result.answer is not None
    assert played.result.answer.text == "A"
