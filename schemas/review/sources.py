"""What a comparison is prepared from: cases with labels for reviewers alone, rules, researched candidates."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from schemas.review.kinds import Count, Language, Name, Number, WireStruct

Text = Annotated[str, msgspec.Meta(min_length=1)]


class Label(WireStruct, frozen=True, kw_only=True):
    """A problem that the case's author put there: a rule, the exact quotation and its range in UTF-16 code units.

    The range includes ``start`` and excludes ``end``. No model and no judge is shown it.
    """

    rule_id: Name
    quote: Text
    start: Count
    end: Number


class SourceContext(WireStruct, frozen=True, kw_only=True):
    """What a reviewer is told beside the text, in the text's language."""

    kind: Text
    purpose: Text
    audience: Text
    facts: tuple[Text, ...]


class Case(WireStruct, frozen=True, kw_only=True):
    """A text to be reviewed."""

    source_id: Name
    language: Language
    context: SourceContext
    text: Text
    labels: tuple[Label, ...]


class Fixtures(WireStruct, frozen=True, kw_only=True):
    """The file of cases; ``notice`` says what they may be used for."""

    format: Literal["messwerk-review-fixtures/1"]
    notice: Text
    cases: Annotated[tuple[Case, ...], msgspec.Meta(min_length=1)]


class RuleText(WireStruct, frozen=True, kw_only=True):
    """A rule in one language: what it is called, what is asked, and when it does not apply."""

    title: Text
    question: Text
    keep_when: Text


class ReviewRule(WireStruct, frozen=True, kw_only=True):
    """A review rule in both languages."""

    rule_id: Name
    en: RuleText
    de: RuleText

    def told(self, language: Language) -> RuleText:
        """Give the rule in a language."""
        return self.de if language == "de" else self.en


class Cohort(WireStruct, frozen=True, kw_only=True):
    """A scope: which rules are asked for. Results of different scopes are never added up."""

    cohort_id: Name
    rule_ids: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)]


class Library(WireStruct, frozen=True, kw_only=True):
    """The file of rules and scopes; ``catalogueVersion`` changes with any of them."""

    format: Literal["messwerk-review-library/1"]
    catalogue_version: Text
    rules: Annotated[tuple[ReviewRule, ...], msgspec.Meta(min_length=1)]
    cohorts: Annotated[tuple[Cohort, ...], msgspec.Meta(min_length=1)]


class Candidate(WireStruct, frozen=True, kw_only=True):
    """A model that somebody thought of comparing. Not an address: the application resolves the model."""

    candidate_id: Name
    name: Text


class Research(WireStruct, frozen=True, kw_only=True):
    """The file of candidates and of the repetitions that are planned."""

    format: Literal["messwerk-review-research/1"]
    notice: Text
    candidates: Annotated[tuple[Candidate, ...], msgspec.Meta(min_length=1)]
    repetitions: Annotated[tuple[Number, ...], msgspec.Meta(min_length=1)]
