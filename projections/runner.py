"""Moves projections along their sources: read, fold, insert, checkpoint.

Pure folding is in ``projections/folding.py``. Here are positions, order of writes and what stops the reader.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog

from projections.careful import Careful, fold_carefully
from projections.checkpoints import CHECKPOINTS, CheckpointRow, read_checkpoints, record_definitions
from projections.contract import AnyProjection
from projections.errors import FoldedOtherwiseError, LogReplacedError, SourceGapError
from projections.exchanging import finish_exchanges, finish_following
from projections.folding import Folded, Place, fold_batch
from projections.identities import Identities
from projections.limits import Limits, Tally
from projections.quarantine import hold, lost_positions
from projections.rebuilds import PREFIX, RebuildRow, read_rebuilds
from projections.source import EventSource
from projections.store.contract import Store
from schemas.definitions import Definitions
from schemas.errors import DecodeError, MesswerkError
from schemas.log import StoredEvent

_LOOK_AGAIN_S: Final = 5.0

_log = structlog.get_logger(__name__)


def _random_nonce() -> str:
    return secrets.token_hex(8)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How much is done at once, and how long others get between two helpings.

    Folding runs in a thread, and Python's threads take turns: while a batch is folded, a timestamp taken
    elsewhere in the process can be late by up to the interpreter's switch interval. Where that matters, fold
    in a process of its own; otherwise small slices with pauses keep it rare.

    batch_events: events read, inserted and checkpointed together.
    slice_events: events folded in one go.
    pause_s: rest after each slice.
    """

    batch_events: int = 20_000
    slice_events: int = 200
    pause_s: float = 0.0


GENTLE = Pace(batch_events=200, slice_events=5, pause_s=0.005)
"""For a process that measures at the same time."""


