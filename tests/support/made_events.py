"""Makes small logs event by event: short, exact, and without any chance. Times are as given, never now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Raw, structs

from schemas.catalogue import AccountFacts, EndpointFacts, Price, ProviderFacts
from schemas.definitions import Definitions
from schemas.envelope import Envelope, encode_envelope
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    ClockState,
    ConnectionFacts,
    DaemonStarted,
    Event,
    Failure,
    PlannedAttempt,
    PromptFacts,
    ReceivedText,
    RequestSent,
    RunPlanned,
    Timing,
    UsageReported,
    encode_event,
)
from schemas.events.runs import CalibrationBasis
from schemas.log import LogReader, StoredEvent
from schemas.timeline import Channel, TimelineRow, pack_timeline

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

PRICE = Price(
    valid_from=datetime(2026, 1, 1, tzinfo=UTC).date(),
    input_usd=Decimal("0.5"),
    output_usd=Decimal(3),
    cached_input_usd=Decimal("0.05"),
)


def ns(moment: datetime) -> int:
    """Nanoseconds since 1970, exact."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


class MadeLog(LogReader):
    """A log in memory that is written by hand."""

    def __init__(self, source: str = "lab") -> None:
        self._source = source
        self.events: list[StoredEvent] = []
        self._ids = 0

    @property
    def source(self) -> str:
        return self._source

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        return [stored for stored in self.events if stored.envelope.seq > seq][:limit]

    def last_seq(self) -> int:
        return self.events[-1].envelope.seq if self.events else 0

    def close(self) -> None:
        pass

    def new_id(self) -> UUID:
        self._ids += 1
        return UUID(int=(hash_of(self._source) << 64) | self._ids)

    def add(self, event: Event, at: datetime = NOON) -> StoredEvent:
        """Append an event."""
        return self.add_raw(event.TYPE, event.VERSION, encode_event(event), at)

    def add_raw(self, kind: str, version: int, data: Raw, at: datetime = NOON) -> StoredEvent:
        """Append bytes under any name and version."""
        envelope = Envelope(
            id=self.new_id(),
            type=kind,
            v=version,
            source=self._source,
            boot="boot",
            seq=self.last_seq() + 1,
            wall_ns=ns(at),
            mono_ns=ns(at),
            data=data,
        )
        self.events.append(StoredEvent(envelope, encode_envelope(envelope)))
        return self.events[-1]

    def open(
        self, *endpoints: EndpointFacts, simulated: bool = False, at: datetime = NOON - timedelta(days=60)
    ) -> None:
        """Append the start of a daemon and what it measures."""
        self.add(
            DaemonStarted(
                build="0",
                configuration_sha256="0" * 64,
                vantage="vienna",
                versions={},
                platform="Linux",
                clock=ClockState(source="none"),
                simulated=simulated,
            ),
            at,
        )
        self.declare(*endpoints, at=at)

    def declare(self, *endpoints: EndpointFacts, at: datetime) -> None:
        """Append a catalogue."""
        self.add(
            CatalogueDeclared(
                sha256="1" * 64,
                vantage="vienna",
                providers=(ProviderFacts(name="amber", title="Amber", concurrency=4),),
                endpoints=endpoints or (endpoint(),),
                accounts=(
                    AccountFacts(name="main", provider="amber", kind="primary"),
                    AccountFacts(name="guest", provider="amber", kind="anonymous"),
                ),
                definitions=Definitions(),
            ),
            at,
        )

    def run(
        self,
        at: datetime,
        *completed: Mapping[str, Any],
        workload: str = "text-10k",
        late: bool = False,
        trigger: str = "schedule",
        calibrated: tuple[UUID | None, bool | None, CalibrationBasis | None] = (None, None, None),
    ) -> list[UUID]:
        """Append a run with its attempts: planned, sent, completed; each mapping says how one of them went.

        calibrated: the calibration that the plan names, its verdict and where it came from.
        """
        run = self.new_id()
        attempts = [self.new_id() for _ in completed]
        slot = f"{workload}@{at:%Y-%m-%dT%H:%MZ}"
        self.add(
            RunPlanned(
                run=run,
                suite="performance",
                workload=workload,
                scenario="single",
                trigger=trigger,  # type: ignore[arg-type]
                slot=slot,
                nominal_ns=ns(at),
                planned_ns=ns(at),
                late=late,
                prompts=(
                    PromptFacts(
                        generator="text",
                        generator_version=1,
                        seed="s",
                        sha256="2" * 64,
                        input_tokens=10_000,
                        min_output_tokens=100,
                        max_output_tokens=2000,
                        task="explain",
                    ),
                ),
                attempts=tuple(
                    PlannedAttempt(
                        attempt=attempt,
                        endpoint=how.get("endpoint", "mini"),
                        account=how.get("account", "main"),
                        role=how.get("role", "measuring"),
                    )
                    for attempt, how in zip(attempts, completed, strict=True)
                ),
                calibration=calibrated[0],
                calibration_within_bounds=calibrated[1],
                calibration_basis=calibrated[2],
            ),
            at,
        )
        for attempt, how in zip(attempts, completed, strict=True):
            done = structs.replace(
                answered(at, **{"workload": workload, "slot": slot, **how}), attempt=attempt, request=attempt, run=run
            )
            self.add(
                RequestSent(
                    attempt=attempt,
                    run=run,
                    request=attempt,
                    endpoint=done.endpoint,
                    account=done.account,
                    sequence=1,
                    retry_of=None,
                    payload_sha256="3" * 64,
                    payload_bytes=40_000,
                    parameters={"temperature": 0},
                    intended_wall_ns=ns(at),
                    sent_wall_ns=ns(at),
                    sent_mono_ns=ns(at),
                    connection=ConnectionFacts(),
                ),
                at,
            )
            self.add(done, at + timedelta(seconds=10))
        return attempts


