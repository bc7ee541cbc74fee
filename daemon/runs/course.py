"""After an attempt that brought no answer: whether and when another one follows, and when there is no hope. Pure.

Rate limits are waited out for as long as it takes; other faults of connection or service are tried again a few times,
and then what was asked stays without an answer until the next run. What else may be mended, the caller says.
"""

from __future__ import annotations

from typing import Final, Generic, TypeVar

import msgspec

from schemas.events import AttemptCompleted, Failure

MOST_FAULTS: Final = 3
MOST_ELSEWHERE: Final = 2
FIRST_WAIT_S: Final = 5.0
LONGEST_WAIT_S: Final = 600.0
"""Of one wait; a longer one that a server asks for is made in parts, so that it is not believed for ever."""

_MOST_DOUBLINGS: Final = 10

_TRANSIENT: Final = frozenset(
    {
        "dns",
        "connect",
        "tls",
        "connection-lost",
        "timeout-connect",
        "timeout-first-byte",
        "timeout-total",
        "stalled",
        "overloaded",
        "server-error",
        "http-status",
        "stream-error",
        "truncated",
        "protocol",
    }
)
_HOPELESS: Final = frozenset({"authentication", "credit", "not-found", "refused-locally"})
"""Concern the endpoint and no single request: the rest would be refused alike."""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """What one request has met so far: faults, answers of another provider than the pinned one, rate limits."""

    faults: int = 0
    elsewhere: int = 0
    limited: int = 0


C = TypeVar("C", bound=Trouble)


class Send(msgspec.Struct, Generic[C], frozen=True):
    """Ask so, after ``wait_s`` seconds."""

    course: C
    wait_s: float = 0.0


class Answered(msgspec.Struct, frozen=True):
    """It is over, and this is the reply that counts, valid or not."""

    text: str


class Unanswered(msgspec.Struct, frozen=True):
    """It is over without an answer. hopeless: no other request would get one from this endpoint now."""

    reason: str
    hopeless: bool = False


def after_failure(
    course: C, completed: AttemptCompleted, *, usage_suspected: bool = False, mended: C | None = None
) -> Send[C] | Unanswered:
    """Decide after an attempt without a response.

    usage_suspected: the request may have been refused for asking for usage, and is now worded without that.
    mended: how to go on at once where the refusal is understood.
    """
    failure = completed.failure
    if completed.status != "error" or failure is None:
        return Unanswered("stopped", hopeless=True)
    if failure.kind == "rate-limited":
        return Send(msgspec.structs.replace(course, limited=course.limited + 1), _wait_s(course, failure))
    if usage_suspected:
        return Send(course)
    if mended is not None:
        return Send(mended)
    if failure.kind in _TRANSIENT and course.faults < MOST_FAULTS:
        return Send(msgspec.structs.replace(course, faults=course.faults + 1), FIRST_WAIT_S * 2.0**course.faults)
    return Unanswered(failure.kind, hopeless=failure.kind in _HOPELESS)


def after_elsewhere(course: C, flag: str) -> Send[C] | Unanswered:
    """Decide after a response that another provider than the pinned one gave. flag: that says so."""
    if course.elsewhere + 1 < MOST_ELSEWHERE:
        return Send(msgspec.structs.replace(course, elsewhere=course.elsewhere + 1))
    return Unanswered(flag)


def _wait_s(course: Trouble, failure: Failure) -> float:
    """Return how long a rate limit is waited out: as the server asks, else twice as long each time."""
    if failure.retry_after_s is not None:
        return min(max(failure.retry_after_s, 0.0), LONGEST_WAIT_S)
    return min(FIRST_WAIT_S * 2.0 ** min(course.limited, _MOST_DOUBLINGS), LONGEST_WAIT_S)
