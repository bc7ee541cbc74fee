"""An endpoint's model judges answers, by ordinary attempts: one criterion a request, or all of an answer together.

A reply that is no plain verdict leaves its criteria ungraded, and says so in the judgment. A reply that the log has
already, of a run that broke off before it was taken down, is judged by and not paid for again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
import structlog

from daemon.attempts.identity import RunIdentity
from daemon.judging.rubric.gathering import SUITE
from daemon.judging.rubric.judging_prompt import PROMPT_VERSION, judging_prompt
from daemon.judging.rubric.plain_verdict import NO_PLAIN_VERDICT, PlainVerdict, plain_verdict
from daemon.judging.rubric.together import TOGETHER_VERSION, plain_verdicts, together_prompt
from daemon.rubric.answers import Answer, answers, judgment
from daemon.rubric.asking import tell
from daemon.rubric.contract import JUDGING, VERDICT_LIMIT_TOKENS, JudgeRequest, JudgeSummary, Progress
from daemon.rubric.memory import ReplyKey, RubricMemory
from daemon.rubric.part import Part, Request
from daemon.rubric.wording import Worded, worded
from daemon.runs.in_turn import InTurn
from daemon.runs.means import Means
from daemon.runs.planning import Order, measuring_account
from daemon.runs.spending import Purse
from daemon.tokens import count_tokens
from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.rubric.admission import Admission
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted, JudgmentRecorded
from schemas.events.judgments import Judge
from schemas.rubric.task import Catalogue, Criterion

_ALL: Final = "all"

_log = structlog.get_logger(__name__)


class _Unit(msgspec.Struct, frozen=True):
    """What one request is about."""

    answer: Answer
    criteria: tuple[Criterion, ...]
    prompt: Prompt


class ModelJudging:
    """One endpoint as a judge, one request at a time."""

    def __init__(self, means: Means, memory: RubricMemory) -> None:
        self._means = means
        self._memory = memory
        self._made: Counter[str | bool] = Counter()

    def wind_down(self) -> None:
        """See :meth:`daemon.runs.means.Means.wind_down`."""
        self._means.wind_down()

    async def run(
        self, catalogue: Catalogue, admission: Admission, request: JudgeRequest, progress: Callable[[Progress], None]
    ) -> JudgeSummary:
        """Judge every criterion that this judge has not judged yet.

        When cancelled, whatever is planned is closed first. Raises :class:`schemas.errors.LogError` when the log
        fails, :class:`schemas.errors.ConfigurationError` where the endpoint cannot be asked at all.
        """
        means = self._means
        endpoint, account = self._judge_endpoint(request.endpoint)
        self._memory.read()
        known = await means.world.offload(answers, self._memory, catalogue, admission, request.of)
        own = sum(_is_own(each, endpoint) for each in known.found)
        if own:
            _log.warning("a model judges answers of its own", endpoint=endpoint.name, answers=own)
        judge = Judge(
            kind="model", name=endpoint.name, version=TOGETHER_VERSION if request.together else PROMPT_VERSION
        )
        units = await means.world.offload(_units, known.found, judge, request)
        purse = Purse(request.budget_usd, means.budget, means.world)
        turns = InTurn(means, purse, partial(tell, progress, purse))
        part = Part(means, purse, endpoint.name)
        requests: list[Request] = []
        for ordinal, unit in enumerate(units):
            order = Order(
                attempt=means.world.new_id(),
                endpoint=endpoint,
                account=account,
                ordinal=ordinal,
                prompt=unit.prompt,
            )
            words = worded(order)
            reply = None if request.again else self._recalled(endpoint, unit, words)
            if reply is None:
                requests.append(Request(order, words, lambda _: None, partial(self._judge, unit, judge, words)))
            else:
                part.recalled += 1
                await self._judge(unit, judge, words, reply, True)  # noqa: FBT003  # it is a reply
        lane = part.lane(requests)
        if lane:
            identity = RunIdentity(
                run=means.world.new_id(), suite=SUITE, workload=JUDGING, scenario="single", slot=None
            )
            await turns.carry_out(identity, [unit.prompt for unit in units], [lane])
        criteria = sum(len(each.loaded.task.criteria) for each in known.found)
        return JudgeSummary(
            judge=judge.name,
            version=judge.version,
            left_out=admission.left_out,
            answers=len(known.found),
            own_answers=own,
            unusable=known.unusable,
            criteria=criteria,
            before=criteria - sum(len(unit.criteria) for unit in units),
            passed=self._made[True],
            failed=self._made[False],
            ungraded={key: count for key, count in sorted(self._made.items(), key=str) if isinstance(key, str)},
            part=part.summary(),
            attempts=part.attempts,
            cost_usd=purse.known_usd,
            unknown_costs=purse.unknown,
            stopped=turns.stopped,
        )

    def _judge_endpoint(self, name: str) -> tuple[EndpointFacts, AccountFacts]:
        catalogue = self._means.catalogue
        endpoint = next((each for each in catalogue.endpoints if each.name == name), None)
        account = None if endpoint is None else measuring_account(endpoint, catalogue.accounts)
        if endpoint is None or account is None:
            raise ConfigurationError(
                f"{name!r} cannot judge: it is no enabled endpoint with an account; see endpoints.toml, accounts.toml"
            )
        return endpoint, account

    def _recalled(self, endpoint: EndpointFacts, unit: _Unit, words: Worded) -> AttemptCompleted | None:
        for payload in words.payload_sha256s:
            reply = self._memory.replies.get(ReplyKey(endpoint.name, unit.prompt.facts.task, payload))
            if reply is not None and (self._memory.text(reply) or "").strip():
                return reply
        return None

    async def _judge(
        self,
        unit: _Unit,
        judge: Judge,
        words: Worded,
        completed: AttemptCompleted,
        is_reply: bool,  # noqa: FBT001  # the signature of Done
    ) -> None:
        text = self._memory.text(completed) if is_reply else None
        told = (
            plain_verdicts(text, len(unit.criteria)) if judge.version == TOGETHER_VERSION else (plain_verdict(text),)
        )
        by = msgspec.structs.replace(
            judge,
            parameters={
                "endpoint": completed.endpoint,
                "model": completed.returned_model,
                "prompt_sha256": unit.prompt.facts.sha256,
                "attempt": str(completed.attempt),
                "parameters": dict(words.parameters),
            },
        )
        made = [self._made_of(unit.answer, each, by, one) for each, one in zip(unit.criteria, told, strict=True)]
        await self._means.log.append(*made)

    def _made_of(self, answer: Answer, criterion: Criterion, judge: Judge, told: PlainVerdict) -> JudgmentRecorded:
        self._made[(told.category or "") if told.verdict is None else told.verdict] += 1
        return judgment(
            answer,
            criterion.id,
            judge,
            self._means.world.new_id,
            verdict=told.verdict,
            reason=told.reason,
            category=told.category,
        )


def _units(found: Sequence[Answer], judge: Judge, request: JudgeRequest) -> list[_Unit]:
    limit = request.verdict_limit_tokens or VERDICT_LIMIT_TOKENS
    units: list[_Unit] = []
    for answer in found:
        task = answer.loaded.task
        wanted = tuple(each for each in task.criteria if request.again or not _is_settled(answer, judge, each.id))
        if request.together and wanted:
            # All are asked about again where one is open: with fewer statements it would be another request.
            text = together_prompt(task, [each.statement for each in task.criteria], answer.text)
            about, most = f"{answer.attempt}/{_ALL}", limit * len(task.criteria)
            units.append(_Unit(answer, task.criteria, _prompt(text, about, judge.version, most)))
        elif not request.together:
            for each in wanted:
                text = judging_prompt(task, each.statement, answer.text)
                units.append(
                    _Unit(answer, (each,), _prompt(text, f"{answer.attempt}/{each.id}", judge.version, limit))
                )
    return units


def _prompt(text: str, about: str, version: str, limit_tokens: int) -> Prompt:
    return prompt_of(
        text=text,
        generator=JUDGING,
        generator_version=int(version.partition("-")[0]),
        seed=about,
        input_tokens=count_tokens(text),
        min_output_tokens=0,
        max_output_tokens=limit_tokens,
        task=about,
    )


def _is_settled(answer: Answer, judge: Judge, criterion: str) -> bool:
    """Tell whether asking once more would give the same; a request that had no reply is made again."""
    before = answer.by(judge, criterion)
    return before is not None and (before.verdict is not None or before.category == NO_PLAIN_VERDICT)


def _is_own(answer: Answer, endpoint: EndpointFacts) -> bool:
    return endpoint.name == answer.completed.endpoint or endpoint.model == answer.completed.returned_model
