"""What is sent: a document or a paragraph in its prompt, with everything that the log may say of it. Pure.

Of a private document the log gets keyed hashes in place of ids and hashes, so that nobody without the key can try
contents against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Protocol

import msgspec

from daemon.office.contract import ANSWER_LIMIT_TOKENS, TAX_LIMIT_TOKENS
from daemon.tokens import count_tokens
from daemon.wire.contract import Image
from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.office.language_tax import CORPUS_VERSION, corpus
from daemon.workloads.office.prompts import OfficePrompt, office_prompt
from schemas.events import AskedDocument, PromptFacts
from schemas.events.office import TextLanguage
from schemas.office import OfficeDocument, Task, answer_schema

TAX_LANGUAGES: Final[tuple[TextLanguage, ...]] = ("en", "cs", "de", "fr", "es", "pl")
EMPTY_ID: Final = "empty"
_NO_PROMPT_SHA256: Final = sha256(b"").hexdigest()
_EMPTY_TEXT: Final = "."
"""The emptiest prompt that every service takes; an empty text is refused by most."""

Content = str | Image
Keyed = Callable[[str], str]
"""A keyed hash, in hexadecimal; the key is the private third's salt."""


class DataSet(Protocol):
    """Documents of one version of the data set, beside what is sent of them."""

    @property
    def version(self) -> str:
        """Of the data set."""

    @property
    def salt_sha256(self) -> str | None:
        """Commitment to the salt; None without one, and then there are no private documents."""

    def keyed(self, text: str) -> str:
        """Hash a text under the salt; only asked where there is one."""

    def documents(self, task: Task, pairs: int) -> Sequence[tuple[OfficeDocument, Content]]:
        """Make a task's documents, in a fixed order; slow, and safe to call in a thread."""


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to send. ``document`` is None for a paragraph, ``schema`` where none is asked for."""

    asked: AskedDocument
    prompt: Prompt
    prompt_name: str
    prompt_version: str
    prompt_sha256: str
    schema: Mapping[str, Any] | None
    document: OfficeDocument | None = None

    @property
    def private(self) -> bool:
        """Whether nothing about it may be told but totals."""
        return self.asked.split == "private"

    @property
    def schema_sha256(self) -> str | None:
        """Hash of the answer's JSON Schema."""
        return None if self.schema is None else sha256(msgspec.json.encode(self.schema, order="sorted")).hexdigest()


def document_units(data: DataSet, task: Task, pairs: int) -> tuple[Unit, ...]:
    """Word every document of a task."""
    keyed = data.keyed if data.salt_sha256 is not None else None
    return tuple(document_unit(document, content, keyed) for document, content in data.documents(task, pairs))


def document_unit(document: OfficeDocument, content: Content, keyed: Keyed | None) -> Unit:
    """Word one document: text goes into the prompt, an image beside it.

    Raises: ValueError for a private document where there is no key.
    """
    facts = document.facts
    words = office_prompt(facts.task, facts.language)
    private = facts.split == "private"
    if private and keyed is None:
        raise ValueError("a private document without a key to hash it by")
    body = content.encode() if isinstance(content, str) else content.data
    digest = sha256(body).hexdigest()
    asked = AskedDocument(
        id=facts.id,
        sha256=digest,
        work=facts.task,
        language=facts.language,
        split=facts.split,
        data_set=facts.data_set,
        pair=facts.pair,
        tier=facts.tier,
        variant=facts.variant,
        layout=facts.layout,
    )
    if private and keyed is not None:
        asked = AskedDocument(
            id=keyed(f"document {facts.id}"),
            sha256=keyed(f"content {digest}"),
            work=facts.task,
            language=facts.language,
            split=facts.split,
            data_set=facts.data_set,
        )
    return Unit(
        asked=asked,
        prompt=_prompt(words, content, asked, keyed if private else None),
        prompt_name=facts.task,
        prompt_version=str(words.version),
        prompt_sha256=words.sha256,
        schema=answer_schema(facts.task, facts.language),
        document=document,
    )


def tax_units() -> tuple[Unit, ...]:
    """Return the empty prompt, then every paragraph of the parallel corpus in every language."""
    empty = _paragraph(EMPTY_ID, "en", _EMPTY_TEXT)
    return (
        empty,
        *(
            _paragraph(name, language, paragraph.text(language))
            for name, paragraph in corpus().items()
            for language in TAX_LANGUAGES
        ),
    )


def _paragraph(name: str, language: TextLanguage, text: str) -> Unit:
    asked = AskedDocument(
        id=name,
        sha256=sha256(text.encode()).hexdigest(),
        work="language-tax",
        language=language,
        split="open",
        data_set=str(CORPUS_VERSION),
    )
    prompt = prompt_of(
        text=text,
        generator="language-tax",
        generator_version=CORPUS_VERSION,
        seed=f"{name}/{language}",
        input_tokens=count_tokens(text),
        min_output_tokens=0,
        max_output_tokens=TAX_LIMIT_TOKENS,
        task=f"{name}/{language}",
    )
    return Unit(
        asked=asked,
        prompt=prompt,
        prompt_name="none",
        prompt_version="1",
        prompt_sha256=_NO_PROMPT_SHA256,
        schema=None,
    )


def _prompt(words: OfficePrompt, content: Content, asked: AskedDocument, keyed: Keyed | None) -> Prompt:
    text, images = (words.with_text(content), ()) if isinstance(content, str) else (words.with_image(), (content,))
    prompt = prompt_of(
        text=text,
        images=images,
        generator=f"office-{words.task}",
        generator_version=words.version,
        seed=f"{asked.data_set}/{asked.id}",
        input_tokens=count_tokens(text),
        min_output_tokens=0,
        max_output_tokens=ANSWER_LIMIT_TOKENS,
        task=asked.id,
    )
    if keyed is None:
        return prompt
    hidden: PromptFacts = msgspec.structs.replace(
        prompt.facts, sha256=keyed(f"prompt {prompt.facts.sha256}"), image_sha256=()
    )
    return msgspec.structs.replace(prompt, facts=hidden)
