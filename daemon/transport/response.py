"""One response as it arrives: times are taken at each socket read, before anything is parsed.

An asyncio protocol whose ``data_received`` first reads the clock, then lets aiohttp's HTTP parser (llhttp)
take the framing off, and at once takes out the body bytes that this very read delivered. So every body byte
carries the time of its socket read, however the server cut its HTTP chunks. Who knows a better time of a read
calls ``received`` with it. Waiting, limits of time and connections are :mod:`daemon.transport.exchanging`'s.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from aiohttp import EMPTY_PAYLOAD, ClientPayloadError, StreamReader
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import HttpResponseParser, RawResponseMessage

from daemon.transport.contract import EndCause, Ended, Read, Responded, Signal
from schemas.clocks import Clock

_PARSER_BUFFER_BYTES = 1 << 28  # never reached: the body is taken out after each read
_LONGEST_HEADER_BYTES = 16 * 1024
_MOST_HEADERS = 256
_MESSAGE_CHARACTERS = 300


class ResponseProtocol(BaseProtocol):
    """The receiving side of one connection, for one exchange after another.

    ``signals`` fills from :class:`Responded` to :class:`Ended`; ``changed`` waits until it has something.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        super().__init__(loop)
        self.signals: deque[Signal] = deque()
        self.first_byte_ns: int | None = None
        self.last_byte_ns: int | None = None
        self.reusable = False
        self._user_space = False
        self._head_user_space = False
        self._clock = clock
        self._http: Any = None
        self._payload: StreamReader | None = None
        self._room = 0
        self._keep_alive = False
        self._over = True
        self._lost = False
        self._waiter: asyncio.Future[None] | None = None

    def begin(self, response_bytes: int) -> None:
        """Expect a response of at most this many bytes, headers and framing included."""
        self.signals.clear()
        self.first_byte_ns = self.last_byte_ns = None
        self.reusable = False
        self._payload = None
        self._room = response_bytes
        self._over = False
        self._http = HttpResponseParser(
            self,
            self._loop,
            _PARSER_BUFFER_BYTES,
            max_line_size=_LONGEST_HEADER_BYTES,
            max_field_size=_LONGEST_HEADER_BYTES,
            max_headers=_MOST_HEADERS,
            payload_exception=ClientPayloadError,
            read_until_eof=True,
            auto_decompress=False,
        )
        if self._lost:
            self._end("connection-lost", "the connection was closed before the request was sent")

    async def changed(self, timeout_s: float) -> None:
        """Return when there is a signal, at the response's first byte, or after ``timeout_s``."""
        if self.signals:
            return
        self._waiter = self._loop.create_future()
        timer = self._loop.call_later(timeout_s, _wake, self._waiter)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def data_received(self, data: bytes) -> None:
        """Note the time, then parse."""
        self.received(data, self._clock.mono_ns())

    def received(self, data: bytes, now_ns: int, *, user_space: bool = False) -> None:
        """Parse bytes that arrived at ``now_ns``; ``user_space`` goes into their signals."""
        self._user_space = user_space
        if self._over:
            self.reusable = False  # bytes that nobody asked for: the next response could not be told from them
            return
        if self.first_byte_ns is None:
            self.first_byte_ns = now_ns
            self._head_user_space = user_space
            self._notify()  # other limits hold from here on, even while the headers are incomplete
        self.last_byte_ns = now_ns
        too_much = len(data) > self._room
        if too_much:
            data = data[: self._room]
        self._room -= len(data)
        self._parse(data, now_ns)
        if too_much and not self._over:
            self._end("over-limit", "the response is longer than its limit")
        if self.signals:
            self._notify()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Tell whether the response had ended by then, as a response without a length does."""
        super().connection_lost(exc)
        self._lost = True
        self.reusable = False
        if self._over:
            return
        reason = f": {type(exc).__name__}" if exc is not None else ""
        if self._payload is None:
            self._end("connection-lost", f"the connection was closed before the response began{reason}")
            return
        try:
            self._http.feed_eof()
        except Exception as problem:  # noqa: BLE001  # whatever aiohttp's parser makes of a cut body
            self._end("connection-lost", f"the connection was closed in mid-response{reason or _told(problem)}")
            return
        if exc is None and self._payload.is_eof():
            self._end("complete")
        else:
            self._end("connection-lost", f"the connection was closed in mid-response{reason}")

    def pause_reading(self) -> None:
        """Never pause: a pause would move arrival times, and what is held is bounded by ``response_bytes``."""

    def resume_reading(self, resume_parser: bool = True) -> None:  # noqa: FBT001, FBT002  # aiohttp's signature
        """See :meth:`pause_reading`."""

    def _parse(self, data: bytes, now_ns: int) -> None:
        try:
            messages, upgraded, _ = self._http.feed_data(data)
        except Exception as problem:  # noqa: BLE001  # whatever aiohttp's parser makes of hostile bytes
            self._take_body(now_ns)
            self._end("protocol", f"not HTTP{_told(problem)}")
            return
        for message, payload in messages:
            if self._payload is None and not 100 <= message.code < 200:
                self._respond(message, payload, now_ns)
        if upgraded:
            self._end("protocol", "the server switched to another protocol")
            return
        self._take_body(now_ns)
        if self._payload is not None and self._payload.is_eof() and not self._over:
            self.reusable = self._keep_alive and not self._lost and len(messages) <= 1
            self._end("complete", at_ns=now_ns)

    def _respond(self, message: RawResponseMessage, payload: StreamReader, now_ns: int) -> None:
        self._payload = payload
        self._keep_alive = not message.should_close
        headers = tuple(
            (name.decode("utf-8", "replace"), value.decode("utf-8", "replace")) for name, value in message.raw_headers
        )
        user_space = self._user_space or self._head_user_space
        self.signals.append(Responded(self.first_byte_ns or now_ns, now_ns, message.code, headers, user_space))

    def _take_body(self, now_ns: int) -> None:
        payload = self._payload
        if payload is None or payload is EMPTY_PAYLOAD:
            return
        problem = payload.exception()
        if problem is not None:
            self._end("protocol", f"the body breaks its HTTP framing{_told(problem)}")
            return
        data = payload.read_nowait()
        if data:
            self.signals.append(Read(now_ns, data, self._user_space))

    def _end(self, cause: EndCause, message: str = "", at_ns: int | None = None) -> None:
        if not self._over:
            self._over = True
            self.signals.append(Ended(self._clock.mono_ns() if at_ns is None else at_ns, cause, message))
            self._notify()

    def _notify(self) -> None:
        if self._waiter is not None:
            _wake(self._waiter)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _told(problem: BaseException) -> str:
    text = " ".join(str(problem).split())[:_MESSAGE_CHARACTERS]
    return f" ({type(problem).__name__}: {text})" if text else f" ({type(problem).__name__})"
