"""One work of one run: what is pending is planned in the log, asked, judged and, where private, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final
from uuid import UUID

import structlog

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.office.asking import Asker
from daemon.office.contract import WORKLOADS, OfficeRequest, Progress, WorkSummary
from daemon.office.means import Means
from daemon.office.memory import SUITE
from daemon.office.recalling import Keyring, Pending, Settled, recalled
from daemon.office.units import DataSet, Unit, document_units, tax_units
from daemon.office.verdicts import is_news, judgments, missing_judgments, private_totals
from daemon.runs.course import Unanswered
from daemon.runs.in_turn import InTurn, Lane
from daemon.runs.planning import Order, measuring_account
from daemon.runs.spending import Purse
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.errors import ConfigurationError
from schemas.events import JudgmentRecorded
from schemas.events.office import OfficeWork

_APPENDED_AT_ONCE: Final = 500

_log = structlog.get_logger(__name__)


class _Part:
    """One endpoint's part: what it has answered, what it is to be asked, and counts."""

    def __init__(self, endpoint: EndpointFacts, account: AccountFacts, keys: Keyring) -> None:
        self.endpoint = endpoint
        self.account = account
        self.keys = keys
        self.settled: list[Settled] = []
        self.pending: list[Pending] = []
        self.recalled = self.unable = 0
        self.answered = self.without_schema = self.again = 0
        self.unanswered: Counter[str] = Counter()

    def summary(self, work: OfficeWork) -> WorkSummary:
        return WorkSummary(
            work=work,
            endpoint=self.endpoint.name,
            recalled=self.recalled,
            answered=self.answered,
            without_schema=self.without_schema,
            again=self.again,
            unanswered=dict(sorted((self.unanswered + Counter(self._unable())).items())),
            unsent=len(self.pending) - self.answered - self.unanswered.total(),
        )

    def _unable(self) -> dict[str, int]:
        return {"refused-locally": self.unable} if self.unable else {}


