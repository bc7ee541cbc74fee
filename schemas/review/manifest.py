"""The frozen experiment: prompts, payloads, sources and options, each with its SHA-256."""

from __future__ import annotations

from typing import Literal

from schemas.review.kinds import Language, Name, Number, Sha256, StrategyId, WireStruct
from schemas.review.sources import Candidate, Cohort, SourceContext, Text


class CodeIdentity(WireStruct, frozen=True, kw_only=True):
    """A version, and the hash of the code that bore it."""

    version: Text
    code_sha256: Sha256


class Provenance(WireStruct, frozen=True, kw_only=True):
    """Hashes of the exact bytes that a manifest was prepared from."""

    fixtures_sha256: Sha256
    library_sha256: Sha256
    research_sha256: Sha256
    preparation_sha256: Sha256


class FrozenSource(WireStruct, frozen=True, kw_only=True):
    """A text and its context, without labels; the hash is that of the text in UTF-8."""

    source_id: Name
    language: Language
    context: SourceContext
    text: Text
    source_sha256: Sha256


class PayloadMessage(WireStruct, frozen=True, kw_only=True):
    """One message of a payload."""

    role: Literal["user"]
    content: Text


class Payload(WireStruct, frozen=True, kw_only=True):
    """What an adapter sends, before the provider's parameters."""

    messages: tuple[PayloadMessage, ...]


class FrozenRequest(WireStruct, frozen=True, kw_only=True):
    """One planned request.

    requestId: ``source/cohort/strategy/rule``, with ``all`` for the rule of a bundle. canonicalPromptSha256: of the
    prompt in UTF-8. payloadSha256: of ``JSON.stringify(payload)``.
    """

    request_id: Text
    source_id: Name
    cohort_id: Name
    strategy_id: StrategyId
    rule_ids: tuple[Name, ...]
    canonical_prompt: Text
    canonical_prompt_sha256: Sha256
    payload: Payload
    payload_sha256: Sha256
    source_sha256: Sha256


class Manifest(WireStruct, frozen=True, kw_only=True):
    """The manifest; a run is bound to the hash of its exact bytes."""

    format: Literal["messwerk-review-manifest/1"]
    notice: Text
    evaluator: CodeIdentity
    validator: CodeIdentity
    catalogue_version: Text
    provenance: Provenance
    candidates: tuple[Candidate, ...]
    cohorts: tuple[Cohort, ...]
    strategies: tuple[StrategyId, ...]
    repetitions: tuple[Number, ...]
    sources: tuple[FrozenSource, ...]
    requests: tuple[FrozenRequest, ...]
