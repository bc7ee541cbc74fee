"""Whether a further attempt at a request is due, and after which wait. Pure.

Two reasons exist. A rate limit is waited out as the server asks. And a server that does not know
``stream_options`` is asked once more without it, and never with it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from schemas.catalogue import EndpointFacts
from schemas.configuration import LimitsTable
from schemas.events import AttemptCompleted

DEFAULT_WAIT_S: Final = 10.0
"""Pause after a rate limit that names none."""

_USAGE_REFUSED_STATUS: Final = frozenset({400, 422, 500})
_SETTLING_STATUS: Final = frozenset({400, 422})
"""Refusals of the request itself. A 500 can be about anything, so it never settles what a server takes."""


class Further(msgspec.Struct, frozen=True):
    """A further attempt is due after ``wait_s`` seconds."""

    wait_s: float


def asks_for_usage(endpoint: EndpointFacts) -> bool:
    """Tell whether usage comes only when asked for, as in this one dialect; the others always report it."""
    return endpoint.dialect == "openai-chat"


class UsageRefusals:
    """Remembers which endpoints take a request for usage in the stream: yes, no, or not yet known."""

    def __init__(self) -> None:
        self._takes: dict[str, bool] = {}
        self._suspected: set[str] = set()

    def may_ask(self, endpoint: str) -> bool:
        """Tell whether the next request should ask for usage."""
        return self._may_take(endpoint) and endpoint not in self._suspected

    def suspect(self, endpoint: str) -> None:
        """Have the next request leave it out, to see whether that was the trouble."""
        self._suspected.add(endpoint)

    def learn(self, endpoint: str, completed: AttemptCompleted, *, asked_usage: bool) -> None:
        """Take note of an attempt.

        A response settles the question. So does a refusal without it: leaving it out did not help, so it was
        not the trouble. Rate limits and broken connections say nothing about it.
        """
        if completed.status == "response":
            self._takes[endpoint] = asked_usage
            self._suspected.discard(endpoint)
        elif not asked_usage and self._may_take(endpoint) and completed.http_status in _USAGE_REFUSED_STATUS:
            self._suspected.discard(endpoint)
            if completed.http_status in _SETTLING_STATUS:
                self._takes[endpoint] = True

    def takes(self, endpoint: str) -> bool:
        """Tell whether it is settled that the endpoint takes it, so that no refusal is about it."""
        return self._takes.get(endpoint, False)

    def _may_take(self, endpoint: str) -> bool:
        return self._takes.get(endpoint, True)


def further_attempt(
    attempts: Sequence[AttemptCompleted], limits: LimitsTable, *, asked_usage: bool, refusals: UsageRefusals
) -> Further | None:
    """Decide after the newest of ``attempts`` at one request; None when it was the last.

    A rate limit whose wait is longer than ``limits.rate_limit_wait_s`` ends the request: sitting it out would
    hold up the endpoint's other measurements.
    """
    last = attempts[-1]
    if last.status != "error" or last.failure is None:
        return None
    if last.failure.kind == "rate-limited":
        limited = sum(1 for attempt in attempts if attempt.failure and attempt.failure.kind == "rate-limited")
        wait_s = DEFAULT_WAIT_S if last.failure.retry_after_s is None else last.failure.retry_after_s
        if limited > limits.rate_limit_retries or wait_s > limits.rate_limit_wait_s:
            return None
        return Further(max(0.0, wait_s))
    if may_be_about_usage(last, asked_usage=asked_usage, refusals=refusals):
        # Also when another request has settled meanwhile that the endpoint refuses it.
        refusals.suspect(last.endpoint)
        return Further(0.0)
    return None


def may_be_about_usage(last: AttemptCompleted, *, asked_usage: bool, refusals: UsageRefusals) -> bool:
    """Tell whether an attempt may have been refused because it asked for usage."""
    refused = last.status == "error" and last.http_status in _USAGE_REFUSED_STATUS
    return asked_usage and refused and not refusals.takes(last.endpoint)
