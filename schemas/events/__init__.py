"""Every event type, the registry that names them, and step two of decoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from schemas.envelope import Envelope
from schemas.errors import DecodeError, UnknownVersionError
from schemas.events.attempts import (
    AttemptCompleted,
    ConnectionFacts,
    Failure,
    FirstToken,
    ReceivedText,
    RequestSent,
    StrainFacts,
    Timing,
    UsageReported,
)
from schemas.events.base import Event
from schemas.events.integrity import (
    AccountEvidence,
    AccountsCompared,
    AttestationRecorded,
    ComparedRows,
    IntegrityDecided,
    IntegritySuspected,
)
from schemas.events.judgments import (
    CalibrationCompleted,
    CalibrationFigure,
    ExchangeRateDeclared,
    JudgmentRecorded,
)
from schemas.events.lifecycle import (
    CatalogueDeclared,
    ClockState,
    DaemonStarted,
    DaemonStopped,
    LogCheckpointed,
)
from schemas.events.office import AskedDocument, DocumentAsked, PrivateTotalsRecorded
from schemas.events.review import (
    ReviewAnswerValidated,
    ReviewAsked,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
)
from schemas.events.rubric import AskedCriterion, RubricAsked
from schemas.events.runs import PlannedAttempt, PromptFacts, RunPlanned, SlotSkipped
from schemas.upcasts import UPCASTS, Upcast

__all__ = [
    "EVENT_TYPES",
    "AccountEvidence",
    "AccountsCompared",
    "AskedCriterion",
    "AskedDocument",
    "AttemptCompleted",
    "AttestationRecorded",
    "CalibrationCompleted",
    "CalibrationFigure",
    "CatalogueDeclared",
    "ClockState",
    "ComparedRows",
    "ConnectionFacts",
    "DaemonStarted",
    "DaemonStopped",
    "DocumentAsked",
    "Event",
    "ExchangeRateDeclared",
    "Failure",
    "FirstToken",
    "IntegrityDecided",
    "IntegritySuspected",
    "JudgmentRecorded",
    "LogCheckpointed",
    "PlannedAttempt",
    "PrivateTotalsRecorded",
    "PromptFacts",
    "ReceivedText",
    "RequestSent",
    "ReviewAnswerValidated",
    "ReviewAsked",
    "ReviewAttemptImported",
    "ReviewFileRecorded",
    "ReviewJudged",
    "RubricAsked",
    "RunPlanned",
    "SlotSkipped",
    "StrainFacts",
    "Timing",
    "UsageReported",
    "decode_event",
    "encode_event",
]

EVENT_TYPES: Final[Mapping[str, type[Event]]] = {
    kind.TYPE: kind
    for kind in (
        DaemonStarted,
        DaemonStopped,
        CatalogueDeclared,
        RunPlanned,
        SlotSkipped,
        RequestSent,
        FirstToken,
        AttemptCompleted,
        JudgmentRecorded,
        CalibrationCompleted,
        AccountsCompared,
        IntegritySuspected,
        IntegrityDecided,
        AttestationRecorded,
        ExchangeRateDeclared,
        DocumentAsked,
        PrivateTotalsRecorded,
        RubricAsked,
        ReviewFileRecorded,
        ReviewAsked,
        ReviewAttemptImported,
        ReviewAnswerValidated,
        ReviewJudged,
        LogCheckpointed,
    )
}
"""Current version of every event type, by its name on the wire."""

_decoders: dict[str, msgspec.msgpack.Decoder[Any]] = {
    name: msgspec.msgpack.Decoder(kind) for name, kind in EVENT_TYPES.items()
}
_encoder = msgspec.msgpack.Encoder()


def encode_event(event: Event) -> msgspec.Raw:
    """Msgpack bytes of an event, ready to stand as an envelope's ``data``."""
    return msgspec.Raw(_encoder.encode(event))


def decode_event(envelope: Envelope, *, upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS) -> Event | None:
    """Step two: the typed event, or None for a type that this build does not know.

    Older versions are upcast step by step. Raises :class:`UnknownVersionError` for a version from the
    future, :class:`DecodeError` when the bytes do not fit the type.
    """
    kind = EVENT_TYPES.get(envelope.type)
    if kind is None:
        return None
    if not 1 <= envelope.v <= kind.VERSION:
        raise UnknownVersionError(
            f"{_named(envelope)}: this build reads versions 1 to {kind.VERSION}; upgrade Messwerk before reading on"
        )
    try:
        if envelope.v == kind.VERSION:
            event: Event = _decoders[envelope.type].decode(envelope.data)
            return event
        plain: dict[str, Any] = msgspec.msgpack.decode(envelope.data)
        for version in range(envelope.v, kind.VERSION):
            plain = upcasts[envelope.type, version](plain)
        return msgspec.convert(plain, kind)
    except (msgspec.MsgspecError, KeyError) as problem:
        raise DecodeError(f"{_named(envelope)}: {problem}") from problem


def _named(envelope: Envelope) -> str:
    return f"event {envelope.seq} of {envelope.source!r} ({envelope.type} v{envelope.v})"
