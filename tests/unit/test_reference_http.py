"""The reference server's own reading of HTTP requests."""

from __future__ import annotations

import pytest

from daemon.reference.http import BadRequestError, RequestReader, chunk, response_head

REQUEST = b"POST /steady/v1/chat/completions HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello"


def test_a_request_fed_byte_by_byte_is_read_once_it_is_whole() -> None:
    """Nothing is returned until the last byte, then the same request as in one piece."""
    reader, whole = RequestReader(), RequestReader()
    whole.feed(REQUEST)
    for byte in REQUEST[:-1]:
        reader.feed(bytes([byte]))
        assert reader.next_request() is None
    reader.feed(REQUEST[-1:])
    request = reader.next_request()
    assert request == whole.next_request()
    assert request is not None
    assert (request.method, request.path, request.body) == ("POST", "/steady/v1/chat/completions", b"hello")
    assert not reader.pending


def test_requests_that_follow_one_another_are_kept_apart() -> None:
    """Two requests in one read come out one after the other."""
    reader = RequestReader()
    reader.feed(REQUEST + REQUEST.replace(b"hello", b"world"))
    bodies = [reader.next_request(), reader.next_request()]
    assert [request.body for request in bodies if request] == [b"hello", b"world"]
    assert reader.next_request() is None


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"x" * 70_000, "head is longer"),
        (b"GET / HTTP/1.0\r\n\r\n", "not an HTTP/1.1 request line"),
        (b"hello\r\n\r\n", "not an HTTP/1.1 request line"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "Content-Length must be"),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "Content-Length must be"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "need a Content-Length"),
    ],
)
def test_what_is_no_request_is_refused(sent: bytes, reason: str) -> None:
    """Endless heads, other protocols and unbounded bodies raise an error that says what is wrong."""
    reader = RequestReader()
    reader.feed(sent)
    with pytest.raises(BadRequestError, match=reason):
        reader.next_request()


def test_a_response_is_framed_in_chunks() -> None:
    """The head announces chunks, and a chunk carries its length in hexadecimal digits."""
    head = response_head(429, (("retry-after", "2"),), keep_alive=False)
    assert head == (
        b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 2\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )
    assert chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
