"""The customer's message: subject, sentences and signature, from the outline and the values of one language."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from daemon.workloads.office.document_numbers import draw_number
from daemon.workloads.office.emails.money import Money, draw_money
from daemon.workloads.office.emails.outline import EmailOutline
from daemon.workloads.office.emails.parties import Parties
from daemon.workloads.office.emails.priority import priority_of
from daemon.workloads.office.emails.signatures import long_signature, short_signature
from daemon.workloads.office.emails.wording import matters, phrases
from daemon.workloads.office.texts import Said
from daemon.workloads.seeding import Draws
from schemas.office import EmailTruth, Language


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What the customer writes: truth and paragraphs; signature lines belong to the last."""

    truth: EmailTruth
    subject: str
    paragraphs: tuple[str, ...]
    blocks: tuple[str, ...]


def said(each: Said, language: Language) -> str:
    """Return a sentence in a language."""
    return each.cs if language == "cs" else each.en


def after_greeting(sentence: str, language: Language) -> str:
    """Begin the first sentence behind a greeting's comma: small in Czech, capital in English."""
    first = sentence[0].lower() if language == "cs" else sentence[0].upper()
    return first + sentence[1:]


def draw_message(
    wording: Draws, values: Draws, language: Language, outline: EmailOutline, parties: Parties
) -> Message:
    """Draw the values of a language and put them into the outline's sentences.

    ``wording`` must give both twins the same draws; ``values`` gives each its own.
    """
    order, invoice, money = _values(values, language, outline)
    matter = matters()[outline.category][outline.matter]
    slots = {
        "order": order or "",
        "invoice": invoice or "",
        "amount": money.printed if money else "",
        "by": outline.deadline.by(language) if outline.deadline else "",
    }
    slots["By"] = slots["by"].capitalize() if language == "cs" else slots["by"][:1].upper() + slots["by"][1:]

    def pick(choices: Sequence[Said]) -> str:
        return said(wording.pick(choices), language).format_map(slots)

    words = phrases()
    opening: list[tuple[str, str]] = []
    if outline.shape == "thread":
        opening.append(("bridge", pick(words.threads["bridge"])))
    reference = _reference(outline)
    if reference != "none" or (outline.shape != "thread" and wording.chance(0.4)):
        opening.append((f"reference-{reference}", pick(words.references[reference])))
    if outline.sentiment != "neutral":
        opening.append((outline.sentiment, pick(words.moods[f"{outline.sentiment}_before"])))
    body = [("matter", matter.cs if language == "cs" else matter.en)]
    if money is not None:
        body.append(("amount", pick(words.amounts[outline.category])))
    ending: list[tuple[str, str]] = []
    if outline.deadline is not None:
        ending.append(("deadline", pick(words.deadlines[outline.category])))
    afterwards = wording.chance(0.5) and not (outline.sentiment == "negative" and outline.category == "order")
    if afterwards:
        ending.append((f"{outline.sentiment}-after", pick(words.moods[f"{outline.sentiment}_after"])))
    parts = [part for part in (opening, body, ending) if part]
    paragraphs = [" ".join(_sentence(text) for _, text in part) for part in parts]
    paragraphs[0] = after_greeting(paragraphs[0], language)
    greeting, closing = pick(words.manners["greeting"]), pick(words.manners["closing"])
    signature = (
        long_signature(wording, values, language, parties, outline)
        if outline.shape == "signature"
        else short_signature(wording, language, parties)
    )
    return Message(
        truth=_truth(outline, parties, order, invoice, money),
        subject=_subject(wording, language, said(matter.subject, language), order),
        paragraphs=(greeting, *paragraphs, "\n".join((closing, *signature))),
        blocks=("greeting", *(name for part in parts for name, _ in part), "closing", outline.signer),
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _reference(outline: EmailOutline) -> str:
    if outline.category == "order":
        return "none" if outline.order is None else "new_order"
    if outline.order is not None:
        return "order" if outline.invoice is None else "both"
    return "none" if outline.invoice is None else "invoice"


def _values(values: Draws, language: Language, outline: EmailOutline) -> tuple[str | None, str | None, Money | None]:
    year = outline.sent.year
    order = None if outline.order is None else draw_number(values, "order", outline.order, language, year=year)
    invoice = None
    while outline.invoice is not None and invoice in {None, order}:
        invoice = draw_number(values, "invoice", outline.invoice, language, year=year)
    money = None
    if outline.amount is not None:
        money = draw_money(values, language, outline.amount, outline.amount_style, foreign=outline.foreign)
    return order, invoice, money


def _subject(wording: Draws, language: Language, subject: str, order: str | None) -> str:
    if wording.chance(0.3) and order is not None:
        return f"{subject}, {'objednávka' if language == 'cs' else 'order'} {order}"
    return subject


def _truth(
    outline: EmailOutline, parties: Parties, order: str | None, invoice: str | None, money: Money | None
) -> EmailTruth:
    amount = None if money is None else money.amount
    currency = None if money is None else money.currency
    deadline = None if outline.deadline is None else outline.deadline.day
    return EmailTruth(
        category=outline.category,
        priority=priority_of(
            category=outline.category,
            sentiment=outline.sentiment,
            amount=amount,
            currency=currency,
            deadline=deadline,
        ),
        sentiment=outline.sentiment,
        customer=parties.customer.name,
        order_number=order,
        invoice_number=invoice,
        amount=amount,
        currency=currency,
        deadline=deadline,
    )