class Runner:
    """Folds one source's events through some projections into one store.

    ``pace`` may be changed between two steps. ``tables`` maps a table's name to the one that rows go to
    instead (a rebuild's shadow); ``prefix`` keeps a rebuild's checkpoints apart. ``nonce`` tells this
    runner's inserts from those of any other: its tokens protect its own retries, and rows folded twice
    replace themselves. ``now_ns`` dates what is written of rebuilds.

    What cannot be decoded goes to quarantine within ``limits``; see ``projections/quarantine.py``. A source of
    several daemons' events may be shared with other runners: whenever it changes hands, checkpoints are read
    again, and trouble with one daemon's events stops those alone (:attr:`stopped`) until the next opening.

    A rebuild may put other tables in place at any time. A runner looks for that now and then, and goes on from
    where the new tables are; what a killed rebuild left undone is done by whoever looks first.
    """

    def __init__(
        self,
        store: Store,
        projections: Sequence[AnyProjection],
        definitions: Definitions,
        *,
        pace: Pace | None = None,
        tables: Mapping[str, str] | None = None,
        prefix: str = "",
        nonce: Callable[[], str] = _random_nonce,
        now_ns: Callable[[], int] = time.time_ns,
        limits: Limits | None = None,
    ) -> None:
        self._nonce = nonce()
        self._store = store
        self._projections = tuple(projections)
        self._definitions = definitions
        self.pace = pace or Pace()
        self._into = dict(tables or {})
        self._prefix = prefix
        self._places: dict[tuple[str, str], Place] = {}
        self._unchecked: set[str] = set()
        self._now_ns = now_ns
        self._rebuilds: Mapping[str, RebuildRow] = {}
        self._following: dict[str, RebuildRow] = {}
        self._looked_s = 0.0
        self._tally = Tally(limits or Limits())
        self._identities = Identities()
        self._generation = 0
        self._stopped: dict[str, MesswerkError] = {}

    @property
    def positions(self) -> dict[str, int]:
        """Position by source up to which every projection has folded."""
        sources = {source for _, source in self._places}
        return {source: min(self._seq(projection, source) for projection in self._projections) for source in sources}

    @property
    def stopped(self) -> Mapping[str, MesswerkError]:
        """Sources of a shared carrier that cannot be folded any further, and why."""
        return dict(self._stopped)

    async def open(self) -> None:
        """Take up every projection where its checkpoint left it.

        Raises :class:`FoldedOtherwiseError` when the rows were made under other definitions or by another
        version of the projection.
        """
        await record_definitions(self._store, self._definitions)
        self._places.clear()
        self._unchecked.clear()
        self._stopped.clear()
        if not self._prefix:
            self._rebuilds = await finish_exchanges(self._store, self._now_ns)
            self._following = {name: row for name, row in self._rebuilds.items() if row.phase == "following"}
            self._looked_s = asyncio.get_running_loop().time()
        known = {self._kept_as(projection.name): projection for projection in self._projections}
        for row in await read_checkpoints(self._store):
            projection = known.get(row.projection)
            if projection is not None:
                self._check_made_alike(row, projection)
                self._places[projection.name, row.source] = Place(row.seq, row.event, _state(row, projection))
                self._unchecked.add(row.source)
        self._identities.start(self._places)

    async def step(self, source: EventSource) -> int:
        """Fold one batch; return how many events it had that were new, 0 at the end."""
        await self._look_for_rebuilds()
        while batch := await self._read(source):
            if source.shared:
                self._stop(self._identities.compare(batch))
                batch = [stored for stored in batch if stored.envelope.source not in self._stopped]
            folded = await self._fold(batch, shared=source.shared)
            await self._write(folded)
            self._tally.note_good(folded.events)
            if folded.events or not source.shared:  # a batch of nothing but duplicates is not the end of a topic
                return folded.events
        await self._finish_following(source)
        return 0

    async def fold_available(self, source: EventSource) -> int:
        """Fold until the source has nothing more; return how many events that were."""
        total = 0
        while True:
            events = await self.step(source)
            if events == 0:
                return total
            total += events

    async def follow(self, source: EventSource, stop: asyncio.Event, *, interval_s: float) -> None:
        """Fold what is there and what comes, until ``stop`` is set; look again every ``interval_s``."""
        while not stop.is_set():
            if await self.step(source):
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), interval_s)

    async def _read(self, source: EventSource) -> Sequence[StoredEvent]:
        """Return the next events of a source whose positions are ours to move."""
        while True:
            while source.generation != self._generation:
                self._generation = source.generation
                await self.open()
            if self._unchecked and not source.shared:
                await self._check_same_log(source)
            source.stop_sources(self._stopped)
            batch = await source.read_after(self.positions, limit=self.pace.batch_events)
            if source.generation != self._generation:
                continue
            undecodable = source.undecodable()
            if undecodable:
                undecided = await hold(self._store, undecodable, (), now_ns=self._now_ns())
                source.kept([each.name for each in undecodable])
                for each in undecodable:
                    if each.name in undecided:
                        self._tally.note_bad(each.run)
            if batch or not undecodable:
                return batch

    def _stop(self, sources: Mapping[str, MesswerkError]) -> None:
        for name, reason in sources.items():
            if name not in self._stopped:
                self._stopped[name] = reason
                _log.error("a source stopped; the others go on", source=name, reason=str(reason))

    def _kept_as(self, projection: str) -> str:
        """Name of a projection in checkpoints."""
        return (PREFIX if projection in self._following else self._prefix) + projection

    async def _look_for_rebuilds(self) -> None:
        """Begin again at the checkpoints when other tables were put in place."""
        now_s = asyncio.get_running_loop().time()
        if self._prefix or now_s - self._looked_s < _LOOK_AGAIN_S:
            return
        self._looked_s = now_s
        found = await read_rebuilds(self._store)
        if any(
            row.phase != "folding" and (name not in self._rebuilds or self._rebuilds[name].change != row.change)
            for name, row in found.items()
        ):
            await self.open()

    async def _finish_following(self, source: EventSource) -> None:
        """At the end of the events nothing is missing any more in tables that a rebuild put in place."""
        if not self._following:
            return
        ends = await source.ends()
        for projection in self._projections:
            row = self._following.get(projection.name)
            if row is not None and all(self._seq(projection, name) >= seq for name, seq in ends.items()):
                places = {key: place for key, place in self._places.items() if key[0] == projection.name}
                del self._following[projection.name]
                await finish_following(self._store, row, self._checkpoints(places), self._now_ns)

    def _seq(self, projection: AnyProjection, source: str) -> int:
        place = self._places.get((projection.name, source))
        return place.seq if place else 0

    def _check_made_alike(self, row: CheckpointRow, projection: AnyProjection) -> None:
        if row.definition != self._definitions.id:
            raise FoldedOtherwiseError(
                f"{projection.name} was folded under definitions {row.definition}, and {self._definitions.id} is "
                "configured: figures of both must not mix. Run `messwerk rebuild` to fold the whole log anew"
            )
        if row.version != projection.version:
            raise FoldedOtherwiseError(
                f"{projection.name} was folded by version {row.version} of the projection, and this build has "
                f"version {projection.version}. Run `messwerk rebuild {projection.name}`"
            )

    async def _check_same_log(self, source: EventSource) -> None:
        """Compare the event at each place that was taken up with the one that was folded there."""
        ends = await source.ends()
        for (name, of), place in self._places.items():
            if of in self._unchecked and of in ends and await source.identify(of, place.seq) != place.event:
                raise LogReplacedError(
                    f"{name} has folded {of!r} up to position {place.seq}, but the log has another event or none "
                    "there: it is not the log that the tables came from. Bring that log back, or run "
                    "`messwerk rebuild` to fold this one"
                )
        self._unchecked.clear()

    async def _fold(self, batch: Sequence[StoredEvent], *, shared: bool) -> Folded:
        """Fold a batch slice by slice in a thread, so that others get their turn in between."""
        places = dict(self._places)
        parts: list[Folded] = []
        for begin in range(0, len(batch), self.pace.slice_events):
            piece = [
                stored
                for stored in batch[begin : begin + self.pace.slice_events]
                if stored.envelope.source not in self._stopped
            ]
            try:
                made = [await asyncio.to_thread(fold_batch, piece, self._projections, places, self._definitions)]
            except (SourceGapError, DecodeError):
                made = await self._fold_carefully(piece, places, shared=shared)
            for part in made:
                places.update(part.places)
                parts.append(part)
            if self.pace.pause_s:
                await asyncio.sleep(self.pace.pause_s)
        return _joined(parts)

    async def _fold_carefully(
        self, piece: Sequence[StoredEvent], places: Mapping[tuple[str, str], Place], *, shared: bool
    ) -> list[Folded]:
        """Put aside what cannot be decoded, stop whoever cannot go on, and fold the rest."""
        excused = await lost_positions(self._store)
        careful: Careful = await asyncio.to_thread(
            fold_carefully, piece, self._projections, places, self._definitions, excused
        )
        undecided = await hold(self._store, (), careful.poisoned, now_ns=self._now_ns())
        poisoned = {each.stored.envelope.id for each in careful.poisoned}
        for stored in piece:
            name = f"{stored.envelope.source}@{stored.envelope.seq}"
            self._tally.note_source(stored.envelope.source, bad=stored.envelope.id in poisoned and name in undecided)
        if not shared:
            for problem in careful.stopped.values():
                raise problem
        self._stop(careful.stopped)
        return list(careful.parts)

    async def _write(self, folded: Folded) -> None:
        """Rows first, then the checkpoint, then our own memory of it."""
        if not folded.places:
            return
        spans = ",".join(f"{source}:{folded.first_seq[source]}-{seq}" for source, seq in folded.last_seq.items())
        token = f"{self._nonce}/{spans}"
        tables = [table for projection in self._projections for table in projection.tables]
        written = await asyncio.gather(
            *(
                self._store.insert(
                    table,
                    folded.rows.get(table.name, ()),
                    token=f"{table.name}/{token}",
                    into=self._into.get(table.name),
                )
                for table in tables
            ),
            return_exceptions=True,  # none may go on after this, for the same batch may be inserted again
        )
        for problem in written:
            if isinstance(problem, BaseException):
                raise problem
        checkpoints = self._checkpoints(folded.places)
        await self._store.insert(CHECKPOINTS, checkpoints, token=f"checkpoints/{token}")
        self._places.update(folded.places)

    def _checkpoints(self, places: Mapping[tuple[str, str], Place]) -> list[CheckpointRow]:
        versions = {projection.name: projection.version for projection in self._projections}
        return [
            CheckpointRow(
                source=source,
                seq=place.seq,
                projection=self._kept_as(name),
                version=versions[name],
                definition=self._definitions.id,
                event=place.event,
                state=msgspec.msgpack.encode(place.state).hex(),
            )
            for (name, source), place in places.items()
            if place.event is not None
        ]


def _state(row: CheckpointRow, projection: AnyProjection) -> msgspec.Struct:
    state: msgspec.Struct = msgspec.msgpack.decode(bytes.fromhex(row.state), type=projection.state_type)
    return state


def _joined(parts: Sequence[Folded]) -> Folded:
    places: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[object]] = {}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for part in parts:
        places.update(part.places)
        last.update(part.last_seq)
        for source, seq in part.first_seq.items():
            first.setdefault(source, seq)
        for table, more in part.rows.items():
            rows.setdefault(table, []).extend(more)
    return Folded(places, rows, first, last, sum(part.events for part in parts))  # type: ignore[arg-type]
