"""Office documents with known truths, for tests of scoring and of whatever reads scores."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

import msgspec

from schemas.office import (
    BankAccount,
    DocumentFacts,
    EmailTruth,
    Entity,
    InvoiceTruth,
    Language,
    OfficeDocument,
    PersonalTruth,
    RateAmount,
    Split,
    Truth,
    truth_json,
)

CZECH_INVOICE = InvoiceTruth(
    supplier_name="Horák a synové s.r.o.",
    company_id="00006947",
    vat_id="CZ00006947",
    invoice_number="FV-2026-0042",
    payment_reference="20260042",
    issue_date=date(2026, 3, 5),
    due_date=date(2026, 3, 19),
    supply_date=date(2026, 3, 4),
    net_by_rate=(RateAmount(Decimal(21), Decimal("1000.00")), RateAmount(Decimal(12), Decimal("500.00"))),
    tax_by_rate=(RateAmount(Decimal(21), Decimal("210.00")), RateAmount(Decimal(12), Decimal("60.00"))),
    total=Decimal("1770.00"),
    currency="CZK",
    bank_account=BankAccount(("19-2000145399/0800", "CZ6508000000192000145399")),
)
ENGLISH_INVOICE = msgspec.structs.replace(
    CZECH_INVOICE,
    supplier_name="Müller & Sons, Inc.",
    company_id="04-2103594",
    vat_id=msgspec.UNSET,
    supply_date=msgspec.UNSET,
    net_by_rate=(RateAmount(Decimal("8.875"), Decimal("1500.00")),),
    tax_by_rate=(RateAmount(Decimal("8.875"), Decimal("133.13")),),
    total=Decimal("1633.13"),
    currency="USD",
    bank_account=BankAccount(("021000021/0012345678",)),
)
CREDIT_NOTE = msgspec.structs.replace(
    CZECH_INVOICE,
    net_by_rate=(RateAmount(Decimal(21), Decimal("-1000.00")),),
    tax_by_rate=(RateAmount(Decimal(21), Decimal("-210.00")),),
    total=Decimal("-1210.00"),
)
WITHOUT_VAT = msgspec.structs.replace(
    CZECH_INVOICE, vat_id=None, supply_date=None, net_by_rate=(), tax_by_rate=(), total=Decimal("1500.00")
)
EMAIL = EmailTruth(
    category="complaint",
    priority="high",
    sentiment="negative",
    customer="Jana Nováková",
    order_number="OBJ-00317",
    invoice_number="20260042",
    amount=Decimal("1770.00"),
    currency="CZK",
    deadline=date(2026, 3, 6),
)
QUIET_EMAIL = msgspec.structs.replace(
    EMAIL, customer=None, order_number=None, invoice_number=None, amount=None, currency=None, deadline=None
)
PERSONAL = PersonalTruth(
    names=(Entity(("Jana Nováková", "Janu Novákovou", "paní Nováková")), Entity(("Petr Říha",))),
    emails=(Entity(("jana.novakova@dílna.example",)),),
    phones=(Entity(("+420 601 234 567",)), Entity(("0048 601 000 111",))),
    addresses=(Entity(("Dlouhá 12, 110 00 Praha 1",)),),
    birth_dates=(Entity(("12. března 1985", "12. 3. 1985")), Entity(("1. 2. 1990",))),
    identification_numbers=(Entity(("050312/1235", "0503121235")),),
    bank_accounts=(Entity(("000019-2000145399/0800",)),),
    decoys=("00006947", "info@dilna.example", "Horák a synové s.r.o.", "30. 4. 2026"),
)
EMPTY_PERSONAL = PersonalTruth(
    names=(),
    emails=(),
    phones=(),
    addresses=(),
    birth_dates=(),
    identification_numbers=(),
    bank_accounts=(),
    decoys=PERSONAL.decoys,
)


def document(
    truth: Truth, *, name: str = "document-0001", language: Language = "cs", split: Split = "open", **facts: Any
) -> OfficeDocument:
    """Make a document of a truth; everything else about it can be said."""
    task = msgspec.to_builtins(truth)["task"]
    layout = {"invoice": "classic", "email": "single", "personal": "minutes"}[task]
    return OfficeDocument(
        facts=DocumentFacts(
            **{
                "id": name,
                "pair": name.partition("-")[2],
                "task": task,
                "language": language,
                "split": split,
                "data_set": "test",
                "layout": layout,
                "tier": "pdf-text" if task == "invoice" else None,
                "variant": "standard" if task == "invoice" else None,
                "truth_sha256": sha256(truth_json(truth)).hexdigest(),
                **facts,
            }
        ),
        truth=truth,
    )


def right_answer(truth: Truth) -> dict[str, Any]:
    """Word a truth as an answer that is right in every field: amounts as numbers, lists by their first forms."""
    if isinstance(truth, PersonalTruth):
        return {
            field: [entity.forms[0] for entity in getattr(truth, field)]
            for field in PersonalTruth.__struct_fields__
            if field != "decoys"
        }
    answer = {}
    for field in truth.__struct_fields__:
        value = getattr(truth, field)
        match value:
            case msgspec.UnsetType():
                continue
            case BankAccount():
                answer[field] = value.forms[0]
            case tuple():
                answer[field] = [{"rate": float(each.rate), "amount": float(each.amount)} for each in value]
            case Decimal():
                answer[field] = float(value)
            case date():
                answer[field] = value.isoformat()
            case _:
                answer[field] = value
    return answer
