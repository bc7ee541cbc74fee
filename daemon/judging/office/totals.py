"""Scores added up: counts alone, so that shares stay exact fractions. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from schemas.office import DocumentFacts, DocumentScore, ErrorCategory, Language, Split, Task

THRESHOLD = Fraction(95, 100)
"""Share of right fields that a task asks for."""

FEWEST_PRIVATE = 5
"""A total over fewer private documents would tell of single ones, and is not shown."""

Dimension = Literal["tier", "variant", "layout"]
Scored = tuple[DocumentFacts, DocumentScore]


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What a set of documents came to; fields that are not applicable are in no count.

    judged, right: fields. categories: wrong fields by field and category, whatever is zero left out.
    """

    documents: int
    valid: int
    error_free: int
    judged: int
    right: int
    categories: Mapping[str, Mapping[ErrorCategory, int]]

    @property
    def right_share(self) -> Fraction | None:
        """Share of right fields; None where there are none to judge."""
        return Fraction(self.right, self.judged) if self.judged else None

    @property
    def reaches_threshold(self) -> bool | None:
        """Whether the exact share of right fields is at least the threshold; None where there is no share."""
        share = self.right_share
        return None if share is None else share >= THRESHOLD


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table of scores: which documents, and what they came to.

    split: None for open and private ones together. dimension, value: None for all that the rest of the line says.
    """

    task: Task
    language: Language
    split: Split | None = None
    dimension: Dimension | None = None
    value: str | None = None
    totals: Totals


def total(scores: Iterable[DocumentScore]) -> Totals:
    """Add scores up."""
    documents = valid = error_free = all_judged = all_right = 0
    categories: dict[str, Counter[ErrorCategory]] = {}
    for score in scores:
        judged, right = score.judged, score.right
        documents += 1
        valid += score.valid
        error_free += score.valid and right == judged
        all_judged += judged
        all_right += right
        if right < judged:
            for field in score.fields:
                if field.category is not None:
                    categories.setdefault(field.field, Counter())[field.category] += 1
    return Totals(
        documents=documents,
        valid=valid,
        error_free=error_free,
        judged=all_judged,
        right=all_right,
        categories={field: dict(sorted(counts.items())) for field, counts in sorted(categories.items())},
    )


def grouped(scored: Sequence[Scored]) -> tuple[Group, ...]:
    """Add up by task and language: all, open and private documents, and the open ones by tier, variant and layout.

    Private documents are in no finer line, and fewer than :data:`FEWEST_PRIVATE` of them in none at all.
    """
    groups = []
    for task, language in sorted({(facts.task, facts.language) for facts, _ in scored}):
        here = [each for each in scored if (each[0].task, each[0].language) == (task, language)]
        split: dict[Split, list[Scored]] = {"open": [], "private": []}
        for each in here:
            split[each[0].split].append(each)
        if len(split["private"]) < FEWEST_PRIVATE:
            split["private"] = []
        together = split["open"] + split["private"]
        if together:
            groups.append(Group(task=task, language=language, totals=_of(together)))
        groups += [
            Group(task=task, language=language, split=name, totals=_of(part)) for name, part in split.items() if part
        ]
        groups += _finer(task, language, split["open"])
    return tuple(groups)


def _finer(task: Task, language: Language, scored: Sequence[Scored]) -> list[Group]:
    dimensions: tuple[Dimension, ...] = ("tier", "variant", "layout")
    lines = []
    for dimension in dimensions:
        by_value: dict[str, list[Scored]] = {}
        for each in scored:
            value = getattr(each[0], dimension)
            if value is not None:
                by_value.setdefault(value, []).append(each)
        lines += [
            Group(
                task=task,
                language=language,
                split="open",
                dimension=dimension,
                value=value,
                totals=_of(by_value[value]),
            )
            for value in sorted(by_value)
        ]
    return lines


def _of(scored: Iterable[Scored]) -> Totals:
    return total(score for _, score in scored)
