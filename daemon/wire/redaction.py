"""Taking credentials out of what a server sent, before anything keeps it.

Servers quote the key they refuse, and proxies echo whole requests. The exact secrets are known to whoever
sent the request and are masked everywhere, however they are written; the patterns catch what was mangled or
belongs to somebody else, and are meant for error texts only, since an answer may well be about keys.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

MASK = "[redacted]"

_CREDENTIAL = re.compile(
    r"""(?ix)
    \b(?: sk | gsk | xai | nvapi | csk | r8 | hf )[-_] [A-Za-z0-9*_\-.]{12,}
    | \bAIza[A-Za-z0-9_\-]{10,}
    | (?<=\bBearer\s) [^\s"',;<>\\]+
    | (?<=\bBasic\s) [A-Za-z0-9+/=]{8,}
    | (?<=[?&]key=) [^\s"'&<>\\]+
    | (?<=\bapi-key:\s) [^\s"',;<>\\]+
    | (?<=\bapi-key":\s") [^\s"\\]+
    | (?<=\bapi-key":") [^\s"\\]+
    """
)
_SHORTEST_SECRET: Final = 4
_SHORTEST_ENCODED: Final = 8
"""Encodings of a shorter secret are so short that they would be found by chance."""
_TELLING_PART: Final = 12
_CUT = "…"


def mask_credentials(text: str) -> str:
    """Replace whatever looks like a credential by ``[redacted]``."""
    return _CREDENTIAL.sub(MASK, text)


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """Replace these very secrets by ``[redacted]``, however much of one there is.

    They are known as they are and as URLs, JSON, HTML, hexadecimal digits and base64 write them, in base64 also
    as part of something longer. So are twelve characters or more of a beginning or an end, and four of a
    beginning that was cut off by "…". Secrets of fewer than four characters are left alone: replacing them
    would shred ordinary words.
    """
    spellings = {each for secret in secrets if len(secret) >= _SHORTEST_SECRET for each in _spellings(secret)}
    ordered = sorted(spellings, key=lambda each: (-len(each), each))
    for spelling in ordered:
        text = text.replace(spelling, MASK)
    text = _without_parts(text, [spelling for spelling in ordered if len(spelling) > _TELLING_PART])
    for spelling in ordered:
        text = _without_cut_end(text, spelling)
    return text


@lru_cache(maxsize=256)
def _spellings(secret: str) -> frozenset[str]:
    """All the ways in which a secret may be written; the cache holds no more than the process knows anyway."""
    if len(secret) < _SHORTEST_ENCODED:
        return frozenset({secret})
    raw = secret.encode()
    in_json = json.dumps(secret)[1:-1]
    percent = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    return frozenset(
        {
            secret,
            *percent,
            *(_lower_hex(each) for each in percent),
            in_json,
            in_json.replace("/", "\\/"),
            secret.replace("\\", "\\\\"),
            html.escape(secret),
            html.escape(secret, quote=False),
            raw.hex(),
            raw.hex().upper(),
            *_in_base64(raw),
        }
    )


def _lower_hex(percent: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), percent)


def _in_base64(raw: bytes) -> Iterator[str]:
    """Yield the digits that are the secret's alone, wherever it begins in what was encoded."""
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + raw).decode()
        own = digits[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        yield own
        yield own.replace("+", "-").replace("/", "_")


def _without_parts(text: str, spellings: Sequence[str]) -> str:
    """Mask every beginning and end of these that is long enough to tell, as far as any of them goes."""
    for head in {each[:_TELLING_PART] for each in spellings}:
        alike = [each for each in spellings if each.startswith(head)]
        at = text.find(head)
        while at >= 0:
            length = max(_common(each, text[at : at + len(each)]) for each in alike)
            text = text[:at] + MASK + text[at + length :]
            at = text.find(head, at + len(MASK))
    for tail in {each[-_TELLING_PART:] for each in spellings}:
        alike = [each[::-1] for each in spellings if each.endswith(tail)]
        at = text.find(tail)
        while at >= 0:
            end = at + _TELLING_PART
            length = max(_common(each, text[max(0, end - len(each)) : end][::-1]) for each in alike)
            text = text[: end - length] + MASK + text[end:]
            at = text.find(tail, end - length + len(MASK))
    return text


def _common(one: str, other: str) -> int:
    """Length of the beginning that two texts share."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _without_cut_end(text: str, secret: str) -> str:
    if not text.endswith(_CUT):
        return text
    body = text.removesuffix(_CUT)
    for length in range(min(len(secret) - 1, len(body)), _SHORTEST_SECRET - 1, -1):
        if body.endswith(secret[:length]):
            return body[:-length] + MASK
    return text
