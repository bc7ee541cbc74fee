"""A made-up fortnight as events: what the page's tests look at. No network, no daemon, no chance beyond a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from uuid import UUID

import msgspec
from msgspec import structs

from schemas.catalogue import AccountFacts, EndpointFacts, Price, ProviderFacts, ReasoningKind
from schemas.clocks import ManualClock
from schemas.definitions import Definitions
from schemas.envelope import Envelope, encode_envelope
from schemas.events import (
    AccountsCompared,
    AttemptCompleted,
    AttestationRecorded,
    CalibrationCompleted,
    CalibrationFigure,
    CatalogueDeclared,
    ClockState,
    ConnectionFacts,
    DaemonStarted,
    Event,
    Failure,
    FirstToken,
    IntegrityDecided,
    IntegritySuspected,
    LogCheckpointed,
    PlannedAttempt,
    PromptFacts,
    ReceivedText,
    RequestSent,
    RunPlanned,
    SlotSkipped,
    Timing,
    UsageReported,
    encode_event,
)
from schemas.events.attempts import StrainFacts
from schemas.events.integrity import AccountEvidence, ComparedRows
from schemas.events.runs import Scenario
from schemas.ids import UuidFactory
from schemas.log import LogReader, StoredEvent
from schemas.timeline import Channel, TimelineRow, pack_timeline

SOURCE = "lab"
HOSTILE_ANSWER = '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 2"> & the rest of the answer.'
HOSTILE_ENDPOINT = "<b onclick=alert(1)>bold</b>"
INPUT_TOKENS = {"text-1k": 1000, "text-10k": 10_000, "text-100k": 100_000}


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """How one endpoint behaves."""

    name: str
    provider: str
    ttft_s: float
    speed: float
    reasoning: ReasoningKind = "none"
    simulated: bool = True
    slows: float = 1.0
    fails_on_day: int | None = None
    rate_limited: float = 0.0
    accounts: tuple[str, ...] = ("primary",)
    price: tuple[str, str] = ("0.40", "1.60")


PROFILES = (
    Profile(name="amber-mini", provider="amber", ttft_s=0.32, speed=182, accounts=("primary", "anonymous")),
    Profile(name="amber-large", provider="amber", ttft_s=0.61, speed=74, price=("2.50", "10")),
    Profile(name="birch-think", provider="birch", ttft_s=0.55, speed=96, reasoning="shown", price=("1.10", "4.40")),
    Profile(name="birch-veiled", provider="birch", ttft_s=4.2, speed=121, reasoning="hidden", price=("1.25", "10")),
    Profile(name="cedar-slowing", provider="cedar", ttft_s=0.44, speed=140, slows=1.9),
    Profile(name="cedar-fragile", provider="cedar", ttft_s=0.38, speed=110, fails_on_day=9, rate_limited=0.06),
)


class ListedLog(LogReader):
    """A log whose events are at hand."""

    def __init__(self, events: Sequence[StoredEvent]) -> None:
        self._events = events

    @property
    def source(self) -> str:
        return SOURCE

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        return self._events[seq : seq + limit]

    def last_seq(self) -> int:
        return len(self._events)

    def close(self) -> None:
        pass


class Writer:
    """Stamps events as a daemon would, at the moments it is told."""

    def __init__(self, start_ns: int) -> None:
        self.clock = ManualClock(start_ns)
        self.new_id = UuidFactory(self.clock, random.Random(7).randbytes)
        self.seq = 0
        self.calibration: CalibrationCompleted | None = None

    def stamp(self, event: Event, wall_ns: int) -> StoredEvent:
        self.seq += 1
        self.clock.step_wall(wall_ns - self.clock.wall_ns())
        envelope = Envelope(
            id=self.new_id(),
            type=event.TYPE,
            v=event.VERSION,
            source=SOURCE,
            boot="boot",
            seq=self.seq,
            wall_ns=wall_ns,
            mono_ns=wall_ns,
            data=encode_event(event),
        )
        return StoredEvent(envelope, encode_envelope(envelope))


def fortnight(
    end: datetime, *, days: int = 14, profiles: Sequence[Profile] = PROFILES, hostile: bool = False
) -> Iterator[StoredEvent]:
    """Yield the events of ``days`` days that end at ``end``."""
    chance = random.Random(20261130)
    start = (end - timedelta(days=days)).replace(minute=0, second=0, microsecond=0)
    if hostile:
        profiles = (*profiles, Profile(name=HOSTILE_ENDPOINT, provider="amber", ttft_s=0.5, speed=90))
    writer = Writer(ns(start))
    yield from _opening(writer, ns(start), profiles)
    slot = start
    while slot < end - timedelta(minutes=20):
        if slot.hour % 3 == 0:
            for workload in ("text-1k", "text-10k"):
                missed = (slot - start).days == 4 and slot.hour in {3, 6} and workload == "text-10k"
                if missed:
                    skipped = SlotSkipped(
                        slot=f"{workload}@{slot:%Y-%m-%dT%H:%MZ}",
                        workload=workload,
                        scenario="single",
                        nominal_ns=ns(slot),
                        reason="missed",
                    )
                    yield writer.stamp(skipped, ns(slot))
                else:
                    yield from _run(writer, chance, profiles, slot, (slot - start).days / days, workload, "single")
            if slot.hour == 15:
                yield from _run(
                    writer, chance, profiles[:3], slot, (slot - start).days / days, "text-1k", "parallel-10"
                )
            if slot.hour == 12 and (slot - start).days % 7 == 3:
                yield from _run(writer, chance, profiles, slot, (slot - start).days / days, "text-100k", "single")
            if slot.hour == 9:
                writer.calibration = _calibration(
                    writer.new_id(), chance, late_ms=6.2 if (slot - start).days == 11 else 0.0
                )
                yield writer.stamp(writer.calibration, ns(slot))
                over_tls = _calibration(writer.calibration.calibration, chance, late_ms=0.9)
                yield writer.stamp(structs.replace(over_tls, tls=True, within_bounds=True), ns(slot))
                yield writer.stamp(LogCheckpointed(size=writer.seq, root=b"\x01" * 32), ns(slot) + 1)
            if slot.hour == 9 and (slot - start).days == 12:
                yield from _integrity(writer, ns(slot))
        slot += timedelta(hours=1)


def _integrity(writer: Writer, at_ns: int) -> Iterator[StoredEvent]:
    """Yield a look that found something, the case of it, and what a person decided."""
    pair = {"endpoint": "amber-mini", "account": "amber-primary", "compared_with": "amber-anonymous"}
    start_ns = at_ns - 72 * 3600 * 10**9
    found = AccountEvidence(
        metric="ttft",
        workload="text-10k",
        window_h=72,
        pairs=24,
        runs=24,
        ratio=1.41,
        low=1.33,
        high=1.52,
        p_value=1e-7,
        corrected_p_value=0.0004,
        verdict="material",
    )
    rows = ComparedRows(window_h=72, start_ns=start_ns, end_ns=at_ns, runs=24, pairs=24, sha256="ab" * 32)
    look, case = writer.new_id(), writer.new_id()
    yield writer.stamp(
        AccountsCompared(**pair, look=look, rows=(rows,), evidence=(found,), parameters="p", definition="d"), at_ns
    )
    yield writer.stamp(
        IntegritySuspected(
            **pair,
            case=case,
            workload="text-10k",
            window_start_ns=start_ns,
            window_end_ns=at_ns,
            evidence=(found,),
            definition="d",
            look=look,
            rows=(rows,),
            parameters="p",
        ),
        at_ns,
    )
    for measure in ("investigate", "withhold"):
        yield writer.stamp(
            IntegrityDecided(
                case=case,
                measure=measure,  # type: ignore[arg-type]
                person="R. Novak",
                reason="Held back <b>until</b> measured again.",
                decision=writer.new_id(),
            ),
            at_ns + 1,
        )
    yield writer.stamp(
        AttestationRecorded(
            endpoint="amber-mini", statement="The public standard offer.", by="Amber, ticket 7", quantization="fp8"
        ),
        at_ns + 2,
    )


def ns(moment: datetime) -> int:
    """Nanoseconds since 1970, exact to the microsecond."""
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000


def _opening(writer: Writer, start_ns: int, profiles: Sequence[Profile]) -> Iterator[StoredEvent]:
    yield writer.stamp(
        DaemonStarted(
            build="0.1.0",
            configuration_sha256="0" * 64,
            vantage="lab-vienna",
            versions={},
            platform="Linux",
            clock=ClockState(source="none"),
            simulated=False,
        ),
        start_ns,
    )
    yield writer.stamp(
        CatalogueDeclared(
            sha256="1" * 64,
            vantage="lab-vienna",
            providers=tuple(
                ProviderFacts(name=p, title=p.title(), concurrency=4) for p in sorted({x.provider for x in profiles})
            ),
            endpoints=tuple(_facts(profile) for profile in profiles),
            accounts=tuple(
                AccountFacts(
                    name=f"{provider}-{kind}", provider=provider, kind="primary" if kind == "primary" else "anonymous"
                )
                for provider, kind in sorted({(p.provider, account) for p in profiles for account in p.accounts})
            ),
            definitions=Definitions(),
        ),
        start_ns,
    )


def _facts(profile: Profile) -> EndpointFacts:
    return EndpointFacts(
        name=profile.name,
        provider=profile.provider,
        dialect="openai-chat",
        base_url="http://127.0.0.1:9/v1",
        model=f"{profile.name}-2026",
        reasoning=profile.reasoning,
        simulated=profile.simulated,
        quantization="fp8" if profile.provider == "amber" else None,
        context_tokens=131_072,
        region="eu-central",
        prices=(
            Price(
                valid_from=date(2026, 1, 1), input_usd=Decimal(profile.price[0]), output_usd=Decimal(profile.price[1])
            ),
        ),
    )


def _run(  # noqa: PLR0917  # a made-up world has many knobs
    writer: Writer,
    chance: random.Random,
    profiles: Sequence[Profile],
    slot: datetime,
    progress: float,
    workload: str,
    scenario: Scenario,
) -> Iterator[StoredEvent]:
    run = writer.new_id()
    planned_ns = ns(slot) + int(chance.uniform(5, 240) * 1e9)
    each = 10 if scenario == "parallel-10" else 1
    plans = [
        (
            profile,
            PlannedAttempt(
                attempt=writer.new_id(),
                endpoint=profile.name,
                account=f"{profile.provider}-{kind}",
                ordinal=i,
                role="measuring" if kind == "primary" else "control",
            ),
        )
        for profile in profiles
        for kind in profile.accounts
        for i in range(each)
    ]
    prompt = PromptFacts(
        generator=workload,
        generator_version=1,
        seed="seed",
        sha256=sha256(run.bytes).hexdigest(),
        input_tokens=INPUT_TOKENS[workload],
        min_output_tokens=1000,
        max_output_tokens=2400,
        task="explain",
    )
    yield writer.stamp(
        RunPlanned(
            run=run,
            suite="performance",
            workload=workload,
            scenario=scenario,
            trigger="schedule",
            slot=f"{workload}@{slot:%Y-%m-%dT%H:%MZ}",
            nominal_ns=ns(slot),
            planned_ns=planned_ns,
            late=chance.random() < 0.02,
            prompts=(prompt,),
            attempts=tuple(plan for _, plan in plans),
            calibration=None if writer.calibration is None else writer.calibration.calibration,
            calibration_within_bounds=None if writer.calibration is None else writer.calibration.within_bounds,
            calibration_basis="none" if writer.calibration is None else "recent",
        ),
        planned_ns,
    )
    at = planned_ns
    for profile, plan in plans:
        pause_ns = int(chance.uniform(0.01, 0.4) * 1e9)
        at += 2_000_000 if plan.role == "control" else pause_ns
        yield from _attempt(writer, chance, profile, plan, run, prompt, (slot, at, progress), (workload, scenario))


def _attempt(  # noqa: PLR0917  # the same
    writer: Writer,
    chance: random.Random,
    profile: Profile,
    plan: PlannedAttempt,
    run: UUID,
    prompt: PromptFacts,
    when: tuple[datetime, int, float],
    what: tuple[str, Scenario],
) -> Iterator[StoredEvent]:
    slot, at, progress = when
    workload, scenario = what
    size = INPUT_TOKENS[workload]
    crowd = 1.35 if scenario == "parallel-10" else 1.0
    daily = 1 + 0.18 * (1 if 12 <= slot.hour <= 18 else 0)
    slowing = 1 + (profile.slows - 1) * max(0.0, progress - 0.5) * 2
    anonymous = 1.04 if plan.account.endswith("anonymous") else 1.0
    ttft_s = (
        profile.ttft_s * (1 + size / 60_000) * crowd * daily * slowing * anonymous * chance.lognormvariate(0, 0.16)
    )
    speed = profile.speed / (daily * crowd * slowing * anonymous) * chance.lognormvariate(0, 0.09)
    connection = ConnectionFacts(
        reused=chance.random() < 0.3,
        peer="127.0.0.1",
        http_version="1.1",
        tls_version="TLSv1.3",
        dns_us=int(chance.uniform(400, 9000)),
        connect_us=int(chance.uniform(7000, 15000)),
        tls_us=int(chance.uniform(12000, 26000)),
    )
    common = {
        "attempt": plan.attempt,
        "run": run,
        "request": plan.attempt,
        "endpoint": plan.endpoint,
        "account": plan.account,
    }
    yield writer.stamp(
        RequestSent(
            **common,
            sequence=1,
            retry_of=None,
            payload_sha256=sha256(plan.attempt.bytes).hexdigest(),
            payload_bytes=size * 4,
            parameters={
                "temperature": 0.6 if profile.reasoning != "none" else 0,
                "top_p": 1,
                "stream": True,
                "max_tokens": 2400,
            },
            intended_wall_ns=at,
            sent_wall_ns=at,
            sent_mono_ns=at,
            connection=connection,
        ),
        at,
    )
    day_index = round(progress * 14)
    broken = profile.fails_on_day == day_index and chance.random() < 0.85
    limited = not broken and chance.random() < profile.rate_limited
    unlucky = not broken and not limited and chance.random() < 0.012
    rows: list[TimelineRow] = []
    reasoned = 0
    answered = 0
    elapsed = ttft_s
    if not (broken or limited):
        rows.append(TimelineRow(int(ttft_s * 4e5), 412, Channel.NONE, 0))
        for channel, wanted in (
            (Channel.REASONING, chance.randint(280, 700) if profile.reasoning == "shown" else 0),
            (Channel.ANSWER, chance.randint(1010, 1500)),
        ):
            done = 0
            while done < wanted:
                tokens = min(wanted - done, chance.choice((4, 6, 8, 12)))
                rows.append(TimelineRow(int(elapsed * 1e6), 240, channel, tokens))
                done += tokens
                elapsed += tokens / speed * chance.lognormvariate(0, 0.35)
                if unlucky and done > 300:
                    break
            reasoned, answered = (done, answered) if channel is Channel.REASONING else (reasoned, done)
        first_us = rows[1].elapsed_us
        channel_name = "reasoning" if rows[1].channel is Channel.REASONING else "answer"
        yield writer.stamp(
            FirstToken(attempt=plan.attempt, channel=channel_name, elapsed_us=first_us), at + first_us * 1000
        )
    end_us = (rows[-1].elapsed_us if rows else int(chance.uniform(0.05, 0.4) * 1e6)) + 9000
    failure = (
        Failure(kind="server-error", message="the server answered 503: maintenance", body='{"error":"maintenance"}')
        if broken
        else Failure(kind="rate-limited", message="the server answered 429", retry_after_s=2.0)
        if limited
        else Failure(kind="truncated", message="the stream ended without finish reason and without [DONE]")
        if unlucky
        else None
    )
    hidden = chance.randint(500, 1400) if profile.reasoning == "hidden" else 0
    answer = f"Answer to {workload}.\n\n" + HOSTILE_ANSWER
    yield writer.stamp(
        AttemptCompleted(
            **common,
            role=plan.role,
            suite="performance",
            workload=workload,
            scenario=scenario,
            slot=f"{workload}@{slot:%Y-%m-%dT%H:%MZ}",
            ordinal=plan.ordinal,
            sequence=1,
            retry_of=None,
            status="error" if failure else "response",
            failure=failure,
            http_status=503 if broken else 429 if limited else 200,
            headers=(("content-type", "text/event-stream"),),
            connection=connection,
            timing=Timing(
                clock="simulated" if profile.simulated else "user-space",
                sent_wall_ns=at,
                sent_mono_ns=at,
                request_written_us=180,
                first_byte_us=rows[0].elapsed_us if rows else end_us - 500,
                headers_us=rows[0].elapsed_us if rows else end_us - 400,
                complete_us=None if failure else end_us - 4000,
                end_us=end_us,
            ),
            timeline=pack_timeline(rows),
            usage=None
            if failure
            else UsageReported(
                input_tokens=round(size * 1.03),
                output_tokens=round((answered + reasoned) * 1.02) + hidden,
                cached_input_tokens=0,
                reasoning_tokens=reasoned + hidden,
            ),
            cost_reported_usd=None,
            returned_model=f"{profile.name}-2026",
            returned_provider=None,
            fingerprint="fp_1",
            response_id=None,
            finish_reason=None if failure else "stop",
            answer=_text(answer, answered, len(rows)) if answered else None,
            reasoning=_text("First I weigh the sources.", reasoned, len(rows)) if reasoned else None,
            tokenizer="o200k_base",
            prompt_sha256=prompt.sha256,
            prompt_task=prompt.task,
            prompt_tokens=size,
            min_output_tokens=1000,
            strain=StrainFacts(
                loop_lag_max_us=900 + at // 1_000_000 % 700,
                gc_pauses=1,
                gc_longest_us=250 + at // 1_000_000 % 90,
                user_space_reads=None,
            ),
            reasoning_announced=profile.reasoning == "hidden",
        ),
        at + end_us * 1000,
    )


def _text(text: str, tokens: int, chunks: int) -> ReceivedText:
    return ReceivedText(
        sha256=sha256(text.encode()).hexdigest(), characters=len(text), tokens=tokens, chunks=chunks, text=text
    )


def _calibration(calibration: UUID, chance: random.Random, *, late_ms: float) -> CalibrationCompleted:
    def figure(profile: str, metric: str, unit: str, truth: float, spread: float) -> CalibrationFigure:
        error = chance.uniform(-spread, spread) + (late_ms if metric == "ttft" else 0.0)
        return msgspec.convert(
            {
                "profile": profile,
                "metric": metric,
                "statistic": "p50",
                "unit": unit,
                "n": 40,
                "truth": truth,
                "measured": truth + error,
                "error": error,
                "within_bounds": abs(error) <= max(2.0, 0.02 * truth),
            },
            CalibrationFigure,
        )

    return CalibrationCompleted(
        calibration=calibration,
        transport="aiohttp",
        tls=False,
        streams=1,
        figures=(
            figure("steady", "ttft", "ms", 250.0, 0.4),
            figure("steady", "output-speed", "tokens/s", 100.0, 0.3),
            figure("steady", "end-to-end", "ms", 10_250.0, 2.0),
            figure("bursty", "gap", "ms", 30.0, 0.3),
        ),
        within_bounds=late_ms < 5,
        clock="user-space",
        gc_pauses=2,
        gc_longest_us=410,
        user_space_reads=0,
        loop_lag_p99_us=int(chance.uniform(300, 900)),
    )
