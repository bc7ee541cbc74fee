"""What two accounts of one provider really send: raw bytes on the socket, in every dialect, by their own ways."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from capturing_server import Captured, CapturingServer
from measuring import Lines, MemoryLog
from transports import socket_transports

from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.configuration.secrets import Secrets
from daemon.configuration.ways import AccountWays
from daemon.log import BlobStore
from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunEngine, RunRequest
from daemon.telemetry import Telemetry
from daemon.transport.choosing import make_transport
from daemon.wire.registry import DIALECTS
from daemon.world import live_world
from schemas.catalogue import (
    AccountFacts,
    EndpointFacts,
    ParameterOverride,
    ProviderFacts,
    RequestHeader,
)
from schemas.configuration import AccountTable, LimitsTable, TransportChoice
from schemas.definitions import Definitions
from schemas.events import CatalogueDeclared

KEYS = {"known": "sk-k-12345678", "ordinary": "sk-ordinary-" + "0123456789abcdef" * 8}
ADDRESSES = {"known": "127.0.0.2", "ordinary": "127.0.0.3"}
ACCOUNTS = tuple(
    AccountTable(name=name, provider="p", kind=kind, keyless=True, local_address=ADDRESSES[name])
    for name, kind in (("known", "primary"), ("ordinary", "anonymous"))
)


def endpoints(base_url: str) -> tuple[EndpointFacts, ...]:
    """One endpoint a dialect, and one whose key has a header of its own."""
    plain = [
        EndpointFacts(name=name, provider="p", dialect=name, base_url=f"{base_url}/{name}", model="m")
        for name in DIALECTS
    ]
    special = EndpointFacts(
        name="special",
        provider="p",
        dialect="openai-chat",
        base_url=f"{base_url}/special",
        model="m",
        headers=(RequestHeader(name="x-region", value="eu"),),
        key_header="api-key",
        overrides=(ParameterOverride(name="temperature", value=0.7, source="its card"),),
    )
    return (*plain, special)


async def captured_by(choice: TransportChoice, *, scenario: str = "single") -> tuple[list[Captured], MemoryLog]:
    """Run once over every endpoint with both accounts; return what the socket saw and what the log took."""
    world, server, log = live_world(), CapturingServer(), MemoryLog()
    transport = make_transport(choice, world.clock)
    try:
        base_url = await server.start()
        catalogue = CatalogueDeclared(
            sha256="",
            vantage="here",
            providers=(ProviderFacts(name="p", title="P", concurrency=4),),
            endpoints=endpoints(base_url),
            accounts=tuple(AccountFacts(name=one.name, provider="p", kind=one.kind) for one in ACCOUNTS),
            definitions=Definitions(),
        )
        secrets = Secrets(KEYS)
        sender = AttemptSender(
            transport=transport,
            log=log,
            keys=secrets,
            limits=LimitsTable(),
            keeper=BodyKeeper(BlobStore(Path("/nowhere"), world.clock), inline_bytes=10_000, world=world),
            telemetry=Telemetry(),
            world=world,
            ways=AccountWays(ACCOUNTS, secrets),
        )
        engine = RunEngine(
            catalogue=catalogue,
            workloads={"lines": Lines(prompts=2)},
            log=log,
            sender=sender,
            budget=DailyBudget(None),
            world=world,
        )
        parallel = scenario == "parallel-10"
        await engine.run(
            RunRequest(workload="lines", trigger="command", scenario="parallel-10" if parallel else "single")
        )
    finally:
        await transport.close()
        await server.close()
    log.assert_closed()
    return server.captured, log


def sender_of(captured: Captured) -> str:
    (name,) = [name for name, address in ADDRESSES.items() if address == captured.peer]
    return name


def without_credential(captured: Captured) -> bytes:
    key = KEYS[sender_of(captured)].encode()
    assert captured.data.count(key) == 1
    return captured.data.replace(key, b"<the key>")


@pytest.mark.parametrize("choice", socket_transports())
def test_accounts_send_the_same_bytes(choice: TransportChoice) -> None:
    """In every dialect both accounts send equal bytes, the order of headers included, except for the key."""
    captured, log = asyncio.run(captured_by(choice))
    assert len(captured) == 2 * 2 * (len(DIALECTS) + 1)
    sent = {name: sorted(without_credential(one) for one in captured if sender_of(one) == name) for name in KEYS}
    assert sent["known"] == sent["ordinary"]
    assert len(set(sent["known"])) == len(sent["known"])
    paths = {one.data.split(b" ")[1].split(b"/")[1].decode() for one in captured}
    assert paths == {*DIALECTS, "special"}
    hashes = {(done.endpoint, done.ordinal): set() for done in log.completed}
    for request in log.sent:
        (done,) = [done for done in log.completed if done.attempt == request.attempt]
        hashes[done.endpoint, done.ordinal].add(request.payload_sha256)
    assert {len(found) for found in hashes.values()} == {1}


@pytest.mark.parametrize("choice", socket_transports())
def test_accounts_share_neither_address_nor_connection(choice: TransportChoice) -> None:
    """Each account's requests come from its own address, and no connection carries those of two."""
    captured, _ = asyncio.run(captured_by(choice))
    assert {one.peer for one in captured} == set(ADDRESSES.values())
    users: dict[int, set[str]] = {}
    for one in captured:
        users.setdefault(one.connection, set()).add(one.peer)
    assert {len(peers) for peers in users.values()} == {1}


@pytest.mark.parametrize("choice", socket_transports())
def test_ten_pairs_at_once_stay_pairs(choice: TransportChoice) -> None:
    """Of ten pairs at once each has its own payload, and the log has both moments of each, the roles apart."""
    captured, log = asyncio.run(captured_by(choice, scenario="parallel-10"))
    assert len(captured) == 2 * 10 * (len(DIALECTS) + 1)
    moments: dict[tuple[str, int], dict[str, int | None]] = {}
    for done in log.completed:
        moments.setdefault((done.endpoint, done.ordinal), {})[done.role] = done.timing.sent_mono_ns
    assert len(moments) == 10 * (len(DIALECTS) + 1)
    for pair in moments.values():
        assert set(pair) == {"measuring", "control"}
        assert None not in pair.values()
