"""The words of the office tasks: languages, tasks, splits, tiers, variants, layouts, closed sets, error categories.

Each is a closed set; its order is the order in which it is shown. Nothing here decides anything.
"""

from __future__ import annotations

from typing import Literal

Language = Literal["cs", "en"]
"""Of a document: Czech, or American English."""

Task = Literal["invoice", "email", "personal"]

Split = Literal["open", "private"]
"""Of ``private`` documents only totals are ever shown."""

Tier = Literal["pdf-text", "image", "scan", "photo"]
"""How an invoice reaches a model: the PDF's text, a clean image, a scan, a photo."""

Variant = Literal["standard", "no-vat", "advance", "credit-note", "foreign-currency"]
"""What kind of invoice: standard, small business without VAT, advance invoice, credit note, foreign currency."""

InvoiceLayout = Literal["classic", "modern", "sidebar", "letter", "ledger", "compact", "banded", "statement"]

EmailShape = Literal["single", "signature", "thread", "forwarded"]
"""A single message; with a long signature; a thread that quotes earlier ones; forwarded by a colleague."""

PersonalKind = Literal["personnel-file", "support-ticket", "minutes", "email"]

Layout = InvoiceLayout | EmailShape | PersonalKind
"""The form of a document, whatever its task."""

EmailCategory = Literal["order", "delivery", "invoice", "complaint", "return", "technical", "cancellation", "other"]
EmailPriority = Literal["urgent", "high", "normal", "low"]
EmailSentiment = Literal["positive", "neutral", "negative"]

ErrorCategory = Literal[
    "invalid_json",
    "missing_field",
    "diacritics_lost",
    "swapped_dates",
    "net_instead_of_total",
    "wrong_tax_rate",
    "number_format",
    "wrong_value",
]
"""Why a field is wrong; exactly one for each wrong field, the first that matches."""

SubCode = Literal[
    "invented",
    "incomplete",
    "unreadable",
    "power_of_ten",
    "sign_lost",
    "leading_zeros_lost",
    "other_field",
    "day_and_month",
    "other_rates",
    "amounts_exchanged",
    "not_in_set",
    "wrong_type",
]
"""More about a category, where there is more to say:

invented: set where the truth is empty; in a list, a decoy or more values than are missing.
incomplete: nothing wrong is said, but not all.
unreadable: no amount or no date by the rules. power_of_ten, sign_lost: of an amount.
leading_zeros_lost: of an identifier or an account. other_field: the value of another date of the document.
day_and_month: exchanged. other_rates: a tax rate that the document does not have. amounts_exchanged: the right
rates and amounts, hung on one another wrongly. not_in_set: no member of a closed set. wrong_type: a JSON type
that the field cannot have, such as an object for a name.
"""

FieldVerdict = Literal["right", "wrong", "not-applicable"]
"""``not-applicable`` counts in no denominator."""
