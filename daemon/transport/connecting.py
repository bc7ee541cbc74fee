"""Making a connection ready, phase by phase: look-up, connect, TLS. All of it lies before a request's start.

Each phase is timed and has a failure of its own. Addresses are tried as RFC 8305 says, so a broken IPv6 path
costs a quarter of a second and not the whole attempt. What is said over the connection is not known here.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Sequence
from typing import Literal

import aiohappyeyeballs

from daemon.transport.http_request import Target
from daemon.transport.response import ResponseProtocol
from schemas.clocks import Clock
from schemas.errors import MesswerkError
from schemas.events.attempts import ConnectionFacts

_NEXT_ADDRESS_AFTER_S = 0.25

ConnectCause = Literal["dns", "connect", "tls", "timeout-connect"]


class ConnectError(MesswerkError):
    """No connection; ``cause`` says in which phase. Never leaves the transport: it becomes an ``Ended``."""

    def __init__(self, cause: ConnectCause, message: str) -> None:
        super().__init__(message)
        self.cause: ConnectCause = cause


class Connection:
    """A connection that can be written to, and the facts of how it came about."""

    def __init__(
        self,
        target: Target,
        socket_transport: asyncio.Transport,
        transport: asyncio.Transport,
        protocol: ResponseProtocol,
        facts: ConnectionFacts,
    ) -> None:
        self.target = target
        self.protocol = protocol
        self.facts = facts
        self._socket_transport = socket_transport
        self._transport = transport

    @property
    def usable(self) -> bool:
        """Whether another request may be sent over it."""
        return self.protocol.reusable and not self._transport.is_closing() and self.unsent_bytes == 0

    @property
    def unsent_bytes(self) -> int:
        """How much of what was written has not yet been handed to the socket."""
        return self._socket_transport.get_write_buffer_size() + self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        """Hand bytes to the socket at once, as many as it takes, the rest as it takes them."""
        self._transport.write(data)

    def abort(self) -> None:
        """Close without ado."""
        self._transport.abort()
        self._socket_transport.abort()


async def connect(target: Target, clock: Clock, tls: ssl.SSLContext | None, timeout_s: float) -> Connection:
    """Open a connection within ``timeout_s``, all phases together. Raises :class:`ConnectError`."""
    phases = _Phases(target, clock)
    try:
        async with asyncio.timeout(timeout_s):
            return await phases.run(tls if target.scheme == "https" else None)
    except TimeoutError:
        message = f"no connection to {target.host}:{target.port} within {timeout_s:g} s, still at {phases.doing}"
        raise ConnectError("timeout-connect", message) from None


class _Phases:
    def __init__(self, target: Target, clock: Clock) -> None:
        self._target = target
        self._clock = clock
        self._where = f"{target.host}:{target.port}"
        self.doing: ConnectCause = "dns"

    async def run(self, tls: ssl.SSLContext | None) -> Connection:
        loop = asyncio.get_running_loop()
        protocol = ResponseProtocol(loop, self._clock)
        started_ns = self._clock.mono_ns()
        addresses = await self._look_up(loop)
        found_ns = self._clock.mono_ns()
        self.doing = "connect"
        plain = await self._open_socket(loop, addresses, protocol if tls is None else asyncio.Protocol())
        connected_ns = self._clock.mono_ns()
        transport, secured_ns = plain, connected_ns
        if tls is not None:
            self.doing = "tls"
            transport = await self._secure(loop, plain, protocol, tls)
            secured_ns = self._clock.mono_ns()
        tls_object = transport.get_extra_info("ssl_object")
        facts = ConnectionFacts(
            reused=False,
            peer=_peer(plain),
            http_version="1.1",
            tls_version=tls_object.version() if tls_object is not None else None,
            dns_us=None if _is_address(self._target.host) else (found_ns - started_ns) // 1000,
            connect_us=(connected_ns - found_ns) // 1000,
            tls_us=None if tls is None else (secured_ns - connected_ns) // 1000,
        )
        return Connection(self._target, plain, transport, protocol, facts)

    async def _look_up(self, loop: asyncio.AbstractEventLoop) -> Sequence[aiohappyeyeballs.AddrInfoType]:
        try:
            return await loop.getaddrinfo(self._target.host, self._target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "not a host name"
            raise ConnectError("dns", f"cannot look up {self._target.host}: {reason}") from None

    async def _open_socket(
        self,
        loop: asyncio.AbstractEventLoop,
        addresses: Sequence[aiohappyeyeballs.AddrInfoType],
        protocol: asyncio.BaseProtocol,
    ) -> asyncio.Transport:
        try:
            connected = await aiohappyeyeballs.start_connection(
                addresses, happy_eyeballs_delay=_NEXT_ADDRESS_AFTER_S, interleave=1, loop=loop
            )
            transport, _ = await loop.create_connection(lambda: protocol, sock=connected)
        except OSError as problem:
            raise ConnectError("connect", f"cannot connect to {self._where}: {_reason(problem)}") from None
        return transport

    async def _secure(
        self,
        loop: asyncio.AbstractEventLoop,
        plain: asyncio.Transport,
        protocol: ResponseProtocol,
        tls: ssl.SSLContext,
    ) -> asyncio.Transport:
        # TLS is started on a transport of our own, because only that one tells when bytes reached the socket.
        try:
            transport = await loop.start_tls(plain, protocol, tls, server_hostname=self._target.host)
        except (OSError, ValueError) as problem:  # ValueError: a host name that no certificate could carry
            raise ConnectError("tls", f"no TLS with {self._where}: {_reason(problem)}") from None
        if transport is None:
            raise ConnectError("tls", f"no TLS with {self._where}: the connection was closed")
        protocol.connection_made(transport)
        return transport


def _reason(problem: Exception) -> str:
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"the certificate was refused ({problem.verify_message})"
    if isinstance(problem, ssl.SSLError):
        return problem.reason or "the handshake failed"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem) or type(problem).__name__


def _peer(transport: asyncio.Transport) -> str | None:
    peer = transport.get_extra_info("peername")
    if not isinstance(peer, tuple):
        return None
    host, port = peer[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
