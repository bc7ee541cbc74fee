"""A whole measuring side in simulated time: scripted servers, a log in memory, the daemon's own parts between.

Nothing here waits or touches a disk. What a server does is a :class:`Play`; what the log took is a list.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from played_streams import DONE, EVENT_STREAM, STOP, c

from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.log import BlobStore
from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunEngine
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop
from daemon.telemetry import Telemetry
from daemon.transport.contract import (
    Connected,
    EndCause,
    Ended,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Signal,
    Written,
)
from daemon.transport.rendezvous import Meetings
from daemon.workloads.contract import Prompt, Workload
from daemon.world import World, simulated_world
from schemas.catalogue import AccountFacts, DialectName, EndpointFacts, ProviderFacts
from schemas.clocks import Clock
from schemas.configuration import LimitsTable
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.errors import LogError, LogFullError
from schemas.events import AttemptCompleted, CatalogueDeclared, ConnectionFacts, Event, RequestSent, RunPlanned
from schemas.events.attempts import ClockKind
from schemas.events.runs import PromptFacts
from schemas.log import LogWriter

NOON_NS = 1_796_040_000_000_000_000
PROVIDER = "provider"
ACCOUNT = "account"

T = TypeVar("T")


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """What a scripted server does. Seconds are waits, one after the other; ``end`` None: silent for ever."""

    connect_s: float = 0.01
    head_s: float = 0.1
    status: int = 200
    headers: tuple[tuple[str, str], ...] = EVENT_STREAM
    reads: tuple[tuple[float, bytes], ...] = ()
    end: EndCause | None = "complete"
    breaks: Exception | None = None


def answer(*texts: str, every_s: float = 0.1) -> Play:
    """Play a whole answer in so many chunks."""
    return Play(reads=(*((every_s, c(text)) for text in texts or ("Hello", " there.")), (0.0, STOP + DONE)))


def refusal(status: int, message: str, **headers: str) -> Play:
    """Play a status that is no success; underscores in header names stand for hyphens."""
    body = msgspec.json.encode({"error": {"message": message}})
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Play(status=status, headers=(("content-type", "application/json"), *named), reads=((0.0, body),))


def rate_limited(**headers: str) -> Play:
    """Play a rate limit."""
    return refusal(429, "slow down", **headers)


Choice = Callable[[PreparedRequest, int], Play]
"""Which play answers a request; the number counts requests to its URL from 0."""


def in_turn(*plays: Play) -> Choice:
    """Answer the n-th request to each URL with the n-th play, and all later ones with the last."""
    return lambda _, number: plays[min(number, len(plays) - 1)]


def by_endpoint(default: Play, **plays: Play | Choice) -> Choice:
    """Answer by the endpoint's name."""

    def choose(request: PreparedRequest, number: int) -> Play:
        found = plays.get(endpoint_of(request), default)
        return found if isinstance(found, Play) else found(request, number)

    return choose


def endpoint_of(request: PreparedRequest) -> str:
    """Name of the endpoint that a request goes to, when :func:`endpoint` made it."""
    return request.url.split("/")[3]


