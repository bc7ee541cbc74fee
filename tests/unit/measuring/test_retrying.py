"""When a further attempt is due, after which wait, and what is learnt about asking for usage."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.attempts.identity import AttemptIdentity, RunIdentity, completed_from
from daemon.attempts.result import AttemptResult
from daemon.attempts.retrying import DEFAULT_WAIT_S, Further, UsageRefusals, further_attempt
from schemas.configuration import LimitsTable
from schemas.events import AttemptCompleted, ConnectionFacts, Failure, Timing
from schemas.events.attempts import AttemptStatus, FailureClass
from schemas.timeline import Timeline

LIMITS = LimitsTable(rate_limit_retries=2, rate_limit_wait_s=60.0)
RUN = RunIdentity(run=UUID(int=1), suite="performance", workload="lines", scenario="single", slot=None)


def ended(
    kind: FailureClass | None = None,
    *,
    http_status: int | None = 200,
    retry_after_s: float | None = None,
    status: AttemptStatus | None = None,
) -> AttemptCompleted:
    identity = AttemptIdentity(
        run=RUN, attempt=UUID(int=2), request=UUID(int=2), endpoint="e", account="a", ordinal=0
    )
    result = AttemptResult(
        status=status or ("response" if kind is None else "error"),
        failure=None if kind is None else Failure(kind=kind, message="", retry_after_s=retry_after_s),
        http_status=http_status,
        headers=(),
        connection=ConnectionFacts(),
        timing=Timing(clock="simulated"),
        timeline=Timeline(),
        usage=None,
        cost_reported_usd=None,
        returned_model=None,
        returned_provider=None,
        fingerprint=None,
        response_id=None,
        finish_reason=None,
        answer=None,
        reasoning=None,
        tokenizer="",
        reasoning_announced=False,
        flags=(),
    )
    return completed_from(identity, result)


def limited(retry_after_s: float | None = None) -> AttemptCompleted:
    return ended("rate-limited", http_status=429, retry_after_s=retry_after_s)


def further(*attempts: AttemptCompleted, asked_usage: bool = True) -> Further | None:
    return further_attempt(attempts, LIMITS, asked_usage=asked_usage, refusals=UsageRefusals())


class Requests:
    """Requests to one endpoint, decided as the sender does it."""

    def __init__(self) -> None:
        self.refusals = UsageRefusals()

    def ask(self, *ends: AttemptCompleted) -> list[bool]:
        """Make one request whose attempts end so; return for each attempt made whether it asked for usage."""
        asked: list[bool] = []
        made: list[AttemptCompleted] = []
        for end in ends:
            asked.append(self.refusals.may_ask("e"))
            made.append(end)
            self.refusals.learn("e", end, asked_usage=asked[-1])
            if further_attempt(made, LIMITS, asked_usage=asked[-1], refusals=self.refusals) is None:
                break
        return asked


@pytest.mark.parametrize(
    "end",
    [
        ended(),
        ended("server-error", http_status=503),
        ended("stalled"),
        ended("connection-lost", http_status=None),
        ended("authentication", http_status=401),
        ended("stopping", status="cancelled"),
        ended("stopping", status="not-completed", http_status=None),
    ],
)
def test_most_ends_are_final(end: AttemptCompleted) -> None:
    """A response, a failure that waiting does not mend, and a stop are never followed by a further attempt."""
    assert further(end) is None


@pytest.mark.parametrize(
    ("told_s", "waited_s"), [(None, DEFAULT_WAIT_S), (0.0, 0.0), (2.5, 2.5), (60.0, 60.0), (-3.0, 0.0)]
)
def test_a_rate_limit_is_waited_out_as_told(told_s: float | None, waited_s: float) -> None:
    """The wait is the server's, up to the limit and including it; without one there is a pause of our own."""
    assert further(limited(told_s)) == Further(waited_s)


def test_too_long_a_wait_is_not_waited() -> None:
    """A wait over the limit ends the request."""
    assert further(limited(60.1)) is None


