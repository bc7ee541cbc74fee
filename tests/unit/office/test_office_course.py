"""What is asked next after an attempt, what counts as a refused schema, and whose answer it was."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_asking import model_endpoint

from daemon.attempts.identity import AttemptIdentity, RunIdentity, unsent
from daemon.attempts.pinning import answered_elsewhere
from daemon.office.course import Course, after
from daemon.office.noticing import SCHEMA_PERHAPS_REFUSED, SCHEMA_REFUSED, schema_refusal
from daemon.runs.course import LONGEST_WAIT_S, MOST_FAULTS, Answered, Send, Unanswered
from daemon.wire.failures import failure_from_response, failure_in_stream
from schemas.events import AttemptCompleted, Failure, UsageReported
from schemas.events.attempts import FailureClass

FIRST = Course(schema=True)


def attempt(**fields: Any) -> AttemptCompleted:
    """Make an attempt that ended so; by default with a response."""
    name = UUID(int=1)
    run = RunIdentity(run=name, suite="office", workload="office-email", scenario="single", slot=None)
    identity = AttemptIdentity(run=run, attempt=name, request=name, endpoint="e", account="a", ordinal=0)
    ended = unsent(identity, clock="simulated", kind="stopping", message="")
    return msgspec.structs.replace(ended, **{"status": "response", "failure": None, **fields})


def failed(kind: FailureClass, *flags: str, retry_after_s: float | None = None) -> AttemptCompleted:
    failure = Failure(kind=kind, message="", retry_after_s=retry_after_s)
    return attempt(status="error", failure=failure, flags=flags)


def test_a_valid_answer_ends_it() -> None:
    """A reply that is one JSON object counts, also in a code fence."""
    assert after(FIRST, attempt(), '```json\n{"a": 1}\n```') == Answered('```json\n{"a": 1}\n```')


def test_invalid_json_is_asked_about_once() -> None:
    """A reply that is no JSON is asked about again with the same schema, and the second one counts in any case."""
    step = after(FIRST, attempt(), "Sure! {}")
    assert step == Send(Course(schema=True, again=True))
    assert isinstance(step, Send)
    assert step.course.kind == "again"
    assert after(step.course, attempt(), "no") == Answered("no")


def test_a_refused_schema_is_left_out_once() -> None:
    """A refusal of the schema is followed by an ask without it; a further one ends the document."""
    refused = failed("invalid-request", SCHEMA_REFUSED)
    step = after(FIRST, refused, "")
    assert step == Send(Course(schema=False, without_schema=True))
    assert isinstance(step, Send)
    assert step.course.kind == "without-schema"
    assert after(step.course, refused, "") == Unanswered("invalid-request")


def test_usage_comes_before_a_refusal_that_names_nothing() -> None:
    """A refusal that may be about usage is worded without that first; one that names the schema never gets there."""
    vague = failed("invalid-request", SCHEMA_PERHAPS_REFUSED)
    assert after(FIRST, vague, "", usage_suspected=True) == Send(FIRST)
    assert after(FIRST, vague, "") == Send(Course(schema=False, without_schema=True))


@given(st.integers(0, 10_000), st.none() | st.floats(-1e9, 1e9))
def test_rate_limits_never_end_it(limited: int, retry_after_s: float | None) -> None:
    """However often a rate limit was met, the document is asked about again, after a wait that is bounded."""
    course = Course(schema=True, limited=limited)
    step = after(course, failed("rate-limited", retry_after_s=retry_after_s), "")
    assert isinstance(step, Send)
    assert 0 <= step.wait_s <= LONGEST_WAIT_S
    assert (step.course.kind, step.course.schema, step.course.faults) == ("first", True, 0)


def test_faults_are_tried_again_a_few_times() -> None:
    """A broken connection is tried again three times and then left to the next run."""
    course = FIRST
    for _ in range(MOST_FAULTS):
        step = after(course, failed("connection-lost"), "")
        assert isinstance(step, Send)
        course = step.course
    assert after(course, failed("connection-lost"), "") == Unanswered("connection-lost")


@pytest.mark.parametrize("kind", ["authentication", "credit", "not-found", "refused-locally"])
def test_what_no_document_can_escape(kind: FailureClass) -> None:
    """Trouble with key, credit, model or form ends the endpoint's part of the run."""
    assert after(FIRST, failed(kind), "") == Unanswered(kind, hopeless=True)


def test_moderation_is_of_the_document() -> None:
    """A document that moderation refuses has no answer, and the others are asked about."""
    assert after(FIRST, failed("moderation"), "") == Unanswered("moderation")


def test_paragraphs_need_a_count() -> None:
    """A paragraph is answered by any reply with a count of input tokens, and by none without."""
    counted = attempt(usage=UsageReported(input_tokens=9))
    assert after(Course(schema=False), counted, "x", document=False) == Answered("x")
    assert after(Course(schema=False), attempt(), "x", document=False) == Unanswered("no-usage", hopeless=True)


def response(status: int, message: str, **error: object) -> Failure:
    body = msgspec.json.encode({"error": {"message": message, **error}})
    return failure_from_response(status, (), body, 0)


@pytest.mark.parametrize(
    ("failure", "flag"),
    [
        (
            response(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
            SCHEMA_REFUSED,
        ),
        (response(400, "Invalid schema for response_format 'answer'", code="invalid_json_schema"), SCHEMA_REFUSED),
        (response(422, "body.response_format.type: Input should be 'text' or 'json_object'"), SCHEMA_REFUSED),
        (response(404, "No endpoints found that can handle the requested parameters."), SCHEMA_REFUSED),
        (response(400, "output_config: Extra inputs are not permitted"), SCHEMA_REFUSED),
        (response(400, 'Unknown name "responseJsonSchema" at generation_config'), SCHEMA_REFUSED),
        (failure_in_stream({"code": 400, "message": "structured outputs are not supported"}, b""), SCHEMA_REFUSED),
        (response(400, "Provider returned error"), SCHEMA_PERHAPS_REFUSED),
        (response(400, "This model's maximum context length is 8192 tokens"), None),
        (response(400, "image input is not supported"), None),
        (response(401, "No auth credentials found; see the schema"), None),
        (response(402, "Insufficient credits for response_format"), None),
        (response(403, "flagged", metadata={"reasons": ["schema"]}), None),
        (response(429, "Too many requests with response_format"), None),
        (response(404, "model not found"), None),
        (None, None),
    ],
)
def test_which_refusals_are_about_the_schema(failure: Failure | None, flag: str | None) -> None:
    """Only a refusal of the request is about its schema, never credit, moderation, keys or rates."""
    assert schema_refusal(failure) == flag


@pytest.mark.parametrize(
    ("pin", "told", "elsewhere"),
    [
        ("deepinfra/fp8", "DeepInfra", False),
        ("amazon-bedrock", "Amazon Bedrock", False),
        ("google-vertex", "Google", False),
        ("z-ai", "Z.AI", False),
        ("azure", "OpenAI", True),
        ("deepinfra", "DeepInfra Turbo", True),
        ("deepinfra", None, True),
        (None, None, False),
        (None, "Anybody", False),
    ],
)
def test_whose_answer(pin: str | None, told: str | None, elsewhere: bool) -> None:  # noqa: FBT001  # a parametrized case
    """An answer is another's unless it names the pinned provider; without a pin anybody's will do."""
    assert answered_elsewhere(model_endpoint("m", pinned_provider=pin), told) is elsewhere
