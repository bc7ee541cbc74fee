"""The measuring process: carries out exchanges, notes what arrives and when, and does nothing else.

Started by :mod:`daemon.transport.measuring_child` as ``python -m daemon.transport.measuring_process FD``, where
FD is its end of a socket pair. Requests come in there, signals go out there, gathered so that few messages
carry many. It ends when the other end closes, so it cannot outlive its parent, and not before: signals that a
terminal or a service manager sends to the whole group are for the parent, which may have requests to finish.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import traceback
from contextlib import aclosing
from typing import Final

from daemon.transport.contract import Ended, PreparedRequest, Read, Signal
from daemon.transport.exchanging import trusting_tls
from daemon.transport.kernel_transport import KernelTransport
from daemon.transport.process_messages import (
    Abandon,
    Begin,
    Frames,
    Ready,
    Report,
    Settings,
    Strained,
    Told,
    decode_order,
    encode,
)
from schemas.clocks import Clock, SystemClock

# Times are noted at each read; what waits is only the telling. At 20 ms the same reads took a tenth more of the
# processor, and the processor is what a late read waits for.
_GATHER_S: Final = 0.05
_STRAIN_EVERY_S: Final = 1.0
# Objects made while exchanges are under way die young; the few cycles among them can wait for a quiet moment.
_GC_THRESHOLDS: Final = (100_000, 50, 100)
_NICENESS: Final = -10


class Measuring:
    """The process's one job, until its parent hangs up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._frames = Frames(self._heard, _orphaned)
        self._transport: KernelTransport | None = None
        self._exchanges: dict[int, asyncio.Task[None]] = {}
        self._gathered: dict[int, list[Signal]] = {}
        self._telling: asyncio.Handle | None = None
        self._strain_due: asyncio.TimerHandle | None = None

    async def run(self, parent: socket.socket) -> None:
        """Serve; :func:`_orphaned` ends the process."""
        await asyncio.get_running_loop().create_connection(lambda: self._frames, sock=parent)
        await asyncio.Event().wait()

    def _heard(self, frame: bytes) -> None:
        match decode_order(frame):
            case Settings() as settings:
                self._set_up(settings)
            case Begin(exchange, request):
                if not self._exchanges:
                    self._strain_due = asyncio.get_running_loop().call_later(_STRAIN_EVERY_S, self._tell_strain)
                task = asyncio.get_running_loop().create_task(self._carry_out(exchange, request))
                self._exchanges[exchange] = task
                task.add_done_callback(lambda _: self._done(exchange))
            case Abandon(exchange):
                abandoned = self._exchanges.get(exchange)
                if abandoned is not None:
                    abandoned.cancel()

    def _set_up(self, settings: Settings) -> None:
        problem = None
        try:
            self._transport = KernelTransport(
                self._clock,
                keep_alive=settings.keep_alive,
                tls=trusting_tls(settings.authority),
                gather_s=_GATHER_S,
            )
        except Exception as broken:  # noqa: BLE001  # whatever it is, the parent has to hear of it
            problem = f"{type(broken).__name__}: {broken}"
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        self._report(Ready(problem, ahead=_get_ahead()))

    async def _carry_out(self, exchange: int, request: PreparedRequest) -> None:
        assert self._transport is not None  # a parent begins nothing before this process has said that it is ready
        try:
            async with aclosing(self._transport.exchange(request)) as signals:
                async for seen in signals:
                    self._gather(exchange, seen)
                    if not self._frames.has_room:
                        await self._frames.room()
        except Exception as broken:  # noqa: BLE001  # a defect of ours must not look like the service's
            traceback.print_exc()
            message = f"the measuring process failed: {type(broken).__name__}"
            self._gather(exchange, Ended(self._clock.mono_ns(), "crash", message))

    def _gather(self, exchange: int, seen: Signal) -> None:
        """Keep a signal for the next message. Reads at hand go together; the rest may be waited for."""
        self._gathered.setdefault(exchange, []).append(seen)
        loop = asyncio.get_running_loop()
        if self._telling is None:
            self._telling = loop.call_later(_GATHER_S / 2, self._tell)
        if not isinstance(seen, Read):
            self._telling.cancel()
            self._telling = loop.call_soon(self._tell)

    def _tell(self) -> None:
        self._telling = None
        told = [Told(exchange, tuple(signals)) for exchange, signals in self._gathered.items()]
        self._gathered.clear()
        self._report(*told)

    def _done(self, exchange: int) -> None:
        del self._exchanges[exchange]
        if not self._exchanges:
            if self._strain_due is not None:
                self._strain_due.cancel()
            self._report_strain()
            gc.collect()

    def _tell_strain(self) -> None:
        self._strain_due = asyncio.get_running_loop().call_later(_STRAIN_EVERY_S, self._tell_strain)
        self._report_strain()

    def _report_strain(self) -> None:
        if self._transport is not None:
            self._report(Strained(self._transport.strain.take()))

    def _report(self, *reports: Report) -> None:
        self._frames.send(encode(reports))


def _get_ahead() -> bool:
    """Ask to run before ordinary processes, which may keep all processors busy; tell whether that was granted."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, _NICENESS)
    except PermissionError:
        return False
    return True


def _orphaned() -> None:
    """End at once: there is nothing to save, and a look-up in a thread could hold up an orderly end."""
    os._exit(0)


def main(descriptor: int) -> None:
    """Run the process until its parent is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    asyncio.run(Measuring(SystemClock()).run(socket.socket(fileno=descriptor)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
