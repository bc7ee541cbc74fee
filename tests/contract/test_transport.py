"""What every transport promises, whether it sends over sockets or plays a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import msgspec
import pytest
from transports import EVERY_TRANSPORT, Scenario

from daemon.transport.contract import (
    Connected,
    Ended,
    HeldUp,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
    Transport,
    Written,
)

LIMITS = Limits(connect_s=10, first_byte_s=60, silence_s=60, total_s=120, response_bytes=2**24)
ORDER = {Connected: 0, Sent: 1, Written: 2, Responded: 3, Read: 4, Ended: 5}


def request(base_url: str, *, path: str = "/calibration-quick/v1/chat/completions", **limits: Any) -> PreparedRequest:
    body = {"model": "any", "messages": [{"role": "user", "content": "why?"}], "stream": True, "max_tokens": 60}
    return PreparedRequest(
        method="POST",
        url=base_url + path,
        headers=(("content-type", "application/json"), ("authorization", "Bearer secret-0001")),
        body=msgspec.json.encode(body),
        limits=msgspec.structs.replace(LIMITS, **limits),
    )


async def signals_of(transport: Transport, prepared: PreparedRequest) -> list[Signal]:
    """Everything but the loop's own strain, which comes whenever it has grown."""
    async with aclosing(transport.exchange(prepared)) as exchange:
        return [signal async for signal in exchange if not isinstance(signal, HeldUp)]


def moments(signals: list[Signal]) -> list[int]:
    """Monotonic times in order, without that of the request's last byte: an answer may overtake it."""
    return [signal.mono_ns for signal in signals if not isinstance(signal, Connected | Written | HeldUp)]


