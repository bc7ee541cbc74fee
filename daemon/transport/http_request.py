"""A prepared request as HTTP/1.1 bytes. Pure; who sends them is :mod:`daemon.transport.aiohttp_transport`.

Nothing is added that depends on time, chance or earlier requests, so equal requests are equal bytes: headers
in the order given, after ``Host``, and only what HTTP needs or an ordinary client would add where missing.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from aiohttp.http import SERVER_SOFTWARE
from yarl import URL

from daemon.transport.contract import PreparedRequest

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_DEFAULTS = (("accept", "*/*"), ("accept-encoding", "identity"), ("user-agent", SERVER_SOFTWARE))


class Target(msgspec.Struct, frozen=True):
    """Where a connection leads; requests with equal targets may share one."""

    scheme: Literal["http", "https"]
    host: str
    port: int


def target_of(request: PreparedRequest) -> Target:
    """Return where a request goes. Raises :class:`ValueError` for anything but an absolute http(s) URL."""
    url = URL(request.url)
    if url.scheme not in {"http", "https"} or not url.raw_host or not url.port or url.user or url.password:
        raise ValueError(f"not an absolute http or https URL without credentials: {url.scheme}://{url.raw_host}")
    return Target("https" if url.scheme == "https" else "http", url.raw_host, url.port)


def request_bytes(request: PreparedRequest) -> bytes:
    """Return head and body of a request; with a proxy in the way of http, as proxies want it (RFC 9112, 3.2.2).

    Raises :class:`ValueError`, naming the header and never its value, when a header cannot be sent.
    """
    url = URL(request.url)
    given = {name.lower() for name, _ in request.headers}
    for name, value in request.headers:
        if not _TOKEN.fullmatch(name) or name.lower() in _OURS:
            raise ValueError(f"header {name!r} cannot be set on a prepared request")
        if not _VALUE.fullmatch(value):
            raise ValueError(f"the value of header {name!r} holds characters that HTTP forbids")
    proxy = request.route.proxy if url.scheme == "http" else None
    asked = url.raw_path_qs if proxy is None else f"http://{_host_header(url)}{url.raw_path_qs}"
    lines = [f"{request.method} {asked} HTTP/1.1", f"Host: {_host_header(url)}"]
    if proxy is not None and proxy.authorization is not None:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    lines += [f"{name}: {value}" for name, value in request.headers]
    lines += [f"{name}: {value}" for name, value in _DEFAULTS if name not in given]
    if request.body or request.method != "GET":
        lines.append(f"content-length: {len(request.body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + request.body


def _host_header(url: URL) -> str:
    host = url.host_subcomponent or ""
    return host if url.is_default_port() else f"{host}:{url.port}"
