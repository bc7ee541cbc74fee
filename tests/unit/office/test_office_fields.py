"""One category for each wrong field: every category from every field in which it can occur, and what is right."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
from office_truths import (
    CREDIT_NOTE,
    CZECH_INVOICE,
    EMAIL,
    EMPTY_PERSONAL,
    ENGLISH_INVOICE,
    PERSONAL,
    QUIET_EMAIL,
    WITHOUT_VAT,
    document,
    right_answer,
)

from daemon.judging.office.documents import score_document, task_of
from daemon.judging.office.fields import CATEGORIES, KINDS
from schemas.office import FIELDS, ErrorCategory, FieldScore, Language, SubCode, Task, Truth

TRUTHS: dict[str, tuple[Truth, Language]] = {
    "invoice": (CZECH_INVOICE, "cs"),
    "us": (ENGLISH_INVOICE, "en"),
    "credit": (CREDIT_NOTE, "cs"),
    "no-vat": (WITHOUT_VAT, "cs"),
    "email": (EMAIL, "cs"),
    "email-en": (EMAIL, "en"),
    "quiet": (QUIET_EMAIL, "cs"),
    "personal": (PERSONAL, "cs"),
    "nobody": (EMPTY_PERSONAL, "cs"),
}
NET = "net_by_rate"
TAX = "tax_by_rate"
IDS = "identification_numbers"


def pairs(*each: tuple[Any, Any]) -> list[dict[str, Any]]:
    """Word amounts by rate as an answer."""
    return [{"rate": rate, "amount": amount} for rate, amount in each]


# truth, field, answer
RIGHT: list[tuple[str, str, Any]] = [
    ("invoice", "supplier_name", " Horák  a\u00a0synové\ns.r.o. "),
    ("invoice", "supplier_name", "Hora\u0301k a synove\u0301 s.r.o."),
    ("invoice", "company_id", "000 069 47"),
    ("invoice", "vat_id", "CZ 00006947"),
    ("invoice", "payment_reference", 20260042),
    ("invoice", "invoice_number", "FV-2026-\u200b0042"),
    ("invoice", "issue_date", "5. března 2026"),
    ("invoice", "issue_date", "05/03/2026"),
    ("us", "issue_date", "03/05/2026"),
    ("us", "issue_date", "March 5, 2026"),
    ("invoice", "total", "1.770,00"),
    ("invoice", "total", "1,770.00"),
    ("invoice", "total", "1 770,-"),
    ("invoice", "total", 1770),
    ("invoice", "total", "1770.00 Kč"),
    ("credit", "total", "(1,210.00)"),
    ("credit", "total", "1 210,00-"),
    ("credit", "total", "\u22121210"),
    ("invoice", "currency", " CZK"),
    ("invoice", "bank_account", "19-2000145399 / 0800"),
    ("invoice", "bank_account", "CZ65 0800 0000 1920 0014 5399"),
    ("us", "bank_account", "021000021 / 0012345678"),
    ("invoice", NET, pairs((12, 500), (21, 1000))),
    ("invoice", NET, pairs(("21 %", "1 000,00"), ("12,0", "500.00"))),
    ("invoice", NET, {"21": 1000, "12 %": "500,00"}),
    ("us", NET, pairs(("8.875%", "$1,500.00"))),
    ("us", NET, {"rate": 8.875, "amount": 1500}),
    ("no-vat", NET, []),
    ("no-vat", NET, None),
    ("no-vat", "vat_id", ""),
    ("no-vat", "vat_id", " \u00a0"),
    ("no-vat", "supply_date", None),
    ("email", "category", "complaint"),
    ("email", "deadline", "6. 3. 2026"),
    ("email-en", "deadline", "Mar 6, 2026"),
    ("email", "amount", "1 770 Kč"),
    ("quiet", "amount", None),
    ("quiet", "deadline", ""),
    ("personal", "names", ["Petr Říha", "Janu Novákovou"]),
    ("personal", "names", ["Petr Říha", "Jana Nováková", "paní Nováková", "Petr  Říha", "", None]),
    ("personal", "phones", ["+420601234567", "0048 601000111"]),
    ("personal", "addresses", ["Dlouhá 12\n110 00 Praha 1"]),
    ("personal", "birth_dates", ["1990-02-01", "1985-03-12"]),
    ("personal", "birth_dates", ["12. března 1985", "12. 3. 1985", "1/2/1990"]),
    ("personal", IDS, ["0503121235"]),
    ("personal", "bank_accounts", ["000019-2000145399 / 0800"]),
    ("nobody", "names", []),
    ("nobody", "names", None),
    ("nobody", "names", [None, " "]),
]

# truth, field, answer, category, sub-code
WRONG: list[tuple[str, str, Any, ErrorCategory, SubCode | None]] = [
    ("invoice", "supplier_name", None, "missing_field", None),
    ("invoice", "supplier_name", "Horak a synove s.r.o.", "diacritics_lost", None),
    ("invoice", "supplier_name", "Horak a synové s.r.o.", "diacritics_lost", None),
    ("invoice", "supplier_name", "Hořák a synové s.r.o.", "wrong_value", None),
    ("invoice", "supplier_name", "HORÁK A SYNOVÉ S.R.O.", "wrong_value", None),
    ("invoice", "supplier_name", "Horáka synové s.r.o.", "wrong_value", None),
    ("invoice", "supplier_name", 7, "wrong_value", "wrong_type"),
    ("invoice", "supplier_name", {"name": "Horák"}, "wrong_value", "wrong_type"),
    ("us", "supplier_name", "Muller & Sons, Inc.", "diacritics_lost", None),
    ("invoice", "company_id", "", "missing_field", None),
    ("invoice", "company_id", "6947", "number_format", "leading_zeros_lost"),
    ("invoice", "company_id", 6947, "number_format", "leading_zeros_lost"),
    ("invoice", "company_id", "006947", "number_format", "leading_zeros_lost"),
    ("invoice", "company_id", "00006948", "wrong_value", None),
    ("invoice", "company_id", True, "wrong_value", "wrong_type"),
    ("us", "company_id", "042103594", "wrong_value", None),
    ("us", "company_id", "4-2103594", "number_format", "leading_zeros_lost"),
    ("invoice", "vat_id", None, "missing_field", None),
    ("invoice", "vat_id", "CZ6947", "number_format", "leading_zeros_lost"),
    ("invoice", "vat_id", "00006947", "wrong_value", None),
    ("no-vat", "vat_id", "CZ00006947", "wrong_value", "invented"),
    ("no-vat", "vat_id", "N/A", "wrong_value", "invented"),
    ("invoice", "invoice_number", None, "missing_field", None),
    ("invoice", "invoice_number", "FV-2026-42", "number_format", "leading_zeros_lost"),
    ("invoice", "invoice_number", "2026-0042", "wrong_value", None),
    ("invoice", "payment_reference", None, "missing_field", None),
    ("invoice", "payment_reference", "20260043", "wrong_value", None),
    ("invoice", "payment_reference", "2026004200", "wrong_value", None),
    ("invoice", "issue_date", None, "missing_field", None),
    ("invoice", "issue_date", "2026-03-19", "swapped_dates", "other_field"),
    ("invoice", "issue_date", "2026-03-04", "swapped_dates", "other_field"),
    ("invoice", "issue_date", "03/05/2026", "swapped_dates", "day_and_month"),
    ("invoice", "issue_date", "2026-05-03", "swapped_dates", "day_and_month"),
    ("us", "issue_date", "05/03/2026", "swapped_dates", "day_and_month"),
    ("us", "issue_date", "2026-03-04", "wrong_value", None),
    ("invoice", "issue_date", "5. brezna 2026", "diacritics_lost", None),
    ("invoice", "issue_date", "6. brezna 2026", "number_format", "unreadable"),
    ("invoice", "issue_date", "5. 3. 26", "number_format", "unreadable"),
    ("invoice", "issue_date", "2026-03-32", "number_format", "unreadable"),
    ("invoice", "issue_date", 20260305, "number_format", "unreadable"),
    ("invoice", "issue_date", "2026-03-06", "wrong_value", None),
    ("invoice", "due_date", None, "missing_field", None),
    ("invoice", "due_date", "2026-03-05", "swapped_dates", "other_field"),
    ("invoice", "due_date", "2026-19-03", "swapped_dates", "day_and_month"),
    ("us", "due_date", "19/03/2026", "swapped_dates", "day_and_month"),
    ("invoice", "due_date", "19. brezna 2026", "diacritics_lost", None),
    ("invoice", "due_date", "14 dní", "number_format", "unreadable"),
    ("invoice", "due_date", "2026-03-20", "wrong_value", None),
    ("invoice", "supply_date", None, "missing_field", None),
    ("invoice", "supply_date", "2026-03-05", "swapped_dates", "other_field"),
    ("invoice", "supply_date", "4. brezna 2026", "diacritics_lost", None),
    ("invoice", "supply_date", "březen 2026", "number_format", "unreadable"),
    ("invoice", "supply_date", "2026-03-03", "wrong_value", None),
    ("no-vat", "supply_date", "2026-03-05", "wrong_value", "invented"),
    ("invoice", NET, [], "missing_field", None),
    ("invoice", NET, pairs((21, 1000), (15, 500)), "wrong_tax_rate", "other_rates"),
    ("invoice", NET, pairs((0.21, 1000), (0.12, 500)), "wrong_tax_rate", "other_rates"),
    ("invoice", NET, pairs((21, 1000), (12, 500), (0, 0)), "wrong_tax_rate", "other_rates"),
    ("invoice", NET, pairs((12, 1000), (21, 500)), "wrong_tax_rate", "amounts_exchanged"),
    ("invoice", NET, pairs((21, "abc"), (12, 500)), "number_format", "unreadable"),
    ("invoice", NET, pairs((21, 1000), (None, 500)), "number_format", "unreadable"),
    ("invoice", NET, [1000, 500], "number_format", "unreadable"),
    ("invoice", NET, "1500.00", "number_format", "unreadable"),
    ("invoice", NET, pairs((21, "1.00"), (12, 500)), "number_format", "power_of_ten"),
    ("invoice", NET, pairs((21, -1000), (12, -500)), "number_format", "sign_lost"),
    ("invoice", NET, pairs((21, 1000)), "wrong_value", "incomplete"),
    ("invoice", NET, pairs((21, 1000), (21, 1000), (12, 500)), "wrong_value", None),
    ("invoice", NET, pairs((21, 1000), (12, 501)), "wrong_value", None),
    ("invoice", NET, pairs((21, 100), (12, 501)), "wrong_value", None),
    ("invoice", NET, pairs((21, 210), (12, 60)), "wrong_value", None),
    ("no-vat", NET, pairs((0, 1500)), "wrong_value", "invented"),
    ("invoice", TAX, None, "missing_field", None),
    ("invoice", TAX, pairs((20, 210), (12, 60)), "wrong_tax_rate", "other_rates"),
    ("invoice", TAX, pairs((12, 210), (21, 60)), "wrong_tax_rate", "amounts_exchanged"),
    ("invoice", TAX, True, "number_format", "unreadable"),
    ("credit", TAX, pairs((21, 210)), "number_format", "sign_lost"),
    ("invoice", TAX, pairs((21, 210), (12, 61)), "wrong_value", None),
    ("no-vat", TAX, pairs((21, 0)), "wrong_value", "invented"),
    ("invoice", "total", None, "missing_field", None),
    ("invoice", "total", "1500.00", "net_instead_of_total", None),
    ("us", "total", 1500, "net_instead_of_total", None),
    ("credit", "total", "-1000", "net_instead_of_total", None),
    ("credit", "total", "1210.00", "number_format", "sign_lost"),
    ("credit", "total", 1000, "wrong_value", None),
    ("invoice", "total", "1.7700", "number_format", "unreadable"),
    ("invoice", "total", 177000, "number_format", "power_of_ten"),
    ("invoice", "total", "1,77", "number_format", "power_of_ten"),
    ("invoice", "total", True, "number_format", "unreadable"),
    ("invoice", "total", {"value": 1770}, "number_format", "unreadable"),
    ("invoice", "total", "1771", "wrong_value", None),
    ("no-vat", "total", 1000, "wrong_value", None),
    ("invoice", "currency", None, "missing_field", None),
    ("invoice", "currency", "Kč", "wrong_value", None),
    ("invoice", "currency", "czk", "wrong_value", None),
    ("invoice", "currency", "EUR", "wrong_value", None),
    ("invoice", "bank_account", None, "missing_field", None),
    ("invoice", "bank_account", "19-2000145399/800", "number_format", "leading_zeros_lost"),
    ("us", "bank_account", "021000021/12345678", "number_format", "leading_zeros_lost"),
    ("us", "bank_account", "21000021/0012345678", "number_format", "leading_zeros_lost"),
    ("invoice", "bank_account", "2000145399/0800", "wrong_value", None),
    ("invoice", "bank_account", "cz6508000000192000145399", "wrong_value", None),
    ("email", "category", None, "missing_field", None),
    ("email", "category", "Complaint", "wrong_value", "not_in_set"),
    ("email", "category", "order", "wrong_value", None),
    ("email", "category", ["complaint"], "wrong_value", "wrong_type"),
    ("email", "priority", "", "missing_field", None),
    ("email", "priority", "urgent", "wrong_value", None),
    ("email", "priority", "vysoká", "wrong_value", "not_in_set"),
    ("email", "sentiment", None, "missing_field", None),
    ("email", "sentiment", "neutral", "wrong_value", None),
    ("email", "customer", None, "missing_field", None),
    ("email", "customer", "Jana Novakova", "diacritics_lost", None),
    ("email", "customer", "Petr Říha", "wrong_value", None),
    ("quiet", "customer", "Petr Říha", "wrong_value", "invented"),
    ("email", "order_number", None, "missing_field", None),
    ("email", "order_number", "OBJ-317", "number_format", "leading_zeros_lost"),
    ("email", "order_number", "OBJ-00316", "wrong_value", None),
    ("quiet", "order_number", "OBJ-00316", "wrong_value", "invented"),
    ("email", "invoice_number", None, "missing_field", None),
    ("email", "invoice_number", "20250042", "wrong_value", None),
    ("quiet", "invoice_number", 0, "wrong_value", "invented"),
    ("email", "amount", None, "missing_field", None),
    ("email", "amount", "17.70", "number_format", "power_of_ten"),
    ("email", "amount", "asi 1770", "number_format", "unreadable"),
    ("email", "amount", "-1770", "number_format", "sign_lost"),
    ("email", "amount", 1500, "wrong_value", None),
    ("quiet", "amount", 0, "wrong_value", "invented"),
    ("email", "currency", None, "missing_field", None),
    ("email", "currency", "EUR", "wrong_value", None),
    ("quiet", "currency", "CZK", "wrong_value", "invented"),
    ("email", "deadline", None, "missing_field", None),
    ("email", "deadline", "2026-06-03", "swapped_dates", "day_and_month"),
    ("email-en", "deadline", "06/03/2026", "swapped_dates", "day_and_month"),
    ("email", "deadline", "6. brezna 2026", "diacritics_lost", None),
    ("email", "deadline", "do pátku", "number_format", "unreadable"),
    ("email-en", "deadline", "by Friday", "number_format", "unreadable"),
    ("email", "deadline", "2026-03-13", "wrong_value", None),
    ("quiet", "deadline", "2026-03-13", "wrong_value", "invented"),
    ("personal", "names", [], "missing_field", None),
    ("personal", "names", [""], "missing_field", None),
    ("personal", "names", ["Jana Nováková"], "wrong_value", "incomplete"),
    ("personal", "names", ["Jana Novakova", "Petr Říha"], "diacritics_lost", None),
    ("personal", "names", ["Jana Novakova", "Petr Riha"], "diacritics_lost", None),
    ("personal", "names", ["Jana Novakova"], "wrong_value", None),
    ("personal", "names", ["Jana Nováková", "Petr Říhá"], "wrong_value", None),
    ("personal", "names", ["Jana Nováková", "Petr Říha", "Karel Dvořák"], "wrong_value", "invented"),
    ("personal", "names", ["Jana Nováková", "Horák a synové s.r.o."], "wrong_value", "invented"),
    ("personal", "names", "Jana Nováková", "wrong_value", "wrong_type"),
    ("personal", "names", [{"name": "Jana Nováková"}], "wrong_value", "wrong_type"),
    ("nobody", "names", ["Karel Dvořák"], "wrong_value", "invented"),
    ("personal", "emails", None, "missing_field", None),
    ("personal", "emails", ["jana.novakova@dilna.example"], "diacritics_lost", None),
    ("personal", "emails", ["jana.novakova@dílna.example", "info@dilna.example"], "wrong_value", "invented"),
    ("personal", "emails", ["info@dilna.example"], "wrong_value", "invented"),
    ("personal", "emails", ["jana.novak@dílna.example"], "wrong_value", None),
    ("nobody", "emails", ["info@dilna.example"], "wrong_value", "invented"),
    ("personal", "phones", [], "missing_field", None),
    ("personal", "phones", ["+420601234567", "48601000111"], "number_format", "leading_zeros_lost"),
    ("personal", "phones", ["601234567", "0048601000111"], "wrong_value", None),
    ("nobody", "phones", [601234567], "wrong_value", "invented"),
    ("personal", "addresses", [], "missing_field", None),
    ("personal", "addresses", ["Dlouha 12, 110 00 Praha 1"], "diacritics_lost", None),
    ("personal", "addresses", ["Dlouhá 12"], "wrong_value", None),
    ("nobody", "addresses", ["Dlouhá 12"], "wrong_value", "invented"),
    ("personal", "birth_dates", [], "missing_field", None),
    ("personal", "birth_dates", ["12. brezna 1985", "1. 2. 1990"], "diacritics_lost", None),
    ("personal", "birth_dates", ["1985-12-03", "1990-02-01"], "swapped_dates", "day_and_month"),
    ("personal", "birth_dates", ["1985-12-03", "1990-01-02"], "swapped_dates", "day_and_month"),
    ("personal", "birth_dates", ["12. 3. 85", "1. 2. 1990"], "number_format", "unreadable"),
    ("personal", "birth_dates", ["1985-03-12"], "wrong_value", "incomplete"),
    ("personal", "birth_dates", ["1985-03-12", "1990-02-01", "2026-04-30"], "wrong_value", "invented"),
    ("personal", "birth_dates", ["1985-03-12", "2026-04-30"], "wrong_value", "invented"),
    ("personal", "birth_dates", ["1985-03-13", "1990-02-01"], "wrong_value", None),
    ("nobody", "birth_dates", ["2026-04-30"], "wrong_value", "invented"),
    ("personal", IDS, None, "missing_field", None),
    ("personal", IDS, ["50312/1235"], "number_format", "leading_zeros_lost"),
    ("personal", IDS, [503121235], "number_format", "leading_zeros_lost"),
    ("personal", IDS, ["050312/1235", "00006947"], "wrong_value", "invented"),
    ("personal", IDS, ["00006947"], "wrong_value", "invented"),
    ("personal", IDS, ["050312/1236"], "wrong_value", None),
    ("nobody", IDS, ["00006947"], "wrong_value", "invented"),
    ("personal", "bank_accounts", [], "missing_field", None),
    ("personal", "bank_accounts", ["19-2000145399/0800"], "number_format", "leading_zeros_lost"),
    ("personal", "bank_accounts", ["19-2000145398/0800"], "wrong_value", None),
    ("nobody", "bank_accounts", ["19-2000145399/0800"], "wrong_value", "invented"),
]


def scores(name: str, reply: str) -> dict[str, FieldScore]:
    """Every field's score of a reply to a document of the table."""
    truth, language = TRUTHS[name]
    return {each.field: each for each in score_document(document(truth, language=language), reply).fields}


