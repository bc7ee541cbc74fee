"""The priority of an e-mail: the first rule that fires, a pure function of the other truths, as the prompt says."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from daemon.workloads.office.emails.money import LARGE
from schemas.office import EmailCategory, EmailPriority, EmailSentiment


def priority_of(
    *,
    category: EmailCategory,
    sentiment: EmailSentiment,
    amount: Decimal | None,
    currency: str | None,
    deadline: date | None,
) -> EmailPriority:
    """Decide by the rules of the prompt, in its order."""
    if sentiment == "negative" and deadline is not None:
        return "urgent"
    if category in {"complaint", "technical"}:
        return "high"
    if deadline is not None and amount is not None and currency is not None and amount >= LARGE[currency]:
        return "high"
    if category == "other" or (sentiment == "positive" and deadline is None):
        return "low"
    return "normal"
