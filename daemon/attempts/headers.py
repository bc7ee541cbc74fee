"""Which response headers are kept: an allow-list, because a header nobody thought of may hold a secret."""

from __future__ import annotations

from collections.abc import Iterable

_NAMES = frozenset(
    {
        "cf-cache-status",
        "cf-ray",
        "content-encoding",
        "content-type",
        "date",
        "openai-model",
        "openai-processing-ms",
        "openai-version",
        "request-id",
        "retry-after",
        "retry-after-ms",
        "server",
        "server-timing",
        "via",
        "x-cache",
        "x-envoy-upstream-service-time",
        "x-generation-id",
        "x-groq-region",
        "x-inference-time",
        "x-request-id",
        "x-served-by",
    }
)
_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")
_MOST = 40
_LONGEST = 256


def kept_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the allowed headers in order of arrival, names in lower case, values and their number bounded.

    A value that was cut ends with "…", so that half a secret at its end is known for one.
    """
    kept = [
        (name.lower(), value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…")
        for name, value in headers
        if name.lower() in _NAMES or name.lower().startswith(_PREFIXES)
    ]
    return tuple(kept[:_MOST])
