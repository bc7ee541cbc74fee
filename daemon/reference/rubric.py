"""Reference models for rubric tasks: they miss planned criteria, and judge with planned mistakes.

None is a language model. An answer is the solution's own words for the criteria that pass, so what it misses is known
to the exact count; a judging request is recognised by the answer and the statements in it. How requests are worded
and what counts as a verdict is not known here: what is right is worked out anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

import msgspec

from daemon.reference.replying import Speaker, UnreadableChatError, read_chat, reply_script, tokens_of
from daemon.reference.script import Script, error_script
from schemas.rubric.task import Criterion, RubricTask


class RubricModel(msgspec.Struct, frozen=True, kw_only=True):
    """One model: how it answers, and how it judges.

    missing: criteria that are not critical and that each answer misses. unusable: of the tasks, how many answers miss
    a critical one, too. refused: of the tasks, how many are never answered. misjudging: of each answer's criteria,
    how many are judged the wrong way round; unplain: how many get a reply that is no plain verdict.
    """

    name: str
    title: str
    missing: int = 0
    unusable: int = 0
    refused: int = 0
    misjudging: int = 0
    unplain: int = 0


RUBRIC_MODELS: Final[tuple[RubricModel, ...]] = (
    RubricModel(name="rubric-right", title="Reference: every criterion met; judges rightly"),
    RubricModel(
        name="rubric-erring",
        title="Reference: misses two criteria a task, in one task a critical one; never answers one task",
        missing=2,
        unusable=1,
        refused=1,
    ),
    RubricModel(
        name="rubric-wayward",
        title="Reference: judges one criterion of each answer wrongly, two without a plain verdict",
        misjudging=1,
        unplain=2,
    ),
)

UNPLAIN: Final = (
    '{"verdict": "true", "reason": "A word in place of a truth value."}',
    'Yes. {"verdict": true, "reason": "A word beside the object."}',
    '{"verdict": null, "reason": "Neither."}',
    '{"verdict": true}',
    '{"verdict": 1, "reason": "A number in place of a truth value."}',
)
"""Replies that are no plain verdict, each for a reason of its own."""

_NUMBERED: Final = re.compile(r"(\d+)\. (.+)")


class RubricPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a model does with one task. missed: ids of criteria; None where it is never answered."""

    missed: frozenset[str] | None
    text: str


class RubricService:
    """Plays models over the tasks of a catalogue, in every language of it."""

    def __init__(
        self, tasks: Iterable[tuple[RubricTask, str]], models: Sequence[RubricModel] = RUBRIC_MODELS
    ) -> None:
        """Plan everything. tasks: each beside what is sent of it."""
        self._models = {model.name: model for model in models}
        self._tasks = {sent: task for task, sent in tasks}
        self._plans = {model.name: planned(model, tuple(self._tasks.values())) for model in models}
        self._answers: dict[str, tuple[RubricTask, frozenset[str]]] = {}
        for plans in self._plans.values():
            for task in self._tasks.values():
                plan = plans[key_of(task)]
                if plan.missed is not None:
                    self._answers[plan.text] = task, plan.missed

    def plays(self, name: str) -> bool:
        """Tell whether a model of this name is played."""
        return name in self._models

    def plan(self, name: str, task: RubricTask) -> RubricPlan:
        """Return what a model does with a task."""
        return self._plans[name][key_of(task)]

    def begin(self, name: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        """Answer a request to a model: a task, or an answer to judge."""
        model = self._models[name]
        try:
            text, _ = read_chat(body).content()
        except UnreadableChatError as problem:
            return error_script(response_id, 400, "invalid_request_error", str(problem))
        task = self._tasks.get(text)
        if task is not None:
            plan = self.plan(name, task)
            if plan.missed is None:
                return error_script(response_id, 400, "context_length_exceeded", "simulated: this is too long for me")
            reply = plan.text
        else:
            reply = self._judged(model, text)
        speaker = Speaker(name=name, provider="Reference", input_usd=Decimal("0.50"), output_usd=Decimal("1.50"))
        return reply_script(speaker, reply, tokens_of(text), response_id=response_id, wall_ns=wall_ns)

    def _judged(self, model: RubricModel, text: str) -> str:
        found = max((answer for answer in self._answers if f"\n{answer}\n" in text), key=len, default=None)
        if found is None:
            return "ok"
        task, missed = self._answers[found]
        verdicts = planned_verdicts(model, task, missed)
        by_statement = {each.statement.strip(): verdicts[each.id] for each in task.criteria}
        lines = text.splitlines()
        single = [by_statement[line] for line in lines if line in by_statement]
        if single:
            return single[-1]
        numbered = [
            (match[1], by_statement.get(match[2], "")) for line in lines if (match := _NUMBERED.fullmatch(line))
        ]
        entries = [f'{{"number": {number}, {reply[1:]}' for number, reply in numbered if reply.startswith("{")]
        return f'{{"verdicts": [{", ".join(entries)}]}}'


def key_of(task: RubricTask) -> str:
    """Name a task among those of a catalogue."""
    return f"{task.id}/{task.language}"


def planned(model: RubricModel, tasks: Sequence[RubricTask]) -> Mapping[str, RubricPlan]:
    """Choose what a model misses. Equal models and tasks give equal plans; twins of a task fare alike."""
    names = sorted({task.id for task in tasks}, key=lambda name: _rank(model, name))
    unanswered, unusable = names[: model.refused], names[model.refused :][: model.unusable]
    plans: dict[str, RubricPlan] = {}
    for task in tasks:
        ranked = sorted(task.criteria, key=lambda each: _rank(model, task.id, each.id))
        missed = {each.id for each in [each for each in ranked if not each.critical][: model.missing]}
        if task.id in unusable:
            missed |= {each.id for each in [each for each in ranked if each.critical][:1]}
        plans[key_of(task)] = RubricPlan(
            missed=None if task.id in unanswered else frozenset(missed),
            text="\n".join(" ".join(each.found) for each in task.criteria if each.id not in missed),
        )
    return plans


def planned_verdicts(model: RubricModel, task: RubricTask, missed: frozenset[str]) -> Mapping[str, str]:
    """Word a judging model's reply on each criterion of an answer that misses some."""
    ranked = sorted(task.criteria, key=lambda each: _rank(model, "judging", task.id, each.id))
    wrong = {each.id for each in ranked[: model.misjudging]}
    replies: dict[str, str] = {}
    for place, each in enumerate(ranked):
        number = place - model.misjudging
        if 0 <= number < model.unplain:
            replies[each.id] = UNPLAIN[number % len(UNPLAIN)]
        else:
            replies[each.id] = _verdict(each, passed=(each.id not in missed) != (each.id in wrong))
    return replies


def _verdict(criterion: Criterion, *, passed: bool) -> str:
    said: dict[str, Any] = {
        "verdict": passed,
        "reason": f"Reference: {criterion.id} is {'met' if passed else 'missed'}.",
    }
    return msgspec.json.encode(said).decode()


def _rank(model: RubricModel, *names: str) -> bytes:
    return sha256("\x1f".join((model.name, *names)).encode()).digest()
