"""Where a dialect's method lies below an endpoint's ``base_url``. Pure text work on URLs.

``base_url`` is what the provider's own documentation calls the base URL. A query in it (Azure's
``api-version``) stays behind every path.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

_VERSION = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]*)?")


def below(base_url: str, path: str) -> str:
    """``base_url`` with ``path`` behind its own path and before its query."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def below_version(base_url: str, version: str, path: str) -> str:
    """As :func:`below`, with ``version`` in front of ``path`` unless the base's own path has a version in it.

    Documentation gives some services' base URLs with their version and some without; both are understood.
    """
    has_version = any(_VERSION.fullmatch(segment) for segment in urlsplit(base_url).path.split("/"))
    return below(base_url, path if has_version else f"/{version}{path}")
