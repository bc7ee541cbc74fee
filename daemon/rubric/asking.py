"""One run over the tasks of a catalogue: facts and question to every endpoint, by ordinary attempts.

What was asked before, to the byte, is not asked again, so that a run that ended in any way is taken up by the next
one. Nothing here reads a criterion or a solution, but to tell the log by what an answer will be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from uuid import UUID

import msgspec
import structlog

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.judging.rubric.gathering import ASKING, SUITE
from daemon.rubric.contract import AskRequest, AskSummary, Progress
from daemon.rubric.memory import AskKey, GroupKey, RubricMemory, ask_key, group_key
from daemon.rubric.part import Part, Request
from daemon.rubric.wording import Worded, worded
from daemon.runs.in_turn import InTurn
from daemon.runs.means import Means
from daemon.runs.planning import Order, measuring_account
from daemon.runs.spending import Purse
from daemon.workloads.contract import Prompt
from daemon.workloads.rubric.admission import Admission, AdmittedTask
from daemon.workloads.rubric.prompt import rubric_prompt
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted
from schemas.events.rubric import AskedCriterion, RubricAsked
from schemas.rubric.task import Catalogue

_log = structlog.get_logger(__name__)


class _Unit(msgspec.Struct, frozen=True):
    admitted: AdmittedTask
    repetition: int
    prompt: Prompt


class _Ask(msgspec.Struct, frozen=True):
    """A unit as one endpoint is asked it. keys: one for each form of the request."""

    order: Order
    words: Worded
    told: Callable[[UUID, UUID, str], RubricAsked]
    keys: tuple[AskKey, ...]


class RubricRunner:
    """Asks the tasks; each endpoint is asked one at a time."""

    def __init__(self, means: Means, memory: RubricMemory) -> None:
        self._means = means
        self._memory = memory

    def wind_down(self) -> None:
        """See :meth:`daemon.runs.means.Means.wind_down`."""
        self._means.wind_down()

    async def run(
        self, catalogue: Catalogue, admission: Admission, request: AskRequest, progress: Callable[[Progress], None]
    ) -> AskSummary:
        """Ask everything that has no answer yet.

        When cancelled, whatever is planned is closed first. Raises :class:`schemas.errors.LogError` when the log
        fails.
        """
        means = self._means
        self._memory.read()
        purse = Purse(request.budget_usd, means.budget, means.world)
        turns = InTurn(means, purse, partial(tell, progress, purse))
        units = await means.world.offload(_units, catalogue.id, admission, request)
        identity = RunIdentity(run=means.world.new_id(), suite=SUITE, workload=ASKING, scenario="single", slot=None)
        parts: list[Part] = []
        lanes = []
        for endpoint in means.catalogue.endpoints:
            account = measuring_account(endpoint, means.catalogue.accounts)
            if endpoint.name in request.endpoints and account is not None:
                part = Part(means, purse, endpoint.name)
                parts.append(part)
                lanes.append(part.lane(self._pending(part, endpoint, account, units, catalogue, again=request.again)))
        if any(lanes):
            await turns.carry_out(identity, [unit.prompt for unit in units], lanes)
        return AskSummary(
            tasks=len(admission.admitted),
            unread=tuple(each.name for each in admission.unread),
            left_out=admission.left_out,
            parts=tuple(part.summary() for part in parts),
            attempts=sum(part.attempts for part in parts),
            cost_usd=purse.known_usd,
            unknown_costs=purse.unknown,
            stopped=turns.stopped,
        )

    def _pending(
        self,
        part: Part,
        endpoint: EndpointFacts,
        account: AccountFacts,
        units: Sequence[_Unit],
        catalogue: Catalogue,
        *,
        again: bool,
    ) -> list[Request]:
        """Word what has no answer yet. A run that is taken up keeps its id in what is told of its tasks."""
        asks: list[_Ask] = []
        for ordinal, unit in enumerate(units):
            order = Order(
                attempt=self._means.world.new_id(),
                endpoint=endpoint,
                account=account,
                ordinal=ordinal,
                prompt=unit.prompt,
            )
            try:
                words = worded(order)
            except ConfigurationError as problem:
                _log.error("an endpoint cannot be asked rubric tasks", endpoint=endpoint.name, reason=str(problem))
                part.unable = len(units)
                return []
            told = partial(_told, catalogue, unit)
            like_it = told(UUID(int=0), UUID(int=0), endpoint.name)
            keys = tuple(ask_key(like_it, payload) for payload in words.payload_sha256s)
            asks.append(_Ask(order, words, told, keys))
        begun = {} if again else self._memory.begun(key for ask in asks for key in ask.keys)
        found: list[Request] = []
        for ask in asks:
            if any(self._memory.is_answered(key, begun.get(key.group)) for key in ask.keys):
                part.recalled += 1
            else:
                found.append(Request(ask.order, ask.words, partial(_joined, ask.told, begun), _nothing_more))
        return found


def tell(progress: Callable[[Progress], None], purse: Purse, done: int, planned: int) -> None:
    """Tell how far a run is, with its cost so far."""
    progress(Progress(done=done, planned=planned, cost_usd=purse.known_usd, unknown_costs=purse.unknown))


def _units(catalogue: str, admission: Admission, request: AskRequest) -> list[_Unit]:
    units = []
    for repetition in range(1, request.repetitions + 1):
        for admitted in admission.admitted:
            prompt = rubric_prompt(catalogue, admitted.loaded.task)
            if request.answer_limit_tokens is not None:
                facts = msgspec.structs.replace(prompt.facts, max_output_tokens=request.answer_limit_tokens)
                prompt = msgspec.structs.replace(prompt, facts=facts)
            units.append(_Unit(admitted, repetition, prompt))
    return units


def _told(catalogue: Catalogue, unit: _Unit, attempt: UUID, run: UUID, endpoint: str) -> RubricAsked:
    loaded, task = unit.admitted.loaded, unit.admitted.loaded.task
    return RubricAsked(
        attempt=attempt,
        run=run,
        endpoint=endpoint,
        catalogue=catalogue.id,
        catalogue_version=catalogue.version,
        task=task.id,
        language=task.language,
        field=task.field,
        title=task.title,
        task_sha256=loaded.sha256,
        criteria=tuple(
            AskedCriterion(id=each.id, statement=each.statement, critical=each.critical) for each in task.criteria
        ),
        prompt_sha256=unit.prompt.facts.sha256,
        repetition=unit.repetition,
        reader=unit.admitted.reader,
        example=task.example,
    )


def _joined(
    told: Callable[[UUID, UUID, str], RubricAsked],
    begun: Mapping[GroupKey, UUID],
    identity: AttemptIdentity,
) -> RubricAsked:
    asked = told(identity.attempt, identity.run.run, identity.endpoint)
    return msgspec.structs.replace(asked, run=begun.get(group_key(asked), asked.run))


async def _nothing_more(_: AttemptCompleted, __: bool) -> None:  # noqa: FBT001  # the signature of Done
    """Answers are kept by the log alone."""
