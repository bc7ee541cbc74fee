"""What a model must answer, and the JSON Schemas that a strict provider accepts, made from these types.

These are what is asked for. What is scored is any JSON object; it is read far more leniently, by the rules of
``daemon/judging/office``. The schemas have no descriptions: what a field means stands in the prompt, in the
document's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from schemas.office.kinds import EmailCategory, EmailPriority, EmailSentiment, Language, Task

ANSWER_VERSION = 1
"""Of the answers' form; a changed form is another version."""


class RateAmountAnswer(msgspec.Struct, frozen=True):
    """A rate in per cent and an amount."""

    rate: float
    amount: float


class EnglishInvoiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The 11 fields of an American invoice; null where the document does not state one."""

    supplier_name: str | None
    company_id: str | None
    invoice_number: str | None
    payment_reference: str | None
    issue_date: str | None
    due_date: str | None
    net_by_rate: tuple[RateAmountAnswer, ...]
    tax_by_rate: tuple[RateAmountAnswer, ...]
    total: float | None
    currency: str | None
    bank_account: str | None


class CzechInvoiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The 13 fields of a Czech invoice; null where the document does not state one."""

    supplier_name: str | None
    company_id: str | None
    vat_id: str | None
    invoice_number: str | None
    payment_reference: str | None
    issue_date: str | None
    due_date: str | None
    supply_date: str | None
    net_by_rate: tuple[RateAmountAnswer, ...]
    tax_by_rate: tuple[RateAmountAnswer, ...]
    total: float | None
    currency: str | None
    bank_account: str | None


class EmailAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The 9 fields of an e-mail; category, priority and sentiment always have a value."""

    category: EmailCategory
    priority: EmailPriority
    sentiment: EmailSentiment
    customer: str | None
    order_number: str | None
    invoice_number: str | None
    amount: float | None
    currency: str | None
    deadline: str | None


class PersonalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The 7 lists of personal data, each value as written; an empty list where the text has none."""

    names: tuple[str, ...]
    emails: tuple[str, ...]
    phones: tuple[str, ...]
    addresses: tuple[str, ...]
    birth_dates: tuple[str, ...]
    identification_numbers: tuple[str, ...]
    bank_accounts: tuple[str, ...]


Answer = CzechInvoiceAnswer | EnglishInvoiceAnswer | EmailAnswer | PersonalAnswer

ANSWERS: Mapping[tuple[Task, Language], type[Answer]] = MappingProxyType(
    {
        ("invoice", "cs"): CzechInvoiceAnswer,
        ("invoice", "en"): EnglishInvoiceAnswer,
        ("email", "cs"): EmailAnswer,
        ("email", "en"): EmailAnswer,
        ("personal", "cs"): PersonalAnswer,
        ("personal", "en"): PersonalAnswer,
    }
)


def answer_schema(task: Task, language: Language) -> dict[str, Any]:
    """Make the JSON Schema of an answer in the form that strict providers accept.

    Every object forbids other properties and requires all of its own; what may be empty is a union of types with
    "null"; nothing is referenced, described, titled, defaulted or given a format.
    """
    (root,), components = msgspec.json.schema_components([ANSWERS[task, language]], ref_template="{name}")
    return _strict(root, components)


def _strict(node: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _strict(components[node["$ref"]], components)
    if "anyOf" in node:
        kinds = [part["type"] for part in node["anyOf"]]  # scalars and null alone: the types above have no others
        return {"type": kinds}
    if "enum" in node:
        return {"type": "string", "enum": list(node["enum"])}
    if node["type"] == "array":
        return {"type": "array", "items": _strict(node["items"], components)}
    if node["type"] == "object":
        properties = {name: _strict(part, components) for name, part in node["properties"].items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {"type": node["type"]}
