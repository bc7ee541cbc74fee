"""What a model is asked to answer: a decision for each rule, with exact quotations and alternatives."""

from __future__ import annotations

from typing import Annotated

import msgspec

from schemas.review.kinds import Count, Decision, WireStruct
from schemas.review.sources import Text

MOST_ALTERNATIVES = 3


class Finding(WireStruct, frozen=True, kw_only=True):
    """A passage of the source, and one to three alternatives where the decision is ``change``; else none."""

    quote: Text
    start: Count
    end: Count
    alternatives: Annotated[tuple[Text, ...], msgspec.Meta(max_length=MOST_ALTERNATIVES)]


class RuleAnswer(WireStruct, frozen=True, kw_only=True):
    """The answer for one rule.

    findings: none for ``keep``, one or more for ``change``, any number for ``needs-evidence``.
    evidenceNeeded: what has to be found out, exactly when the decision is ``needs-evidence``; else null.
    """

    rule_id: Text
    decision: Decision
    reason: Text
    findings: tuple[Finding, ...]
    evidence_needed: Text | None


class ReviewAnswer(WireStruct, frozen=True, kw_only=True):
    """A whole response."""

    source_sha256: str
    rules: tuple[RuleAnswer, ...]
