"""The outline of a pair of e-mails: all that the twins share, drawn before any name or number."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, get_args

import msgspec

from daemon.workloads.office.document_numbers import forms
from daemon.workloads.office.emails.deadlines import KINDS, Deadline, draw_deadline
from daemon.workloads.office.emails.money import STYLES, AmountSize
from daemon.workloads.office.emails.wording import ALL_MOODS, matters
from daemon.workloads.seeding import Draws
from schemas.office import EmailCategory, EmailSentiment, EmailShape

Signer = Literal["private", "employee", "company"]
"""A person at home, a person at a firm, or a firm without a person's name."""

_FIRST_DAY = date(2025, 9, 1)
_DAYS = 420

_CHANCES: dict[EmailCategory, tuple[float, float, float, float]] = {
    "order": (0.45, 0.0, 0.45, 0.55),
    "delivery": (0.85, 0.1, 0.2, 0.5),
    "invoice": (0.35, 0.95, 0.7, 0.5),
    "complaint": (0.75, 0.3, 0.45, 0.55),
    "return": (0.7, 0.35, 0.6, 0.45),
    "technical": (0.3, 0.1, 0.25, 0.5),
    "cancellation": (0.75, 0.15, 0.4, 0.4),
    "other": (0.0, 0.0, 0.6, 0.4),
}
"""Of an order number, an invoice number, an amount (where it fits) and a deadline."""

_MOODS: dict[EmailCategory, tuple[int, int, int]] = {
    "order": (4, 5, 1),
    "delivery": (2, 5, 3),
    "invoice": (2, 5, 3),
    "complaint": (1, 4, 5),
    "return": (2, 5, 3),
    "technical": (2, 5, 3),
    "cancellation": (2, 5, 3),
    "other": (4, 4, 2),
}
"""How often positive, neutral and negative, of ten."""


_PLANNED: tuple[EmailCategory, ...] = ("order", "other")
"""Amounts of what is only planned are round: nobody has a budget with cents."""
_STYLES_WITHOUT_CENTS = (0, 2)
_SIZES: dict[str, tuple[AmountSize, ...]] = {"low": ("low",), "any": ("small", "large")}


class EmailOutline(msgspec.Struct, frozen=True, kw_only=True):
    """What both twins have. matter: place in its category. sent: day of the customer's message.

    order, invoice: form of the number, None for none. amount_style: as it is printed.
    """

    shape: EmailShape
    category: EmailCategory
    sentiment: EmailSentiment
    matter: int
    signer: Signer
    sent: date
    order: int | None
    invoice: int | None
    amount: AmountSize | None
    amount_style: int
    foreign: bool
    deadline: Deadline | None
    weekday_shown: bool


def draw_outline(draws: Draws, shape: EmailShape) -> EmailOutline:
    """Draw the outline of a pair."""
    category = draws.pick(get_args(EmailCategory))
    positive, neutral, _ = _MOODS[category]
    draw = draws.below(10)
    sentiment = ALL_MOODS[0 if draw < positive else 1 if draw < positive + neutral else 2]
    fitting = [place for place, each in enumerate(matters()[category]) if sentiment in each.moods]
    matter = draws.pick(fitting)
    order, invoice, amount, deadline = (draws.chance(chance) for chance in _CHANCES[category])
    about = matters()[category][matter]
    fits = about.money != "none"
    sent = _FIRST_DAY + timedelta(days=draws.below(_DAYS))
    kind = draws.pick(KINDS)
    return EmailOutline(
        shape=shape,
        category=category,
        sentiment=sentiment,
        matter=matter,
        signer=draws.pick(("private", "employee", "employee", "employee", "company")),
        sent=sent,
        order=draws.below(forms("order")) if order else None,
        invoice=draws.below(forms("invoice")) if invoice else None,
        amount=draws.pick(_SIZES[about.money]) if amount and fits else None,
        amount_style=draws.pick(_STYLES_WITHOUT_CENTS) if category in _PLANNED else draws.below(STYLES),
        foreign=draws.chance(0.2),
        deadline=draw_deadline(draws, sent, kind) if deadline and about.deadline else None,
        weekday_shown=draws.chance(0.5),
    )
