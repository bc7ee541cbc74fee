"""How bytes are framed, cut and encoded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from daemon.reference.quirks import gemini_words as gemini
from daemon.reference.quirks.chat_words import DONE, delta
from daemon.reference.quirks.contract import At, Close, Damaged, Form, Quirk, Right, Say, Think, Writing
from daemon.reference.quirks.forms import EVENT_STREAMS, FORMS
from daemon.reference.quirks.making import at, by_hand, counts, everywhere, good
from daemon.reference.quirks.words import PLAIN, event

TEXT: Final = "你好 ✅ Žluťoučký kůň\u2028úpěl\u0085 ďábelské ódy 🎉"
"""Letters of two to four bytes, and two separators that only look like line ends."""

_TEXT_TOKENS: Final = 24
_STEPS: Final[tuple[At, ...]] = (
    at(200, "opening"),
    at(400, Think("Hm")),
    at(600, Say(TEXT)),
    at(800, Say(" b")),
    at(1_000, Close(PLAIN)),
)
_RIGHT: Final[Right] = good(
    400,
    1_000,
    ttfat_ms=600,
    answer=TEXT + " b",
    tokens=_TEXT_TOKENS + 1,
    reasoning="Hm",
    reasoning_tokens=1,
    chunks=3,
    tokens_per_s=(_TEXT_TOKENS + 1) / 0.4,
)
_SAME: Final = (
    "The same events as written plainly: TTFT 400 ms, TTFAT 600 ms, end 1,000 ms, the text letter by letter."
)


def _written(
    name: str, behaviour: str, writing: Writing, forms: Iterable[Form] = EVENT_STREAMS, **take: Any
) -> Quirk:
    return Quirk(
        name=name,
        kind="framing",
        behaviour=behaviour,
        right=_SAME,
        takes=everywhere(*_STEPS, right=_RIGHT, forms=forms, writing=writing, **take),
    )


def _around(name: str, behaviour: str, right: str, part: Damaged, *, answer: str, tokens: int, flag: str) -> Quirk:
    return Quirk(
        name=name,
        kind="framing",
        behaviour=behaviour,
        right=right,
        takes=everywhere(
            at(20, "opening"),
            at(100, part),
            at(200, Close(PLAIN)),
            right=good(100, 200, answer=answer, tokens=tokens, flags=(flag,)),
        ),
    )


QUIRKS: Final[tuple[Quirk, ...]] = (
    _written("plain", "Nothing odd: the stream that the others of this kind write differently.", "as it is", FORMS),
    _written("no-space-after-colon", "`data:{}` and `event:x` without the space, `data:[DONE]` too.", "no space"),
    _written("crlf", "Lines end with CRLF.", "CRLF", FORMS),
    _written("cr", "Lines end with CR alone.", "CR"),
    _written(
        "crlf-in-two-reads", "Lines end with CRLF, and each event's last LF comes 20 ms late.", "CRLF in two reads"
    ),
    _written("byte-by-byte", "Every byte is a write of its own; letters have up to four.", "byte by byte", FORMS),
    _written(
        "seven-bytes-a-read", "The stream is cut every seven bytes, wherever that is.", "seven bytes a read", FORMS
    ),
    _written(
        "comments", "Comments before, between, inside and after events (white space, in an array).", "comments", FORMS
    ),
    _written("other-fields", "Events have ids, retry times and a field that nobody knows.", "other fields"),
    _written("byte-order-mark", "The stream begins with a byte order mark.", "byte order mark", FORMS),
    _written(
        "no-media-type",
        "The response has no `Content-Type`, so no charset either.",
        "as it is",
        FORMS,
        content_type="",
    ),
    _written(
        "wrong-media-type",
        "The response calls itself `text/html; charset=latin-1`.",
        "as it is",
        FORMS,
        content_type="text/html; charset=latin-1",
    ),
    Quirk(
        name="three-chunks-in-one-read",
        kind="framing",
        behaviour="Three chunks come in one write after 100 ms, a fourth after 400 ms.",
        right="Three chunks with one time; gaps of 0 are valid, and speed counts the other three: 10 tokens/s.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Say("a"), Say(" b"), Say(" c")),
            at(400, Say(" d")),
            at(410, Close(PLAIN)),
            right=good(100, 410, answer="a b c d", tokens=4, chunks=4, tokens_per_s=10.0),
        ),
    ),
    Quirk(
        name="first-byte-before-first-token",
        kind="framing",
        behaviour="Headers and a comment come after 20 ms, the first token after 200 ms.",
        right="TTFT 200 ms; the time of the first byte, 20 ms, is kept apart from it.",
        takes=everywhere(
            at(20, "opening", "comment"), at(200, Say("A")), at(210, Close(PLAIN)), right=good(200, 210), head_ms=20.0
        ),
    ),
    Quirk(
        name="read-boundary-before-a-space",
        kind="framing",
        behaviour='The chunks "a" and " b", cut every seven bytes.',
        right='The text is "a b", its space kept.',
        takes=everywhere(
            at(100, "opening"),
            at(300, Say("a")),
            at(500, Say(" b")),
            at(700, Close(PLAIN)),
            right=good(300, 700, answer="a b", tokens=2, chunks=2, tokens_per_s=5.0),
            writing="seven bytes a read",
        ),
    ),
    Quirk(
        name="data-in-several-lines",
        kind="framing",
        behaviour="One event's JSON is spread over several `data:` lines.",
        right="One event: the lines are joined.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, delta(content="A").replace(b'"choices":[', b'"choices":\ndata: [')),
                    at(200, Close(PLAIN)),
                ),
            },
            right=good(100, 200),
        ),
    ),
    Quirk(
        name="long-line",
        kind="framing",
        behaviour="One chunk has a line of more than 256 KiB.",
        right="Read like any other: 131,072 tokens.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Say(" a" * 131_072)),
            at(300, Close(PLAIN)),
            right=good(100, 300, answer=" a" * 131_072, tokens=131_072),
        ),
    ),
    Quirk(
        name="text-and-usage-in-the-last-chunk",
        kind="framing",
        behaviour="The last chunk holds text, reason and usage, and lines end with CRLF.",
        right="All of it is kept: the text, usage of 7 and 2, and the end at 200 ms.",
        takes=by_hand(
            {
                "gemini": (
                    at(20, "opening"),
                    at(100, Say("a")),
                    at(
                        200,
                        event(
                            gemini.candidate(
                                {"text": " b"},
                                finish="STOP",
                                usageMetadata=gemini.counters(counts(input=7, output=2)),
                            )
                        ).replace(b"\n", b"\r\n"),
                    ),
                ),
                "gemini-array": (
                    at(20, "opening"),
                    at(100, Say("a")),
                    at(
                        200,
                        gemini.element(
                            gemini.candidate(
                                {"text": " b"},
                                finish="STOP",
                                usageMetadata=gemini.counters(counts(input=7, output=2)),
                            )
                        ),
                        "end",
                    ),
                ),
            },
            right=good(
                100, 200, answer="a b", tokens=2, chunks=2, tokens_per_s=10.0, usage=counts(input=7, output=2)
            ),
        ),
    ),
    Quirk(
        name="done-mark-of-relays",
        kind="framing",
        behaviour="`[DONE]` ends a stream of another dialect, and more text follows it.",
        right="The attempt is over at the mark; what follows does not count.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Say("A")),
            at(200, "finish", DONE, Say("B")),
            at(300, "end"),
            right=good(100, 200),
            forms=("openai-chat", "anthropic-messages", "gemini"),
        ),
    ),
    _around(
        "invalid-utf-8",
        "A byte of the text is no UTF-8.",
        "The text with U+FFFD in its place; flagged.",
        Damaged("a@b", b"\xff"),
        answer="a\ufffdb",
        tokens=3,
        flag="invalid-utf8",
    ),
    _around(
        "lone-surrogate",
        "The JSON escapes half a surrogate pair.",
        "The text with U+FFFD in its place; flagged.",
        Damaged("a@b", b"\\ud83d"),
        answer="a\ufffdb",
        tokens=3,
        flag="lone-surrogate",
    ),
    _around(
        "raw-tab-in-json",
        "A string of the JSON holds a raw tab, which JSON forbids.",
        "The text with its tab; flagged.",
        Damaged("a@b", b"\t"),
        answer="a\tb",
        tokens=2,
        flag="loose-json",
    ),
)
