"""Every transport over real sockets, against a server on loopback that does whatever a test tells it to."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from transports import socket_transports

from daemon.calibration.certificate import make_certificate
from daemon.transport.choosing import make_transport
from daemon.transport.contract import (
    Connected,
    Ended,
    HeldUp,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
    Transport,
    Written,
)
from schemas.clocks import SystemClock

LIMITS = Limits(connect_s=10, first_byte_s=10, silence_s=10, total_s=20, response_bytes=2**20)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

Make = Callable[..., Transport]
Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[None]]


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Loopback:
    """A server whose script gets each request's bytes; it remembers all of them and every lost connection."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.asked = asyncio.Event()
        self.lost = asyncio.Event()
        self.url = ""
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, script: Script, tls: ssl.SSLContext | None = None) -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            self.connections += 1
            try:
                while request := await self._request(reader):
                    self.requests.append(request)
                    self.asked.set()
                    await script(reader, writer, request)
                    await writer.drain()
                self.lost.set()
            except (ConnectionError, asyncio.IncompleteReadError):
                self.lost.set()
            finally:
                self._tasks.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
        self._servers.append(server)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self.url

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _request(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return b""
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        return head + (await reader.readexactly(length) if length <= 2**16 else b"")


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    """Provide a server that is stopped after the test."""
    server = Loopback()
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


@pytest.fixture
def transport(made: Make) -> Transport:
    """Provide the transport as the daemon uses it."""
    return made()


def request(
    url: str, *, body: bytes = b"{}", headers: tuple[tuple[str, str], ...] = (), **limits: Any
) -> PreparedRequest:
    return PreparedRequest(
        method="POST",
        url=url + "/v1/chat/completions",
        headers=(("Authorization", "Bearer secret-0001"), *headers),
        body=body,
        limits=msgspec.structs.replace(LIMITS, **limits),
    )


def always(*writes: bytes, pause_s: float = 0.0) -> Script:
    """Answer every request with these writes, each handed to the socket on its own."""

    async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
        for index, data in enumerate(writes):
            if index:
                await asyncio.sleep(pause_s)
            writer.write(data)
            await writer.drain()

    return script


def then_close(*writes: bytes) -> Script:
    async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
        writer.write(b"".join(writes))
        await writer.drain()
        writer.close()

    return script


async def hang(*_: object) -> None:
    await asyncio.sleep(3600)


async def take(transport: Transport, prepared: PreparedRequest) -> list[Signal]:
    """Everything but the loop's own strain, which comes whenever it has grown."""
    async with aclosing(transport.exchange(prepared)) as exchange:
        return [signal async for signal in exchange if not isinstance(signal, HeldUp)]


def reads(signals: list[Signal]) -> list[Read]:
    return [signal for signal in signals if isinstance(signal, Read)]


def body_of(signals: list[Signal]) -> bytes:
    return b"".join(read.data for read in reads(signals))


def end(signals: list[Signal]) -> Ended:
    assert isinstance(signals[-1], Ended)
    assert not any(isinstance(signal, Ended) for signal in signals[:-1])
    return signals[-1]


def responded(signals: list[Signal]) -> Responded:
    return next(signal for signal in signals if isinstance(signal, Responded))


class TestArrivals:
    async def test_events_of_one_write_share_one_read(self, loopback: Loopback, transport: Transport) -> None:
        """Three HTTP chunks that arrive together are one read with one time."""
        url = await loopback.start(always(HEAD, chunk(b"a") + chunk(b"b") + chunk(b"c") + b"0\r\n\r\n", pause_s=0.02))
        signals = await take(transport, request(url))
        assert [read.data for read in reads(signals)] == [b"abc"]
        assert end(signals).cause == "complete"

    async def test_each_write_has_the_time_of_its_own_arrival(self, loopback: Loopback, transport: Transport) -> None:
        """Pieces sent one after another are reads of their own, each later than the last, however HTTP cut them."""
        whole = chunk(b"first second") + chunk(b" third") + b"0\r\n\r\n"
        pieces = (whole[:8], whole[8:21], whole[21:])
        url = await loopback.start(always(HEAD, *pieces, pause_s=0.02))
        signals = await take(transport, request(url))
        assert body_of(signals) == b"first second third"
        times = [read.mono_ns for read in reads(signals)]
        assert len(times) >= 2
        assert all(later > earlier for earlier, later in pairwise(times))

    async def test_busy_consumer_does_not_move_arrivals(self, loopback: Loopback, transport: Transport) -> None:
        """A consumer that sleeps between signals sees reads whose times lie before it woke up."""
        url = await loopback.start(always(HEAD, chunk(b"a"), chunk(b"b"), b"0\r\n\r\n", pause_s=0.01))
        arrived: list[int] = []
        woke_ns = 0
        async with aclosing(transport.exchange(request(url))) as exchange:
            async for signal in exchange:
                if isinstance(signal, Responded):
                    await asyncio.sleep(0.2)
                    woke_ns = SystemClock().mono_ns()
                elif isinstance(signal, Read):
                    arrived.append(signal.mono_ns)
        assert len(arrived) == 2
        assert max(arrived) < woke_ns

    async def test_headers_and_body_in_one_segment(self, loopback: Loopback, transport: Transport) -> None:
        """Headers and body that arrive together have the same time, and it is the first byte's."""
        url = await loopback.start(always(HEAD + chunk(b"all") + b"0\r\n\r\n"))
        signals = await take(transport, request(url))
        head = responded(signals)
        assert {head.first_byte_mono_ns, head.mono_ns, reads(signals)[0].mono_ns, end(signals).mono_ns} == {
            head.mono_ns
        }

    async def test_first_byte_comes_before_slow_headers(self, loopback: Loopback, transport: Transport) -> None:
        """When headers trickle in, the first byte is earlier than the headers' end."""
        url = await loopback.start(always(HEAD[:9], HEAD[9:] + b"0\r\n\r\n", pause_s=0.02))
        head = responded(await take(transport, request(url)))
        assert head.first_byte_mono_ns < head.mono_ns

    async def test_interim_responses_are_passed_over(self, loopback: Loopback, transport: Transport) -> None:
        """A 100 and a 103 before the response are not the response."""
        interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        url = await loopback.start(always(interim + HEAD + chunk(b"x") + b"0\r\n\r\n"))
        signals = await take(transport, request(url))
        assert [s.status for s in signals if isinstance(s, Responded)] == [200]
        assert (body_of(signals), end(signals).cause) == (b"x", "complete")

    async def test_compressed_bytes_stay_compressed(self, loopback: Loopback, transport: Transport) -> None:
        """Identity is asked for; a server that compresses anyway is handed on byte for byte."""
        packed = gzip.compress(b"data: {}\n\n" * 50)
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
        url = await loopback.start(always(head + packed))
        assert body_of(await take(transport, request(url))) == packed
        assert b"accept-encoding: identity\r\n" in loopback.requests[0]


class TestRequests:
    async def test_equal_requests_are_equal_bytes(self, loopback: Loopback, transport: Transport) -> None:
        """Two equal requests differ in nothing on the wire, and headers keep their order."""
        url = await loopback.start(always(b"HTTP/1.1 204 No Content\r\nSet-Cookie: seen=1\r\n\r\n"))
        prepared = request(url, headers=(("X-B", "1"), ("X-A", "2")))
        await take(transport, prepared)
        await take(transport, prepared)
        first, second = loopback.requests
        assert first == second
        assert first.index(b"X-B") < first.index(b"X-A")
        assert b"seen=1" not in second

    async def test_redirects_are_answers(self, loopback: Loopback, transport: Transport) -> None:
        """A redirect is handed on as a response and not followed."""
        url = await loopback.start(always(b"HTTP/1.1 307 Elsewhere\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"))
        signals = await take(transport, request(url))
        assert (responded(signals).status, end(signals).cause, len(loopback.requests)) == (307, "complete", 1)

    async def test_rate_limit_is_not_retried(self, loopback: Loopback, transport: Transport) -> None:
        """A 429 is handed on with its headers after exactly one request."""
        url = await loopback.start(
            always(b"HTTP/1.1 429 Slow Down\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nwait")
        )
        signals = await take(transport, request(url))
        assert ("Retry-After", "1") in responded(signals).headers
        assert (responded(signals).status, body_of(signals), len(loopback.requests)) == (429, b"wait", 1)

    async def test_last_byte_of_a_long_request_is_noted_when_taken(
        self, loopback: Loopback, transport: Transport
    ) -> None:
        """While the server reads slowly, the request counts as sent but not yet as written."""

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
            await asyncio.sleep(0.05)
            await reader.readexactly(16 * 2**20)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        url = await loopback.start(script)
        signals = await take(transport, request(url, body=b" " * 16 * 2**20))
        kinds = [type(signal) for signal in signals]
        assert kinds == [Connected, Sent, Written, Responded, Ended]
        sent, written = signals[1], signals[2]
        assert isinstance(sent, Sent)
        assert isinstance(written, Written)
        assert written.mono_ns > sent.mono_ns

    async def test_answer_before_the_request_was_read(self, loopback: Loopback, transport: Transport) -> None:
        """A refusal that comes while a long request is still being sent is taken, and nothing was "written"."""

        async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
            await asyncio.sleep(0.5)

        url = await loopback.start(script)
        signals = await take(transport, request(url, body=b" " * 64 * 2**20))
        assert (responded(signals).status, body_of(signals)) == (413, b"big")
        assert Written not in {type(signal) for signal in signals}

    @pytest.mark.parametrize(
        ("url", "headers"),
        [
            ("ftp://host/x", ()),
            ("http:///x", ()),
            ("http://user:secret-0001@host/x", ()),
            ("http://host/x", (("x-key", "secret-0001\r\nX-More: 1"),)),
            ("http://host/x", (("bad name", "secret-0001"),)),
            ("http://host/x", (("Content-Length", "0"),)),
        ],
    )
    async def test_impossible_requests_are_refused_without_their_secrets(
        self, transport: Transport, url: str, headers: tuple[tuple[str, str], ...]
    ) -> None:
        """A request that HTTP cannot carry is a programming error, told without any header's value."""
        prepared = PreparedRequest(method="POST", url=url, headers=headers, body=b"", limits=LIMITS)
        with pytest.raises(ValueError, match=r"header|absolute") as caught:
            await take(transport, prepared)
        assert "secret-0001" not in str(caught.value)


class TestEnds:
    async def test_body_without_a_length_ends_with_the_connection(
        self, loopback: Loopback, transport: Transport
    ) -> None:
        """A response that is delimited by the connection's end is complete then."""
        url = await loopback.start(then_close(b"HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n"))
        signals = await take(transport, request(url))
        assert (body_of(signals), end(signals).cause) == (b"data: 1\n\n", "complete")

    @pytest.mark.parametrize(
        ("sent", "kept"),
        [
            (HEAD + chunk(b"half"), b"half"),
            (HEAD + b"ff\r\nhalf", b"half"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", b"half"),
            (b"HTTP/1.1 200 O", b""),
            (b"", b""),
        ],
    )
    async def test_cut_responses_are_lost_connections(
        self, loopback: Loopback, transport: Transport, sent: bytes, kept: bytes
    ) -> None:
        """A connection closed before HTTP's end is lost, wherever it is cut, and what came is kept."""
        url = await loopback.start(then_close(sent))
        signals = await take(transport, request(url))
        assert (body_of(signals), end(signals).cause) == (kept, "connection-lost")

    async def test_reset_is_a_lost_connection(self, loopback: Loopback, transport: Transport) -> None:
        """A connection that is reset in mid-response is lost."""

        async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: bytes) -> None:
            writer.write(HEAD + chunk(b"half"))
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.transport.abort()

        url = await loopback.start(script)
        signals = await take(transport, request(url))
        assert (body_of(signals), end(signals).cause) == (b"half", "connection-lost")

    @pytest.mark.parametrize(
        ("sent", "cause"),
        [
            (b"SSH-2.0-OpenSSH_9.9\r\n", "protocol"),
            (b"\x15\x03\x03\x00\x02\x02\x46", "protocol"),
            (b"HTTP/1.1 200 OK\r\nBad Header\x00: 1\r\n\r\n", "protocol"),
            (HEAD + b"zz\r\nnot a length\r\n", "protocol"),
            (
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\x81",
                "protocol",
            ),
            (b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000, "protocol"),
            (b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 5_000, "protocol"),
            (HEAD + chunk(b"data: x\n" * 200_000), "over-limit"),
            (HEAD + chunk(b"x") * 300_000, "over-limit"),
        ],
    )
    async def test_hostile_responses_have_a_named_end(
        self, loopback: Loopback, transport: Transport, sent: bytes, cause: str
    ) -> None:
        """Garbage, endless headers, broken framing and endless bodies each end the exchange under their name."""
        url = await loopback.start(always(sent))
        signals = await take(transport, request(url))
        assert end(signals).cause == cause
        assert len(body_of(signals)) <= LIMITS.response_bytes

    async def test_silence_ends_a_response(self, loopback: Loopback, transport: Transport) -> None:
        """A response that began and then says nothing is stalled, with what had come."""
        url = await loopback.start(always(HEAD + chunk(b"one")))
        signals = await take(transport, request(url, silence_s=0.05))
        assert (body_of(signals), end(signals).cause) == (b"one", "stalled")

    async def test_silence_within_headers_is_a_stall(self, loopback: Loopback, transport: Transport) -> None:
        """A response whose headers never end is stalled, and no response is claimed."""
        url = await loopback.start(always(HEAD[:20]))
        signals = await take(transport, request(url, silence_s=0.05))
        assert end(signals).cause == "stalled"
        assert Responded not in {type(signal) for signal in signals}

    async def test_trickling_body_ends_by_the_total_limit(self, loopback: Loopback, transport: Transport) -> None:
        """A server that never falls silent is ended by the total limit."""
        url = await loopback.start(always(HEAD, *[chunk(b": ping\n\n")] * 500, pause_s=0.005))
        signals = await take(transport, request(url, total_s=0.1))
        assert end(signals).cause == "timeout-total"

    async def test_refused_connection(self, loopback: Loopback, transport: Transport) -> None:
        """A port where nobody listens is a failed connect, before anything was sent."""
        url = await loopback.start(hang)
        await loopback.close()
        signals = await take(transport, request(url))
        assert [type(signal) for signal in signals] == [Ended]
        assert end(signals).cause == "connect"
        assert "secret" not in end(signals).message

    async def test_impossible_host(self, transport: Transport) -> None:
        """A name that cannot be one is a failed look-up that names the host, and nobody is asked."""
        signals = await take(transport, request("http://nobody..invalid"))
        assert end(signals).cause == "dns"
        assert "nobody..invalid" in end(signals).message

    async def test_unknown_host(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that nobody knows is a failed look-up that says why."""

        async def fail(*_: object, **__: object) -> None:
            raise OSError(-2, "Name or service not known")

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fail)
        transport = make_transport("user-space", SystemClock())
        signals = await take(transport, request("http://nobody.invalid"))
        assert end(signals).cause == "dns"
        assert end(signals).message.startswith("cannot look up nobody.invalid: Name or service")

    async def test_slow_connecting_has_a_limit_of_its_own(self, loopback: Loopback, transport: Transport) -> None:
        """A server that accepts and never answers the TLS handshake ends by the connect limit, naming the phase."""
        url = await loopback.start(hang)
        signals = await take(transport, request(url.replace("http:", "https:"), connect_s=0.1))
        assert end(signals).cause == "timeout-connect"
        assert "tls" in end(signals).message


class TestConnections:
    async def test_server_that_keeps_the_connection_open_is_left_at_once(
        self, loopback: Loopback, transport: Transport
    ) -> None:
        """Leaving after the last event closes the connection although the server holds it open."""
        url = await loopback.start(always(HEAD + chunk(b"data: [DONE]\n\n")))
        async with aclosing(transport.exchange(request(url))) as exchange:
            async for signal in exchange:
                if isinstance(signal, Read):
                    break
        await asyncio.wait_for(loopback.lost.wait(), 5)

    async def test_each_exchange_has_a_fresh_connection(self, loopback: Loopback, transport: Transport) -> None:
        """By default nothing is reused, so no exchange depends on an earlier one."""
        url = await loopback.start(always(HEAD + b"0\r\n\r\n"))
        facts = [(await take(transport, request(url)))[0] for _ in range(2)]
        assert [fact.connection.reused for fact in facts if isinstance(fact, Connected)] == [False, False]
        assert loopback.connections == 2

    async def test_kept_connections_are_reused_and_said_to_be(self, loopback: Loopback, made: Make) -> None:
        """With keep-alive the second exchange reuses the connection, and no phase of it took place."""
        transport = made(keep_alive=True)
        url = await loopback.start(always(HEAD + chunk(b"x") + b"0\r\n\r\n"))
        await take(transport, request(url))
        first, *rest = await take(transport, request(url))
        assert isinstance(first, Connected)
        assert (first.connection.reused, first.connection.connect_us, loopback.connections) == (True, None, 1)
        assert (body_of(rest), end(rest).cause) == (b"x", "complete")
        await transport.close()

    @pytest.mark.parametrize(
        "script",
        [
            always(HEAD + b"0\r\n\r\n" + b"HTTP/1.1 200 OK\r\n\r\nforged"),
            always(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
            then_close(HEAD + b"0\r\n\r\n"),
        ],
    )
    async def test_doubtful_connections_are_not_reused(self, loopback: Loopback, made: Make, script: Script) -> None:
        """A connection that was closed, is to be closed, or brought bytes nobody asked for serves once."""
        transport = made(keep_alive=True)
        url = await loopback.start(script)
        await take(transport, request(url))
        await asyncio.sleep(0.05)
        first, *_ = await take(transport, request(url))
        assert isinstance(first, Connected)
        assert first.connection.reused is False
        await transport.close()

    async def test_one_stuck_exchange_leaves_nine_unaffected(self, loopback: Loopback, transport: Transport) -> None:
        """Of ten requests at once, one is never answered; the other nine complete while it waits."""

        async def script(_: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
            if b"stuck" in request:
                await hang()
            writer.write(HEAD + chunk(b"x") + b"0\r\n\r\n")

        url = await loopback.start(script)
        stuck = asyncio.create_task(take(transport, request(url, body=b"stuck")))
        others = await asyncio.gather(*(take(transport, request(url)) for _ in range(9)))
        assert [end(signals).cause for signals in others] == ["complete"] * 9
        assert not stuck.done()
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck

    async def test_closing_ends_what_is_under_way(self, loopback: Loopback, transport: Transport) -> None:
        """Closing the transport ends an exchange that is under way, as a lost connection."""
        url = await loopback.start(always(HEAD + chunk(b"x")))
        exchange = asyncio.create_task(take(transport, request(url)))
        await asyncio.wait_for(loopback.asked.wait(), 5)
        await transport.close()
        assert end(await exchange).cause == "connection-lost"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that nobody but a test trusts, and its key."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def server_tls(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """Provide the server's side of that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


class TestTls:
    async def test_tls_is_timed_apart_and_told(
        self, loopback: Loopback, made: Make, certificate: tuple[Path, Path], server_tls: ssl.SSLContext
    ) -> None:
        """Over TLS the handshake has a duration of its own, the version is told, and the body arrives whole."""
        transport = made(authority=certificate[0])
        url = await loopback.start(always(HEAD, chunk(b"a" * 40_000), b"0\r\n\r\n", pause_s=0.01), server_tls)
        signals = await take(transport, request(url))
        assert isinstance(signals[0], Connected)
        facts = signals[0].connection
        assert facts.tls_us is not None
        assert facts.tls_us > 0
        assert (facts.tls_version, facts.dns_us) == ("TLSv1.3", None)
        assert (body_of(signals), end(signals).cause) == (b"a" * 40_000, "complete")
        await transport.close()

    async def test_long_request_over_tls_is_written_when_the_socket_took_it(
        self, loopback: Loopback, made: Make, certificate: tuple[Path, Path], server_tls: ssl.SSLContext
    ) -> None:
        """Bytes waiting behind the encryption do not count as written."""
        transport = made(authority=certificate[0])
        gate = asyncio.Event()

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
            await gate.wait()
            await reader.readexactly(16 * 2**20)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        url = await loopback.start(script, server_tls)
        kinds: list[type[Signal]] = []
        async with aclosing(transport.exchange(request(url, body=b" " * 16 * 2**20))) as exchange:
            async for signal in exchange:
                kinds.append(type(signal))
                if isinstance(signal, Sent):
                    asyncio.get_running_loop().call_later(0.05, gate.set)
                elif isinstance(signal, Written):
                    assert gate.is_set()
        assert [kind for kind in kinds if kind is not HeldUp] == [Connected, Sent, Written, Responded, Ended]
        await transport.close()

    async def test_untrusted_certificate_is_a_tls_failure(
        self, loopback: Loopback, transport: Transport, server_tls: ssl.SSLContext
    ) -> None:
        """A certificate that nobody vouches for ends the exchange in the TLS phase, before the credential is sent."""
        url = await loopback.start(always(HEAD), server_tls)
        signals = await take(transport, request(url))
        assert [type(signal) for signal in signals] == [Ended]
        assert end(signals).cause == "tls"
        assert "certificate" in end(signals).message
        assert loopback.requests == []

    async def test_plain_server_behind_an_https_url_is_a_tls_failure(self, transport: Transport) -> None:
        """A server that answers the handshake in plain text ends the exchange in the TLS phase."""

        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        signals = await take(transport, request(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
        assert end(signals).cause == "tls"
        server.close()
