"""The same script over real sockets and in simulated time makes the same attempt."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

import msgspec
import pytest

from daemon.attempts.reading import AttemptReading
from daemon.attempts.result import AttemptResult
from daemon.reference.asked import read_body
from daemon.reference.behaviour import DAY_NS
from daemon.reference.profiles import KNOWN_KEY, PROFILES_BY_NAME
from daemon.reference.script import Moment, Script, write_script
from daemon.reference.server import ReferenceServer
from daemon.reference.service import ReferenceService
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.transport.aiohttp_transport import AiohttpTransport
from daemon.transport.contract import Limits, PreparedRequest, Transport
from daemon.wire.contract import Ask, Image
from daemon.wire.registry import dialect
from schemas.catalogue import EndpointFacts
from schemas.clocks import SystemClock
from schemas.timeline import Channel, unpack_timeline

WALL_NS = 1_796_000_000_000_000_000
LIMITS = Limits(connect_s=5, first_byte_s=10, silence_s=0.6, total_s=20, response_bytes=2**24)
PICTURE = Image("image/png", b"no real picture")


def request(profile: str, base_url: str, images: tuple[Image, ...], key: str | None = None) -> PreparedRequest:
    endpoint = EndpointFacts(
        name=profile,
        provider="reference",
        dialect="openai-chat",
        base_url=f"{base_url}/{profile}/v1",
        model="any",
        simulated=True,
    )
    ask = Ask(text="Why? " * 40, images=images, max_output_tokens=40)
    worded = dialect("openai-chat").request(endpoint, ask)
    headers = (*worded.headers, *(dialect("openai-chat").authorise(key) if key else ()))
    return PreparedRequest(method="POST", url=worded.url, headers=headers, body=worded.body, limits=LIMITS)


async def attempt(transport: Transport, wanted: PreparedRequest) -> AttemptResult:
    reading = AttemptReading(dialect("openai-chat"), clock=transport.clock_kind)
    async with aclosing(transport.exchange(wanted)) as signals:
        async for signal in signals:
            reading.take(signal)
            if reading.finished:
                break
    await transport.close()
    return reading.result()


async def really(profile: str, seed: str, images: tuple[Image, ...], key: str | None = None) -> AttemptResult:
    clock = SystemClock()
    server = ReferenceServer(ReferenceService(history_start_ns=clock.wall_ns() - 14 * DAY_NS, seed=seed), clock)
    base_url = await server.start()
    try:
        return await attempt(AiohttpTransport(clock), request(profile, base_url, images, key))
    finally:
        await server.close()


def simulated(profile: str, seed: str, images: tuple[Image, ...], key: str | None = None) -> AttemptResult:
    async def main(loop: SimulatedLoop) -> AttemptResult:
        service = ReferenceService(history_start_ns=WALL_NS - 14 * DAY_NS, seed=seed)
        transport = SimulatedTransport(service, SimulatedClock(loop, WALL_NS))
        return await attempt(transport, request(profile, "http://reference.invalid", images, key))

    return run_simulated(main)


def script_of(profile: str, seed: str, images: tuple[Image, ...] = ()) -> Script:
    asked = read_body(request(profile, "http://x", images).body)
    moment = Moment(wall_ns=WALL_NS, history_start_ns=WALL_NS - 14 * DAY_NS)
    return write_script(PROFILES_BY_NAME[profile], asked, moment, random.Random(f"{seed}:1"))


def seed_with(profile: str, ending: str) -> str:
    """Find a seed whose first script ends so, soon enough for a test."""
    for seed in map(str, range(10_000)):
        script = script_of(profile, seed)
        broken = b'data: {"error"' in script.parts[-1].data
        kind = str(script.status) if script.status != 200 else "error" if broken else script.ending
        if kind == ending and script.end_offset_ns < 2_000_000_000:
            return seed
    raise AssertionError(f"no seed of {profile} ends as {ending}")


@pytest.mark.parametrize(
    ("profile", "ending", "images"),
    [
        ("calibration-fine", "complete", ()),
        ("calibration-thinking", "complete", ()),
        ("steady", "complete", (PICTURE,)),
        ("plain", "complete", (PICTURE,)),
        ("jittery", "error", ()),
        ("jittery", "cut", ()),
        ("jittery", "stall", ()),
        ("crowded", "429", ()),
    ],
)
async def test_both_ways_make_the_same_attempt(profile: str, ending: str, images: tuple[Image, ...]) -> None:
    """Status, failure, texts, usage, finish, tokens by chunk and bytes agree; only the times may differ a little."""
    seed = seed_with(profile, ending)
    real, played = await really(profile, seed, images), played_in_a_thread(profile, seed, images)
    assert (real.status, real.http_status, real.finish_reason) == (
        played.status,
        played.http_status,
        played.finish_reason,
    )
    assert (real.failure and (real.failure.kind, real.failure.retry_after_s, real.failure.code)) == (
        played.failure and (played.failure.kind, played.failure.retry_after_s, played.failure.code)
    )
    assert real.answer == played.answer
    assert real.reasoning == played.reasoning
    assert real.usage == played.usage
    assert (real.response_id, real.returned_model, real.fingerprint) == (
        played.response_id,
        played.returned_model,
        played.fingerprint,
    )
    assert dict(real.headers).keys() == dict(played.headers).keys()
    assert spoken(real) == spoken(played)
    assert received_bytes(real) == received_bytes(played)
    assert real.flags == played.flags
    assert {name for name, value in msgspec.structs.asdict(real.timing).items() if value is None} == {
        name for name, value in msgspec.structs.asdict(played.timing).items() if value is None
    }


@pytest.mark.parametrize(("key", "model"), [(KNOWN_KEY, "partial-in-model-1-large"), ("other", "partial-in-model-1")])
async def test_both_ways_recognise_the_same_accounts(key: str, model: str) -> None:
    """Over sockets and in simulated time a key makes the same account known, and no other."""
    seed = next(seed for seed in map(str, range(100)) if script_of("partial-in-model", seed).status == 200)
    real = await really("partial-in-model", seed, (), key)
    played = played_in_a_thread("partial-in-model", seed, (), key)
    assert real.returned_model == played.returned_model == model
    assert (real.fingerprint, real.usage, real.answer) == (played.fingerprint, played.usage, played.answer)


def spoken(result: AttemptResult) -> list[tuple[Channel, int]]:
    return [(row.channel, row.tokens) for row in unpack_timeline(result.timeline) if row.channel is not Channel.NONE]


def received_bytes(result: AttemptResult) -> int:
    return sum(row.read_bytes for row in unpack_timeline(result.timeline))


def played_in_a_thread(profile: str, seed: str, images: tuple[Image, ...], key: str | None = None) -> AttemptResult:
    """Run the simulation beside the test's own loop: a thread can have a loop of its own, this one has one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(simulated, profile, seed, images, key).result()
