"""Events as JSON for people, read back: the inverse of :func:`schemas.envelope.envelope_to_json`.

Golden examples and exports are JSON of the same types as the msgpack on disk. Nothing measures through this.
"""

from __future__ import annotations

from typing import Any

import msgspec

from schemas.envelope import Envelope
from schemas.errors import DecodeError
from schemas.events import EVENT_TYPES, encode_event


def envelope_from_json(text: bytes | str) -> Envelope:
    """Envelope of one line of JSON, its data as msgpack; :func:`schemas.events.decode_event` goes on from there.

    Data of the current version of a known type are checked against that type. Data of other types and older
    versions are carried over as plain values, in which bytes stay the base64 text that JSON made of them.
    Raises :class:`DecodeError` for anything that is no event.
    """
    try:
        read = msgspec.json.decode(text, type=Envelope)  # its data still JSON
        kind = EVENT_TYPES.get(read.type)
        if kind is not None and read.v == kind.VERSION:
            data = encode_event(msgspec.json.decode(read.data, type=kind))
        else:
            plain: Any = msgspec.json.decode(read.data)
            data = msgspec.Raw(msgspec.msgpack.encode(plain))
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as problem:
        raise DecodeError(f"not an event in JSON ({len(text)} characters): {problem}") from problem
    return msgspec.structs.replace(read, data=data)
