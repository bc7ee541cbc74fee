"""Everything about the outside that must be injected: time, chance, and where slow work is done.

The daemon gets one of these. The live one reads the machine's clock and the operating system's randomness;
the simulated one follows virtual time and a seed, so that a whole fortnight can be replayed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar
from uuid import UUID

from schemas.clocks import Clock, SystemClock
from schemas.events.attempts import ClockKind
from schemas.ids import UuidFactory

T = TypeVar("T")


class Offload(Protocol):
    """Runs a slow pure function without holding up the event loop, where the loop's time is real."""

    def __call__(self, function: Callable[..., T], /, *arguments: Any) -> Awaitable[T]:  # noqa: ANN401  # as to_thread
        """Return the function's result."""


class World:
    """Clock, chance and offloading, together."""

    def __init__(self, *, clock: Clock, chance: random.Random, offload: Offload, clock_kind: ClockKind) -> None:
        self.clock = clock
        self.clock_kind = clock_kind
        self.offload = offload
        self._chance = chance
        self._ids = UuidFactory(clock, chance.randbytes)

    def new_id(self) -> UUID:
        """Return a fresh UUIDv7."""
        return self._ids()

    def new_seed(self) -> str:
        """Return a fresh seed for a run's prompts: 128 bits as hex digits."""
        return self._chance.randbytes(16).hex()

    def shuffle(self, items: list[Any]) -> None:
        """Put items into a random order, in place."""
        self._chance.shuffle(items)

    def draw(self) -> float:
        """Return a random number in [0, 1)."""
        return self._chance.random()


def live_world() -> World:
    """Return the world as it is: system clock, unpredictable chance, slow work in threads."""
    return World(
        clock=SystemClock(), chance=random.SystemRandom(), offload=asyncio.to_thread, clock_kind="user-space"
    )


async def _inline(function: Callable[..., T], /, *arguments: Any) -> T:  # noqa: ANN401  # the shape of Offload
    return function(*arguments)


def simulated_world(clock: Clock, seed: str) -> World:
    """Return a world that can be replayed: chance from a seed, slow work in place, since nothing waits there."""
    return World(clock=clock, chance=random.Random(seed), offload=_inline, clock_kind="simulated")  # noqa: S311  # replayable on purpose
