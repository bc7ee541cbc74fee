"""What a response says about itself besides its text: usage, cost, identity, finish reason, oddities."""

from __future__ import annotations

from decimal import Decimal

from daemon.wire.contract import FinishSeen, FlagSeen, IdentitySeen, Observation, ReasoningAnnounced, UsageSeen
from schemas.events.attempts import UsageReported


class Reported:
    """The newest of each, by the rules of the contract; flags in order of their first appearance."""

    def __init__(self) -> None:
        self.usage: UsageReported | None = None
        self.cost_usd: Decimal | None = None
        self.identity = IdentitySeen()
        self.reasoning_announced = False
        self.finish_reason: str | None = None
        self.finish_mono_ns: int | None = None
        self._flags: dict[str, None] = {}

    @property
    def flags(self) -> tuple[str, ...]:
        """Every flag once."""
        return tuple(self._flags)

    def flag(self, flag: str) -> None:
        """Add a flag."""
        self._flags[flag] = None

    def take(self, seen: Observation, mono_ns: int) -> None:
        """Take an observation that arrived at ``mono_ns``; others than those named above are passed over."""
        match seen:
            case UsageSeen():
                self.usage = seen.usage
                self.cost_usd = self.cost_usd if seen.cost_usd is None else seen.cost_usd
            case IdentitySeen():
                self.identity = _merged(self.identity, seen)
            case ReasoningAnnounced():
                self.reasoning_announced = True
            case FinishSeen():
                self.finish_reason, self.finish_mono_ns = seen.reason, mono_ns
            case FlagSeen():
                self.flag(seen.flag)
            case _:
                pass


def _merged(before: IdentitySeen, seen: IdentitySeen) -> IdentitySeen:
    """Join what was said: the newest name counts, but the response keeps the first id it gave."""
    return IdentitySeen(
        model=seen.model or before.model,
        provider=seen.provider or before.provider,
        fingerprint=seen.fingerprint or before.fingerprint,
        response_id=before.response_id or seen.response_id,
    )
