"""The ways in which a stream ends, and does not end."""

from __future__ import annotations

from typing import Any, Final

from daemon.reference.quirks.contract import At, Close, Endless, Form, Quirk, Say
from daemon.reference.quirks.forms import FORMS, MARKED
from daemon.reference.quirks.making import at, bad, everywhere, good
from daemon.reference.quirks.words import PLAIN

_TWO: tuple[At, ...] = (at(20, "opening"), at(100, Say("A")), at(200, Say(" b")))
_TEXT: dict[str, Any] = {"answer": "A b", "tokens": 2}
_SPOKEN: dict[str, Any] = {**_TEXT, "chunks": 2, "tokens_per_s": 10.0}
_HALF = Say(" never whole")
_ENDLESS_BYTES = 5 * 1024 * 1024
SILENCE_MS: Final = 60_000
"""How long nothing that means anything may come before an attempt counts as stalled."""


def _limited(form: Form) -> tuple[At, ...]:
    return (*_TWO, at(300, "limit", *(() if form == "openai-responses" else ("end",))))


QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="reason-and-end",
        kind="ends",
        behaviour="A finish reason, usage and the end mark, as the dialect says.",
        right="A response, not flagged.",
        takes=everywhere(*_TWO, at(300, Close(PLAIN)), right=good(100, 300, **_SPOKEN)),
    ),
    Quirk(
        name="reason-without-end-mark",
        kind="ends",
        behaviour="A finish reason, and no end mark: the connection's orderly end is the end.",
        right="A response, complete at the finish reason; flagged where the dialect has an end mark.",
        takes=everywhere(
            *_TWO,
            at(300, "finish"),
            right=good(100, 300, flags=("no-done-marker",), **_SPOKEN),
            forms=(*MARKED, "gemini"),
            but={"gemini": {"flags": ()}},
        ),
    ),
    Quirk(
        name="end-mark-without-reason",
        kind="ends",
        behaviour="The end mark comes without a finish reason.",
        right="A response, flagged.",
        takes=everywhere(
            *_TWO,
            at(300, "end"),
            right=good(100, 300, finish_reason=None, usage=None, flags=("no-finish-reason",), **_SPOKEN),
            forms=MARKED,
        ),
    ),
    Quirk(
        name="neither-reason-nor-end",
        kind="ends",
        behaviour="The response ends in an orderly way, in the middle of the answer.",
        right="Truncated, in no median.",
        takes=everywhere(*_TWO, right=bad("truncated", 200, **_TEXT)),
    ),
    Quirk(
        name="half-a-chunk-at-the-end",
        kind="ends",
        behaviour="The response ends in an orderly way, in the middle of a chunk.",
        right="Truncated, in no median; the half chunk is no text and no protocol error.",
        takes=everywhere(
            *_TWO,
            at(300, b'\r\n,\r\n{"candidates": [{"con'),
            right=bad("truncated", 300, **_TEXT),
            forms=("gemini-array",),
        )
        | everywhere(
            *_TWO,
            at(300, b'data: {"choices":[{"index":0,"del'),
            right=bad("truncated", 300, **_TEXT),
            forms=tuple(form for form in FORMS if form != "gemini-array"),
        ),
    ),
    Quirk(
        name="connection-cut",
        kind="ends",
        behaviour="The connection closes in the middle of the answer, against HTTP's rules.",
        right="Class connection-lost, with what came, in no median.",
        takes=everywhere(*_TWO, right=bad("connection-lost", 200, **_TEXT), ending="cut"),
    ),
    Quirk(
        name="connection-cut-after-reason",
        kind="ends",
        behaviour="The connection closes against HTTP's rules after the finish reason, before the end mark.",
        right="A response: the answer was complete; the cut is flagged, and a mark that was due and never came.",
        takes=everywhere(
            *_TWO,
            at(300, "finish"),
            right=good(100, 300, flags=("cut-after-finish", "no-done-marker"), **_SPOKEN),
            forms=(*MARKED, "gemini"),
            ending="cut",
            but={"gemini": {"flags": ("cut-after-finish",)}},
        ),
    ),
    Quirk(
        name="open-after-the-end",
        kind="ends",
        behaviour="The server keeps the response open after the end mark.",
        right="Finished at once: end-to-end 300 ms.",
        takes=everywhere(
            *_TWO,
            at(300, Close(PLAIN)),
            right=good(100, 300, **_SPOKEN),
            forms=(*MARKED, "openai-responses"),
            ending="open",
        ),
    ),
    Quirk(
        name="text-after-the-end",
        kind="ends",
        behaviour="More text follows the end mark.",
        right="It does not count.",
        takes=everywhere(
            *_TWO,
            at(300, Close(PLAIN), Say(" c")),
            right=good(100, 300, **_SPOKEN),
            forms=(*MARKED, "openai-responses"),
        ),
    ),
    Quirk(
        name="output-limit-reached",
        kind="ends",
        behaviour="The answer is cut off at the output limit: `length`, `response.incomplete`, `max_tokens`.",
        right="A response, flagged as truncated by length; usage (7 and 3) is kept.",
        takes={
            form: everywhere(
                *_limited(form),
                right=good(100, 300, finish_reason="length", flags=("truncated-by-length",), **_SPOKEN),
                forms=(form,),
            )[form]
            for form in FORMS
        },
    ),
    Quirk(
        name="stalled-in-silence",
        kind="ends",
        behaviour="Two tokens, then nothing at all, and nobody closes.",
        right="Stalled after 60 s of silence: an error of that class, with what came.",
        takes=everywhere(*_TWO, right=bad("stalled", 200 + SILENCE_MS, **_TEXT), ending="open"),
    ),
    Quirk(
        name="stalled-with-pings",
        kind="ends",
        behaviour="Two tokens, then a ping and an empty chunk every 10 s, for ever.",
        right="Stalled 60 s after the last token: pings and empty chunks mean nothing.",
        takes=everywhere(
            *_TWO,
            *(at(200 + 10_000 * n, "ping", "empty") for n in range(1, 13)),
            right=bad("stalled", 200 + SILENCE_MS, **_TEXT),
            ending="open",
        ),
    ),
    Quirk(
        name="endless-line",
        kind="ends",
        behaviour="A line of 5 MiB that does not end.",
        right="Over the limit (4 MiB): an error of that class; memory stays bounded.",
        takes=everywhere(
            *_TWO,
            at(300, Endless(b"data: ", _ENDLESS_BYTES)),
            right=bad("over-limit", 300, **_TEXT),
            forms=tuple(form for form in FORMS if form != "gemini-array"),
        )
        | everywhere(
            *_TWO,
            at(300, Endless(b'\r\n,\r\n{"x": "', _ENDLESS_BYTES)),
            right=bad("over-limit", 300, **_TEXT),
            forms=("gemini-array",),
        ),
    ),
)
