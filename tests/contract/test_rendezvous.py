"""Requests that go out together, through every transport: who comes is waited for, who cannot come is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import msgspec
import pytest
from transports import EVERY_TRANSPORT, Scenario

from daemon.transport.contract import (
    Connected,
    Ended,
    Limits,
    PreparedRequest,
    Rendezvous,
    Sent,
    Signal,
    Transport,
)

FOR_EVER_S = 10_000.0
LIMITS = Limits(connect_s=10, first_byte_s=60, silence_s=60, total_s=120, response_bytes=2**24)


def party(base_url: str, place: int, *, parties: int = 2, wait_s: float = FOR_EVER_S) -> PreparedRequest:
    return PreparedRequest(
        method="POST",
        url=f"{base_url}/calibration-quick/v1/chat/completions",
        headers=(("content-type", "application/json"), ("authorization", f"Bearer secret-000{place}")),
        body=msgspec.json.encode({"model": "any", "messages": [{"role": "user", "content": "why?"}], "stream": True}),
        limits=LIMITS,
        rendezvous=Rendezvous(id="here and now", parties=parties, place=place, wait_s=wait_s),
    )


class Going:
    """One exchange under way in a task of its own."""

    def __init__(self, transport: Transport, request: PreparedRequest) -> None:
        self.signals: list[Signal] = []
        self.connected = asyncio.Event()
        self.task = asyncio.ensure_future(self._go(transport, request))

    @property
    def sent(self) -> Sent | None:
        return next((signal for signal in self.signals if isinstance(signal, Sent)), None)

    @property
    def end(self) -> str:
        (ended,) = [signal for signal in self.signals if isinstance(signal, Ended)]
        return ended.cause

    async def _go(self, transport: Transport, request: PreparedRequest) -> None:
        async with aclosing(transport.exchange(request)) as exchange:
            async for signal in exchange:
                self.signals.append(signal)
                if isinstance(signal, Connected):
                    self.connected.set()


def sent_ns(going: Going) -> int:
    assert going.sent is not None
    return going.sent.mono_ns


@pytest.mark.parametrize("run", EVERY_TRANSPORT)
class TestRendezvous:
    def test_requests_go_out_in_the_order_of_their_places(self, run: Callable[[Scenario], None]) -> None:
        """Whoever is connected first, the requests are written by their places, after the last has come."""

        async def scenario(transport: Transport, base_url: str) -> None:
            last = Going(transport, party(base_url, 2, parties=3))
            await last.connected.wait()
            first = Going(transport, party(base_url, 0, parties=3))
            await first.connected.wait()
            assert (last.sent, first.sent) == (None, None)
            middle = Going(transport, party(base_url, 1, parties=3))
            await asyncio.gather(last.task, first.task, middle.task)
            assert sent_ns(first) <= sent_ns(middle) <= sent_ns(last)
            assert [going.end for going in (first, middle, last)] == ["complete"] * 3

        run(scenario)

    def test_who_gives_up_is_not_waited_for(self, run: Callable[[Scenario], None]) -> None:
        """A party that is cancelled while it waits leaves, and the others go without it."""

        async def scenario(transport: Transport, base_url: str) -> None:
            steady = Going(transport, party(base_url, 0, parties=3))
            fickle = Going(transport, party(base_url, 1, parties=3))
            await steady.connected.wait()
            await fickle.connected.wait()
            fickle.task.cancel()
            await asyncio.wait({fickle.task})
            late = Going(transport, party(base_url, 2, parties=3))
            await asyncio.gather(steady.task, late.task)
            assert fickle.sent is None
            assert (steady.end, late.end) == ("complete", "complete")

        run(scenario)

    def test_nobody_waits_for_ever(self, run: Callable[[Scenario], None]) -> None:
        """A party whose other one never comes goes alone after the longest wait, and who comes later goes, too."""

        async def scenario(transport: Transport, base_url: str) -> None:
            alone = Going(transport, party(base_url, 0, wait_s=0.05))
            await alone.task
            late = Going(transport, party(base_url, 1, wait_s=0.05))
            await late.task
            assert (alone.end, late.end) == ("complete", "complete")
            assert sent_ns(alone) < sent_ns(late)

        run(scenario)


@pytest.mark.parametrize("run", EVERY_TRANSPORT[:-1])
class TestRendezvousOverSockets:
    def test_who_cannot_connect_is_not_waited_for(self, run: Callable[[Scenario], None]) -> None:
        """A party without a connection leaves, whether it fails before the other one comes or after."""

        async def scenario(transport: Transport, base_url: str) -> None:
            closed = "http://127.0.0.1:1"
            failing = Going(transport, party(closed, 0))
            await failing.task
            after = Going(transport, party(base_url, 1))
            await after.task
            assert (failing.end, after.end) == ("connect", "complete")

        run(scenario)

    def test_a_failure_lets_those_who_wait_go(self, run: Callable[[Scenario], None]) -> None:
        """Whoever waits goes as soon as the last one missing has failed."""

        async def scenario(transport: Transport, base_url: str) -> None:
            waiting = Going(transport, party(base_url, 1))
            await waiting.connected.wait()
            failing = Going(transport, party("http://127.0.0.1:1", 0))
            await asyncio.gather(waiting.task, failing.task)
            assert (failing.end, waiting.end) == ("connect", "complete")

        run(scenario)
