"""The reference server over real sockets: what it writes, when, and the truth that it keeps."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import aiohttp
import msgspec
import pytest

from daemon.reference.asked import read_body
from daemon.reference.behaviour import DAY_NS, Profile
from daemon.reference.favouring import Favour
from daemon.reference.process import ReferenceProcess
from daemon.reference.profiles import PROFILES_BY_NAME
from daemon.reference.script import Moment, Script, write_script
from daemon.reference.server import ReferenceServer, ReferenceServerError
from daemon.reference.service import ReferenceService
from daemon.reference.truth import TruthError, TruthFile, TruthRecord, read_truth
from schemas.clocks import SystemClock

BODY = json.dumps(
    {
        "model": "any",
        "messages": [{"role": "user", "content": "why? " * 50}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 24,
    }
).encode()


@asynccontextmanager
async def serving(
    seed: str = "seed", *, api_key: str | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[str, list[TruthRecord]]]:
    """Run a server in this process; give its base URL and the truth it has kept so far."""
    clock, kept = SystemClock(), list[TruthRecord]()
    service = ReferenceService(history_start_ns=clock.wall_ns() - 14 * DAY_NS, seed=seed, api_key=api_key)
    server = ReferenceServer(service, clock, truth=kept.append, tls=tls)
    try:
        yield await server.start(), kept
    finally:
        await server.close()


def raw_request(path: str, body: bytes = BODY) -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def completions(profile: str) -> str:
    return f"/{profile}/v1/chat/completions"


async def connect(base_url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    where = urlsplit(base_url)
    return await asyncio.open_connection(where.hostname, where.port)


async def answering_model(base_url: str, profile: str, *, sender: str = "127.0.0.1", headers: str = "") -> str:
    """Ask as a client at this address with these headers, and return the model that answers."""
    where = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, local_addr=(sender, 0))
    while True:
        writer.write(raw_request(completions(profile)).replace(b"\r\n\r\n", f"\r\n{headers}\r\n".encode(), 1))
        status, body = await read_response(reader)
        if status == 200:  # not refused by the simulated rate limit
            writer.close()
            return str(json.loads(body.removeprefix(b"data: ").partition(b"\n\n")[0])["model"])


async def read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of one chunked response."""
    head = await reader.readuntil(b"\r\n\r\n")
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return int(head.split(b" ")[1]), body


async def kept_one(kept: list[TruthRecord], number: int = 1) -> TruthRecord:
    while len(kept) < number:  # noqa: ASYNC110  # the server keeps truth in a plain list
        await asyncio.sleep(0.005)
    return kept[number - 1]


def played(profile: str, seed: str, number: int = 1) -> Script:
    """Return the script that a server with this seed plays for its n-th request, but for the day's hour."""
    moment = Moment(wall_ns=0, history_start_ns=-14 * DAY_NS)
    return write_script(PROFILES_BY_NAME[profile], read_body(BODY), moment, random.Random(f"{seed}:{number}"))


def seed_for(profile: str, ending: str) -> str:
    """Find a seed with which the first answer ends so."""
    return next(seed for seed in map(str, range(5_000)) if played(profile, seed).ending == ending)


@pytest.mark.parametrize(
    ("way", "known", "unknown"),
    [
        (
            Favour(keys=("k-1",)),
            {"headers": "Authorization: Bearer k-1\r\n"},
            {"headers": "Authorization: Bearer k\r\n"},
        ),
        (Favour(headers=(("x-who", "us"),)), {"headers": "X-Who: us\r\n"}, {"headers": "X-Who: them\r\n"}),
        (Favour(networks=("127.0.0.2/32",)), {"sender": "127.0.0.2"}, {"sender": "127.0.0.1"}),
    ],
    ids=["key", "header", "address"],
)
async def test_a_partial_endpoint_recognises_accounts_over_sockets(
    monkeypatch: pytest.MonkeyPatch, way: Favour, known: dict[str, str], unknown: dict[str, str]
) -> None:
    """By key, header or sender's address, each by itself, the known account gets the other model."""
    profile = msgspec.structs.replace(
        PROFILES_BY_NAME["calibration-quick"], favour=msgspec.structs.replace(way, model="better")
    )
    monkeypatch.setitem(cast("dict[str, Profile]", PROFILES_BY_NAME), "calibration-quick", profile)
    async with serving() as (base_url, _):
        assert await answering_model(base_url, "calibration-quick", **known) == "better"
        assert await answering_model(base_url, "calibration-quick", **unknown) == "calibration-quick-1"


