"""From where to ship, decided from the mark, the topic and the log. Pure.

The topic itself is the best witness: what lies there with the log's own identifier was shipped, marked or not.
The mark shows what the topic should hold, and so that it was made anew or lost its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal
from uuid import UUID

import msgspec

from daemon.forwarding.sink import Place, Shipped, TopicView
from schemas.errors import MesswerkError


class SameSourceError(MesswerkError):
    """The topic holds events of this source that are not this log's: two daemons use one name."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The last event that is known to be shipped, durable beside the log. ``seq`` 0: none.

    again: everything is being shipped once more, so what lies in the topic beyond the mark proves nothing.
    """

    seq: int = 0
    id: UUID | None = None
    place: Place | None = None
    again: bool = False


Reason = Literal["continued", "ahead-of-mark", "cut-off", "made-anew", "other-topic"]
"""How the topic stood to the mark; all but the first two are worth a warning."""


class Resumption(msgspec.Struct, frozen=True):
    """Ship what comes after ``mark``."""

    mark: Mark
    reason: Reason


def resume(mark: Mark, view: TopicView, identify: Callable[[int], UUID | None], source: str) -> Resumption:
    """Decide. ``identify`` gives the identifier that the log has at a position, None past its end.

    Raises :class:`SameSourceError` when the topic's newest record of the source is not the log's.
    """
    newest = view.newest
    if newest is not None:
        require_own(newest, identify, source)
    if mark.place is None and mark.again:
        return Resumption(mark, "continued")
    if mark.place is None or not _same_partition(mark.place, view.place):
        known = Mark() if newest is None else _at(newest)
        return Resumption(known, "continued" if mark.place is None else "other-topic")
    # Retention takes what was marked, too: an idle source's records go like all others.
    if (view.at is not None and view.at.id == mark.id) or mark.place.offset < view.begin:
        if newest is None or newest.seq <= mark.seq or mark.again:
            return Resumption(mark, "continued")
        return Resumption(_at(newest), "ahead-of-mark")
    if newest is not None and newest.seq <= mark.seq and not mark.again:
        # The end is gone, or a topic made anew has been filled up to here.
        return Resumption(_at(newest), "cut-off")
    # Made anew. What lies there may begin in the middle, sent in the moment before this was noticed.
    return Resumption(Mark(again=newest is not None), "made-anew")


def require_own(newest: Shipped, identify: Callable[[int], UUID | None], source: str) -> None:
    """Raise :class:`SameSourceError` unless the log has this very event at its position."""
    own = identify(newest.seq)
    if own == newest.id:
        return
    found = "another event" if own is not None else "no event yet"
    raise SameSourceError(
        f"topic {newest.place.topic!r} holds event {newest.seq} of source {source!r} with id {newest.id}, and this "
        f"log has {found} there: another daemon uses the name {source!r}, or this log was put back from an older "
        "copy. Nothing more is forwarded; measuring goes on. Give one of them another source in messwerk.toml, "
        "[daemon], and a data directory of its own"
    )


def require_first(
    shipped: Shipped, lying: Sequence[Shipped], identify: Callable[[int], UUID | None], source: str
) -> bool:
    """Tell whether ``lying``, what lies in the topic since it was looked into, holds a record that is not this log's.

    Of two daemons that began at the same moment the one whose record lies first goes on. Raises
    :class:`SameSourceError` when that is not this one, whose first record is ``shipped``.
    """
    foreign = [each for each in lying if identify(each.seq) != each.id]
    if foreign and foreign[0].place.offset < shipped.place.offset:
        require_own(foreign[0], identify, source)
    return bool(foreign)


def _same_partition(one: Place, other: Place) -> bool:
    return (one.cluster, one.topic, one.partition) == (other.cluster, other.topic, other.partition)


def _at(shipped: Shipped) -> Mark:
    return Mark(seq=shipped.seq, id=shipped.id, place=shipped.place)
