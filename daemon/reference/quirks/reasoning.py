"""Reasoning that is shown, said twice, hidden, or only billed."""

from __future__ import annotations

from typing import Any, Final

from daemon.reference.quirks import gemini_words as gemini
from daemon.reference.quirks.chat_words import delta
from daemon.reference.quirks.contract import Close, Quirk, Say, Think
from daemon.reference.quirks.making import at, by_hand, counts, everywhere, good
from daemon.reference.quirks.words import PLAIN, event, named

_HIDDEN: dict[str, Any] = {"reasoning_announced": True, "reasoning_hidden": True}


def _details(kind: str, text: str) -> list[dict[str, object]]:
    return [{"type": f"reasoning.{kind}", kind: text, "index": 0}]


QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="reasoning-for-minutes",
        kind="reasoning",
        behaviour="Reasoning after 1,175 ms, the answer after 183,581 ms, pings between, the end at 192,851 ms.",
        right="TTFT 1,175 ms, TTFAT 183,581 ms, end-to-end 192,851 ms; silence counts from the last token.",
        takes=everywhere(
            at(20, "opening"),
            at(1_175, Think("Hm")),
            *(at(1_175 + 30_000 * n, "ping", Think(" so")) for n in range(1, 7)),
            at(183_581, Say("A")),
            at(192_851, Close(PLAIN)),
            right=good(
                1_175,
                192_851,
                ttfat_ms=183_581,
                reasoning="Hm" + " so" * 6,
                reasoning_tokens=7,
                chunks=8,
                tokens_per_s=7 / 182.406,
            ),
        ),
    ),
    Quirk(
        name="reasoning-by-another-name",
        kind="reasoning",
        behaviour="Reasoning under another name: `reasoning` for `reasoning_content`, a text for a summary.",
        right="TTFT 100 ms, TTFAT 900 ms; it is reasoning under any name.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(reasoning="Hm")),
                    at(900, Say("A")),
                    at(910, Close(PLAIN)),
                ),
                "openai-responses": (
                    at(20, "opening"),
                    at(100, named("response.reasoning_text.delta", item_id="rs_1", content_index=0, delta="Hm")),
                    at(900, Say("A")),
                    at(910, Close(PLAIN)),
                ),
            },
            right=good(100, 910, ttfat_ms=900, reasoning="Hm", reasoning_tokens=1, chunks=2, tokens_per_s=1 / 0.8),
        ),
    ),
    Quirk(
        name="only-reasoning",
        kind="reasoning",
        behaviour="Everything that is generated is reasoning; there is no answer.",
        right="TTFT 100 ms; TTFAT is null and never 0, and there is no answer text.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Think("Hm")),
            at(900, Close(PLAIN)),
            right=good(100, 900, ttfat_ms=None, answer=None, tokens=0, reasoning="Hm", reasoning_tokens=1, chunks=1),
        ),
    ),
    Quirk(
        name="reasoning-said-twice",
        kind="reasoning",
        behaviour="The same reasoning twice: as text and as `reasoning_details`, or as deltas and when done.",
        right="Counted once: 3 tokens of reasoning.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(reasoning="Let me see", reasoning_details=_details("text", "Let me see"))),
                    at(900, Say("A")),
                    at(910, Close(PLAIN)),
                ),
                "openai-responses": (
                    at(20, "opening"),
                    at(100, Think("Let me see")),
                    at(110, named("response.reasoning_summary_text.done", item_id="item_0", text="Let me see")),
                    at(900, Say("A")),
                    at(910, Close(PLAIN)),
                ),
            },
            right=good(
                100, 910, ttfat_ms=900, reasoning="Let me see", reasoning_tokens=3, chunks=2, tokens_per_s=1 / 0.8
            ),
        ),
    ),
    Quirk(
        name="reasoning-in-details-alone",
        kind="reasoning",
        behaviour="Reasoning comes as `reasoning_details` while `reasoning` is empty.",
        right="TTFT 100 ms, TTFAT 900 ms: it is reasoning.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(reasoning="", reasoning_details=_details("summary", "Let me see"))),
                    at(900, Say("A")),
                    at(910, Close(PLAIN)),
                ),
            },
            right=good(
                100, 910, ttfat_ms=900, reasoning="Let me see", reasoning_tokens=3, chunks=2, tokens_per_s=1 / 0.8
            ),
        ),
    ),
    Quirk(
        name="content-as-a-list",
        kind="reasoning",
        behaviour="`delta.content` is a list of typed parts: thinking after 100 ms, text after 300 ms.",
        right="TTFT 100 ms, TTFAT 300 ms.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}])),
                    at(300, delta(content=[{"type": "text", "text": "A"}])),
                    at(310, Close(PLAIN)),
                ),
            },
            right=good(100, 310, ttfat_ms=300, reasoning="Hm", reasoning_tokens=1, chunks=2, tokens_per_s=1 / 0.2),
        ),
    ),
    Quirk(
        name="thought-and-text-at-once",
        kind="reasoning",
        behaviour="One chunk (or one write, where a chunk holds one thing) brings a thought and a text after 200 ms.",
        right="Both are read, both at 200 ms; everything came at once, so there is no output speed.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(200, delta(content=[{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "A"}])),
                    at(250, Close(PLAIN)),
                ),
                "openai-responses": (at(20, "opening"), at(200, Think("Hm"), Say("A")), at(250, Close(PLAIN))),
                "anthropic-messages": (at(20, "opening"), at(200, Think("Hm"), Say("A")), at(250, Close(PLAIN))),
                "gemini": (
                    at(20, "opening"),
                    at(200, event(gemini.candidate({"text": "Hm", "thought": True}, {"text": "A"}))),
                    at(250, Close(PLAIN)),
                ),
                "gemini-array": (
                    at(20, "opening"),
                    at(200, gemini.element(gemini.candidate({"text": "Hm", "thought": True}, {"text": "A"}))),
                    at(250, Close(PLAIN)),
                ),
            },
            right=good(200, 250, reasoning="Hm", reasoning_tokens=1, chunks=2),
        ),
    ),
    Quirk(
        name="hidden-reasoning-burst",
        kind="reasoning",
        behaviour="Hidden reasoning for 10 s, then 50 tokens at once, then 9 chunks of 10 tokens, one every 0.1 s.",
        right="Speed over the last 80 % of the chunks: 100 tokens/s. Over all chunks it would be wrong.",
        takes=everywhere(
            at(20, "opening"),
            at(50, "announcement"),
            at(5_000, "ping"),
            at(10_000, Say(" a" * 50)),
            *(at(10_000 + 100 * n, Say(" b" * 10)) for n in range(1, 10)),
            at(10_920, Close(PLAIN)),
            right=good(
                10_000,
                10_920,
                answer=" a" * 50 + " b" * 90,
                tokens=140,
                chunks=10,
                tokens_per_s=100.0,
                **_HIDDEN,
            ),
        ),
    ),
    Quirk(
        name="billed-reasoning-not-shown",
        kind="reasoning",
        behaviour="Usage bills 500 tokens of reasoning that never came; 20 answer tokens come in 48 ms at 10 s.",
        right="Never 500 / 0.05 s: the window is too short for a speed, which is null and says so.",
        takes=everywhere(
            at(20, "opening"),
            *(at(10_000 + 2.5 * n, Say(" a")) for n in range(20)),
            at(10_060, Close(counts(input=9, output=520, reasoning=500))),
            right=good(
                10_000,
                10_060,
                answer=" a" * 20,
                tokens=20,
                chunks=20,
                speed_note="window-too-short",
                usage=counts(input=9, output=520, reasoning=500),
                **_HIDDEN,
            ),
        ),
    ),
    Quirk(
        name="thinking-not-shown",
        kind="reasoning",
        behaviour="Thinking begins after 50 ms, its signature comes after 400 ms, pings between; text after 500 ms.",
        right="TTFT 500 ms: neither the beginning, nor a signature, nor a ping is a token; reasoning is hidden.",
        takes=everywhere(
            at(20, "opening"),
            at(50, "announcement"),
            at(100, "ping"),
            at(400, "signature"),
            at(450, "ping"),
            at(500, Say("A")),
            at(510, Close(PLAIN)),
            right=good(500, 510, **_HIDDEN),
        ),
    ),
)
