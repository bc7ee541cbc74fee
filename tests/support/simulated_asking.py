"""An installation whose endpoints are played in simulated time: true runs, attempts, parsers and log."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from measuring import NOON_NS, NoKeys

from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.log import BlobStore, InlineLog, SqliteReader
from daemon.paths import DataPaths
from daemon.reference.service import Player, ReferenceService
from daemon.runs.budget import DailyBudget
from daemon.runs.gates import Gates
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.telemetry import Telemetry
from daemon.transport.contract import PreparedRequest, Signal
from daemon.world import simulated_world
from schemas.catalogue import AccountFacts, EndpointFacts, Price, ProviderFacts
from schemas.configuration import LimitsTable
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import CatalogueDeclared, Event, decode_event
from schemas.log import LogWriter

PROVIDER = "reference"
PRICED_FROM = date(2026, 1, 1)

T = TypeVar("T")


def model_endpoint(name: str, **facts: Any) -> EndpointFacts:
    """Make an endpoint of a reference model, pinned to the provider that it tells."""
    return EndpointFacts(
        **{
            "name": name,
            "provider": PROVIDER,
            "dialect": "openai-chat",
            "base_url": f"http://reference.invalid/{name}/v1",
            "model": name,
            "reasoning": "none",
            "vision": True,
            "pinned_provider": "reference/fp8",
            "prices": (Price(valid_from=PRICED_FROM, input_usd=Decimal("0.50"), output_usd=Decimal("1.50")),),
            **facts,
        }
    )


class DyingLog(LogWriter):
    """A log whose process dies: after so many appends nothing is written any more."""

    def __init__(self, log: InlineLog, appends: int | None) -> None:
        self._log = log
        self._left = appends
        self._dead: LogError | None = None

    @property
    def source(self) -> str:
        return self._log.source

    @property
    def failed(self) -> LogError | None:
        return self._dead

    async def append(self, *events: Event) -> Sequence[Envelope]:
        if self._left == 0:
            self._dead = LogError("the process is dead")
            raise self._dead
        if self._left is not None:
            self._left -= 1
        return await self._log.append(*events)

    async def checkpoint(self) -> Envelope | None:
        return await self._log.checkpoint()

    async def close(self) -> None:
        await self._log.close()


class Process:
    """One life of the process: ``means`` are the arguments of :class:`daemon.runs.means.Means`."""

    def __init__(self, place: SimulatedPlace, loop: SimulatedLoop, appends: int | None) -> None:
        self.clock = SimulatedClock(loop, place.start_ns)
        self.log = DyingLog(InlineLog(place.paths.log, source="here", clock=self.clock, commit_every=100), appends)
        self.history = SqliteReader(place.paths.log)
        self.world = simulated_world(self.clock, str(place.start_ns))
        self.blobs = BlobStore(place.paths.blobs, self.clock)
        service = ReferenceService(history_start_ns=NOON_NS, seed="played", players=[place.player])
        kept = BodyKeeper(self.blobs, inline_bytes=16_384, world=self.world)
        self.means: dict[str, Any] = {
            "catalogue": place.catalogue(),
            "log": self.log,
            "kept": kept,
            "sender": AttemptSender(
                transport=_Listening(SimulatedTransport(service, self.clock), place.requests),  # type: ignore[arg-type]  # a transport
                log=self.log,
                keys=NoKeys(None),
                limits=LimitsTable(),
                keeper=kept,
                telemetry=Telemetry(),
                world=self.world,
            ),
            "gates": Gates({PROVIDER: 8}),
            "budget": DailyBudget(None),
            "world": self.world,
            "clock_kind": "simulated",
        }


class SimulatedPlace:
    """One installation below a directory. requests: everything that was ever sent from it."""

    def __init__(self, root: Path, player: Player, endpoints: Sequence[EndpointFacts]) -> None:
        self.paths = DataPaths(root)
        self.player = player
        self.endpoints = tuple(endpoints)
        self.start_ns = NOON_NS
        self.requests: list[PreparedRequest] = []

    def live(self, use: Callable[[Process], Awaitable[T]], *, appends: int | None = None) -> T:
        """Do something once, from opening the log to closing it. appends: how many the process lives to make."""

        async def main(loop: SimulatedLoop) -> T:
            process = Process(self, loop, appends)
            try:
                return await use(process)
            finally:
                process.history.close()
                await process.log.close()
                self.start_ns = process.clock.wall_ns() + 1_000_000_000

        return run_simulated(main)

    def events(self) -> list[Event]:
        """Return everything in the log."""
        history = SqliteReader(self.paths.log)
        try:
            stored = history.read_after(0, limit=10_000_000)
            return [event for each in stored if (event := decode_event(each.envelope)) is not None]
        finally:
            history.close()

    def log_bytes(self) -> bytes:
        """Return every file of the log as it lies on disk."""
        return b"".join(path.read_bytes() for path in sorted(self.paths.log.parent.rglob("*")) if path.is_file())

    def catalogue(self) -> CatalogueDeclared:
        """Declare the endpoints, all at one provider with one account."""
        return CatalogueDeclared(
            sha256="",
            vantage="here",
            providers=(ProviderFacts(name=PROVIDER, title="Reference", concurrency=8),),
            endpoints=self.endpoints,
            accounts=(AccountFacts(name="account", provider=PROVIDER, kind="primary"),),
            definitions=Definitions(),
        )


class _Listening:
    """A transport, and what went out through it."""

    def __init__(self, inner: SimulatedTransport, requests: list[PreparedRequest]) -> None:
        self._inner = inner
        self._requests = requests
        self.name = inner.name
        self.clock_kind = inner.clock_kind

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        self._requests.append(request)
        async with aclosing(self._inner.exchange(request)) as signals:
            async for signal in signals:
                yield signal

    async def close(self) -> None:
        await self._inner.close()
