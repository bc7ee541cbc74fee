"""The prompts of the office tasks: one for each task and language, as text files, with a version and a hash.

A prompt names every key, closed set and rule that an answer is scored by, so that it can be answered without the JSON
Schema too. How prompt and document are sent is not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import msgspec

from schemas.office import Language, Task

PROMPT_VERSIONS: Final[Mapping[Task, int]] = MappingProxyType({"invoice": 1, "email": 1, "personal": 1})
"""Goes up with any change of a single character in either language; a test holds the texts to their hashes."""

_DOCUMENT: Final[Mapping[tuple[Task, Language], str]] = MappingProxyType(
    {
        ("invoice", "cs"): "Faktura:",
        ("invoice", "en"): "Invoice:",
        ("email", "cs"): "E-mail:",
        ("email", "en"): "E-mail:",
        ("personal", "cs"): "Text:",
        ("personal", "en"): "Text:",
    }
)
_IMAGE: Final[Mapping[Language, str]] = MappingProxyType(
    {"cs": "Faktura je na přiloženém obrázku.", "en": "The invoice is in the attached image."}
)


class OfficePrompt(msgspec.Struct, frozen=True, kw_only=True):
    """The instructions of a task in a language, without a document. sha256: of the text's UTF-8."""

    task: Task
    language: Language
    version: int
    text: str
    sha256: str

    def with_text(self, document: str) -> str:
        """Return what is sent of a document that is text: instructions, a blank line, a heading, the document."""
        return f"{self.text}\n\n{_DOCUMENT[self.task, self.language]}\n{document}"

    def with_image(self) -> str:
        """Return what is sent beside a document that is an image."""
        return f"{self.text}\n\n{_IMAGE[self.language]}"


@cache
def office_prompt(task: Task, language: Language) -> OfficePrompt:
    """Return the prompt of a task in the documents' language."""
    text = (files(__name__) / f"{task}.{language}.txt").read_text(encoding="utf-8").rstrip("\n")
    return OfficePrompt(
        task=task,
        language=language,
        version=PROMPT_VERSIONS[task],
        text=text,
        sha256=sha256(text.encode()).hexdigest(),
    )
