"""Reference models for text reviews do what they are planned to, whatever the request."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import msgspec
import pytest
from made_review import prepared

from daemon.judging.review.validation import FailedAnswer, validate_model_response
from daemon.reference.review import REVIEW_MODELS, ReviewModel, ReviewService
from daemon.reference.script import Script
from schemas.review.manifest import FrozenRequest, Manifest


@cache
def manifest() -> Manifest:
    return prepared()


def asked(service: ReviewService, model: str, request: FrozenRequest) -> Script:
    body = msgspec.json.encode({"model": model, "messages": msgspec.to_builtins(request.payload.messages)})
    return service.begin(model, body, response_id="r", wall_ns=0)


def said(script: Script) -> str:
    events = b"".join(part.data for part in script.parts).decode().split("\n\n")
    chunks = [json.loads(event.removeprefix("data: ")) for event in events if "delta" in event]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)


def result(service: ReviewService, model: str, request: FrozenRequest) -> str:
    script = asked(service, model, request)
    if script.status != 200:
        return f"status {script.status}"
    source = next(each for each in manifest().sources if each.source_id == request.source_id)
    found = validate_model_response(said(script), request, source)
    return found.failure if isinstance(found, FailedAnswer) else found.rules[0].decision


@pytest.mark.parametrize("model", REVIEW_MODELS, ids=lambda model: model.name)
def test_every_turn_comes_as_often_as_planned(model: ReviewModel) -> None:
    """Over whole rounds of all frozen requests, in both languages, each turn comes up equally often."""
    service = ReviewService()
    whole = len(manifest().requests) // len(model.turns) * len(model.turns)
    found = Counter(result(service, model.name, request) for request in manifest().requests[:whole])
    expected = Counter("status 503" if turn == "overloaded" else turn for turn in model.turns)
    rounds = whole // len(model.turns)
    assert found == Counter({turn: count * rounds for turn, count in expected.items()})


def test_what_is_no_request_for_a_review() -> None:
    """Anything else is refused like a bad request, and uses up no turn."""
    service = ReviewService()
    for content in ("Hello.", "Hello.\n{\n"):
        body = msgspec.json.encode({"messages": [{"role": "user", "content": content}]})
        assert service.begin("review-flawed", body, response_id="r", wall_ns=0).status == 400
    assert service.begin("review-flawed", b"{", response_id="r", wall_ns=0).status == 400
    assert result(service, "review-flawed", manifest().requests[0]) == "keep"
