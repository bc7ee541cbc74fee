"""Asking an HTTP proxy for a way through to a target, over a socket that is connected to the proxy."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import Final

from daemon.transport.contract import Proxy
from daemon.transport.http_request import Target

_LONGEST_ANSWER_BYTES: Final = 16 * 1024
_END: Final = b"\r\n\r\n"
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})(?:[ \r])")


class ProxyRefusalError(OSError):
    """The proxy did not let us through. Never leaves the transport; the message holds no credential."""


async def ask_proxy(loop: asyncio.AbstractEventLoop, connected: socket.socket, proxy: Proxy, target: Target) -> None:
    """Have the proxy connect to the target (RFC 9110, 9.3.6); afterwards the socket leads there.

    Closes the socket and raises :class:`OSError` when it does not.
    """
    try:
        await loop.sock_sendall(connected, connect_bytes(proxy, target))
        _check(await _answer(loop, connected))
    except BaseException:
        connected.close()
        raise


async def _answer(loop: asyncio.AbstractEventLoop, connected: socket.socket) -> bytes:
    answer = b""
    # A byte more than the head would be the target's already, and it has nothing to say before TLS begins.
    while not answer.endswith(_END):
        data = await loop.sock_recv(connected, _LONGEST_ANSWER_BYTES)
        if not data:
            raise ProxyRefusalError("it closed the connection when asked for a way through")
        answer += data
        if len(answer) > _LONGEST_ANSWER_BYTES:
            raise ProxyRefusalError("its answer is too long")
    return answer


def _check(answer: bytes) -> None:
    status = _STATUS.match(answer)
    if status is None:
        raise ProxyRefusalError("it does not speak HTTP")
    if not status[1].startswith(b"2"):
        raise ProxyRefusalError(f"it answered {status[1].decode()} when asked for a way through")


def connect_bytes(proxy: Proxy, target: Target) -> bytes:
    """Return the request for a way through."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    lines = [f"CONNECT {host}:{target.port} HTTP/1.1", f"Host: {host}:{target.port}"]
    if proxy.authorization is not None:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
