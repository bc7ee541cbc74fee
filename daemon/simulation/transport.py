"""A transport that plays the reference endpoints without a socket and without waiting for tokens.

It keeps the contract of :mod:`daemon.transport.contract`. Each write of a script becomes one read, with its
exact moment; the network takes no time. To be quick it does not sleep once a token: it sleeps to the
headers, to the first token of each channel, then some seconds at a time, and to the end, and hands out the
reads in between together, with the past moments at which they were true. So what is recorded while an
exchange is under way (headers, first token) is recorded when it happens, and nobody who watches for silence
sees any that was not there. An exchange that is cancelled from outside loses the reads since its last sleep;
limits lose nothing, because they are known in advance.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from urllib.parse import urlsplit

import msgspec

from daemon.reference.favouring import seen_client
from daemon.reference.script import Part, Script
from daemon.reference.service import Answer, ReferenceService
from daemon.transport.contract import (
    Connected,
    EndCause,
    Ended,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
    Written,
)
from daemon.transport.rendezvous import Meetings
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind, ConnectionFacts
from schemas.timeline import Channel

_CONNECT_NS = 300_000
_NS_PER_BYTE_SENT = 1
_CLIENT_ADDRESS = "127.0.0.1"
_WATCHED_SHARE = 0.15
"""Share of the silence limit after which reads are handed out at the latest: 9 s of the usual minute."""

_CONNECTION = ConnectionFacts(reused=False, peer="simulated", http_version="1.1", connect_us=_CONNECT_NS // 1_000)
"""Each exchange has a connection of its own, as it has with the real transport."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """How an exchange will go under its limits: what is read, when it ends, and why. Offsets as in the script."""

    responds: bool
    parts: Sequence[Part]
    end_offset_ns: int
    cause: EndCause
    message: str = ""


class SimulatedTransport:
    """Exchanges with a :class:`ReferenceService`; the profile is the first part of the URL's path."""

    def __init__(self, service: ReferenceService, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._meetings = Meetings()

    @property
    def name(self) -> str:
        """See the contract."""
        return "simulated"

    @property
    def clock_kind(self) -> ClockKind:
        """See the contract."""
        return "simulated"

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract."""
        with self._meetings.join(request.rendezvous) as party:
            await self._sleep_until(self._clock.mono_ns() + _CONNECT_NS)
            yield Connected(_CONNECTION)
            under_way: list[Answer] = []
            try:
                try:
                    sent = await party.write(lambda: self._begin(request, under_way))
                except asyncio.CancelledError:
                    if party.sent is not None:  # written just now, together with the others
                        yield party.sent
                    raise
                yield sent
                sent_ns, (answer,) = sent.mono_ns, under_way
                yield Written(sent_ns + _NS_PER_BYTE_SENT * len(request.body))
                script, course = answer.script, plan_course(answer.script, request.limits)
                if course.responds:
                    head_ns = sent_ns + script.head_offset_ns
                    await self._sleep_until(head_ns)
                    yield Responded(head_ns, head_ns, script.status, script.headers)
                handed_out = 0
                for stop in _stops(course.parts, round(request.limits.silence_s * _WATCHED_SHARE * 1e9)):
                    await self._sleep_until(sent_ns + course.parts[stop].offset_ns)
                    for part in course.parts[handed_out : stop + 1]:
                        yield Read(sent_ns + part.offset_ns, part.data)
                    handed_out = stop + 1
                await self._sleep_until(sent_ns + course.end_offset_ns)
                yield Ended(sent_ns + course.end_offset_ns, course.cause, course.message)
            finally:
                for answer in under_way:
                    self._service.finish(answer)

    async def close(self) -> None:
        """See the contract; there is nothing to release."""

    def _begin(self, request: PreparedRequest, under_way: list[Answer]) -> Sent:
        sent = Sent(self._clock.wall_ns(), self._clock.mono_ns())
        under_way.append(
            self._service.begin(
                request.method,
                urlsplit(request.url).path,
                body=request.body,
                client=seen_client(request.headers, request.route.local_address or _CLIENT_ADDRESS),
                wall_ns=sent.wall_ns,
            )
        )
        return sent

    async def _sleep_until(self, mono_ns: int) -> None:
        wait_ns = mono_ns - self._clock.mono_ns()
        if wait_ns > 0:
            await asyncio.sleep(wait_ns / 1e9)


def plan_course(script: Script, limits: Limits) -> Course:
    """Tell what becomes of a script under the limits of an exchange. Pure."""
    total_ns = round(limits.total_s * 1e9)
    silence_ns = round(limits.silence_s * 1e9)
    first_byte_ns = round(limits.first_byte_s * 1e9)

    def ended(count: int, at_ns: int, cause: EndCause, message: str) -> Course:
        return Course(responds=True, parts=script.parts[:count], end_offset_ns=at_ns, cause=cause, message=message)

    def silent(count: int, since_ns: int) -> Course:
        if since_ns + silence_ns < total_ns:
            return ended(count, since_ns + silence_ns, "stalled", f"no bytes for {limits.silence_s:g} s")
        return ended(count, total_ns, "timeout-total", f"not complete after {limits.total_s:g} s")

    if script.head_offset_ns > min(first_byte_ns, total_ns):
        cause: EndCause = "timeout-first-byte" if first_byte_ns < total_ns else "timeout-total"
        at_ns = min(first_byte_ns, total_ns)
        message = f"no response within {at_ns / 1e9:g} s"
        return Course(responds=False, parts=(), end_offset_ns=at_ns, cause=cause, message=message)
    before_ns, received = script.head_offset_ns, 0
    for index, part in enumerate(script.parts):
        if part.offset_ns > before_ns + silence_ns or part.offset_ns > total_ns:
            return silent(index, before_ns)
        if received + len(part.data) > limits.response_bytes:
            fitting = msgspec.structs.replace(part, data=part.data[: limits.response_bytes - received])
            return Course(
                responds=True,
                parts=(*script.parts[:index], fitting),
                end_offset_ns=part.offset_ns,
                cause="over-limit",
                message="the response is longer than its limit",
            )
        received += len(part.data)
        before_ns = part.offset_ns
    if script.ending == "stall":
        return silent(len(script.parts), before_ns)
    if script.ending == "cut":
        return ended(len(script.parts), before_ns, "connection-lost", "the connection was closed in mid-response")
    return ended(len(script.parts), before_ns, "complete", "")


def _stops(parts: Sequence[Part], stretch_ns: int) -> list[int]:
    """Indexes of the parts that are waited for: the first of each channel, one every ``stretch_ns``, the last."""
    heard: set[Channel] = set()
    stops: list[int] = []
    stopped_ns = 0
    for index, part in enumerate(parts):
        if index and part.offset_ns - stopped_ns > stretch_ns:
            stopped_ns = parts[index - 1].offset_ns
            stops.append(index - 1)
        if part.tokens and part.channel not in heard:
            heard.add(part.channel)
            stopped_ns = part.offset_ns
            stops.append(index)
    return [*dict.fromkeys((*stops, len(parts) - 1))] if parts else []
