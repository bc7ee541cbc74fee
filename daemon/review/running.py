"""Measures the frozen requests of planned conditions into a record, by ordinary attempts.

What the record has is not asked again, so a run that ended in any way is taken up by the next one. The run file is
made of the log alone; nothing is estimated for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.history import LogHistory
from daemon.review.asking import Errand, ReviewMatter
from daemon.review.attempts import validated
from daemon.review.contract import Progress, ReviewRequest, ReviewRunSummary
from daemon.review.importing import recorded_file
from daemon.review.judgments import SUITE
from daemon.review.reading import read_records
from daemon.review.records import RecordError, ReviewRecord, TextOf
from daemon.review.work import Work
from daemon.runs.course import Trouble, Unanswered
from daemon.runs.in_turn import InTurn
from daemon.runs.means import Means
from daemon.runs.persisting import persist
from daemon.runs.spending import Purse
from schemas.review.manifest import CodeIdentity
from schemas.review.run import Run

WORKLOAD: Final = "review"

_log = structlog.get_logger(__name__)


class ReviewRunner:
    """Measures; each endpoint is asked one request at a time. ``validator``: of this program."""

    def __init__(self, means: Means, history: LogHistory, text_of: TextOf, validator: CodeIdentity) -> None:
        self._means = means
        self._history = history
        self._text_of = text_of
        self._validator = validator

    def wind_down(self) -> None:
        """See :meth:`daemon.runs.means.Means.wind_down`."""
        self._means.wind_down()

    async def run(self, request: ReviewRequest, progress: Callable[[Progress], None]) -> tuple[ReviewRunSummary, Run]:
        """Ask everything that has no response yet and may be asked. Returns the run file as it stands then, too.

        When cancelled, whatever is planned is closed first. Raises :class:`schemas.errors.LogError` when the log
        fails, :class:`schemas.errors.ConfigurationError` for a plan that cannot be carried out,
        :class:`daemon.review.records.RecordError` where the record holds something else under its name.
        """
        means, seed = self._means, self._means.world.new_seed()
        purse = Purse(request.budget_usd, means.budget, means.world)
        before = Work(request, self._record(request), means.catalogue, self._text_of, seed)
        errands = await means.world.offload(before.errands, means.world.new_id)
        asking = _Asking(means, purse, request, before)

        def tell(done: int, planned: int) -> None:
            progress(Progress(done=done, planned=planned, cost_usd=purse.known_usd, unknown_costs=purse.unknown))

        turns = InTurn(means, purse, tell)
        if errands:
            await self._keep(request, before, under_way=True)
            identity = RunIdentity(
                run=means.world.new_id(), suite=SUITE, workload=WORKLOAD, scenario="single", slot=None
            )
            names = dict.fromkeys(errand.order.endpoint.name for errand in errands)
            lanes = [
                [
                    (errand.order, partial(asking.carry_out, errand))
                    for errand in errands
                    if errand.order.endpoint.name == name
                ]
                for name in names
            ]
            await turns.carry_out(identity, [errand.order.prompt for errand in errands], lanes)
        after = Work(request, self._record(request), means.catalogue, self._text_of, seed)
        await self._keep(request, after, under_way=False)
        summary = ReviewRunSummary(
            record=request.record,
            conditions=after.summaries(before),
            attempts=asking.attempts,
            cost_usd=purse.known_usd,
            unknown_costs=purse.unknown,
            stopped=turns.stopped,
        )
        return summary, after.run

    def _record(self, request: ReviewRequest) -> ReviewRecord:
        record = read_records(self._history).get(request.record) or ReviewRecord(request.record)
        if record.file is not None and record.file.manifest_sha256 != request.manifest_sha256:
            raise RecordError(
                f"there is a record {request.record!r} of another manifest ({record.file.manifest_sha256}); measure "
                "into another one, with --name"
            )
        return record

    async def _keep(self, request: ReviewRequest, work: Work, *, under_way: bool) -> None:
        """Record the file as it stands, and what the validator finds in responses that are new."""
        record = work.record
        origin = "measured" if record.file is None else record.file.origin
        state = recorded_file(work.run, request.manifest, request.record, origin=origin, under_way=under_way)
        found = [
            validated(attempt, request.record, work.planned[attempt.review_run_id], self._validator)
            for attempt in work.attempts
            if attempt.attempt_id not in record.validated
        ]
        events = [*([] if state == record.file else [state]), *(each for each in found if each is not None)]
        if events:
            await self._means.log.append(*events)


class _Asking:
    """Carries errands out; counts attempts, and holds answers to the condition's model."""

    def __init__(self, means: Means, purse: Purse, request: ReviewRequest, work: Work) -> None:
        self._means = means
        self._purse = purse
        self._request = request
        self._models = dict(work.models)
        self.attempts = 0

    async def carry_out(self, errand: Errand, identity: AttemptIdentity) -> bool:
        """Ask one request to its end; False where the endpoint is to be asked no more."""
        request = self._request
        matter = ReviewMatter(errand, request.record, request.manifest_sha256, self._means.kept)
        ended = await persist(self._means, self._purse, identity, errand.order, matter, Trouble())
        self.attempts += len(ended.made)
        if isinstance(ended.end, Unanswered):
            if ended.end.hopeless and not self._means.stopping.is_set():
                _log.error(
                    "an endpoint is asked no more in this run: every further request would be refused alike",
                    endpoint=identity.endpoint,
                    reason=ended.end.reason,
                )
            return not ended.end.hopeless
        answered = ended.made[-1].returned_model or errand.order.endpoint.model
        expected = self._models.setdefault(errand.plan.condition_id, answered)
        if answered != expected:
            _log.error(
                "an endpoint is asked no more in this run: another model answers than that of the condition; declare "
                "a condition for it",
                endpoint=identity.endpoint,
                condition=errand.plan.condition_id,
                model=expected,
                answered=answered,
            )
        return answered == expected
