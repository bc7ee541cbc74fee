"""Taking credentials out of what a server sent, before anything keeps it.

Servers quote the key they refuse, and proxies echo whole requests. The exact secrets are known to whoever
sent the request and are masked everywhere; the patterns catch what was mangled or belongs to somebody else,
and are meant for error texts only, since an answer may well be about keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_SHORTEST_SECRET = 4
_CUT = "…"


def mask_credentials(text: str) -> str:
    """Replace whatever looks like a credential by ``[redacted]``."""
    return _CREDENTIAL.sub(MASK, text)


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """Replace these very secrets by ``[redacted]``, also the beginning of one that was cut off by "…".

    Secrets of fewer than four characters are left alone: replacing them would shred ordinary words.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = _without_cut_end(text.replace(secret, MASK), secret)
    return text


def _without_cut_end(text: str, secret: str) -> str:
    if not text.endswith(_CUT):
        return text
    body = text.removesuffix(_CUT)
    for length in range(min(len(secret) - 1, len(body)), _SHORTEST_SECRET - 1, -1):
        if body.endswith(secret[:length]):
            return body[:-length] + MASK
    return text
