"""One measuring process as its parent sees it: started, fed, listened to, and seen to its end.

Which process carries which exchange, and starting another, is :mod:`daemon.transport.process_transport`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from daemon.transport.contract import EndCause, Ended, PreparedRequest, Signal
from daemon.transport.process_messages import (
    Abandon,
    Begin,
    Frames,
    Order,
    Ready,
    Settings,
    Strained,
    Told,
    decode_reports,
    encode,
)
from daemon.transport.strain import Strain
from schemas.clocks import Clock
from schemas.errors import MesswerkError

LATE_S: Final = 10.0
"""How long an exchange may be overdue, and its process silent, before it counts as lost."""

_READY_S: Final = 30.0
_END_S: Final = 5.0
_NS_PER_S: Final = 1_000_000_000
_KEPT_LINES: Final = 20
_NEEDED: Final = frozenset({"PATH", "HOME", "LANG", "TZ", "LD_LIBRARY_PATH", "LOCALDOMAIN", "RES_OPTIONS"})
_NEEDED_PREFIXES: Final = ("PYTHON", "LC_", "SSL_CERT_", "VIRTUAL_ENV")

_log = structlog.get_logger(__name__)


class MeasuringProcessError(MesswerkError):
    """The measuring process could not be started."""


class Inbox:
    """Signals of one exchange that nobody has taken yet."""

    def __init__(self) -> None:
        self.signals: deque[Signal] = deque()
        self._some = asyncio.Event()

    def put(self, *signals: Signal) -> None:
        """Add signals and wake whoever waits for them."""
        self.signals.extend(signals)
        self._some.set()

    async def changed(self, timeout_s: float) -> None:
        """Return when there is a signal, or after ``timeout_s`` without one."""
        if self.signals:
            return
        self._some.clear()
        timer = asyncio.get_running_loop().call_later(timeout_s, self._some.set)
        try:
            await self._some.wait()
        finally:
            timer.cancel()


class MeasuringChild:
    """One measuring process, from its start to its end."""

    def __init__(self, clock: Clock, strained: Callable[[Strain], None]) -> None:
        self._clock = clock
        self._strained = strained
        self._frames = Frames(self._heard, self._lost)
        self._inboxes: dict[int, Inbox] = {}
        self._ready: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._said: deque[str] = deque(maxlen=_KEPT_LINES)
        self._heard_ns = clock.mono_ns()
        self.alive = False
        self.ahead = False  # of ordinary processes, in the scheduler's eyes

    @property
    def pid(self) -> int | None:
        """Process id; None until it has been started."""
        return None if self._process is None else self._process.pid

    async def start(self, settings: Settings) -> None:
        """Start and wait until it is ready. Raises :class:`MeasuringProcessError`."""
        ours, theirs = socket.socketpair()
        try:
            # -P keeps the working directory off the path; a session of its own keeps the terminal's Ctrl-C away.
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "daemon.transport.measuring_process",
                str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env=_environment(),
            )
        except BaseException as problem:
            ours.close()
            if isinstance(problem, OSError):
                raise MeasuringProcessError(f"cannot start the measuring process: {problem.strerror}") from problem
            raise
        finally:
            theirs.close()
        self._listening = asyncio.create_task(self._listen(self._process), name="the measuring process's words")
        await asyncio.get_running_loop().create_connection(lambda: self._frames, sock=ours)
        self.alive = True
        self._send(settings)
        try:
            async with asyncio.timeout(_READY_S):
                problem_told = await self._ready
        except TimeoutError:
            problem_told = f"it was not ready within {_READY_S:g} s"
        except BaseException:
            await self.close()
            raise
        if problem_told is not None:
            await self.close()
            said = f"; it said: {' | '.join(self._said)}" if self._said else ""
            raise MeasuringProcessError(f"the measuring process did not start: {problem_told}{said}")

    def begin(self, number: int, request: PreparedRequest) -> Inbox:
        """Have an exchange carried out."""
        inbox = self._inboxes[number] = Inbox()
        if self.alive:
            self._send(Begin(number, request))
        else:
            self._end_all("crash", "the measuring process ended before the exchange began")
        return inbox

    def leave(self, number: int, *, abandon: bool) -> None:
        """Forget an exchange, and let the process do so too if it is still at it."""
        del self._inboxes[number]
        if abandon and self.alive:
            self._send(Abandon(number))

    def overdue(self) -> None:
        """Kill a process that has fallen silent; one that still speaks has only lost an exchange."""
        if self._process is not None and self._clock.mono_ns() - self._heard_ns > LATE_S * _NS_PER_S:
            _kill(self._process)

    async def close(self) -> None:
        """Hang up, which ends the process, and wait for its end."""
        self._end_all("connection-lost", "the transport was closed")
        self.alive = False
        self._frames.close()
        await self.reaped()

    async def reaped(self) -> int | None:
        """Wait for the end of a process that was hung up on or has died; return its exit code."""
        if self._process is None:
            return None
        try:
            async with asyncio.timeout(_END_S):
                await self._process.wait()
        except TimeoutError:
            _kill(self._process)
            await self._process.wait()
        if self._listening is not None:
            await self._listening
        return self._process.returncode

    def _send(self, order: Order) -> None:
        self._frames.send(encode(order))

    def _heard(self, frame: bytes) -> None:
        self._heard_ns = self._clock.mono_ns()
        for report in decode_reports(frame):
            match report:
                case Told(exchange, signals):
                    inbox = self._inboxes.get(exchange)
                    if inbox is not None:
                        inbox.put(*signals)
                case Strained(strain):
                    self._strained(strain)
                case Ready(problem, ahead):
                    self.ahead = ahead
                    if not self._ready.done():
                        self._ready.set_result(problem)

    def _lost(self) -> None:
        self.alive = False
        if not self._ready.done():
            self._ready.set_result("it ended at once")
        self._end_all("crash", "the measuring process ended in mid-exchange")

    def _end_all(self, cause: EndCause, message: str) -> None:
        ended = Ended(self._clock.mono_ns(), cause, message)
        for inbox in self._inboxes.values():
            inbox.put(ended)

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            said = line.decode(errors="replace").rstrip()
            self._said.append(said)
            _log.warning("the measuring process said", line=said)


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):  # it ended by itself, just now
        process.kill()


def _environment() -> dict[str, str]:
    """Return what a process needs to run, look up names and trust; keys of accounts stay here."""
    return {name: value for name, value in os.environ.items() if name in _NEEDED or name.startswith(_NEEDED_PREFIXES)}
