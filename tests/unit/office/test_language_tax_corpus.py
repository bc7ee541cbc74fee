"""The language tax corpus: aligned, in NFC, without repetition, and as long in each language as it should be."""

from __future__ import annotations

import re
import unicodedata
from typing import get_args

import pytest

from daemon.workloads.office.language_tax import CORPUS_VERSION, TaxLanguage, corpus, corpus_sha256

LANGUAGES = get_args(TaxLanguage)
RATIOS = {
    "en": (1.0, 1.0),
    "cs": (0.7, 1.2),
    "de": (0.85, 1.5),
    "fr": (0.85, 1.5),
    "es": (0.8, 1.45),
    "pl": (0.8, 1.4),
}
"""Characters compared with English, of one paragraph."""
LETTERS = {
    "cs": "áčďéěíňóřšťúůýž",
    "de": "äöüß",
    "fr": "àâçéèêëîïôœùûü",
    "es": "áéíñóúü¿¡",
    "pl": "ąćęłńóśźż",
    "en": "",
}


def test_fifty_in_six_languages() -> None:
    """There are fifty paragraphs, each in every language."""
    assert len(corpus()) == 50
    assert LANGUAGES == ("en", "cs", "de", "fr", "es", "pl")


@pytest.mark.parametrize("language", LANGUAGES)
class TestEachLanguage:
    def test_form(self, language: TaxLanguage) -> None:
        """Every text is in NFC, one line, single-spaced, and ends as a sentence does."""
        for name, paragraph in corpus().items():
            text = paragraph.text(language)
            assert text == unicodedata.normalize("NFC", text), name
            assert text == " ".join(text.split()), name
            assert re.search(r"[.?!]$", text), name

    def test_nothing_twice(self, language: TaxLanguage) -> None:
        """No paragraph and no sentence occurs twice."""
        sentences = [
            sentence
            for paragraph in corpus().values()
            for sentence in re.split(r"(?<=[.?!]) ", paragraph.text(language))
        ]
        long = [each for each in sentences if len(each) > 20]
        assert len(long) == len(set(long))

    def test_lengths(self, language: TaxLanguage) -> None:
        """Each paragraph is about as long as the English one, by what languages differ."""
        low, high = RATIOS[language]
        for name, paragraph in corpus().items():
            ratio = len(paragraph.text(language)) / len(paragraph.en)
            assert low <= ratio <= high, (name, ratio)

    def test_letters_are_the_languages_own(self, language: TaxLanguage) -> None:
        """No letter of another language got in, but for Czech names of persons and towns."""
        names = {"Kovář", "Kolín", "Kolíně", "Kolínie"}
        for name, paragraph in corpus().items():
            words = [word for word in re.findall(r"\w+", paragraph.text(language)) if word not in names]
            foreign = {letter for letter in "".join(words).lower() if not letter.isascii()} - set(LETTERS[language])
            assert not foreign, (name, foreign)


def test_the_same_figures() -> None:
    """Amounts, years and times in digits are the same in all languages of a paragraph."""
    for name, paragraph in corpus().items():
        digits = {
            language: sorted(
                re.findall(r"\d+", re.sub(r"(?<=\d)[ .,](?=\d)| h (?=\d)", "", paragraph.text(language)))
            )
            for language in LANGUAGES
        }
        assert len(set(map(tuple, digits.values()))) == 1, (name, digits)


def test_version_is_held_to_the_texts() -> None:
    """The texts are those of this version; whoever changes one raises the version and puts the new hash here."""
    assert (CORPUS_VERSION, corpus_sha256()[:16]) == (2, "adad42dec12d512e")
