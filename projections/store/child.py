"""The ClickHouse server of our own: starting, finding, restarting and stopping it. No queries here.

It is a child process made of the wheel ``chdb-core``; ``projections/store/child_main.py`` is what runs in it.
Its directory holds ``config.xml``, ``users.xml``, the generated ``secret.json`` (all 0600), ``server.json``
with the address while it runs, ``ports.json`` with the ports for the next time, ``server.log`` with what it
says, a lock, and ``data``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import msgspec

from projections.errors import PortTakenError, StoreStartError
from projections.store.directory import (
    HOST,
    ServerAddress,
    kept_secret,
    locked,
    own_directory,
    usual_ports,
    write_private,
)
from projections.store.settings import Secret, server_configuration, users_configuration

_TAIL_BYTES = 2000
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")


class ChildServer:
    """One running child. Make it with :meth:`start`; the process that started it holds it alive."""

    def __init__(self, directory: Path, secret: Secret, lock: int, definition: str, *, heirs: bool = False) -> None:
        self._directory = directory
        self._lock = lock
        self._definition = definition
        self._heirs = heirs
        self._process: subprocess.Popen[bytes] | None = None
        self._restarting = asyncio.Lock()
        self.secret = secret
        self.address = ServerAddress(host=HOST, http_port=0, native_port=0, pid=0, owner_pid=os.getpid())

    @classmethod
    async def start(
        cls,
        directory: Path,
        *,
        http_port: int = 0,
        native_port: int = 0,
        ready_within_s: float = 60.0,
        definition: str = "",
        heirs: bool = False,
    ) -> ChildServer:
        """Start a child over ``directory`` and wait until it answers. Port 0 means the last one, or any free one.

        heirs: whoever uses it may serve it once this process is gone.

        Raises :class:`StoreLockedError`, :class:`PortTakenError`, :class:`StoreStartError`.
        """
        directory = own_directory(directory)
        lock = await locked(directory)
        try:
            server = cls(directory, kept_secret(directory), lock, definition, heirs=heirs)
            await server._launch(http_port, native_port, ready_within_s)
        except BaseException:
            os.close(lock)
            raise
        return server

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self.address.pid

    def alive(self) -> bool:
        """Tell whether the child process still runs."""
        return self._process is not None and self._process.poll() is None

    async def ensure_running(self, *, ready_within_s: float = 60.0) -> bool:
        """Start the child again, on the same ports, if it has died; tell whether that was needed."""
        async with self._restarting:
            if self.alive():
                return False
            await self._end()
            await self._launch(self.address.http_port, self.address.native_port, ready_within_s)
            return True

    async def stop(self) -> None:
        """End the child and release its directory. What was committed is on the disk already."""
        await self._end()
        with contextlib.suppress(FileNotFoundError):
            (self._directory / "server.json").unlink()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    async def _end(self) -> None:
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.to_thread(self._process.wait, 10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    async def _launch(self, http_port: int, native_port: int, ready_within_s: float) -> None:
        usual = [port if port and _is_free(port) else 0 for port in usual_ports(self._directory)]
        ports = (http_port or usual[0] or _free_port(), native_port or usual[1] or _free_port())
        for port in ports:
            _refuse_taken(port)
        users = self._directory / "users.xml"
        write_private(users, users_configuration(self.secret))
        write_private(
            self._directory / "config.xml",
            server_configuration(str(users), http_port=ports[0], native_port=ports[1]),
        )
        log_path = self._directory / "server.log"
        with log_path.open("wb") as log:
            # No key of an account may be in the child's environment, so only what it needs is passed on.
            # A session of its own keeps the terminal's Ctrl-C away from it: stopping is the parent's business.
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603  # forks at once; our own script and interpreter
                [sys.executable, "-P", str(Path(__file__).with_name("child_main.py")), str(self._directory)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                pass_fds=(self._lock,),
                start_new_session=True,
            )
        try:
            await self._wait_until_ready(ports[0], log_path, ready_within_s)
        except BaseException:
            await self._end()
            raise
        self.address = ServerAddress(
            host=HOST,
            http_port=ports[0],
            native_port=ports[1],
            pid=self._process.pid,
            owner_pid=os.getpid(),
            definition=self._definition,
            heirs=self._heirs,
        )
        write_private(self._directory / "ports.json", msgspec.json.encode(ports).decode())
        write_private(self._directory / "server.json", msgspec.json.encode(self.address).decode())

    async def _wait_until_ready(self, port: int, log_path: Path, ready_within_s: float) -> None:
        deadline = time.monotonic() + ready_within_s
        timeout = aiohttp.ClientTimeout(total=5)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            while not await _answers(session, port):
                if not self.alive():
                    raise _died(log_path)
                if time.monotonic() > deadline:
                    raise StoreStartError(
                        f"the tables' server did not answer on {HOST}:{port} within {ready_within_s:.0f} s; "
                        f"see {log_path}: {_tail(log_path)}"
                    )
                await asyncio.sleep(0.05)


async def _answers(session: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with session.get(f"http://{HOST}:{port}/ping") as response:
            return response.status == 200 and (await response.read()).startswith(b"Ok")
    except (aiohttp.ClientError, TimeoutError):
        return False


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_free(port: int) -> bool:
    try:
        _refuse_taken(port)
    except PortTakenError:
        return False
    return True


def _refuse_taken(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as problem:
            raise PortTakenError(
                f"port {port} on {HOST} is taken: choose another port for the tables' server, or stop what uses it"
            ) from problem


def _died(log_path: Path) -> StoreStartError:
    tail = _tail(log_path)
    if "Address already in use" in tail:
        return PortTakenError(f"the tables' server found its port taken: {tail}")
    return StoreStartError(f"the tables' server died at its start; {log_path} ends with: {tail}")


def _tail(path: Path) -> str:
    return path.read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace").strip() or "(nothing)"