def score(name: str, field: str, answer: Any) -> FieldScore:
    """Score one answer among others that are right, which must stay right."""
    found = scores(name, json.dumps({**right_answer(TRUTHS[name][0]), field: answer}))
    assert {each.verdict for each in found.values() if each.field != field} <= {"right", "not-applicable"}
    return found[field]


@pytest.mark.parametrize(("name", "field", "answer"), RIGHT)
def test_right(name: str, field: str, answer: Any) -> None:
    """What differs from the truth in its format alone is right."""
    assert score(name, field, answer) == FieldScore(field, "right")


@pytest.mark.parametrize(("name", "field", "answer", "category", "sub_code"), WRONG)
def test_wrong(name: str, field: str, answer: Any, category: ErrorCategory, sub_code: SubCode | None) -> None:
    """A wrong field has exactly the first category that matches, with its sub-code."""
    assert score(name, field, answer) == FieldScore(field, "wrong", category, sub_code)


@pytest.mark.parametrize(("task", "field"), [(task, field) for task, fields in FIELDS.items() for field in fields])
class TestEveryField:
    def test_has_a_kind(self, task: Task, field: str) -> None:
        """Each field of the types is of some kind, and no kind is declared for a field that does not exist."""
        assert field in KINDS[task]
        assert list(KINDS[task]) == list(FIELDS[task])

    def test_reaches_every_category_it_can_have(self, task: Task, field: str) -> None:
        """The table above reaches each category that the field can have, and none that it cannot."""
        reached = {category for name, of, _, category, _ in WRONG if of == field and task_of(TRUTHS[name][0]) == task}
        # Two that depend on the value more than on the field; reached by the two tests below for each field.
        possible = CATEGORIES[KINDS[task][field]] - {"invalid_json"}
        if KINDS[task][field] in ("identifier", "account", "identifiers"):
            reached |= {"diacritics_lost", "number_format"}
        assert reached == possible

    def test_invalid_json(self, task: Task, field: str) -> None:
        """Without a valid object every applicable field is wrong for that reason."""
        found = scores(task, '{"a": 1} and more')[field]
        assert found == FieldScore(field, "wrong", "invalid_json")

    def test_invented_where_it_can_be_empty(self, task: Task, field: str) -> None:
        """A field that may be empty by its type is invented when an answer fills it."""
        truth = TRUTHS[task][0]
        annotation = {each.name: each.type for each in msgspec.structs.fields(type(truth))}[field]
        may_be_empty = type(None) in get_args(annotation) or getattr(annotation, "__origin__", None) is tuple
        if not may_be_empty:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert({**msgspec.to_builtins(truth), field: None}, type(truth))
            return
        empty = msgspec.structs.replace(truth, **{field: None if type(None) in get_args(annotation) else ()})
        reply = json.dumps(right_answer(truth))
        found = {each.field: each for each in score_document(document(empty), reply).fields}[field]
        assert found == FieldScore(field, "wrong", "wrong_value", "invented")


