"""One run over the office tasks, work by work; each work is a run of its own in the log.

Whatever a run has paid for is remembered by the log, so a run that was ended in any way is taken up by the next one,
and a second run of a week sends nothing. How one work goes is :mod:`daemon.office.work`.
"""

from __future__ import annotations

from collections.abc import Callable

from daemon.office.contract import OfficeRequest, OfficeSummary, Progress, WorkSummary
from daemon.office.means import Means
from daemon.office.work import WorkRun
from daemon.runs.spending import Purse


def _nobody(_: Progress) -> None:
    """Tell nobody."""


class OfficeRunner:
    """Runs the office tasks over the endpoints of a catalogue; each endpoint is asked one document at a time."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def wind_down(self) -> None:
        """See :meth:`daemon.runs.means.Means.wind_down`."""
        self._means.wind_down()

    async def run(self, request: OfficeRequest, progress: Callable[[Progress], None] = _nobody) -> OfficeSummary:
        """Ask about everything that is pending, judge, and record totals.

        When cancelled, whatever is planned is closed first. Raises :class:`schemas.errors.LogError` when the log
        fails, :class:`schemas.errors.ConfigurationError` when the documents cannot be made.
        """
        means = self._means
        await means.memory.refresh()
        purse = Purse(request.budget_usd, means.budget, means.world)
        works: list[WorkSummary] = []
        attempts, stopped = 0, None
        for work in request.works:
            part = WorkRun(means, request, work, purse, progress)
            await part.carry_out()
            works += part.summaries()
            attempts += part.attempts
            stopped = stopped or part.stopped
            if means.stopping.is_set():
                break  # left to the next start; with the budget used up, the rest is planned and closed
        return OfficeSummary(
            works=tuple(works),
            attempts=attempts,
            cost_usd=purse.known_usd,
            unknown_costs=purse.unknown,
            stopped=stopped,
        )
