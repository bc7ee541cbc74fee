"""Whole daemons as child processes, for tests that kill, stop or starve them, and what they measure.

A child tells over a pipe what its log has acknowledged, so that a test can look for it afterwards.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from daemon.composition import Parts, make_daemon, make_engine
from daemon.configuration import load
from daemon.live import live_parts, read_secrets
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.process import ReferenceProcess
from daemon.reference.truth import TruthRecord, read_truth
from daemon.runs.engine import RunEngine, RunRequest
from daemon.tokens import count_tokens
from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import AttemptCompleted, Event, RequestSent, RunPlanned, decode_event
from schemas.log import LogWriter

SOURCE = "under-test"
READY = "measuring"
SUPPORT = Path(__file__).parent


class Acknowledged(msgspec.Struct, frozen=True):
    """Position and id of an event that the log has acknowledged."""

    seq: int
    id: UUID


class TellingLog(LogWriter):
    """Tells each acknowledged event, right after the log has acknowledged it."""

    def __init__(self, log: LogWriter, tell: Callable[[str], None]) -> None:
        self._log = log
        self._tell = tell

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return self._log.source

    @property
    def failed(self) -> LogError | None:
        """See :class:`LogWriter`."""
        return self._log.failed

    async def append(self, *events: Event) -> Sequence[Envelope]:
        """See :class:`LogWriter`."""
        envelopes = await self._log.append(*events)
        self._tell("".join(f"{envelope.seq} {envelope.id}\n" for envelope in envelopes))
        return envelopes

    async def checkpoint(self) -> Envelope | None:
        """See :class:`LogWriter`."""
        return await self._log.checkpoint()

    async def close(self) -> None:
        """See :class:`LogWriter`."""
        await self._log.close()


def acknowledged(told: str) -> list[Acknowledged]:
    """Read what a :class:`TellingLog` told; a line that a kill cut short says nothing."""
    whole = told[: told.rfind("\n") + 1].splitlines()
    pairs = [line.split() for line in whole if line != READY]
    return [Acknowledged(int(seq), UUID(identifier)) for seq, identifier in pairs]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan whose first slot is current at once and whose next comes with the next minute."""

    workload: str
    scenario: str = "single"
    every: str = "1m"
    endpoints: tuple[str, ...] = ()


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A reference profile as an endpoint; ``output_tokens`` keeps its answers short."""

    profile: str
    provider: str = "reference"
    output_tokens: int | None = 40


def write_configuration(
    directory: Path,
    base_url: str,
    measured: Sequence[Measured],
    plans: Sequence[Plan] = (),
    *,
    concurrency: int = 64,
    last_share: float | None = None,
    source: str = SOURCE,
    vantage: str = "a test",
    more: str = "",
) -> Path:
    """Write an operator's files that measure reference endpoints, each named as its profile.

    more: tables at the end of ``messwerk.toml``.
    """
    directory.mkdir(parents=True, exist_ok=True)
    share = "" if last_share is None else f'[definitions]\nversion = "changed"\nlast_share = {last_share}\n'
    texts = {
        "messwerk.toml": f'[daemon]\nsource = "{source}"\nvantage = "{vantage}"\n[limits]\n{share}{more}',
        "providers.toml": "".join(
            f'[[provider]]\nname = "{name}"\nconcurrency = {concurrency}\n'
            for name in sorted({each.provider for each in measured})
        ),
        "accounts.toml": "".join(
            f'[[account]]\nname = "{name}"\nprovider = "{name}"\nkind = "primary"\nkeyless = true\n'
            for name in sorted({each.provider for each in measured})
        ),
        "endpoints.toml": "".join(_endpoint(each, base_url) for each in measured),
        "schedule.toml": "".join(_plan(plan) for plan in plans),
    }
    for name, text in texts.items():
        (directory / name).write_text(text)
    return directory


def _endpoint(measured: Measured, base_url: str) -> str:
    text = (
        f'[[endpoint]]\nname = "{measured.profile}"\nprovider = "{measured.provider}"\ndialect = "openai-chat"\n'
        f'base_url = "{base_url}/{measured.profile}/v1"\nmodel = "{measured.profile}"\nsimulated = true\n'
        f"expected_seconds = 0.1\n"
    )
    if measured.output_tokens is None:
        return text
    return (
        f'{text}[[endpoint.override]]\nname = "max_tokens"\nvalue = {measured.output_tokens}\nsource = "this test"\n'
    )


def _plan(plan: Plan) -> str:
    return (
        f'[[plan]]\nworkload = "{plan.workload}"\nscenario = "{plan.scenario}"\nevery = "{plan.every}"\n'
        f"jitter_minutes = 0\nendpoints = {json.dumps(plan.endpoints)}\n"
    )


class ReferenceServerThread:
    """The reference endpoints in a process of their own, for tests that are not asynchronous."""

    def __init__(self, truth: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = ReferenceProcess(truth=truth, seed="failures")
        self._truth = truth
        self.base_url = self._loop.run_until_complete(self._process.start())

    def requests(self) -> list[TruthRecord]:
        """Read every request that has ended, as the server saw it."""
        return list(read_truth(self._truth))

    def stop(self) -> None:
        """End it."""
        self._loop.run_until_complete(self._process.stop())
        self._loop.close()


def events_of(log: Path) -> list[Event]:
    """Read every known event of a log in order."""
    found: list[Event] = []
    with closing(SqliteReader(log)) as reader:
        seq = 0
        while batch := reader.read_after(seq, limit=1000):
            found += [event for stored in batch if (event := decode_event(stored.envelope)) is not None]
            seq = batch[-1].envelope.seq
    return found


def assert_closed(events: Sequence[Event]) -> None:
    """Assert the log's law: whatever was planned or sent has exactly one end, and nothing else has one."""
    planned = [attempt.attempt for event in events if isinstance(event, RunPlanned) for attempt in event.attempts]
    sent = [event.attempt for event in events if isinstance(event, RequestSent)]
    ended = [event.attempt for event in events if isinstance(event, AttemptCompleted)]
    assert len(sent) == len(set(sent)), "an attempt was sent twice"
    assert len(ended) == len(set(ended)), "an attempt was closed twice"
    assert set(ended) == {*planned, *sent}