class ScriptedTransport:
    """Plays; remembers what was sent and how many exchanges are open."""

    name = "scripted"
    clock_kind: ClockKind = "simulated"

    def __init__(self, clock: Clock, choose: Choice) -> None:
        self._clock = clock
        self._choose = choose
        self._asked: Counter[str] = Counter()
        self._meetings = Meetings()
        self.sent: list[PreparedRequest] = []
        self.open = 0
        self.most_open = 0

    def bodies(self) -> list[dict[str, Any]]:
        """Decode the bodies of all requests that were sent, in order."""
        return [msgspec.json.decode(request.body) for request in self.sent]

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract."""
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            play = self._choose(request, self._asked[request.url])
            self._asked[request.url] += 1
            with self._meetings.join(request.rendezvous) as party:
                await asyncio.sleep(play.connect_s)
                yield Connected(ConnectionFacts(reused=False, connect_us=round(play.connect_s * 1e6)))
                yield await party.write(lambda: self._write(request))
            yield Written(self._clock.mono_ns())
            await asyncio.sleep(play.head_s)
            yield Responded(self._clock.mono_ns(), self._clock.mono_ns(), play.status, play.headers)
            for wait_s, data in play.reads:
                await asyncio.sleep(wait_s)
                yield Read(self._clock.mono_ns(), data)
            if play.breaks is not None:
                raise play.breaks
            if play.end is None:
                await asyncio.Event().wait()
            yield Ended(self._clock.mono_ns(), play.end or "complete")
        finally:
            self.open -= 1

    async def close(self) -> None:
        """See the contract."""

    def _write(self, request: PreparedRequest) -> Sent:
        self.sent.append(request)
        return Sent(self._clock.wall_ns(), self._clock.mono_ns())


class MemoryLog(LogWriter):
    """Takes events at once and acknowledges them ``delay_s`` later, as a log with a writer thread does.

    refuse: the first event for which it is true fails the log for good.
    """

    def __init__(self, *, delay_s: float = 0.0, refuse: Callable[[Event], bool] = lambda _: False) -> None:
        self.delay_s = delay_s
        self.events: list[Event] = []
        self.refused: list[Event] = []
        self._refuse = refuse
        self._failed: LogError | None = None

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return "memory"

    @property
    def failed(self) -> LogError | None:
        """See :class:`LogWriter`."""
        return self._failed

    async def append(self, *events: Event) -> Sequence[Envelope]:
        """See :class:`LogWriter`; nobody asks for the envelopes."""
        if self._failed is None and any(self._refuse(event) for event in events):
            self._failed = LogFullError("disk full; measuring stops")
        if self._failed is None:
            self.events += events
        else:
            self.refused += events
        failed = self._failed
        await asyncio.sleep(self.delay_s)
        if failed is not None:
            raise LogFullError(str(failed))
        return ()

    async def checkpoint(self) -> Envelope | None:
        """See :class:`LogWriter`."""
        return None

    async def close(self) -> None:
        """See :class:`LogWriter`."""

    @property
    def types(self) -> list[str]:
        """Types of the events in order."""
        return [event.TYPE for event in self.events]

    @property
    def planned(self) -> list[UUID]:
        """Every planned attempt."""
        runs = [event for event in self.events if isinstance(event, RunPlanned)]
        return [attempt.attempt for run in runs for attempt in run.attempts]

    @property
    def sent(self) -> list[RequestSent]:
        """Every request that was sent."""
        return [event for event in self.events if isinstance(event, RequestSent)]

    @property
    def completed(self) -> list[AttemptCompleted]:
        """Every attempt that is over."""
        return [event for event in self.events if isinstance(event, AttemptCompleted)]

    def assert_closed(self) -> None:
        """Assert the log's law: what was planned or sent, and each retry, has exactly one end, and nothing else.

        A retry that is over before its request was sent is told by its end alone, which names what it repeats.
        """
        ended = [completed.attempt for completed in self.completed]
        retries = {completed.attempt for completed in self.completed if completed.retry_of in ended}
        begun = {*self.planned, *(sent.attempt for sent in self.sent), *retries}
        assert len(ended) == len(set(ended)), "an attempt was closed twice"
        assert set(ended) == begun, f"{len(begun - set(ended))} attempts were left open"


class Lines:
    """A workload of short prompts."""

    suite, needs_vision, nominal_input_tokens, window_s = "performance", False, 10, 1
    max_output_tokens = 100

    def __init__(self, name: str = "lines", prompts: int = 1) -> None:
        self.name = name
        self._prompts = prompts

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """See :class:`Workload`."""
        return [
            Prompt(
                text=f"{number}: {seed}",
                facts=PromptFacts(
                    generator=self.name,
                    generator_version=1,
                    seed=seed,
                    sha256=f"{number:064x}",
                    input_tokens=10,
                    min_output_tokens=1,
                    max_output_tokens=self.max_output_tokens,
                    task="none",
                ),
            )
            for number in range(self._prompts)
        ]


class NoKeys:
    """Accounts without keys, or all with the same one."""

    def __init__(self, key: str | None = None) -> None:
        self._key = key

    def key_for(self, account: str) -> str | None:  # noqa: ARG002  # the contract's
        """See :class:`daemon.attempts.sending.Keys`."""
        return self._key


def endpoint(name: str = "e", *, dialect: DialectName = "openai-chat", provider: str = PROVIDER) -> EndpointFacts:
    """Make an endpoint whose requests :func:`endpoint_of` recognises."""
    return EndpointFacts(
        name=name, provider=provider, dialect=dialect, base_url=f"http://server.invalid/{name}/v1", model="m"
    )


class Measuring:
    """Sender and engine over scripted servers. Make it inside :func:`daemon.simulation.loop.run_simulated`.

    count_s: how long counting an answer's tokens takes, off the event loop.
    """

    def __init__(
        self,
        loop: SimulatedLoop,
        choose: Choice | Play | None = None,
        *,
        log: MemoryLog | None = None,
        endpoints: Sequence[EndpointFacts] = (),
        workload: Workload | None = None,
        concurrency: int = 100,
        limits: LimitsTable | None = None,
        budget: DailyBudget | None = None,
        key: str | None = None,
        count_s: float = 0.0,
        blobs: Path = Path("/nowhere"),
        inline_bytes: int = 10_000,
        seed: str = "seed",
        accounts: Sequence[AccountFacts] = (),
        pair: bool = True,
    ) -> None:
        chosen = choose or answer()
        self.clock = SimulatedClock(loop, NOON_NS)
        self.log = log or MemoryLog()
        self.transport = ScriptedTransport(self.clock, in_turn(chosen) if isinstance(chosen, Play) else chosen)
        self.world = _world(self.clock, seed, count_s)
        self.catalogue = CatalogueDeclared(
            sha256="",
            vantage="here",
            providers=(ProviderFacts(name=PROVIDER, title="Provider", concurrency=concurrency),),
            endpoints=tuple(endpoints) or (endpoint(),),
            accounts=tuple(accounts) or (AccountFacts(name=ACCOUNT, provider=PROVIDER, kind="primary"),),
            definitions=Definitions(),
        )
        self.sender = AttemptSender(
            transport=self.transport,
            log=self.log,
            keys=NoKeys(key),
            limits=limits or LimitsTable(),
            keeper=BodyKeeper(BlobStore(blobs, self.clock), inline_bytes=inline_bytes, world=self.world),
            telemetry=Telemetry(),
            world=self.world,
        )
        lines = workload or Lines()
        self.engine = RunEngine(
            catalogue=self.catalogue,
            workloads={lines.name: lines},
            log=self.log,
            sender=self.sender,
            budget=budget or DailyBudget(None),
            world=self.world,
            pair=pair,
        )


def _world(clock: Clock, seed: str, count_s: float) -> World:
    if not count_s:
        return simulated_world(clock, seed)

    async def slowly(function: Callable[..., T], /, *arguments: Any) -> T:
        await asyncio.sleep(count_s)
        return function(*arguments)

    slow = simulated_world(clock, seed)
    slow.offload = slowly
    return slow
