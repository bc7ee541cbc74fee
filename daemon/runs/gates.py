"""How many measurements may be under way at once: one at a time per endpoint, a limit per provider.

A single measurement holds its endpoint and a place at its provider for each account that asks. A parallel scenario
is one measurement too, and a loud one, so it holds all of the provider's places and disturbs nothing but itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager


class Places:
    """A first-come-first-served semaphore whose holders may take several places at once."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a provider needs room for at least one measurement, got {capacity}")
        self.capacity = capacity
        self._free = capacity
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def hold(self, count: int) -> AsyncIterator[None]:
        """Wait for ``count`` places (at most ``capacity``), hold them, give them back."""
        await self._take(count)
        try:
            yield
        finally:
            self._give(count)

    async def _take(self, count: int) -> None:
        if not self._waiting and self._free >= count:
            self._free -= count
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (count, turn)
        self._waiting.append(entry)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give(count)
            else:
                if entry in self._waiting:  # whoever gave places meanwhile may have passed it over already
                    self._waiting.remove(entry)
                self._admit()
            raise

    def _give(self, count: int) -> None:
        self._free += count
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._free >= self._waiting[0][0]:
            count, turn = self._waiting.popleft()
            if turn.cancelled():
                continue
            self._free -= count
            turn.set_result(None)


class Gates:
    """The places of every provider and the locks of every endpoint."""

    def __init__(self, concurrency: Mapping[str, int]) -> None:
        self._providers = {name: Places(places) for name, places in concurrency.items()}
        self._endpoints: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def single(self, provider: str, endpoint: str, parties: int = 1) -> AsyncIterator[None]:
        """Hold an endpoint and as many of its provider's places as there are parties, all of them at once.

        Raises :class:`ValueError` for more than there will ever be.
        """
        capacity = self._providers[provider].capacity
        if parties > capacity:
            raise ValueError(f"{parties} at once at {provider}, which has {capacity} places")
        lock = self._endpoints.setdefault(endpoint, asyncio.Lock())
        async with lock, self._providers[provider].hold(parties):
            yield

    @asynccontextmanager
    async def whole_provider(self, provider: str) -> AsyncIterator[None]:
        """Hold all places of a provider."""
        places = self._providers[provider]
        async with places.hold(places.capacity):
            yield
