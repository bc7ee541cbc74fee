"""By which way a request leaves, through every transport over sockets: local address, proxy, own connections."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from capturing_server import CapturingProxy, CapturingServer
from transports import socket_transports

from daemon.calibration.certificate import make_certificate
from daemon.transport.choosing import make_transport
from daemon.transport.contract import (
    Connected,
    Ended,
    Limits,
    PreparedRequest,
    Proxy,
    Rendezvous,
    Responded,
    Route,
    Sent,
    Signal,
    Transport,
)
from schemas.clocks import SystemClock

LIMITS = Limits(connect_s=30, first_byte_s=30, silence_s=30, total_s=60, response_bytes=2**20)
CREDENTIAL = "carol:hunter2secret"
AUTHORIZATION = b"Proxy-Authorization: Basic " + base64.b64encode(CREDENTIAL.encode()) + b"\r\n"

Make = Callable[..., Transport]


@pytest.fixture
async def server() -> AsyncIterator[CapturingServer]:
    """Provide a server that is stopped after the test."""
    server = CapturingServer()
    yield server
    await server.close()


@pytest.fixture(params=socket_transports())
async def made(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Provide a maker of transports of one kind, which are closed after the test."""
    transports: list[Transport] = []

    def make(*, keep_alive: bool = False, authority: Path | None = None) -> Transport:
        transports.append(make_transport(request.param, SystemClock(), keep_alive=keep_alive, authority=authority))
        return transports[-1]

    yield make
    for transport in transports:
        await transport.close()


def request(url: str, route: Route, rendezvous: Rendezvous | None = None) -> PreparedRequest:
    return PreparedRequest(
        method="POST",
        url=f"{url}/v1/x?y=z",
        headers=(("authorization", "Bearer secret-0001"),),
        body=b"{}",
        limits=LIMITS,
        rendezvous=rendezvous,
        route=route,
    )


async def signals_of(transport: Transport, prepared: PreparedRequest) -> list[Signal]:
    async with aclosing(transport.exchange(prepared)) as exchange:
        return [signal async for signal in exchange]


def tls_of(folder: Path) -> tuple[ssl.SSLContext, Path]:
    certificate, key = make_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


class TestLocalAddress:
    async def test_requests_leave_from_their_own_address(self, made: Make, server: CapturingServer) -> None:
        """A request connects from the local address of its route."""
        url, transport = await server.start(), made()
        for address in ("127.0.0.2", "127.0.0.3"):
            connected, *_ = await signals_of(transport, request(url, Route(local_address=address)))
            assert isinstance(connected, Connected)
            assert (connected.connection.local_address, connected.connection.via_proxy) == (address, False)
        assert [captured.peer for captured in server.captured] == ["127.0.0.2", "127.0.0.3"]

    async def test_an_address_of_another_machine_is_told(self, made: Make, server: CapturingServer) -> None:
        """A local address that this machine does not have ends the exchange while connecting, and says why."""
        (ended,) = await signals_of(made(), request(await server.start(), Route(local_address="192.0.2.7")))
        assert isinstance(ended, Ended)
        assert ended.cause == "connect"
        assert "192.0.2.7" in ended.message


class TestConnections:
    async def test_connections_are_kept_within_a_route(self, made: Make, server: CapturingServer) -> None:
        """Where connections are kept, they are used again by their own route and by no other, be it as alike."""
        url, transport = await server.start(), made(keep_alive=True)
        for name in ("known", "ordinary", "known", "ordinary"):
            signals = await signals_of(transport, request(url, Route(name=name)))
            (facts,) = [signal.connection for signal in signals if isinstance(signal, Connected)]
            assert (facts.local_address, facts.via_proxy) == ("127.0.0.1", False)
            assert [signal.status for signal in signals if isinstance(signal, Responded)] == [404]
        assert [captured.connection for captured in server.captured] == [1, 2, 1, 2]


