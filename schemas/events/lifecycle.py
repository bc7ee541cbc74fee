"""Events of the daemon's own life: start, stop, what it measures, the log's checkpoints."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from schemas.catalogue import AccountFacts, EndpointFacts, ProviderFacts
from schemas.definitions import Definitions
from schemas.events.base import Event


class ClockState(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine said of its wall clock; None where it did not say."""

    source: str
    synchronised: bool | None = None
    estimated_error_us: int | None = None


class DaemonStarted(Event, frozen=True, kw_only=True):
    """A daemon opened its log and is about to measure."""

    TYPE: ClassVar[str] = "daemon-started"

    build: str
    configuration_sha256: str
    vantage: str
    versions: dict[str, str]
    platform: str
    clock: ClockState
    simulated: bool = False


StopReason = Literal["signal", "command", "finished", "error"]


class DaemonStopped(Event, frozen=True, kw_only=True):
    """A daemon stopped in an orderly way. Its absence before the next start means a crash."""

    TYPE: ClassVar[str] = "daemon-stopped"

    reason: StopReason
    detail: str | None = None
    finished_in_flight: int = 0
    cancelled_in_flight: int = 0


class CatalogueDeclared(Event, frozen=True, kw_only=True):
    """Everything that attempts refer to by name, until the next such event of this source."""

    TYPE: ClassVar[str] = "catalogue-declared"

    sha256: str
    vantage: str
    providers: tuple[ProviderFacts, ...]
    endpoints: tuple[EndpointFacts, ...]
    accounts: tuple[AccountFacts, ...]
    definitions: Definitions


class LogCheckpointed(Event, frozen=True, kw_only=True):
    """Size and RFC 6962 root of the log before this event, and what is needed to go on hashing from here."""

    TYPE: ClassVar[str] = "log-checkpointed"

    size: int
    root: bytes
    subtrees: tuple[bytes, ...] = ()