def hash_of(text: str) -> int:
    """Make a number that is the same in every process."""
    return int.from_bytes(text.encode()[:8].ljust(8, b"\0"), "big")


def endpoint(name: str = "mini", **other: Any) -> EndpointFacts:
    """Facts of an endpoint of the provider amber."""
    facts: dict[str, Any] = {
        "name": name,
        "provider": "amber",
        "dialect": "openai-chat",
        "base_url": "http://127.0.0.1:9/v1",
        "model": f"{name}-1",
        "reasoning": "none",
        "quantization": "fp8",
        "region": "eu",
        "prices": (PRICE,),
        **other,
    }
    return EndpointFacts(**facts)


def rows(*chunks: tuple[float, Channel, int]) -> list[TimelineRow]:
    """Rows of a timeline: seconds, channel, tokens."""
    return [TimelineRow(round(at * 1e6), 100, channel, tokens) for at, channel, tokens in chunks]


def steady(ttft_s: float, speed: float, tokens: int = 1000, channel: Channel = Channel.ANSWER) -> list[TimelineRow]:
    """Ten tokens a chunk at an exact speed after the first."""
    return rows(*((ttft_s + n * 10 / speed, channel, 10) for n in range(tokens // 10)))


def text(tokens: int, words: str = "yes") -> ReceivedText:
    """Make a received text of so many tokens."""
    return ReceivedText(sha256="4" * 64, characters=len(words), tokens=tokens, chunks=1, text=words)


def answered(at: datetime, **how: Any) -> AttemptCompleted:
    """Make a completed attempt, shaped by ``ttft_s`` and ``speed``, failed by ``failure_kind``, or by its fields."""
    ttft_s, speed = how.pop("ttft_s", 0.5), how.pop("speed", 100.0)
    failure: str | None = how.pop("failure_kind", None)
    sent_ns = ns(at) + round(how.pop("skew_ms", 0) * 1e6)
    timeline = how.pop("timeline_rows", None)
    if timeline is None:
        timeline = [] if failure else steady(ttft_s, speed)
    end_us = timeline[-1].elapsed_us + 1000 if timeline else 20_000
    tokens = sum(row.tokens for row in timeline if row.channel is Channel.ANSWER)
    reasoned = sum(row.tokens for row in timeline if row.channel is Channel.REASONING)
    fields: dict[str, Any] = {
        "attempt": UUID(int=1),
        "run": UUID(int=2),
        "request": UUID(int=1),
        "endpoint": "mini",
        "account": "main",
        "suite": "performance",
        "workload": "text-10k",
        "scenario": "single",
        "slot": None,
        "ordinal": 0,
        "sequence": 0,
        "retry_of": None,
        "status": "error" if failure else "response",
        "failure": Failure(kind=failure, message="no") if failure else None,  # type: ignore[arg-type]
        "http_status": 429 if failure == "rate-limited" else 503 if failure else 200,
        "headers": (),
        "connection": ConnectionFacts(reused=False, dns_us=1000, connect_us=2000, tls_us=3000),
        "timing": Timing(
            clock="user-space",
            sent_wall_ns=sent_ns,
            sent_mono_ns=sent_ns,
            request_written_us=100,
            first_byte_us=10_000,
            complete_us=None if failure else end_us,
            end_us=end_us,
        ),
        "timeline": pack_timeline(timeline),
        "usage": None if failure else UsageReported(input_tokens=20212, cached_input_tokens=16298, output_tokens=931),
        "cost_reported_usd": None,
        "returned_model": None,
        "returned_provider": None,
        "fingerprint": None,
        "response_id": None,
        "finish_reason": None if failure else "stop",
        "answer": text(tokens) if tokens else None,
        "reasoning": text(reasoned, "hm") if reasoned else None,
        "tokenizer": "o200k_base",
        "prompt_sha256": "2" * 64,
        "prompt_tokens": 10_000,
        "min_output_tokens": 100,
    }
    return AttemptCompleted(**{**fields, **how})
