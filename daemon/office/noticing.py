"""What an attempt shows beyond its status: that the provider refused the schema, or that another one answered. Pure.

Both become flags of the attempt, taken before a private one's texts are removed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from schemas.catalogue import EndpointFacts
from schemas.events.attempts import Failure

SCHEMA_REFUSED: Final = "schema-refused"
SCHEMA_PERHAPS_REFUSED: Final = "schema-perhaps-refused"
OTHER_PROVIDER: Final = "other-provider"

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

_ALSO_TOLD_AS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({"googlevertex": frozenset({"google"})})
"""Providers whose name in answers is not that of the pin, both in bare letters and digits."""


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


def answered_elsewhere(endpoint: EndpointFacts, told: str | None) -> bool:
    """Tell whether a pinned endpoint's answer is not known to come from the provider that it is pinned to.

    A pin is a router's short name, with a variant behind a slash; answers tell the provider's title. An answer that
    tells none is as good as another's: that the pin was kept is then not known.
    """
    if endpoint.pinned_provider is None:
        return False
    pin, name = _bare(endpoint.pinned_provider.partition("/")[0]), _bare(told or "")
    return name != pin and name not in _ALSO_TOLD_AS.get(pin, frozenset())


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
