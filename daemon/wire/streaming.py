"""The part of a parser that all dialects share: which kind of body it is, and when it is over.

Asked for a stream, servers also answer 200 with one JSON object, a web page or plain text, and name any of
them any media type. So the first byte that is no white space decides, not the header. What an event or a
whole JSON body means is the dialect's :class:`EventReader`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from daemon.wire.contract import MAX_LINE_BYTES, EndSeen, ErrorSeen, FinishSeen, FlagSeen, Observation
from daemon.wire.failures import unreadable
from daemon.wire.json_array import JsonArrayReader
from daemon.wire.sse import ServerSentEvent, SseReader

_PAGE_BYTES = 16 * 1024
_HEAD_BYTES = 64 * 1024
_BLANK = b"\xef\xbb\xbf \t\r\n"  # the byte order mark's bytes, in any order, and white space

_Kind = Literal["undecided", "events", "array", "json", "page"]


class EventReader(Protocol):
    """A dialect's reading of one response. Both methods append to ``out`` and never raise on any input."""

    def event(self, event: ServerSentEvent, out: list[Observation]) -> None:
        """Read one event of the stream."""

    def whole(self, body: bytes, out: list[Observation]) -> None:
        """Read a complete JSON body that came in place of a stream."""


class SseStreamParser:
    """A :class:`daemon.wire.contract.StreamParser` over server-sent events.

    Reads nothing after an :class:`EndSeen` or :class:`ErrorSeen`, and holds at most ``limit`` bytes.

    arrays: the dialect streams JSON arrays as well; each element is an event, the closing bracket the end.
    marked: the dialect's event stream marks its own end. Where it does not, the end of the bytes is the end
        of the answer once a reason to finish was given.
    """

    def __init__(
        self,
        reader: EventReader,
        content_type: str,
        limit: int = MAX_LINE_BYTES,
        *,
        arrays: bool = False,
        marked: bool = True,
    ) -> None:
        self._reader = reader
        self._content_type = content_type
        self._limit = limit
        self._kind: _Kind = "undecided"
        self._body = bytearray()
        self._arrays = arrays
        self._marked = marked
        self._events: SseReader | JsonArrayReader = SseReader(limit)
        self._finished = False
        self._over = False

    def feed(self, data: bytes) -> Sequence[Observation]:
        """See :class:`daemon.wire.contract.StreamParser`."""
        if self._over:
            return ()
        if self._kind == "undecided":
            data = self._decide(data)
        if self._kind in {"events", "array"}:
            return self._read(self._events.feed(data))
        if self._kind == "undecided":
            return ()
        room = (self._limit if self._kind == "json" else _PAGE_BYTES) - len(self._body)
        self._body += data[:room]
        return self._close_body() if len(data) > room else ()

    def close(self) -> Sequence[Observation]:
        """See :class:`daemon.wire.contract.StreamParser`."""
        if self._over:
            return ()
        if self._kind in {"json", "page"}:
            return self._close_body(complete=True)
        out = self._read(self._events.close())
        if self._events.framed and out and isinstance(out[-1], ErrorSeen) and out[-1].failure.kind == "protocol":
            out.pop()  # half an event: the stream was cut, which its missing end says already
        if not self._over and not self._events.framed and self._events.stray is not None:
            what = f"the body is no event stream (media type {self._content_type or 'not given'})"
            out.append(ErrorSeen(unreadable(what, self._events.stray)))
        elif self._finished and self._kind == "events" and not (out and isinstance(out[-1], EndSeen | ErrorSeen)):
            out.append(EndSeen(implied=True))
        self._over = True
        return out

    def _decide(self, data: bytes) -> bytes:
        """Collect until the first telling byte, then hand back all that was collected."""
        self._body += data
        telling = bytes(self._body[:_HEAD_BYTES]).lstrip(_BLANK)
        if not telling and len(self._body) < _HEAD_BYTES:
            return b""
        collected = bytes(self._body)
        self._body.clear()
        if self._arrays and telling.startswith(b"["):
            self._kind = "array"
            self._events = JsonArrayReader(self._limit)
        elif telling.startswith((b"{", b"[")):
            self._kind = "json"
        elif telling.startswith(b"<"):
            self._kind = "page"
        else:
            self._kind = "events"
        return collected

    def _read(self, events: list[ServerSentEvent]) -> list[Observation]:
        out: list[Observation] = []
        for event in events:
            self._reader.event(event, out)
            if out and isinstance(out[-1], EndSeen | ErrorSeen):
                self._over = True
                return out
        if not self._marked:
            self._finished = self._finished or any(isinstance(seen, FinishSeen) for seen in out)
        if self._events.overflowed:
            self._over = True
            what = f"a line or event of the stream is longer than {self._limit} bytes"
            out.append(ErrorSeen(unreadable(what, b"", "over-limit")))
        elif isinstance(self._events, JsonArrayReader) and self._events.ended:
            self._over = True
            out.append(EndSeen())
        return out

    def _close_body(self, *, complete: bool = False) -> list[Observation]:
        self._over = True
        body = bytes(self._body).lstrip(_BLANK)
        self._body.clear()
        if self._kind == "page":
            what = f"the body is a web page, not a stream (media type {self._content_type or 'not given'})"
            return [ErrorSeen(unreadable(what, body))]
        if not complete:
            return [ErrorSeen(unreadable(f"a JSON body of more than {self._limit} bytes", body, "over-limit"))]
        out: list[Observation] = []
        self._reader.whole(body, out)
        return out if any(isinstance(seen, ErrorSeen) for seen in out) else [FlagSeen("not-streamed"), *out]
