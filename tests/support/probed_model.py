"""A real language model on this machine, asked as ``messwerk run`` asks: what the log holds, and what was sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from daemon.composition import make_daemon, make_engine
from daemon.configuration import secrets
from daemon.configuration.facts import with_sha256
from daemon.live import live_parts
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.local_model import local_model_endpoint
from daemon.runs.engine import RunRequest
from daemon.transport.contract import PreparedRequest, Read, Signal, Transport
from projections.metrics import measure
from schemas.catalogue import ParameterOverride
from schemas.configuration import Configuration, DaemonTable, MeasuringTable, RetentionTable, TransportChoice
from schemas.events import AttemptCompleted, Event, decode_event
from schemas.events.attempts import ClockKind
from schemas.timeline import Channel, unpack_timeline

ROUNDING_MS = 1.0
LIMIT_TOKENS = 200
"""An answer is cut there: what it would say further on takes minutes and teaches nothing."""

E = TypeVar("E", bound=Event)


class Recording:
    """The real transport, and a copy of every response's bytes."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.bodies: list[bytes] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def clock_kind(self) -> ClockKind:
        return self._inner.clock_kind

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        number = len(self.bodies)
        self.bodies.append(b"")
        async with aclosing(self._inner.exchange(request)) as signals:
            async for signal in signals:
                if isinstance(signal, Read):
                    self.bodies[number] += signal.data
                yield signal

    async def close(self) -> None:
        await self._inner.close()


class Span(msgspec.Struct, frozen=True):
    """A span of a response in milliseconds: as the server tells it, as it was measured, and what may lie between."""

    name: str
    server_ms: float
    measured_ms: float
    allowed_ms: float

    @property
    def difference_ms(self) -> float:
        """Measured less told."""
        return self.measured_ms - self.server_ms

    @property
    def agrees(self) -> bool:
        """Whether no more lies between them than the server's rounding and a busy machine's slack."""
        return abs(self.difference_ms) <= ROUNDING_MS + self.allowed_ms


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What the log holds after both probes, and what the server really sent."""

    base_url: str
    configuration: Configuration
    paths: DataPaths
    text: AttemptCompleted
    refusal: AttemptCompleted
    events: tuple[Event, ...]
    chunks: tuple[dict[str, Any], ...]

    @property
    def last_chunk(self) -> dict[str, Any]:
        """The one with usage and the server's own times."""
        return next(chunk for chunk in self.chunks if chunk.get("usage"))

    @property
    def timings(self) -> dict[str, Any]:
        """The server's own account, in milliseconds and tokens."""
        timings: dict[str, Any] = self.last_chunk["timings"]
        return timings

    @property
    def arrivals_ms(self) -> list[float]:
        """When each read came that brought a chunk of the answer, once for each chunk."""
        return [row.elapsed_us / 1e3 for row in unpack_timeline(self.text.timeline) if row.channel is Channel.ANSWER]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Both accounts of the same response, span by span."""
        figures = measure(self.text, "none", self.configuration.definitions)
        assert figures.ttft_us is not None
        assert figures.end_to_end_us is not None
        arrivals_ms, timings = self.arrivals_ms, self.timings
        writing_ms = timings["predicted_ms"]
        gaps = timings["predicted_n"] - 1  # the server counts from its first token on, too
        written_ms = arrivals_ms[-1] - arrivals_ms[0]
        whole_ms = timings["prompt_ms"] + writing_ms
        return (
            Span("prompt", timings["prompt_ms"], figures.ttft_us / 1e3, slack_ms(timings["prompt_ms"])),
            Span("predicted", writing_ms, written_ms, slack_ms(writing_ms)),
            Span("per token", timings["predicted_per_token_ms"], written_ms / gaps, slack_ms(writing_ms) / gaps),
            Span("whole", whole_ms, figures.end_to_end_us / 1e3, slack_ms(whole_ms)),
        )

    @property
    def streamed_text(self) -> str:
        """Every delta of the answer, joined."""
        return "".join(delta(chunk) for chunk in self.chunks)

    def of(self, kind: type[E], attempt: AttemptCompleted) -> list[E]:
        """Events of one kind that speak of an attempt."""
        return [event for event in self.events if isinstance(event, kind) and event.attempt == attempt.attempt]  # type: ignore[attr-defined]  # called for kinds that name one


def delta(chunk: dict[str, Any]) -> str:
    """Text of a chunk of the raw stream, if it has any."""
    return "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])


def slack_ms(server_ms: float) -> float:
    """Return what a busy machine may add to a span of the server's between its clock and ours."""
    return 1_000 + 0.02 * server_ms


def chunks_of(body: bytes) -> tuple[dict[str, Any], ...]:
    """Decode the JSON of every server-sent event, read here independently of the product's parser."""
    lines = body.decode().split("\n")
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return tuple(msgspec.json.decode(one) for one in data[:-1])


def configuration_for(base_url: str, transport: TransportChoice) -> Configuration:
    """Measure the model alone through a transport, and claim that it takes pictures."""
    provider, endpoint, account = local_model_endpoint(base_url, vision=True)
    cut = ParameterOverride(name="max_tokens", value=LIMIT_TOKENS, source="a cut answer is one, too")
    endpoint = msgspec.structs.replace(endpoint, override=(cut,))
    return with_sha256(
        Configuration(
            daemon=DaemonTable(source="local-model", vantage="this machine"),
            measuring=MeasuringTable(transport=transport),
            retention=RetentionTable(answer_inline_bytes=2**20),
            providers=(provider,),
            endpoints=(endpoint,),
            accounts=(account,),
        )
    )


def read_log(paths: DataPaths) -> tuple[Event, ...]:
    with closing(SqliteReader(paths.log)) as reader:
        stored = reader.read_after(0, limit=1000)
    return tuple(event for one in stored if (event := decode_event(one.envelope)) is not None)


async def probe(base_url: str, directory: Path, transport: TransportChoice) -> Probed:
    """Run a ``text-1k`` that is answered and a picture that is refused, with a copy of the bytes."""
    configuration, paths = configuration_for(base_url, transport), DataPaths(directory)
    async with live_parts(configuration, paths, secrets(configuration, {})) as parts:
        parts.transport = recording = Recording(parts.transport)
        daemon = make_daemon(configuration, parts)
        await daemon.start()
        engine = make_engine(configuration, parts)
        answered = await engine.run(RunRequest(workload="text-1k", trigger="command"))
        refused = await engine.run(RunRequest(workload="vision", trigger="command"))
        await daemon.stopped("finished")
    (text,), (refusal,) = answered.attempts, refused.attempts
    return Probed(
        base_url=base_url,
        configuration=configuration,
        paths=paths,
        text=text,
        refusal=refusal,
        events=read_log(paths),
        chunks=chunks_of(recording.bodies[0]),
    )
