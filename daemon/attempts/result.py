"""What the wire said of one attempt, as a whole; and taking the request's own secrets out of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar

import msgspec

from daemon.attempts.received import text_sha256
from daemon.wire.redaction import mask_secrets
from schemas.events.attempts import (
    AttemptStatus,
    ConnectionFacts,
    Failure,
    ReceivedText,
    StrainFacts,
    Timing,
    UsageReported,
)
from schemas.timeline import Timeline

T = TypeVar("T")


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the wire said, under the field names of :class:`schemas.events.AttemptCompleted`.

    ``msgspec.structs.asdict(result)`` gives keyword arguments for it. Texts are whole; moving long ones into
    the blob store is the caller's business.
    """

    status: AttemptStatus
    failure: Failure | None
    http_status: int | None
    headers: tuple[tuple[str, str], ...]
    connection: ConnectionFacts
    timing: Timing
    timeline: Timeline
    usage: UsageReported | None
    cost_reported_usd: Decimal | None
    returned_model: str | None
    returned_provider: str | None
    fingerprint: str | None
    response_id: str | None
    finish_reason: str | None
    answer: ReceivedText | None
    reasoning: ReceivedText | None
    tokenizer: str
    reasoning_announced: bool
    flags: tuple[str, ...]
    strain: StrainFacts = StrainFacts()


def without_secrets(result: AttemptResult, secrets: Sequence[str]) -> AttemptResult:
    """Mask these secrets in every text of a result; texts that held one get the flag ``secret-masked``."""
    if not secrets:
        return result
    mask = _Mask(secrets)
    usage, failure = result.usage, result.failure
    cleaned = msgspec.structs.replace(
        result,
        failure=failure
        and msgspec.structs.replace(
            failure, message=mask(failure.message), code=mask(failure.code), body=mask(failure.body)
        ),
        headers=tuple((name, mask(value)) for name, value in result.headers),
        usage=usage and msgspec.structs.replace(usage, raw=mask(usage.raw)),
        returned_model=mask(result.returned_model),
        returned_provider=mask(result.returned_provider),
        fingerprint=mask(result.fingerprint),
        response_id=mask(result.response_id),
        finish_reason=mask(result.finish_reason),
        answer=mask.received(result.answer),
        reasoning=mask.received(result.reasoning),
    )
    if not mask.used:
        return cleaned
    return msgspec.structs.replace(cleaned, flags=(*cleaned.flags, "secret-masked"))


class _Mask:
    """Masks, and remembers whether there was anything to mask."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self.used = False

    def __call__(self, text: T) -> T:
        """Mask a text; anything else passes."""
        if not isinstance(text, str):
            return text
        masked = mask_secrets(text, self._secrets)
        self.used = self.used or masked != text
        return masked  # type: ignore[return-value]  # a str in, a str out

    def received(self, received: ReceivedText | None) -> ReceivedText | None:
        """Mask a received text; its hash then is that of what is kept, its counts stay those of what came."""
        if received is None or received.text is None:
            return received
        text = self(received.text)
        if text == received.text:
            return received
        return msgspec.structs.replace(received, text=text, sha256=text_sha256(text))
