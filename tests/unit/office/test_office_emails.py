"""Generated e-mails: every truth stands in the text, traps do not spoil it, twins are alike."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import product
from typing import get_args

import msgspec
import pytest
from office_texts import email_pairs, every_email

from daemon.judging.office.amounts import read_amount
from daemon.judging.office.dates import read_date
from daemon.workloads.office.emails import write_emails
from daemon.workloads.office.emails.deadlines import WEEKDAYS
from daemon.workloads.office.emails.priority import priority_of
from daemon.workloads.office.emails.wording import matters, phrases
from daemon.workloads.office.identifiers.collisions import collides
from daemon.workloads.seeding import Draws
from schemas.office import (
    EmailCategory,
    EmailPriority,
    EmailSentiment,
    EmailShape,
    Language,
    truth_json,
)

AMOUNT = {
    "cs": re.compile(r"[0-9][0-9 ]*(?:,(?:[0-9]{2}|-))? (?:Kč|CZK|EUR|€)"),
    "en": re.compile(r"(?:[$€]|(?:USD|EUR) )[0-9](?:[0-9,]*[0-9])?(?:\.[0-9]{2})?"),
}
DAY = {
    "cs": re.compile(r"(?:Datum: (?:\w+ )?)([0-9]+\. \w+ [0-9]{4})"),
    "en": re.compile(r"(?:Date: (?:\w+, )?)(\w+ [0-9]+, [0-9]{4})"),
}


def customers_part(text: str) -> str:
    """Cut out the customer's message with its headers, as a reader would: no note above it, no quotes below it."""
    part = re.split(r"^-{10} [\w ]+ -{10}$", text, flags=re.MULTILINE)[-1]
    return "\n".join(line for line in part.splitlines() if not line.startswith(">"))


def body(text: str) -> str:
    """Cut off headers and a long signature too."""
    return customers_part(text).partition("\n\n")[2].partition("\n--\n")[0]


def read_deadline(text: str, language: Language) -> set[date]:
    """Read every deadline in a customer's message with rules of this test's own."""
    day = DAY[language].search(customers_part(text))
    assert day
    sent_day = read_date(day[1], language)
    assert sent_day
    sent = sent_day.said()
    assert sent
    found: set[date] = set()
    prose = body(text)
    word = {"cs": r"\b[Dd]o ", "en": r"\b[Bb]y "}[language]
    for number, name in enumerate(WEEKDAYS[language]):
        if re.search(word + name + r"\b", prose):
            found.add(sent + timedelta(days=(number - sent.weekday() - 1) % 7 + 1))
    within = re.search({"cs": r"\b[Dd]o ([0-9]+) dnů", "en": r"\b[Ww]ithin ([0-9]+) days"}[language], prose)
    if within:
        found.add(sent + timedelta(days=int(within[1])))
    if re.search(word + {"cs": "zítřka", "en": "tomorrow"}[language], prose):
        found.add(sent + timedelta(days=1))
    absolute = {"cs": r"([0-9]+\. (?:[0-9]+\. |\w+))(?: ?([0-9]{4}))?", "en": r"([A-Z]\w+ [0-9]+)(?:, ([0-9]{4}))?"}
    for each in re.finditer(word + absolute[language], prose):
        years = [int(each[2])] if each[2] else [sent.year, sent.year + 1]
        days = [read_date(f"{each[1].strip()} {year}", language) for year in years]
        found.add(min(said for read in days if read and (said := read.said()) and said > sent))
    return found


