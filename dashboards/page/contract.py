"""What the page needs of the rest: somebody who answers named queries, and a few facts of the daemon beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from projections.queries.contract import QueryTable


class Ask(Protocol):
    """``functools.partial(run_query, store)`` is one; tests have others."""

    async def __call__(self, name: str, **parameters: Any) -> QueryTable:  # noqa: ANN401  # typed by the query
        """Answer a named query. Raises :class:`schemas.errors.MesswerkError`."""


class NextSlot(msgspec.Struct, frozen=True, kw_only=True):
    """The slot that will run next, and when it is planned for, in milliseconds since 1970."""

    slot: str
    at_ms: int


def no_next_slot() -> NextSlot | None:
    """Say that nothing is planned: for a page without a daemon beside it."""
    return None


def no_logs() -> Mapping[str, int]:
    """Say that no log is at hand: for a page that only sees tables."""
    return {}


class PlayedHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A simulated history that is being played: its ends, and how far the tables have it. Milliseconds since 1970."""

    from_ms: int
    to_ms: int
    reached_ms: int


def no_history() -> PlayedHistory | None:
    """Say that no history is being played."""
    return None


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What the page is told by whoever serves it.

    now_ms: the present, milliseconds since 1970.
    next_slot: what the schedule will do next, or None.
    log_positions: newest position of each log at hand, by source.
    history: the simulated history that is being played at this moment, or None.
    allowed_hosts: host names besides loopback's own under which the page may be asked for.
    """

    now_ms: Callable[[], int]
    next_slot: Callable[[], NextSlot | None] = no_next_slot
    log_positions: Callable[[], Mapping[str, int]] = no_logs
    history: Callable[[], PlayedHistory | None] = no_history
    allowed_hosts: frozenset[str] = frozenset()

    def present_ms(self) -> int:
        """Return what the page calls now: while a history is played, the moment that it has reached.

        Its last three days are then shown from the first day on, instead of three days that do not exist yet.
        """
        history = self.history()
        return self.now_ms() if history is None else history.reached_ms
