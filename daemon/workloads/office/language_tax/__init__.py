"""The language tax corpus: fifty paragraphs of everyday business, each in six languages, written for this project.

How many tokens a language costs more than English is measured on it. The texts lie in TOML files by subject, a table
a paragraph, so that a reader sees the six beside each other. Who sends them and what comes of it is elsewhere.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final, Literal

import msgspec

CORPUS_VERSION: Final = 2
"""Goes up with any change of a single character; a test holds the texts to their hash."""

TaxLanguage = Literal["en", "cs", "de", "fr", "es", "pl"]

SUBJECTS: Final = ("orders", "money", "people", "places", "machines")


class Paragraph(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same paragraph in six languages, in NFC and without line breaks."""

    en: str
    cs: str
    de: str
    fr: str
    es: str
    pl: str

    def text(self, language: TaxLanguage) -> str:
        """Return the paragraph in a language."""
        return str(getattr(self, language))


@cache
def corpus() -> dict[str, Paragraph]:
    """Return the paragraphs by their ids, in the order of subjects and files."""
    paragraphs: dict[str, Paragraph] = {}
    for subject in SUBJECTS:
        data = (files(__name__) / f"{subject}.toml").read_bytes()
        for name, paragraph in msgspec.toml.decode(data, type=dict[str, Paragraph]).items():
            if name in paragraphs:
                raise ValueError(f"{subject}.toml: [{name}] is in another file too; give it a name of its own")
            paragraphs[name] = paragraph
    return paragraphs


def corpus_sha256() -> str:
    """Hash the whole corpus: what was measured is named by it."""
    return sha256(msgspec.json.encode(corpus())).hexdigest()
