"""The parts of an attempt's page, each made from what was recorded. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from dashboards.page.attempt_events import AttemptEvents, LoggedEvent
from dashboards.page.attempt_shapes import Counted, EventShown, Fact, FailureShown, Mark, Phase, Reads, Text
from schemas.events import AttemptCompleted, ReceivedText
from schemas.timeline import Channel, TimelineRow


def failure_of(completed: AttemptCompleted) -> FailureShown | None:
    """Say why there is no complete answer; None where there is one."""
    failure = completed.failure
    return None if failure is None else FailureShown(kind=failure.kind, message=failure.message, body=failure.body)


def facts_of(found: AttemptEvents) -> list[Fact]:
    """List what was seen of the attempt."""
    done, sent = found.completed, found.sent
    connection = done.connection
    prompt = (
        next((p for p in found.planned.prompts if p.sha256 == done.prompt_sha256), None) if found.planned else None
    )
    retry = None if done.retry_of is None else str(done.retry_of)
    return [
        Fact(title="Sent", value=_ms(done.timing.sent_wall_ns), unit="time"),
        Fact(title="Intended", value=None if sent is None else _ms(sent.intended_wall_ns), unit="time"),
        Fact(title="Account", value=done.account),
        Fact(title="Slot", value=done.slot or "no slot: started by a command"),
        Fact(title="Request of the run", value=f"number {done.ordinal + 1} to this endpoint and account"),
        Fact(title="Try", value=f"number {done.sequence}", note=f"retry of {retry}" if retry else None),
        Fact(title="HTTP status", value=None if done.http_status is None else str(done.http_status)),
        Fact(title="Finish reason", value=done.finish_reason),
        Fact(title="Model returned", value=done.returned_model),
        Fact(title="Provider returned", value=done.returned_provider),
        Fact(title="Fingerprint", value=done.fingerprint),
        Fact(title="Connection", value=_connection(connection.reused)),
        Fact(
            title="Protocol",
            value=" / ".join(filter(None, (connection.http_version, connection.tls_version))) or None,
        ),
        Fact(title="Peer", value=connection.peer),
        Fact(title="Clock", value=done.timing.clock),
        Fact(title="Calibration", value=_calibration(found)),
        Fact(title="Cost reported", value=_decimal(done.cost_reported_usd), unit="usd"),
        Fact(title="Prompt", value=prompt.task if prompt else None),
        Fact(title="Prompt tokens", value=done.prompt_tokens, unit="tokens", note="o200k_base"),
        Fact(title="Prompt SHA-256", value=done.prompt_sha256),
        Fact(title="Payload SHA-256", value=None if sent is None else sent.payload_sha256),
        Fact(title="Observations", value=", ".join(done.flags) or "none"),
        Fact(title="Run", value=str(done.run)),
    ]


def phases_of(completed: AttemptCompleted, chunks: Sequence[TimelineRow]) -> list[Phase]:
    """Divide the attempt's time into its parts, in order; the connection's lie before the request."""
    connection, timing = completed.connection, completed.timing
    phases = [
        Phase(id=name, title=title, us=us)
        for name, title, us in (
            ("dns", "DNS", connection.dns_us),
            ("connect", "Connect", connection.connect_us),
            ("tls", "TLS", connection.tls_us),
        )
        if us is not None
    ]
    if timing.request_written_us is not None:
        phases.append(Phase(id="send", title="Request written", us=timing.request_written_us))
    begin = timing.request_written_us or 0
    if not chunks:
        if timing.end_us is not None:
            phases.append(Phase(id="wait", title="Waiting, until the end", us=max(0, timing.end_us - begin)))
        return phases
    first = chunks[0].elapsed_us
    answer = next((chunk.elapsed_us for chunk in chunks if chunk.channel is not Channel.REASONING), None)
    last = chunks[-1].elapsed_us
    phases.append(Phase(id="wait", title="Waiting for the first token", us=max(0, first - begin)))
    if chunks[0].channel is Channel.REASONING:
        phases.append(Phase(id="reasoning", title="Reasoning", us=(last if answer is None else answer) - first))
    if answer is not None:
        phases.append(Phase(id="answer", title="Answer", us=last - answer))
    if timing.end_us is not None:
        phases.append(Phase(id="tail", title="After the last token", us=max(0, timing.end_us - last)))
    return phases


def marks_of(completed: AttemptCompleted, chunks: Sequence[TimelineRow]) -> list[Mark]:
    """List the moments that are worth a line in the drawing."""
    first = chunks[0].elapsed_us if chunks else None
    answer = next((chunk.elapsed_us for chunk in chunks if chunk.channel is not Channel.REASONING), None)
    moments = (
        ("First byte", completed.timing.first_byte_us),
        ("First token", first),
        ("First answer token", None if answer == first else answer),
        ("Last token", chunks[-1].elapsed_us if chunks else None),
        ("End", completed.timing.end_us),
    )
    return [Mark(title=title, us=us) for title, us in moments if us is not None]


def reads_of(rows: Sequence[TimelineRow]) -> Reads:
    """Turn the timeline into columns."""
    return Reads(
        elapsed_us=[row.elapsed_us for row in rows],
        read_bytes=[row.read_bytes for row in rows],
        channel=[int(row.channel) for row in rows],
        tokens=[row.tokens for row in rows],
    )


def usage_of(completed: AttemptCompleted) -> list[Counted]:
    """Set counted beside reported tokens."""
    reported = completed.usage
    answer = completed.answer.tokens if completed.answer else None
    reasoning = completed.reasoning.tokens if completed.reasoning else None
    output = None if answer is None and reasoning is None else (answer or 0) + (reasoning or 0)
    return [
        Counted(title="Input", counted=completed.prompt_tokens, reported=reported.input_tokens if reported else None),
        Counted(title="of it cached", counted=None, reported=reported.cached_input_tokens if reported else None),
        Counted(title="Output", counted=output, reported=reported.output_tokens if reported else None),
        Counted(title="of it reasoning", counted=reasoning, reported=reported.reasoning_tokens if reported else None),
        Counted(title="of it answer", counted=answer, reported=_answer_reported(completed)),
    ]


def _answer_reported(completed: AttemptCompleted) -> int | None:
    usage = completed.usage
    if usage is None or usage.output_tokens is None or usage.reasoning_tokens is None:
        return None
    return usage.output_tokens - usage.reasoning_tokens


def text_of(channel: str, facts: ReceivedText, text: str | None) -> Text:
    """Give the text of one channel with its facts, or the reason why it is not here."""
    where = "It lies in the blob store beside the log." if facts.blob else "Only its hash is kept."
    return Text(
        channel=channel,
        text=text,
        where=where if text is None else "",
        sha256=facts.sha256,
        characters=facts.characters,
        tokens=facts.tokens,
        chunks=facts.chunks,
    )


def event_of(logged: LoggedEvent) -> EventShown:
    """Write an event as the page shows it."""
    return EventShown(
        type=logged.type,
        source=logged.source,
        seq=logged.seq,
        wall_ms=logged.wall_ns / 1_000_000,
        json=msgspec.json.format(logged.json, indent=2),
    )


def _connection(reused: bool | None) -> str | None:  # noqa: FBT001  # a fact of three values, not a switch
    return None if reused is None else ("reused" if reused else "new")


def _calibration(found: AttemptEvents) -> str | None:
    planned = found.planned
    return None if planned is None or planned.calibration is None else str(planned.calibration)


def _ms(ns: int | None) -> float | None:
    return None if ns is None else ns / 1_000_000


def _decimal(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