class TestTruths:
    def test_readable(self) -> None:
        """Customer, numbers and amount stand in the customer's message as the truth has them."""
        for _, language, written in every_email():
            truth, part = written.truth, customers_part(written.text)
            assert truth.customer
            assert truth.customer in part
            assert truth.customer in part.partition("\n\n")[2]  # signed, not only in the header
            for number in (truth.order_number, truth.invoice_number):
                assert number is None or re.search(rf"(?<![\w-]){re.escape(number)}(?![\w-])", part)
            printed = [match[0] for match in AMOUNT[language].finditer(body(written.text))]
            if truth.amount is None:
                assert not printed
                assert truth.currency is None
            else:
                assert len(printed) == 1
                currency = {"Kč": "CZK", "CZK": "CZK", "$": "USD", "USD": "USD", "€": "EUR", "EUR": "EUR"}
                assert {code for mark, code in currency.items() if mark in printed[0]} == {truth.currency}
                assert read_amount(printed[0]) == truth.amount

    def test_deadlines(self) -> None:
        """The deadline that rules of our own read in the message, counted from its day, is the truth."""
        for _, language, written in every_email():
            truth = written.truth.deadline
            assert read_deadline(written.text, language) == ({truth} if truth else set()), written.text

    def test_never_ambiguous(self) -> None:
        """No weekday is the base's own, and nobody says next Friday or the end of the week."""
        for _, language, written in every_email():
            for forbidden in ("next", "end of the week", "příští pátek", "konce týdne"):
                assert f"by {forbidden}" not in written.text
                assert f"do {forbidden}" not in written.text
            day = DAY[language].findall(customers_part(written.text))
            assert len(day) == 1
            sent = read_date(day[0], language)
            assert sent
            weekday = sent.said()
            assert weekday
            if weekday.weekday() < 5:
                own = WEEKDAYS[language][weekday.weekday()]
                assert not re.search(rf"\b([Dd]o|[Bb]y) {own}\b", body(written.text))

    def test_priority_follows_the_other_truths(self) -> None:
        """The priority is what the rules make of the truth's other fields."""
        for _, _, written in every_email():
            truth = written.truth
            assert truth.priority == priority_of(
                category=truth.category,
                sentiment=truth.sentiment,
                amount=truth.amount,
                currency=truth.currency,
                deadline=truth.deadline,
            )

    def test_every_word_occurs(self) -> None:
        """Every category, priority and sentiment occurs, none of them in fewer than five of a hundred e-mails."""
        truths = [written.truth for _, _, written in every_email()]
        for field, words in (("category", EmailCategory), ("priority", EmailPriority), ("sentiment", EmailSentiment)):
            counts = Counter(getattr(truth, field) for truth in truths)
            assert set(counts) == set(get_args(words))
            assert min(counts.values()) > len(truths) * 0.05, counts

    def test_empty_and_set(self) -> None:
        """Numbers, amounts and deadlines are stated in some e-mails and not in others."""
        truths = [written.truth for _, _, written in every_email()]
        for field in ("order_number", "invoice_number", "amount", "deadline"):
            stated = sum(getattr(truth, field) is not None for truth in truths)
            assert 0.15 < stated / len(truths) < 0.75, (field, stated)


class TestTraps:
    def test_quoted_values_are_others(self) -> None:
        """What a thread quotes has another order number and another amount than the truth."""
        for shape, language, written in every_email():
            quoted = "\n".join(line for line in written.text.splitlines() if line.startswith(">"))
            assert bool(quoted) == (shape == "thread")
            if shape == "thread":
                assert written.truth.order_number is None or written.truth.order_number not in quoted
                amounts = [read_amount(each[0]) for each in AMOUNT[language].finditer(quoted)]
                assert amounts
                assert written.truth.amount not in amounts

    def test_the_forwarder_is_not_the_customer(self) -> None:
        """Above a forwarded message stands a colleague's note, in which the customer is not named."""
        for shape, _, written in every_email():
            note, marker, _ = written.text.partition("\n---------- ")
            assert bool(marker) == (shape == "forwarded")
            if marker:
                assert written.truth.customer
                assert written.truth.customer not in note

    def test_long_signatures_name_another_firm(self) -> None:
        """A long signature has phones and a firm that is not the customer."""
        for shape, _, written in every_email():
            signature = written.text.partition("\n--\n")[2]
            assert bool(signature) == (shape == "signature")
            if signature:
                assert signature.count("555") >= 2

    def test_numbers_are_no_identifiers(self) -> None:
        """No order or invoice number passes as an identifier of a person, a firm or an account."""
        for _, _, written in every_email():
            for number in (written.truth.order_number, written.truth.invoice_number):
                assert number is None or collides(number) == ()


