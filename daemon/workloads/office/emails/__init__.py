"""E-mails of customers: the truth first, then the text, as Czech and English twins of one outline."""

from __future__ import annotations

from typing import get_args

from daemon.workloads.office.emails.message import draw_message
from daemon.workloads.office.emails.outline import draw_outline
from daemon.workloads.office.emails.parties import draw_parties
from daemon.workloads.office.emails.shapes import shaped
from daemon.workloads.office.texts import WrittenText
from daemon.workloads.seeding import Draws
from schemas.office import EmailShape, EmailTruth, Language

__all__ = ["write_emails"]


def write_emails(draws: Draws, shape: EmailShape) -> dict[Language, WrittenText[EmailTruth]]:
    """Write a pair of e-mails of a shape from one stream; the stream itself is not advanced."""
    outline = draw_outline(draws.branch("outline"), shape)
    written: dict[Language, WrittenText[EmailTruth]] = {}
    for language in get_args(Language):
        wording, values = draws.branch("wording"), draws.branch("values", language)
        parties = draw_parties(draws.branch("parties", language), language, outline)
        message = draw_message(wording, values, language, outline, parties)
        text, blocks = shaped(wording, values, language, outline, parties, message)
        written[language] = WrittenText(message.truth, text, blocks)
    return written
