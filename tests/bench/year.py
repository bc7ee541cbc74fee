"""Made-up events of hundreds of endpoints over months, made quickly: what folding at scale is tried on.

Every event is one that a daemon could have written: typed, encoded as usual, in a log that verifies. Values vary
from attempt to attempt and follow a seed. Sizes follow the demo's history: some 170 chunks and 5 kB of text an
attempt on average.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

import msgspec

from daemon.log.sqlite import LogFile
from schemas.catalogue import AccountFacts, EndpointFacts, Price, ProviderFacts, ReasoningKind
from schemas.clocks import ManualClock
from schemas.definitions import Definitions
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    ClockState,
    ConnectionFacts,
    DaemonStarted,
    Event,
    Failure,
    FirstToken,
    JudgmentRecorded,
    PlannedAttempt,
    PromptFacts,
    ReceivedText,
    RequestSent,
    RunPlanned,
    Timing,
    UsageReported,
)
from schemas.events.judgments import Judge, Subject
from schemas.timeline import Channel, Timeline

END: Final = datetime(2026, 12, 1, tzinfo=UTC)
EVENTS_PER_ATTEMPT: Final = 20 / 4.4
"""Twenty million events to 4.4 million attempts: sent, first token, completed, and the rest judgments."""

_WORKLOADS: Final = (("text-1k", 1_000, 170), ("text-10k", 10_000, 290), ("vision", 1_000, 60))
"""Name, tokens of the prompt, and chunks of the answer; each eight times a day, to every endpoint."""

_POOL: Final = 1 << 18
_WAVE: Final = 100
_PER_PROVIDER: Final = 10
_REASONING: Final[tuple[ReasoningKind, ...]] = (
    "none",
    "none",
    "none",
    "none",
    "none",
    "none",
    "shown",
    "shown",
    "shown",
    "hidden",
)
_FAILURES: Final[tuple[Literal["rate-limited", "server-error", "truncated"], ...]] = (
    "rate-limited",
    "server-error",
    "truncated",
)
_JUDGE: Final = Judge(kind="rule-set", name="rubric", version="3")


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much is made.

    attempts: in whole runs to every endpoint; the history ends at :data:`END` and begins when that many need it.
    chunks: factor on the length of answers, in chunks and in text.
    """

    attempts: int
    endpoints: int = 500
    chunks: float = 1.0
    seed: int = 7

    @property
    def runs(self) -> int:
        """Runs that this takes."""
        return max(1, round(self.attempts / self.endpoints))

    @property
    def start(self) -> datetime:
        """Moment of the first slot."""
        return END - timedelta(hours=3) * -(-self.runs // len(_WORKLOADS))


def write_log(path: Path, size: Size) -> int:
    """Write the history as a daemon's log; return its count of events."""
    clock = ManualClock(_ns(size.start), mono_ns=_ns(size.start))
    log = LogFile(path, source="lab", clock=clock)
    try:
        for run in _runs(size):
            drafts = []
            for wall_ns, event in run:
                clock.advance(max(0, wall_ns - clock.wall_ns()))
                drafts.append(log.draft(event))
            log.stage(drafts)
            log.commit()
        log.checkpoint()
        return log.last_seq
    finally:
        log.close()


Timed = tuple[int, Event]


def _runs(size: Size) -> Iterator[list[Timed]]:
    """Yield the opening and then one list a run."""
    maker = _Maker(size)
    yield maker.opening()
    for number in range(size.runs):
        slot, place = divmod(number, len(_WORKLOADS))
        yield maker.run(size.start + timedelta(hours=3 * slot, minutes=5 + 50 * place), *_WORKLOADS[place])


class _Maker:
    """Makes events; one chance, one pool of times and one of text serve all of them."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self._chance = random.Random(size.seed)
        self._names = [f"endpoint-{number:03d}" for number in range(size.endpoints)]
        self._slowness = [self._chance.lognormvariate(0, 0.5) for _ in self._names]
        gaps = [round(self._chance.expovariate(1 / 9_000)) + 200 for _ in range(_POOL)]
        self._gaps = array("I", gaps).tobytes()
        total = 0
        self._elapsed_us = [total := total + gap for gap in gaps]
        self._sizes = array("I", (self._chance.randrange(180, 900) for _ in range(_POOL))).tobytes()
        self._tokens = array("I", (self._chance.randrange(1, 12) for _ in range(_POOL))).tobytes()
        words = ["".join(self._chance.choices("aeinorstlmdu", k=self._chance.randrange(2, 9))) for _ in range(4000)]
        self._text = " ".join(self._chance.choices(words, k=_POOL))
        self._owed = 0.0

    def opening(self) -> list[Timed]:
        """Start of the daemon and catalogue."""
        price = Price(valid_from=END.date().replace(year=2020), input_usd=Decimal("0.5"), output_usd=Decimal(3))
        at = _ns(self._size.start)
        providers = range(-(-self._size.endpoints // _PER_PROVIDER))
        return [
            (
                at,
                DaemonStarted(
                    build="0",
                    configuration_sha256="0" * 64,
                    vantage="vienna",
                    versions={},
                    platform="Linux",
                    clock=ClockState(source="none"),
                    simulated=False,
                ),
            ),
            (
                at,
                CatalogueDeclared(
                    sha256="1" * 64,
                    vantage="vienna",
                    providers=tuple(
                        ProviderFacts(name=f"provider-{n}", title=f"Provider {n}", concurrency=10) for n in providers
                    ),
                    endpoints=tuple(
                        EndpointFacts(
                            name=name,
                            provider=f"provider-{place // _PER_PROVIDER}",
                            dialect="openai-chat",
                            base_url="http://127.0.0.1:9/v1",
                            model=f"model-{place % 37}",
                            reasoning=_REASONING[place % len(_REASONING)],
                            quantization="fp8",
                            region="eu",
                            prices=(price,),
                        )
                        for place, name in enumerate(self._names)
                    ),
                    accounts=tuple(
                        AccountFacts(name=f"account-{n}", provider=f"provider-{n}", kind="primary") for n in providers
                    ),
                    definitions=Definitions(),
                ),
            ),
        ]

    def run(self, at: datetime, workload: str, input_tokens: int, chunks: int) -> list[Timed]:
        """One prompt to every endpoint, in waves of requests under way at once."""
        chance = self._chance
        run = self._id()
        slot = f"{workload}@{at:%Y-%m-%dT%H:%MZ}"
        attempts = [self._id() for _ in self._names]
        now_ns = _ns(at)
        prompt = PromptFacts(
            generator="text",
            generator_version=1,
            seed=f"{chance.getrandbits(64):x}",
            sha256=f"{chance.getrandbits(256):064x}",
            input_tokens=input_tokens,
            min_output_tokens=100,
            max_output_tokens=2000,
            task=chance.choice(("explain", "compare", "translate", "svg")),
        )
        planned = RunPlanned(
            run=run,
            suite="performance",
            workload=workload,
            scenario="single",
            trigger="schedule",
            slot=slot,
            nominal_ns=now_ns,
            planned_ns=now_ns,
            late=False,
            prompts=(prompt,),
            attempts=tuple(
                PlannedAttempt(attempt=attempt, endpoint=name, account=f"account-{place // _PER_PROVIDER}")
                for place, (attempt, name) in enumerate(zip(attempts, self._names, strict=True))
            ),
        )
        made: list[Timed] = [(now_ns, planned)]
        for begin in range(0, len(attempts), _WAVE):
            sent: list[Timed] = []
            first: list[Timed] = []
            done: list[Timed] = []
            for place in range(begin, min(begin + _WAVE, len(attempts))):
                sent_ns = now_ns + chance.randrange(1_000_000, 900_000_000)
                completed = self._completed(place, attempts[place], planned, sent_ns, chunks)
                sent.append((sent_ns, _sent(completed, sent_ns)))
                if completed.answer is not None:
                    first.append(
                        (sent_ns + 10**9, FirstToken(attempt=completed.attempt, channel="answer", elapsed_us=1))
                    )
                done.append((sent_ns + (completed.timing.end_us or 0) * 1000, completed))
                done.extend((done[-1][0], judgment) for judgment in self._judgments(completed))
            made += sorted(sent, key=_moment) + sorted(first, key=_moment) + done
            now_ns += 20_000_000_000
        return made

    def _completed(
        self,
        place: int,
        attempt: UUID,
        run: RunPlanned,
        sent_ns: int,
        chunks: int,
    ) -> AttemptCompleted:
        chance = self._chance
        prompt = run.prompts[0]
        drawn = chance.random()
        failure = _FAILURES[place % 3] if drawn < 0.03 else None
        count = 0 if failure else max(2, round(chunks * self._size.chunks * (0.5 + chance.random())))
        begin = chance.randrange(1, _POOL - count)
        first_us = round(400_000 * self._slowness[place] * (0.6 + chance.random()))
        end_us = first_us + self._elapsed_us[begin + count - 1] - self._elapsed_us[begin] + 900
        thought = count // 4 if _REASONING[place % len(_REASONING)] == "shown" else 0
        tokens = sum(self._tokens[4 * begin : 4 * (begin + count) : 4])
        return AttemptCompleted(
            attempt=attempt,
            run=run.run,
            request=attempt,
            endpoint=self._names[place],
            account=f"account-{place // _PER_PROVIDER}",
            suite="performance",
            workload=run.workload,
            scenario="single",
            slot=run.slot,
            ordinal=0,
            sequence=1,
            retry_of=None,
            status="error" if failure else "response",
            failure=Failure(kind=failure, message="the service said no") if failure else None,
            http_status=429 if failure == "rate-limited" else 500 if failure else 200,
            headers=(("content-type", "text/event-stream"), ("x-request-id", f"{chance.getrandbits(64):x}")),
            connection=ConnectionFacts(
                reused=False,
                peer="192.0.2.7:443",
                http_version="1.1",
                tls_version="TLSv1.3",
                dns_us=chance.randrange(300, 9_000),
                connect_us=chance.randrange(2_000, 30_000),
                tls_us=chance.randrange(9_000, 60_000),
            ),
            timing=Timing(
                clock="kernel",
                sent_wall_ns=sent_ns,
                sent_mono_ns=sent_ns,
                request_written_us=chance.randrange(40, 400),
                first_byte_us=first_us - 300,
                headers_us=first_us - 290,
                complete_us=None if failure else end_us - 100,
                end_us=end_us,
            ),
            timeline=Timeline(
                delta_us=first_us.to_bytes(4, "little") + self._gaps[4 * begin + 4 : 4 * (begin + count)],
                read_bytes=self._sizes[4 * begin : 4 * (begin + count)],
                channel=bytes([Channel.REASONING]) * thought + bytes([Channel.ANSWER]) * (count - thought),
                tokens=self._tokens[4 * begin : 4 * (begin + count)],
            )
            if count
            else Timeline(),
            usage=UsageReported(
                input_tokens=prompt.input_tokens + 7,
                cached_input_tokens=0,
                output_tokens=tokens + 3,
                raw=f'{{"prompt_tokens":{prompt.input_tokens + 7},"completion_tokens":{tokens + 3}}}',
            )
            if count
            else None,
            cost_reported_usd=None,
            returned_model=f"model-{place % 37}",
            returned_provider=None,
            fingerprint=None,
            response_id=f"chatcmpl-{chance.getrandbits(96):x}",
            finish_reason="stop" if count else None,
            answer=self._received(count - thought, tokens - tokens // 4 if thought else tokens) if count else None,
            reasoning=self._received(thought, tokens // 4) if thought else None,
            tokenizer="o200k_base",
            prompt_sha256=prompt.sha256,
            prompt_tokens=prompt.input_tokens,
            min_output_tokens=100,
            prompt_task=prompt.task,
        )

    def _received(self, chunks: int, tokens: int) -> ReceivedText:
        length = 30 * chunks
        begin = self._chance.randrange(len(self._text) - length)
        return ReceivedText(
            sha256=f"{self._chance.getrandbits(256):064x}",
            characters=length,
            tokens=tokens,
            chunks=chunks,
            text=self._text[begin : begin + length],
        )

    def _judgments(self, completed: AttemptCompleted) -> Iterator[JudgmentRecorded]:
        self._owed += EVENTS_PER_ATTEMPT - 2 - (completed.answer is not None)
        while self._owed >= 1:
            self._owed -= 1
            yield JudgmentRecorded(
                judgment=self._id(),
                suite="performance",
                subject=Subject(
                    kind="answer",
                    id=f"item-{self._chance.randrange(400)}",
                    sha256=f"{self._chance.getrandbits(256):064x}",
                    attempt=completed.attempt,
                ),
                judge=_JUDGE,
                verdict=self._chance.random() < 0.8,
                category="form",
            )

    def _id(self) -> UUID:
        return UUID(int=self._chance.getrandbits(128) & ~(0xF << 76) & ~(3 << 62) | (7 << 76) | (2 << 62))


def _sent(completed: AttemptCompleted, sent_ns: int) -> RequestSent:
    return RequestSent(
        attempt=completed.attempt,
        run=completed.run,
        request=completed.request,
        endpoint=completed.endpoint,
        account=completed.account,
        sequence=1,
        retry_of=None,
        payload_sha256=completed.prompt_sha256 or "",
        payload_bytes=40_000,
        parameters={"temperature": 0, "top_p": 1, "max_tokens": 2000, "stream": True},
        intended_wall_ns=sent_ns - 300_000,
        sent_wall_ns=sent_ns,
        sent_mono_ns=sent_ns,
        connection=completed.connection,
    )


def _moment(timed: Timed) -> int:
    return timed[0]


def _ns(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
