"""A reply to the verdicts on all fields of its document."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from decimal import Decimal
from typing import get_args

import msgspec

from daemon.judging.office.fields import KINDS
from daemon.judging.office.lists import compare_list
from daemon.judging.office.rates import compare_rates
from daemon.judging.office.single import (
    compare_amount,
    compare_code,
    compare_date,
    compare_identifier,
    compare_name,
)
from daemon.judging.office.strict_json import read_object
from daemon.judging.office.verdicts import INVALID_JSON, INVENTED, MISSING, Mistake, is_empty
from schemas.office import (
    FIELDS,
    BankAccount,
    DocumentScore,
    EmailCategory,
    EmailPriority,
    EmailSentiment,
    FieldScore,
    InvoiceTruth,
    Language,
    OfficeDocument,
    PersonalTruth,
    Task,
    Truth,
)

_SETS: dict[str, frozenset[str]] = {
    "category": frozenset(get_args(EmailCategory)),
    "priority": frozenset(get_args(EmailPriority)),
    "sentiment": frozenset(get_args(EmailSentiment)),
}


def task_of(truth: Truth) -> Task:
    """Say whose fields a truth has."""
    if isinstance(truth, InvoiceTruth):
        return "invoice"
    return "personal" if isinstance(truth, PersonalTruth) else "email"


def score_document(document: OfficeDocument, reply: str) -> DocumentScore:
    """Score a reply, the last one where the document was asked about again.

    Never raises: a reply that is no valid JSON object makes every applicable field ``invalid_json``.
    """
    answers = read_object(reply)
    return DocumentScore(
        document=document.facts.id,
        valid=answers is not None,
        fields=tuple(
            score_field(field, document.truth, answers, document.facts.language)
            for field in FIELDS[task_of(document.truth)]
        ),
    )


def score_field(field: str, truth: Truth, answers: dict[str, object] | None, language: Language) -> FieldScore:
    """Score one field of an answer; a key that is absent is as good as null."""
    true = getattr(truth, field)
    if true is msgspec.UNSET:
        return FieldScore(field, "not-applicable")
    if answers is None:
        mistake: Mistake | None = INVALID_JSON
    else:
        answer = answers.get(field)
        match is_empty(answer), true is None or true == ():
            case True, empty_truth:
                mistake = None if empty_truth else MISSING
            case False, True:
                mistake = INVENTED
            case _:
                mistake = _compare(field, answer, truth, language)
    if mistake is None:
        return FieldScore(field, "right")
    return FieldScore(field, "wrong", mistake.category, mistake.sub_code)


def _compare(  # noqa: PLR0911  # one return a kind
    field: str, answer: object, truth: Truth, language: Language
) -> Mistake | None:
    """Compare an answer with a truth, both set."""
    true = getattr(truth, field)
    kind = KINDS[task_of(truth)][field]
    if isinstance(truth, PersonalTruth):
        return compare_list(answer, true, truth.decoys, kind, language)
    match kind, true:
        case "name", str():
            return compare_name(answer, true)
        case "account", BankAccount():
            return compare_identifier(answer, true.forms)
        case "amount" | "total", Decimal():
            return compare_amount(answer, true, _net(truth) if kind == "total" else None)
        case "date", date():
            return compare_date(answer, true, language, _other_dates(field, truth))
        case "rates", tuple():
            return compare_rates(answer, true)
        case "code" | "closed-set", str():
            return compare_code(answer, true, _SETS.get(field, ()))
        case _:
            return compare_identifier(answer, (str(true),))


def _net(truth: Truth) -> Decimal | None:
    if not isinstance(truth, InvoiceTruth) or not truth.net_by_rate:
        return None
    return sum((each.amount for each in truth.net_by_rate), Decimal())


def _other_dates(field: str, truth: Truth) -> Collection[date]:
    if not isinstance(truth, InvoiceTruth):
        return ()
    dates = {"issue_date": truth.issue_date, "due_date": truth.due_date, "supply_date": truth.supply_date}
    return [day for name, day in dates.items() if name != field and isinstance(day, date)]
