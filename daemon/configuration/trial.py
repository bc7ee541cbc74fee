"""One tiny request per enabled endpoint and account, on the path that measures, to see whether it works.

Nothing of it is kept: it is no measurement, and a configuration is tried before there is a log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.configuration.facts import catalogue
from daemon.configuration.secrets import Secrets
from daemon.configuration.ways import AccountWays
from daemon.log.blobs import BlobStore
from daemon.runs.planning import Order
from daemon.telemetry import Telemetry
from daemon.transport.contract import Transport
from daemon.workloads.facts import prompt_of
from daemon.world import World
from schemas.configuration import Configuration
from schemas.envelope import Envelope
from schemas.events import AttemptCompleted, Event
from schemas.events.attempts import FailureClass
from schemas.log import LogWriter

QUESTION: Final = "Reply with the single word: ready"

_OUTPUT_TOKENS: Final = 16
_US_PER_MS: Final = 1000


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """How one endpoint answered one account. Times in milliseconds since the first byte sent.

    retries: further requests that were needed, for example because the service refuses to report usage.
    """

    endpoint: str
    account: str
    ok: bool
    failure: FailureClass | None
    message: str
    first_byte_ms: float | None
    end_ms: float | None
    returned_model: str | None
    retries: int


async def try_endpoints(
    configuration: Configuration,
    keys: Secrets,
    *,
    transport: Transport,
    world: World,
    tell: Callable[[Trial], None],
) -> list[Trial]:
    """Ask every enabled endpoint as every account of its provider; the trials come in the order of the files.

    ``tell`` hears of each trial as it ends. Providers are asked side by side, each with at most its
    ``concurrency`` requests at once.
    """
    facts = catalogue(configuration)
    places = {provider.name: asyncio.Semaphore(provider.concurrency) for provider in facts.providers}
    prompt = prompt_of(
        text=QUESTION,
        generator="trial",
        generator_version=1,
        seed="",
        input_tokens=0,
        min_output_tokens=0,
        max_output_tokens=_OUTPUT_TOKENS,
        task="trial",
    )
    run = RunIdentity(run=world.new_id(), suite="trial", workload="trial", scenario="single", slot=None)
    with TemporaryDirectory(prefix="messwerk-trial-") as folder:
        sender = AttemptSender(
            transport=transport,
            log=_NoLog(),
            keys=keys,
            limits=configuration.limits,
            keeper=BodyKeeper(
                BlobStore(Path(folder), world.clock),
                inline_bytes=configuration.retention.answer_inline_bytes,
                world=world,
            ),
            telemetry=Telemetry(),
            world=world,
            ways=AccountWays(configuration.accounts, keys),
        )

        async def ask(order: Order) -> Trial:
            async with places[order.endpoint.provider]:
                attempts = await sender.send(AttemptIdentity.first(run, order), order, world.clock.wall_ns())
            trial = _trial(attempts)
            tell(trial)
            return trial

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    ask(Order(attempt=world.new_id(), endpoint=endpoint, account=account, ordinal=0, prompt=prompt))
                )
                for endpoint in facts.endpoints
                for account in facts.accounts
                if account.provider == endpoint.provider
            ]
    return [task.result() for task in tasks]


def _trial(attempts: Sequence[AttemptCompleted]) -> Trial:
    last = attempts[-1]
    failure = last.failure
    return Trial(
        endpoint=last.endpoint,
        account=last.account,
        ok=last.status == "response",
        failure=failure.kind if failure else None,
        message=failure.message if failure else "",
        first_byte_ms=_ms(last.timing.first_byte_us),
        end_ms=_ms(last.timing.end_us),
        returned_model=last.returned_model,
        retries=len(attempts) - 1,
    )


def _ms(us: int | None) -> float | None:
    return None if us is None else us / _US_PER_MS


class _NoLog(LogWriter):
    """Takes events and keeps none; nothing ever reads the envelopes that it does not make."""

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return "trial"

    async def append(self, *_events: Event) -> Sequence[Envelope]:
        """Keep nothing."""
        return ()

    async def checkpoint(self) -> Envelope | None:
        """Say that there is nothing to checkpoint."""
        return None

    async def close(self) -> None:
        """Do nothing."""
