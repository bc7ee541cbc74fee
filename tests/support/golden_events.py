"""Events of every golden stream of the collection, with their whole encoded data; as a script it prints them.

A line has the quirk, the form, the number of the take, the type of the event and its data in hexadecimal digits.
Python's hashing of strings differs from process to process, so the same bytes twice are worth something only
from two processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import msgspec
from replayed_quirks import replayed

from daemon.reference.quirks.collection import QUIRKS
from daemon.reference.quirks.contract import Form
from schemas.events import AttemptCompleted, Event, FirstToken, encode_event


class GoldenEvent(msgspec.Struct, frozen=True):
    """One event, and the stream that it comes of."""

    quirk: str
    form: Form
    take: int
    event: Event

    def line(self) -> str:
        """Lay it out for comparison."""
        data = bytes(encode_event(self.event)).hex()
        return f"{self.quirk} {self.form} {self.take} {self.event.TYPE} {data}"


def golden_events() -> Iterator[GoldenEvent]:
    """Read every stream; its attempt has an id of its own, by its place in the collection."""
    streams = (
        (quirk, form, number, take)
        for quirk in QUIRKS
        for form, takes in quirk.takes.items()
        for number, take in enumerate(takes, 1)
    )
    for place, (quirk, form, number, take) in enumerate(streams, 1):
        played, notes = replayed(take, form)
        attempt = UUID(int=place)
        for note in notes:
            first = FirstToken(attempt=attempt, channel=note.channel, elapsed_us=note.elapsed_us)
            yield GoldenEvent(quirk.name, form, number, first)
        completed: AttemptCompleted = msgspec.structs.replace(played.completed, attempt=attempt, request=attempt)
        yield GoldenEvent(quirk.name, form, number, completed)


if __name__ == "__main__":
    for each in golden_events():
        print(each.line())
