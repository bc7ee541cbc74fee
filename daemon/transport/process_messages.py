"""What a daemon and its measuring process say to one another: frames of msgpack over a socket pair.

A frame is its length in four bytes and then the message. Requests hold credentials, so this pipe is the only
way that they take: no argument and no environment variable of the process holds one.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Final

import msgspec

from daemon.transport.contract import PreparedRequest, Signal
from daemon.transport.strain import Strain

_LENGTH: Final = struct.Struct(">I")


class Settings(msgspec.Struct, frozen=True, array_like=True, tag="settings"):
    """The first thing that a measuring process hears. ``authority``: PEM file that replaces the system's trust."""

    keep_alive: bool
    authority: str | None


class Begin(msgspec.Struct, frozen=True, array_like=True, tag="begin"):
    """Begin an exchange, under a number that is never used again."""

    exchange: int
    request: PreparedRequest


class Abandon(msgspec.Struct, frozen=True, array_like=True, tag="abandon"):
    """Nobody waits for an exchange any more: release its connection."""

    exchange: int


class Ready(msgspec.Struct, frozen=True, array_like=True, tag="ready"):
    """The measuring process has loaded everything, or could not: ``problem`` says why.

    ahead: whether the scheduler prefers it to ordinary processes.
    """

    problem: str | None
    ahead: bool = False


class Told(msgspec.Struct, frozen=True, array_like=True, tag="told"):
    """Signals of one exchange, in order."""

    exchange: int
    signals: tuple[Signal, ...]


class Strained(msgspec.Struct, frozen=True, array_like=True, tag="strained"):
    """What held up the measuring process since it last said so."""

    strain: Strain


Order = Settings | Begin | Abandon
Report = Ready | Told | Strained

encode = msgspec.msgpack.Encoder().encode
decode_order = msgspec.msgpack.Decoder(Order).decode
decode_reports = msgspec.msgpack.Decoder(tuple[Report, ...]).decode


class Frames(asyncio.Protocol):
    """Splits what arrives into frames, and puts what leaves into them.

    heard: called with each whole frame. lost: called once, when the other side is gone.
    """

    def __init__(self, heard: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._heard = heard
        self._lost = lost
        self._held = bytearray()
        self._room = asyncio.Event()
        self._room.set()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See :class:`asyncio.Protocol`."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See :class:`asyncio.Protocol`."""
        self._held += data
        at = 0
        while len(self._held) - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._held, at)
            end = at + _LENGTH.size + length
            if len(self._held) < end:
                break
            self._heard(bytes(memoryview(self._held)[at + _LENGTH.size : end]))
            at = end
        del self._held[:at]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """See :class:`asyncio.Protocol`."""
        self._transport = None
        self._room.set()
        self._lost()

    def pause_writing(self) -> None:
        """See :class:`asyncio.Protocol`."""
        self._room.clear()

    def resume_writing(self) -> None:
        """See :class:`asyncio.Protocol`."""
        self._room.set()

    def send(self, message: bytes) -> None:
        """Send one frame; nothing when the other side is gone, which ``lost`` tells."""
        if self._transport is not None:
            self._transport.writelines((_LENGTH.pack(len(message)), message))

    @property
    def has_room(self) -> bool:
        """Whether :meth:`room` would return at once."""
        return self._room.is_set()

    async def room(self) -> None:
        """Wait until the other side has taken most of what was sent, or is gone."""
        await self._room.wait()

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()
