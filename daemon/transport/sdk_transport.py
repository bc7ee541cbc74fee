"""Exchanges through the official ``openai`` library, to see what a program that uses it sees.

A cross-check for calibration, and no way to measure: the library hands out parsed chunks, so a time is when it did
that, after its own decoding, and not when bytes arrived. Its chunks are written down as events again, for the same
reading as everything else. It hides whether ``[DONE]`` came; an orderly end counts as one. Speaks chat completions
alone, and keeps no rendezvous: when bytes go out is the library's business. Retries are off, and a connection is
open and used before the request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from daemon.transport.contract import (
    Connected,
    EndCause,
    Ended,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
)
from daemon.transport.exchanging import trusting_tls
from schemas.clocks import Clock
from schemas.errors import ConfigurationError
from schemas.events.attempts import ClockKind, ConnectionFacts

_PATH: Final = "/chat/completions"
_NAMED: Final = ("model", "messages", "stream")
_NO_KEY: Final = "none"


class SdkTransport:
    """A :class:`daemon.transport.contract.Transport`.

    authority: PEM file that replaces the system's trust.
    Raises :class:`ConfigurationError` when the library is not installed.
    """

    def __init__(self, clock: Clock, *, authority: Path | None = None) -> None:
        self._library = _library()
        self._clock = clock
        self._tls = trusting_tls(None if authority is None else str(authority))
        self._idle: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
        self._clients: list[Any] = []

    @property
    def name(self) -> str:
        """See the contract."""
        return "sdk"

    @property
    def clock_kind(self) -> ClockKind:
        """See the contract."""
        return "user-space"

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract; ``Written`` is not known, and the limit on silence holds for the first byte as well.

        Raises :class:`ValueError` for a request with a rendezvous, a local address or a proxy.
        """
        if (
            request.rendezvous is not None
            or request.route.local_address is not None
            or request.route.proxy is not None
        ):
            raise ValueError("the transport sdk cannot keep a rendezvous, nor take a local address or a proxy")
        base_url, key = _address(request)
        idle = self._idle[base_url, key]
        client = idle.pop() if idle else self._new_client(base_url, key)
        try:
            await self._warm(client, request.limits)
        except self._library.APIConnectionError as problem:
            yield self._ended(_unconnected(self._library, problem), str(problem))
            return
        yield Connected(ConnectionFacts(reused=True))
        try:
            async for signal in self._exchange(client, request):
                yield signal
        finally:
            idle.append(client)

    async def close(self) -> None:
        """See the contract."""
        for client in self._clients:
            await client.close()
        self._clients.clear()
        self._idle.clear()

    async def _exchange(self, client: Any, request: PreparedRequest) -> AsyncGenerator[Signal, None]:  # noqa: ANN401  # the library is optional, and so are its types
        library, clock, limits = self._library, self._clock, request.limits
        body = msgspec.json.decode(request.body)
        named = {name: body.pop(name) for name in _NAMED if name in body}
        create = client.chat.completions.with_raw_response.create
        sent = Sent(clock.wall_ns(), clock.mono_ns())
        yield sent
        try:
            response = await create(**named, extra_body=body, timeout=_timeout(library, limits))
        except library.APIStatusError as refused:
            yield self._responded(refused.status_code, refused.response.headers)
            yield Read(clock.mono_ns(), refused.response.content)
            yield self._ended("complete")
            return
        except library.APIConnectionError as problem:
            late = isinstance(problem, library.APITimeoutError)
            yield self._ended("timeout-first-byte" if late else "connection-lost", str(problem))
            return
        yield self._responded(response.status_code, response.headers)
        stream = response.parse()
        try:
            async for signal in self._chunks(stream, limits, sent.mono_ns):
                yield signal
        finally:
            await stream.close()

    async def _chunks(self, stream: Any, limits: Limits, sent_ns: int) -> AsyncGenerator[Signal, None]:  # noqa: ANN401  # the same
        library, clock = self._library, self._clock
        until_ns, received = sent_ns + round(limits.total_s * 1e9), 0
        try:
            async for chunk in stream:
                now_ns = clock.mono_ns()
                data = _event(chunk.to_json(indent=None).encode())
                received += len(data)
                if now_ns > until_ns:
                    yield self._ended("timeout-total", f"not complete after {limits.total_s:g} s")
                    return
                if received > limits.response_bytes:
                    yield self._ended("over-limit", "the response is longer than its limit")
                    return
                yield Read(now_ns, data)
        except library.APITimeoutError as problem:
            yield self._ended("stalled", str(problem))
        except library.APIConnectionError as problem:
            yield self._ended("connection-lost", str(problem))
        except library.APIError as problem:
            yield Read(clock.mono_ns(), _event(msgspec.json.encode({"error": problem.body or str(problem)})))
            yield self._ended("complete")
        else:
            yield Read(clock.mono_ns(), _event(b"[DONE]"))
            yield self._ended("complete")

    def _new_client(self, base_url: str, key: str) -> Any:  # noqa: ANN401  # the same
        http = self._library.DefaultAsyncHttpxClient(verify=self._tls)
        client = self._library.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=http)
        self._clients.append(client)
        return client

    async def _warm(self, client: Any, limits: Limits) -> None:  # noqa: ANN401  # the same
        """Open a connection and go through the library once, so that the measured request does neither."""
        try:
            await client.models.list(timeout=_timeout(self._library, limits))
        except self._library.APIStatusError:
            return  # an answer all the same: what it says is of no interest, the connection is open

    def _responded(self, status: int, headers: Any) -> Responded:  # noqa: ANN401  # the same
        now_ns = self._clock.mono_ns()
        return Responded(now_ns, now_ns, status, tuple((name, value) for name, value in headers.items()))

    def _ended(self, cause: EndCause, message: str = "") -> Ended:
        return Ended(self._clock.mono_ns(), cause, message)


def _library() -> ModuleType:
    try:
        import openai  # noqa: PLC0415  # an extra: everything else works without it
    except ModuleNotFoundError as problem:
        raise ConfigurationError(
            "the transport sdk needs the official openai library; install it with: pip install 'messwerk[sdk]'"
        ) from problem
    return openai


def _address(request: PreparedRequest) -> tuple[str, str]:
    """Take base URL and key apart as the library wants them."""
    if not request.url.endswith(_PATH):
        raise ConfigurationError(f"the transport sdk speaks chat completions alone, not {request.url}")
    named = {name.lower(): value for name, value in request.headers}
    return request.url.removesuffix(_PATH), named.get("authorization", _NO_KEY).removeprefix("Bearer ")


def _timeout(library: ModuleType, limits: Limits) -> object:
    return library.Timeout(limits.silence_s, connect=limits.connect_s)


def _unconnected(library: ModuleType, problem: Exception) -> EndCause:
    return "timeout-connect" if isinstance(problem, library.APITimeoutError) else "connect"


def _event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"
