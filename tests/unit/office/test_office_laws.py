"""Laws of scoring: any allowed form reads back, nothing raises, order says nothing, lost marks are always told."""

from __future__ import annotations

import json
import unicodedata
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_truths import (
    CZECH_INVOICE,
    EMAIL,
    EMPTY_PERSONAL,
    ENGLISH_INVOICE,
    PERSONAL,
    WITHOUT_VAT,
    document,
    right_answer,
)

from daemon.judging.office.amounts import read_amount
from daemon.judging.office.dates import read_date
from daemon.judging.office.documents import score_document, score_field, task_of
from daemon.judging.office.fields import CATEGORIES, KINDS
from daemon.judging.office.strict_json import read_object
from schemas.office import FIELDS, Entity, FieldScore, Language, RateAmount, Truth

SPACES = st.sampled_from(["", " ", "\u00a0", "\u202f", "\u2009"])
LETTERS = st.sampled_from("abcdefgzABCZ áčďéěíňóřšťúůýžÁČŘŠŽłŁöüßőąęćńśźż.,&-'")
CONVENTIONS = {"cs": ((" ", "\u00a0", "\u202f", ".", ""), ","), "us": ((",", " ", ""), ".")}
CZECH_MONTHS = [
    "ledna",
    "února",
    "března",
    "dubna",
    "května",
    "června",
    "července",
    "srpna",
    "září",
    "října",
    "listopadu",
    "prosince",
]
ENGLISH_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
TRUTHS: tuple[tuple[Truth, Language], ...] = (
    (CZECH_INVOICE, "cs"),
    (ENGLISH_INVOICE, "en"),
    (WITHOUT_VAT, "cs"),
    (EMAIL, "en"),
    (PERSONAL, "cs"),
    (EMPTY_PERSONAL, "en"),
)


