"""Events of the office tasks beside the attempts themselves: what was asked about, and totals of private documents.

Verdicts on the fields of open documents are ``judgment-recorded``. Of a private document nothing is here but
hashes; what came of private ones is recorded as totals alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.base import Event
from schemas.events.judgments import Judge
from schemas.office.kinds import ErrorCategory, Language, Layout, Split, Task, Tier, Variant

AskKind = Literal["first", "without-schema", "again"]
"""The first request about a document; without the schema that a provider rejected; once more after invalid JSON."""

OfficeWork = Literal["invoice", "email", "personal", "language-tax"]
"""The three tasks, and the parallel corpus that is sent to count its tokens."""

TextLanguage = Literal["cs", "en", "de", "fr", "es", "pl"]
"""Of what is sent; documents are Czech or English."""


class AskedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt is about, as far as it may be told.

    id: of a document; of a paragraph of the parallel corpus, or ``empty`` for the prompt without any. Of a private
        document it is a keyed hash, and ``pair``, ``tier``, ``variant`` and ``layout`` are None.
    sha256: of what is sent of it; of a private document keyed, too. data_set: version of the data set or corpus.
    """

    id: str
    sha256: str
    work: OfficeWork
    language: TextLanguage
    split: Split
    data_set: str
    pair: str | None = None
    tier: Tier | None = None
    variant: Variant | None = None
    layout: Layout | None = None


class DocumentAsked(Event, frozen=True, kw_only=True):
    """An attempt is about to ask about a document; it comes before the attempt's ``request-sent``.

    Retries after a rate limit have one of their own each. schema_sha256: of the answer's JSON Schema; None where
    none is sent. key: hash over everything that a cached answer depends on.
    """

    TYPE: ClassVar[str] = "document-asked"

    attempt: UUID
    run: UUID
    endpoint: str
    document: AskedDocument
    prompt: str
    prompt_version: str
    prompt_sha256: str
    schema_sha256: str | None
    kind: AskKind
    repetition: int
    key: str


class PrivateTotalsRecorded(Event, frozen=True, kw_only=True):
    """What all private documents of a task and language came to with an endpoint: the newest event counts.

    run: the newest one that asked about them. documents: how many were answered, those of earlier runs too;
    valid, error_free: of them. judged, right: fields. categories: wrong fields by field and category.
    salt_sha256: commitment to the salt that made the documents.
    """

    TYPE: ClassVar[str] = "private-totals-recorded"

    totals: UUID
    run: UUID
    endpoint: str
    task: Task
    language: Language
    data_set: str
    salt_sha256: str
    prompt_version: str
    judge: Judge
    documents: int
    valid: int
    error_free: int
    judged: int
    right: int
    categories: Mapping[str, Mapping[ErrorCategory, int]] = {}
