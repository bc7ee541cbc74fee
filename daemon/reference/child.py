"""A server as a child process: started, waited for until it listens, stopped.

A process of its own keeps the source's work off the loop that measures it. The child is a subcommand of
``messwerk reference``: it says where it listens in one JSON line on its standard output, and ends when its
standard input closes, so it cannot outlive a parent that was killed. What each server is lies elsewhere.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from schemas.errors import MesswerkError

_STOP_S = 5.0
_KEPT_LINES = 20


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The line that a server prints once it listens."""

    base_url: str
    pid: int


class ServerChild:
    """Owns one child.

    arguments: of ``messwerk reference``, the subcommand first.
    name: what errors call it, such as "the reference server".
    ready_s: how long it may take until it listens.
    error: class of what :meth:`start` raises.
    heard: called with each line that the child writes on its standard error.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        name: str,
        ready_s: float,
        error: type[MesswerkError],
        heard: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._arguments = tuple(arguments)
        self._name = name
        self._ready_s = ready_s
        self._error = error
        self._heard = heard
        self._process: asyncio.subprocess.Process | None = None
        self._said: deque[str] = deque(maxlen=_KEPT_LINES)
        self._listening: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return None if self._process is None else self._process.pid

    async def start(self) -> str:
        """Start the child and return its base URL. Raises its error class with what the child said."""
        if self._process is not None:
            raise self._error(f"{self._name} has been started already; make another one")
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
        self._listening = asyncio.create_task(self._listen(), name=f"standard error of {self._name}")
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(self._ready_s):
                line = await self._process.stdout.readline()
            return msgspec.json.decode(line, type=Ready).base_url
        except TimeoutError as problem:
            await self.stop()
            raise self._error(
                f"{self._name} did not listen within {self._ready_s:g} s; {self._last_words()}"
            ) from problem
        except msgspec.MsgspecError as problem:
            await self.stop()
            raise self._error(f"{self._name} did not start; {self._last_words()}") from problem
        except asyncio.CancelledError:
            await self.stop()
            raise

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
            said = line.decode(errors="replace").rstrip()
            self._said.append(said)
            self._heard(said)

    def _last_words(self) -> str:
        return "it said: " + "\n".join(self._said) if self._said else "it said nothing on its standard error"
