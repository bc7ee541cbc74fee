"""Sends one request and whatever further attempts the rules allow, and appends the events of each.

Every attempt stands on the wire and in the log on its own: a rate-limited one is completed as such, and the
next is measured from its own start. Nothing is ever retried in secret. Reading signals is
:mod:`daemon.attempts.reading`; which further attempt is due is :mod:`daemon.attempts.retrying`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import msgspec

from daemon.attempts.exchange import Exchange
from daemon.attempts.identity import AttemptIdentity, completed_from, unsent
from daemon.attempts.keeping import Keeper
from daemon.attempts.reading import AttemptReading
from daemon.attempts.retrying import (
    Further,
    UsageRefusals,
    asks_for_usage,
    further_attempt,
    may_be_about_usage,
)
from daemon.log.sqlite import told_again
from daemon.runs.planning import Appointment, Order, ask_for
from daemon.telemetry import Telemetry
from daemon.transport.contract import Limits, PreparedRequest, Rendezvous, Route, Transport
from daemon.uninterrupted import uninterrupted
from daemon.wire.contract import Ask, Dialect, WireRequest
from daemon.wire.parameters import key_headers
from daemon.wire.registry import dialect
from daemon.world import World
from schemas.catalogue import EndpointFacts
from schemas.configuration import LimitsTable
from schemas.errors import ConfigurationError, LogError
from schemas.events import AttemptCompleted
from schemas.log import LogWriter

_SET_OUT_S: Final = 1.0
"""Requests of one pair set out within this time, on a machine that is not overwhelmed."""


class Keys(Protocol):
    """Knows the credential of an account."""

    def key_for(self, account: str) -> str | None:
        """Key, or None for an account that has none."""


class Ways(Protocol):
    """Knows by which way an account's requests leave this machine."""

    def route_for(self, account: str) -> Route:
        """Route of its own, never another account's."""


class SameWay:
    """All accounts leave as the system has it, over connections of their own."""

    def route_for(self, account: str) -> Route:
        """See :class:`Ways`."""
        return Route(name=account)


