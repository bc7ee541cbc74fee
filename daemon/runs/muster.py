"""Runs that begin together wait for one another while they prepare, so that what must come before any comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Place:
    """One run's place among those that prepare."""

    def __init__(self, muster: Muster) -> None:
        self._muster = muster
        self._preparing = True

    async def ready(self) -> None:
        """Say that this one is prepared, and wait until no other is preparing."""
        self.leave()
        await self._muster.nobody_prepares.wait()

    def leave(self) -> None:
        """Prepare no longer; further times do nothing."""
        if self._preparing:
            self._preparing = False
            self._muster.left()


class Muster:
    """Counts who is preparing. ``nobody_prepares`` is set while that is nobody."""

    def __init__(self) -> None:
        self._count = 0
        self.nobody_prepares = asyncio.Event()
        self.nobody_prepares.set()

    @contextmanager
    def joined(self) -> Iterator[Place]:
        """Take a place, which is left at the end in any case: who gives up holds nobody up."""
        self._count += 1
        self.nobody_prepares.clear()
        place = Place(self)
        try:
            yield place
        finally:
            place.leave()

    def left(self) -> None:
        """Count one less."""
        self._count -= 1
        if not self._count:
            self.nobody_prepares.set()
