"""Two steps from stored bytes to a typed event, versions and upcasts, and the JSON view."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemas.events
from schemas.envelope import Envelope, decode_envelope, encode_envelope, envelope_to_json
from schemas.errors import DecodeError, UnknownVersionError
from schemas.events import EVENT_TYPES, Event, FirstToken, decode_event, encode_event
from schemas.jsonview import envelope_from_json

TOKEN = FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=214_000)


def envelope(data: bytes, *, kind: str = "first-token", v: int = 1) -> Envelope:
    """Put data into an envelope."""
    return Envelope(
        id=UUID(int=1),
        type=kind,
        v=v,
        source="here",
        boot="boot",
        seq=3,
        wall_ns=1_796_040_000_000_000_000,
        mono_ns=5,
        data=msgspec.Raw(data),
    )


class FirstTokenV3(Event, frozen=True, kw_only=True):
    """A later version: the time became nanoseconds, then got another name."""

    TYPE: ClassVar[str] = "first-token"
    VERSION: ClassVar[int] = 3

    attempt: UUID
    channel: str
    after_ns: int


def to_nanoseconds(data: dict[str, Any]) -> dict[str, Any]:
    """Step from version 1 to 2."""
    return {**data, "elapsed_ns": data["elapsed_us"] * 1000}


def to_after(data: dict[str, Any]) -> dict[str, Any]:
    """Step from version 2 to 3."""
    return {**data, "after_ns": data["elapsed_ns"]}


@pytest.fixture
def third_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make version 3 the current one."""
    monkeypatch.setitem(EVENT_TYPES, "first-token", FirstTokenV3)
    monkeypatch.setitem(schemas.events._decoders, "first-token", msgspec.msgpack.Decoder(FirstTokenV3))


def test_both_steps() -> None:
    """An event comes back as it was written."""
    raw = encode_envelope(envelope(encode_event(TOKEN)))
    assert decode_event(decode_envelope(raw)) == TOKEN


@given(st.recursive(st.none() | st.integers(-(2**63), 2**64 - 1) | st.text(), st.lists, max_leaves=5))
def test_bytes_are_preserved(value: object) -> None:
    """Step one hands on the data's very bytes, and encoding the envelope again gives the stored bytes."""
    data = msgspec.msgpack.encode(value)
    raw = encode_envelope(envelope(data, kind="from-the-future"))
    decoded = decode_envelope(raw)
    assert bytes(decoded.data) == data
    assert encode_envelope(decoded) == raw


def test_foreign_encoding_is_preserved() -> None:
    """Data that another encoder wrote in a longer form keep that form."""
    data = b"\xde\x00\x01\xa1x\xcd\x00\x01"
    raw = encode_envelope(envelope(data, kind="from-the-future"))
    assert encode_envelope(decode_envelope(raw)) == raw


def test_unknown_type() -> None:
    """A type that this build does not know is passed over, whatever its version."""
    assert decode_event(envelope(b"\x80", kind="from-the-future", v=9)) is None


@pytest.mark.parametrize("version", [0, 2, -1])
def test_unknown_version(version: int) -> None:
    """An unknown version of a known type stops the reader and says where and what to do."""
    with pytest.raises(UnknownVersionError, match=r"event 3 of 'here' \(first-token v.*upgrade Messwerk"):
        decode_event(envelope(encode_event(TOKEN), v=version))


def test_unknown_field() -> None:
    """A field that a later build added with a default is passed over."""
    data = msgspec.msgpack.encode({**msgspec.to_builtins(TOKEN), "added_later": 1})
    assert decode_event(envelope(data)) == TOKEN


@pytest.mark.parametrize("data", [b"\x80", b"\xc1", b"", b"\x93\x01\x02\x03"])
def test_wrong_data(data: bytes) -> None:
    """Data that do not fit their type are an error with the position."""
    with pytest.raises(DecodeError, match="event 3 of 'here'"):
        decode_event(envelope(data))


@given(st.binary(max_size=60))
def test_garbage(raw: bytes) -> None:
    """Bytes that are no envelope raise DecodeError and nothing else."""
    with pytest.raises(DecodeError):
        decode_envelope(raw)


def test_endless_nesting() -> None:
    """Nesting without end is no envelope either, instead of an exhausted stack."""
    with pytest.raises(DecodeError, match="not an event envelope"):
        decode_envelope(b"\x89\xa4data" + b"\x91" * 200_000)


@pytest.mark.usefixtures("third_version")
def test_upcasts() -> None:
    """An old event passes through every step between its version and the current one."""
    upcasts = {("first-token", 1): to_nanoseconds, ("first-token", 2): to_after}
    now = FirstTokenV3(attempt=UUID(int=7), channel="answer", after_ns=214_000_000)
    assert decode_event(envelope(encode_event(TOKEN)), upcasts=upcasts) == now
    second = msgspec.msgpack.encode({"attempt": str(UUID(int=7)), "channel": "answer", "elapsed_ns": 214_000_000})
    assert decode_event(envelope(second, v=2), upcasts=upcasts) == now
    assert decode_event(envelope(encode_event(now), v=3), upcasts=upcasts) == now


@pytest.mark.usefixtures("third_version")
def test_missing_upcast() -> None:
    """A step that nobody wrote is an error with the position, not a guess."""
    with pytest.raises(DecodeError, match=r"event 3 of 'here' .*first-token.*2"):
        decode_event(envelope(encode_event(TOKEN)), upcasts={("first-token", 1): to_nanoseconds})


def test_json_of_an_unknown_type() -> None:
    """An unknown type is shown as it is, and read back as plain values."""
    shown = envelope_to_json(envelope(b"\x81\xa1x\xc4\x01\x00", kind="from-the-future"))
    assert shown.endswith(b'"data":{"x":"AA=="}}')
    assert bytes(envelope_from_json(shown).data) == msgspec.msgpack.encode({"x": "AA=="})


@pytest.mark.usefixtures("third_version")
def test_json_of_an_old_version() -> None:
    """An old version in JSON is read through the same upcasts as one in msgpack."""
    upcasts = {("first-token", 1): to_nanoseconds, ("first-token", 2): to_after}
    shown = envelope_to_json(envelope(encode_event(TOKEN)), TOKEN)
    event = decode_event(envelope_from_json(shown), upcasts=upcasts)
    assert event == FirstTokenV3(attempt=UUID(int=7), channel="answer", after_ns=214_000_000)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"data":' + "[" * 100_000, "\ud800"])
def test_json_garbage(text: str) -> None:
    """Text that is no event raises DecodeError and nothing else."""
    with pytest.raises(DecodeError, match="not an event in JSON"):
        envelope_from_json(text)