class WorkRun:
    """One work. ``stopped``: why it ended before its end, or None; ``attempts``: how many were made."""

    def __init__(
        self,
        means: Means,
        request: OfficeRequest,
        work: OfficeWork,
        purse: Purse,
        progress: Callable[[Progress], None],
    ) -> None:
        self._means = means
        self._request = request
        self._work: OfficeWork = work
        self._purse = purse
        self._progress = progress
        self._parts: list[_Part] = []
        self.attempts = 0
        self.stopped: str | None = None

    def summaries(self) -> list[WorkSummary]:
        """Return one an endpoint."""
        return [part.summary(self._work) for part in self._parts]

    async def carry_out(self) -> None:
        """Carry the work out; see :meth:`daemon.office.running.OfficeRunner.run`."""
        data = None if self._work == "language-tax" else self._means.data()
        units = await self._means.world.offload(self._units, data)
        for endpoint in self._means.catalogue.endpoints:
            if self._request.endpoints and endpoint.name not in self._request.endpoints:
                continue
            account = measuring_account(endpoint, self._means.catalogue.accounts)
            if account is not None:
                await self._recall(_Part(endpoint, account, Keyring(endpoint)), units)
        await self._judge_what_is_not()
        run = self._means.world.new_id()
        if self._request.slot is not None or any(part.pending for part in self._parts):
            await self._send(run, units, data)
        if data is not None and data.salt_sha256 is not None:
            await self._add_up(run, data.salt_sha256)

    def _units(self, data: DataSet | None) -> tuple[Unit, ...]:
        if data is None or self._work == "language-tax":
            return tax_units()
        wanted = self._request.languages
        units = document_units(data, self._work, self._request.pairs)
        return tuple(unit for unit in units if not wanted or unit.asked.language in wanted)

    async def _recall(self, part: _Part, units: Sequence[Unit]) -> None:
        able = [unit for unit in units if part.endpoint.vision or not unit.prompt.images]
        try:
            part.settled, part.pending = await self._means.world.offload(
                recalled, able, part.keys, self._means.memory
            )
        except ConfigurationError as problem:
            _log.error("an endpoint cannot do the office tasks", endpoint=part.endpoint.name, reason=str(problem))
            part.unable = len(able)
        part.recalled = len(part.settled)
        self._parts.append(part)

    async def _judge_what_is_not(self) -> None:
        """Judge what a run that broke off had answers to, and everything again under newer rules or truths."""
        means = self._means
        settled = [each for part in self._parts for each in part.settled]
        missing = await means.world.offload(
            missing_judgments, settled, tuple(means.memory.judgments), means.world.new_id
        )
        for start in range(0, len(missing), _APPENDED_AT_ONCE):
            await self._append_judgments(missing[start : start + _APPENDED_AT_ONCE])

    async def _append_judgments(self, made: Sequence[JudgmentRecorded]) -> None:
        if made:
            await self._means.log.append(*made)
            self._means.memory.judgments += made

    async def _send(self, run: UUID, units: Sequence[Unit], data: DataSet | None) -> None:
        means, asker = self._means, self._asker(data)
        wanted = {id(pending.unit) for part in self._parts for pending in part.pending}
        asked = [unit for unit in units if id(unit) in wanted]
        ordinals = {id(unit): ordinal for ordinal, unit in enumerate(asked)}
        lanes: list[Lane] = []
        for part in self._parts:
            orders = [self._order(part, pending, ordinals[id(pending.unit)]) for pending in part.pending]
            lanes.append(
                [
                    (order, partial(self._ask, part, pending, order, asker))
                    for order, pending in zip(orders, part.pending, strict=True)
                ]
            )
        identity = RunIdentity(
            run=run, suite=SUITE, workload=WORKLOADS[self._work], scenario="single", slot=self._request.slot
        )
        turns = InTurn(means, self._purse, self._tell)
        try:
            await turns.carry_out(
                identity,
                [unit.prompt for unit in asked],
                lanes,
                trigger=self._request.trigger,
                nominal_ns=self._request.nominal_ns,
                late=self._request.late,
            )
        finally:
            self.stopped = turns.stopped

    async def _ask(
        self, part: _Part, pending: Pending, order: Order, asker: Asker, identity: AttemptIdentity
    ) -> bool:
        outcome = await asker.ask(identity, order, pending, part.keys)
        self.attempts += len(outcome.made)
        if outcome.settled is not None:
            part.settled.append(outcome.settled)
            part.answered += 1
            part.without_schema += outcome.without_schema
            part.again += outcome.again
            await self._append_judgments(judgments(outcome.settled, self._means.world.new_id))
        elif outcome.unanswered is not None:
            part.unanswered[outcome.unanswered.reason] += 1
            return not self._gives_up(part, outcome.unanswered)
        return True

    def _gives_up(self, part: _Part, unanswered: Unanswered) -> bool:
        if unanswered.hopeless and not self._means.stopping.is_set():
            _log.error(
                "an endpoint is asked no more in this run: every further document would be refused alike",
                endpoint=part.endpoint.name,
                reason=unanswered.reason,
            )
        return unanswered.hopeless

    async def _add_up(self, run: UUID, salt_sha256: str) -> None:
        means = self._means
        for part in self._parts:
            totals = await means.world.offload(
                lambda each=part: private_totals(
                    each.settled,
                    endpoint=each.endpoint.name,
                    run=run,
                    salt_sha256=salt_sha256,
                    new_id=means.world.new_id,
                )
            )
            for each in totals:
                key = (each.endpoint, each.task, each.language)
                if is_news(means.memory.totals.get(key), each):
                    await means.log.append(each)
                    means.memory.totals[key] = each

    def _asker(self, data: DataSet | None) -> Asker:
        means = self._means

        def keyed(text: str) -> str:
            if data is None:
                raise ValueError("there is no private paragraph")
            return data.keyed(text)

        return Asker(means, keyed, self._purse)

    def _order(self, part: _Part, pending: Pending, ordinal: int) -> Order:
        return Order(
            attempt=self._means.world.new_id(),
            endpoint=part.endpoint,
            account=part.account,
            ordinal=ordinal,
            prompt=pending.unit.prompt,
        )

    def _tell(self, done: int, planned: int) -> None:
        self._progress(
            Progress(
                work=self._work,
                done=done,
                planned=planned,
                cost_usd=self._purse.known_usd,
                unknown_costs=self._purse.unknown,
            )
        )
