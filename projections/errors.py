"""Everything that can go wrong on the read side, by the phase in which it goes wrong."""

from __future__ import annotations

from projections.spans import Span
from schemas.errors import ConfigurationError, MesswerkError


class StoreError(MesswerkError):
    """The tables refused a statement, or their server is not to be reached."""


class StoreStartError(StoreError):
    """The tables' own server did not come up; the message carries the end of what it said."""


class StoreLockedError(StoreError):
    """Another process serves this tables directory; one directory serves one process."""


class PortTakenError(StoreStartError):
    """Something else listens on a port that was asked for."""


class StoreLostError(StoreError):
    """The connection broke while a statement was under way; it may or may not have been carried out."""


class StoreBusyError(StoreError):
    """The server refuses for a reason that passes: parts, memory, disk, quorum. Nothing was lost; try later."""


class ClaimTakenError(StoreError):
    """Another process does what only one may do at a time."""


class SchemaError(StoreError):
    """Tables in the store are not the tables that this build declares."""


class ProjectionError(MesswerkError):
    """Events cannot be folded any further."""


class SourceGapError(ProjectionError):
    """Positions are missing. The reader stops here: what is missing must be found, never skipped."""

    def __init__(self, message: str, *, gap: Span) -> None:
        super().__init__(message)
        self.gap = gap


class SourceUnreachableError(ProjectionError):
    """The broker did not answer, or refused; nothing was lost, try again."""


class QuarantineLimitError(ProjectionError):
    """Too much of what was read cannot be decoded. ``source`` is whose the last of it was, empty when unknown."""

    def __init__(self, message: str, *, source: str) -> None:
        super().__init__(message)
        self.source = source


class LostDeclarationError(ConfigurationError):
    """Events cannot be declared lost as asked."""


class QuarantineEntryError(ConfigurationError):
    """A decision about quarantine that cannot be carried out as asked."""


class StalledError(ProjectionError):
    """There is something to fold, and nothing moves; started anew it may."""


class GroupTakenError(ConfigurationError):
    """The group of readers fills other tables already."""


class HealthPortError(ConfigurationError):
    """Nothing can listen where health and readiness should be served."""


class LogReplacedError(ProjectionError):
    """The log is not the one that the tables were folded from."""


class FoldedOtherwiseError(ProjectionError):
    """The tables were folded under other definitions or by another version of a projection."""


class ComparisonError(ProjectionError):
    """A rebuilt table is not what it replaces although nothing was meant to change."""


class QueryError(ConfigurationError):
    """A named query was asked for that does not exist, or with parameters that it does not take."""
