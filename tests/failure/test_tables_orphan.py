"""A tables' server that outlives its killed owner for a moment: nobody takes it for one that is looked after."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from daemons import wait_until

from projections.store.directory import running_server

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
