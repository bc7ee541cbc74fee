"""Moves projections along their sources: read, fold, insert, checkpoint.

Folding a batch is ``projections/batches.py``'s, pure folding ``projections/folding.py``'s. Here are positions and
the order of writes.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog

from projections.batches import BatchFolder
from projections.checkpoints import (
    CHECKPOINTS,
    CheckpointRow,
    checkpoint_rows,
    place_taken_up,
    read_checkpoints,
    record_definitions,
)
from projections.collecting import seldom_collected
from projections.contract import AnyProjection
from projections.errors import LogReplacedError, ProjectionError, QuarantineLimitError, StoreError
from projections.exchanging import finish_exchanges, finish_following
from projections.folding import Folded, Place
from projections.identities import Identities
from projections.limits import Limits, Tally
from projections.pace import Pace
from projections.quarantine import hold
from projections.rebuilds import PREFIX, RebuildRow, read_rebuilds
from projections.retries import Again, Retries, Retry
from projections.source import EventSource
from projections.stops import StopBook
from projections.store.contract import Store
from schemas.definitions import Definitions
from schemas.errors import DecodeError, MesswerkError
from schemas.log import StoredEvent

_LOOK_AGAIN_S: Final = 5.0

_log = structlog.get_logger(__name__)


def _random_nonce() -> str:
    return secrets.token_hex(8)


class Runner:
    """Folds one source's events through some projections into one store.

    ``pace`` may be changed between two steps. ``tables`` maps a table's name to the one that rows go to
    instead (a rebuild's shadow); ``prefix`` keeps a rebuild's checkpoints apart. ``nonce`` tells this
    runner's inserts from those of any other: its tokens protect its own retries, and rows folded twice
    replace themselves. ``now_ns`` dates what is written of rebuilds.

    What cannot be decoded goes to quarantine within ``limits``; see ``projections/quarantine.py``. A source of
    several daemons' events may be shared with other runners: whenever it changes hands, checkpoints are read
    again, and trouble with one daemon's events stops those alone (:attr:`stopped`). They are tried again as
    ``again`` says, and at each opening; which sources stand still is in the store (``projections/stops.py``).

    A rebuild may put other tables in place at any time. A runner looks for that now and then, and goes on from
    where the new tables are; what a killed rebuild left undone is done by whoever looks first.
    """

    def __init__(  # noqa: PLR0913  # what a rebuild or a test gives by name
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
        again: Again | None = None,
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
        self._batches = BatchFolder(store, self._projections, definitions, self._tally, now_ns)
        self._identities = Identities()
        self._retries = Retries(again or Again())
        self._stops = StopBook(store, ",".join(sorted(each.name for each in self._projections)), now_ns)
        self._generation = 0

    @property
    def positions(self) -> dict[str, int]:
        """Position by source up to which every projection has folded."""
        sources = {source for _, source in self._places}
        return {source: min(self._seq(projection, source) for projection in self._projections) for source in sources}

    @property
    def stopped(self) -> Mapping[str, MesswerkError]:
        """Sources of a shared carrier that cannot be folded any further, and why."""
        return dict(self._batches.stopped)

    def retries(self, now_s: float) -> Mapping[str, Retry]:
        """When each stopped source is tried next, by the clock of the running loop."""
        return {source: each for source, each in self._retries.waiting(now_s).items() if source in self.stopped}

    async def open(self) -> None:
        """Take up every projection where its checkpoint left it.

        Raises :class:`FoldedOtherwiseError` when the rows were made under other definitions or by another
        version of the projection.
        """
        await record_definitions(self._store, self._definitions)
        self._places.clear()
        self._unchecked.clear()
        self._batches.stopped.clear()
        if not self._prefix:
            self._rebuilds = await finish_exchanges(self._store, self._now_ns)
            self._following = {name: row for name, row in self._rebuilds.items() if row.phase == "following"}
            self._looked_s = asyncio.get_running_loop().time()
        known = {self._kept_as(projection.name): projection for projection in self._projections}
        for row in await read_checkpoints(self._store):
            projection = known.get(row.projection)
            if projection is not None:
                self._places[projection.name, row.source] = place_taken_up(row, projection, self._definitions)
                self._unchecked.add(row.source)
        self._identities.start(self._places)
        if not self._prefix:
            await self._stops.open(self.positions)

    async def step(self, source: EventSource) -> int:
        """Fold one batch; return how many events it had that were new, 0 at the end."""
        try:
            with self._tally.all_or_nothing(), seldom_collected() if self.pace.is_full else contextlib.nullcontext():
                events = await self._step(source)
        except (ProjectionError, DecodeError) as problem:
            await self._tell_refused(problem)
            raise
        await self._tell_stopped()
        if not events and not self._prefix:
            await self._stops.read_to_the_end()
        return events

    async def _tell_refused(self, problem: MesswerkError) -> None:
        if isinstance(problem, QuarantineLimitError):
            refused: Mapping[str, MesswerkError] = {problem.source: problem}
        else:
            refused, self._batches.refused = self._batches.refused, {}
        if refused and not self._prefix:
            try:
                await self._stops.stopped(refused, self.positions)
            except StoreError as trouble:
                _log.warning("which source stopped could not be written down", reason=str(trouble))

    async def _tell_stopped(self) -> None:
        """Plan the next tries of what stands still, and write down what changed."""
        now_s, positions = asyncio.get_running_loop().time(), self.positions
        for name in self._batches.stopped:
            self._retries.stopped(name, positions.get(name, 0), now_s)
        if not self._prefix:
            await self._stops.passed(positions)
            await self._stops.stopped(self._batches.stopped, positions)

    def _take_up_stopped(self) -> None:
        """Let go on whoever is due; who still cannot is stopped again, and waits for longer."""
        for name in self._retries.due(asyncio.get_running_loop().time()):
            if self._batches.stopped.pop(name, None) is None:
                self._retries.forget(name)
            else:
                _log.info("a source that stopped is tried again", source=name)

    async def _step(self, source: EventSource) -> int:
        self._take_up_stopped()
        await self._look_for_rebuilds()
        while batch := await self._read(source):
            if source.shared:
                self._batches.stop(self._identities.compare(batch))
                batch = [stored for stored in batch if stored.envelope.source not in self._batches.stopped]
            folded = await self._batches.fold(batch, self._places, self.pace, shared=source.shared)
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
            source.stop_sources(self._batches.stopped)
            batch = await source.read_after(self.positions, limit=self.pace.batch_events)
            if source.generation != self._generation:
                continue
            undecodable = source.undecodable()
            if undecodable:
                undecided = await hold(self._store, undecodable, (), now_ns=self._now_ns())
                for each in undecodable:
                    if each.name in undecided:
                        self._tally.note_bad(each.run, source=each.source or "")
                source.kept([each.name for each in undecodable])
            if batch or not undecodable:
                return batch

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
            (row.phase != "folding" or name in self._following)
            and (name not in self._rebuilds or self._rebuilds[name].change != row.change)
            for name, row in found.items()
        ):
            await self.open()

    async def _finish_following(self, source: EventSource) -> None:
        """At the end of the events nothing is missing any more in tables that a rebuild put in place."""
        if not self._following:
            return
        ends = await source.ends()
        finished = [
            self._following.pop(each.name)
            for each in self._projections
            if each.name in self._following and all(self._seq(each, name) >= seq for name, seq in ends.items())
        ]
        if finished:
            names = {row.projection for row in finished}
            places = {key: place for key, place in self._places.items() if key[0] in names}
            await finish_following(self._store, finished, self._checkpoint_rows(places), self._now_ns)

    def _seq(self, projection: AnyProjection, source: str) -> int:
        place = self._places.get((projection.name, source))
        return place.seq if place else 0

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
        checkpoints = self._checkpoint_rows(folded.places)
        await self._store.insert(CHECKPOINTS, checkpoints, token=f"checkpoints/{token}")
        self._places.update(folded.places)

    def _checkpoint_rows(self, places: Mapping[tuple[str, str], Place]) -> list[CheckpointRow]:
        versions = {projection.name: projection.version for projection in self._projections}
        return checkpoint_rows(places, versions, self._definitions.id, kept_as=self._kept_as)
