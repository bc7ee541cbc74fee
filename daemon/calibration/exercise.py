"""Sends calibration requests through a transport to a reference server, and reads them as any attempt is read.

Several streams run at once, as they do in a parallel run. Counting tokens waits until a round is over, so that
the counting of one stream does not hold up the reading of another, as in the daemon, where a thread does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Final
from uuid import UUID

from daemon.attempts.identity import AttemptIdentity, RunIdentity, completed_from
from daemon.attempts.reading import AttemptReading
from daemon.reference.behaviour import Profile
from daemon.transport.contract import Limits, PreparedRequest, Transport
from daemon.wire.contract import Ask, Dialect
from schemas.catalogue import EndpointFacts
from schemas.events import AttemptCompleted

OUTPUT_TOKENS: Final[Mapping[str, int]] = {
    "calibration-fine": 110,
    "calibration-quick": 240,
    "calibration-thinking": 330,
}
"""Output budget for each calibration profile: about a second of streaming."""

_LIMITS = Limits(connect_s=5, first_byte_s=10, silence_s=10, total_s=30, response_bytes=4 * 1024 * 1024)
_TEXT = "This request calibrates the instrument. " * 25


class Exercise:
    """Requests to the profiles of one reference server."""

    def __init__(
        self, transport: Transport, dialect: Dialect, base_url: str, *, run: UUID, new_id: Callable[[], UUID]
    ) -> None:
        self._transport = transport
        self._dialect = dialect
        self._base_url = base_url
        self._run = RunIdentity(run=run, suite="calibration", workload="calibration", scenario="single", slot=None)
        self._new_id = new_id

    async def measure(
        self, profile: Profile, *, streams: int, rounds: int, output_tokens: int | None = None
    ) -> list[AttemptCompleted]:
        """Send ``streams`` requests at once, ``rounds`` times; return every attempt.

        output_tokens: budget of each answer; None takes that of :data:`OUTPUT_TOKENS`.
        """
        budget = OUTPUT_TOKENS[profile.name] if output_tokens is None else output_tokens
        completed: list[AttemptCompleted] = []
        for _ in range(rounds):
            readings = await asyncio.gather(*(self._send(profile, budget) for _ in range(streams)))
            completed += (self._completed(profile, reading, len(completed) + i) for i, reading in enumerate(readings))
        return completed

    async def _send(self, profile: Profile, output_tokens: int) -> AttemptReading:
        endpoint = EndpointFacts(
            name=profile.name,
            provider="reference",
            dialect=self._dialect.name,
            base_url=f"{self._base_url}/{profile.name}/v1",
            model=profile.model,
            reasoning=profile.reasoning,
            simulated=True,
        )
        worded = self._dialect.request(endpoint, Ask(text=_TEXT, max_output_tokens=output_tokens))
        request = PreparedRequest(
            method="POST", url=worded.url, headers=worded.headers, body=worded.body, limits=_LIMITS
        )
        reading = AttemptReading(self._dialect, clock=self._transport.clock_kind)
        async with aclosing(self._transport.exchange(request)) as signals:
            async for signal in signals:
                reading.take(signal)
                if reading.finished:
                    break
        return reading

    def _completed(self, profile: Profile, reading: AttemptReading, ordinal: int) -> AttemptCompleted:
        attempt = self._new_id()
        identity = AttemptIdentity(
            run=self._run,
            attempt=attempt,
            request=attempt,
            endpoint=profile.name,
            account="reference",
            ordinal=ordinal,
        )
        return completed_from(identity, reading.result())
