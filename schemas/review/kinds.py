"""The words of text reviews: decisions, statuses, failures, states. Each is a closed set; nothing here decides."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Language = Literal["de", "en"]
"""Of a source, and of the prompt that asks for its review. Results are never added up over languages."""

StrategyId = Literal["bundled", "single"]
"""``bundled``: all rules of a scope in one request. ``single``: a request for each rule."""

Decision = Literal["keep", "change", "needs-evidence"]

AttemptStatus = Literal["response", "error", "cancelled", "not-completed"]

ResponseFailure = Literal["invalid-json", "unsupported-structure", "stale-source", "missing-rule", "inexact-range"]
"""Why a response counts as failed; the first that applies, in this order.

invalid-json: no JSON text. unsupported-structure: another form than was asked for, a rule that was not asked for or
one that is answered twice. stale-source: of another source. missing-rule: a rule without an answer. inexact-range: a
quotation that is not exactly the source's text at its UTF-16 range.
"""

AnswerState = Literal["missing", "invalid", "incomplete", "complete"]
"""Of a planned review's answers.

missing: some request has no response among the final attempts, or none was chosen. invalid: a chosen response
failed. incomplete: all are valid and some rule needs evidence. complete: all are valid and decided.
"""

JudgmentState = Literal["not-judgeable", "unjudged", "disputed", "rejected", "accepted"]
"""Of a planned review, by people; ``not-judgeable`` where its answers are missing or invalid."""

Ordering = Literal["counterbalanced", "randomized"]
CacheMode = Literal["cold", "warm"]

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, pattern=r"^[^/\s]+$")]
"""An id that may stand between the slashes of a longer one."""
Count = Annotated[int, msgspec.Meta(ge=0)]
Number = Annotated[int, msgspec.Meta(ge=1)]


class WireStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The form of everything in the files: camelCase names, and no key that is not known."""
