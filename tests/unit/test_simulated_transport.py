"""The transport that plays scripts: moments, limits, cancellation, connections."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from daemon.reference.asked import Asked
from daemon.reference.behaviour import DAY_NS
from daemon.reference.profiles import PROFILES_BY_NAME
from daemon.reference.script import Moment, Part, Script, write_script
from daemon.reference.service import ReferenceService
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport, plan_course
from daemon.transport.contract import (
    Connected,
    Ended,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
    Written,
)
from schemas.timeline import Channel

WALL_NS = 1_796_000_000_000_000_000
SECOND_NS = 1_000_000_000
LIMITS = Limits(connect_s=15, first_byte_s=300, silence_s=60, total_s=1_800, response_bytes=2**26)


def request(profile: str = "steady", *, limits: Limits = LIMITS, budget: int = 400) -> PreparedRequest:
    body = {
        "model": "any",
        "messages": [{"role": "user", "content": "why " * 1_000}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": budget,
    }
    return PreparedRequest(
        method="POST",
        url=f"http://reference.invalid/{profile}/v1/chat/completions",
        headers=(("content-type", "application/json"),),
        body=msgspec.json.encode(body),
        limits=limits,
    )


def script(*offsets_s: float, ending: str = "complete", head_s: float = 0.0) -> Script:
    return Script(
        response_id="r",
        status=200,
        headers=(),
        head_offset_ns=round(head_s * SECOND_NS),
        parts=tuple(Part(round(at * SECOND_NS), b"12345", Channel.ANSWER, 1) for at in offsets_s),
        ending=ending,  # type: ignore[arg-type]
    )


def simulate(
    scene: Callable[[SimulatedTransport, SimulatedClock], Coroutine[Any, Any, Any]], *, seed: str = "seed"
) -> Any:
    async def main(loop: SimulatedLoop) -> Any:
        clock = SimulatedClock(loop, WALL_NS)
        service = ReferenceService(history_start_ns=WALL_NS - 14 * DAY_NS, seed=seed)
        return await scene(SimulatedTransport(service, clock), clock)

    return run_simulated(main)


async def collect(transport: SimulatedTransport, wanted: PreparedRequest) -> list[Signal]:
    return [signal async for signal in transport.exchange(wanted)]


def test_reads_happen_at_the_script_s_moments() -> None:
    """Each write is one read, at the moment of sending plus the script's offset, to the nanosecond."""
    wanted = request()
    signals = simulate(lambda transport, _: collect(transport, wanted))
    sent = next(signal for signal in signals if isinstance(signal, Sent))
    asked = Asked(input_tokens=909, images=0, max_output_tokens=400, include_usage=True)
    moment = Moment(wall_ns=sent.wall_ns, history_start_ns=WALL_NS - 14 * DAY_NS)
    expected = write_script(PROFILES_BY_NAME["steady"], asked, moment, random.Random("seed:1"))
    reads = [signal for signal in signals if isinstance(signal, Read)]
    assert reads == [Read(sent.mono_ns + part.offset_ns, part.data) for part in expected.parts]
    responded = next(signal for signal in signals if isinstance(signal, Responded))
    assert responded.first_byte_mono_ns == sent.mono_ns + expected.head_offset_ns
    assert signals[-1] == Ended(sent.mono_ns + expected.end_offset_ns, "complete")


def test_signals_come_in_the_contract_s_order() -> None:
    """Connected, sent, written, responded, reads, and exactly one end, with times that never go back."""
    signals = simulate(lambda transport, _: collect(transport, request("thinker")))
    kinds = [type(signal) for signal in signals]
    assert kinds[:4] == [Connected, Sent, Written, Responded]
    assert set(kinds[4:-1]) == {Read}
    assert kinds[-1] is Ended
    times = [signal.mono_ns for signal in signals[1:]]
    assert times == sorted(times)


@pytest.mark.parametrize("profile", ["thinker", "silent"])
def test_what_is_watched_in_flight_is_told_when_it_happens(profile: str) -> None:
    """Headers, the first token of each channel and the end are handed out at their own moments, not later."""

    async def scene(transport: SimulatedTransport, clock: SimulatedClock) -> list[tuple[Signal, int]]:
        return [(signal, clock.mono_ns()) async for signal in transport.exchange(request(profile))]

    told = simulate(scene)
    seen: set[str] = set()
    for signal, now_ns in told[1:]:
        assert signal.mono_ns <= now_ns + 2 or isinstance(signal, Written)
        if isinstance(signal, Read):
            for field in ("reasoning_content", "content"):
                if f'"{field}":"'.encode() in signal.data and b'""' not in signal.data and field not in seen:
                    seen.add(field)
                    assert abs(signal.mono_ns - now_ns) <= 2
        elif not isinstance(signal, Written):
            assert abs(signal.mono_ns - now_ns) <= 2
    assert "content" in seen


