"""Pairs of generated office texts in bulk, written once a test run."""

from __future__ import annotations

from functools import cache
from typing import get_args

from daemon.workloads.office.emails import write_emails
from daemon.workloads.office.personal import write_personal_texts
from daemon.workloads.office.texts import WrittenText
from daemon.workloads.seeding import Draws
from schemas.office import EmailShape, EmailTruth, Language, PersonalKind, PersonalTruth

PAIRS = 1_000
"""Of each task: two thousand documents."""


@cache
def email_pairs() -> tuple[tuple[EmailShape, dict[Language, WrittenText[EmailTruth]]], ...]:
    """Write pairs of e-mails, the shapes in turn."""
    shapes = get_args(EmailShape)
    return tuple(
        (
            shapes[number % len(shapes)],
            write_emails(Draws("tests", "email", str(number)), shapes[number % len(shapes)]),
        )
        for number in range(PAIRS)
    )


def every_email() -> list[tuple[EmailShape, Language, WrittenText[EmailTruth]]]:
    """List all e-mails with shape and language."""
    return [(shape, language, written) for shape, pair in email_pairs() for language, written in sorted(pair.items())]


@cache
def personal_pairs() -> tuple[tuple[PersonalKind, dict[Language, WrittenText[PersonalTruth]]], ...]:
    """Write pairs of texts with personal data, the kinds in turn."""
    kinds = get_args(PersonalKind)
    return tuple(
        (
            kinds[number % len(kinds)],
            write_personal_texts(Draws("tests", "personal", str(number)), kinds[number % len(kinds)]),
        )
        for number in range(PAIRS)
    )


def every_personal_text() -> list[tuple[PersonalKind, Language, WrittenText[PersonalTruth]]]:
    """List all texts with kind and language."""
    return [
        (kind, language, written) for kind, pair in personal_pairs() for language, written in sorted(pair.items())
    ]
