"""The checker of distributed histories finds each broken law, and none in a history where all hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint, ns
from msgspec.structs import replace

from schemas.envelope import encode_envelope
from schemas.events import decode_event
from tests.support.operation_history import TABLES, Acknowledged, History, Lying

SOURCE = "lab"


def made() -> MadeLog:
    log = MadeLog(SOURCE)
    log.open(endpoint())
    log.run(NOON, {}, {})
    log.run(NOON + timedelta(hours=1), {})
    return log


def sound() -> History:
    events = made().events
    attempts = next(table for table in TABLES if table.name == "attempts")
    row = tuple(f"'{name}'" for name in attempts.row.__struct_fields__)
    rows = {table.name: [row] if table is attempts else [] for table in TABLES}
    return History(
        acknowledged={SOURCE: [Acknowledged(each.envelope.seq, each.envelope.id) for each in events]},
        logs={SOURCE: events},
        topic=[Lying(0, offset, SOURCE, each.raw) for offset, each in enumerate(events)],
        grown=rows,
        clean=rows,
    )


def without_last_event(history: History) -> History:
    return replace(history, logs={SOURCE: history.logs[SOURCE][:-1]})


def another_id(history: History) -> History:
    told = [Acknowledged(1, UUID(int=77)), *history.acknowledged[SOURCE][1:]]
    return replace(history, acknowledged={SOURCE: told})


def told_twice(history: History) -> History:
    told = history.acknowledged[SOURCE]
    return replace(history, acknowledged={SOURCE: [*told, told[0]]})


def completed_again(history: History) -> History:
    log = made()
    last = decode_event(log.events[-1].envelope)
    assert last is not None
    log.add(last)
    return replace(history, logs={SOURCE: log.events}, topic=None)


def sent_again(history: History) -> History:
    log = made()
    sent = decode_event(log.events[-2].envelope)
    assert sent is not None
    log.add(sent)
    return replace(history, logs={SOURCE: log.events}, topic=None)


def never_completed(history: History) -> History:
    log = made()
    del log.events[-1]
    told = history.acknowledged[SOURCE][:-1]
    return replace(history, acknowledged={SOURCE: told}, logs={SOURCE: log.events}, topic=None)


def topic_of(change: Callable[[list[Lying]], list[Lying]]) -> Callable[[History], History]:
    def apply(history: History) -> History:
        assert history.topic is not None
        return replace(history, topic=change(list(history.topic)))

    return apply


def doubled_row(history: History) -> History:
    rows = {**history.grown, "attempts": [*history.grown["attempts"]] * 2}
    return replace(history, grown=rows, clean=rows)


def other_row(history: History) -> History:
    return replace(history, grown={**history.grown, "attempts": []})


BROKEN: dict[str, tuple[Callable[[History], History], str]] = {
    "lost": (without_last_event, "acknowledged and not in the log"),
    "another id": (another_id, "acknowledged and not in the log"),
    "told twice": (told_twice, "acknowledged twice"),
    "completed twice": (completed_again, "completed twice"),
    "sent twice": (sent_again, "sent twice"),
    "left open": (never_completed, "never completed"),
    "topic short": (topic_of(lambda lying: lying[:-1]), "the topic ends at event"),
    "topic gap": (topic_of(lambda lying: [*lying[:2], *lying[3:]]), "the topic has event 4 after 2"),
    "topic swapped": (topic_of(lambda lying: [lying[0], lying[2], lying[1], *lying[3:]]), "the topic has event 3"),
    "topic bytes": (
        topic_of(lambda lying: [*lying[:-1], replace(lying[-1], raw=foreign())]),
        "other bytes at event",
    ),
    "two partitions": (topic_of(lambda lying: [replace(lying[0], partition=1), *lying[1:]]), "several partitions"),
    "doubled row": (doubled_row, "has rows twice"),
    "other row": (other_row, "a clean rebuild 1"),
}


def foreign() -> bytes:
    """Return the last event of the same log, written a moment later."""
    last = made().events[-1]
    envelope = replace(last.envelope, wall_ns=ns(NOON) + 1)
    return encode_envelope(envelope)


def test_a_sound_history_breaks_no_law() -> None:
    """A history in which all laws hold is accepted, also with records that came twice."""
    history = sound()
    assert history.broken_laws() == []
    assert history.topic is not None
    again = [*history.topic[:3], *history.topic[1:]]
    assert replace(history, topic=again).broken_laws() == []


@pytest.mark.parametrize(("breaks", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_each_broken_law_is_found(breaks: Callable[[History], History], said: str) -> None:
    """A history with one thing wrong is refused, and the answer says what it is."""
    found = breaks(sound()).broken_laws()
    assert any(said in each for each in found), found
