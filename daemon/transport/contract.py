"""The seam between measuring and everything else: data in, data out.

A :class:`PreparedRequest` goes in; signals come out as they happen, each with the monotonic time at which it
was true, and exactly one :class:`Ended` comes last. Nothing on this seam knows of dialects, events or
storage, so a transport can live in a process of its own, and a simulated one can take its place.
Closing the iterator early (``aclose``) abandons the exchange and releases its connection.
The structs carry tags and become arrays when encoded, because they cross a pipe in large numbers.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator
from typing import Literal, Protocol

import msgspec

from schemas.events.attempts import ClockKind, ConnectionFacts


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one exchange. ``silence_s`` is the longest wait for further bytes once the response began."""

    connect_s: float
    first_byte_s: float
    silence_s: float
    total_s: float
    response_bytes: int


class Rendezvous(msgspec.Struct, frozen=True, kw_only=True):
    """An appointment of requests that are to go out together, each over a connection that is ready by then.

    id: the same for all of them, and never used again. parties: how many there are.
    place: of this one in the order of going out.
    wait_s: the longest time from when the first sets out until those who have come go without the others.
    """

    id: str
    parties: int
    place: int
    wait_s: float


def credential_secrets(credential: str) -> tuple[str, ...]:
    """Every text that would give ``user:password`` away; the last is what the Basic scheme sends."""
    return credential, credential.partition(":")[2], base64.b64encode(credential.encode()).decode("ascii")


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP proxy: asked to CONNECT for https, and for http given the request with its absolute URL.

    credential: ``user:password`` for its Basic scheme (RFC 7617), a secret that shows itself nowhere.
    """

    host: str
    port: int
    credential: str | None = None

    @property
    def authorization(self) -> str | None:
        """Value of ``Proxy-Authorization``."""
        return None if self.credential is None else f"Basic {credential_secrets(self.credential)[-1]}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that would give the credential away."""
        return () if self.credential is None else credential_secrets(self.credential)

    def __repr__(self) -> str:
        """Say where it is, never with what it is asked."""
        return f"Proxy({self.host}:{self.port})"


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """How a request leaves this machine. Connections are never shared between routes.

    name: keeps apart what nothing else tells apart, such as two accounts that leave by the same way.
    local_address: address to connect from; None leaves it to the system.
    """

    name: str = ""
    local_address: str | None = None
    proxy: Proxy | None = None


class PreparedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that goes on the wire. Headers may hold the credential, so it never shows itself.

    rendezvous: with whom it goes out; None depends on nobody.
    """

    method: Literal["GET", "POST"]
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    limits: Limits
    rendezvous: Rendezvous | None = None
    route: Route = Route()

    def __repr__(self) -> str:
        """Name the target and the header names only: a log line must not learn a secret."""
        names = ", ".join(name for name, _ in self.headers)
        return f"PreparedRequest({self.method} {self.url}, headers: {names}, {len(self.body)} bytes)"


class Connected(msgspec.Struct, frozen=True, array_like=True, tag="connected"):
    """A connection is ready to be written to; all of its phases lie before the request's start."""

    connection: ConnectionFacts


class Sent(msgspec.Struct, frozen=True, array_like=True, tag="sent"):
    """The first byte of the request is being handed to the socket; zero of every elapsed time."""

    wall_ns: int
    mono_ns: int


class Written(msgspec.Struct, frozen=True, array_like=True, tag="written"):
    """The last byte of the request was handed to the socket."""

    mono_ns: int


class Responded(msgspec.Struct, frozen=True, array_like=True, tag="responded"):
    """Status and headers are complete. ``user_space``: as in :class:`Read`, of either of its times."""

    first_byte_mono_ns: int
    mono_ns: int
    status: int
    headers: tuple[tuple[str, str], ...]
    user_space: bool = False


class Read(msgspec.Struct, frozen=True, array_like=True, tag="read"):
    """Bytes of the response body that arrived together, and when they did.

    user_space: the transport's times come from the kernel, but this one could not, so it is when the bytes
        were read. Never set by a transport whose clock is in user space throughout.
    """

    mono_ns: int
    data: bytes
    user_space: bool = False


class HeldUp(msgspec.Struct, frozen=True, array_like=True, tag="held-up"):
    """What held up the measuring event loop since the request was sent; the newest replaces those before.

    Told when it has grown, before the signals it may have touched, by transports that watch their loop.
    lag_max_us: None while nothing was sampled. gc_longest_us: None while nothing was collected.
    """

    lag_max_us: int | None
    gc_pauses: int
    gc_longest_us: int | None


EndCause = Literal[
    "complete",
    "dns",
    "connect",
    "tls",
    "connection-lost",
    "timeout-connect",
    "timeout-first-byte",
    "timeout-total",
    "stalled",
    "over-limit",
    "protocol",
    "crash",
]
"""Why an exchange is over. ``crash``: the instrument itself broke, which says nothing about the service."""


class Ended(msgspec.Struct, frozen=True, array_like=True, tag="ended"):
    """The exchange is over. ``complete``: the response's body ended as HTTP says it should."""

    mono_ns: int
    cause: EndCause
    message: str = ""


Signal = Connected | Sent | Written | Responded | Read | HeldUp | Ended


class Transport(Protocol):
    """Carries out exchanges; never retries, never follows redirects, never decompresses in secret.

    A request with a rendezvous is written together with its other parties, whose exchanges are under way at the
    same time in the same transport: one that cannot do so raises :class:`ValueError`.
    """

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def clock_kind(self) -> ClockKind:
        """Which kind of time its signals carry."""

    def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """Send one request and yield its signals in order; the last one is :class:`Ended`."""

    async def close(self) -> None:
        """Release connections."""
