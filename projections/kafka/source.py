"""The Kafka topic as an event source: members of a group share its partitions, positions stay the truth.

A source lives in one partition, because its name is the key of its records. After a rebalance the runner reads
its checkpoints again; only then does it say from where it wants to read, and only then is a partition sought.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final
from uuid import UUID

from projections.errors import SourceUnreachableError
from projections.kafka.backlog import Backlog
from projections.kafka.carrier import Carrier, OffsetsLostError, Record
from projections.kafka.membership import refuse_strangers
from projections.kafka.places import start
from projections.source import EventSource, Undecodable
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError
from schemas.log import StoredEvent

_POLL_S: Final = 0.2
_MORE_S: Final = 0.02
_JOIN_S: Final = 60.0
_LET_FINISH_S: Final = 10.0
_TAIL_RECORDS: Final = 500
_LOOK_RECORDS: Final = 2000


class KafkaSource(EventSource):
    """One member's share of a topic. ``tables`` is the identity of the tables that it is folded into, if known."""

    def __init__(self, carrier: Carrier, tables: str | None = None) -> None:
        self._carrier = carrier
        self._tables = tables
        self._generation = 0
        self._joined = asyncio.Event()
        self._backlogs: dict[int, Backlog] = {}
        self._unplaced: set[int] = set()
        self._runs: dict[int, int] = {}
        self._kept: set[str] = set()
        self._untold = False
        self._stopped: frozenset[str] = frozenset()
        self._records_read = 0
        self._newest: dict[int, dict[str, int]] = {}
        self._looked: dict[int, int] = {}
        self._left_offsets: dict[int, int] = {}
        # Set while nobody folds what was read here, so that partitions can be handed over.
        self._idle = asyncio.Event()
        self._idle.set()

    async def open(self) -> None:
        """Join the group.

        Raises :class:`SourceUnreachableError` when that does not come about, and :class:`GroupTakenError` when the
        group fills other tables.
        """
        await self._refuse_strangers(joined=False)
        await self._carrier.start(revoked=self._on_revoked, assigned=self._on_assigned)
        try:
            async with asyncio.timeout(_JOIN_S):
                while not self._joined.is_set():
                    await self._carrier.check()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._joined.wait(), _POLL_S)
        except TimeoutError:
            raise SourceUnreachableError(
                f"no partitions of topic {self._carrier.topic!r} were given to this reader within {_JOIN_S:g} s: "
                "look whether the broker has a coordinator for the group (`messwerk kafka check`)"
            ) from None
        await self._refuse_strangers(joined=True)

    async def _refuse_strangers(self, *, joined: bool) -> None:
        group = self._carrier.group
        if group is not None and self._tables is not None:
            await refuse_strangers(self._carrier.members, self._tables, group=group, joined=joined)

    @property
    def shared(self) -> bool:
        """See :class:`EventSource`."""
        return True

    @property
    def generation(self) -> int:
        """See :class:`EventSource`."""
        return self._generation

    @property
    def records_read(self) -> int:
        """See :class:`EventSource`."""
        return self._records_read

    @property
    def partitions(self) -> frozenset[int]:
        """Partitions that are this member's now."""
        return frozenset(self._backlogs) | frozenset(self._unplaced)

    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`EventSource`. What the positions cover is remembered for the group, as a hint."""
        self._idle.set()
        generation = self._generation
        await self._place(positions)
        self._settle(positions)
        await self._remember()
        while not self._has_news(positions, limit) and generation == self._generation:
            if not await self._poll(positions, limit) and await self._is_at_end():
                for backlog in self._backlogs.values():
                    backlog.show_gaps()
                break
        # A broker hands out a few megabytes at once; tables are filled best by batches of full length.
        while (
            generation == self._generation and self._waiting < limit and await self._poll(positions, limit, _MORE_S)
        ):
            pass
        if generation != self._generation:
            return ()
        self._untold = False
        batch: list[StoredEvent] = []
        for backlog in self._backlogs.values():
            batch += islice(backlog.fresh(positions), max(0, limit - len(batch)))
        if batch:
            self._idle.clear()
        return batch

    async def ends(self) -> Mapping[str, int]:
        """See :class:`EventSource`.

        Known from the newest records of each partition and from what was read so far: of a source that has
        been silent for long, and was not reached by reading yet, the end may be unknown.
        """
        found: dict[str, int] = {}
        for partition, (begin, end) in (await self._carrier.bounds(self.partitions)).items():
            if self._looked.get(partition) != end:
                first = max(begin, end - _TAIL_RECORDS)
                for record in await self._carrier.look(partition, first, end):
                    self._note_newest(partition, _decoded(self._carrier.topic, record, 1))
                self._looked[partition] = end
            found.update(self._newest.get(partition, {}))
        return found

    async def identify(self, source: str, seq: int) -> UUID | None:
        """See :class:`EventSource`. Reads partitions from their beginnings: for looking into things, not for work."""
        for partition, (begin, end) in (await self._carrier.bounds(self.partitions)).items():
            for first in range(begin, end, _LOOK_RECORDS):
                for record in await self._carrier.look(partition, first, min(end, first + _LOOK_RECORDS)):
                    item = _decoded(self._carrier.topic, record, 1)
                    if isinstance(item, StoredEvent) and (item.envelope.source, item.envelope.seq) == (source, seq):
                        return item.envelope.id
        return None

    def undecodable(self) -> Sequence[Undecodable]:
        """See :class:`EventSource`."""
        return [
            item for each in self._backlogs.values() for item in each.undecodable() if item.name not in self._kept
        ]

    def kept(self, names: Collection[str]) -> None:
        """See :class:`EventSource`."""
        self._kept.update(names)

    def stop_sources(self, sources: Collection[str]) -> None:
        """See :class:`EventSource`."""
        if self._stopped - frozenset(sources):
            # Their events were let go; only reading again from the remembered place brings them back.
            self._unplaced |= self.partitions
        self._stopped = frozenset(sources)

    async def close(self) -> None:
        """Leave the group."""
        self._idle.set()
        await self._carrier.close()

    async def _on_revoked(self, partitions: Collection[int]) -> None:
        # The new owner reads the checkpoints: better after this member has written its last one. If that takes
        # too long both fold the same for a moment, and rows and checkpoints replace themselves.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), _LET_FINISH_S)
        for partition in partitions:
            self._forget(partition)
        self._generation += 1

    async def _on_assigned(self, partitions: Collection[int]) -> None:
        for partition in partitions:
            self._forget(partition)
        self._unplaced |= set(partitions)
        self._generation += 1
        self._joined.set()

    def _forget(self, partition: int) -> None:
        self._unplaced.discard(partition)
        for kept in (self._backlogs, self._runs, self._newest, self._looked, self._left_offsets):
            kept.pop(partition, None)

    async def _place(self, positions: Mapping[str, int]) -> None:
        """Seek every partition that is new here, or of which more is wanted again than still waits."""
        self._unplaced |= {number for number, backlog in self._backlogs.items() if backlog.is_behind(positions)}
        wanted = set(self._unplaced)
        if not wanted:
            return
        generation = self._generation
        remembered = await self._carrier.remembered(wanted)
        bounds = await self._carrier.bounds(wanted)
        if generation != self._generation:
            return
        for partition in wanted:
            begin = start(remembered.get(partition), bounds[partition], positions)
            self._backlogs[partition] = Backlog(begin)
            self._runs[partition] = 0
            self._carrier.seek(partition, begin.offset)
        self._unplaced -= wanted

    def _settle(self, positions: Mapping[str, int]) -> None:
        kept = frozenset(self._kept)
        for backlog in self._backlogs.values():
            backlog.settle(positions, self._stopped, kept)
        self._kept &= {item.name for each in self._backlogs.values() for item in each.undecodable()}

    async def _remember(self) -> None:
        moved = {
            partition: remembered
            for partition, backlog in self._backlogs.items()
            if (remembered := backlog.remembered()).offset != self._left_offsets.get(partition)
        }
        if moved:
            await self._carrier.remember(moved)
            self._left_offsets |= {partition: each.offset for partition, each in moved.items()}

    def _has_news(self, positions: Mapping[str, int], limit: int) -> bool:
        if any(backlog.has_fresh(positions) for backlog in self._backlogs.values()):
            return True
        return self._untold or self._waiting >= limit

    @property
    def _waiting(self) -> int:
        """Records that were read and are not settled."""
        return sum(len(backlog) for backlog in self._backlogs.values())

    async def _poll(self, positions: Mapping[str, int], limit: int, timeout_s: float = _POLL_S) -> bool:
        try:
            records = await self._carrier.poll(timeout_s=timeout_s, limit=limit)
        except OffsetsLostError as lost:
            # The checkpoints decide again; what is really missing shows as a gap.
            self._unplaced |= lost.partitions & self.partitions
            await self._place(positions)
            return True
        for record in records:
            backlog = self._backlogs.get(record.partition)
            if backlog is None or record.partition in self._unplaced:
                continue
            item = _decoded(self._carrier.topic, record, self._runs[record.partition] + 1)
            self._runs[record.partition] = item.run if isinstance(item, Undecodable) else 0
            self._untold |= isinstance(item, Undecodable)
            self._note_newest(record.partition, item)
            backlog.add(record.offset, item, positions)
        if records and self._stopped:
            self._settle(positions)
        self._records_read += len(records)
        return bool(records)

    def _note_newest(self, partition: int, item: StoredEvent | Undecodable) -> None:
        if isinstance(item, StoredEvent):
            newest = self._newest.setdefault(partition, {})
            newest[item.envelope.source] = max(item.envelope.seq, newest.get(item.envelope.source, 0))

    async def _is_at_end(self) -> bool:
        bounds = await self._carrier.bounds(self._backlogs)
        for partition, (_, end) in bounds.items():
            if partition in self._backlogs and await self._carrier.position(partition) < end:
                return False
        return True


def _decoded(topic: str, record: Record, run: int) -> StoredEvent | Undecodable:
    raw = record.value or b""
    try:
        return StoredEvent(decode_envelope(raw), raw)
    except DecodeError as problem:
        return Undecodable(
            name=f"{topic}/{record.partition}/{record.offset}",
            topic=topic,
            partition=record.partition,
            offset=record.offset,
            source=record.key.decode(errors="replace") if record.key else None,
            raw=raw,
            reason=str(problem),
            run=run,
        )
