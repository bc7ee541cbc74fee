"""The envelope around every event, and its two-step decoding.

Step one reads who, when and what kind, and keeps the event itself as the very bytes that were written; step
two decodes those bytes into a typed event. Readers that only route, count, ship or hash never take step two.
On disk and in Kafka the encoding is msgpack; JSON is a view for people.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from schemas.errors import DecodeError


class Envelope(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a log. ``(source, seq)`` is its position; ``seq`` starts at 1 and has no gaps."""

    id: UUID
    type: str
    v: int
    source: str
    boot: str
    seq: int
    wall_ns: int
    mono_ns: int
    data: msgspec.Raw


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Envelope)
_json_encoder = msgspec.json.Encoder(decimal_format="string")


def encode_envelope(envelope: Envelope) -> bytes:
    """Msgpack bytes of the envelope; ``data`` is copied through unchanged."""
    return _encoder.encode(envelope)


def decode_envelope(raw: bytes | memoryview) -> Envelope:
    """Step one. Raises :class:`DecodeError` when ``raw`` is no envelope."""
    try:
        return _decoder.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as problem:  # nesting without end is hostile, not an envelope
        raise DecodeError(f"not an event envelope ({len(raw)} bytes): {problem}") from problem


def envelope_to_json(envelope: Envelope, data: msgspec.Struct | None = None) -> bytes:
    """One line of JSON for people and for export.

    ``data`` is the decoded event where its type is known; otherwise the msgpack is shown as it is. Packed
    columns appear as base64, times as integers.
    """
    shown: Any = data if data is not None else msgspec.msgpack.decode(envelope.data)
    return _json_encoder.encode(msgspec.structs.replace(envelope, data=msgspec.Raw(_json_encoder.encode(shown))))