class TestTwins:
    def test_equal_structure(self) -> None:
        """Twins have the same parts in the same order, the same words of closed sets, and the same fields set."""
        for _, pair in email_pairs():
            czech, english = pair["cs"], pair["en"]
            assert czech.blocks == english.blocks
            assert czech.text.count("\n") == english.text.count("\n")
            for field in ("category", "priority", "sentiment", "deadline"):
                assert getattr(czech.truth, field) == getattr(english.truth, field)
            for field in ("order_number", "invoice_number", "amount", "currency"):
                assert (getattr(czech.truth, field) is None) == (getattr(english.truth, field) is None)

    def test_form(self) -> None:
        """Texts are in NFC, without blanks at ends of lines, unfilled slots or mail domains that exist."""
        for _, _, written in every_email():
            text = written.text
            assert text == unicodedata.normalize("NFC", text)
            assert all(line == line.rstrip() for line in text.splitlines())
            assert not re.search(r"[{}]|\n\n\n", text)
            assert all(domain.endswith(".example") for domain in re.findall(r"@([\w.-]+)", text))

    def test_varied(self) -> None:
        """No two e-mails are the same, and without their values there are hundreds of different ones."""
        texts = [body(pair["cs"].text) for _, pair in email_pairs()]
        assert len(set(texts)) == len(texts)
        assert len({(*pair["cs"].blocks, pair["cs"].truth.category) for _, pair in email_pairs()}) > 150

    def test_reproducible(self) -> None:
        """The same stream gives the same pair, and another stream another one."""
        one, again, other = (write_emails(Draws(seed), "thread") for seed in ("a", "a", "b"))
        assert one == again
        assert one["cs"].text != other["cs"].text


@pytest.mark.parametrize(
    ("category", "sentiment", "amount", "currency", "deadline", "priority"),
    [
        ("order", "negative", None, None, date(2026, 3, 6), "urgent"),
        ("complaint", "negative", None, None, None, "high"),
        ("technical", "positive", None, None, None, "high"),
        ("order", "neutral", Decimal(25_000), "CZK", date(2026, 3, 6), "high"),
        ("order", "neutral", Decimal("24999.99"), "CZK", date(2026, 3, 6), "normal"),
        ("order", "neutral", Decimal(1_000), "USD", date(2026, 3, 6), "high"),
        ("order", "neutral", Decimal(1_000), "EUR", None, "normal"),
        ("other", "neutral", None, None, None, "low"),
        ("other", "negative", None, None, date(2026, 3, 6), "urgent"),
        ("return", "positive", None, None, None, "low"),
        ("return", "positive", None, None, date(2026, 3, 6), "normal"),
    ],
)
def test_priority_rules(
    category: EmailCategory,
    sentiment: EmailSentiment,
    amount: Decimal | None,
    currency: str | None,
    deadline: date | None,
    priority: EmailPriority,
) -> None:
    """The first rule that fires decides."""
    decided = priority_of(category=category, sentiment=sentiment, amount=amount, currency=currency, deadline=deadline)
    assert decided == priority


def test_wording_is_parallel() -> None:
    """Every sentence has the same slots in both languages, and every matter a mood in which it is written."""
    words = phrases()
    for group in msgspec.structs.asdict(words).values():
        for sentences in group.values():
            for each in sentences:
                slots = [
                    sorted(name.lower() for name in re.findall(r"\{(\w+)\}", text)) for text in (each.cs, each.en)
                ]
                assert slots[0] == slots[1], each
    for category, mood in product(get_args(EmailCategory), get_args(EmailSentiment)):
        assert any(mood in matter.moods for matter in matters()[category])


def test_golden() -> None:
    """The first pairs are those of this version; a change that alters one is another version of the data set."""
    digest = sha256()
    for number in range(12):
        shape = get_args(EmailShape)[number % 4]
        for _, written in sorted(write_emails(Draws("golden", str(number)), shape).items()):
            digest.update(truth_json(written.truth) + written.text.encode())
    assert digest.hexdigest()[:16] == "39fb73e199efe5de"
