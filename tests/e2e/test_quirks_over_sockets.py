"""Stream quirks through real sockets: the reference server plays them, the daemon's sender and transports read them.

What arrives must be the same as through the parser alone: texts, tokens, outcomes, flags, and the order of chunks.
Of times only what no slow machine can change: nothing arrives before it was written.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from uuid import UUID

import aiohttp
import msgspec
import pytest
from measuring import MemoryLog, NoKeys
from played_streams import Played
from replayed_quirks import comparable, made_of, replay
from transports import socket_transports

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.result import AttemptResult
from daemon.attempts.sending import AttemptSender
from daemon.log import BlobStore
from daemon.reference.process import ReferenceProcess
from daemon.reference.quirks.collection import QUIRKS_BY_NAME
from daemon.reference.quirks.contract import Form, Kind, Quirk, Right
from daemon.reference.quirks.forms import DIALECTS, FORMS
from daemon.reference.quirks.serving import QuirkService
from daemon.reference.server import ReferenceServer
from daemon.reference.service import ReferenceService
from daemon.runs.planning import Order
from daemon.telemetry import Telemetry
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Transport
from daemon.workloads.contract import Prompt
from daemon.world import live_world
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.clocks import SystemClock
from schemas.configuration import LimitsTable, TransportChoice
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted
from schemas.events.runs import PromptFacts
from schemas.timeline import Channel

GENEROUS_MS = 20_000
"""How late a first token may be on a machine that has other things to do."""

TIMES = ("ttft_ms", "ttfat_ms", "end_ms", "over_ms", "tokens_per_s", "speed_note", "retry_after_s")
CHOSEN: dict[Kind, tuple[str, ...]] = {
    "first-token": ("empty-text-first", "null-text-first", "only-pings", "only-an-end-mark", "refusal"),
    "reasoning": ("only-reasoning", "thought-and-text-at-once", "thinking-not-shown", "reasoning-said-twice"),
    "tokens": ("words-in-pieces", "three-tokens-a-chunk"),
    "framing": (
        *("plain", "crlf-in-two-reads", "cr", "byte-by-byte", "comments", "three-chunks-in-one-read"),
        *("first-byte-before-first-token", "long-line", "wrong-media-type", "invalid-utf-8", "done-mark-of-relays"),
    ),
    "odd-chunks": ("filter-results-first", "usage-without-choices", "usage-on-every-chunk"),
    "usage": ("cached-input", "no-usage", "cost-in-usage", "stream-options-refused"),
    "errors": ("error-in-the-middle", "overloaded-inside-a-200", "error-without-data-field", "response-failed"),
    "refusals": (
        *("json-error-for-a-stream", "web-page-for-a-stream", "bad-gateway-page", "whole-answer-for-a-stream"),
        *("rate-limit-in-a-fraction", "rate-limit-in-the-past"),
    ),
    "ends": (
        *("reason-without-end-mark", "neither-reason-nor-end", "half-a-chunk-at-the-end", "connection-cut"),
        *("connection-cut-after-reason", "open-after-the-end", "endless-line", "output-limit-reached"),
    ),
}
SLOW = ("reasoning-for-minutes", "hidden-reasoning-burst", "billed-reasoning-not-shown")
STALLED = ("stalled-in-silence", "stalled-with-pings")


@contextlib.asynccontextmanager
async def serving(pace: float = 1.0, quirk: str | None = None) -> AsyncIterator[str]:
    """Run a server in this process; give its base URL."""
    clock = SystemClock()
    quirks = QuirkService(everywhere=quirk, pace=pace)
    server = ReferenceServer(ReferenceService(history_start_ns=clock.wall_ns(), seed="quirks", quirks=quirks), clock)
    try:
        yield await server.start()
    finally:
        await server.close()


def endpoint(base_url: str, quirk: str, form: Form) -> EndpointFacts:
    below = f"{base_url}/quirk/{quirk}"
    urls: dict[Form, str] = {
        "anthropic-messages": below,
        "gemini": below,
        "gemini-array": f"{below}/v1beta?alt=json",
    }
    return EndpointFacts(
        name=f"{quirk}, {form}",
        provider="reference",
        dialect=DIALECTS[form],
        base_url=urls.get(form, f"{below}/v1"),
        model="m",
    )


async def measured(
    transport: Transport, base_url: str, names: Sequence[str], silence_s: float = 60.0
) -> dict[tuple[str, Form], Sequence[AttemptCompleted]]:
    """Ask for quirks in all their forms at once, as the daemon asks; return every attempt at each."""
    world = live_world()
    sender = AttemptSender(
        transport=transport,
        log=MemoryLog(),
        keys=NoKeys(),
        limits=LimitsTable(silence_timeout_s=silence_s),
        keeper=BodyKeeper(BlobStore(Path("/nowhere"), world.clock), inline_bytes=2**24, world=world),
        telemetry=Telemetry(),
        world=world,
    )
    facts = PromptFacts(
        generator="quirks",
        generator_version=1,
        seed="",
        sha256="",
        input_tokens=1,
        min_output_tokens=1,
        max_output_tokens=100,
        task="none",
    )
    run = RunIdentity(run=UUID(int=1), suite="performance", workload="quirks", scenario="single", slot=None)

    async def one(name: str, form: Form) -> Sequence[AttemptCompleted]:
        order = Order(
            attempt=world.new_id(),
            endpoint=endpoint(base_url, name, form),
            account=AccountFacts(name="a", provider="reference", kind="primary"),
            ordinal=0,
            prompt=Prompt(text="?", facts=facts),
        )
        return await sender.send(AttemptIdentity.first(run, order), order, world.clock.wall_ns())

    wanted = [(name, form) for name in names for form in QUIRKS_BY_NAME[name].takes]
    return dict(zip(wanted, await asyncio.gather(*(one(*each) for each in wanted)), strict=True))


def played(completed: AttemptCompleted) -> Played:
    fields = {name: getattr(completed, name) for name in AttemptResult.__struct_fields__}
    return Played(AttemptResult(**fields), "unknown")


def order_of(attempt: Played) -> list[tuple[Channel, int]]:
    return [(row.channel, row.tokens) for row in attempt.rows if row.channel is not Channel.NONE]


def assert_right(quirk: Quirk, form: Form, attempts: Sequence[AttemptCompleted], pace: float) -> None:
    """Assert what an attempt through sockets has in common with one that was only read."""
    takes = quirk.takes[form]
    assert len(attempts) == len(takes), (quirk.name, form)
    for completed, take in zip(attempts, takes, strict=True):
        attempt, right = played(completed), take.right
        made = made_of(attempt)
        assert comparable(made, *TIMES) == comparable(right, *TIMES), (quirk.name, form)
        assert order_of(attempt) == order_of(replay(take, form)), (quirk.name, form)
        for name in ("ttft_ms", "ttfat_ms", "end_ms"):
            assert_late_enough(getattr(made, name), getattr(right, name), pace)
        if right.retry_after_s is not None:
            assert made.retry_after_s == pytest.approx(right.retry_after_s)


def assert_late_enough(found_ms: float | None, right_ms: float | None, pace: float) -> None:
    if right_ms is None:
        assert found_ms is None
    else:
        assert found_ms is not None
        assert right_ms * pace <= found_ms <= right_ms * pace + GENEROUS_MS


@pytest.mark.parametrize("choice", socket_transports())
@pytest.mark.parametrize("kind", CHOSEN)
async def test_a_quirk_is_the_same_through_sockets(kind: Kind, choice: TransportChoice) -> None:
    """Texts, tokens, outcomes, flags and order are those of the parser alone, and nothing comes before its time."""
    transport = make_transport(choice, SystemClock())
    try:
        async with serving() as base_url:
            found = await measured(transport, base_url, CHOSEN[kind])
    finally:
        await transport.close()
    for (name, form), attempts in found.items():
        assert_right(QUIRKS_BY_NAME[name], form, attempts, 1.0)


@pytest.mark.parametrize("choice", socket_transports())
async def test_minutes_can_be_played_in_seconds(choice: TransportChoice) -> None:
    """A pace of 0.01 plays three minutes of reasoning in two seconds, with the same content in the same order."""
    transport = make_transport(choice, SystemClock())
    try:
        async with serving(pace=0.01) as base_url:
            found = await measured(transport, base_url, SLOW)
    finally:
        await transport.close()
    for (name, form), attempts in found.items():
        assert_right(QUIRKS_BY_NAME[name], form, attempts, 0.01)


@pytest.mark.parametrize("choice", socket_transports())
async def test_a_stall_is_noticed(choice: TransportChoice) -> None:
    """At a hundredth of the time, silence and mere pings are a stall after 0.6 s, with what came before."""
    transport = make_transport(choice, SystemClock())
    try:
        async with serving(pace=0.01) as base_url:
            found = await measured(transport, base_url, STALLED, silence_s=0.6)
    finally:
        await transport.close()
    for (name, form), attempts in found.items():
        assert_right(QUIRKS_BY_NAME[name], form, attempts, 0.01)
        (completed,) = attempts
        assert (completed.timing.end_us or 0) >= 600_000


def test_a_third_of_the_collection_goes_through_sockets() -> None:
    """At least a third of all quirks is chosen for sockets, each of the kind it is listed under, in every form."""
    names = {name for chosen in CHOSEN.values() for name in chosen} | {*SLOW, *STALLED}
    assert 3 * len(names) >= len(QUIRKS_BY_NAME)
    assert {(QUIRKS_BY_NAME[name].kind, name) for kind in CHOSEN for name in CHOSEN[kind]} == {
        (kind, name) for kind in CHOSEN for name in CHOSEN[kind]
    }
    assert {form for name in names for form in QUIRKS_BY_NAME[name].takes} == set(FORMS)


async def asked(url: str, body: bytes = b'{"stream": true}') -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, data=body) as response:
        return response.status, await response.text()


async def test_a_request_that_no_quirk_answers_says_what_would() -> None:
    """An unknown name, a form that a quirk does not have, no path of a dialect and no stream are told apart."""
    async with serving() as base_url:
        completions = "v1/chat/completions"
        for path, body, status, told in (
            (f"/quirk/nobody/{completions}", b"{}", 404, "messwerk reference quirks"),
            ("/quirk", b"{}", 404, "messwerk reference quirks"),
            ("/quirk/output-grows-in-usage/v1/responses", b'{"stream": true}', 404, "POST …/v1/messages"),
            ("/quirk/plain/v1/elsewhere", b'{"stream": true}', 404, "POST …/v1/chat/completions"),
            (f"/quirk/plain/{completions}", b"{}", 400, "stream set to true"),
            (f"/quirk/plain/{completions}", b"[" * 100_000, 400, "stream set to true"),
        ):
            found, text = await asked(base_url + path, body)
            assert (path, found) == (path, status)
            assert told in text


async def test_one_quirk_can_be_served_everywhere() -> None:
    """A server told to play one quirk plays it at each dialect's own path, and the profiles stay where they are."""
    async with serving(quirk="plain") as base_url:
        assert "response.completed" in (await asked(base_url + "/v1/responses"))[1]
        assert "message_stop" in (await asked(base_url + "/v1/messages"))[1]
        assert "STOP" in (await asked(base_url + "/v1beta/models/any:streamGenerateContent"))[1]
        steady = b'{"stream": true, "max_tokens": 1, "messages": []}'
        assert "fp_reference" in (await asked(base_url + "/calibration-quick/v1/chat/completions", steady))[1]


