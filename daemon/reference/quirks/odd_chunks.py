"""Chunks without an answer in them, and usage wherever it may stand."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from daemon.reference.quirks import gemini_words as gemini
from daemon.reference.quirks import messages_words as messages
from daemon.reference.quirks.chat_words import DONE, STOP, chunk, counters
from daemon.reference.quirks.contract import At, Close, Counts, Form, Quirk, Say, Take
from daemon.reference.quirks.forms import FORMS
from daemon.reference.quirks.making import WORDS, at, by_hand, counts, everywhere, good
from daemon.reference.quirks.words import PLAIN, event


def _chat(*late: bytes, usage: Counts | None = PLAIN, **right: Any) -> dict[Form, tuple[Take, ...]]:
    return by_hand(
        {
            "openai-chat": (at(20, "opening"), at(100, Say("A")), at(200, STOP), at(900, *late), at(910, DONE)),
        },
        right=good(100, 910, usage=usage, **right),
    )


def _late_usage(form: Form) -> tuple[At, ...]:
    """Usage alone, long after the text, where the dialect can say that."""
    used = counts(input=7, output=1)
    match form:
        case "openai-chat":
            return (at(900, chunk([], usage=counters(used))), at(910, STOP, DONE))
        case "anthropic-messages":
            return (at(900, messages.stopped(None, {"output_tokens": 1})), at(910, Close(None)))
        case _:
            write = gemini.element if form == "gemini-array" else event
            return (at(900, write({"usageMetadata": gemini.counters(used)})), at(910, Close(None)))


QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="filter-results-first",
        kind="odd-chunks",
        behaviour="The first chunk has no choices (candidates), only the results of a content filter (Azure).",
        right="No crash and no token: TTFT 100 ms.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(50, chunk([], prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}])),
                    at(60, "opening"),
                    at(100, Say("A")),
                    at(200, Close(PLAIN)),
                ),
                "gemini": (
                    at(20, "opening"),
                    at(50, event({"promptFeedback": {"safetyRatings": [{"probability": "NEGLIGIBLE"}]}})),
                    at(100, Say("A")),
                    at(200, Close(PLAIN)),
                ),
            },
            right=good(100, 200),
        ),
    ),
    Quirk(
        name="late-usage-alone",
        kind="odd-chunks",
        behaviour="The answer comes after 100 ms, a chunk with nothing but usage after 900 ms.",
        right="TTFT 100 ms; usage is read (7 and 1) and is no token.",
        takes=by_hand(
            {
                **{
                    form: (at(20, "opening"), at(100, Say("A")), *_late_usage(form))
                    for form in FORMS
                    if form != "openai-responses"
                },
            },
            right=good(100, 910, usage=counts(input=7, output=1)),
        ),
    ),
    Quirk(
        name="usage-without-choices",
        kind="odd-chunks",
        behaviour="The chunk with usage has no `choices` at all.",
        right="Usage is read (7 and 3), and it is no token.",
        takes=_chat(chunk(UNSET, usage=counters(PLAIN))),
    ),
    Quirk(
        name="usage-with-null-choices",
        kind="odd-chunks",
        behaviour="The chunk with usage has `choices: null`.",
        right="Usage is read (7 and 3), and it is no token.",
        takes=_chat(chunk(None, usage=counters(PLAIN))),
    ),
    Quirk(
        name="usage-below-another-name",
        kind="odd-chunks",
        behaviour="Usage stands in `x_groq`.",
        right="Usage is read (7 and 3).",
        takes=_chat(chunk([], x_groq={"id": "r", "usage": counters(PLAIN)})),
    ),
    Quirk(
        name="usage-inside-the-choice",
        kind="odd-chunks",
        behaviour="Usage stands inside the choice.",
        right="Usage is read (7 and 3).",
        takes=_chat(chunk([{"index": 0, "delta": {}, "usage": counters(PLAIN)}])),
    ),
    Quirk(
        name="usage-after-the-last-token",
        kind="odd-chunks",
        behaviour="The last token comes after 1,000 ms, reason and usage after 1,080 ms, the end after 1,082 ms.",
        right="Output speed and the last token use 1,000 ms: 10 tokens in 0.5 s, 20 tokens/s.",
        takes=everywhere(
            at(20, "opening"),
            at(500, Say("A")),
            at(1_000, Say(WORDS)),
            at(1_080, "finish"),
            at(1_082, "end"),
            right=good(500, 1_082, answer="A" + WORDS, tokens=11, chunks=2, tokens_per_s=20.0),
            but={"gemini": {"end_ms": 1_080, "over_ms": 1_080}},
        ),
    ),
    Quirk(
        name="usage-on-every-chunk",
        kind="odd-chunks",
        behaviour="Every chunk has usage: output 1, 2, 3.",
        right="3, not 6: it is cumulative.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    *(
                        at(
                            100 * n,
                            chunk(
                                [{"index": 0, "delta": {"content": " a"}}],
                                usage={"prompt_tokens": 7, "completion_tokens": n},
                            ),
                        )
                        for n in (1, 2, 3)
                    ),
                    at(310, STOP, DONE),
                ),
                "gemini": (
                    at(20, "opening"),
                    *(
                        at(
                            100 * n,
                            event(
                                gemini.candidate(
                                    {"text": " a"}, usageMetadata={"promptTokenCount": 7, "candidatesTokenCount": n}
                                )
                            ),
                        )
                        for n in (1, 2, 3)
                    ),
                    at(310, Close(None)),
                ),
                "anthropic-messages": (
                    at(20, "opening"),
                    *(at(100 * n, Say(" a"), messages.stopped(None, {"output_tokens": n})) for n in (1, 2, 3)),
                    at(310, Close(None)),
                ),
            },
            right=good(100, 310, answer=" a" * 3, tokens=3, chunks=3, tokens_per_s=10.0),
        ),
    ),
)
