"""An event in a few words, for people who watch the log go by. Pure; every figure keeps its unit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from schemas.envelope import Envelope
from schemas.errors import DecodeError
from schemas.events import (
    AccountsCompared,
    AttemptCompleted,
    AttestationRecorded,
    CalibrationCompleted,
    CatalogueDeclared,
    DaemonStarted,
    DaemonStopped,
    DocumentAsked,
    Event,
    ExchangeRateDeclared,
    FirstToken,
    IntegrityDecided,
    IntegritySuspected,
    JudgmentRecorded,
    LogCheckpointed,
    PrivateTotalsRecorded,
    RequestSent,
    ReviewAnswerValidated,
    ReviewAsked,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
    RubricAsked,
    RunPlanned,
    SlotSkipped,
    decode_event,
)

_BOUND = 200


def line(envelope: Envelope) -> str:
    """One line: position, UTC time, type, the fields that tell most."""
    at = utc(envelope.wall_ns)
    return f"{envelope.seq:>8}  {at}  {envelope.type:<22} {_told(envelope)}".rstrip()


def utc(wall_ns: int) -> str:
    """UTC time to the millisecond, cut rather than rounded so that it never names a moment to come."""
    seconds, rest_ns = divmod(wall_ns, 1_000_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest_ns // 1_000_000:03d}Z"


def summarise(event: Event) -> str:
    """Return the most telling fields of an event."""
    words = _SUMMARIES[type(event)](event)
    text = " ".join(word for word in words if word)
    # Messages come from outside: control characters would let them rewrite the terminal they are shown on.
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return shown if len(shown) <= _BOUND else shown[: _BOUND - 1] + "…"


def _told(envelope: Envelope) -> str:
    try:
        event = decode_event(envelope)
    except DecodeError as problem:
        return f"!! {problem}"
    return f"(unknown to this build, {len(envelope.data)} bytes)" if event is None else summarise(event)


def _attempt_completed(event: AttemptCompleted) -> list[str]:
    failure = event.failure
    tokens = [
        f"{name} {received.tokens} tokens"
        for name, received in (("reasoning", event.reasoning), ("answer", event.answer))
        if received is not None
    ]
    return [
        f"{event.status}{'' if failure is None else '/' + failure.kind}",
        "" if event.http_status is None else f"http {event.http_status}",
        f"{event.endpoint} {event.account} {event.workload}",
        _ms("first byte", event.timing.first_byte_us),
        _ms("end", event.timing.end_us),
        *tokens,
        "" if failure is None else f"({failure.message})",
        f"attempt {event.attempt}",
    ]


def _run_planned(event: RunPlanned) -> list[str]:
    return [
        event.slot or f"{event.workload} by {event.trigger}",
        "" if event.scenario == "single" else event.scenario,
        "late" if event.late else "",
        f"{len(event.attempts)} attempts",
        f"run {event.run}",
    ]


def _request_sent(event: RequestSent) -> list[str]:
    return [
        event.endpoint,
        event.account,
        f"{event.payload_bytes} bytes",
        "" if event.retry_of is None else f"retry {event.sequence} of {event.retry_of}",
        f"attempt {event.attempt}",
    ]


def _daemon_stopped(event: DaemonStopped) -> list[str]:
    return [
        event.reason,
        f"finished {event.finished_in_flight}, cancelled {event.cancelled_in_flight} in flight",
        event.detail or "",
    ]


def _judgment(event: JudgmentRecorded) -> list[str]:
    verdict = {True: "right", False: "wrong", None: "undecided"}[event.verdict]
    return [
        verdict,
        event.category or "",
        f"{event.suite} {event.subject.kind} {event.subject.id}",
        f"by {event.judge.name} {event.judge.version}",
        "" if event.supersedes is None else f"supersedes {event.supersedes}",
    ]


def _accounts_compared(event: AccountsCompared) -> list[str]:
    verdicts = [each.verdict for each in event.evidence if each.verdict != "unknown"]
    return [
        event.endpoint,
        f"{event.account} against {event.compared_with}",
        f"{verdicts.count('material')} of {len(verdicts)} verdicts material",
        f"look {event.look}",
    ]


_SUMMARIES: dict[type[Event], Callable[[Any], list[str]]] = {
    DaemonStarted: lambda e: [e.build, f"at {e.vantage}", "simulated" if e.simulated else "", e.platform],
    DaemonStopped: _daemon_stopped,
    CatalogueDeclared: lambda e: [
        f"{len(e.endpoints)} endpoints, {len(e.accounts)} accounts, definitions {e.definitions.id}, {e.sha256[:12]}"
    ],
    RunPlanned: _run_planned,
    SlotSkipped: lambda e: [e.slot, e.reason, e.detail or ""],
    RequestSent: _request_sent,
    FirstToken: lambda e: [e.channel, _ms("after", e.elapsed_us), f"attempt {e.attempt}"],
    AttemptCompleted: _attempt_completed,
    JudgmentRecorded: _judgment,
    CalibrationCompleted: lambda e: [
        "within bounds" if e.within_bounds else "OUT OF BOUNDS",
        f"{len(e.figures)} figures over {e.streams} streams by {e.transport}",
    ],
    AccountsCompared: _accounts_compared,
    IntegritySuspected: lambda e: [
        e.endpoint,
        e.workload,
        f"{e.account} against {e.compared_with}",
        f"case {e.case}",
    ],
    IntegrityDecided: lambda e: [e.measure, f"by {e.person}: {e.reason}", f"case {e.case}"],
    AttestationRecorded: lambda e: [e.endpoint, f"by {e.by}: {e.statement}"],
    ExchangeRateDeclared: lambda e: [f"1 {e.base} = {e.rate} {e.quote} on {e.on} ({e.source})"],
    DocumentAsked: lambda e: [
        e.endpoint,
        f"{e.document.work} {e.document.language} {e.document.id}",
        "" if e.kind == "first" else e.kind,
        f"prompt {e.prompt} {e.prompt_version}",
        f"attempt {e.attempt}",
    ],
    PrivateTotalsRecorded: lambda e: [
        e.endpoint,
        f"{e.task} {e.language}",
        f"{e.right} of {e.judged} fields right, {e.error_free} of {e.documents} documents free of errors",
        f"by {e.judge.name} {e.judge.version}",
    ],
    RubricAsked: lambda e: [
        e.endpoint,
        f"{e.catalogue} {e.catalogue_version} {e.task} {e.language}",
        f"{len(e.criteria)} criteria",
        "example" if e.example else "",
        "unread" if e.reader is None else f"read by {e.reader}",
        "" if e.repetition == 1 else f"repetition {e.repetition}",
        f"attempt {e.attempt}",
    ],
    ReviewFileRecorded: lambda e: [
        e.record,
        e.origin,
        f"{len(e.conditions)} conditions, {len(e.attempts)} attempts, {len(e.reviews)} reviews",
        f"manifest {e.manifest_sha256[:12]}",
    ],
    ReviewAsked: lambda e: [
        e.endpoint,
        f"{e.about.record} {e.about.review_run_id}",
        e.about.request_id,
        "" if e.about.sequence == 1 else f"attempt no. {e.about.sequence}",
        f"attempt {e.attempt}",
    ],
    ReviewAttemptImported: lambda e: [
        e.about.record,
        e.about.review_run_id,
        e.about.request_id,
        e.status,
        e.attempt_id,
    ],
    ReviewAnswerValidated: lambda e: [e.record, e.request_id, e.failure or "valid", e.detail or "", e.attempt_id],
    ReviewJudged: lambda e: [
        e.record,
        e.review_run_id,
        f"{e.role} {e.reviewer}",
        "finished" if e.finished else "unfinished",
    ],
    LogCheckpointed: lambda e: [f"{e.size} events, root {e.root.hex()}"],
}


def _ms(name: str, us: int | None) -> str:
    return "" if us is None else f"{name} {us / 1000:.1f} ms"
