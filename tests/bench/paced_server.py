"""A server for the accuracy benchmark: tokens at a fixed pace, and the truth of each to a few microseconds.

Run as ``python -m tests.bench.paced_server TRUTH [CERTIFICATE KEY]``; it prints its port, serves one request
after another on each connection, and writes the truth when its standard input closes. One loop over epoll, no
framework: a write's time is read right before the system call and once more after it, and a request's arrival
is the kernel's, so that this process's own lateness is not taken for the client's.
"""

from __future__ import annotations

import heapq
import selectors
import socket
import ssl
import sys
import time
from pathlib import Path

import msgspec

from daemon.transport.kernel_times import ANCILLARY_BYTES, Arrivals, WallOffset, want_kernel_times
from schemas.clocks import SystemClock

TTFT_NS = 200_000_000
GAP_NS = 10_000_000
TOKENS = 100
PHASE_NS = 97_000  # spreads streams that began together, as real ones are spread

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class Write(msgspec.Struct, frozen=True, array_like=True):
    """One token: clock before and after the system call."""

    before_ns: int
    after_ns: int


class Stream(msgspec.Struct, frozen=True):
    """One request: its name, when its first byte arrived, and its tokens."""

    name: str
    received_ns: int
    writes: list[Write]


def token(index: int) -> bytes:
    """Return one server-sent event, of a length that does not depend on the index."""
    return (
        b'data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1796000000,"model":"paced",'
        b'"choices":[{"index":0,"delta":{"content":" t%03d"},"logprobs":null,"finish_reason":null}]}\n\n' % index
    )


END = (
    b'data: {"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1796000000,"model":"paced",'
    b'"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


def framed(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


TOKEN_CHUNKS = [framed(token(index)) for index in range(TOKENS)]
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
        try:
            self.sock.send(data)
        except OSError:
            self.close()
        return Write(before_ns, time.monotonic_ns())

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.server.selector.unregister(self.sock)
            self.sock.close()


class Server:
    """All connections, and the tokens that are due."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self.tls = tls
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
        name = msgspec.json.decode(body)["user"]
        connection.writes = []
        self.truth.append(Stream(name, connection.received_ns, connection.writes))
        connection.received_ns = None
        connection.request.clear()
        first_ns = self.truth[-1].received_ns + TTFT_NS + self.begun % 100 * PHASE_NS
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
                if index == TOKENS:
                    connection.send(END_CHUNKS)
                    continue
                connection.writes.append(connection.send(TOKEN_CHUNKS[index]))
                heapq.heappush(self.due, (due_ns + GAP_NS, number, index + 1, connection))
                now_ns = connection.writes[-1].after_ns
            wait_s = max(0.0, (self.due[0][0] - time.monotonic_ns()) / 1e9) if self.due else None
            for key, _ in self.selector.select(wait_s):
                if key.data is None:
                    return
                key.data()


def main(truth: Path, certificate: tuple[str, str] | None) -> None:
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*certificate)
    server = Server(tls)
    print(server.listener.getsockname()[1], flush=True)
    server.run()
    truth.write_bytes(msgspec.json.encode(server.truth))


if __name__ == "__main__":
    main(Path(sys.argv[1]), (sys.argv[2], sys.argv[3]) if len(sys.argv) > 2 else None)
