"""Identifiers: time-ordered UUIDs of version 7, made from an injected clock and injected randomness.

Python 3.11 has no ``uuid.uuid7``. Layout and the monotonic counter follow RFC 9562, sections 5.7 and 6.2
(method 2: the random bits are incremented while the millisecond stands still or the wall clock steps back).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from uuid import UUID

from schemas.clocks import Clock

_RANDOM_BITS = 74


class UuidFactory:
    """Makes UUIDv7s that strictly increase for the life of the factory, whatever the wall clock does.

    after: a UUIDv7 that all of them must follow, so that the order outlives a restart.
    """

    def __init__(
        self, clock: Clock, random_bytes: Callable[[int], bytes] = os.urandom, *, after: UUID | None = None
    ) -> None:
        self._clock = clock
        self._random_bytes = random_bytes
        self._last_ms = -1 if after is None else unix_ms(after)
        self._last_random = 0 if after is None else _random_part(after)

    def __call__(self) -> UUID:
        """Return the next identifier."""
        now_ms = self._clock.wall_ns() // 1_000_000
        if now_ms > self._last_ms:
            self._last_ms = now_ms
            # The top random bit starts at 0, which leaves 2**73 increments within one millisecond.
            self._last_random = int.from_bytes(self._random_bytes(10), "big") & ((1 << (_RANDOM_BITS - 1)) - 1)
        else:
            self._last_random += 1
        return _assemble(self._last_ms, self._last_random)


def unix_ms(identifier: UUID) -> int:
    """Milliseconds since 1970 that a UUIDv7 carries in its first 48 bits."""
    return identifier.int >> 80


def _random_part(identifier: UUID) -> int:
    rand_a = (identifier.int >> 64) & 0xFFF
    rand_b = identifier.int & ((1 << 62) - 1)
    return (rand_a << 62) | rand_b


def _assemble(ms: int, random: int) -> UUID:
    rand_a = random >> 62
    rand_b = random & ((1 << 62) - 1)
    return UUID(int=(ms << 80) | (0x7 << 76) | (rand_a << 64) | (0b10 << 62) | rand_b)
