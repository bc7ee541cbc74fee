"""From where the log is forwarded, for every way in which topic, mark and log can stand to one another."""

from __future__ import annotations

import asyncio

import pytest
from made_events import NOON, MadeLog, endpoint
from memory_sink import MemoryShelf, MemorySink

from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.importing import NoMark
from daemon.forwarding.marks import Standing
from daemon.forwarding.resuming import Mark, SameSourceError
from daemon.forwarding.sink import Place, TopicView
from schemas.clocks import ManualClock
from schemas.envelope import decode_envelope


class Rig:
    """A log, a shelf, and forwarders that live as long as it takes until nothing waits, or for some pauses."""

    def __init__(self, source: str = "lab", shelf: MemoryShelf | None = None, serial: int = 0) -> None:
        self.log = MadeLog(source)
        self.log._ids = serial
        self.shelf = shelf or MemoryShelf()
        self.marks = NoMark()
        self.told: list[Standing] = []

    def grow(self, count: int) -> None:
        for _ in range(count):
            self.log.declare(endpoint(), at=NOON)

    async def live(self, pauses: int = 1) -> None:
        """Let a new forwarder work until it has paused so often."""
        paused = [0]

        async def pause(_seconds: float) -> None:
            paused[0] += 1

        forwarder = Forwarder(
            self.log, MemorySink(self.shelf), self.marks, clock=ManualClock(0), pause=pause, tell=self.told.append
        )
        await forwarder.run(lambda: paused[0] >= pauses)

    @property
    def seqs(self) -> list[int]:
        return [decode_envelope(raw).seq for key, raw in self.shelf.records if key == self.log.source]


async def test_events_are_shipped_once_and_in_order() -> None:
    """What waits is shipped in order; a later forwarder ships what came since, and nothing again."""
    rig = Rig()
    rig.grow(10)
    await rig.live()
    rig.grow(4)
    await rig.live()
    assert rig.seqs == list(range(1, 15))
    assert rig.marks.read().seq == 14


async def test_a_lost_acknowledgement_costs_nothing() -> None:
    """A batch that arrived without being acknowledged is found in the topic and not sent again."""
    rig = Rig()
    rig.grow(10)
    rig.shelf.lose_acknowledgement = True
    await rig.live(pauses=2)
    assert rig.seqs == list(range(1, 11))


async def test_a_lost_mark_is_found_in_the_topic() -> None:
    """Without a mark the topic's newest event of the source says where to go on, other sources between or not."""
    rig = Rig()
    rig.grow(5)
    await rig.live()
    other = Rig("other", rig.shelf, serial=100)
    other.grow(9)
    await other.live()
    rig.marks = NoMark()
    rig.grow(2)
    await rig.live()
    assert rig.seqs == list(range(1, 8))


async def test_a_topic_made_anew_gets_everything_again() -> None:
    """When the topic holds nothing where the mark is, the log is shipped from its start."""
    rig = Rig()
    rig.grow(8)
    await rig.live()
    rig.shelf.records.clear()
    other = Rig("other", rig.shelf, serial=100)
    other.grow(20)
    await other.live()
    rig.grow(1)
    await rig.live()
    assert rig.seqs == list(range(1, 10))


async def test_a_topic_that_lost_its_end_gets_it_again() -> None:
    """When the topic's end is gone, shipping goes on after the newest event that is still there."""
    rig = Rig()
    rig.grow(8)
    await rig.live()
    del rig.shelf.records[5:]
    await rig.live()
    assert rig.seqs == list(range(1, 9))


async def test_what_retention_took_is_not_shipped_again() -> None:
    """A source whose every record has expired goes on after its mark."""
    rig = Rig()
    rig.grow(8)
    await rig.live()
    other = Rig("other", rig.shelf, serial=100)
    other.grow(3)
    await other.live()
    rig.shelf.expire(9)
    rig.grow(1)
    await rig.live()
    assert rig.seqs == list(range(1, 10))


