"""Which kind of thing each field is, and which error categories a kind can have. A new field is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from schemas.office import ErrorCategory, Task

FieldKind = Literal[
    "name",
    "identifier",
    "account",
    "code",
    "closed-set",
    "amount",
    "total",
    "date",
    "rates",
    "names",
    "emails",
    "addresses",
    "identifiers",
    "dates",
]
"""How a field's values are read and compared:

name: NFC, runs of white space as one. identifier: NFC without white space. account: the same, in any printed form.
code: a currency's code. closed-set: one of the words of the prompt. amount; total, an amount that has nets.
date. rates: amounts that hang on tax rates. The plural ones are lists of entities.
"""

KINDS: Mapping[Task, Mapping[str, FieldKind]] = {
    "invoice": {
        "supplier_name": "name",
        "company_id": "identifier",
        "vat_id": "identifier",
        "invoice_number": "identifier",
        "payment_reference": "identifier",
        "issue_date": "date",
        "due_date": "date",
        "supply_date": "date",
        "net_by_rate": "rates",
        "tax_by_rate": "rates",
        "total": "total",
        "currency": "code",
        "bank_account": "account",
    },
    "email": {
        "category": "closed-set",
        "priority": "closed-set",
        "sentiment": "closed-set",
        "customer": "name",
        "order_number": "identifier",
        "invoice_number": "identifier",
        "amount": "amount",
        "currency": "code",
        "deadline": "date",
    },
    "personal": {
        "names": "names",
        "emails": "emails",
        "phones": "identifiers",
        "addresses": "addresses",
        "birth_dates": "dates",
        "identification_numbers": "identifiers",
        "bank_accounts": "identifiers",
    },
}

_ANY: frozenset[ErrorCategory] = frozenset({"invalid_json", "missing_field", "wrong_value"})

CATEGORIES: Mapping[FieldKind, frozenset[ErrorCategory]] = {
    "name": _ANY | {"diacritics_lost"},
    "identifier": _ANY | {"diacritics_lost", "number_format"},
    "account": _ANY | {"diacritics_lost", "number_format"},
    "code": _ANY,
    "closed-set": _ANY,
    "amount": _ANY | {"number_format"},
    "total": _ANY | {"net_instead_of_total", "number_format"},
    "date": _ANY | {"diacritics_lost", "swapped_dates", "number_format"},
    "rates": _ANY | {"wrong_tax_rate", "number_format"},
    "names": _ANY | {"diacritics_lost"},
    "emails": _ANY | {"diacritics_lost"},
    "addresses": _ANY | {"diacritics_lost"},
    "identifiers": _ANY | {"diacritics_lost", "number_format"},
    "dates": _ANY | {"diacritics_lost", "swapped_dates", "number_format"},
}
"""Which error categories a field of each kind can have; no other ever comes out."""
