"""What a run of the office tasks is asked for, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

import msgspec

from schemas.events.office import OfficeWork
from schemas.events.runs import Trigger
from schemas.office import Language

WORKLOADS: Final[Mapping[OfficeWork, str]] = MappingProxyType(
    {
        "invoice": "office-invoice",
        "email": "office-email",
        "personal": "office-personal",
        "language-tax": "language-tax",
    }
)
"""Names of the works in runs and attempts."""

PAIRS: Final = 150

ANSWER_LIMIT_TOKENS: Final = 4_096
"""Output limit of a document's answer; the longest right one takes a quarter of it."""

TAX_LIMIT_TOKENS: Final = 16
"""Output limit where only the input's tokens are wanted: the least that every service takes."""


class OfficeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to run. ``endpoints`` empty: all. ``pairs``: of documents a task. ``budget_usd``: of this run.

    ``languages`` empty: both; of documents only, since a parallel corpus is nothing without its other languages.
    """

    works: tuple[OfficeWork, ...] = ("invoice", "email", "personal", "language-tax")
    endpoints: tuple[str, ...] = ()
    pairs: int = PAIRS
    languages: tuple[Language, ...] = ()
    budget_usd: Decimal | None = None
    trigger: Trigger = "command"
    slot: str | None = None
    nominal_ns: int | None = None
    late: bool = False


class WorkSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One work at one endpoint.

    recalled: documents that earlier runs had answers to; answered: those that this one got. without_schema, again:
    how many of these took a second ask. unanswered: by reason; unsent: planned, and stopped before.
    """

    work: OfficeWork
    endpoint: str
    recalled: int
    answered: int
    without_schema: int
    again: int
    unanswered: dict[str, int]
    unsent: int


class OfficeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run. ``cost_usd`` is what is known; ``unknown_costs`` attempts come on top of it."""

    works: tuple[WorkSummary, ...]
    attempts: int
    cost_usd: Decimal
    unknown_costs: int
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every document has an answer."""
        return self.stopped is None and not any(each.unsent or each.unanswered for each in self.works)


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far one work is: documents dealt with, of those that were pending, and the run's cost so far."""

    work: OfficeWork
    done: int
    planned: int
    cost_usd: Decimal
    unknown_costs: int
