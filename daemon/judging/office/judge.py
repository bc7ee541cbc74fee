"""The office tasks' rules as a judge: findings on the fields of open documents."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

import msgspec

from daemon.judging.contract import Finding, MaterialError, StoredReply
from daemon.judging.office.documents import score_document
from schemas.office import SCORER, SCORING_VERSION, DocumentScore, OfficeDocument, truth_json

_MATERIAL = msgspec.json.Decoder(OfficeDocument)


class OfficeFields:
    """Judges the fields of a document; material is the JSON of an ``OfficeDocument``.

    Of a private document there are no findings: nothing about a single one is ever told. Its score is made by
    :func:`daemon.judging.office.documents.score_document` and goes into totals alone.
    """

    name = SCORER
    version = SCORING_VERSION
    suite = "office"
    subject_kind: Literal["field"] = "field"

    def basis(self, reply: StoredReply) -> str:
        """Hash the document's truth; its facts may change without changing a verdict."""
        return sha256(truth_json(_document(reply).truth)).hexdigest()

    def findings(self, reply: StoredReply) -> tuple[Finding, ...]:
        """Judge every field of the document; one that is not applicable has the verdict None."""
        document = _document(reply)
        if document.facts.split == "private":
            return ()
        return findings_of(score_document(document, reply.text))


def _document(reply: StoredReply) -> OfficeDocument:
    try:
        return _MATERIAL.decode(reply.material)
    except (msgspec.MsgspecError, UnicodeError) as problem:
        raise MaterialError(
            f"what is true of {reply.subject} is no office document ({problem}); "
            "generate its data set's version again"
        ) from problem


def findings_of(score: DocumentScore) -> tuple[Finding, ...]:
    """Word a document's score as findings."""
    return tuple(
        Finding(
            part=each.field,
            verdict=None if each.verdict == "not-applicable" else each.verdict == "right",
            category=each.category,
            reason=each.sub_code,
        )
        for each in score.fields
    )