@pytest.mark.parametrize(
    ("task", "field"),
    [
        (task, field)
        for task, kinds in KINDS.items()
        for field, kind in kinds.items()
        if kind in ("identifier", "account", "identifiers")
    ],
)
def test_identifiers_lose_marks_and_zeros(task: Task, field: str) -> None:
    """An identifier with a mark can lose it, and one with leading zeros can lose those."""
    truth = TRUTHS[task][0]
    value = "č0042/7"
    wrapped: Any = {"forms": [value]}
    if KINDS[task][field] != "account":
        wrapped = [wrapped] if KINDS[task][field] == "identifiers" else value
    changed = msgspec.convert({**msgspec.to_builtins(truth), field: wrapped}, type(truth), strict=False)
    for said, category in (("c0042/7", "diacritics_lost"), ("č42/7", "number_format")):
        answer = [said] if task == "personal" else said
        reply = json.dumps({**right_answer(truth), field: answer})
        found = {each.field: each for each in score_document(document(changed), reply).fields}[field]
        assert found.category == category


def test_not_applicable() -> None:
    """A field that the document's language does not have counts for nothing, whatever an answer says of it."""
    for said in (None, "CZ00006947", {"x": []}):
        reply = json.dumps({**right_answer(ENGLISH_INVOICE), "vat_id": said, "supply_date": said})
        scored = score_document(document(ENGLISH_INVOICE, language="en"), reply)
        assert (scored.judged, scored.right, scored.error_free) == (11, 11, True)
        assert [each.field for each in scored.fields if each.verdict == "not-applicable"] == ["vat_id", "supply_date"]
    broken = score_document(document(ENGLISH_INVOICE, language="en"), "")
    assert (broken.judged, broken.right, broken.valid, broken.error_free) == (11, 0, False, False)


