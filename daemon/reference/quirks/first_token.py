"""When the first token is there, and what is none."""

from __future__ import annotations

from typing import Any, Final

from daemon.reference.quirks.chat_words import chunk, delta
from daemon.reference.quirks.contract import Call, Close, Mark, Quirk, Say
from daemon.reference.quirks.making import WORDS, at, by_hand, empty, everywhere, good
from daemon.reference.quirks.responses_words import last
from daemon.reference.quirks.words import PLAIN, event, named

_TWO_TEXTS: dict[str, Any] = {"answer": "A" + WORDS, "tokens": 11, "chunks": 2}


def _without_text(name: str, what: str, mark: Mark) -> Quirk:
    return Quirk(
        name=name,
        kind="first-token",
        behaviour=f"The stream opens, sends a chunk whose text {what} after 50 ms, and its first text after 200 ms.",
        right="TTFT 200 ms; the window of output speed starts at 200 ms: 10 tokens in 0.5 s, 20 tokens/s.",
        takes=everywhere(
            at(20, "opening"),
            at(50, mark),
            at(200, Say("A")),
            at(700, Say(WORDS)),
            at(720, Close(PLAIN)),
            right=good(200, 720, tokens_per_s=20.0, **_TWO_TEXTS),
        ),
    )


QUIRKS: Final[tuple[Quirk, ...]] = (
    _without_text("empty-text-first", "is empty", "empty"),
    _without_text("null-text-first", "is null", "null"),
    _without_text("no-text-first", "is absent", "absent"),
    Quirk(
        name="only-pings",
        kind="first-token",
        behaviour="A comment, a ping, a chunk without text, and the end.",
        right="No first token: TTFT is null and never 0; the outcome is empty, in no median.",
        takes=everywhere(
            at(20, "opening"), at(30, "comment", "ping"), at(40, "empty"), at(50, Close(PLAIN)), right=empty(50)
        ),
    ),
    Quirk(
        name="only-an-end-mark",
        kind="first-token",
        behaviour="A comment after 1 ms, a role after 5 ms, `[DONE]` after 50 ms, without a finish reason.",
        right="No first token: TTFT is null; the outcome is empty, in no median; the missing reason is flagged.",
        takes=by_hand(
            {
                "openai-chat": (at(1, "comment"), at(5, "opening"), at(50, "end")),
            },
            right=empty(50, finish_reason=None, usage=None, flags=("no-finish-reason",)),
        ),
    ),
    Quirk(
        name="tool-call-first",
        kind="first-token",
        behaviour="The model calls a tool and says nothing else.",
        right="TTFT and TTFAT 100 ms: a tool call is generated text that is no reasoning; there is no answer text.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Call("look")),
            at(300, Call(" again")),
            at(310, Close(PLAIN)),
            right=good(100, 310, answer=None, tokens=0, chunks=2, tokens_per_s=1 / 0.2, flags=("tool-call",)),
        ),
    ),
    Quirk(
        name="refusal",
        kind="first-token",
        behaviour="The model refuses, and the refusal comes in a field of its own.",
        right="TTFT 100 ms; the refusal's text is kept as what was answered, and flagged.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(refusal="I can")),
                    at(200, delta(refusal="not")),
                    at(210, Close(PLAIN)),
                ),
                "openai-responses": (
                    at(20, "opening"),
                    at(100, named("response.refusal.delta", item_id="item_0", content_index=0, delta="I can")),
                    at(200, named("response.refusal.delta", item_id="item_0", content_index=0, delta="not")),
                    at(210, Close(PLAIN)),
                ),
            },
            right=good(100, 210, answer="I cannot", tokens=2, chunks=2, tokens_per_s=1 / 0.1, flags=("refusal",)),
        ),
    ),
    Quirk(
        name="second-answer",
        kind="first-token",
        behaviour="A chunk holds two choices (candidates) although one was asked for.",
        right="Only the first is read.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, chunk([{"index": n, "delta": {"content": text}} for n, text in enumerate("AB")])),
                    at(200, Close(PLAIN)),
                ),
                "gemini": (
                    at(20, "opening"),
                    at(
                        100,
                        event(
                            {
                                "candidates": [
                                    {"content": {"parts": [{"text": text}]}, "index": n}
                                    for n, text in enumerate("AB")
                                ]
                            }
                        ),
                    ),
                    at(200, Close(PLAIN)),
                ),
            },
            right=good(100, 200),
        ),
    ),
    Quirk(
        name="output-never-streamed",
        kind="first-token",
        behaviour="No delta comes; the last event holds the whole output.",
        right="TTFT and end are both 500 ms; there is no speed, and the answer is flagged as not streamed.",
        takes=by_hand(
            {
                "openai-responses": (
                    at(20, "opening"),
                    at(
                        500,
                        last(
                            "completed",
                            output=[{"type": "message", "content": [{"type": "output_text", "text": "A" + WORDS}]}],
                        ),
                    ),
                ),
            },
            right=good(500, 500, answer="A" + WORDS, tokens=11, flags=("not-streamed",)),
        ),
    ),
)
