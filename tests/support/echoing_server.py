"""A server that gives back what it is told in confidence: the credential of each request, in every place and form.

The first part of the path names the behaviour. It speaks for providers, as a proxy in front of them, and in
``refuses-shortly`` for ClickHouse and Grafana, too. The server runs in a thread, so that processes can be
measured against it.
"""

from __future__ import annotations

import base64
import html
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

_CREDENTIAL_HEADERS = (
    "proxy-authorization",
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "x-clickhouse-key",
    "x-clickhouse-user",
)


class Heard:
    """One request: the target and everything in it that may be a credential."""

    def __init__(self, head: str) -> None:
        line, *fields = head.split("\r\n")
        self.target = line.split(" ")[1]
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        self.length = int(headers.get("content-length", "0"))
        given = [headers[name] for name in _CREDENTIAL_HEADERS if name in headers]
        given += [value for _, value in parse_qsl(urlsplit(self.target).query)]
        self.secrets = [each for value in given for each in _secrets(value)]

    @property
    def forms(self) -> list[str]:
        """Every secret as it came and as it is written elsewhere."""
        return [form for secret in self.secrets for form in forms(secret)]

    @property
    def all(self) -> str:
        """All forms in one line."""
        return " ; ".join(self.forms)


def _secrets(given: str) -> list[str]:
    if not given.startswith("Basic "):
        return [given.removeprefix("Bearer ")]
    encoded = given.removeprefix("Basic ")
    return [base64.b64decode(encoded).decode().partition(":")[2], encoded]


def forms(secret: str) -> list[str]:
    """Return a secret as URLs, headers, JSON, HTML and programs write it."""
    raw = secret.encode()
    return [
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        html.escape(secret),
        raw.hex(),
        raw.hex().upper(),
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode(),
        base64.b64encode(b"user:" + raw).decode(),
        base64.b64encode(b"key=" + raw + b";").decode(),
        f"{secret[:-1]}",
    ]


def _response(status: str, body: bytes, kind: str = "application/json", *headers: str) -> bytes:
    lines = (f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}", "connection: close")
    return "\r\n".join((*lines, *headers, "", "")).encode("latin-1") + body


def _event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def _chunk(heard: Heard, **delta: str) -> bytes:
    return _event(
        {
            "id": heard.all,
            "object": "chat.completion.chunk",
            "model": heard.all,
            "provider": heard.all,
            "system_fingerprint": heard.all,
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
        }
    )


def _answers(heard: Heard) -> bytes:
    middle = len(heard.all) // 2
    stream = (
        _chunk(heard, reasoning_content=f"I was given {heard.all}.")
        + _chunk(heard, content=f"Your key is {heard.all[:middle]}")
        + _chunk(heard, content=f"{heard.all[middle:]}. ")
        + _event({"choices": [{"index": 0, "delta": {}, "finish_reason": heard.secrets[0]}]})
        + _event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 5, "key": heard.all}})
        + b"data: [DONE]\n\n"
    )
    echoed = [f"x-request-id: {heard.secrets[0]}", f"server: {heard.forms[1]}", f"via: {'v' * 230}{heard.secrets[0]}"]
    limits = [f"x-ratelimit-{number}: {form}" for number, form in enumerate(heard.forms)]
    cookies = [f"set-cookie: key={heard.forms[1]}", f"x-echo: {heard.secrets[0]}"]
    return _response("200 OK", stream, "text/event-stream", *echoed, *limits, *cookies)


def _refuses(heard: Heard) -> bytes:
    error = {"message": f"{'m' * 440} Incorrect key: {heard.all}", "type": heard.secrets[0], "code": heard.secrets[0]}
    return _response("401 Unauthorized", json.dumps({"error": error}).encode(), "application/json")


def _refuses_shortly(heard: Heard) -> bytes:
    body = json.dumps({"error": {"message": f"Incorrect key: {heard.all}"}, "echo": heard.forms})
    return _response("403 Forbidden", body.encode(), "application/json", f"retry-after: {heard.secrets[0]}")


