"""The office prompts: they name all that an answer is scored by, and do not change unnoticed."""

from __future__ import annotations

import unicodedata
from typing import get_args

import pytest

from daemon.workloads.office.emails.money import LARGE
from daemon.workloads.office.prompts import office_prompt
from schemas.office import (
    EmailCategory,
    EmailPriority,
    EmailSentiment,
    Language,
    Task,
    answer_schema,
)

PROMPTS = [(task, language) for task in get_args(Task) for language in get_args(Language)]
HASHES: dict[tuple[Task, Language], tuple[int, str]] = {
    ("invoice", "cs"): (1, "3b21fea7d74f1c65"),
    ("invoice", "en"): (1, "c2857013bee41d6c"),
    ("email", "cs"): (1, "871db5273756b158"),
    ("email", "en"): (1, "e284110653286754"),
    ("personal", "cs"): (1, "f6300e136d10f1a9"),
    ("personal", "en"): (1, "480468ee1f98d730"),
}


@pytest.mark.parametrize(("task", "language"), PROMPTS)
class TestPrompts:
    def test_keys(self, task: Task, language: Language) -> None:
        """Every key of the schema is explained on a line of its own, in the schema's order, and no other."""
        keys = [
            line.partition('"')[2].partition('"')[0]
            for line in office_prompt(task, language).text.splitlines()
            if line.startswith('"')
        ]
        assert keys == list(answer_schema(task, language)["properties"])

    def test_form(self, task: Task, language: Language) -> None:
        """The text is in NFC, without blanks at ends of lines."""
        text = office_prompt(task, language).text
        assert text == unicodedata.normalize("NFC", text)
        assert all(line == line.rstrip() for line in text.splitlines())

    def test_version_is_held_to_the_text(self, task: Task, language: Language) -> None:
        """The text is that of this version; whoever changes it raises the version and puts the new hash here."""
        prompt = office_prompt(task, language)
        assert (prompt.version, prompt.sha256[:16]) == HASHES[task, language]

    def test_what_is_sent(self, task: Task, language: Language) -> None:
        """A document of text comes last and unchanged; one that is an image is announced."""
        prompt = office_prompt(task, language)
        assert prompt.with_text("A\n B").startswith(prompt.text + "\n\n")
        assert prompt.with_text("A\n B").endswith(":\nA\n B")
        assert prompt.with_image().startswith(prompt.text + "\n\n")


@pytest.mark.parametrize("language", get_args(Language))
def test_closed_sets(language: Language) -> None:
    """The e-mail prompt names every category, priority and sentiment."""
    text = office_prompt("email", language).text
    for word in (*get_args(EmailCategory), *get_args(EmailPriority), *get_args(EmailSentiment)):
        assert f'"{word}"' in text, word


def test_amounts_of_the_priority_rules() -> None:
    """The amounts at which a priority rises are those by which truths are made."""
    english, czech = (office_prompt("email", language).text for language in ("en", "cs"))
    assert f"at least {LARGE['USD']:,} USD or {LARGE['EUR']:,} EUR" in english
    assert f"alespoň {LARGE['CZK']:,} CZK nebo {LARGE['EUR']:,} EUR".replace(",", " ") in czech
