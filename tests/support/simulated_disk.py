"""A log on a simulated disk: commits in groups, and fails or loses its process at the points of acknowledgement."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Final, Literal
from uuid import UUID

from msgspec import Raw
from simulated_processes import Process

from schemas.chain import Frontier, leaf_hash
from schemas.clocks import Clock
from schemas.envelope import Envelope, encode_envelope
from schemas.errors import LogError, LogFullError
from schemas.events import Event, LogCheckpointed, encode_event
from schemas.ids import UuidFactory
from schemas.log import LogReader, LogWriter, StoredEvent

Fate = Literal["well", "killed before", "killed after", "error, not stored", "error, stored"]
"""What happens around a commit. After an error nobody knows whether it was stored."""

_Draft = tuple[Event, int, int]
_Waiting = tuple[list[_Draft], asyncio.Future[Sequence[Envelope]]]

FATES: Final[tuple[Fate, ...]] = ("killed before", "killed after", "error, not stored", "error, stored")
CHECKPOINT_EVERY: Final = 40


class Disk(LogReader):
    """What survives of one source's log, and what was acknowledged of it. Also read by type, as the daemon does."""

    def __init__(self, source: str, chance: random.Random) -> None:
        self._source = source
        self.chance = chance
        self.events: list[StoredEvent] = []
        self.by_type: dict[str, list[StoredEvent]] = {}
        self.frontier = Frontier()
        self.acknowledged: list[tuple[int, UUID]] = []
        self.trouble = 0.0
        self.lies = 0.0
        self.fates: list[Fate] = []

    @property
    def source(self) -> str:
        return self._source

    def fate(self) -> Fate:
        """Decide about one commit."""
        fate: Fate = self.chance.choice(FATES) if self.chance.random() < self.trouble else "well"
        if fate != "well":
            self.fates.append(fate)
        return fate

    def forgets(self) -> bool:
        """Tell whether what comes now is acknowledged and not kept; only a disk that lies does."""
        return self.lies > 0 and self.chance.random() < self.lies

    def store(self, envelopes: Sequence[Envelope]) -> None:
        """Make envelopes durable."""
        for envelope in envelopes:
            raw = encode_envelope(envelope)
            self.frontier.add(leaf_hash(raw))
            stored = StoredEvent(envelope, raw)
            self.events.append(stored)
            self.by_type.setdefault(envelope.type, []).append(stored)

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        return self.events[seq : seq + limit]

    def last_seq(self) -> int:
        return len(self.events)

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        """See :class:`daemon.history.LogHistory`."""
        return (self.events if kind is None else self.by_type.get(kind, []))[-limit:]

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        """See :class:`daemon.history.LogHistory`."""
        return [stored for stored in self.by_type.get(kind, []) if stored.envelope.seq > after][:limit]

    def close(self) -> None:
        pass


class SimulatedLog(LogWriter):
    """One process's right to append to a disk."""

    def __init__(self, disk: Disk, process: Process, clock: Clock) -> None:
        self._disk = disk
        self._process = process
        self._clock = clock
        self._failed: LogError | None = None
        self._ids = UuidFactory(
            clock, disk.chance.randbytes, after=disk.events[-1].envelope.id if disk.events else None
        )
        self._waiting: list[_Waiting] = []
        self._committing: asyncio.Task[None] | None = None
        self._checkpointed = next((e.envelope.seq for e in disk.tail(1, kind=LogCheckpointed.TYPE)), 0)

    @property
    def source(self) -> str:
        return self._disk.source

    @property
    def failed(self) -> LogError | None:
        return self._failed if self._process.alive else LogError("this process is dead")

    async def append(self, *events: Event) -> Sequence[Envelope]:
        if self.failed is not None:
            raise LogError(str(self.failed))
        future: asyncio.Future[Sequence[Envelope]] = asyncio.get_running_loop().create_future()
        self._waiting.append(([(event, self._clock.wall_ns(), self._clock.mono_ns()) for event in events], future))
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._commit(), name=f"commits of {self.source}")
        envelopes = await asyncio.shield(future)
        if not self._process.alive:
            raise LogError("this process is dead")
        return envelopes

    async def checkpoint(self) -> Envelope | None:
        if len(self._disk.events) == self._checkpointed:
            return None
        envelopes = await self.append(self._checkpoint_event())
        return envelopes[0]

    async def close(self) -> None:
        if self._committing is not None and self._process.alive:
            await asyncio.wait([self._committing])

    async def _commit(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            stamped: list[Sequence[Envelope]] = []
            for drafts, _ in batch:
                before = sum(len(each) for each in stamped)
                stamped.append([self._stamp(*draft, before + place) for place, draft in enumerate(drafts)])
            try:
                await asyncio.sleep(self._disk.chance.uniform(0.0005, 0.02))
            except asyncio.CancelledError:
                if self._disk.chance.random() < 0.5:
                    self._store(stamped)  # the disk was quicker than the kill
                raise
            fate = self._disk.fate()
            if fate in ("well", "killed after", "error, stored") and not self._disk.forgets():
                self._store(stamped)
            if fate in ("killed before", "killed after"):
                self._process.kill()
                return
            if fate != "well":
                self._refuse(batch, fate)
                return
            for envelopes, (_, future) in zip(stamped, batch, strict=True):
                self._acknowledge(envelopes, future)
            if len(self._disk.events) - self._checkpointed >= CHECKPOINT_EVERY:
                self._waiting.append(self._checkpoint_draft())

    def _acknowledge(self, envelopes: Sequence[Envelope], future: asyncio.Future[Sequence[Envelope]]) -> None:
        if not future.done():
            future.set_result(envelopes)
            self._disk.acknowledged += [(envelope.seq, envelope.id) for envelope in envelopes]

    def _refuse(self, batch: Sequence[_Waiting], fate: Fate) -> None:
        self._failed = LogFullError(f"simulated: {fate}")
        refused, self._waiting = [*batch, *self._waiting], []
        for _, future in refused:
            if not future.done():
                future.set_exception(LogFullError(str(self._failed)))
                future.exception()  # whoever waited may be gone

    def _store(self, stamped: Sequence[Sequence[Envelope]]) -> None:
        for envelopes in stamped:
            self._disk.store(envelopes)

    def _stamp(self, event: Event, wall_ns: int, mono_ns: int, ahead: int) -> Envelope:
        return Envelope(
            id=self._ids(),
            type=event.TYPE,
            v=event.VERSION,
            source=self.source,
            boot=self._clock.boot,
            seq=len(self._disk.events) + 1 + ahead,
            wall_ns=wall_ns,
            mono_ns=mono_ns,
            data=Raw(encode_event(event)),
        )

    def _checkpoint_event(self) -> LogCheckpointed:
        frontier = self._disk.frontier
        self._checkpointed = frontier.size + 1
        return LogCheckpointed(size=frontier.size, root=frontier.root(), subtrees=frontier.subtrees)

    def _checkpoint_draft(self) -> _Waiting:
        draft = (self._checkpoint_event(), self._clock.wall_ns(), self._clock.mono_ns())
        return [draft], asyncio.get_running_loop().create_future()


def acknowledged_but_gone(disk: Disk) -> Sequence[int]:
    """Positions that an append had acknowledged and where the log has another event or none."""
    return [
        seq for seq, event in disk.acknowledged if seq > len(disk.events) or disk.events[seq - 1].envelope.id != event
    ]