def json_values() -> st.SearchStrategy[Any]:
    """Any value that JSON can say, NaN and infinities too, which it cannot."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(st.characters(codec="utf-8"))
        | st.sampled_from(["1.770,00", "5. 3. 2026", "12. brezna 1985", "CZ6947", "Petr Riha", "()", "-", ",-"])
    )
    keys = st.text() | st.sampled_from(["rate", "amount", "21", "forms"])
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=8
    )


@st.composite
def written_amounts(draw: st.DrawFn) -> tuple[str, Decimal]:
    """Write an amount in any of the allowed forms, beside what it is."""
    cents = draw(st.integers(min_value=-(10**11), max_value=10**11))
    groupings, point = CONVENTIONS[draw(st.sampled_from(sorted(CONVENTIONS)))]
    whole, rest = divmod(abs(cents), 100)
    body = f"{whole:,}".replace(",", draw(st.sampled_from(groupings)))
    if rest or draw(st.booleans()):
        body += f"{point}{rest:02d}"
    elif draw(st.booleans()):
        body += draw(st.sampled_from([",-", ",\u2013"]))
    mark = draw(st.sampled_from(["Kč", "CZK", "$", "USD", "€", "EUR"]))
    before, behind = draw(st.sampled_from([("", ""), (mark, ""), ("", mark)]))
    gap = draw(SPACES)
    text = f"{before}{gap}{body}{gap}{behind}"
    if cents < 0:
        minus = draw(st.sampled_from("-\u2212\u2013"))
        forms = [f"{minus}{text}", f"({text})", f"{before}{minus}{body}"]
        if not body.endswith(("-", "\u2013")):  # would be neither, whatever stands between
            forms.append(f"{text}{gap}{minus}")
        text = draw(st.sampled_from(forms))
    return text, Decimal(cents).scaleb(-2)


@st.composite
def written_dates(draw: st.DrawFn) -> tuple[str, date, Language]:
    """Write a date in any of the allowed forms of a language, beside what it is."""
    day = draw(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31)))
    language: Language = draw(st.sampled_from(["cs", "en"]))
    d, m, y = day.day, day.month, day.year
    forms = [day.isoformat(), f"{d}. {m}. {y}", f"{d:02d}.{m:02d}.{y}", f"{d}.\u00a0{m}.\u00a0{y}"]
    if language == "cs":
        name = draw(st.sampled_from([CZECH_MONTHS[m - 1], unicodedata.normalize("NFD", CZECH_MONTHS[m - 1])]))
        forms += [f"{d}/{m}/{y}", f"{d}. {name} {y}", f"{d}.{name}\u00a0{y}"]
    else:
        name = ENGLISH_MONTHS[m - 1]
        forms += [
            f"{m}/{d}/{y}",
            f"{m:02d}/{d:02d}/{y}",
            f"{name} {d}, {y}",
            f"{d} {name} {y}",
            f"{name[:3]}. {d}, {y}",
        ]
    return draw(st.sampled_from(forms)), day, language


def stripped(text: str) -> str:
    """Take all combining marks away, and strokes."""
    bare = "".join(each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) != "Mn")
    return bare.translate(str.maketrans("łŁ", "lL"))


names = st.text(LETTERS, min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
marked = names.filter(lambda text: stripped(text) != unicodedata.normalize("NFD", text) and stripped(text) != text)


@given(written_amounts())
def test_amounts_read_back(written: tuple[str, Decimal]) -> None:
    """An amount written in any allowed style is read as what it is."""
    text, amount = written
    assert read_amount(text) == amount


@given(written_dates())
def test_dates_read_back(written: tuple[str, date, Language]) -> None:
    """A date written in any allowed style of its language is read as what it is."""
    text, day, language = written
    read = read_date(text, language)
    assert read is not None
    assert read.said() == day


@given(amount=written_amounts(), day=written_dates(), name=names, gap=SPACES)
def test_a_truth_in_any_style_is_right(
    amount: tuple[str, Decimal], day: tuple[str, date, Language], name: str, gap: str
) -> None:
    """An answer that says the truth in any allowed style is error-free, NFD and white space included."""
    truth = msgspec.structs.replace(EMAIL, amount=amount[1], deadline=day[1], customer=name)
    answer = {
        **right_answer(EMAIL),
        "amount": amount[0],
        "deadline": day[0],
        "customer": f"{gap}{unicodedata.normalize('NFD', name)}{gap}",
        "invoice_number": gap.join("20260042"),
    }
    assert score_document(document(truth, language=day[2]), json.dumps(answer)).error_free


@settings(max_examples=300)
@given(reply=st.text(st.characters()) | st.text(st.sampled_from('{}[]",:`0123456789eE.-+ \\u\nabjsontrue\ud800')))
def test_no_text_raises(reply: str) -> None:
    """Any text gets a score: one object that is valid JSON, or every field invalid_json."""
    for truth, language in TRUTHS:
        scored = score_document(document(truth, language=language), reply)
        assert scored.valid == (read_object(reply) is not None)
        if not scored.valid:
            assert {each.category for each in scored.fields} <= {"invalid_json", None}


@settings(max_examples=400)
@given(value=json_values(), place=st.integers(min_value=0, max_value=100))
def test_no_answer_raises_and_only_possible_categories_come_out(value: Any, place: int) -> None:
    """Any JSON value as any answer gets one verdict, with a category of its kind exactly when it is wrong."""
    for truth, language in TRUTHS:
        task = task_of(truth)
        field = FIELDS[task][place % len(FIELDS[task])]
        reply = json.dumps({**right_answer(truth), field: value})
        for each in score_document(document(truth, language=language), reply).fields:
            assert (each.category is not None) == (each.verdict == "wrong")
            assert each.category is None or each.category in CATEGORIES[KINDS[task][each.field]]
            assert each.sub_code is None or each.category is not None


@given(data=st.data())
def test_order_says_nothing(data: st.DataObject) -> None:
    """A list scores the same in any order, right or wrong, and so do amounts by rate."""
    values = [*PERSONAL.decoys, *(form for entity in PERSONAL.names + PERSONAL.birth_dates for form in entity.forms)]
    values += [stripped(value) for value in values] + ["1985-12-03", "x"]
    field = data.draw(st.sampled_from(["names", "birth_dates", "identification_numbers"]))
    said = data.draw(st.lists(st.sampled_from(values), max_size=6))
    pairs = [
        {"rate": rate, "amount": amount}
        for rate, amount in data.draw(
            st.lists(st.tuples(st.sampled_from([21, 12, 0, "x"]), st.sampled_from([1000, 500, -500, 50, "y"])))
        )
    ]
    for truth, name, answer in ((PERSONAL, field, said), (CZECH_INVOICE, "net_by_rate", pairs)):
        shuffled = data.draw(st.permutations(answer))
        assert score_field(name, truth, read(name, answer), "cs") == score_field(
            name, truth, read(name, shuffled), "cs"
        )


def read(field: str, answer: Any) -> dict[str, object] | None:
    """Read an answer as it would be read of a reply."""
    return read_object(json.dumps({field: answer}))


@given(marked)
def test_lost_marks_are_always_told(name: str) -> None:
    """A value stripped of the marks that it has is diacritics_lost, as a name, an identifier or an entity."""
    said = stripped(name)
    invoice = msgspec.structs.replace(CZECH_INVOICE, supplier_name=name, invoice_number=name)
    for field in ("supplier_name", "invoice_number"):
        assert score_field(field, invoice, {field: said}, "cs") == FieldScore(field, "wrong", "diacritics_lost")
    for field in ("names", "emails", "addresses", "phones", "bank_accounts"):
        person = msgspec.structs.replace(EMPTY_PERSONAL, **{field: (Entity((name,)), Entity(("zzz",)))})
        expected = FieldScore(field, "wrong", "diacritics_lost")
        if stripped(name) != "zzz":
            assert score_field(field, person, {field: [said, "zzz"]}, "cs") == expected


@given(st.sampled_from([3, 5, 6, 7, 10]), st.integers(min_value=1, max_value=28))
def test_lost_marks_of_months_are_told(month: int, day: int) -> None:
    """A date whose month's name lost its marks is diacritics_lost, not another day and not unreadable."""
    truth = msgspec.structs.replace(EMAIL, deadline=date(2026, month, day))
    said = f"{day}. {stripped(CZECH_MONTHS[month - 1])} 2026"
    assert score_field("deadline", truth, {"deadline": said}, "cs") == FieldScore(
        "deadline", "wrong", "diacritics_lost"
    )


@given(st.text(LETTERS, max_size=12), st.text(LETTERS, max_size=12))
def test_never_right_with_other_marks(one: str, other: str) -> None:
    """Names are right only if they are the same text, diacritics and case kept."""
    truth = msgspec.structs.replace(EMAIL, customer=one)
    same = unicodedata.normalize("NFC", " ".join(one.split())) == unicodedata.normalize(
        "NFC", " ".join(other.split())
    )
    assert (score_field("customer", truth, {"customer": other}, "cs").verdict == "right") == same or not one.strip()


@pytest.mark.parametrize("rates", [(), (RateAmount(Decimal(21), Decimal("0.00")),)])
def test_net_is_never_the_total_without_nets(rates: tuple[RateAmount, ...]) -> None:
    """Without nets, or with nets that are the total, nothing is net_instead_of_total."""
    truth = msgspec.structs.replace(CZECH_INVOICE, net_by_rate=rates, total=Decimal("0.00"))
    assert score_field("total", truth, {"total": "0"}, "cs").verdict == "right"
    assert score_field("total", truth, {"total": "5"}, "cs").category == "wrong_value"
