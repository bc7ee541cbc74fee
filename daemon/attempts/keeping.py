"""Received texts: short ones are kept in the event itself, long ones as blobs that the event names by hash."""

from __future__ import annotations

from typing import Protocol

import msgspec

from daemon.attempts.result import AttemptResult
from daemon.log.blobs import BlobMissingError, BlobStore
from daemon.world import World
from schemas.events import ReceivedText


class Keeper(Protocol):
    """Decides what of an attempt's texts the log keeps, and keeps the rest elsewhere."""

    async def keep(self, result: AttemptResult) -> AttemptResult:
        """Return the result as the log may have it; what it names elsewhere is durable. Raises LogError."""

    def bare(self, result: AttemptResult) -> AttemptResult:
        """Return the result without any text, where :meth:`keep` failed."""


class BodyKeeper:
    """Moves texts of more than ``inline_bytes`` bytes of UTF-8 into a blob store."""

    def __init__(self, blobs: BlobStore, *, inline_bytes: int, world: World) -> None:
        self._blobs = blobs
        self._inline_bytes = inline_bytes
        self._world = world

    async def keep(self, result: AttemptResult) -> AttemptResult:
        """Return the result with its long texts replaced by their blob's name, the blobs being durable."""
        return msgspec.structs.replace(
            result, answer=await self._text(result.answer), reasoning=await self._text(result.reasoning)
        )

    def bare(self, result: AttemptResult) -> AttemptResult:
        """See :class:`Keeper`."""
        return without_bodies(result)

    async def _text(self, received: ReceivedText | None) -> ReceivedText | None:
        if received is None or received.text is None:
            return received
        encoded = received.text.encode()
        if len(encoded) <= self._inline_bytes:
            return received
        blob = await self._world.offload(self._blobs.put, encoded)
        return msgspec.structs.replace(received, text=None, blob=blob)


def kept_text(received: ReceivedText | None, blobs: BlobStore) -> str | None:
    """Return a received text, which is empty where nothing was received; None where it is kept no longer."""
    if received is None:
        return ""
    if received.text is not None:
        return received.text
    try:
        return None if received.blob is None else blobs.get(received.blob).decode("utf-8", "surrogatepass")
    except BlobMissingError:
        return None


def without_bodies(result: AttemptResult) -> AttemptResult:
    """Return the result with the hashes and counts of its texts alone, and the flag ``body-not-kept``."""
    return msgspec.structs.replace(
        result,
        answer=result.answer and msgspec.structs.replace(result.answer, text=None),
        reasoning=result.reasoning and msgspec.structs.replace(result.reasoning, text=None),
        flags=(*result.flags, "body-not-kept"),
    )
