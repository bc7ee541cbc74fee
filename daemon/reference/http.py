"""As much of HTTP/1.1 as a reference endpoint needs, on bytes alone: no sockets, no clock.

Written by hand because the server must know when a request's first byte arrived and must be the last thing
before the socket when a part is written; a web framework sits in between at both ends.
"""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from schemas.errors import MesswerkError

_HEAD_BYTES = 64 * 1024
_BODY_BYTES = 64 * 1024 * 1024
LAST_CHUNK = b"0\r\n\r\n"


class BadRequestError(MesswerkError):
    """The bytes are no request that this server can answer; the connection ends."""


class Request(msgspec.Struct, frozen=True):
    """One complete request. Header names are in lower case; a repeated header keeps its last value."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def keeps_alive(self) -> bool:
        """Whether the client may send another request on this connection."""
        return self.headers.get("connection", "").lower() != "close"


class RequestReader:
    """Gathers the bytes of requests that follow one another on a connection."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: tuple[str, str, dict[str, str], int] | None = None

    @property
    def pending(self) -> bool:
        """Whether bytes of an incomplete or unread request are held."""
        return bool(self._buffer) or self._head is not None

    def feed(self, data: bytes) -> None:
        """Take bytes as they arrive."""
        self._buffer += data

    def next_request(self) -> Request | None:
        """Return the next complete request, or None until more arrives. Raises :class:`BadRequestError`."""
        if self._head is None and not self._read_head():
            return None
        assert self._head is not None  # _read_head has just set it
        method, path, headers, length = self._head
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._head = None
        return Request(method, path, headers, body)

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n", 0, _HEAD_BYTES)
        if end < 0:
            if len(self._buffer) >= _HEAD_BYTES:
                raise BadRequestError(f"the request's head is longer than {_HEAD_BYTES} bytes")
            return False
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        words = lines[0].split(" ")
        if len(words) != 3 or words[2] != "HTTP/1.1":
            raise BadRequestError(f"not an HTTP/1.1 request line: {lines[0][:80]!r}")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        if "transfer-encoding" in headers:
            raise BadRequestError("request bodies need a Content-Length here")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _BODY_BYTES:
            raise BadRequestError(f"Content-Length must be a number up to {_BODY_BYTES}, not {length[:20]!r}")
        self._head = (words[0], words[1], headers, int(length))
        return True


def response_head(status: int, headers: tuple[tuple[str, str], ...], *, keep_alive: bool) -> bytes:
    """Status line and headers of a response whose body follows in chunks."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in headers)]
    lines.append("transfer-encoding: chunked")
    if not keep_alive:
        lines.append("connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