async def test_a_topic_made_anew_between_two_batches_is_noticed() -> None:
    """An offset that falls back gives the change away: the whole log follows, whatever was sent in between."""
    rig = Rig()
    rig.grow(6)
    paused = [0]

    async def pause(_seconds: float) -> None:
        paused[0] += 1
        if paused[0] == 1:
            rig.shelf.records.clear()
            rig.grow(2)

    forwarder = Forwarder(rig.log, MemorySink(rig.shelf), rig.marks, clock=ManualClock(0), pause=pause)
    await forwarder.run(lambda: paused[0] >= 3)
    assert rig.seqs == [7, 8, *range(1, 9)]
    assert rig.marks.read().again is False


async def test_a_kill_while_shipping_again_does_not_trust_what_lies_there() -> None:
    """While everything is shipped again, a new forwarder goes on from the mark and not from the topic's newest."""
    rig = Rig()
    rig.grow(8)
    rig.marks.write(Mark(again=True))
    rig.shelf.records += [("lab", each.raw) for each in rig.log.events[6:]]
    await rig.live()
    assert rig.seqs == [7, 8, *range(1, 9)]


@pytest.mark.parametrize("others", [3, 12])
async def test_two_logs_of_one_name_stop_the_later_one(others: int) -> None:
    """A topic whose newest event of the source is not this log's stops forwarding with what to do."""
    first = Rig()
    first.grow(others)
    await first.live()
    second = Rig(shelf=first.shelf, serial=500)
    second.grow(7)
    with pytest.raises(SameSourceError, match=r"another daemon uses the name 'lab'"):
        await second.live()
    assert second.told[-1].state == "stopped"
    assert first.seqs == list(range(1, others + 1))


class Together(MemorySink):
    """Lets nobody send before everybody has looked."""

    def __init__(self, shelf: MemoryShelf, barrier: asyncio.Barrier) -> None:
        super().__init__(shelf)
        self._barrier = barrier

    async def look(self, source: str, marked: Place | None) -> TopicView:
        view = await super().look(source, marked)
        await self._barrier.wait()
        return view


@pytest.mark.parametrize("before", [0, 5])
async def test_of_two_that_begin_at_the_same_moment_one_goes_on(before: int) -> None:
    """Two logs of one name that both looked before the other sent end with one record of the second."""
    shelf, barrier = MemoryShelf(), asyncio.Barrier(2)
    rigs = [Rig(shelf=shelf), Rig(shelf=shelf)]
    for rig in rigs:
        rig.grow(before)
    if before:
        await rigs[0].live()
    rigs[1].log._ids = 500
    ended = []
    for rig in rigs:
        rig.grow(9)
        paused: list[float] = []

        async def pause(seconds: float, paused: list[float] = paused) -> None:
            paused.append(seconds)

        forwarder = Forwarder(rig.log, Together(shelf, barrier), NoMark(), clock=ManualClock(0), pause=pause)
        ended.append(forwarder.run(lambda paused=paused: bool(paused)))
    outcomes = await asyncio.gather(*ended, return_exceptions=True)
    (winner,) = [rig for rig, outcome in zip(rigs, outcomes, strict=True) if outcome is None]
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [SameSourceError]
    whole = [(each.envelope.source, each.raw) for each in winner.log.events]
    assert [each for each in shelf.records if each in whole] == whole
    assert len(shelf.records) == len(whole) + 1


async def test_brokers_that_are_away_are_waited_for() -> None:
    """While every call fails the forwarder says that it waits, and afterwards nothing is missing."""
    rig = Rig()
    rig.grow(5)
    rig.shelf.away = True
    await rig.live(pauses=7)
    assert (rig.told[-1].state, rig.seqs) == ("waiting", [])
    rig.shelf.away = False
    await rig.live()
    assert (rig.told[-1].state, rig.seqs) == ("forwarding", [1, 2, 3, 4, 5])


async def test_a_full_disk_does_not_hold_up_forwarding() -> None:
    """When the mark cannot be written, shipping goes on, and a new forwarder finds its place in the topic."""

    class Full(NoMark):
        def write(self, mark: Mark) -> None:  # noqa: ARG002  # it is refused
            raise OSError(28, "No space left on device")

    rig = Rig()
    rig.marks = Full()
    rig.grow(7)
    await rig.live()
    rig.grow(1)
    await rig.live()
    assert rig.seqs == list(range(1, 9))
