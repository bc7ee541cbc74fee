"""American banks' names, coined: routing numbers of real banks would be theirs."""

from __future__ import annotations

AMERICAN_BANKS: tuple[str, ...] = (
    "First Prairie Bank", "Harborview National Bank", "Midland Farmers Bank", "Union Valley Bank",
    "Cedar Rapids Savings Bank", "Heritage Commerce Trust", "Lakeside Community Bank", "Blue Ridge Bank & Trust",
    "Great Plains State Bank", "Riverton Federal Savings",
)  # fmt: skip
