"""What an attempt shows beyond its status: that the provider refused the schema. Pure.

It becomes a flag of the attempt, taken before a private one's texts are removed.
"""

from __future__ import annotations

import re
from typing import Final

from schemas.events.attempts import Failure

SCHEMA_REFUSED: Final = "schema-refused"
SCHEMA_PERHAPS_REFUSED: Final = "schema-perhaps-refused"

_NAMED: Final = re.compile(
    r"response_?format|(?:json|response|output)[_ ]?(?:json)?[_ ]?schema|output_(?:config|format)|text\.format"
    r"|structured[_ -]?outputs?|additionalproperties|\bschema\b"
    r"|no endpoints found that (?:support|can handle) the requested parameters",
    re.IGNORECASE,
)
_OF_SOMETHING_ELSE: Final = re.compile(
    r"context|too (?:long|large|many)|token limit|max_?(?:output_|completion_)?tokens|image|picture|vision"
    r"|stream_options|temperature|credit|api[_ ]?key",
    re.IGNORECASE,
)
_MAY_NAME_IT: Final = frozenset({"invalid-request", "not-found", "stream-error", "server-error", "http-status"})


def schema_refusal(failure: Failure | None) -> str | None:
    """Return the flag of a refusal of a request with a schema; None where it is not about the schema.

    Credit, moderation, authentication and rate limits never are. A refusal of the request that names the schema is;
    perhaps so is one that names nothing else either, since routers often pass on no more than "bad request".
    """
    if failure is None or failure.kind not in _MAY_NAME_IT:
        return None
    told = " ".join(part for part in (failure.message, failure.code, failure.body) if part)
    if _NAMED.search(told):
        return SCHEMA_REFUSED
    bare = failure.kind == "invalid-request" and not _OF_SOMETHING_ELSE.search(told)
    return SCHEMA_PERHAPS_REFUSED if bare else None