def _cuts(heard: Heard) -> bytes:
    """Put the key where the kept part of a body or a message ends, whatever the bound."""
    body = "".join(f"{'x' * 37}{heard.secrets[0]}" for _ in range(400))
    return _response("500 Internal Server Error", body.encode(), "text/plain")


def _redirects(heard: Heard) -> bytes:
    return _response(
        "302 Found", b"", "text/plain", f"location: http://127.0.0.1:1/{heard.forms[1]}?key={heard.forms[1]}"
    )


def _page(heard: Heard) -> bytes:
    body = f"<html><title>Bad gateway</title><p>{html.escape(heard.all)}</p><!-- {heard.all} --></html>"
    return _response("502 Bad Gateway", body.encode(), "text/html")


def _fails_in_stream(heard: Heard) -> bytes:
    error = {"error": {"message": f"lost {heard.all}", "type": "server_error", "code": heard.secrets[0]}}
    return _response("200 OK", _chunk(heard, content="Well") + _event(error), "text/event-stream")


def _is_no_stream(heard: Heard) -> bytes:
    return _response("200 OK", json.dumps({"hello": heard.all, heard.secrets[0]: 1}).encode())


def _babbles(heard: Heard) -> bytes:
    return _response("200 OK", b"data: " + heard.all.encode() + b"\n\n", "text/event-stream")


def _breaks_http(heard: Heard) -> bytes:
    return f"HTP {heard.all}\r\n\r\n".encode()


def _breaks_a_header(heard: Heard) -> bytes:
    return f"HTTP/1.1 200 OK\r\n{heard.all} no header at all\r\ncontent-length: {heard.secrets[0]}\r\n\r\n".encode()


def _breaks_a_chunk(heard: Heard) -> bytes:
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return f"{head}{heard.all}\r\n".encode()


BEHAVIOURS: dict[str, Callable[[Heard], bytes]] = {
    "answers": _answers,
    "refuses": _refuses,
    "refuses-shortly": _refuses_shortly,
    "cuts": _cuts,
    "redirects": _redirects,
    "page": _page,
    "fails-in-stream": _fails_in_stream,
    "is-no-stream": _is_no_stream,
    "babbles": _babbles,
    "breaks-http": _breaks_http,
    "breaks-a-header": _breaks_a_header,
    "breaks-a-chunk": _breaks_a_chunk,
}


class EchoingServer:
    """``heard`` counts the requests that carried a credential, by behaviour; ``bodies`` is what came with them."""

    def __init__(self, *, always: str | None = None) -> None:
        self._always = always
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.heard: dict[str, int] = {}
        self.bodies: list[bytes] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def told(self) -> str:
        """Every text that stood in a JSON body, however deep."""
        return "\n".join(text for body in self.bodies if body for text in _texts(json.loads(body)))

    def close(self) -> None:
        """Stop listening."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming:
            connection.settimeout(20)
            try:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    line = incoming.readline()
                    if not line:
                        return
                    head += line
                heard = Heard(head.decode("latin-1").removesuffix("\r\n\r\n"))
                self.bodies.append(incoming.read(heard.length))
                # A proxy's CONNECT names no path, and as a proxy this server answers in the provider's place.
                path = urlsplit(heard.target).path
                behaviour = self._always or (path.split("/")[1] if "/" in path else "refuses-shortly")
                if not heard.secrets:
                    connection.sendall(_response("400 Bad Request", b"no credential"))
                    return
                self.heard[behaviour] = self.heard.get(behaviour, 0) + 1
                connection.sendall(BEHAVIOURS[behaviour](heard))
                connection.shutdown(socket.SHUT_WR)
                incoming.read()  # until the client has read all, lest a reset destroys what is under way
            except OSError:
                return  # the client went away, which is its right


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


@contextmanager
def echoing_server(*, always: str | None = None) -> Iterator[EchoingServer]:
    """Serve until the end of the block. always: one behaviour, whatever the path."""
    server = EchoingServer(always=always)
    try:
        yield server
    finally:
        server.close()