async def test_every_write_is_in_the_truth_with_its_time_bytes_and_tokens() -> None:
    """The record holds the script's parts in order, none of them earlier than due, all after the request came."""
    script = played("calibration-quick", "seed")
    async with serving() as (base_url, kept):
        reader, writer = await connect(base_url)
        writer.write(raw_request(completions("calibration-quick")))
        status, body = await read_response(reader)
        writer.close()
        record = await kept_one(kept)
    assert status == record.status == 200
    assert body.endswith(b"data: [DONE]\n\n")
    assert sum(write.data_bytes for write in record.writes) == len(body)
    assert [(write.channel, write.tokens) for write in record.writes] == [
        (part.channel, part.tokens) for part in script.parts
    ]
    for write, part in zip(record.writes, script.parts, strict=True):
        assert write.mono_ns >= record.received_ns + part.offset_ns
    times = [record.received_ns, record.head_ns, *(write.mono_ns for write in record.writes)]
    assert times == sorted(times)  # type: ignore[type-var]
    assert record.response_id.encode() in body
    assert record.ending == "complete"


async def test_the_request_is_received_when_its_first_byte_comes() -> None:
    """A request that arrives in two halves is timed from the first half."""
    async with serving() as (base_url, kept):
        reader, writer = await connect(base_url)
        request = raw_request(completions("calibration-quick"))
        writer.write(request[:20])
        await asyncio.sleep(0.1)
        second_half_ns = SystemClock().mono_ns()
        writer.write(request[20:])
        await read_response(reader)
        writer.close()
        record = await kept_one(kept)
    assert record.received_ns < second_half_ns
    assert record.writes[0].mono_ns > second_half_ns


async def test_a_connection_serves_one_request_after_another() -> None:
    """Requests on one connection are answered in order, even when the second is sent before the first is answered."""
    async with serving() as (base_url, kept):
        reader, writer = await connect(base_url)
        writer.write(raw_request(completions("calibration-quick")) + raw_request("/nobody"))
        assert (await read_response(reader))[0] == 200
        assert (await read_response(reader))[0] == 404
        writer.write(raw_request(completions("calibration-quick"), b"{}"))
        assert (await read_response(reader))[0] == 400
        writer.close()
        assert [(await kept_one(kept, number)).status for number in (1, 2, 3)] == [200, 404, 400]
        assert {record.in_flight for record in kept} == {1}


async def test_requests_under_way_are_counted() -> None:
    """Three requests at once see one, two and three under way."""
    async with serving() as (base_url, kept), aiohttp.ClientSession() as session:

        async def one() -> None:
            async with session.post(base_url + completions("calibration-quick"), data=BODY) as response:
                await response.read()

        await asyncio.gather(one(), one(), one())
        await kept_one(kept, 3)
    assert sorted(record.in_flight for record in kept) == [1, 2, 3]


async def test_a_cut_stream_ends_without_http_s_last_chunk() -> None:
    """When the script is cut, the client sees the connection close in the middle of the body."""
    async with serving(seed_for("jittery", "cut")) as (base_url, kept):
        reader, writer = await connect(base_url)
        writer.write(raw_request(completions("jittery")))
        with pytest.raises((ValueError, asyncio.IncompleteReadError)):
            await read_response(reader)
        writer.close()
        assert (await kept_one(kept)).ending == "cut"


async def test_a_stalled_stream_stays_open_until_the_client_leaves() -> None:
    """After a stall nothing more comes, and the record is kept when the client closes."""
    seed = seed_for("jittery", "stall")
    async with serving(seed) as (base_url, kept):
        reader, writer = await connect(base_url)
        writer.write(raw_request(completions("jittery")))
        await reader.readuntil(b"\r\n\r\n")
        for part in played("jittery", seed).parts:
            await reader.readuntil(part.data[-40:] + b"\r\n")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await reader.read(1)
        assert kept == []
        writer.close()
        assert (await kept_one(kept)).ending == "client-closed"


async def test_a_client_that_leaves_early_leaves_a_record_of_what_was_written() -> None:
    """The record of an abandoned response holds the writes until then."""
    async with serving() as (base_url, kept):
        reader, writer = await connect(base_url)
        writer.write(raw_request(completions("calibration-fine")))
        await reader.readuntil(b'"content":""')
        writer.close()
        record = await kept_one(kept)
    assert record.ending == "client-closed"
    assert 1 <= len(record.writes) < len(played("calibration-fine", "seed").parts)


