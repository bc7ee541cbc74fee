"""A tables' server that outlives its killed owner for a moment: nobody takes it for one that is looked after."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from daemons import wait_until

from projections.checkpoints import record_definitions
from projections.embedded import open_running_or_embedded
from projections.errors import StoreLostError
from projections.store.directory import running_server
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse

OWNER = """
import asyncio, sys
from pathlib import Path
from projections.store.child import ChildServer

async def main():
    await ChildServer.start(Path(sys.argv[1]))
    print("serving", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


VISITED = """
import asyncio, sys
from pathlib import Path
from projections.embedded import open_running_or_embedded
from schemas.definitions import Definitions

async def main():
    async with open_running_or_embedded(Path(sys.argv[1]), Definitions()):
        print("serving", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@contextmanager
def owner_of(tables: Path, script: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that serves tables, and leave none behind."""
    with subprocess.Popen([sys.executable, "-c", script, str(tables)], stdout=subprocess.PIPE) as owner:
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == b"serving\n"
            yield owner
        finally:
            owner.kill()


async def test_whoever_uses_a_server_serves_it_on_when_its_owner_dies(tmp_path: Path) -> None:
    """Two that use a child go on, reading and writing, when the process that served it is killed; one serves it."""
    with owner_of(tmp_path, VISITED) as owner:
        async with (
            open_running_or_embedded(tmp_path, Definitions()) as one,
            open_running_or_embedded(tmp_path, Definitions()) as other,
        ):
            owner.kill()
            owner.wait()
            for tables in (one, other, one):
                await record_definitions(tables.store, Definitions())
                assert (await tables.store.select("SELECT count() FROM definitions FINAL")).rows == ((1,),)
            found = running_server(tmp_path)
            assert found is not None
            assert found[0].owner_pid == os.getpid()
    assert running_server(tmp_path) is None


async def test_who_is_not_to_serve_says_what_to_start_and_goes_on(tmp_path: Path) -> None:
    """Where the owner is to come back the error says so, and its next server is found on the same ports."""
    with owner_of(tmp_path, OWNER) as owner:
        async with open_running_or_embedded(tmp_path, Definitions()) as tables:
            found = running_server(tmp_path)
            assert found is not None
            owner.kill()
            owner.wait()
            # The server ends because its owner did, and on a busy machine answers once more before.
            await asyncio.to_thread(wait_until, lambda: not Path(f"/proc/{found[0].pid}").exists(), "the server ends")
            with pytest.raises(StoreLostError, match=rf"process {owner.pid}.* is gone: start `messwerk up`"):
                await tables.store.select("SELECT 1")
            with owner_of(tmp_path, OWNER):
                assert (await tables.store.select("SELECT 1")).rows == ((1,),)


def test_a_server_whose_owner_was_killed_is_not_used(tmp_path: Path) -> None:
    """Between the kill of its owner and its own end a server is not found, so that the next process starts anew."""
    with subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"serving\n"
        found = running_server(tmp_path)
        assert found is not None
        server = found[0].pid
        os.kill(server, signal.SIGSTOP)
        owner.kill()
    try:
        os.kill(server, 0)
        assert running_server(tmp_path) is None
    finally:
        os.kill(server, signal.SIGCONT)
    wait_until(lambda: not Path(f"/proc/{server}").exists(), "the server ends, too")
