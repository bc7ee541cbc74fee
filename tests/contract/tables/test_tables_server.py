"""The ClickHouse child: who gets in, what it does at its start and end, and that committed rows survive both."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import aiohttp
import msgspec
import pytest

from projections.embedded import open_embedded, open_running_or_embedded
from projections.errors import PortTakenError, StoreLockedError, StoreStartError
from projections.store import child, directory
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.directory import running_server
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse


async def asked(server: ChildServer, sql: str, **headers: str) -> tuple[int, str]:
    """Ask over plain HTTP, as any local process could."""
    url = f"http://127.0.0.1:{server.address.http_port}/"
    async with aiohttp.ClientSession() as session, session.post(url, data=sql, headers=headers) as response:
        return response.status, await response.text()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count() FROM messwerk.checkpoints",
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
        "CREATE TABLE messwerk.x (a UInt8) ENGINE = Memory",
        "CREATE TEMPORARY TABLE x (a UInt8)",
        "SELECT count() FROM numbers(10)",
        "SYSTEM STOP LISTEN HTTP",
        "SYSTEM SHUTDOWN",
        "KILL QUERY WHERE 1 SYNC",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    ],
)
async def test_without_a_password_nothing_can_be_done(
    tables_server: ChildServer, store: ClickHouseStore, sql: str
) -> None:
    """A client that gives no name reads no table and no file, changes nothing, and cannot stop the server."""
    status, text = await asked(tables_server, sql)
    assert status != 200
    assert "ACCESS_DENIED" in text or "QUOTA_EXCEEDED" in text
    assert (await store.select("SELECT 1")).rows == ((1,),)


@pytest.mark.parametrize("user", ["messwerk", "reader"])
async def test_names_need_their_passwords(tables_server: ChildServer, user: str) -> None:
    """Owner and reader are refused without their password."""
    status, text = await asked(tables_server, "SELECT 1", **{"X-ClickHouse-User": user, "X-ClickHouse-Key": "guess"})
    assert status in {401, 403, 516}
    assert "AUTHENTICATION_FAILED" in text


def test_secrets_are_readable_by_their_owner_alone(tables_server: ChildServer) -> None:
    """The directory and every file with a secret or an address in it shut others out, and users.xml holds hashes."""
    own = tables_server._directory
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    for name in ("secret.json", "server.json", "users.xml", "config.xml"):
        assert stat.S_IMODE((own / name).stat().st_mode) == 0o600, name
    assert tables_server.secret.owner not in (own / "users.xml").read_text()
    assert tables_server.secret.owner not in repr(tables_server.secret)


def test_the_child_knows_no_keys(tables_server: ChildServer) -> None:
    """Environment variables, in which keys of accounts may lie, are not passed on to the child."""
    names = {entry.split(b"=")[0] for entry in Path(f"/proc/{tables_server.pid}/environ").read_bytes().split(b"\0")}
    assert names <= {name.encode() for name in child._PASSED_ON} | {b""}


async def test_a_second_process_is_refused_and_told_who_serves(
    tables_server: ChildServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One directory serves one process; the second one is told which process that is."""
    monkeypatch.setattr(directory, "_LOCK_WAIT_S", 0.0)
    with pytest.raises(StoreLockedError, match=f"served by process {os.getpid()}"):
        await ChildServer.start(tables_server._directory)


@pytest.mark.usefixtures("store")
async def test_a_running_child_can_be_found_and_asked(tables_server: ChildServer) -> None:
    """Another process of ours finds address and passwords beside the tables and talks to the running child."""
    found = running_server(tables_server._directory)
    assert found == (tables_server.address, tables_server.secret)
    async with open_running_or_embedded(tables_server._directory, Definitions()) as tables:
        assert tables.server is None
        assert (await tables.store.select("SELECT count() FROM checkpoints")).rows == ((0,),)


async def test_a_taken_port_is_named(tmp_path: Path) -> None:
    """A port that something else listens on is named before anything is started."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} .* is taken"):
            await ChildServer.start(tmp_path, http_port=port)


async def test_a_child_that_dies_at_its_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of what a dying child said is part of the error, and its directory can be used again at once."""
    monkeypatch.setattr(child, "users_configuration", lambda _: "<clickhouse>")
    with pytest.raises(StoreStartError, match=r"died at its start(.|\n)*users\.xml"):
        await ChildServer.start(tmp_path)
    monkeypatch.undo()
    server = await ChildServer.start(tmp_path)
    await server.stop()


async def test_killed_child_comes_back_with_what_was_committed(tmp_path: Path) -> None:
    """After kill -9 the next statement starts the child again on the same ports, and every committed row is there."""
    async with open_embedded(tmp_path, Definitions()) as tables:
        server = tables.server
        assert server is not None
        await tables.store.execute("CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n")
        await tables.store.execute("INSERT INTO kept SELECT number FROM numbers(1000)")
        before = server.address
        os.kill(server.pid, signal.SIGKILL)
        assert (await tables.store.select("SELECT count(), sum(n) FROM kept")).rows == ((1000, 499500),)
        assert (server.address.http_port, server.address.native_port) == (before.http_port, before.native_port)
        assert server.pid != before.pid
    assert running_server(tmp_path) is None


async def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    """A parent that is killed takes its child along, and the directory is free for the next one."""
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from projections.store.child import ChildServer\n"
        "async def main():\n"
        "    server = await ChildServer.start(Path(sys.argv[1]))\n"
        "    print(server.pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen(  # noqa: ASYNC220  # starts at once
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    orphan = int(await asyncio.to_thread(parent.stdout.readline))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    server = await ChildServer.start(tmp_path)  # succeeds only when the orphan has let go of the lock
    assert server.pid != orphan
    await server.stop()


async def test_passwords_stay_the_same_over_starts(tmp_path: Path) -> None:
    """The reader's password outlives a restart, so that a Grafana that knows it goes on working."""
    first = await ChildServer.start(tmp_path)
    await first.stop()
    kept = msgspec.json.decode((tmp_path / "secret.json").read_bytes())
    second = await ChildServer.start(tmp_path)
    await second.stop()
    assert first.secret == second.secret
    assert kept["reader"] == second.secret.reader
