"""Which transports this machine has, so that tests can go through every one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from daemon.reference.server import ReferenceServer
from daemon.reference.service import ReferenceService
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Transport
from daemon.transport.kernel_times import kernel_times_available
from schemas.clocks import SystemClock
from schemas.configuration import TransportChoice

WALL_NS = 1_796_000_000_000_000_000

Scenario = Callable[[Transport, str], Awaitable[None]]


def over_sockets(choice: TransportChoice) -> Callable[[Scenario], None]:
    """Run a scenario through a transport over sockets, against the reference server on loopback."""

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            clock = SystemClock()
            server = ReferenceServer(ReferenceService(history_start_ns=clock.wall_ns(), seed="contract"), clock)
            transport = make_transport(choice, clock)
            base_url = await server.start()
            try:
                await scenario(transport, base_url)
            finally:
                await transport.close()
                await server.close()

        asyncio.run(main())

    return run


def simulated(scenario: Scenario) -> None:
    """Run a scenario against the same service without sockets, in virtual time."""

    async def main(loop: SimulatedLoop) -> None:
        service = ReferenceService(history_start_ns=WALL_NS, seed="contract")
        transport = SimulatedTransport(service, SimulatedClock(loop, WALL_NS))
        await scenario(transport, "http://reference.invalid")
        await transport.close()

    run_simulated(main)


def socket_transports() -> list[TransportChoice]:
    """Names of the transports over sockets that can be tried here; kernel times are Linux's alone."""
    return ["user-space", "kernel", "process"] if kernel_times_available() else ["user-space"]


EVERY_TRANSPORT = [*(pytest.param(over_sockets(choice), id=choice) for choice in socket_transports()), simulated]
