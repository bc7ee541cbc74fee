"""What text reviews are bound together with: SHA-256 of bytes, texts, parameters, payloads and response sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

import msgspec

from daemon.judging.review.javascript_json import javascript_json, javascript_sha256, utf16_order
from schemas.review.run import Attempt, Review, Run


def bytes_sha256(content: bytes) -> str:
    """Hash a file's exact bytes, in hexadecimal."""
    return sha256(content).hexdigest()


def text_sha256(text: str) -> str:
    """Hash a text's UTF-8, in hexadecimal."""
    return bytes_sha256(text.encode())


def code_sha256(modules: Mapping[str, bytes]) -> str:
    """Hash source files by name: of each, in order of names, the name, its length and its bytes."""
    whole = sha256()
    for name in sorted(modules):
        whole.update(f"{name}\n{len(modules[name])}\n".encode())
        whole.update(modules[name])
    return whole.hexdigest()


def response_set_sha256(final_attempt_ids: Iterable[str], attempts: Iterable[Attempt]) -> str:
    """Hash the selected responses; judgments are bound to it.

    It is the SHA-256 of ``JSON.stringify`` of an array with ``{attemptId, requestId, response}`` for each selected
    attempt, in order of ``attemptId`` by UTF-16 code units; so the order of selecting does not matter, and any other
    response, request or selection is another hash. Raises KeyError for an attempt that is not there.
    """
    known = {attempt.attempt_id: attempt for attempt in attempts}
    return javascript_sha256(
        [
            {"attemptId": name, "requestId": known[name].request_id, "response": known[name].response}
            for name in sorted(set(final_attempt_ids), key=utf16_order)
        ]
    )


def run_content_sha256(run: Run) -> str:
    """Hash what a run says: ``JSON.stringify`` of it with every array sorted that has no order."""
    return javascript_sha256(msgspec.to_builtins(in_order(run)))


def file_text(value: msgspec.Struct) -> str:
    """Write a file's type as its text: ``JSON.stringify(value, null, 2)`` and a line feed."""
    return javascript_json(msgspec.to_builtins(value), indent=2) + "\n"


def in_order(run: Run) -> Run:
    """Sort the arrays of a run that have no order."""
    replace = msgspec.structs.replace
    conditions = [
        replace(
            each,
            source_ids=tuple(sorted(each.source_ids, key=utf16_order)),
            repetitions=tuple(sorted(each.repetitions)),
        )
        for each in run.conditions
    ]
    return replace(
        run,
        conditions=tuple(sorted(conditions, key=lambda each: utf16_order(each.condition_id))),
        attempts=tuple(sorted(run.attempts, key=lambda each: utf16_order(each.attempt_id))),
        reviews=tuple(sorted(map(_review, run.reviews), key=lambda each: utf16_order(each.review_run_id))),
    )


def _review(review: Review) -> Review:
    replace = msgspec.structs.replace
    judgments = [
        replace(each, rule_judgments=tuple(sorted(each.rule_judgments, key=lambda rule: utf16_order(rule.rule_id))))
        for each in (*review.human_judgments, *([review.adjudication] if review.adjudication else []))
    ]
    count = len(review.human_judgments)
    return replace(
        review,
        final_attempt_ids=tuple(sorted(review.final_attempt_ids, key=utf16_order)),
        human_judgments=tuple(sorted(judgments[:count], key=lambda each: utf16_order(each.reviewer_id))),
        adjudication=judgments[count] if review.adjudication else None,
    )
