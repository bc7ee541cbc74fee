"""From a refusal's status, headers and body to its class, its wait and its bounded text."""

from __future__ import annotations

import base64
import html
import json
from email.utils import formatdate
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.wire.failures import failure_from_response, failure_in_stream
from daemon.wire.redaction import mask_credentials, mask_secrets
from daemon.wire.retry_after import retry_after_s

NOW_S = 1_796_040_000
NOW_NS = NOW_S * 1_000_000_000


def body(**error: object) -> bytes:
    return json.dumps({"error": error}).encode()


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (400, body(message="bad", type="invalid_request_error"), "invalid-request"),
        (400, body(message="no", code="content_filter"), "moderation"),
        (400, body(message="overloaded"), "invalid-request"),
        (401, body(message="Incorrect API key", code="invalid_api_key"), "authentication"),
        (402, body(message="Insufficient credits", code=402), "credit"),
        (403, body(message="no access"), "authentication"),
        (403, body(message="flagged", code=403, metadata={"reasons": ["violence"]}), "moderation"),
        (404, body(message="no such model"), "not-found"),
        (408, b"", "server-error"),
        (409, b"", "http-status"),
        (413, b"<html>too large</html>", "invalid-request"),
        (422, b'{"detail":[{"msg":"field required"}]}', "invalid-request"),
        (429, body(message="slow", type="rate_limit_error"), "rate-limited"),
        (429, body(message="pay", type="insufficient_quota", code="insufficient_quota"), "credit"),
        (429, body(message="busy", type="engine_overloaded_error"), "overloaded"),
        (429, b"", "rate-limited"),
        (500, b"", "server-error"),
        (502, b"<html>Bad Gateway</html>", "server-error"),
        (503, body(message="The engine is currently overloaded"), "overloaded"),
        (503, b"", "server-error"),
        (529, body(type="overloaded_error", message="Overloaded"), "overloaded"),
        (529, b"", "overloaded"),
        (307, b"", "http-status"),
        (418, body(message="teapot", type="rate_limit_error"), "http-status"),
    ],
)
def test_status_and_body_give_the_class(status: int, content: bytes, kind: str) -> None:
    """The status decides the class, and the body only what no status can tell."""
    assert failure_from_response(status, (), content, NOW_NS).kind == kind


@pytest.mark.parametrize(
    ("content", "message", "code"),
    [
        (body(message="bad", type="t", code="c"), "HTTP 400: bad", "c"),
        (b'{"error":"bad"}', "HTTP 400: bad", None),
        (b'{"message":"bad","type":"t"}', "HTTP 400: bad", "t"),
        (b'{"detail":"bad"}', "HTTP 400: bad", None),
        (b'{"errors":[{"message":"bad","code":7}]}', "HTTP 400: bad", "7"),
        (b'[{"error":{"message":"bad","status":"INVALID_ARGUMENT"}}]', "HTTP 400: bad", "INVALID_ARGUMENT"),
        (body(message="Provider error", code=400, metadata={"raw": "bad"}), "HTTP 400: Provider error bad", "400"),
        (b"plain\n  text", "HTTP 400: plain text", None),
        (b'{"hello":1}', 'HTTP 400: {"hello":1}', None),
        (b"", "HTTP 400", None),
    ],
)
def test_every_shape_of_error_body_is_understood(content: bytes, message: str, code: str | None) -> None:
    """Message and code are found in every shape in use; other bodies are quoted."""
    failure = failure_from_response(400, (), content, NOW_NS)
    assert (failure.message, failure.code) == (message, code)


def test_texts_are_bounded() -> None:
    """Message, code and body are cut, however long the server's are."""
    failure = failure_from_response(400, (), body(message="m" * 9000, code="c" * 9000), NOW_NS)
    assert failure.code is not None
    assert failure.body is not None
    assert (len(failure.message), len(failure.code), len(failure.body)) == (500, 100, 4000)


@given(st.binary(max_size=200), st.integers(min_value=100, max_value=599))
def test_any_body_gives_a_failure(content: bytes, status: int) -> None:
    """No body makes the reading of a failure fail."""
    assert failure_from_response(status, (), content, NOW_NS).message.startswith(f"HTTP {status}")


FIELDS = st.sampled_from(["error", "errors", "detail", "message", "code", "type", "metadata"])
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
)


@given(JSON)
def test_any_error_object_gives_a_failure(error: object) -> None:
    """No JSON value as an error makes the reading of it fail."""
    assert failure_in_stream(error, b"").message


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1", 1.0),
        (" 30 ", 30.0),
        ("0.25", 0.25),
        ("0", 0.0),
        ("-5", 0.0),
        (formatdate(NOW_S + 90, usegmt=True), 90.0),
        (formatdate(NOW_S - 90, usegmt=True), 0.0),
        ("Monday, 30-Nov-26 12:00:30 GMT", 30.0),
        ("Mon Nov 30 12:00:30 2026", 30.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1_000", None),
        ("Wed, 99 Foo 2026 99:99:99 GMT", None),
    ],
)
def test_retry_after_in_all_its_shapes(value: str, seconds: float | None) -> None:
    """Seconds, fractions and HTTP dates are waits from now on; the past is 0, nonsense is null."""
    assert retry_after_s((("Retry-After", value),), NOW_NS) == seconds