def test_rate_limits_are_counted() -> None:
    """After as many further attempts as configured a rate limit is final."""
    assert further(limited(1), limited(1)) is not None
    assert further(limited(1), limited(1), limited(1)) is None


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_refusal_that_may_be_about_usage_is_asked_again_without(status: int) -> None:
    """A status with which servers refuse unknown parameters leads to one attempt at once, if usage was asked for."""
    kind: FailureClass = "server-error" if status == 500 else "invalid-request"
    assert further(ended(kind, http_status=status)) == Further(0.0)
    assert further(ended(kind, http_status=status), asked_usage=False) is None


def test_a_server_that_refuses_to_tell_usage_is_not_asked_again() -> None:
    """When leaving it out brought an answer, later requests leave it out from the start."""
    requests = Requests()
    assert requests.ask(ended("invalid-request", http_status=400), ended()) == [True, False]
    assert requests.ask(ended()) == [False]


def test_a_refusal_for_another_reason_teaches_nothing() -> None:
    """When leaving it out did not help, later requests ask again, and their refusals are final."""
    requests = Requests()
    refused = ended("invalid-request", http_status=400)
    assert requests.ask(refused, refused, ended()) == [True, False]
    assert requests.ask(refused, ended()) == [True]


def test_a_server_error_settles_nothing() -> None:
    """Server errors with and without asking for usage leave the question open: the next refusal is looked into."""
    requests = Requests()
    broken, refused = ended("server-error", http_status=500), ended("invalid-request", http_status=400)
    assert requests.ask(broken, broken, ended()) == [True, False]
    assert requests.ask(refused, ended()) == [True, False]
    assert requests.ask(ended()) == [False]


@pytest.mark.parametrize("between", [limited(1), ended("connection-lost", http_status=None), ended("stalled")])
def test_what_lies_between_proves_nothing(between: AttemptCompleted) -> None:
    """A rate limit or a broken connection while usage is left out leaves the question open, and it stays left out."""
    requests = Requests()
    asked = requests.ask(ended("invalid-request", http_status=400), between, ended())
    if len(asked) == 2:
        asked += requests.ask(ended())
    assert asked == [True, False, False]
    assert requests.ask(ended()) == [False]


def test_requests_under_way_learn_from_one_another() -> None:
    """A refusal that arrives after another request got its answer without usage is asked again without it, too."""
    refusals = UsageRefusals()
    refused = ended("invalid-request", http_status=400)
    refusals.learn("e", refused, asked_usage=True)
    assert further_attempt([refused], LIMITS, asked_usage=True, refusals=refusals) is not None
    refusals.learn("e", ended(), asked_usage=False)
    refusals.learn("e", refused, asked_usage=True)
    assert further_attempt([refused], LIMITS, asked_usage=True, refusals=refusals) == Further(0.0)


def test_endpoints_are_learnt_about_one_by_one() -> None:
    """What one endpoint refuses, another is still asked for."""
    requests = Requests()
    requests.ask(ended("invalid-request", http_status=400), ended())
    assert requests.refusals.may_ask("another")


Outcome = Literal["ok", "limited", "refused", "broken", "lost"]
OUTCOMES = st.sampled_from(["ok", "limited", "refused", "broken", "lost"])


@given(st.lists(st.lists(OUTCOMES, min_size=9, max_size=9), max_size=6))
def test_no_request_goes_on_for_ever(requests: list[list[Outcome]]) -> None:
    """Whatever servers do, a request makes at most one attempt more than the rate limits and the usage allow."""
    ends = {
        "ok": ended(),
        "limited": limited(1),
        "refused": ended("invalid-request", http_status=400),
        "broken": ended("server-error", http_status=500),
        "lost": ended("connection-lost", http_status=None),
    }
    decided = Requests()
    for outcomes in requests:
        assert len(decided.ask(*(ends[outcome] for outcome in outcomes))) <= 2 + LIMITS.rate_limit_retries
