"""Scores added up: exact shares, the groups that are shown, and private documents in totals alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from office_truths import CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, document, right_answer

from daemon.judging.office.documents import score_document
from daemon.judging.office.totals import FEWEST_PRIVATE, Group, Scored, grouped, total
from schemas.office import DocumentScore, FieldScore, OfficeDocument


def scored(made: OfficeDocument, **changed: Any) -> Scored:
    """Score a right answer with some fields changed."""
    return made.facts, score_document(made, json.dumps({**right_answer(made.truth), **changed}))


def lines(groups: Sequence[Group]) -> list[tuple[str, str | None, str | None, int]]:
    """Which groups there are, and how many documents each has."""
    return [(f"{each.task} {each.language}", each.split, each.value, each.totals.documents) for each in groups]


def test_counts() -> None:
    """Fields, error-free documents and valid answers are counted, and not applicable fields are in no count."""
    totals = total(
        [
            scored(document(CZECH_INVOICE))[1],
            scored(document(CZECH_INVOICE), total=1500, currency=None)[1],
            scored(document(ENGLISH_INVOICE, language="en"), total=1500)[1],
            score_document(document(EMAIL), "no JSON"),
        ]
    )
    assert (totals.documents, totals.valid, totals.error_free) == (4, 3, 1)
    assert (totals.judged, totals.right) == (13 + 13 + 11 + 9, 13 + 11 + 10)
    assert totals.categories["total"] == {"net_instead_of_total": 2}
    assert totals.categories["currency"] == {"invalid_json": 1, "missing_field": 1}
    assert totals.right_share == Fraction(34, 46)
    assert sum(sum(counts.values()) for counts in totals.categories.values()) == totals.judged - totals.right


def test_the_threshold_is_exact() -> None:
    """95 of 100 right fields reach the threshold, 949 of 1,000 do not, and none of none is no answer."""

    def reached(right: int, of: int) -> bool | None:
        fields = [FieldScore("total", "right")] * right + [FieldScore("total", "wrong", "wrong_value")] * (of - right)
        return total([DocumentScore(document="x", valid=True, fields=tuple(fields))]).reaches_threshold

    assert (reached(95, 100), reached(949, 1000), reached(94_999, 100_000)) == (True, False, False)
    assert total([]).reaches_threshold is None


def test_groups() -> None:
    """Each task and language has a total, the same by split, and open documents by tier, variant and layout."""
    made = [
        scored(document(CZECH_INVOICE, name=f"i-{number}", tier=tier))
        for number, tier in enumerate(("scan", "photo"))
    ]
    made += [
        scored(document(CZECH_INVOICE, name=f"p-{number}", split="private", tier="photo"))
        for number in range(FEWEST_PRIVATE)
    ]
    assert lines(grouped([*made, scored(document(EMAIL))])) == [
        ("email cs", None, None, 1),
        ("email cs", "open", None, 1),
        ("email cs", "open", "single", 1),
        ("invoice cs", None, None, 7),
        ("invoice cs", "open", None, 2),
        ("invoice cs", "private", None, 5),
        ("invoice cs", "open", "photo", 1),
        ("invoice cs", "open", "scan", 1),
        ("invoice cs", "open", "standard", 2),
        ("invoice cs", "open", "classic", 2),
    ]


def test_few_private_documents_are_in_no_total() -> None:
    """A total over too few private documents would tell of single ones, so they are left out of all."""
    few = [
        scored(document(EMAIL, name=f"p-{number}", split="private"), priority="low")
        for number in range(FEWEST_PRIVATE - 1)
    ]
    assert grouped(few) == ()
    (everything, *_) = grouped([*few, scored(document(EMAIL))])
    assert (everything.totals.documents, everything.totals.error_free) == (1, 1)
