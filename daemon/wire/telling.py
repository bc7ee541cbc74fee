"""What a response says of itself, told once, and again only when it says something else.

Servers repeat model, usage and finish reason on every chunk. A repetition is no observation: it would count
as a sign of life, and the newest finish reason would move the end of the answer. Shared by all dialects.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from daemon.wire.contract import FinishSeen, FlagSeen, IdentitySeen, Observation, ReasoningAnnounced, UsageSeen
from daemon.wire.counters import shallow
from daemon.wire.repair import repair_json
from schemas.events.attempts import UsageReported

T = TypeVar("T")

UsageReader = Callable[[dict[str, Any]], tuple[UsageReported, Decimal | None, bool]]
"""Reads a usage object: the counts, the cost in USD where reported, and whether the output count is unclear."""

LONGEST_NAME = 256
"""Characters kept of a name that a server gives."""

_AT_THE_LIMIT = frozenset(
    {
        "length",  # OpenAI chat
        "max_output_tokens",  # OpenAI Responses
        "max_tokens",  # Anthropic
        "model_context_window_exceeded",  # Anthropic
        "MAX_TOKENS",  # Gemini
    }
)


class Telling:
    """Appends observations to ``out``; each method passes over what was said before."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self._identity: tuple[Any, Any, Any, Any] = (None, None, None, None)
        self._usage: object = None
        self._announced = False
        self._flags: set[str] = set()

    def decoded(self, decode: Callable[[bytes], T], data: bytes, out: list[Observation]) -> T | None:
        """Decode JSON, mended and flagged where only a lenient reader can read it; None where none can."""
        try:
            return decode(data)
        except (msgspec.DecodeError, RecursionError):
            repaired = repair_json(data)
        if repaired is None:
            return None
        try:
            value = decode(repaired.data)
        except (msgspec.DecodeError, RecursionError):
            return None
        for flag in repaired.flags:
            self.flag(flag, out)
        return value

    def identity(self, identity: tuple[Any, Any, Any, Any], out: list[Observation]) -> None:
        """Tell model, provider, fingerprint and response id; what is no name is none."""
        if identity == self._identity:
            return
        self._identity = identity
        model, provider, fingerprint, response_id = (name(value) for value in identity)
        if model or provider or fingerprint or response_id:
            out.append(IdentitySeen(model=model, provider=provider, fingerprint=fingerprint, response_id=response_id))

    def usage(self, usage: object, read: UsageReader, out: list[Observation]) -> None:
        """Tell usage, and what it gives away: that there was reasoning. What is nested without sense is none."""
        if not usage or not isinstance(usage, dict) or not shallow(usage) or usage == self._usage:
            return
        self._usage = usage
        reported, cost_usd, unclear = read(usage)
        if reported.reasoning_tokens:
            self.announce(out)
        if unclear:
            self.flag("usage-unclear", out)
        out.append(UsageSeen(reported, cost_usd))

    def finished(self, reason: object, out: list[Observation]) -> None:
        """Tell why the answer ended; flagged ``truncated-by-length`` when its limit ended it."""
        word = name(reason)
        if word and word != self.finish:
            self.finish = word
            if word in _AT_THE_LIMIT:
                self.flag("truncated-by-length", out)
            out.append(FinishSeen(word))

    def announce(self, out: list[Observation]) -> None:
        """Tell that the model reasons."""
        if not self._announced:
            self._announced = True
            out.append(ReasoningAnnounced())

    def flag(self, flag: str, out: list[Observation]) -> None:
        """Tell an oddity."""
        if flag not in self._flags:
            self._flags.add(flag)
            out.append(FlagSeen(flag))


def name(value: object) -> str | None:
    """Text that names something, bounded; None for everything else."""
    return value[:LONGEST_NAME] if isinstance(value, str) and value else None