def sent_in(log: Path) -> int:
    """Count the requests that a log holds, also while it is being written or does not exist yet."""
    return noted_in(log, RequestSent)


def noted_in(log: Path, kind: type[Event]) -> int:
    """Count the events of a kind that a log holds, also while it is being written or does not exist yet."""
    if not log.exists():
        return 0
    try:
        with closing(SqliteReader(log)) as reader:
            return len(reader.of_type(kind.TYPE, limit=1000))
    except LogError:
        return 0  # being made at this moment


def wait_until(true: Callable[[], bool], what: str, *, within_s: float = 60.0) -> None:
    """Wait for something that a process does; the bound only keeps a broken test from hanging."""
    deadline_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline_s, f"waited {within_s:g} s in vain until {what}"
        time.sleep(0.02)


@contextmanager
def messwerk(*arguments: str, stderr: Path, script: str = "telling_messwerk.py") -> Iterator[subprocess.Popen[str]]:
    """Run ``messwerk`` with these arguments; its standard output carries what its log has acknowledged.

    script: of this folder; one that changes more than what is told.
    """
    with stderr.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, str(SUPPORT / script), *arguments],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SUPPORT)},
        )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@asynccontextmanager
async def telling_parts(
    configuration: Any,
    paths: Any,
    keys: Any,
    *_: Any,
    tell: Callable[[str], None],
) -> Any:
    """Open :func:`daemon.live.live_parts` with a log that tells, without calibration and looks."""
    async with live_parts(configuration, paths, keys) as parts:
        parts.log = TellingLog(parts.log, tell)
        yield parts


def measure_without_end(data: Path, configuration: Path, told: Connection) -> None:
    """Be a daemon whose runs overlap and never end, until killed. Runs in a process of its own."""

    def tell(text: str) -> None:
        told.send_bytes(text.encode())

    async def main() -> None:
        known = load(configuration)
        async with telling_parts(known, DataPaths(data), read_secrets(known, "json", "error"), tell=tell) as parts:
            await make_daemon(known, parts).start()
            tell(f"{READY}\n")
            await _without_end(make_engine(known, parts), parts)

    asyncio.run(main())


async def _without_end(engine: RunEngine, parts: Parts) -> None:
    async def again(request: RunRequest) -> None:
        while parts.log.failed is None:
            await engine.run(request)

    single = RunRequest(workload="text-1k", trigger="command")
    parallel = RunRequest(
        workload="text-1k", scenario="parallel-10", trigger="command", endpoints=("calibration-quick",)
    )
    await asyncio.gather(again(single), again(single), again(parallel))


# Loaded here once for all children that are forked from this module's importer: it takes half a second.
count_tokens("warm")