async def test_nonsense_is_answered_with_400_and_closed() -> None:
    """Bytes that are no HTTP request get an error and the end of the connection."""
    async with serving() as (base_url, _):
        reader, writer = await connect(base_url)
        writer.write(b"nonsense\r\n\r\n")
        assert (await read_response(reader))[0] == 400
        assert await reader.read() == b""
        writer.close()


async def test_a_key_is_asked_for_when_there_is_one() -> None:
    """With a key set, a missing or wrong bearer key is 401 and the right one is served."""
    async with serving(api_key="a-key") as (base_url, _), aiohttp.ClientSession() as session:
        statuses = []
        for headers in ({}, {"authorization": "Bearer other"}, {"authorization": "Bearer a-key"}):
            url = base_url + completions("calibration-quick")
            async with session.post(url, data=BODY, headers=headers) as response:
                statuses.append(response.status)
    assert statuses == [401, 401, 200]


async def test_tls_carries_the_same_bytes(tmp_path: Path) -> None:
    """Over TLS the answer is complete and its truth is kept as well."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(  # noqa: ASYNC221  # a moment's preparation
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with serving(tls=context) as (base_url, kept), aiohttp.ClientSession() as session:
        assert base_url.startswith("https://")
        async with session.post(base_url + completions("calibration-quick"), data=BODY, ssl=trusting) as response:
            body = await response.read()
        record = await kept_one(kept)
    assert sum(write.data_bytes for write in record.writes) == len(body)


async def test_the_child_process_serves_and_keeps_a_truth_file(tmp_path: Path) -> None:
    """A started child answers at its base URL, writes one truth line a request, and is gone after stop."""
    truth = tmp_path / "truth.jsonl"
    process = ReferenceProcess(truth=truth, seed="seed")
    base_url = await process.start()
    try:
        pid = process.pid
        assert pid is not None
        async with aiohttp.ClientSession() as session:
            for _ in range(2):
                async with session.post(base_url + completions("calibration-quick"), data=BODY) as response:
                    assert (await response.read()).endswith(b"data: [DONE]\n\n")
    finally:
        await process.stop()
    records = list(read_truth(truth))
    assert [record.response_id for record in records] == [
        played("calibration-quick", "seed", number).response_id for number in (1, 2)
    ]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_port_in_use_is_a_clear_error() -> None:
    """A child that cannot listen makes start fail with what the child said."""
    async with serving() as (base_url, _):
        process = ReferenceProcess(port=urlsplit(base_url).port or 0)
        with pytest.raises(ReferenceServerError, match=r"cannot listen on 127\.0\.0\.1 port \d+"):
            await process.start()


async def test_the_child_does_not_outlive_a_killed_parent() -> None:
    """When the parent is killed with SIGKILL, the child ends by itself."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import asyncio\n"
        "from daemon.reference.process import ReferenceProcess\n"
        "async def main():\n"
        "    process = ReferenceProcess()\n"
        "    await process.start()\n"
        "    print(process.pid, flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n",
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    os.kill(pid, 0)
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    async with asyncio.timeout(20):
        while _is_alive(pid):  # noqa: ASYNC110  # another process's end has no event to wait for
            await asyncio.sleep(0.02)


async def test_sigterm_ends_the_server_in_order() -> None:
    """``messwerk reference serve`` prints its address as one JSON line and ends with code 0 at SIGTERM."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.reference", "serve", stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    ready = json.loads(await server.stdout.readline())
    assert ready["base_url"].startswith("http://127.0.0.1:")
    assert ready["pid"] == server.pid
    server.send_signal(signal.SIGTERM)
    assert await server.wait() == 0


def test_a_damaged_truth_file_is_named_with_its_line(tmp_path: Path) -> None:
    """Reading a truth file with a broken line says which line; writing into no directory says where."""
    path = tmp_path / "truth.jsonl"
    path.write_bytes(b"{}\n")
    with pytest.raises(TruthError, match="line 1"):
        list(read_truth(path))
    with pytest.raises(TruthError, match="cannot write"):
        TruthFile(tmp_path / "nowhere" / "truth.jsonl")


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
