"""Making a connection ready, phase by phase: look-up, connect, TLS. All of it lies before a request's start.

Each phase is timed and has a failure of its own; where a proxy stands between, look-up is its own, and what it
takes to be let through counts as connecting. Addresses are tried as RFC 8305 says, so a broken IPv6 path
costs a quarter of a second and not the whole attempt. What is said over the connection is not known here.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypeVar

import aiohappyeyeballs

from daemon.transport.contract import Route, Sent
from daemon.transport.http_request import Target
from daemon.transport.proxying import ask_proxy
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


class Connection(ABC):
    """A connection in the making, and then one that can be written to, with the facts of how it came about."""

    def __init__(self, target: Target, protocol: ResponseProtocol, route: Route) -> None:
        self.target = target
        self.route = route
        self.protocol = protocol
        self.facts = ConnectionFacts()

    @property
    def usable(self) -> bool:
        """Whether another request may be sent over it."""
        return self.protocol.reusable and self.open and self.unsent_bytes == 0

    @property
    @abstractmethod
    def open(self) -> bool:
        """Whether it is still there, as far as is known here."""

    @property
    @abstractmethod
    def unsent_bytes(self) -> int:
        """How much of what was written has not yet been handed to the socket."""

    @abstractmethod
    async def take(self, connected: socket.socket, *, secured: bool) -> None:
        """Own this socket; with ``secured``, :meth:`secure` comes next. Raises :class:`OSError`."""

    @abstractmethod
    async def secure(self, tls: ssl.SSLContext) -> str | None:
        """Do the TLS handshake and return its version.

        Raises :class:`OSError`, and :class:`ValueError` for a host name that no certificate could carry.
        """

    @abstractmethod
    def write(self, data: bytes) -> Sent:
        """Hand bytes to the socket at once, as many as it takes, the rest as it takes them.

        Returns the moment right before the system call that took the first of them.
        """

    @abstractmethod
    def abort(self) -> None:
        """Close without ado; harmless when it is closed."""


C = TypeVar("C", bound=Connection)


async def connect(connection: C, clock: Clock, tls: ssl.SSLContext, timeout_s: float) -> C:
    """Make a connection ready within ``timeout_s``, all phases together. Raises :class:`ConnectError`."""
    phases = _Phases(connection, clock)
    try:
        async with asyncio.timeout(timeout_s):
            await phases.run(tls if connection.target.scheme == "https" else None)
    except TimeoutError:
        connection.abort()
        target = connection.target
        message = f"no connection to {target.host}:{target.port} within {timeout_s:g} s, still at {phases.doing}"
        raise ConnectError("timeout-connect", message) from None
    except BaseException:
        connection.abort()
        raise
    return connection


class _Phases:
    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._target = connection.target
        self._clock = clock
        proxy = connection.route.proxy
        self._host, self._port = (proxy or self._target).host, (proxy or self._target).port
        self._where = f"{'the proxy ' if proxy else ''}{self._host}:{self._port}"
        self.doing: ConnectCause = "dns"

    async def run(self, tls: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        started_ns = self._clock.mono_ns()
        addresses = await self._look_up(loop)
        found_ns = self._clock.mono_ns()
        self.doing = "connect"
        peer, local_address = await self._open_socket(loop, addresses, secured=tls is not None)
        connected_ns = self._clock.mono_ns()
        version, secured_ns = None, connected_ns
        if tls is not None:
            self.doing = "tls"
            version = await self._secure(tls)
            secured_ns = self._clock.mono_ns()
        self._connection.facts = ConnectionFacts(
            reused=False,
            peer=peer,
            http_version="1.1",
            tls_version=version,
            dns_us=None if _is_address(self._host) else (found_ns - started_ns) // 1000,
            connect_us=(connected_ns - found_ns) // 1000,
            tls_us=None if tls is None else (secured_ns - connected_ns) // 1000,
            local_address=local_address,
            via_proxy=self._connection.route.proxy is not None,
        )

    async def _look_up(self, loop: asyncio.AbstractEventLoop) -> Sequence[aiohappyeyeballs.AddrInfoType]:
        try:
            return await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "not a host name"
            raise ConnectError("dns", f"cannot look up {self._host}: {reason}") from None

    async def _open_socket(
        self, loop: asyncio.AbstractEventLoop, addresses: Sequence[aiohappyeyeballs.AddrInfoType], *, secured: bool
    ) -> tuple[str, str]:
        """Return peer and port, and the address of this machine."""
        route = self._connection.route
        try:
            connected = await aiohappyeyeballs.start_connection(
                addresses,
                local_addr_infos=None if route.local_address is None else _local(route.local_address),
                happy_eyeballs_delay=_NEXT_ADDRESS_AFTER_S,
                interleave=1,
                loop=loop,
            )
            if route.proxy is not None and secured:
                await ask_proxy(loop, connected, route.proxy, self._target)
            await self._connection.take(connected, secured=secured)
            (host, port), local_address = connected.getpeername()[:2], connected.getsockname()[0]
        except OSError as problem:
            raise ConnectError("connect", f"cannot connect to {self._where}: {_reason(problem)}") from None
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}", local_address

    async def _secure(self, tls: ssl.SSLContext) -> str | None:
        try:
            return await self._connection.secure(tls)
        except (OSError, ValueError) as problem:
            raise ConnectError("tls", f"no TLS with {self._where}: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"the certificate was refused ({problem.verify_message})"
    if isinstance(problem, ssl.SSLError):
        return problem.reason or "the handshake failed"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem) or type(problem).__name__


def _local(address: str) -> Sequence[aiohappyeyeballs.AddrInfoType]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 0))]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