def test_one_printed_form_alone() -> None:
    """An IBAN for an account printed in its domestic form alone is wrong, and the other way round."""
    truth = msgspec.to_builtins(CZECH_INVOICE)
    for printed, said in ((0, 1), (1, 0)):
        forms = truth["bank_account"]["forms"]
        only = msgspec.convert({**truth, "bank_account": {"forms": [forms[printed]]}}, type(CZECH_INVOICE))
        reply = json.dumps({**right_answer(CZECH_INVOICE), "bank_account": forms[said]})
        found = {each.field: each for each in score_document(document(only), reply).fields}["bank_account"]
        assert found == FieldScore("bank_account", "wrong", "wrong_value")


def test_absent_keys_are_empty_and_others_are_passed_over() -> None:
    """A key that is absent is as good as null, and a key that was not asked for changes nothing."""
    answer = right_answer(WITHOUT_VAT)
    reply = json.dumps({**{key: value for key, value in answer.items() if value is not None}, "note": "ok"})
    assert score_document(document(WITHOUT_VAT), reply).error_free
    assert {each.category for each in scores("email", "{}").values()} == {"missing_field"}


def test_a_document_is_error_free_only_as_a_whole() -> None:
    """One wrong field is enough for a document with errors, and its other fields stay right."""
    reply = json.dumps({**right_answer(EMAIL), "priority": "low"})
    scored = score_document(document(EMAIL), reply)
    assert (scored.valid, scored.judged, scored.right, scored.error_free) == (True, 9, 8, False)


def test_endless_values_are_wrong_like_others() -> None:
    """Values of a length beyond reason get the verdict that short ones get, in each kind of field."""
    long = "č" * 50_000
    for name, answer in (
        ("invoice", {"supplier_name": long, "company_id": "0" * 50_000, "issue_date": "5" * 50_000, "total": long}),
        (
            "personal",
            {"names": [f"{long}{number}" for number in range(50)], "phones": [str(n) for n in range(5_000)]},
        ),
    ):
        found = scores(name, json.dumps({**right_answer(TRUTHS[name][0]), **answer}))
        assert {field for field, each in found.items() if each.verdict == "wrong"} == set(answer)


def test_the_table_is_as_large_as_it_says() -> None:
    """The table has more than 150 cases, and every category and sub-code is in it."""
    assert len(RIGHT) + len(WRONG) > 150
    assert {case[3] for case in WRONG} == set(get_args(ErrorCategory)) - {"invalid_json"}
    assert {case[4] for case in WRONG if case[4]} == set(get_args(SubCode))
