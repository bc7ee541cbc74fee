"""What a refusal means: from a status and a body, or from an error inside a stream, to a failure class.

Shared by all dialects, because relays mix their shapes. Everything kept of a body is bounded and redacted
here; when to try again is :mod:`daemon.wire.retry_after`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from daemon.wire.redaction import mask_credentials
from daemon.wire.retry_after import retry_after_s
from schemas.events.attempts import Failure, FailureClass

BODY_CHARACTERS = 4000
MESSAGE_CHARACTERS = 500
_CODE_CHARACTERS = 100
_DEEPEST_ERROR = 4
_LOOSE_BYTES = 256

_BY_STATUS: dict[int, FailureClass] = {
    400: "invalid-request",
    401: "authentication",
    402: "credit",
    403: "authentication",
    404: "not-found",
    405: "not-found",
    408: "server-error",  # the server gave up waiting for its own back end; the request itself was whole
    413: "invalid-request",
    415: "invalid-request",
    422: "invalid-request",
    429: "rate-limited",
    498: "overloaded",  # Groq: no capacity in the flex tier
    529: "overloaded",  # Anthropic
}

_BY_WORD: tuple[tuple[FailureClass, tuple[str, ...]], ...] = (
    ("credit", ("insufficient_quota", "insufficient_balance", "insufficient_credits", "billing", "payment_required")),
    (
        "moderation",
        ("content_filter", "content_policy", "moderation", "responsibleaipolicy", "safety_violation", "flagged"),
    ),
    ("overloaded", ("overloaded", "capacity_exceeded", "no_capacity")),
    ("rate-limited", ("rate_limit", "ratelimit", "too_many_requests", "resource_exhausted")),
    (
        "authentication",
        ("authentication", "invalid_api_key", "unauthorized", "permission_denied", "permission_error"),
    ),
    ("not-found", ("not_found", "model_not_found")),
    ("invalid-request", ("invalid_request", "invalid_argument", "context_length_exceeded")),
    ("server-error", ("server_error", "internal_error", "api_error", "bad_gateway", "service_unavailable")),
)
"""Words of a machine-readable code or type, tried in order; the more telling ones come first."""


class _Told(msgspec.Struct, frozen=True):
    """What an error object says of itself."""

    message: str
    code: str | None
    words: str


def failure_from_response(status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
    """Failure of a response whose status is no success. ``body`` may be anything, and cut anywhere."""
    text = body.decode("utf-8", "replace")
    told = _told(_json(body))
    message = told.message if told else " ".join(text.split())
    return Failure(
        kind=_class(status, told, message),
        message=_bounded(f"HTTP {status}: {message}" if message else f"HTTP {status}", MESSAGE_CHARACTERS),
        code=_bounded(told.code, _CODE_CHARACTERS) if told and told.code else None,
        body=_bounded(text, BODY_CHARACTERS) or None,
        retry_after_s=retry_after_s(headers, now_wall_ns),
    )


def failure_in_stream(error: object, raw: bytes) -> Failure:
    """Failure of an error object that came inside a successful response; ``raw`` are the bytes that held it.

    A numeric code of 400 to 599 counts as the status that the response should have had.
    """
    told = _told(error) or _Told("an error without a message", None, "")
    status = int(told.code) if told.code and re.fullmatch("[45][0-9]{2}", told.code) else None
    return Failure(
        kind=_class(status, told, told.message),
        message=_bounded(told.message, MESSAGE_CHARACTERS),
        code=_bounded(told.code, _CODE_CHARACTERS) if told.code else None,
        body=_bounded(raw.decode("utf-8", "replace"), BODY_CHARACTERS),
    )


def foreign_body(body: bytes, wanted: str) -> Failure:
    """Failure of a complete JSON body that came in place of a stream and is not ``wanted`` either.

    An error in any known shape is told as that error; a body of another kind as what it is not.
    """
    told = failure_in_stream(loosely(body), body)
    if told.kind != "stream-error" or told.code is not None:
        return told
    return unreadable(f"the body is JSON, but neither a stream nor {wanted}", body)


def loosely(data: bytes) -> object:
    """JSON as it is, or the beginning of what is none as text; for error objects of no known shape."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        text = data[:_LOOSE_BYTES].decode("utf-8", "replace")
        return text if len(data) <= _LOOSE_BYTES else f"{text}…"


def unreadable(what: str, raw: bytes, kind: FailureClass = "protocol") -> Failure:
    """Failure of bytes that cannot be read as what they should be."""
    return Failure(
        kind=kind,
        message=_bounded(what, MESSAGE_CHARACTERS),
        body=_bounded(raw[: 4 * BODY_CHARACTERS].decode("utf-8", "replace"), BODY_CHARACTERS) or None,
    )


def _class(status: int | None, told: _Told | None, message: str) -> FailureClass:
    words = told.words if told else ""
    for kind, signs in _BY_WORD:
        if any(sign in words for sign in signs) and _plausible(kind, status):
            return kind
    if (status is None or status >= 500) and "overloaded" in message.lower():
        return "overloaded"
    if status is None:
        return "stream-error"
    return _BY_STATUS.get(status) or ("server-error" if status >= 500 else "http-status")


def _plausible(kind: FailureClass, status: int | None) -> bool:
    """Tell whether a word may refine a status: it may not overrule one, but for what only bodies tell."""
    return status is None or kind in {"credit", "moderation"} or (kind == "overloaded" and status in _MAY_BE_LOAD)


_MAY_BE_LOAD = frozenset({429, 498, *range(500, 600)})


def _told(error: object, depth: int = 0) -> _Told | None:
    """Read the shapes in use: OpenAI's, Anthropic's, Google's, FastAPI's ``detail``, a bare string."""
    if isinstance(error, str):
        return _Told(error, None, "") if error else None
    if isinstance(error, list):
        error = error[0] if error else None
    if not isinstance(error, dict) or depth > _DEEPEST_ERROR:
        return None
    for key in ("error", "errors", "detail"):
        inner = error.get(key)
        if inner and (told := _told(inner, depth + 1)):
            return told
    message = _first_text(error, "message", "msg", "detail", "title")
    codes = [str(error[key]) for key in ("code", "status", "type") if isinstance(error.get(key), str | int)]
    codes = [code for code in codes if code]
    if not message and not codes:
        return None
    metadata = error.get("metadata")
    if isinstance(metadata, dict):  # OpenRouter: what the provider behind it said
        codes += [key for key in ("moderation",) if "reasons" in metadata]
        message = " ".join(part for part in (message, _first_text(metadata, "raw")) if part)
    words = " ".join(codes).lower().replace("-", "_").replace(" ", "_")
    return _Told(message or codes[0], codes[0] if codes else None, words)


def _first_text(source: dict[Any, Any], *keys: str) -> str:
    return next((source[key] for key in keys if isinstance(source.get(key), str) and source[key]), "")


def _json(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):  # HTML, plain text, a cut body: its text is kept instead
        return None


def _bounded(text: str, limit: int) -> str:
    """Redact first, so that the cut does not leave half a credential that no longer looks like one."""
    clean = mask_credentials(text[: 4 * limit])
    whole = len(text) <= 4 * limit and len(clean) <= limit
    return clean if whole else clean[: limit - 1] + "…"
