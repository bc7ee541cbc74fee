"""What an attempt is before anything happens to it, and the record of one to which nothing did.

The identity comes from the plan; what the wire adds is in :mod:`daemon.attempts.reading`.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from daemon.attempts.result import AttemptResult
from daemon.runs.planning import Order
from daemon.tokens import TOKENIZER
from schemas.events import AttemptCompleted, ConnectionFacts, Failure, PromptFacts, RequestSent, Timing
from schemas.events.attempts import AttemptStatus, ClockKind, FailureClass
from schemas.events.runs import AccountRole, Scenario
from schemas.timeline import Timeline


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The run that an attempt belongs to."""

    run: UUID
    suite: str
    workload: str
    scenario: Scenario
    slot: str | None


class AttemptIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Names and numbers that every event of an attempt refers to.

    ``request`` is shared by an attempt and its retries: it is the id of the first one.
    """

    run: RunIdentity
    attempt: UUID
    request: UUID
    endpoint: str
    account: str
    ordinal: int
    role: AccountRole = "measuring"
    sequence: int = 1
    retry_of: UUID | None = None
    prompt: PromptFacts | None = None

    @classmethod
    def first(cls, run: RunIdentity, order: Order) -> AttemptIdentity:
        """Identity of an order's first attempt."""
        return cls(
            run=run,
            attempt=order.attempt,
            request=order.attempt,
            endpoint=order.endpoint.name,
            account=order.account.name,
            ordinal=order.ordinal,
            role=order.role,
            prompt=order.prompt.facts,
        )

    def retry(self, attempt: UUID) -> AttemptIdentity:
        """Identity of a further attempt at the same request."""
        return msgspec.structs.replace(self, attempt=attempt, sequence=self.sequence + 1, retry_of=self.attempt)


def completed_from(identity: AttemptIdentity, result: AttemptResult) -> AttemptCompleted:
    """Put together what the plan says and what the wire said."""
    return AttemptCompleted(**_planned_fields(identity), **msgspec.structs.asdict(result))


def unsent(
    identity: AttemptIdentity,
    *,
    clock: ClockKind,
    kind: FailureClass,
    message: str,
    status: AttemptStatus = "not-completed",
    sent: RequestSent | None = None,
) -> AttemptCompleted:
    """Close an attempt of which nothing came back: never sent, or (``sent``) sent before a crash."""
    return AttemptCompleted(
        **_planned_fields(identity),
        status=status,
        failure=Failure(kind=kind, message=message),
        http_status=None,
        headers=(),
        connection=sent.connection if sent else ConnectionFacts(),
        timing=Timing(
            clock=clock,
            sent_wall_ns=sent.sent_wall_ns if sent else None,
            sent_mono_ns=sent.sent_mono_ns if sent else None,
        ),
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
        tokenizer=TOKENIZER,
    )


def _planned_fields(identity: AttemptIdentity) -> dict[str, Any]:
    run, prompt = identity.run, identity.prompt
    return {
        "attempt": identity.attempt,
        "run": run.run,
        "request": identity.request,
        "endpoint": identity.endpoint,
        "account": identity.account,
        "role": identity.role,
        "suite": run.suite,
        "workload": run.workload,
        "scenario": run.scenario,
        "slot": run.slot,
        "ordinal": identity.ordinal,
        "sequence": identity.sequence,
        "retry_of": identity.retry_of,
        "prompt_sha256": prompt.sha256 if prompt else None,
        "prompt_task": prompt.task if prompt else None,
        "prompt_tokens": prompt.input_tokens if prompt else None,
        "min_output_tokens": prompt.min_output_tokens if prompt else None,
    }
