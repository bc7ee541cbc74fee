"""Requests that go out together: each makes its connection ready, waits for the others, and then all are written.

Whoever cannot come (no connection, cancelled) leaves, and nobody waits longer than was agreed. The requests are
written one after the other in one step of the event loop, so that nothing of ours comes between them; in which
order is said by their places, which are drawn by whoever prepared them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from daemon.transport.contract import Rendezvous, Sent


class Meetings:
    """The meetings of one transport that are not over yet."""

    def __init__(self) -> None:
        self._meetings: dict[str, _Meeting] = {}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._meetings)

    def join(self, rendezvous: Rendezvous | None) -> Party:
        """Return a party that is on its way; one of None depends on nobody. Use it as a context, which leaves."""
        if rendezvous is None:
            return Party(None, 0)
        meeting = self._meetings.get(rendezvous.id)
        if meeting is None:
            meeting = _Meeting(rendezvous, lambda: self._meetings.pop(rendezvous.id, None))
            self._meetings[rendezvous.id] = meeting
        meeting.join()
        return Party(meeting, rendezvous.place)


class Party:
    """One request on its way to a meeting. ``sent``: its moment, once it has been written."""

    def __init__(self, meeting: _Meeting | None, place: int) -> None:
        self._meeting = meeting
        self._gone = False
        self._start: asyncio.Future[None] | None = None
        self._write: Callable[[], Sent] | None = None
        self.place = place
        self.sent: Sent | None = None

    def __enter__(self) -> Self:
        """Do nothing more."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave."""
        self.leave()

    def leave(self) -> None:
        """Be waited for no longer; further times do nothing."""
        if self._meeting is not None and not self._gone:
            self._gone = True
            self._meeting.leave(self)

    async def write(self, write: Callable[[], Sent]) -> Sent:
        """Have the request written together with the others', and return its moment.

        write: hands the request to its socket, at once. When cancelled, ``sent`` tells whether it had been called.
        """
        if self._meeting is None or self._meeting.over:
            self.sent = write()
            return self.sent
        self._write = write
        self._start = asyncio.get_running_loop().create_future()
        self._meeting.arrive(self)
        await self._start
        assert self.sent is not None
        return self.sent

    def depart(self) -> None:
        """Write, unless whoever waits for it has been cancelled."""
        if self._write is None or self._start is None or self._start.done():
            return
        try:
            self.sent = self._write()
        except Exception as problem:  # noqa: BLE001  # it is this party's own, and the others are still to be written
            self._start.set_exception(problem)
        else:
            self._start.set_result(None)


class _Meeting:
    """Begins when everybody has come or left, and at the latest ``wait_s`` after the first set out.

    It is kept until everybody has left, so that who comes late goes at once, and who failed early is remembered.
    """

    def __init__(self, rendezvous: Rendezvous, forget: Callable[[], object]) -> None:
        self._parties = rendezvous.parties
        self._forget = forget
        self._here: list[Party] = []
        self._joined = self._left = self._absent = 0
        self._expired = False
        self._timer = asyncio.get_running_loop().call_later(rendezvous.wait_s, self._expire)
        self.over = False

    def join(self) -> None:
        self._joined += 1

    def arrive(self, party: Party) -> None:
        self._here.append(party)
        self._begin_if_complete()

    def leave(self, party: Party) -> None:
        self._left += 1
        if party in self._here:
            self._here.remove(party)
        if not self.over:
            self._absent += 1
            self._begin_if_complete()
        self._forget_if_empty()

    def _begin_if_complete(self) -> None:
        if len(self._here) + self._absent >= self._parties:
            self._begin()

    def _begin(self) -> None:
        self.over = True
        self._timer.cancel()
        departing, self._here = sorted(self._here, key=lambda party: party.place), []
        for party in departing:
            party.depart()

    def _expire(self) -> None:
        self._expired = True
        self._begin()
        self._forget_if_empty()

    def _forget_if_empty(self) -> None:
        if self._left >= (self._joined if self._expired else self._parties):
            self._forget()