class AttemptSender:
    """Sends through one transport, as one daemon, into one log."""

    def __init__(
        self,
        *,
        transport: Transport,
        log: LogWriter,
        keys: Keys,
        limits: LimitsTable,
        keeper: Keeper,
        telemetry: Telemetry,
        world: World,
        ways: Ways | None = None,
    ) -> None:
        self._ways = ways or SameWay()
        self._transport = transport
        self._log = log
        self._keys = keys
        self._limits = limits
        self._keeper = keeper
        self._telemetry = telemetry
        self._world = world
        self._refusals = UsageRefusals()
        self._winding_down = asyncio.Event()

    async def send(
        self, identity: AttemptIdentity, order: Order, intended_wall_ns: int, appointment: Appointment | None = None
    ) -> Sequence[AttemptCompleted]:
        """See :class:`daemon.runs.engine.Sender`. Raises :class:`LogError` when the log fails or has failed."""
        attempts: list[AttemptCompleted] = []
        while True:
            asked_usage = asks_for_usage(order.endpoint) and self._refusals.may_ask(order.endpoint.name)
            ask = ask_for(order, ask_usage=asked_usage)
            completed = await self._attempt(identity, order, ask, intended_wall_ns, appointment, self._keeper)
            attempts.append(completed)
            if asks_for_usage(order.endpoint):
                self._refusals.learn(order.endpoint.name, completed, asked_usage=asked_usage)
            further = further_attempt(attempts, self._limits, asked_usage=asked_usage, refusals=self._refusals)
            if further is None or not await self._paused(further):
                return attempts
            intended_wall_ns = self._world.clock.wall_ns()
            identity, appointment = identity.retry(self._world.new_id()), None

    async def send_once(
        self, identity: AttemptIdentity, order: Order, ask: Ask, keeper: Keeper, *, explaining: Collection[str] = ()
    ) -> tuple[AttemptCompleted, bool]:
        """Make one attempt, worded as ``ask``, at once; whether another one follows is the caller's business.

        Whether usage is asked for is decided here. Returns the attempt, and whether it may have been refused for
        asking for usage; the next one then goes without. keeper: keeps its texts. explaining: flags of an attempt
        that was refused for something else.
        Raises :class:`LogError` when the log fails or has failed.
        """
        name = order.endpoint.name
        asked_usage = asks_for_usage(order.endpoint) and self._refusals.may_ask(name)
        completed = await self._attempt(
            identity,
            order,
            msgspec.structs.replace(ask, ask_usage=asked_usage),
            self._world.clock.wall_ns(),
            None,
            keeper,
        )
        explained = any(flag in explaining for flag in completed.flags)
        suspected = not explained and may_be_about_usage(completed, asked_usage=asked_usage, refusals=self._refusals)
        if asks_for_usage(order.endpoint):
            self._refusals.learn(name, completed, asked_usage=asked_usage)
        if suspected:
            self._refusals.suspect(name)
        return completed, suspected

    def wind_down(self) -> None:
        """See :class:`daemon.runs.engine.Sender`."""
        self._winding_down.set()

    async def _paused(self, further: Further) -> bool:
        """Wait as long as the further attempt must; tell whether it may be made then."""
        with suppress(TimeoutError):
            async with asyncio.timeout(further.wait_s):
                await self._winding_down.wait()
        return not self._winding_down.is_set()

    async def _attempt(
        self,
        identity: AttemptIdentity,
        order: Order,
        ask: Ask,
        intended_wall_ns: int,
        appointment: Appointment | None,
        keeper: Keeper,
    ) -> AttemptCompleted:
        if self._log.failed is not None:
            raise told_again(self._log.failed)
        try:
            spoken = dialect(order.endpoint.dialect)
            wire = spoken.request(order.endpoint, ask)
        except ConfigurationError as problem:
            completed = unsent(
                identity,
                clock=self._transport.clock_kind,
                kind="refused-locally",
                message=str(problem),
                status="error",
            )
            await self._log.append(completed)
            return completed
        self._telemetry.attempt_started(order.endpoint)
        key, route = self._keys.key_for(order.account.name), self._ways.route_for(order.account.name)
        secrets = (*(() if key is None else (key,)), *(() if route.proxy is None else route.proxy.secrets))
        exchange = Exchange(
            identity,
            wire,
            AttemptReading(spoken, clock=self._transport.clock_kind, secrets=secrets),
            intended_wall_ns=intended_wall_ns,
            log=self._log,
            clock=self._world.clock,
        )
        try:
            await exchange.run(self._transport, self._prepare(spoken, wire, order, appointment))
        finally:
            # Also when cancelled, before or meanwhile: the attempt is over now, and its end belongs in the log.
            completed = await uninterrupted(self._complete(exchange, order.endpoint, keeper))
        return completed

    def _prepare(
        self, spoken: Dialect, wire: WireRequest, order: Order, appointment: Appointment | None
    ) -> PreparedRequest:
        limits, key = self._limits, self._keys.key_for(order.account.name)
        return PreparedRequest(
            method="POST",
            url=wire.url,
            headers=(
                *wire.headers,
                *(() if key is None else key_headers(spoken.authorise(key), key, order.endpoint)),
            ),
            body=wire.body,
            limits=Limits(
                connect_s=limits.connect_timeout_s,
                first_byte_s=limits.first_byte_timeout_s,
                silence_s=limits.silence_timeout_s,
                total_s=limits.total_timeout_s,
                response_bytes=limits.response_bytes,
            ),
            rendezvous=None
            if appointment is None
            else Rendezvous(
                id=appointment.meeting,
                parties=appointment.parties,
                place=appointment.place,
                # By then everybody has a connection or has failed to get one.
                wait_s=limits.connect_timeout_s + _SET_OUT_S,
            ),
            route=self._ways.route_for(order.account.name),
        )

    async def _complete(self, exchange: Exchange, endpoint: EndpointFacts, keeper: Keeper) -> AttemptCompleted:
        clock = self._world.clock
        wall_ns, mono_ns = clock.wall_ns(), clock.mono_ns()
        result = await self._world.offload(partial(exchange.reading.result, wall_ns=wall_ns, mono_ns=mono_ns))
        unkept: LogError | None = None
        try:
            result = await keeper.keep(result)
        except LogError as problem:
            unkept, result = problem, keeper.bare(result)
        completed = completed_from(exchange.identity, result)
        await exchange.appended()
        await self._log.append(completed)
        self._telemetry.attempt_completed(completed, endpoint)
        if unkept is not None:
            # Recorded, but with its hash alone: measuring on would lose every further answer.
            raise unkept
        return completed