async def test_turns_are_counted_by_path() -> None:
    """Each path has turns of its own: two clients with a word of their own both meet the rate limit first."""
    async with serving() as base_url:
        for client in ("one", "two"):
            url = f"{base_url}/quirk/rate-limit-in-seconds/{client}/v1/messages"
            assert [(await asked(url))[0] for _ in range(3)] == [429, 200, 429]


@pytest.mark.parametrize("header", ["authorization", "x-api-key", "x-goog-api-key"])
async def test_every_dialects_key_is_accepted(header: str) -> None:
    """A server with a key takes it in the header of any dialect, and refuses requests without it."""
    clock = SystemClock()
    server = ReferenceServer(ReferenceService(history_start_ns=0, seed="", api_key="key-0001"), clock)
    url = await server.start() + "/quirk/one-chunk-in-all/v1/messages"
    key = {"authorization": "Bearer key-0001"}.get(header, "key-0001")
    try:
        async with aiohttp.ClientSession() as session:
            async with session.post(url, data=b'{"stream": true}', headers={header: key}) as response:
                assert response.status == 200
            async with session.post(url, data=b'{"stream": true}', headers={header: key + "x"}) as response:
                assert response.status == 401
    finally:
        await server.close()


@pytest.mark.parametrize(("quirk", "pace"), [("nobody", 1.0), (None, 0.0), (None, float("nan"))])
def test_a_wrong_choice_is_told_at_the_start(quirk: str | None, pace: float) -> None:
    """A quirk that does not exist, or a pace that is not positive, is refused before anything is served."""
    with pytest.raises(ConfigurationError):
        QuirkService(everywhere=quirk, pace=pace)


def test_the_command_lists_every_quirk() -> None:
    """`messwerk reference quirks --json` lists names, paths and right values; without it, sentences."""
    command = [sys.executable, "-m", "daemon.cli.reference", "quirks"]
    listed = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True, timeout=60).stdout)
    assert {entry["name"] for entry in listed} == set(QUIRKS_BY_NAME)
    assert (
        msgspec.convert(listed[0]["expected"]["gemini"][0], Right)
        == QUIRKS_BY_NAME[listed[0]["name"]].takes["gemini"][0].right
    )
    text = subprocess.run(command, check=True, capture_output=True, timeout=60, text=True).stdout
    assert all(name in text for name in QUIRKS_BY_NAME)


async def test_the_server_process_plays_quirks() -> None:
    """The server that `messwerk reference serve` starts answers with quirks like the one in this process."""
    process = ReferenceProcess()
    base_url = await process.start()
    try:
        status, text = await asked(f"{base_url}/quirk/special-token-as-text/v1/messages")
    finally:
        await process.stop()
    assert status == 200
    assert "<|endoftext|>" in text
