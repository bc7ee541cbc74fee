"""The course of one document at one endpoint: what is asked next after each attempt, and when it is over. Pure.

Asked without the schema at most once, and again after invalid JSON at most once. Rate limits are waited out for as
long as it takes; other faults of connection or service are tried again a few times, and then the document stays
without an answer until the next run.
"""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.judging.office.strict_json import read_object
from daemon.office.noticing import OTHER_PROVIDER, SCHEMA_PERHAPS_REFUSED, SCHEMA_REFUSED
from schemas.events import AttemptCompleted, Failure
from schemas.events.office import AskKind

MOST_FAULTS: Final = 3
MOST_ELSEWHERE: Final = 2
FIRST_WAIT_S: Final = 5.0
LONGEST_WAIT_S: Final = 600.0
"""Of one wait; a longer one that a server asks for is made in parts, so that it is not believed for ever."""

_MOST_DOUBLINGS: Final = 10
_ABOUT_SCHEMA: Final = frozenset({SCHEMA_REFUSED, SCHEMA_PERHAPS_REFUSED})

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
"""Concern the endpoint and no single document: the rest would be refused alike."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """How the next ask goes, and what has been."""

    schema: bool
    without_schema: bool = False
    again: bool = False
    faults: int = 0
    elsewhere: int = 0
    limited: int = 0

    @property
    def kind(self) -> AskKind:
        """As the log calls the ask."""
        if self.again:
            return "again"
        return "without-schema" if self.without_schema else "first"


class Send(msgspec.Struct, frozen=True):
    """Ask so, after ``wait_s`` seconds."""

    course: Course
    wait_s: float = 0.0


class Answered(msgspec.Struct, frozen=True):
    """It is over, and this is the reply that counts, valid or not."""

    text: str


class Unanswered(msgspec.Struct, frozen=True):
    """It is over without an answer. hopeless: no other document would get one from this endpoint now."""

    reason: str
    hopeless: bool = False


def is_valid(text: str) -> bool:
    """Tell whether a reply is one JSON object."""
    return read_object(text) is not None


def after(  # noqa: PLR0911  # one return a step
    course: Course, completed: AttemptCompleted, text: str, *, document: bool = True, usage_suspected: bool = False
) -> Send | Answered | Unanswered:
    """Decide after an attempt.

    text: the reply. document: else only the count of input tokens is wanted.
    usage_suspected: the request may have been refused for asking for usage, and is now worded without that.
    """
    if completed.status == "response":
        return _responded(course, completed, text, document=document)
    failure = completed.failure
    if completed.status != "error" or failure is None:
        return Unanswered("stopped", hopeless=True)
    if failure.kind == "rate-limited":
        return Send(msgspec.structs.replace(course, limited=course.limited + 1), _wait_s(course, failure))
    if usage_suspected:
        return Send(course)
    if course.schema and not _ABOUT_SCHEMA.isdisjoint(completed.flags):
        return Send(msgspec.structs.replace(course, schema=False, without_schema=True))
    if failure.kind in _TRANSIENT and course.faults < MOST_FAULTS:
        return Send(msgspec.structs.replace(course, faults=course.faults + 1), FIRST_WAIT_S * 2.0**course.faults)
    return Unanswered(failure.kind, hopeless=failure.kind in _HOPELESS)


def _wait_s(course: Course, failure: Failure) -> float:
    """Return how long a rate limit is waited out: as the server asks, else twice as long each time."""
    if failure.retry_after_s is not None:
        return min(max(failure.retry_after_s, 0.0), LONGEST_WAIT_S)
    return min(FIRST_WAIT_S * 2.0 ** min(course.limited, _MOST_DOUBLINGS), LONGEST_WAIT_S)


def _responded(
    course: Course, completed: AttemptCompleted, text: str, *, document: bool
) -> Send | Answered | Unanswered:
    if OTHER_PROVIDER in completed.flags:
        if course.elsewhere + 1 < MOST_ELSEWHERE:
            return Send(msgspec.structs.replace(course, elsewhere=course.elsewhere + 1))
        return Unanswered(OTHER_PROVIDER)
    if not document:
        known = completed.usage is not None and completed.usage.input_tokens is not None
        return Answered(text) if known else Unanswered("no-usage", hopeless=True)
    if is_valid(text) or course.again:
        return Answered(text)
    return Send(msgspec.structs.replace(course, again=True))
