"""The root of every error that Messwerk raises on purpose.

Each side hangs its own branch below :class:`MesswerkError`, named by the phase in which things went wrong
(configuration, log, wire, store). The command line turns a branch into an exit code and prints the message
alone, so a message must say what, where and what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class MesswerkError(Exception):
    """Something Messwerk can name; ``exit_code`` is what the command line answers with."""

    exit_code: ClassVar[int] = 1


class ConfigurationError(MesswerkError):
    """The operator's files or flags cannot work as written; nothing was started."""

    exit_code: ClassVar[int] = 2


class LogError(MesswerkError):
    """The event log refused to be read or written."""


class LogLockedError(LogError):
    """Another process already writes this log; a log has exactly one writer."""


class LogFullError(LogError):
    """The disk under the log is full or failing; what was acknowledged is safe, the rest was not written."""


class LogDamagedError(LogError):
    """A stored event is not what was appended; ``seq`` is the first wrong position."""

    def __init__(self, message: str, *, seq: int) -> None:
        super().__init__(message)
        self.seq = seq


class DecodeError(MesswerkError):
    """Bytes that should be an event are not one."""


class UnknownVersionError(DecodeError):
    """A known event type in a version that this build cannot read: upgrade before reading on."""
