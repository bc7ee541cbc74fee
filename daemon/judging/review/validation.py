"""Is a model's response a review in the form that was asked for? What is not counts as failed, and stays.

Total: whatever a response holds, it is an answer or a failure, and nothing is raised. Nothing is mended; white space
around the JSON text is all that is passed over.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from daemon.judging.review.javascript_json import NotJson, read_json
from daemon.judging.review.ranges import is_exact
from daemon.judging.review.reading import convert
from schemas.review.answers import ReviewAnswer, RuleAnswer
from schemas.review.kinds import ResponseFailure
from schemas.review.manifest import FrozenRequest, FrozenSource

VALIDATOR_VERSION = "1"
"""Of these rules; any change that could make one response valid or failed is another version."""


class FailedAnswer(msgspec.Struct, frozen=True):
    """Why a response failed, and where in it."""

    failure: ResponseFailure
    detail: str


def validate_model_response(
    response: str | dict[str, Any], request: FrozenRequest, source: FrozenSource
) -> ReviewAnswer | FailedAnswer:
    """Judge a response to a frozen request by its form alone."""
    try:
        value = read_json(response) if isinstance(response, str) else response
    except NotJson as problem:
        return FailedAnswer("invalid-json", str(problem))
    try:
        answer = convert(value, ReviewAnswer)
    except msgspec.ValidationError as problem:
        return FailedAnswer("unsupported-structure", str(problem))
    return _structure(answer, request) or _substance(answer, request, source) or answer


def _structure(answer: ReviewAnswer, request: FrozenRequest) -> FailedAnswer | None:
    for name, count in Counter(rule.rule_id for rule in answer.rules).items():
        if name not in request.rule_ids:
            return FailedAnswer("unsupported-structure", f"rule {name!r} was not asked for")
        if count > 1:
            return FailedAnswer("unsupported-structure", f"rule {name} is answered {count} times")
    for place, rule in enumerate(answer.rules):
        problem = _misfit(rule)
        if problem:
            return FailedAnswer("unsupported-structure", f"rules[{place}], {rule.rule_id}: {problem}")
    return None


def _misfit(rule: RuleAnswer) -> str | None:
    """Tell what of an answer does not fit its decision."""
    if not rule.reason.strip():
        return "a decision needs a reason"
    if (rule.decision == "needs-evidence") != (rule.evidence_needed is not None):
        return "evidenceNeeded is for needs-evidence, and for nothing else"
    if rule.decision == "keep" and rule.findings:
        return "what is kept has no findings"
    if rule.decision == "change" and not rule.findings:
        return "a change needs a finding"
    for place, finding in enumerate(rule.findings):
        if (rule.decision == "change") != bool(finding.alternatives):
            return f"findings[{place}]: one to three alternatives are for a change, and for nothing else"
    return None


def _substance(answer: ReviewAnswer, request: FrozenRequest, source: FrozenSource) -> FailedAnswer | None:
    if answer.source_sha256 != source.source_sha256:
        return FailedAnswer("stale-source", "sourceSha256 is that of another text")
    answered = {rule.rule_id for rule in answer.rules}
    missing = [name for name in request.rule_ids if name not in answered]
    if missing:
        return FailedAnswer("missing-rule", f"no answer for {', '.join(missing)}")
    for place, rule in enumerate(answer.rules):
        for number, finding in enumerate(rule.findings):
            if not is_exact(source.text, finding.quote, finding.start, finding.end):
                return FailedAnswer(
                    "inexact-range",
                    f"rules[{place}].findings[{number}], {rule.rule_id}: the source does not have this text at "
                    f"{finding.start} to {finding.end}",
                )
    return None
