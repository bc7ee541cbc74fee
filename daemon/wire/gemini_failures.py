"""What Google's error bodies tell beyond a status: when to try again, and that the key was the trouble.

The service sends no ``Retry-After``; its wait stands in the body (``google.rpc.RetryInfo``). A key that it does
not know is an ``INVALID_ARGUMENT`` with status 400, told apart only by its ``google.rpc.ErrorInfo``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from daemon.wire.failures import failure_from_response, loosely
from schemas.events.attempts import Failure

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s")
_KEY_REASONS = frozenset({"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "API_KEY_EXPIRED"})


def gemini_failure(status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
    """Failure of a response whose status is no success. ``body`` may be anything, and cut anywhere."""
    failure = failure_from_response(status, headers, body, now_wall_ns)
    for detail in _details(loosely(body)):
        wait = detail.get("retryDelay")
        if failure.retry_after_s is None and isinstance(wait, str) and (match := _DURATION.fullmatch(wait)):
            failure = msgspec.structs.replace(failure, retry_after_s=float(match[1]))
        reason = detail.get("reason")
        if isinstance(reason, str) and reason in _KEY_REASONS:
            failure = msgspec.structs.replace(failure, kind="authentication", code=reason)
    return failure


def _details(body: object) -> Iterator[dict[str, Any]]:
    """Yield the details of an error, which comes as an object or, from an array stream, in a list."""
    if isinstance(body, list):
        body = body[0] if body else None
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield detail
