"""Answers requests about office documents as planned, in the bytes of OpenAI's chat completions. No clock, no socket.

A document is recognised by what is asked: the prompt's whole text, or the image beside it. Anything else, such as a
paragraph of the parallel corpus, is counted and answered with a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from daemon.reference.office.mistakes import right_answer
from daemon.reference.office.planning import OfficeModel, OfficePlan, plan_task
from daemon.reference.replying import HEAD_NS, Speaker, UnreadableChatError, read_chat, reply_script, tokens_of
from daemon.reference.script import Part, Script, error_script
from schemas.office import OfficeDocument, Task

IMAGE_TOKENS = 1_100


class OfficeService:
    """Plays models over documents. ``documents``: each beside what is sent of it, the whole text or an image's bytes.

    The luck of a request depends on how often its model was asked about its document, and how often at all.
    """

    def __init__(self, models: Sequence[OfficeModel], documents: Iterable[tuple[OfficeDocument, bytes]]) -> None:
        self._models = {model.name: model for model in models}
        self._documents: dict[bytes, OfficeDocument] = {}
        by_task: dict[str, list[OfficeDocument]] = {}
        for document, sent in documents:
            self._documents[sha256(sent).digest()] = document
            by_task.setdefault(document.facts.task, []).append(document)
        self._by_task = by_task
        self._plans: dict[tuple[str, str], OfficePlan] = {}
        self._asked: Counter[str] = Counter()
        self._told: Counter[tuple[str, str]] = Counter()

    def plays(self, name: str) -> bool:
        """Tell whether a model of this name is played."""
        return name in self._models

    def plan(self, name: str, task: Task) -> OfficePlan:
        """Return what a model does with a task's documents; raises OfficePlanError where that cannot be made."""
        if (name, task) not in self._plans:
            self._plans[name, task] = plan_task(self._models[name], self._by_task.get(task, ()))
        return self._plans[name, task]

    def begin(self, name: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        """Answer a request to a model."""
        model = self._models[name]
        self._asked[name] += 1
        try:
            asked = read_chat(body)
        except UnreadableChatError as problem:
            return error_script(response_id, 400, "invalid_request_error", str(problem))
        if model.limited_every and self._asked[name] % model.limited_every == 0:
            return self._limited(model, response_id)
        if model.refuses_schema and asked.response_format is not None:
            message = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
            return error_script(response_id, 400, "invalid_request_error", message)
        text, images = asked.content()
        document = self._documents.get(sha256(images[0] if images else text.encode()).digest())
        input_tokens = tokens_of(text) + IMAGE_TOKENS * len(images)
        reply, provider = self._reply(model, document) if document is not None else ("ok", model.provider)
        return reply_script(
            Speaker(name=model.name, provider=provider, input_usd=model.input_usd, output_usd=model.output_usd),
            reply,
            input_tokens,
            response_id=response_id,
            wall_ns=wall_ns,
        )

    def _reply(self, model: OfficeModel, document: OfficeDocument) -> tuple[str, str]:
        facts = document.facts
        plan = self.plan(model.name, facts.task).documents[facts.id]
        self._told[model.name, facts.id] += 1
        first = self._told[model.name, facts.id] == 1
        answer = right_answer(document.truth) | {field: each.value for field, each in plan.mistakes.items()}
        reply = msgspec.json.encode(answer).decode()
        if plan.never_json or (plan.broken_first and first):
            reply = reply[: len(reply) // 2]
        elif plan.fenced:
            reply = f"```json\n{reply}\n```"
        return reply, "Somebody Else" if plan.elsewhere_first and first else model.provider

    def _limited(self, model: OfficeModel, response_id: str) -> Script:
        message = "simulated rate limit: too many requests"
        if self._asked[model.name] // model.limited_every % 2:
            return error_script(response_id, 429, "rate_limit_exceeded", message, headers=(("retry-after", "1"),))
        error = msgspec.json.encode({"error": {"message": message, "code": 429, "type": "rate_limit_exceeded"}})
        return msgspec.structs.replace(error_script(response_id, 200, "", ""), parts=(Part(HEAD_NS, error),))
