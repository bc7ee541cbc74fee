"""Reference models for text reviews: they answer frozen prompts in planned turns, rightly or with one known fault.

None is a language model. What a request asks is read from its prompt; what comes back depends on how many requests
the model has had, so the counts that an evaluation must find are known exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, Literal

import msgspec

from daemon.reference.replying import Speaker, UnreadableChatError, read_chat, reply_script, tokens_of
from daemon.reference.script import Script, error_script

Turn = Literal[
    "keep",
    "change",
    "needs-evidence",
    "invalid-json",
    "unsupported-structure",
    "stale-source",
    "missing-rule",
    "inexact-range",
    "overloaded",
]
"""What becomes of a request. ``overloaded`` is an error of the service; the rest are responses."""

_START = "\n{\n"
"""Where the material begins in a prompt: a JSON object that is indented."""


class ReviewModel(msgspec.Struct, frozen=True, kw_only=True):
    """One model: what it does with its requests, in turn and over again."""

    name: str
    title: str
    turns: tuple[Turn, ...]


REVIEW_MODELS: Final[tuple[ReviewModel, ...]] = (
    ReviewModel(
        name="review-sound", title="Reference: valid reviews", turns=("keep", "change", "keep", "needs-evidence")
    ),
    ReviewModel(
        name="review-flawed",
        title="Reference: of eight requests two valid reviews, every failure once, one error",
        turns=(
            "keep",
            "invalid-json",
            "unsupported-structure",
            "stale-source",
            "missing-rule",
            "inexact-range",
            "overloaded",
            "change",
        ),
    ),
)


class _Rule(msgspec.Struct, rename="camel"):
    rule_id: str


class _Material(msgspec.Struct, rename="camel"):
    source_sha256: str
    rules: list[_Rule]
    text: str


class ReviewService:
    """Plays review models."""

    def __init__(self, models: Sequence[ReviewModel] = REVIEW_MODELS) -> None:
        self._models = {model.name: model for model in models}
        self._asked: Counter[str] = Counter()

    def plays(self, name: str) -> bool:
        """Tell whether a model of this name is played."""
        return name in self._models

    def begin(self, name: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        """Answer a request to a model."""
        model = self._models[name]
        try:
            text, _ = read_chat(body).content()
            material = msgspec.json.decode(text[text.index(_START) :], type=_Material)
        except (UnreadableChatError, ValueError) as problem:
            return error_script(response_id, 400, "invalid_request_error", f"no request for a review: {problem}")
        turn = model.turns[self._asked[name] % len(model.turns)]
        self._asked[name] += 1
        if turn == "overloaded":
            return error_script(response_id, 503, "overloaded", "simulated overload: try again")
        return reply_script(
            Speaker(name=name, provider="Reference", input_usd=Decimal("0.50"), output_usd=Decimal("1.50")),
            _reply(turn, material),
            tokens_of(text),
            response_id=response_id,
            wall_ns=wall_ns,
        )


def _reply(turn: Turn, material: _Material) -> str:
    entries: list[dict[str, Any]] = [
        {"ruleId": rule.rule_id, "decision": "keep", "reason": "Reference.", "findings": [], "evidenceNeeded": None}
        for rule in material.rules
    ]
    answer = {"sourceSha256": material.source_sha256, "rules": entries}
    match turn:
        case "change" | "inexact-range":
            quote = material.text.split()[0]
            start = len(material.text.split(quote)[0].encode("utf-16-le")) // 2 + (turn == "inexact-range")
            finding = {
                "quote": quote,
                "start": start,
                "end": start + len(quote.encode("utf-16-le")) // 2,
                "alternatives": [f"[{quote}]"],
            }
            entries[0] |= {"decision": "change", "findings": [finding]}
        case "needs-evidence":
            entries[0] |= {"decision": "needs-evidence", "evidenceNeeded": "What the reference cannot know."}
        case "unsupported-structure":
            entries[0] |= {"decision": "perhaps"}
        case "stale-source":
            answer["sourceSha256"] = "0" * 64
        case "missing-rule":
            entries.pop()
        case "keep" | "invalid-json" | "overloaded":
            pass
    reply = msgspec.json.encode(answer).decode()
    return reply[: len(reply) // 2] if turn == "invalid-json" else reply
