"""Answers requests about office documents as planned, in the bytes of OpenAI's chat completions. No clock, no socket.

A document is recognised by what is asked: the prompt's whole text, or the image beside it. Anything else, such as a
paragraph of the parallel corpus, is counted and answered with a word.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

import msgspec

from daemon.reference.office.mistakes import right_answer
from daemon.reference.office.planning import OfficeModel, OfficePlan, plan_task
from daemon.reference.script import Part, Script, error_script
from schemas.office import OfficeDocument, Task
from schemas.timeline import Channel

BYTES_PER_TOKEN = 4
OVERHEAD_TOKENS = 7
"""Input is counted as one token for each four bytes of UTF-8 begun, and these for the frame of a request."""
IMAGE_TOKENS = 1_100

_HEAD_NS = 20_000_000
_CHUNK_NS = 2_000_000
_CHUNK_CHARACTERS = 48
_MILLION = Decimal(1_000_000)


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    image_url: dict[str, str] = {}


class _Message(msgspec.Struct):
    content: str | list[_Part]


class _Body(msgspec.Struct):
    messages: list[_Message]
    response_format: Any = None


_decoder = msgspec.json.Decoder(_Body)


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
            asked = _decoder.decode(body)
        except msgspec.MsgspecError as problem:
            return error_script(response_id, 400, "invalid_request_error", f"no chat-completions request: {problem}")
        if model.limited_every and self._asked[name] % model.limited_every == 0:
            return self._limited(model, response_id)
        if model.refuses_schema and asked.response_format is not None:
            message = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
            return error_script(response_id, 400, "invalid_request_error", message)
        text, images = _content(asked)
        document = self._documents.get(sha256(images[0] if images else text.encode()).digest())
        input_tokens = tokens_of(text) + IMAGE_TOKENS * len(images)
        reply, provider = self._reply(model, document) if document is not None else ("ok", model.provider)
        return _script(model, reply, provider, input_tokens, response_id=response_id, wall_ns=wall_ns)

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
        return msgspec.structs.replace(error_script(response_id, 200, "", ""), parts=(Part(_HEAD_NS, error),))


def tokens_of(text: str) -> int:
    """Count input as these models do, in whole tokens."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN) + OVERHEAD_TOKENS


def cost_usd(model: OfficeModel, input_tokens: int, output_tokens: int) -> Decimal:
    """Bill a request at the model's prices for a million tokens."""
    return (model.input_usd * input_tokens + model.output_usd * output_tokens) / _MILLION


def _content(asked: _Body) -> tuple[str, list[bytes]]:
    texts, images = [], []
    for message in asked.messages:
        for part in [_Part("text", message.content)] if isinstance(message.content, str) else message.content:
            if part.type == "image_url":
                images.append(base64.b64decode(part.image_url.get("url", "").partition(",")[2]))
            else:
                texts.append(part.text)
    return "".join(texts), images


def _script(
    model: OfficeModel, reply: str, provider: str, input_tokens: int, *, response_id: str, wall_ns: int
) -> Script:
    head = {
        "id": response_id,
        "object": "chat.completion.chunk",
        "created": wall_ns // 1_000_000_000,
        "model": model.name,
        "provider": provider,
    }
    output_tokens = tokens_of(reply) - OVERHEAD_TOKENS
    usage = {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "cost": float(cost_usd(model, input_tokens, output_tokens)),
    }
    pieces = [reply[start : start + _CHUNK_CHARACTERS] for start in range(0, len(reply), _CHUNK_CHARACTERS)]
    parts = [
        Part(
            _HEAD_NS + _CHUNK_NS * number,
            _event(head | {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}),
            Channel.ANSWER,
        )
        for number, piece in enumerate(pieces)
    ]
    end = head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    last_ns = _HEAD_NS + _CHUNK_NS * len(pieces)
    parts.append(Part(last_ns, _event(end) + _event(head | {"choices": [], "usage": usage}) + b"data: [DONE]\n\n"))
    return Script(
        response_id=response_id,
        status=200,
        headers=(("content-type", "text/event-stream; charset=utf-8"), ("x-request-id", response_id)),
        head_offset_ns=_HEAD_NS,
        parts=tuple(parts),
        ending="complete",
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
