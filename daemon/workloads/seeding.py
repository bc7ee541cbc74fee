"""Reproducible draws: the only source of randomness of every workload.

A prompt must be rebuilt byte for byte years later, so nothing here depends on the interpreter's own sampling
code. The generator is seeded from SHA-256 and read only through ``random.Random.random``, the one method whose
sequence Python promises to keep; everything else is plain IEEE arithmetic on top of it. No ``hash()``, no
iteration over sets, no libm function may enter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws named by a path of labels; streams of different paths are independent."""

    def __init__(self, *path: str) -> None:
        self._path = path
        digest = hashlib.sha256("\x1f".join(path).encode()).digest()
        self._random = Random(int.from_bytes(digest, "big")).random

    def branch(self, *labels: str) -> Draws:
        """Make an independent stream below this one; what is drawn here does not change it."""
        return Draws(*self._path, *labels)

    def fraction(self) -> float:
        """Draw from [0, 1)."""
        return self._random()

    def below(self, bound: int) -> int:
        """Draw an integer from [0, bound)."""
        return int(self._random() * bound)

    def between(self, low: int, high: int) -> int:
        """Draw an integer from [low, high], both included."""
        return low + int(self._random() * (high - low + 1))

    def real(self, low: float, high: float) -> float:
        """Draw a number from [low, high)."""
        return low + (high - low) * self._random()

    def bell(self, mean: float, deviation: float) -> float:
        """Draw from a bell curve (Irwin-Hall sum of twelve, close to normal): additions only, no libm."""
        return mean + deviation * (sum(self._random() for _ in range(12)) - 6.0)

    def chance(self, probability: float) -> bool:
        """Draw True with this probability."""
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Draw one option."""
        return options[int(self._random() * len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Draw an order (Fisher-Yates)."""
        items = list(options)
        for last in range(len(items) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            items[last], items[other] = items[other], items[last]
        return items

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Draw ``count`` different positions' options, at most all of them, in drawn order."""
        return self.shuffled(options)[:count]

    def characters(self, alphabet: str, count: int) -> str:
        """Draw a string of ``count`` characters."""
        return "".join(alphabet[int(self._random() * len(alphabet))] for _ in range(count))


class Deck(Generic[T]):
    """Cards dealt in drawn order and reshuffled only when all were dealt, so that repeats lie far apart."""

    def __init__(self, draws: Draws, cards: Sequence[T]) -> None:
        self._draws = draws
        self._cards = cards
        self._left: list[T] = []

    def deal(self) -> T:
        """Take the next card."""
        if not self._left:
            self._left = self._draws.shuffled(self._cards)
        return self._left.pop()


def wave(phase: float) -> float:
    """Return a sine-like curve of period 1 and amplitude 1 from parabolas: the same bits on every platform."""
    position = phase % 1.0
    half = position * 2.0 if position < 0.5 else (position - 0.5) * 2.0
    height = 4.0 * half * (1.0 - half)
    return height if position < 0.5 else -height
