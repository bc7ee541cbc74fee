"""Every projection there is; a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from projections.attempts import Attempts
from projections.calibrations import Calibrations
from projections.catalogue import Catalogue
from projections.contract import AnyProjection
from projections.errors import QueryError
from projections.events import Events
from projections.exchange_rates import ExchangeRates
from projections.integrity import Integrity
from projections.log_checkpoints import LogCheckpoints
from projections.office_attempts import OfficeAttempts
from projections.office_judgments import OfficeJudgments
from projections.private_totals import PrivateTotals
from projections.reviews import Reviews
from projections.rubric_attempts import RubricAttempts
from projections.rubric_judgments import RubricJudgments
from projections.runs import Runs
from projections.timelines import Timelines

PROJECTIONS: Final[tuple[AnyProjection, ...]] = (
    Attempts(),
    Runs(),
    Catalogue(),
    Calibrations(),
    Integrity(),
    LogCheckpoints(),
    OfficeAttempts(),
    OfficeJudgments(),
    PrivateTotals(),
    RubricAttempts(),
    RubricJudgments(),
    Reviews(),
    ExchangeRates(),
    Timelines(),
    Events(),
)


def projections_named(names: Sequence[str]) -> tuple[AnyProjection, ...]:
    """Projections by name, all of them for no name. Raises :class:`QueryError` for an unknown one."""
    known = {projection.name: projection for projection in PROJECTIONS}
    for name in names:
        if name not in known:
            raise QueryError(f"there is no projection {name!r}; there are: {', '.join(known)}")
    return tuple(known[name] for name in names) if names else PROJECTIONS
