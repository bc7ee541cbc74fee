"""The page's own files, read once at start, served with an ETag each.

Names come from what lies in the folders, never from the request, so no path can lead out of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from aiohttp import web

HERE: Final = Path(__file__).parent

_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}

CACHING: Final = "no-cache"
"""Ask each time, and be told 304: a new version must not wait for a cache to forget the old one."""


class StaticFile(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes ready to be sent."""

    body: bytes
    content_type: str
    etag: str


def load_files(root: Path = HERE) -> Mapping[str, StaticFile]:
    """Files below ``static/`` and ``vendor/`` that a browser may ask for, by their path on the page."""
    files = {}
    for folder in ("static", "vendor"):
        for path in sorted((root / folder).iterdir()):
            if path.suffix in _TYPES:
                files[f"/{folder}/{path.name}"] = _load(path)
    return files


def answer(request: web.Request, file: StaticFile) -> web.Response:
    """Send a file, or 304 to somebody who has it."""
    return conditional(request, file.body, content_type=file.content_type, etag=file.etag)


def conditional(request: web.Request, body: bytes, *, content_type: str, etag: str | None = None) -> web.Response:
    """Answer with an ETag, and with 304 where the request already carries it."""
    tag = etag or hashlib.sha256(body).hexdigest()[:32]
    headers = {"ETag": f'"{tag}"', "Cache-Control": CACHING}
    if any(known.value in {tag, "*"} for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return web.Response(body=body, content_type=content_type, charset="utf-8", headers=headers)


def _load(path: Path) -> StaticFile:
    body = path.read_bytes()
    return StaticFile(body=body, content_type=_TYPES[path.suffix], etag=hashlib.sha256(body).hexdigest()[:32])
