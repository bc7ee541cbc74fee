"""The office tasks as the run engine sees them: a slot, or `messwerk run`, becomes a run over its works."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import structlog

from daemon.office.contract import OfficeRequest
from daemon.office.plans import office_plans
from daemon.office.running import OfficeRunner
from daemon.runs.engine import RunRequest, RunSummary
from schemas.errors import ConfigurationError
from schemas.events import SlotSkipped
from schemas.log import LogWriter

_log = structlog.get_logger(__name__)


class OfficeSuite:
    """A :class:`daemon.runs.engine.Suite`; ``pairs`` and ``budget_usd`` are the configuration's."""

    def __init__(self, runner: OfficeRunner, log: LogWriter, *, pairs: int, budget_usd: Decimal | None) -> None:
        self._runner = runner
        self._log = log
        self._pairs = pairs
        self._budget_usd = budget_usd

    async def run(self, request: RunRequest) -> RunSummary:
        """See :class:`daemon.runs.engine.Suite`. Documents that cannot be made skip the slot, no more."""
        try:
            summary = await self._runner.run(
                OfficeRequest(
                    works=office_plans()[request.workload].works,
                    endpoints=request.endpoints,
                    pairs=self._pairs,
                    budget_usd=self._budget_usd,
                    trigger=request.trigger,
                    slot=request.slot,
                    nominal_ns=request.nominal_ns,
                    late=request.late,
                )
            )
        except ConfigurationError as problem:
            return await self._skip(request, str(problem))
        _log.info(
            "office tasks asked about",
            answered=sum(each.answered for each in summary.works),
            recalled=sum(each.recalled for each in summary.works),
            attempts=summary.attempts,
            cost_usd=str(summary.cost_usd),
            unknown_costs=summary.unknown_costs,
            stopped=summary.stopped or "no",
        )
        return RunSummary(run=None)

    def wind_down(self) -> None:
        """See :class:`daemon.runs.engine.Suite`."""
        self._runner.wind_down()

    async def _skip(self, request: RunRequest, detail: str) -> RunSummary:
        _log.error("office tasks not asked about", reason=detail)
        if request.slot is not None and request.nominal_ns is not None:
            await self._log.append(
                SlotSkipped(
                    slot=request.slot,
                    workload=request.workload,
                    scenario=request.scenario,
                    nominal_ns=request.nominal_ns,
                    reason="no-endpoints",
                    detail=detail,
                )
            )
        return RunSummary(run=None, skipped="no-endpoints", detail=detail)


def office_suites(suite: OfficeSuite) -> Mapping[str, OfficeSuite]:
    """Return the suite by each of its workloads."""
    return dict.fromkeys(office_plans(), suite)
