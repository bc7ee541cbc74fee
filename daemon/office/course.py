"""The course of one document at one endpoint: what is asked next after each attempt, and when it is over. Pure.

Asked without the schema at most once, and again after invalid JSON at most once. What faults, rate limits and answers
from elsewhere lead to is :mod:`daemon.runs.course`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.attempts.pinning import OTHER_PROVIDER
from daemon.judging.office.strict_json import read_object
from daemon.office.noticing import SCHEMA_PERHAPS_REFUSED, SCHEMA_REFUSED
from daemon.runs.course import Answered, Send, Trouble, Unanswered, after_elsewhere, after_failure
from schemas.events import AttemptCompleted
from schemas.events.office import AskKind

_ABOUT_SCHEMA: Final = frozenset({SCHEMA_REFUSED, SCHEMA_PERHAPS_REFUSED})


class Course(Trouble, frozen=True, kw_only=True):
    """How the next ask goes, and what has been."""

    schema: bool
    without_schema: bool = False
    again: bool = False

    @property
    def kind(self) -> AskKind:
        """As the log calls the ask."""
        if self.again:
            return "again"
        return "without-schema" if self.without_schema else "first"


def is_valid(text: str) -> bool:
    """Tell whether a reply is one JSON object."""
    return read_object(text) is not None


def after(
    course: Course, completed: AttemptCompleted, text: str, *, document: bool = True, usage_suspected: bool = False
) -> Send[Course] | Answered | Unanswered:
    """Decide after an attempt.

    text: the reply. document: else only the count of input tokens is wanted.
    usage_suspected: the request may have been refused for asking for usage, and is now worded without that.
    """
    if completed.status == "response":
        return _responded(course, completed, text, document=document)
    refused = course.schema and not _ABOUT_SCHEMA.isdisjoint(completed.flags)
    return after_failure(
        course,
        completed,
        usage_suspected=usage_suspected,
        mended=msgspec.structs.replace(course, schema=False, without_schema=True) if refused else None,
    )


def _responded(
    course: Course, completed: AttemptCompleted, text: str, *, document: bool
) -> Send[Course] | Answered | Unanswered:
    if OTHER_PROVIDER in completed.flags:
        return after_elsewhere(course, OTHER_PROVIDER)
    if not document:
        known = completed.usage is not None and completed.usage.input_tokens is not None
        return Answered(text) if known else Unanswered("no-usage", hopeless=True)
    if is_valid(text) or course.again:
        return Answered(text)
    return Send(msgspec.structs.replace(course, again=True))
