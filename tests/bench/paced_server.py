"""A server for benchmarks: tokens at a fixed pace, and the truth of each write to a few microseconds.

Run as ``python -m tests.bench.paced_server TRUTH [CERTIFICATE KEY] [--gap-ms MS] [--per-write TOKENS]``; it prints
its port, serves one request after another on each connection, with as many tokens as the request's limit asks for,
and writes the truth when its standard input closes. One loop over epoll, no framework: a write's time is read right
before the system call and once more after it, and a request's arrival is the kernel's, so that this process's own
lateness is not taken for the client's.
"""

from __future__ import annotations

import argparse
import heapq
import select
import selectors
import socket
import ssl
import sys
import time
from functools import cache
from pathlib import Path

import msgspec

from daemon.transport.kernel_times import ANCILLARY_BYTES, Arrivals, WallOffset, want_kernel_times
from schemas.clocks import SystemClock

TTFT_NS = 200_000_000
GAP_MS = 10
TOKENS = 100
PHASES = 100
PHASE_SHARE = 0.97  # of a gap: spreads streams that began together, as real ones are spread

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Pace(msgspec.Struct, frozen=True):
    """How tokens leave: so many in each write, and so long from write to write."""

    gap_ns: int = GAP_MS * 1_000_000
    per_write: int = 1


class Write(msgspec.Struct, frozen=True, array_like=True):
    """One write: clock before and after the system call."""

    before_ns: int
    after_ns: int


class Stream(msgspec.Struct, frozen=True):
    """One request: its name (its user, or else its model), when its first byte arrived, and its writes."""

    name: str
    received_ns: int
    writes: list[Write]


def text(index: int) -> str:
    """Return what a token says."""
    return f" t{index:03}"


def token(index: int) -> bytes:
    """Return one server-sent event; those of the first thousand tokens are equally long."""
    return (
        b'data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1796000000,"model":"paced",'
        b'"choices":[{"index":0,"delta":{"content":"%b"},"logprobs":null,"finish_reason":null}]}\n\n'
        % text(index).encode()
    )


END = (
    b'data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1796000000,"model":"paced",'
    b'"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


def framed(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


@cache
def tokens_chunk(first: int, end: int) -> bytes:
    return framed(b"".join(map(token, range(first, end))))


END_CHUNKS = framed(END) + b"0\r\n\r\n"


class Connection:
    """One client: plain, or TLS over memory."""

    def __init__(self, server: Server, sock: socket.socket) -> None:
        self.server = server
        self.sock = sock
        self.arrivals = Arrivals(server.offset, not_before_ns=server.since_ns)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = server.tls and server.tls.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.shaken = self.tls is None
        self.request = bytearray()
        self.received_ns: int | None = None
        self.writes: list[Write] = []
        self.tokens = 0
        self.closed = False

    def readable(self) -> None:
        try:
            data, ancillary, _, _ = self.sock.recvmsg(65536, ANCILLARY_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data, ancillary = b"", []
        if not data:
            self.close()
            return
        arrival = self.arrivals.of(ancillary)
        plain = data if self.tls is None else self.decrypted(self.tls, data)
        if not plain:
            return
        if self.received_ns is None:
            self.received_ns = arrival.mono_ns
        self.request += plain
        head, separator, body = bytes(self.request).partition(b"\r\n\r\n")
        if separator and self.server.length(head) == len(body):
            self.server.begin(self, body)

    def decrypted(self, tls: ssl.SSLObject, data: bytes) -> bytes:
        self.incoming.write(data)
        plain = b""
        try:
            if not self.shaken:
                tls.do_handshake()
                self.shaken = True
            while self.incoming.pending:
                plain += tls.read(65536)
        except ssl.SSLWantReadError:
            return plain
        finally:
            if self.outgoing.pending:
                self.sock.send(self.outgoing.read())
        return plain

    def send(self, data: bytes) -> Write:
        if self.tls is not None:
            self.tls.write(data)
            data = self.outgoing.read()
        before_ns = time.monotonic_ns()
        self.write(data)
        return Write(before_ns, time.monotonic_ns())

    def write(self, data: bytes) -> None:
        """Write all of it; a reader that is far behind holds up everybody, and loses nothing."""
        while data:
            try:
                data = data[self.sock.send(data) :]
            except BlockingIOError:
                select.select([], [self.sock], [])
            except OSError:
                self.close()
                return

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.server.selector.unregister(self.sock)
            self.sock.close()


class Server:
    """All connections, and the tokens that are due."""

    def __init__(self, tls: ssl.SSLContext | None, pace: Pace) -> None:
        self.tls = tls
        self.pace = pace
        self.offset = WallOffset(SystemClock())
        self.since_ns = time.monotonic_ns()
        self.selector = selectors.DefaultSelector()
        self.due: list[tuple[int, int, int, Connection]] = []
        self.begun = 0
        self.truth: list[Stream] = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.listener.setblocking(False)  # noqa: FBT003  # the socket's own signature
        want_kernel_times(self.listener)  # inherited by what it accepts
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)

    def accept(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except BlockingIOError:
                return
            sock.setblocking(False)  # noqa: FBT003  # the socket's own signature
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(sock, selectors.EVENT_READ, Connection(self, sock).readable)

    @staticmethod
    def length(head: bytes) -> int:
        return next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )

    def begin(self, connection: Connection, body: bytes) -> None:
        assert connection.received_ns is not None
        asked = msgspec.json.decode(body)
        name = asked.get("user", asked["model"])
        connection.tokens = asked.get("max_tokens", TOKENS)
        connection.writes = []
        self.truth.append(Stream(name, connection.received_ns, connection.writes))
        connection.received_ns = None
        connection.request.clear()
        phase_ns = round(self.begun % PHASES / PHASES * PHASE_SHARE * self.pace.gap_ns)
        first_ns = self.truth[-1].received_ns + TTFT_NS + phase_ns
        self.begun += 1
        connection.send(HEAD)
        heapq.heappush(self.due, (first_ns, self.begun, 0, connection))

    def run(self) -> None:
        while True:
            now_ns = time.monotonic_ns()
            while self.due and self.due[0][0] <= now_ns:
                due_ns, number, index, connection = heapq.heappop(self.due)
                if connection.closed:
                    continue
                if index == connection.tokens:
                    connection.send(END_CHUNKS)
                    continue
                end = min(index + self.pace.per_write, connection.tokens)
                connection.writes.append(connection.send(tokens_chunk(index, end)))
                heapq.heappush(self.due, (due_ns + self.pace.gap_ns, number, end, connection))
                now_ns = connection.writes[-1].after_ns
            wait_s = max(0.0, (self.due[0][0] - time.monotonic_ns()) / 1e9) if self.due else None
            for key, _ in self.selector.select(wait_s):
                if key.data is None:
                    return
                key.data()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("certificate", nargs="*", help="PEM file, and its key")
    parser.add_argument("--gap-ms", type=float, default=GAP_MS)
    parser.add_argument("--per-write", type=int, default=1)
    asked = parser.parse_args()
    tls = None
    if asked.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*asked.certificate)
    server = Server(tls, Pace(round(asked.gap_ms * 1e6), asked.per_write))
    print(server.listener.getsockname()[1], flush=True)
    server.run()
    asked.truth.write_bytes(msgspec.json.encode(server.truth))


if __name__ == "__main__":
    main()
