"""Errors in a stream and in place of one, and refusals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from daemon.reference.quirks import responses_words as responses
from daemon.reference.quirks.chat_words import DONE, delta
from daemon.reference.quirks.contract import At, Form, Part, Quirk, Say
from daemon.reference.quirks.forms import EVENT_STREAMS, FORMS
from daemon.reference.quirks.making import at, bad, by_hand, everywhere
from daemon.reference.quirks.words import PLAIN, event
from schemas.events.attempts import FailureClass

_JSON = "application/json"
_FIVE = tuple(at(100 * n, Say(" a")) for n in range(1, 6))
_FIVE_RIGHT: dict[str, Any] = {"answer": " a" * 5, "tokens": 5}
_NOTHING: dict[str, Any] = {"answer": None, "tokens": 0, "chunks": 0}
_PAGE = b"<!DOCTYPE html><html><title>Sign in</title></html>"


def _in_the_middle(
    name: str, behaviour: str, right: str, kind: FailureClass, *parts: Part, forms: Iterable[Form] = FORMS
) -> Quirk:
    """Put an error after five tokens; whatever follows it does not count."""
    return Quirk(
        name=name,
        kind="errors",
        behaviour=behaviour,
        right=right,
        takes=everywhere(
            at(20, "opening"), *_FIVE, at(600, *parts), right=bad(kind, 600, **_FIVE_RIGHT), forms=forms
        ),
    )


def _unreadable(form: Form) -> tuple[At, ...]:
    broken = b"\r\n,\r\n{half}\r\n,\r\n" if form == "gemini-array" else b"data: {half}\n\n"
    return (at(20, "opening"), at(100, Say("A")), at(200, broken), at(300, Say("B")))


QUIRKS: Final[tuple[Quirk, ...]] = (
    _in_the_middle(
        "error-in-the-middle",
        "A 200, five tokens, then an error of a server that broke, then the end as if nothing had been.",
        "An error in mid-stream, class server-error; HTTP status 200 and the timeline are kept; in no median.",
        "server-error",
        "failure",
        "finish",
        "end",
    ),
    _in_the_middle(
        "overloaded-inside-a-200",
        "A 200, five tokens, then an error of a server that is overloaded.",
        "Class overloaded; HTTP status 200 and the timeline are kept; in no median.",
        "overloaded",
        "overloaded",
    ),
    _in_the_middle(
        "error-without-data-field",
        "Five tokens, then an error as a bare line of JSON, without `data:` before it.",
        "An error in mid-stream, class stream-error.",
        "stream-error",
        b'{"error": {"message": "boom"}}\n',
        forms=EVENT_STREAMS,
    ),
    _in_the_middle(
        "error-with-a-status-in-it",
        "Five tokens, then an error whose code is 429.",
        "Class rate-limited, inside a 200.",
        "rate-limited",
        event({"error": {"code": 429, "message": "slow down"}}),
        forms=EVENT_STREAMS,
    ),
    Quirk(
        name="finish-reason-error",
        kind="errors",
        behaviour='Five tokens, then a finish reason of "error", and `[DONE]`.',
        right="An error in mid-stream, class stream-error, in no median.",
        takes=by_hand(
            {
                "openai-chat": (at(20, "opening"), *_FIVE, at(600, delta("error"), DONE)),
            },
            right=bad("stream-error", 600, finish_reason="error", **_FIVE_RIGHT),
        ),
    ),
    Quirk(
        name="response-failed",
        kind="errors",
        behaviour="The last event is `response.failed`, with usage.",
        right="An error, class server-error; usage (7 and 3) is kept.",
        takes=by_hand(
            {
                "openai-responses": (
                    at(20, "opening"),
                    *_FIVE,
                    at(600, responses.last("failed", error={"code": "server_error", "message": "The model failed"})),
                ),
            },
            right=bad("server-error", 600, usage=PLAIN, **_FIVE_RIGHT),
        ),
    ),
    Quirk(
        name="moderated",
        kind="errors",
        behaviour="The service blocks what was asked, inside a 200.",
        right="Class moderation; nobody's fault but the prompt's, in no median.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, event({"error": {"code": "content_filter", "message": "The prompt was filtered"}})),
                ),
                "gemini": (at(20, "opening"), at(100, event({"promptFeedback": {"blockReason": "SAFETY"}}))),
            },
            right=bad("moderation", 100, **_NOTHING),
        ),
    ),
    Quirk(
        name="unreadable-chunk",
        kind="errors",
        behaviour="A chunk in mid-stream is no JSON.",
        right="Class protocol, with what came before it; nothing is guessed from what follows.",
        takes=by_hand({form: _unreadable(form) for form in FORMS}, right=bad("protocol", 200)),
    ),
)
