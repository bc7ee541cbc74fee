"""Proofs out of a whole log, read once: that an event is in a checkpoint's tree, and that the tree extends another.

The proofs themselves are :mod:`schemas.proofs`; here is their JSON, which ``docs/proofs.md`` explains.
"""

from __future__ import annotations

import base64
from typing import Any, Final

import msgspec

from daemon.log.browsable import BrowsableLog
from daemon.log.published import Published
from schemas.chain import Frontier, leaf_hash
from schemas.errors import DecodeError, LogDamagedError, LogError
from schemas.events import LogCheckpointed, decode_event
from schemas.log import StoredEvent
from schemas.proofs import SpanRoots, consistency_spans, inclusion_spans

_BATCH: Final = 1000


class Consistency(msgspec.Struct, frozen=True, kw_only=True):
    """That the tree extends an earlier one. root, path: hexadecimal."""

    size: int
    root: str
    path: tuple[str, ...]


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Everything to check that an event stands at its position in a log.

    entry: the stored bytes, base64. index: its place among the tree's leaves, from 0: one less than ``seq``.
    size, root, path: the tree and the audit path, hexadecimal, nearest sibling first.
    extends: the published checkpoint that the tree grew from, for an event that came after it.
    event: the entry as a person reads it; no part of the proof.
    """

    source: str
    seq: int
    id: str
    index: int
    entry: str
    size: int
    root: str
    path: tuple[str, ...]
    extends: Consistency | None
    event: Any


def newest_checkpoint(reader: BrowsableLog) -> tuple[StoredEvent, LogCheckpointed] | None:
    """Return the newest checkpoint that stands in a log; None before the first."""
    found = reader.tail(1, kind=LogCheckpointed.TYPE)
    if not found:
        return None
    try:
        event = decode_event(found[0].envelope)
    except DecodeError as problem:
        raise LogDamagedError(str(problem), seq=found[0].envelope.seq) from problem
    assert isinstance(event, LogCheckpointed)
    return found[0], event


def prove(reader: BrowsableLog, stored: StoredEvent, against: Published | None, event: Any) -> Proof:  # noqa: ANN401  # JSON
    """Prove an event against ``against``, or without it against the log's newest checkpoint.

    An event that no such checkpoint covers is proven in the tree as it stands, which then extends ``against``.
    Raises :class:`LogDamagedError` when the log does not extend ``against``.
    """
    seq = stored.envelope.seq
    newest = newest_checkpoint(reader)
    size = against.size if against is not None else newest[1].size if newest is not None else 0
    if against is not None:
        _require_of(reader, against)
    earlier = None
    if size < seq:
        earlier, size = against, newest[1].size if newest is not None else 0
        size = size if size >= seq else reader.last_seq()
    inclusion = SpanRoots(inclusion_spans(seq - 1, size))
    consistency = None if earlier is None else SpanRoots(consistency_spans(earlier.size, size))
    told = {each.size: each.root for each in ([] if against is None else [against])}
    if newest is not None:
        told.setdefault(newest[1].size, newest[1].root)
    root = _walk(reader, size, [each for each in (inclusion, consistency) if each is not None], told)
    return Proof(
        source=reader.source,
        seq=seq,
        id=str(stored.envelope.id),
        index=seq - 1,
        entry=base64.b64encode(stored.raw).decode(),
        size=size,
        root=root.hex(),
        path=_hex(inclusion),
        extends=None
        if earlier is None or consistency is None
        else Consistency(size=earlier.size, root=earlier.root.hex(), path=_hex(consistency)),
        event=event,
    )


def _require_of(reader: BrowsableLog, against: Published) -> None:
    if against.source not in (None, reader.source):
        raise LogError(
            f"the checkpoint is of source {against.source!r}, the log at {reader.path} of {reader.source!r}"
        )
    last = reader.last_seq()
    if against.size > last:
        raise LogDamagedError(
            f"the log ends at {last} and does not reach the checkpoint over {against.size} events", seq=last + 1
        )


def _walk(reader: BrowsableLog, size: int, takers: list[SpanRoots], told: dict[int, bytes]) -> bytes:
    """Give each leaf up to ``size`` to ``takers``; compare the roots that were told; return the root."""
    frontier = Frontier()
    while frontier.size < size:
        for stored in reader.read_after(frontier.size, limit=min(_BATCH, size - frontier.size)):
            leaf = leaf_hash(stored.raw)
            frontier.add(leaf)
            for taker in takers:
                taker.add(leaf)
            if frontier.size in told and told[frontier.size] != frontier.root():
                raise LogDamagedError(
                    f"the first {frontier.size} events are not those of the checkpoint over them; "
                    "`messwerk log verify --against` names the first wrong position it can",
                    seq=1,
                )
    return frontier.root()


def _hex(roots: SpanRoots) -> tuple[str, ...]:
    return tuple(each.hex() for each in roots.roots())
