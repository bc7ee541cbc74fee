"""From a truth to its right answer, and to every single mistake that can be made in it. Pure.

A mistake is a field, the category that it belongs to by the specification, and the value to answer instead.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final, get_args

import msgspec

from schemas.office import (
    FIELDS,
    BankAccount,
    EmailCategory,
    EmailPriority,
    EmailSentiment,
    Entity,
    ErrorCategory,
    InvoiceTruth,
    OfficeDocument,
    PersonalTruth,
    RateAmount,
    Truth,
)

_SETS: Final[dict[str, tuple[str, ...]]] = {
    "category": get_args(EmailCategory),
    "priority": get_args(EmailPriority),
    "sentiment": get_args(EmailSentiment),
}
_NOBODY: Final[dict[str, str]] = {
    "names": "Xaver Quittenbaum",
    "emails": "xaver@quittenbaum.example",
    "phones": "+420 999 000 111",
    "addresses": "Quittenbaumweg 1, 99999 Nirgendwo",
    "birth_dates": "1903-03-03",
    "identification_numbers": "990101/0007",
    "bank_accounts": "99-9999999999/9999",
}
_IDENTIFIERS: Final = frozenset({"company_id", "vat_id", "invoice_number", "payment_reference", "order_number"})
_OFF: Final = Decimal("1.11")


class Mistake(msgspec.Struct, frozen=True):
    """One wrong field."""

    field: str
    category: ErrorCategory
    value: Any


def right_answer(truth: Truth) -> dict[str, Any]:
    """Word a truth as an answer that is right in every field; lists by the first form of each entity."""
    task = msgspec.to_builtins(truth)["task"]
    return {
        field: _worded(getattr(truth, field)) for field in FIELDS[task] if getattr(truth, field) is not msgspec.UNSET
    }


def mistakes_in(document: OfficeDocument) -> tuple[Mistake, ...]:
    """Every mistake that can be made in a document's answer, by field, the more telling categories first."""
    truth, task = document.truth, document.facts.task
    return tuple(
        mistake
        for field in FIELDS[task]
        if getattr(truth, field) is not msgspec.UNSET
        for mistake in _in_field(field, getattr(truth, field), truth)
    )


def _in_field(field: str, true: Any, truth: Truth) -> Iterator[Mistake]:  # noqa: ANN401  # whatever a field holds
    if true is None or true == ():
        yield Mistake(field, "wrong_value", _invented(field))
        return
    match true:
        case tuple() if isinstance(truth, PersonalTruth):
            yield from _in_list(field, true)
        case tuple():
            yield from _in_rates(field, true)
        case date():
            yield from _in_date(field, true, truth)
        case Decimal():
            yield from _in_amount(field, true, truth)
        case BankAccount():
            yield Mistake(field, "wrong_value", _altered(true.forms[0]))
        case str():
            yield from _in_text(field, true)
    yield Mistake(field, "missing_field", [] if isinstance(true, tuple) else None)


def _in_text(field: str, true: str) -> Iterator[Mistake]:
    bare = _without_marks(true)
    if bare != true:
        yield Mistake(field, "diacritics_lost", bare)
    if field in _IDENTIFIERS and true.isdigit() and true.startswith("0") and true.strip("0"):
        yield Mistake(field, "number_format", true.lstrip("0"))
    if field in _SETS:
        members = _SETS[field]
        yield Mistake(field, "wrong_value", members[(members.index(true) + 1) % len(members)])
    elif field == "currency":
        yield Mistake(field, "wrong_value", "CHF" if true != "CHF" else "SEK")
    else:
        yield Mistake(field, "wrong_value", _altered(true))


def _in_amount(field: str, true: Decimal, truth: Truth) -> Iterator[Mistake]:
    net = None
    if field == "total" and isinstance(truth, InvoiceTruth) and truth.net_by_rate:
        net = sum((each.amount for each in truth.net_by_rate), Decimal())
        if net != true:
            yield Mistake(field, "net_instead_of_total", float(net))
    if true and true * 100 != net:
        yield Mistake(field, "number_format", float(true * 100))
    yield Mistake(field, "wrong_value", float(true + (_OFF if true + _OFF != net else 2 * _OFF)))


def _in_date(field: str, true: date, truth: Truth) -> Iterator[Mistake]:
    others = set()
    if isinstance(truth, InvoiceTruth):
        dates = {"issue_date": truth.issue_date, "due_date": truth.due_date, "supply_date": truth.supply_date}
        others = {day for name, day in dates.items() if name != field and isinstance(day, date)}
    swapped = sorted(day for day in others if day != true)
    if swapped:
        yield Mistake(field, "swapped_dates", swapped[0].isoformat())
    yield Mistake(field, "number_format", f"{true.day}/{true.month}/{true.year % 100:02}")
    day = true + timedelta(days=3)
    while day in others or (day.day, day.month) == (true.month, true.day):
        day += timedelta(days=1)
    yield Mistake(field, "wrong_value", day.isoformat())


def _in_rates(field: str, true: tuple[RateAmount, ...]) -> Iterator[Mistake]:
    rates = {each.rate for each in true}
    other = next(Decimal(rate) for rate in (15, 17, 19, 23) if Decimal(rate) not in rates)
    first, *rest = true
    yield Mistake(field, "wrong_tax_rate", _worded((RateAmount(other, first.amount), *rest)))
    if first.amount:
        yield Mistake(field, "number_format", _worded((RateAmount(first.rate, first.amount * 100), *rest)))
    yield Mistake(field, "wrong_value", _worded((RateAmount(first.rate, first.amount + _OFF), *rest)))


def _in_list(field: str, true: tuple[Entity, ...]) -> Iterator[Mistake]:
    said = [entity.forms[0] for entity in true]
    forms = {form for entity in true for form in entity.forms}
    for place, form in enumerate(said):
        bare = _without_marks(form)
        if field in {"names", "addresses"} and bare != form and bare not in forms:
            yield Mistake(field, "diacritics_lost", [*said[:place], bare, *said[place + 1 :]])
            break
    yield Mistake(field, "wrong_value", [*said, _NOBODY[field]])


def _worded(true: Any) -> Any:  # noqa: ANN401  # whatever a field holds
    match true:
        case BankAccount():
            return true.forms[0]
        case tuple():
            return [
                each.forms[0]
                if isinstance(each, Entity)
                else {"rate": float(each.rate), "amount": float(each.amount)}
                for each in true
            ]
        case Decimal():
            return float(true)
        case date():
            return true.isoformat()
        case _:
            return true


def _invented(field: str) -> Any:  # noqa: ANN401  # whatever a field holds
    if field in _NOBODY:
        return [_NOBODY[field]]
    if field.endswith("_by_rate"):
        return [{"rate": 21.0, "amount": 1.11}]
    if field.endswith("_date") or field == "deadline":
        return "2031-01-02"
    return {"amount": 1.11, "currency": "CHF"}.get(field, "QX-990077")


def _altered(text: str) -> str:
    last = text[-1]
    return f"{text[:-1]}{(int(last) + 1) % 10}" if last.isascii() and last.isdigit() else f"{text} Quittenbaum"


def _without_marks(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
