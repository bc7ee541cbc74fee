"""The four shapes of an e-mail: what stands around the customer's message, and its traps.

In a thread older messages about a settled matter are quoted, with another order number, amount and deadline. A
forwarder is no customer, and may want something by a day of their own.
"""

from __future__ import annotations

from datetime import date, timedelta

import msgspec

from daemon.workloads.office.days import long_date, moment
from daemon.workloads.office.document_numbers import draw_other_number, forms
from daemon.workloads.office.emails.deadlines import draw_deadline
from daemon.workloads.office.emails.message import Message, after_greeting, said
from daemon.workloads.office.emails.money import STYLES, AmountSize, draw_money
from daemon.workloads.office.emails.outline import EmailOutline
from daemon.workloads.office.emails.parties import Parties
from daemon.workloads.office.emails.wording import phrases
from daemon.workloads.office.firms import personal_email
from daemon.workloads.seeding import Draws
from schemas.office import Language

_WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "cs": ("pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota", "neděle"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_SHORT_WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "cs": ("po", "út", "st", "čt", "pá", "so", "ne"),
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}


class _Header(msgspec.Struct, frozen=True):
    """Who sends what to whom, and when."""

    sender: str
    recipient: str
    day: date
    time: str
    subject: str

    def lines(self, language: Language, *, weekday: bool) -> list[str]:
        """Write it as mail programs do."""
        day = long_date(self.day, language)
        if weekday:
            name = _WEEKDAYS[language][self.day.weekday()]
            day = f"{name} {day}" if language == "cs" else f"{name}, {day}"
        labels = ("Od", "Komu", "Datum", "Předmět") if language == "cs" else ("From", "To", "Date", "Subject")
        contents = (self.sender, self.recipient, f"{day} {self.time}", self.subject)
        return [f"{label}: {content}" for label, content in zip(labels, contents, strict=True)]


def shaped(
    wording: Draws, values: Draws, language: Language, outline: EmailOutline, parties: Parties, message: Message
) -> tuple[str, tuple[str, ...]]:
    """Write the whole e-mail; returned are its text and the kinds of its parts."""
    customer = f"{parties.customer.name} <{parties.customer.email}>"
    answering = outline.shape == "thread"
    header = _Header(
        sender=customer,
        recipient=parties.mailbox,
        day=outline.sent,
        time=_time(wording, language),
        subject=f"Re: {message.subject}" if answering else message.subject,
    )
    body = "\n\n".join(message.paragraphs)
    if outline.shape == "forwarded":
        lines, internal = _forwarded(wording, language, outline, parties, header)
        return "\n".join([*lines, "", body]), ("note", *internal, *message.blocks)
    text = "\n".join([*header.lines(language, weekday=outline.weekday_shown), "", body])
    if answering:
        return f"{text}\n\n{_quoted(wording, values, language, outline, parties, message)}", (
            *message.blocks,
            "answer",
            "question",
        )
    return text, message.blocks


def _forwarded(
    wording: Draws, language: Language, outline: EmailOutline, parties: Parties, header: _Header
) -> tuple[list[str], tuple[str, ...]]:
    words = phrases().forwards
    day = outline.sent + timedelta(days=wording.between(0, 3))
    outer = _Header(
        sender=f"{parties.forwarder.name} <{personal_email(parties.forwarder, parties.firm.domain)}>",
        recipient=f"{parties.colleague.name} <{personal_email(parties.colleague, parties.firm.domain)}>",
        day=day,
        time=_time(wording, language, afternoon=True),
        subject=f"Fwd: {header.subject}",
    )
    note = after_greeting(said(wording.pick(words["note"]), language), language)
    internal: tuple[str, ...] = ()
    if wording.chance(0.5):
        deadline = draw_deadline(wording, day, wording.pick(("weekday", "tomorrow")))
        internal = ("internal-deadline",)
        note += " " + said(wording.pick(words["internal"]), language).format(by=deadline.by(language))
    if language == "cs":
        greeting = f"Ahoj {parties.colleague.given_name('vocative')},"
        closing, marker = "Díky", "---------- Přeposlaná zpráva ----------"
    else:
        greeting, closing = f"Hi {parties.colleague.given},", "Thanks,"
        marker = "---------- Forwarded message ----------"
    return [
        *outer.lines(language, weekday=outline.weekday_shown),
        "",
        greeting,
        "",
        note,
        "",
        closing,
        parties.forwarder.given,
        "",
        marker,
        *header.lines(language, weekday=outline.weekday_shown),
    ], internal


def _quoted(
    wording: Draws, values: Draws, language: Language, outline: EmailOutline, parties: Parties, message: Message
) -> str:
    """Quote our answer of some time ago and, below it, the customer's older message."""
    words = phrases().threads
    asked = outline.sent - timedelta(days=wording.between(12, 60))
    answered = asked + timedelta(days=wording.between(1, 4))
    taken = [each for each in (message.truth.order_number, message.truth.invoice_number) if each is not None]
    form = wording.below(forms("order")) if outline.order is None else outline.order
    order = draw_other_number(values, "order", form, language, year=asked.year, taken=taken)
    style = wording.below(STYLES)
    size: AmountSize = wording.pick(("low", "small", "large"))
    money = draw_money(values, language, size, style, foreign=outline.foreign)
    while money.amount == message.truth.amount:
        money = draw_money(values, language, size, style, foreign=outline.foreign)
    deadline = draw_deadline(wording, asked, wording.pick(("weekday", "days", "date")))
    slots = {"order": order, "amount": money.printed, "by": deadline.by(language)}
    greeting = "Dobrý den," if language == "cs" else "Hello,"
    regards = "S pozdravem" if language == "cs" else "Best regards,"
    answer = after_greeting(said(wording.pick(words["answer"]), language).format_map(slots), language)
    question = after_greeting(said(wording.pick(words["question"]), language).format_map(slots), language)
    clerk = f"{parties.clerk.name} <{parties.mailbox}>"
    customer = f"{parties.customer.name} <{parties.customer.email}>"
    inner = [greeting, "", question, "", regards, parties.customer.name]
    outer = [greeting, "", answer, "", regards, parties.clerk.name, parties.firm.name, ""]
    outer += [_wrote(customer, asked, _time(wording, language), language), *_cited(inner)]
    return "\n".join([_wrote(clerk, answered, _time(wording, language), language), *_cited(outer)])


def _wrote(sender: str, day: date, time: str, language: Language) -> str:
    name = _SHORT_WEEKDAYS[language][day.weekday()]
    if language == "cs":
        return f"{name} {day.day}. {day.month}. {day.year} v {time}, {sender}:"
    return f"On {name}, {long_date(day, language)} at {time} {sender} wrote:"


def _cited(lines: list[str]) -> list[str]:
    return [(f">{line}" if line.startswith(">") else f"> {line}").rstrip() for line in lines]


def _time(wording: Draws, language: Language, *, afternoon: bool = False) -> str:
    hour = wording.between(13, 18) if afternoon else wording.between(7, 12)
    return moment(hour, wording.below(60), language)
