"""What keeps the page to its reader: an allow-list of host names, and headers that forbid everything foreign.

The page listens on loopback, so any web site a reader visits could point its own name at this address and
ask for figures with the reader's browser (DNS rebinding). Such a request carries that site's name in its
``Host`` header, and is refused. Answers of models are hostile input; the policy lets nothing run that is
not a file of this page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS: Final = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
)


def host_of(header: str) -> str:
    """Host name in a ``Host`` header, without port and brackets, in lower case; empty when it is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:  # unbalanced brackets and the like: no name that could be on the list
        return ""


def guard(allowed_hosts: Iterable[str]) -> Middleware:
    """Middleware that refuses foreign host names and other methods, and adds the headers to every answer."""
    allowed = LOOPBACK_HOSTS | {host.lower() for host in allowed_hosts}

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        if host_of(request.headers.get("Host", "")) not in allowed:
            refusal = web.json_response(
                {"error": {"what": "this page answers to its own host names only", "where": "Host"}}, status=403
            )
            return _with_headers(refusal)
        try:
            response = await handler(request)
        except web.HTTPException as answer:
            _with_headers(answer)
            raise
        return _with_headers(response)

    return middleware


def _with_headers(response: web.StreamResponse) -> web.StreamResponse:
    for name, value in HEADERS:
        response.headers[name] = value
    return response
