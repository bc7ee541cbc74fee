"""What is true of a document, and what a document is. The truth is drawn first, the document made from it.

Three absences, which are never mixed up. *Not applicable*: documents of this language do not have the field, it
is no part of any denominator; in a truth it is ``UNSET``, in JSON an absent key. *Empty*: the field exists and
this document does not state it; ``None`` in a truth, ``null`` in JSON, an empty tuple for lists; an answer must
be empty too. *Missing*: the truth is set and the answer is empty; this exists in answers only.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec

from schemas.office.kinds import (
    EmailCategory,
    EmailPriority,
    EmailSentiment,
    Language,
    Layout,
    Split,
    Task,
    Tier,
    Variant,
)


class RateAmount(msgspec.Struct, frozen=True):
    """An amount that belongs to a tax rate.

    rate: in per cent, so 21 and not 0.21; a rate occurs once in a list.
    amount: in the document's currency, two decimals; negative on a credit note.
    """

    rate: Decimal
    amount: Decimal


class BankAccount(msgspec.Struct, frozen=True):
    """An account, in every form that the document prints; at least one.

    forms: as an answer may give it, such as "19-2000145399/0800" and "CZ6508000000192000145399". An American
        account is "routing/account". Equal but for white space to any of them is right.
    """

    forms: tuple[str, ...]


class InvoiceTruth(msgspec.Struct, frozen=True, kw_only=True, tag_field="task", tag="invoice"):
    """The 13 fields of an invoice; ``vat_id`` and ``supply_date`` are not applicable (``UNSET``) in English.

    company_id: IČO or EIN, as printed. vat_id: DIČ; empty for a small business without VAT.
    payment_reference: variabilní symbol or reference. supply_date: DUZP.
    net_by_rate, tax_by_rate: each rate once, in any order; empty where no rate is printed.
    total: sum of nets and taxes. currency: ISO 4217.
    """

    supplier_name: str
    company_id: str | None
    vat_id: str | msgspec.UnsetType | None = msgspec.UNSET
    invoice_number: str
    payment_reference: str | None
    issue_date: date
    due_date: date | None
    supply_date: date | msgspec.UnsetType | None = msgspec.UNSET
    net_by_rate: tuple[RateAmount, ...]
    tax_by_rate: tuple[RateAmount, ...]
    total: Decimal
    currency: str
    bank_account: BankAccount | None


class EmailTruth(msgspec.Struct, frozen=True, kw_only=True, tag_field="task", tag="email"):
    """The 9 fields of a customer's e-mail.

    customer: the person or company that wants something, never who forwarded it.
    amount: in ``currency``, which is ISO 4217; both empty where no amount is claimed.
    deadline: the date that results, for relative ones too.
    """

    category: EmailCategory
    priority: EmailPriority
    sentiment: EmailSentiment
    customer: str | None
    order_number: str | None
    invoice_number: str | None
    amount: Decimal | None
    currency: str | None
    deadline: date | None


class Entity(msgspec.Struct, frozen=True):
    """One person, address, number …, with every form in which the text has it; at least one.

    forms: as written, inflected ones too: "Jana Nováková" and "Janu Novákovou". Of a birth date any readable
        form; all forms of one entity are the same date.
    """

    forms: tuple[str, ...]


class PersonalTruth(msgspec.Struct, frozen=True, kw_only=True, tag_field="task", tag="personal"):
    """The 7 lists of personal data in a text; a list may be empty, which an answer must say too.

    decoys: what looks like personal data and is none, as written: company numbers, ``info@`` addresses, companies
        named after persons, order numbers, other dates. No field of its own; it tells an invention from a misreading.
    """

    names: tuple[Entity, ...]
    emails: tuple[Entity, ...]
    phones: tuple[Entity, ...]
    addresses: tuple[Entity, ...]
    birth_dates: tuple[Entity, ...]
    identification_numbers: tuple[Entity, ...]
    bank_accounts: tuple[Entity, ...]
    decoys: tuple[str, ...] = ()


Truth = InvoiceTruth | EmailTruth | PersonalTruth

INVOICE_FIELDS: tuple[str, ...] = InvoiceTruth.__struct_fields__
EMAIL_FIELDS: tuple[str, ...] = EmailTruth.__struct_fields__
PERSONAL_FIELDS: tuple[str, ...] = tuple(name for name in PersonalTruth.__struct_fields__ if name != "decoys")

FIELDS: dict[Task, tuple[str, ...]] = {
    "invoice": INVOICE_FIELDS,
    "email": EMAIL_FIELDS,
    "personal": PERSONAL_FIELDS,
}
"""The scored fields of each task, in the order in which they are shown."""

CZECH_ONLY_FIELDS: tuple[str, ...] = ("vat_id", "supply_date")
"""Of an invoice; not applicable to American ones and outside the language gap."""


class SentContent(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a model is given of a document: its kind, size in bytes and hash."""

    media_type: str
    size_bytes: int
    sha256: str


class DocumentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What may be said of a document without saying what is in it.

    id: unique in its data set. pair: shared by a Czech document and its English twin.
    data_set: version of the data set. tier, variant: None for all but invoices.
    layout: an invoice's layout, an e-mail's shape, a text's kind.
    truth_sha256: of the truth's JSON as :func:`truth_json` writes it.
    content: what is sent, in its order; bytes of images may differ between builds of libraries.
    """

    id: str
    pair: str
    task: Task
    language: Language
    split: Split
    data_set: str
    layout: Layout
    tier: Tier | None = None
    variant: Variant | None = None
    truth_sha256: str
    content: tuple[SentContent, ...] = ()


class OfficeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document's facts beside its truth: one line of a data set's truth file."""

    facts: DocumentFacts
    truth: Truth


def truth_json(truth: Truth) -> bytes:
    """Write a truth as canonical JSON: keys sorted, no white space, dates ``YYYY-MM-DD``, amounts as strings."""
    return msgspec.json.encode(truth, order="sorted")