def test_reads_are_handed_out_long_before_silence_could_be_suspected() -> None:
    """While tokens flow, no read is handed out later after its moment than a fifth of the silence limit."""

    async def scene(transport: SimulatedTransport, clock: SimulatedClock) -> list[int]:
        wanted = request("patient", budget=3_000)
        return [clock.mono_ns() - s.mono_ns async for s in transport.exchange(wanted) if isinstance(s, Read)]

    delays = simulate(scene)
    assert len(delays) > 400  # well over a minute of tokens
    assert max(delays) < 12 * SECOND_NS


def test_the_same_seed_plays_the_same_history() -> None:
    """Two simulations with one seed give equal signals; another seed gives others."""

    async def scene(transport: SimulatedTransport, _: SimulatedClock) -> list[list[Signal]]:
        return [await collect(transport, request(name)) for name in ("jittery", "crowded", "silent")]

    assert simulate(scene) == simulate(scene)
    assert simulate(scene) != simulate(scene, seed="other")


def test_ten_at_once_are_slower_than_one() -> None:
    """Requests under way together slow one another's first token."""

    async def scene(transport: SimulatedTransport, _: SimulatedClock) -> tuple[float, float]:
        async def first_read_ns() -> int:
            signals = await collect(transport, request())
            sent = next(signal for signal in signals if isinstance(signal, Sent))
            return [signal for signal in signals if isinstance(signal, Read)][1].mono_ns - sent.mono_ns

        alone = [await first_read_ns() for _ in range(10)]
        together = await asyncio.gather(*(first_read_ns() for _ in range(10)))
        return sum(alone) / 10, sum(together) / 10

    alone, together = simulate(scene)
    assert together > 1.15 * alone


def test_an_abandoned_exchange_ends_at_once() -> None:
    """Closing the iterator, or cancelling, frees the place among the requests under way without waiting."""

    async def scene(transport: SimulatedTransport, clock: SimulatedClock) -> int:
        begun = clock.mono_ns()
        async with aclosing(transport.exchange(request("patient"))) as signals:
            async for signal in signals:
                if isinstance(signal, Read):
                    break
        task = asyncio.create_task(collect(transport, request("patient")))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert transport._service._in_flight["patient"] == 0
        return clock.mono_ns() - begun

    assert simulate(scene) < 5 * SECOND_NS


def test_unknown_paths_and_bad_bodies_are_http_errors() -> None:
    """A path without a profile is 404, a body that cannot be played is 400; both end completely."""

    async def scene(transport: SimulatedTransport, _: SimulatedClock) -> list[tuple[int, str]]:
        bad = msgspec.structs.replace(request(), body=b"{}")
        ends = []
        for wanted in (request("nobody"), bad):
            signals = await collect(transport, wanted)
            responded = next(signal for signal in signals if isinstance(signal, Responded))
            ends.append((responded.status, signals[-1].cause))  # type: ignore[union-attr]
        return ends

    assert simulate(scene) == [(404, "complete"), (400, "complete")]


@pytest.mark.parametrize(
    ("played", "limits", "expected"),
    [
        (script(1, 2, 3), {}, (3, 3, "complete")),
        (script(1, 2, ending="cut"), {}, (2, 2, "connection-lost")),
        (script(1, 2, ending="stall"), {}, (2, 62, "stalled")),
        (script(1, 2, ending="stall"), {"total_s": 30}, (2, 30, "timeout-total")),
        (script(1, 90), {}, (1, 61, "stalled")),
        (script(90), {}, (0, 60, "stalled")),
        (script(400, head_s=400), {}, (0, 300, "timeout-first-byte")),
        (script(400, head_s=400), {"total_s": 100}, (0, 100, "timeout-total")),
        (script(50, 100, 150), {"total_s": 120}, (2, 120, "timeout-total")),
        (script(1, 2, 3), {"response_bytes": 12}, (3, 3, "over-limit")),
    ],
)
def test_limits_end_an_exchange_where_they_would(
    played: Script, limits: dict[str, float], expected: tuple[int, float, str]
) -> None:
    """A limit that fires first decides what is read, when it ends and why."""
    course = plan_course(played, msgspec.structs.replace(LIMITS, **limits))
    assert sum(len(part.data) for part in course.parts) <= limits.get("response_bytes", 100)
    assert (len(course.parts), course.end_offset_ns / SECOND_NS, course.cause) == expected


def test_a_first_byte_that_never_comes_gives_no_response() -> None:
    """Past the first-byte limit the signals go from written straight to the end, at the limit's moment."""
    hasty = msgspec.structs.replace(LIMITS, first_byte_s=0.01)
    signals = simulate(lambda transport, _: collect(transport, request("patient", limits=hasty)))
    assert [type(signal) for signal in signals] == [Connected, Sent, Written, Ended]
    assert signals[-1].mono_ns - signals[1].mono_ns == 10_000_000
    assert signals[-1].cause == "timeout-first-byte"
