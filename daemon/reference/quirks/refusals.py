"""Errors and other bodies in place of a stream, and rate limits with their waits."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from daemon.reference.quirks.contract import Close, Form, Quirk, Say, Take
from daemon.reference.quirks.forms import FORMS, new_voice
from daemon.reference.quirks.making import after, at, bad, everywhere, good
from daemon.reference.quirks.words import PLAIN, Refusal
from schemas.events.attempts import FailureClass

_JSON = "application/json"
_NOTHING: dict[str, Any] = {"answer": None, "tokens": 0, "chunks": 0}
_PAGE = b"<!DOCTYPE html><html><title>Sign in</title></html>"


def _instead(status: int, why: Refusal, kind: FailureClass, **take: Any) -> dict[Form, tuple[Take, ...]]:
    """Put an error body in place of a stream, in each dialect's own words."""
    takes: dict[Form, tuple[Take, ...]] = {}
    retry_after_s, ms = take.pop("retry_after_s", None), take.pop("ms", 15)
    for form in FORMS:
        takes |= everywhere(
            at(ms, new_voice(form).refusal(why)),
            right=bad(kind, ms, retry_after_s=retry_after_s, **_NOTHING),
            forms=(form,),
            status=status,
            content_type=_JSON,
            head_ms=ms,
            **take,
        )
    return takes


_ANSWERED = everywhere(at(20, "opening"), at(50, Say("A")), at(60, Close(PLAIN)), right=good(50, 60))


def _rate_limit(
    name: str, behaviour: str, right: str, header: str | None, seconds: float | None, ms: float = 15
) -> Quirk:
    return Quirk(
        name=name,
        kind="refusals",
        behaviour=f"A 429 {behaviour}; the next request gets an answer, its first token after 50 ms.",
        right=f"Attempt 1 rate-limited, {right}; attempt 2 TTFT 50 ms; two requests on the wire, never added up.",
        takes=after(
            _instead(429, "rate limit", "rate-limited", ms=ms, retry_after=header, retry_after_s=seconds), _ANSWERED
        ),
    )


def _page(name: str, behaviour: str, right: str, kind: FailureClass, body: bytes, **take: Any) -> Quirk:
    return Quirk(
        name=name,
        kind="refusals",
        behaviour=behaviour,
        right=right,
        takes=everywhere(at(50, body), right=bad(kind, 50, **_NOTHING), **take),
    )


QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="json-error-for-a-stream",
        kind="refusals",
        behaviour="A 200 whose body is a JSON error, for a request that asked for a stream.",
        right="An error, class overloaded; HTTP status 200 and a bounded body are kept.",
        takes=_instead(200, "overloaded", "overloaded"),
    ),
    Quirk(
        name="whole-answer-for-a-stream",
        kind="refusals",
        behaviour="A 200 whose body is the whole answer as one JSON object, for a request that asked for a stream.",
        right="An answer: TTFT and end are both 100 ms, there is no speed, and it is flagged as not streamed.",
        takes={
            form: everywhere(
                at(100, new_voice(form).whole("Yes it is")),
                right=good(100, 100, answer="Yes it is", tokens=3, flags=("not-streamed",)),
                forms=(form,),
                content_type=_JSON,
            )[form]
            for form in FORMS
        },
    ),
    _page(
        "web-page-for-a-stream",
        "A 200 with a web page, as portals send it.",
        "Class protocol: the body is a web page, and its beginning is kept.",
        "protocol",
        _PAGE,
        content_type="text/html",
    ),
    _page(
        "plain-text-for-a-stream",
        "A 200 with plain text.",
        "Class protocol: the body is no event stream.",
        "protocol",
        b"upstream connect error or disconnect/reset before headers",
        content_type="text/plain",
    ),
    _page(
        "bad-gateway-page",
        "A 502 with a web page.",
        "Class server-error, from the status; the page's beginning is kept.",
        "server-error",
        b"<html><body><h1>502 Bad Gateway</h1></body></html>",
        status=502,
        content_type="text/html",
    ),
    _rate_limit("rate-limit-in-seconds", "with `Retry-After: 1`", "waits 1 s", "1", 1.0),
    _rate_limit("rate-limit-in-a-fraction", "with `Retry-After: 0.25`", "waits 0.25 s", "0.25", 0.25),
    _rate_limit(
        "rate-limit-by-date",
        "with `Retry-After` as an HTTP date two seconds ahead",
        "waits until then",
        "in 2 s",
        2.0,
        ms=1_000,  # a date has whole seconds, so the response comes at one
    ),
    _rate_limit(
        "rate-limit-in-the-past",
        "with `Retry-After` as an HTTP date in the past",
        "waits 0 s",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        0.0,
    ),
    _rate_limit(
        "rate-limit-with-nonsense",
        "with `Retry-After: soon`",
        "its wait is null and the client's own holds",
        "soon",
        None,
    ),
    _rate_limit("rate-limit-without-a-wait", "without `Retry-After`", "its wait is null", None, None),
    Quirk(
        name="rate-limit-in-the-body",
        kind="refusals",
        behaviour="A 429 that says only in its body when to try again: in 1.5 s; the next request gets an answer.",
        right="Attempt 1 rate-limited, waits 1.5 s; attempt 2 TTFT 50 ms.",
        takes=after(
            {
                form: everywhere(
                    at(
                        15,
                        msgspec.json.encode(
                            {
                                "error": {
                                    "code": 429,
                                    "status": "RESOURCE_EXHAUSTED",
                                    "message": "Quota exceeded",
                                    "details": [{"retryDelay": "1.5s"}],
                                }
                            }
                        ),
                    ),
                    right=bad("rate-limited", 15, retry_after_s=1.5, **_NOTHING),
                    forms=(form,),
                    status=429,
                    content_type=_JSON,
                )[form]
                for form in ("gemini", "gemini-array")
            },
            _ANSWERED,
        ),
    ),
)