class TestProxy:
    async def test_https_goes_through_a_tunnel(self, made: Make, server: CapturingServer, tmp_path: Path) -> None:
        """The proxy is asked to CONNECT, with its credential; what the server gets is what it gets without one."""
        context, authority = tls_of(tmp_path)
        url, transport = await server.start(context), made(authority=authority)
        proxy = CapturingProxy()
        try:
            way = Proxy(host="127.0.0.1", port=await proxy.start(), credential=CREDENTIAL)
            for route in (Route(), Route(proxy=way)):
                signals = await signals_of(transport, request(url, route))
                assert isinstance(signals[-1], Ended)
                assert signals[-1].cause == "complete"
                assert isinstance(signals[0], Connected)
                assert signals[0].connection.via_proxy == (route.proxy is not None)
                assert not [secret for secret in way.secrets if secret in repr(signals[0])]
        finally:
            await proxy.close()
        direct, tunnelled = (captured.data for captured in server.captured)
        assert direct == tunnelled
        where = url.removeprefix("https://").encode()
        assert proxy.asked == [b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (where, where, AUTHORIZATION)]

    async def test_http_is_handed_over_with_its_whole_address(self, made: Make, server: CapturingServer) -> None:
        """A proxy is given a plain request with its absolute URL and its credential; the rest stays as it is."""
        url, transport = await server.start(), made()
        proxy = CapturingProxy()
        try:
            await signals_of(transport, request(url, Route()))
            way = Proxy(host="127.0.0.1", port=await proxy.start(), credential=CREDENTIAL)
            await signals_of(transport, request(url, Route(proxy=way)))
        finally:
            await proxy.close()
        (asked,) = proxy.asked
        assert asked.startswith(f"POST {url}/v1/x?y=z HTTP/1.1\r\n".encode())
        assert AUTHORIZATION in asked
        direct = server.captured[0].data
        assert asked.replace(url.encode(), b"", 1).replace(AUTHORIZATION, b"") == direct

    async def test_a_refusal_is_told_without_the_credential(self, made: Make, server: CapturingServer) -> None:
        """A proxy that does not let through ends the exchange while connecting, with its status and no secret."""
        url = (await server.start()).replace("http://", "https://")
        proxy = CapturingProxy(refusal=b"407 Proxy Authentication Required")
        try:
            way = Proxy(host="127.0.0.1", port=await proxy.start(), credential=CREDENTIAL)
            (ended,) = await signals_of(made(), request(url, Route(proxy=way)))
        finally:
            await proxy.close()
        assert isinstance(ended, Ended)
        assert ended.cause == "connect"
        assert f"the proxy 127.0.0.1:{proxy.port}: it answered 407" in ended.message
        assert not [secret for secret in way.secrets if secret in ended.message]

    async def test_whoever_is_quick_waits_for_the_slow_way(
        self, made: Make, server: CapturingServer, tmp_path: Path
    ) -> None:
        """With a rendezvous nothing is sent before the last party's connection stands, TLS included."""
        context, authority = tls_of(tmp_path)
        url, transport, clock = await server.start(context), made(authority=authority), SystemClock()
        proxy = CapturingProxy()
        proxy.open.clear()
        try:
            slow = Route(name="slow", proxy=Proxy(host="127.0.0.1", port=await proxy.start()))
            going = [
                asyncio.ensure_future(
                    signals_of(
                        transport,
                        request(url, route, Rendezvous(id="one", parties=2, place=place, wait_s=10_000)),
                    )
                )
                for place, route in enumerate((Route(name="quick"), slow))
            ]
            await proxy.reached.wait()
            opened_ns = clock.mono_ns()
            proxy.open.set()
            sent = [
                next(signal.mono_ns for signal in await exchange if isinstance(signal, Sent)) for exchange in going
            ]
        finally:
            await proxy.close()
        assert opened_ns < sent[0] <= sent[1]
        assert len(server.captured) == 2
        assert min(captured.mono_ns for captured in server.captured) >= sent[0]

    async def test_connections_facts_name_the_proxy(self, made: Make, server: CapturingServer) -> None:
        """The peer of a connection through a proxy is the proxy, since nothing beyond it is seen."""
        url, proxy = await server.start(), CapturingProxy()
        try:
            route = Route(proxy=Proxy(host="127.0.0.1", port=await proxy.start()))
            first, *_ = await signals_of(made(), request(url, route))
        finally:
            await proxy.close()
        assert isinstance(first, Connected)
        assert first.connection.peer == f"127.0.0.1:{proxy.port}"
