"""The reference server as a child process: started, waited for until it listens, stopped.

A process of its own keeps the source's work off the loop that measures it. The child ends when its standard
input closes, so it cannot outlive a parent that was killed.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from pathlib import Path

import msgspec

from daemon.reference.server import ReferenceServerError

_READY_S = 20.0
_STOP_S = 5.0
_KEPT_LINES = 20


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The line that ``messwerk reference serve`` prints once it listens."""

    base_url: str
    pid: int


class ReferenceProcess:
    """Owns one child. Arguments are those of ``messwerk reference serve``."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        truth: Path | None = None,
        history_start_ns: int | None = None,
        seed: str | None = None,
    ) -> None:
        self._arguments = ["serve", "--exit-with-parent", "--host", host, "--port", str(port)]
        if truth is not None:
            self._arguments += ["--truth", str(truth)]
        if history_start_ns is not None:
            self._arguments += ["--history-start-ns", str(history_start_ns)]
        if seed is not None:
            self._arguments += ["--seed", seed]
        self._process: asyncio.subprocess.Process | None = None
        self._said: deque[str] = deque(maxlen=_KEPT_LINES)
        self._listening: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return None if self._process is None else self._process.pid

    async def start(self) -> str:
        """Start the child and return its base URL. Raises :class:`ReferenceServerError` with what it said."""
        if self._process is not None:
            raise ReferenceServerError("this reference server has been started already; make another one")
        # -P keeps the working directory off the path; a session of its own keeps the terminal's Ctrl-C away,
        # so that the parent can finish what is in flight before it stops the child.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "daemon.cli.reference",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self._listening = asyncio.create_task(self._listen(), name="reference server's standard error")
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_READY_S):
                line = await self._process.stdout.readline()
            return msgspec.json.decode(line, type=Ready).base_url
        except TimeoutError as problem:
            await self.stop()
            raise ReferenceServerError(
                f"the reference server did not listen within {_READY_S:g} s; {self._last_words()}"
            ) from problem
        except msgspec.MsgspecError as problem:
            await self.stop()
            raise ReferenceServerError(f"the reference server did not start; {self._last_words()}") from problem

    async def stop(self) -> None:
        """End the child, by force when it does not go; harmless when it is not running."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._listening is not None:
            await self._listening

    async def _listen(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self._said.append(line.decode(errors="replace").rstrip())

    def _last_words(self) -> str:
        return "it said: " + "\n".join(self._said) if self._said else "it said nothing on its standard error"
