"""Runs in which accounts are asked together, as events in the order of a log, and the log they lie in."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from made_events import answered, endpoint, ns, text

from schemas.catalogue import AccountFacts
from schemas.clocks import ManualClock
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    ConnectionFacts,
    Event,
    PlannedAttempt,
    RequestSent,
    RunPlanned,
    Timing,
)
from schemas.log import LogWriter

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR_NS = 3_600 * 1_000_000_000
MAIN, PLAIN, FURTHER = "main", "plain", "third"

Shape = Callable[[int, str], dict[str, Any]]
"""How an account's request of a run turns out, by the run's number: arguments of ``made_events.answered``."""


def alike(run: int, account: str) -> dict[str, Any]:
    """Serve every account alike, with a little noise of each."""
    noise = random.Random(f"{run} {account}").uniform(0.97, 1.03)
    return {"ttft_s": 0.5 * noise, "speed": 100.0}


def favouring(run: int, account: str) -> dict[str, Any]:
    """Let everybody but the known account wait half as long again."""
    shape = alike(run, account)
    return shape if account == MAIN else {**shape, "ttft_s": 1.5 * shape["ttft_s"]}


def catalogue(endpoints: Sequence[str] = ("mini",), accounts: Sequence[str] = (MAIN, PLAIN)) -> CatalogueDeclared:
    """Declare endpoints of one provider with these accounts, of which ``main`` measures."""
    provider = endpoint().provider
    return CatalogueDeclared(
        sha256="",
        vantage="here",
        providers=(),
        endpoints=tuple(endpoint(name) for name in endpoints),
        accounts=tuple(
            AccountFacts(name=name, provider=provider, kind="primary" if name == MAIN else "anonymous")
            for name in accounts
        ),
        definitions=Definitions(),
    )


def run_events(  # what a test can want otherwise
    number: int,
    shape: Shape = alike,
    *,
    endpoints: Sequence[str] = ("mini",),
    accounts: Sequence[str] = (MAIN, PLAIN),
    workload: str = "text-1k",
    skew_ms: float = 1.0,
    roles: bool = True,
    every_h: float = 3,
) -> list[Event]:
    """Events of one run, three hours after the one before it."""
    at = START + timedelta(hours=every_h * number)
    run = UUID(int=number + 1, version=4)
    attempts = [
        PlannedAttempt(
            attempt=UUID(bytes=hashlib.sha256(f"{number} {name} {account}".encode()).digest()[:16], version=4),
            endpoint=name,
            account=account,
            role="control" if roles and account != MAIN else "measuring",
        )
        for name in endpoints
        for account in accounts
    ]
    planned = RunPlanned(
        run=run,
        suite="performance",
        workload=workload,
        scenario="single",
        trigger="schedule",
        slot=f"{workload}@{number}",
        nominal_ns=ns(at),
        planned_ns=ns(at),
        late=False,
        prompts=(),
        attempts=tuple(attempts),
    )
    sent, completed = [], []
    for attempt in attempts:
        later_ns = accounts.index(attempt.account) * round(skew_ms * 1e6)
        sent.append(_sent(attempt, planned, ns(at) + later_ns))
        completed.append(_completed(attempt, planned, at, later_ns, shape(number, attempt.account)))
    return [planned, *sent, *completed]


def _sent(attempt: PlannedAttempt, planned: RunPlanned, at_ns: int) -> RequestSent:
    return RequestSent(
        attempt=attempt.attempt,
        run=planned.run,
        request=attempt.attempt,
        endpoint=attempt.endpoint,
        account=attempt.account,
        sequence=0,
        retry_of=None,
        payload_sha256=hashlib.sha256(str(planned.run).encode()).hexdigest(),
        payload_bytes=100,
        parameters={"temperature": 0.0},
        intended_wall_ns=at_ns,
        sent_wall_ns=at_ns,
        sent_mono_ns=at_ns,
        connection=ConnectionFacts(),
    )


def _completed(
    attempt: PlannedAttempt, planned: RunPlanned, at: datetime, later_ns: int, how: dict[str, Any]
) -> AttemptCompleted:
    made = answered(
        at,
        **{
            "attempt": attempt.attempt,
            "run": planned.run,
            "request": attempt.attempt,
            "endpoint": attempt.endpoint,
            "account": attempt.account,
            "role": attempt.role,
            "workload": planned.workload,
            **how,
        },
    )
    timing: Timing = made.timing
    if timing.sent_mono_ns is None:
        return made
    return msgspec.structs.replace(
        made, timing=msgspec.structs.replace(timing, sent_mono_ns=timing.sent_mono_ns + later_ns)
    )


def history(runs: Iterable[int], shape: Shape = alike, **options: Any) -> list[Event]:
    """Return a catalogue and these runs, one after the other."""
    declared = catalogue(options.get("endpoints", ("mini",)), options.get("accounts", (MAIN, PLAIN)))
    return [declared, *(event for number in runs for event in run_events(number, shape, **options))]


def said(words: str, sha256: str = "4" * 64) -> dict[str, Any]:
    """Shape an answer's text."""
    return {"answer": msgspec.structs.replace(text(1000, words), sha256=sha256)}


async def written(log: LogWriter, clock: ManualClock, events: Iterable[Event]) -> None:
    """Append events at the wall times at which they happened."""
    for event in events:
        if isinstance(event, RunPlanned):
            clock.advance(max(0, event.planned_ns - clock.wall_ns()))
        await log.append(event)