def test_milliseconds_are_more_exact() -> None:
    """``retry-after-ms`` comes before ``retry-after``, and the first of two equal headers counts."""
    headers = (("retry-after", "2"), ("Retry-After-Ms", "1234"), ("retry-after", "9"))
    assert retry_after_s(headers, NOW_NS) == 1.234
    assert retry_after_s(headers[::2], NOW_NS) == 2.0
    assert retry_after_s((), NOW_NS) is None


@given(st.text(max_size=40))
def test_any_retry_after_is_a_wait_or_null(value: str) -> None:
    """Whatever the header says, the answer is null or a finite wait that is not negative."""
    wait_s = retry_after_s((("retry-after", value),), NOW_NS)
    assert wait_s is None or 0 <= wait_s < float("inf")


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdefghij0123456789.",
        "authorization: Bearer abc.def-ghi",
        "see https://host/v1?key=AIzaSyA0123456789abcdef&x=1",
        "gsk_0123456789abcdefghij is unknown",
        "api-key: 0123456789abcdef0123456789abcdef",
        'headers {"X-Api-Key": "0123456789abcdef", "api-key":"0123456789abcdef"}',
    ],
)
def test_credentials_in_error_texts_are_masked(text: str) -> None:
    """What looks like a credential does not survive in an error's text."""
    masked = mask_credentials(text)
    assert "[redacted]" in masked
    assert not any(part in masked for part in ("0123456789", "abc.def"))


@pytest.mark.parametrize("text", ["the task-oriented risk-averse model", "key_not_found_error", "sk-short", "hf-1"])
def test_ordinary_words_are_not_masked(text: str) -> None:
    """Words that merely look a little like keys stay."""
    assert mask_credentials(text) == text


def test_own_secrets_are_masked_even_when_cut() -> None:
    """The request's own secret is masked in full, and its beginning where a text was cut off in the middle."""
    assert mask_secrets("a swordfish-1 b", ["swordfish-1"]) == "a [redacted] b"
    assert mask_secrets("told: swordfi…", ["swordfish-1"]) == "told: [redacted]"
    assert mask_secrets("told: swordfi", ["swordfish-1"]) == "told: swordfi"
    assert mask_secrets("the cat", ["cat"]) == "the cat"


LONG = 'begin-0123456789/+="%&\\<-of-a-key-end'


@pytest.mark.parametrize(
    "spelling",
    [
        quote(LONG, safe=""),
        quote(LONG),
        "begin-0123456789%2f%2b%3d%22%25%26%5c%3c-of-a-key-end",
        json.dumps(LONG)[1:-1],
        json.dumps(LONG)[1:-1].replace("/", "\\/"),
        repr(LONG)[1:-1],
        html.escape(LONG),
        LONG.encode().hex(),
        LONG.encode().hex().upper(),
    ],
)
def test_own_secrets_are_masked_however_they_are_written(spelling: str) -> None:
    """As URLs, JSON, programs, HTML or digits write it, a secret is masked in full."""
    assert mask_secrets(f"got {spelling}, sorry", [LONG]) == "got [redacted], sorry"


@given(st.binary(max_size=7), st.binary(max_size=7), st.booleans())
def test_own_secrets_are_masked_inside_base64(before: bytes, after: bytes, urlsafe: bool) -> None:  # noqa: FBT001  # drawn
    """Wherever in an encoded text a secret begins, no four of its bytes can be read from what is left."""
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    masked = mask_secrets(encode(before + LONG.encode() + after).decode(), [LONG])
    assert "[redacted]" in masked
    for shift in range(3):
        for at in range(len(LONG) - 4):
            digits = base64.b64encode(b"\0" * shift + LONG.encode()[at : at + 4]).decode()
            own = digits[(shift * 8 + 5) // 6 : (shift + 4) * 8 // 6]
            assert own not in masked


@given(st.lists(st.tuples(st.integers(0, len(LONG)), st.sampled_from(["begin", "end", "words"])), max_size=6))
def test_no_telling_part_of_a_secret_is_left(parts: list[tuple[int, str]]) -> None:
    """Twelve characters of its beginning or end are never left, in whatever order and length they come."""
    taken = [{"begin": LONG[:at], "end": LONG[at:], "words": "words " * (at % 3)}[kind] for at, kind in parts]
    masked = mask_secrets("".join(taken), [LONG])
    assert LONG[:12] not in masked
    assert LONG[-12:] not in masked