@pytest.mark.parametrize("run", EVERY_TRANSPORT)
class TestTransport:
    def test_signals_come_in_order_and_end_once(self, run: Callable[[Scenario], None]) -> None:
        """A whole exchange connects, sends, writes, responds, reads and ends, in that order, and ends once."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url))
            ranks = [ORDER[type(signal)] for signal in signals]
            assert ranks == sorted(ranks)
            assert [ranks.count(rank) for rank in (0, 1, 2, 3, 5)] == [1] * 5
            assert signals[-1] == Ended(signals[-1].mono_ns, "complete")

        run(scenario)

    def test_times_never_go_back(self, run: Callable[[Scenario], None]) -> None:
        """Each signal is at least as late as the one before it, and the first byte no later than the headers."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url))
            assert moments(signals) == sorted(moments(signals))
            sent = next(signal for signal in signals if isinstance(signal, Sent))
            responded = next(signal for signal in signals if isinstance(signal, Responded))
            assert sent.mono_ns <= responded.first_byte_mono_ns <= responded.mono_ns

        run(scenario)

    def test_body_arrives_whole(self, run: Callable[[Scenario], None]) -> None:
        """The reads joined together are the response's body, framing removed, and none of them is empty."""

        async def scenario(transport: Transport, base_url: str) -> None:
            reads = [s.data for s in await signals_of(transport, request(base_url)) if isinstance(s, Read)]
            body = b"".join(reads)
            assert all(reads)
            assert body.startswith(b"data: {")
            assert body.endswith(b"data: [DONE]\n\n")

        run(scenario)

    def test_connection_facts_come_before_the_request(self, run: Callable[[Scenario], None]) -> None:
        """The first exchange tells its peer and its connect time, and that nothing was reused."""

        async def scenario(transport: Transport, base_url: str) -> None:
            first, *_ = await signals_of(transport, request(base_url))
            assert isinstance(first, Connected)
            assert first.connection.reused is False
            assert first.connection.peer is not None
            assert first.connection.connect_us is not None

        run(scenario)

    def test_error_status_is_a_response(self, run: Callable[[Scenario], None]) -> None:
        """A status of 404 is handed on with its body, and the exchange is complete."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url, path="/nobody/v1/chat/completions"))
            (responded,) = [signal for signal in signals if isinstance(signal, Responded)]
            assert responded.status == 404
            assert b"not_found" in b"".join(signal.data for signal in signals if isinstance(signal, Read))
            assert isinstance(signals[-1], Ended)
            assert signals[-1].cause == "complete"

        run(scenario)

    def test_too_long_a_response_is_cut_off(self, run: Callable[[Scenario], None]) -> None:
        """A response longer than its bound ends over the limit, with no more bytes than that."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url, response_bytes=2_000))
            assert isinstance(signals[-1], Ended)
            assert signals[-1].cause == "over-limit"
            assert sum(len(signal.data) for signal in signals if isinstance(signal, Read)) <= 2_000

        run(scenario)

    def test_total_time_is_bounded(self, run: Callable[[Scenario], None]) -> None:
        """A response that takes longer than the total limit ends by it, with what had arrived."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url, total_s=0.01))
            sent = next(signal for signal in signals if isinstance(signal, Sent))
            assert isinstance(signals[-1], Ended)
            assert signals[-1].cause == "timeout-total"
            assert signals[-1].mono_ns >= sent.mono_ns + 10_000_000

        run(scenario)

    def test_strain_is_told_while_it_lasts(self, run: Callable[[Scenario], None]) -> None:
        """Whoever samples its loop tells of it, each time more than before; the simulation, which has none, never."""

        async def scenario(transport: Transport, base_url: str) -> None:
            async with aclosing(transport.exchange(request(base_url))) as exchange:
                told = [signal async for signal in exchange if isinstance(signal, HeldUp)]
            lags = [one.lag_max_us for one in told if one.lag_max_us is not None]
            assert lags == sorted(lags)
            assert bool(lags) is (transport.clock_kind != "simulated")

        run(scenario)

    def test_missing_response_is_told(self, run: Callable[[Scenario], None]) -> None:
        """When not even a first byte comes in time, the exchange ends so and no response is claimed."""

        async def scenario(transport: Transport, base_url: str) -> None:
            signals = await signals_of(transport, request(base_url, first_byte_s=0.001))
            assert [type(signal) for signal in signals] == [Connected, Sent, Written, Ended]
            assert isinstance(signals[-1], Ended)
            assert signals[-1].cause == "timeout-first-byte"

        run(scenario)

    def test_leaving_early_releases_the_exchange(self, run: Callable[[Scenario], None]) -> None:
        """Closing the iterator after the first bytes abandons the exchange, and the next one works."""

        async def scenario(transport: Transport, base_url: str) -> None:
            async with aclosing(transport.exchange(request(base_url))) as exchange:
                async for signal in exchange:
                    if isinstance(signal, Read):
                        break
            signals = await signals_of(transport, request(base_url))
            assert isinstance(signals[-1], Ended)
            assert signals[-1].cause == "complete"

        run(scenario)

    def test_exchanges_do_not_affect_one_another(self, run: Callable[[Scenario], None]) -> None:
        """Of ten exchanges at once, nine complete although the tenth ends by a limit of its own."""

        async def scenario(transport: Transport, base_url: str) -> None:
            prepared = [request(base_url) for _ in range(9)] + [request(base_url, first_byte_s=0.001)]
            ended = [signals[-1] for signals in await asyncio.gather(*(signals_of(transport, p) for p in prepared))]
            assert [signal.cause for signal in ended if isinstance(signal, Ended)] == [
                *["complete"] * 9,
                "timeout-first-byte",
            ]

        run(scenario)

    def test_request_shows_no_secret(self, run: Callable[[Scenario], None]) -> None:
        """No signal and no representation of a request contains the credential."""

        async def scenario(transport: Transport, base_url: str) -> None:
            prepared = request(base_url)
            assert "secret-0001" not in repr(prepared) + repr(await signals_of(transport, prepared)) + repr(transport)

        run(scenario)
